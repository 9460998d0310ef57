/// Optical depth of the gases in the layers of one column (Pincus, Mlawer & Delamere 2019):
///
///   eta = n1 / (n1 + r n2)                     mixture of the key species, r that of eta = 1/2
///   tau = sum over 2 T, 2 p, 2 eta of w (n1 + r n2) k_major                        [n: mol m-2]
///       + sum over minor gases and 2 T, 2 eta of w n s k_minor
///   s = p / (100 T) times the mole fraction of another gas, or of all others, where the table
///       says so; 1 else
///   Rayleigh = sum over 2 T, 2 eta of w (n_dry + n_water) k_rayleigh
///   share of the band's Planck function = sum over 2 T, 2 p, 2 eta of w f
///
/// Vectors run over g: quantities of a column and a layer are single numbers, tables are read row
/// by row. Temperature and pressure are limited to the range of the tables. Where eta = 1 the last
/// row is used, also where rounding makes it so. Tables and interpolated values have 32 bits:
/// optical depths have relative errors of 1e-7 also where the transfer has 64 bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include "base/elementary.hpp"
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

template <class T, int width = lanes> class GasOptics {
public:
    /// From a lane on: only one at once where width is 1.
    constexpr GasOptics(const KDistribution& k, const Column<T>& c, const Work<T>& work,
                        int lane = 0)
        : k(k),
          c(c),
          L(c.layers),
          P((c.layers + lanes - 1) / lanes * lanes),
          S(stride(k)),
          lane(lane),
          tau(work.absorption),
          rayleigh(k.longwave() ? nullptr : work.scattering),
          scalar(work.scalar),
          part(k.longwave() ? work.fraction : nullptr),
          minor(work.minor),
          weights(work.weights),
          rows(work.rows),
          plane(work.plane),
          tropopause(work.active[0]),
          active(work.active + 3) {}

    /// Where each layer lies in the tables; the layers above `tropopause` belong to the upper half.
    /// First, once for a column.
    constexpr void locate() {
        T *const t = warmth(), *const p = height();
        for (int l = 0; l < P; ++l) p[l] = c.pressure[std::min(l, L - 1)];
        for (int l = 0; l < P; l += width) log(Real::load(p + l)).store(p + l);
        int above = 0;
        while (above < L && p[above] <= T(k.tropopause_log_pressure)) ++above;
        tropopause = above;
        const T per_temperature = T(1 / k.temperature_step), per_log = T(1 / k.log_pressure_step);
        for (int l = 0; l < P; ++l) {
            const T warm = c.temperature[std::min(l, L - 1)] - T(k.first_temperature);
            const T x = within(warm * per_temperature, T(k.temperatures - 1)),
                    y = within((p[l] - T(k.first_log_pressure)) * per_log, T(k.pressures - 2));
            const int at_t = std::min(int(x), k.temperatures - 2),
                      at_p = std::min(int(y), k.pressures - 3);
            plane[l] = at_t, plane[P + l] = at_p + (l < above);
            t[l] = x - T(at_t), p[l] = y - T(at_p);
        }
    }
    /// Then in each layer; lanes are layers here.
    constexpr void weigh() const {
        for (std::size_t f = 0; f < k.flavours.size(); ++f) mix(f);
        for (int half = 0; half < 2; ++half) scale(half);
    }
    /// Then at each g point.
    constexpr void absorb() const {
        for (int half = 0; half < 2; ++half) {
            for (auto& band : k.band) {
                part ? absorb<true>(band, half) : absorb<false>(band, half);
                if (rayleigh) scatter(band, half);
            }
            absorb_minor(half);
        }
    }

private:
    using Real = Wide<T, width>;
    using Single = Pack<float, width>;  // tables, their weights and interpolation
    const KDistribution& k;
    const Column<T>& c;
    const int L, P, S, lane;                    // P: layers filled up to whole vectors
    static constexpr int step = lanes / width;  // from a layer of this lane to its next
    T *tau, *rayleigh, *scalar;
    float *part, *minor, *weights;
    int *rows, *plane, &tropopause, *active;  // rows: of tables, then of minor ones, 2 T each

    /// Of a flavour, each for all layers: weights of eight rows times the amount of the mixture,
    /// those for the Planck function, of four for minor gases: [temperature][pressure][eta].
    static constexpr std::size_t each = Work<T>::per_flavour;
    constexpr const float* weight(int flavour, int first, int l) const {
        return weights + (std::size_t(flavour) * each + first) * P + l;
    }
    static constexpr int of_major = 0, of_fraction = 8, of_minor = 16;
    constexpr T* warmth() const { return scalar; }
    constexpr T* height() const { return scalar + P; }
    constexpr int first(int half) const { return half ? 0 : tropopause; }
    constexpr int last(int half) const { return half ? tropopause : L; }

    /// Whether a band or a minor gas of a half has this flavour.
    constexpr bool occurs(std::size_t flavour, int half) const {
        if (k.flavours[flavour].used[half]) return true;
        for (const auto& one : k.minor[half])
            if (std::size_t(one.flavour) == flavour) return true;
        return false;
    }
    /// Weights and rows of a flavour in the layers where it occurs, eight layers at once.
    constexpr void mix(std::size_t number) const {
        const auto& flavour = k.flavours[number];
        T* const ratio = scalar + 2 * P;
        const T *n1 = c.amount + std::size_t(flavour.gas[0]) * L,
                *n2 = c.amount + std::size_t(flavour.gas[1]) * L;
        const int from = occurs(number, 1) ? 0 : tropopause / lanes * lanes,
                  to = occurs(number, 0) ? P : (tropopause + lanes - 1) / lanes * lanes;
        for (int i = 0; i < 2; ++i) {
            for (int l = from + lane; l < to; l += step) {
                const int half = l < tropopause;
                ratio[l] =
                    flavour.used[half] && l < L ? T(k.ratio(number, half, plane[l] + i)) : T(1);
            }
            for (int l = from + lane; l < to; l += lanes) {
                const Real a = amounts(n1, l);
                mix(number, i, l, a, multiply_add(Real::load(ratio + l), amounts(n2, l), a));
            }
        }
    }
    constexpr Real amounts(const T* n, int l) const {
        if (l + width <= L) return Real::load(n + l);
        T last[width] = {};
        for (int m = l; m < L; ++m) last[m - l] = n[m];
        return Real::load(last);
    }
    constexpr void mix(std::size_t number, int i, int l, Real amount, Real both) const {
        const Real least = 2 * std::numeric_limits<T>::min();
        const Real eta = select(both > least, amount / both, Real(T(0.5))),
                   x = eta * T(k.mixtures - 1), bounded = smaller(x, Real(T(k.mixtures - 2)));
        const Integers<width> at = whole_parts(bounded);
        const Real share = x - numbers<Real>(at), t = Real::load(warmth() + l),
                   p = Real::load(height() + l);
        const Real warm = i ? t : 1 - t, low = (1 - share) * warm, high = share * warm;
        float* const w = weights + number * each * P + l;
        const auto put = [&](int n, Real value) { narrow(value).store(w + std::size_t(n) * P); };
        put(of_minor + 2 * i, low), put(of_minor + 2 * i + 1, high);
        const Real f[4] = {(1 - p) * low, (1 - p) * high, p * low, p * high};
        for (int n = 0; n < 4; ++n) {
            if (part) put(of_fraction + 4 * i + n, f[n]);
            put(of_major + 4 * i + n, both * f[n]);
        }
        const Integers<width> warmer = load_integers<width>(plane + l) + i,
                              higher = load_integers<width>(plane + P + l);
        int* const r = rows + (number * 4 + std::size_t(i)) * P + l;
        store_integers<width>((warmer * k.pressures + higher) * k.mixtures + at, r);
        store_integers<width>(warmer * k.mixtures + at, r + 2 * P);
    }

    /// Rows of a band, `vectors` of g points from one on, of the layers of a half.
    struct Strip {
        int first, last;         // layers
        std::size_t row, up;     // from one mixture to the next, from one pressure
        const int *cold, *warm;  // rows of the two temperatures
        const float* table;
        std::size_t to;  // of the uppermost layer
    };
    constexpr Strip strip(const KDistribution::Band& band, int half, const float* table, int apart,
                          int first_row) const {
        const std::size_t row = std::size_t(band.vectors()) * apart;
        const int* const at = rows + (band.flavour[half] * 4 + first_row) * P;
        return {first(half), last(half), row,   std::size_t(k.mixtures) * row,
                at,          at + P,     table, std::size_t(band.first)};
    }
    /// body(strip, number of vectors), from two vectors to two vectors.
    template <class Body>
    constexpr void each_strip(Strip s, int count, int apart, Body body) const {
        s.table += lane, s.to += std::size_t(lane);
        for (int left = count - lane; left > 0; left -= 2 * lanes) {
            if (left > lanes)
                body(s, std::integral_constant<int, 2>());
            else
                body(s, std::integral_constant<int, 1>());
            s.table += 2 * apart, s.to += 2 * lanes;
        }
    }

    /// Eight rows, weighed.
    template <int vectors, int apart, class To>
    static constexpr void eight(const float* w, std::size_t P, const float* cold, const float* warm,
                                const Strip& s, To* to) {
        const std::size_t at[4] = {0, s.row, s.up, s.up + s.row};
        Single x[vectors], y[vectors];
        for (int v = 0; v < vectors; ++v) {
            x[v] = Single(w[0]) * Single::load(cold + v * apart);
            y[v] = Single(w[4 * P]) * Single::load(warm + v * apart);
        }
        for (int n = 1; n < 4; ++n)
            for (int v = 0; v < vectors; ++v) {
                x[v] = multiply_add(Single(w[n * P]), Single::load(cold + at[n] + v * apart), x[v]);
                y[v] = multiply_add(Single(w[(n + 4) * P]), Single::load(warm + at[n] + v * apart),
                                    y[v]);
            }
        for (int v = 0; v < vectors; ++v) widen<To>(x[v] + y[v]).store(to + v * lanes);
    }

    template <bool emits> constexpr void absorb(const KDistribution::Band& band, int half) const {
        constexpr int apart = emits ? 2 * lanes : lanes;
        const float* const table =
            k.major.data() + k.before(band) * apart * std::size_t(k.pressures);
        const int f = band.flavour[half];
        const auto sum = [&]<int vectors>(const Strip s, std::integral_constant<int, vectors>) {
            const float *const w = weight(f, of_major, 0), *const shares =
                                                               weight(f, of_fraction, 0);
            const std::size_t P = std::size_t(this->P), S = std::size_t(this->S);
            T* const tau = this->tau + s.to;
            [[maybe_unused]] float* const part = this->part + s.to;
            for (int l = s.first; l < s.last; ++l) {
                const float *const cold = s.table + std::size_t(s.cold[l]) * s.row,
                                   *const warm = s.table + std::size_t(s.warm[l]) * s.row;
                eight<vectors, apart>(w + l, P, cold, warm, s, tau + l * S);
                if constexpr (emits)
                    eight<vectors, apart>(shares + l, P, cold + lanes, warm + lanes, s,
                                          part + l * S);
            }
        };
        each_strip(strip(band, half, table, apart, 0), band.last - band.first, apart, sum);
    }

    /// Amounts of the minor gases of a half that are present, each times the factor of its table;
    /// their numbers in the list of all, where their tables begin, and how many they are.
    constexpr int* present(int half) const {
        return active + std::size_t(half) * Work<T>::most_minor(k);
    }
    constexpr int* begins(int half) const { return present(half + 2); }
    constexpr int& count(int half) const { return (&tropopause)[1 + half]; }
    constexpr void scale(int half) const {
        T *const density = scalar + 3 * P, *const per_air = scalar + 4 * P;
        const T* const water = c.amount + std::size_t(k.water) * L;
        const int from = first(half), to = last(half);
        for (int l = from + lane; l < to; l += step) {
            density[l] = T(0.01) * c.pressure[l] / c.temperature[l];
            per_air[l] = 1 / (c.amount[l] + water[l]);
        }
        int found = 0;
        for (std::size_t m = 0; m < k.minor[half].size(); ++m) {
            const auto& one = k.minor[half][m];
            const T* const amount = c.amount + std::size_t(one.gas) * L;
            const T* const other = c.amount + std::size_t(one.scaling_gas) * L;
            T most = 0;
            for (int l = from; l < to; ++l) most = std::max(most, amount[l]);
            if (most == 0) continue;
            float* const n = minor + found * L;
            if (lane == 0) present(half)[found] = int(m), begins(half)[found] = int(one.at);
            ++found;
            for (int l = from + lane; l < to; l += step) {
                T scaled = one.by_density ? amount[l] * density[l] : amount[l];
                if (one.by_density && one.scaling_gas > 0) {
                    const T share = other[l] * per_air[l];
                    scaled *= one.by_complement ? 1 - share : share;
                }
                n[l] = float(scaled);
            }
        }
        if (lane == 0) count(half) = found;
    }

    /// Minor gases of the same range of g points are summed before they are stored.
    constexpr void absorb_minor(int half) const {
        const int* const which = present(half);
        const auto& all = k.minor[half];
        for (int m = 0, end = count(half), next = 0; m < end; m = next) {
            const auto& one = all[std::size_t(which[m])];
            const auto alike = [&](const KDistribution::Minor& b) {
                return b.first == one.first && b.count == one.count;
            };
            next = m + 1;
            while (next < end && alike(all[std::size_t(which[next])])) ++next;
            // a vector ends with zeros; a lane must not touch what is another's
            const int width_of = width > 1 ? one.count : one.within;
            for (int g = lane; g < width_of; g += 2 * lanes)
                if (width_of - g > lanes)
                    absorb_minor<2>(half, m, next, g);
                else
                    absorb_minor<1>(half, m, next, g);
        }
    }
    template <int vectors> constexpr void absorb_minor(int half, int from, int to, int g) const {
        const auto& one = k.minor[half][std::size_t(present(half)[from])];
        const int f = one.flavour, *const begins = this->begins(half);
        const float* const tables = k.minor_table[half].data() + g;
        const float* const w = weight(f, of_minor, 0);
        const std::size_t width_of = std::size_t(one.count), P = std::size_t(this->P),
                          S = std::size_t(this->S);
        const int *const rows_cold = &rows[(f * 4 + 2) * P], *const rows_warm = rows_cold + P;
        T* const tau = this->tau + one.first + g;
        for (int l = first(half), end = last(half); l < end; ++l) {
            const Single w0 = w[l], w1 = w[l + P], w2 = w[l + 2 * P], w3 = w[l + 3 * P];
            const std::size_t cold = std::size_t(rows_cold[l]) * width_of,
                              warm = std::size_t(rows_warm[l]) * width_of;
            Single sum[vectors]{};
            for (int m = from; m < to; ++m) {
                const Single n = minor[m * L + l];
                const float* const table = tables + begins[m];
                for (int v = 0; v < vectors; ++v) {
                    const float *const a = table + cold + v * lanes, *const b =
                                                                         table + warm + v * lanes;
                    const Single x = multiply_add(w1, Single::load(a + width_of),
                                                  w0 * Single::load(a)),
                                 y = multiply_add(w3, Single::load(b + width_of),
                                                  w2 * Single::load(b));
                    sum[v] = multiply_add(n, x + y, sum[v]);
                }
            }
            for (int v = 0; v < vectors; ++v) {
                T* const at = tau + l * S + v * lanes;
                (Real::load(at) + widen<T>(sum[v])).store(at);
            }
        }
    }

    constexpr void scatter(const KDistribution::Band& band, int half) const {
        const float* const table = k.rayleigh[half].data() + k.before(band) * lanes;
        const float* const w = weight(band.flavour[half], of_minor, 0);
        const T *const dry = c.amount, *const water = c.amount + std::size_t(k.water) * L;
        const auto sum = [&]<int vectors>(const Strip s, std::integral_constant<int, vectors>) {
            const std::size_t P = std::size_t(this->P), S = std::size_t(this->S);
            T* const rayleigh = this->rayleigh + s.to;
            for (int l = s.first; l < s.last; ++l) {
                const Single n = float(dry[l] + water[l]);
                const Single w0 = n * w[l], w1 = n * w[l + P], w2 = n * w[l + 2 * P],
                             w3 = n * w[l + 3 * P];
                const float *cold = s.table + std::size_t(s.cold[l]) * s.row,
                            *warm = s.table + std::size_t(s.warm[l]) * s.row;
                for (int v = 0; v < vectors; ++v, cold += lanes, warm += lanes) {
                    const Single x = multiply_add(w1, Single::load(cold + s.row),
                                                  w0 * Single::load(cold)),
                                 y = multiply_add(w3, Single::load(warm + s.row),
                                                  w2 * Single::load(warm));
                    widen<T>(x + y).store(rayleigh + l * S + v * lanes);
                }
            }
        };
        each_strip(strip(band, half, table, lanes, 2), band.last - band.first, lanes, sum);
    }
};

}  // namespace fathom::physics::rrtmgp
