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
/// Vectors run over g: what belongs to a column and a layer is a number, tables are read row by
/// row. Temperature and pressure are held within the tables. Where eta = 1 the last row is used,
/// also where rounding makes it so.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include "base/elementary.hpp"
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

template <class T> class GasOptics {
public:
    GasOptics(const KDistribution& k, const Column<T>& c, Work<T>& work)
        : k(k), c(c), L(c.layers), P((c.layers + lanes - 1) / lanes * lanes), S(stride(k)) {
        tau = work.absorption(std::size_t(L) * S + lanes);
        part = k.longwave() ? work.fraction(std::size_t(L) * S + lanes) : nullptr;
        rayleigh = k.longwave() ? nullptr : work.scattering(std::size_t(L) * S + lanes);
        weights = work.weights(k.flavours.size() * each * P);
        rows = work.rows(k.flavours.size() * 4 * std::size_t(P));
        plane = work.plane(2 * std::size_t(P));
        scalar = work.scalar(6 * std::size_t(P));
        minor = work.minor(std::max(k.minor[0].size(), k.minor[1].size()) * std::size_t(L));
        active = work.index(std::max(k.minor[0].size(), k.minor[1].size()));
    }
    void operator()() {
        locate();
        for (std::size_t f = 0; f < k.flavours.size(); ++f) mix(f);
        for (int half = 0; half < 2; ++half) {
            for (auto& band : k.band) {
                part ? absorb<true>(band, half) : absorb<false>(band, half);
                if (rayleigh) scatter(band, half);
            }
            absorb_minor(half);
        }
    }

private:
    using Real = Lanes8<T>;
    typedef int Whole __attribute__((vector_size(lanes * sizeof(int))));
    const KDistribution& k;
    const Column<T>& c;
    const int L, P, S;  // P: layers filled up to whole vectors
    T *tau, *part, *rayleigh, *scalar, *minor, *weights;
    int *rows, *plane, *active, tropopause = 0;

    /// Of a flavour, each for all layers: weights of eight rows times the amount of the mixture,
    /// those for the Planck function, of four for minor gases: [temperature][pressure][eta].
    static constexpr std::size_t each = 20;
    const T* weight(int flavour, int first, int l) const {
        return weights + (std::size_t(flavour) * each + first) * P + l;
    }
    static constexpr int of_major = 0, of_fraction = 8, of_minor = 16;
    /// The first of these rows at a temperature; of minor tables too.
    int major_row(int flavour, int i, int l) const { return rows[(flavour * 4 + i) * P + l]; }
    int minor_row(int flavour, int i, int l) const { return rows[(flavour * 4 + 2 + i) * P + l]; }

    T* warmth() const { return scalar; }
    T* height() const { return scalar + P; }
    int first(int half) const { return half ? 0 : tropopause; }
    int last(int half) const { return half ? tropopause : L; }

    /// Where each layer lies in the tables; the layers above `tropopause` belong to the upper half.
    void locate() {
        T *const t = warmth(), *const p = height();
        for (int l = 0; l < P; ++l) p[l] = c.pressure[std::min(l, L - 1)];
        for (int l = 0; l < P; l += lanes) log(Real::load(p + l)).store(p + l);
        tropopause = 0;
        while (tropopause < L && p[tropopause] <= T(k.tropopause_log_pressure)) ++tropopause;
        const T per_temperature = T(1 / k.temperature_step), per_log = T(1 / k.log_pressure_step);
        for (int l = 0; l < P; ++l) {
            const T x = std::clamp<T>(
                (c.temperature[std::min(l, L - 1)] - T(k.first_temperature)) * per_temperature, 0,
                T(k.temperatures - 1));
            const T y =
                std::clamp<T>((p[l] - T(k.first_log_pressure)) * per_log, 0, T(k.pressures - 2));
            const int at_t = std::min(int(x), k.temperatures - 2),
                      at_p = std::min(int(y), k.pressures - 3);
            plane[l] = at_t, plane[P + l] = at_p + (l < tropopause);
            t[l] = x - T(at_t), p[l] = y - T(at_p);
        }
    }

    /// Weights and rows of a flavour, eight layers at once.
    void mix(std::size_t number) {
        const auto& flavour = k.flavours[number];
        T* const ratio = scalar + 2 * P;
        const T *n1 = c.amount + std::size_t(flavour.gas[0]) * L,
                *n2 = c.amount + std::size_t(flavour.gas[1]) * L;
        for (int i = 0; i < 2; ++i) {
            for (int l = 0; l < P; ++l) {
                const int half = l < tropopause;
                ratio[l] = flavour.used[half] && l < L
                               ? T(flavour.ratio[half][std::size_t(plane[l] + i)])
                               : T(1);
            }
            for (int l = 0; l < P; l += lanes) {
                const Real a = amounts(n1, l);
                mix(number, i, l, a, multiply_add<T>(Real::load(ratio + l), amounts(n2, l), a));
            }
        }
    }
    Real amounts(const T* n, int l) const {
        if (l + lanes <= L) return Real::load(n + l);
        T last[lanes] = {};
        for (int m = l; m < L; ++m) last[m - l] = n[m];
        return Real::load(last);
    }
    void mix(std::size_t number, int i, int l, Real amount, Real both) {
        const Real least = 2 * std::numeric_limits<T>::min();
        const Real eta = select(both > least, amount / both, Real(T(0.5))),
                   x = eta * T(k.mixtures - 1), bounded = smaller(x, Real(T(k.mixtures - 2)));
        const Whole at = __builtin_convertvector(bounded.lanes, Whole);
        Real row_of;
        row_of.lanes = __builtin_convertvector(at, typename Real::Storage);
        const Real share = x - row_of, t = Real::load(warmth() + l), p = Real::load(height() + l);
        const Real warm = i ? t : 1 - t, low = (1 - share) * warm, high = share * warm;
        T* const w = weights + number * each * P + l;
        const auto put = [&](int n, Real value) { value.store(w + std::size_t(n) * P); };
        put(of_minor + 2 * i, low), put(of_minor + 2 * i + 1, high);
        const Real f[4] = {(1 - p) * low, (1 - p) * high, p * low, p * high};
        for (int n = 0; n < 4; ++n) {
            put(of_fraction + 4 * i + n, f[n]);
            put(of_major + 4 * i + n, both * f[n]);
        }
        Whole warmer, higher;
        __builtin_memcpy(&warmer, plane + l, sizeof warmer);
        __builtin_memcpy(&higher, plane + P + l, sizeof higher);
        const Whole minor_rows = (warmer + i) * k.mixtures + at,
                    major_rows = ((warmer + i) * k.pressures + higher) * k.mixtures + at;
        int* const r = rows + (number * 4 + std::size_t(i)) * P + l;
        __builtin_memcpy(r, &major_rows, sizeof major_rows);
        __builtin_memcpy(r + 2 * P, &minor_rows, sizeof minor_rows);
    }

    /// Eight rows, weighed, for `vectors` vectors side by side.
    template <int vectors, int apart>
    void eight(const T* w, const float* cold, const float* warm, std::size_t row, T* to) const {
        const std::size_t up = std::size_t(k.mixtures) * row;
        const std::size_t at[4] = {0, row, up, up + row};
        Real x[vectors], y[vectors];
        for (int v = 0; v < vectors; ++v) {
            x[v] = Real(w[0]) * load<T>(cold + v * apart);
            y[v] = Real(w[4 * P]) * load<T>(warm + v * apart);
        }
        for (int n = 1; n < 4; ++n)
            for (int v = 0; v < vectors; ++v) {
                x[v] = multiply_add<T>(Real(w[n * P]), load<T>(cold + at[n] + v * apart), x[v]);
                y[v] =
                    multiply_add<T>(Real(w[(n + 4) * P]), load<T>(warm + at[n] + v * apart), y[v]);
            }
        for (int v = 0; v < vectors; ++v) (x[v] + y[v]).store(to + v * lanes);
    }

    template <bool emits> void absorb(const KDistribution::Band& band, int half) {
        constexpr int apart = emits ? 2 * lanes : lanes;
        const std::size_t row = std::size_t(band.vectors()) * apart;
        const float* const table =
            k.major.data() + k.before(band) * apart * std::size_t(k.pressures);
        const int f = band.flavour[half], count = band.last - band.first;
        for (int l = first(half); l < last(half); ++l) {
            const T *const w = weight(f, of_major, l), *const shares = weight(f, of_fraction, l);
            const float *cold = table + std::size_t(major_row(f, 0, l)) * row,
                        *warm = table + std::size_t(major_row(f, 1, l)) * row;
            std::size_t to = std::size_t(l) * S + band.first;
            const auto sum = [&]<int vectors>(std::integral_constant<int, vectors>) {
                eight<vectors, apart>(w, cold, warm, row, tau + to);
                if constexpr (emits)
                    eight<vectors, apart>(shares, cold + lanes, warm + lanes, row, part + to);
                cold += vectors * apart, warm += vectors * apart, to += vectors * lanes;
            };
            int left = count;
            for (; left > lanes; left -= 2 * lanes) sum(std::integral_constant<int, 2>());
            if (left > 0) sum(std::integral_constant<int, 1>());
        }
    }

    /// Amounts of the minor gases of a half, each times what its table says; returns how many of
    /// them are there, and their numbers in `active`.
    int scale(int half) {
        T *const density = scalar + 3 * P, *const per_air = scalar + 4 * P;
        const T* const water = c.amount + std::size_t(k.water) * L;
        const int from = first(half), to = last(half);
        for (int l = from; l < to; ++l) {
            density[l] = T(0.01) * c.pressure[l] / c.temperature[l];
            per_air[l] = 1 / (c.amount[l] + water[l]);
        }
        int count = 0;
        for (std::size_t m = 0; m < k.minor[half].size(); ++m) {
            const auto& one = k.minor[half][m];
            const T* const amount = c.amount + std::size_t(one.gas) * L;
            const T* const other = c.amount + std::size_t(one.scaling_gas) * L;
            T* const n = minor + m * L;
            T most = 0;
            for (int l = from; l < to; ++l) most = std::max(most, amount[l]);
            if (most == 0) continue;
            active[count++] = int(m);
            for (int l = from; l < to; ++l)
                n[l] = one.by_density ? amount[l] * density[l] : amount[l];
            if (one.by_density && one.scaling_gas > 0)
                for (int l = from; l < to; ++l) {
                    const T share = other[l] * per_air[l];
                    n[l] *= one.by_complement ? 1 - share : share;
                }
        }
        return count;
    }

    /// Minor gases of the same range of g points are summed before they are stored.
    void absorb_minor(int half) {
        const int count = scale(half);
        const auto& all = k.minor[half];
        for (int m = 0, next; m < count; m = next) {
            const auto& one = all[std::size_t(active[m])];
            const auto alike = [&](const KDistribution::Minor& b) {
                return b.first == one.first && b.count == one.count;
            };
            for (next = m + 1; next < count && alike(all[std::size_t(active[next])]);) ++next;
            if (one.count % (2 * lanes))
                absorb_minor<1>(half, m, next);
            else
                absorb_minor<2>(half, m, next);
        }
    }
    template <int vectors> void absorb_minor(int half, int from, int to) {
        const auto& all = k.minor[half];
        const auto& one = all[std::size_t(active[from])];
        const int f = one.flavour, width = one.count;
        const float* const table = k.minor_table[half].data();
        for (int l = first(half); l < last(half); ++l) {
            const T* const w = weight(f, of_minor, l);
            const Real w0 = w[0], w1 = w[P], w2 = w[2 * P], w3 = w[3 * P];
            const std::size_t cold = std::size_t(minor_row(f, 0, l)) * width,
                              warm = std::size_t(minor_row(f, 1, l)) * width;
            T* const store = tau + std::size_t(l) * S + one.first;
            for (int g = 0; g < width; g += vectors * lanes) {
                Real sum[vectors];
                for (int v = 0; v < vectors; ++v) sum[v] = Real::load(store + g + v * lanes);
                for (int m = from; m < to; ++m) {
                    const float* const at = table + all[std::size_t(active[m])].at + g;
                    const Real n = minor[std::size_t(active[m]) * L + l];
                    for (int v = 0; v < vectors; ++v) {
                        const float *a = at + cold + v * lanes, *b = at + warm + v * lanes;
                        const Real x = multiply_add<T>(w1, load<T>(a + width), w0 * load<T>(a)),
                                   y = multiply_add<T>(w3, load<T>(b + width), w2 * load<T>(b));
                        sum[v] = multiply_add<T>(n, x + y, sum[v]);
                    }
                }
                for (int v = 0; v < vectors; ++v) sum[v].store(store + g + v * lanes);
            }
        }
    }

    void scatter(const KDistribution::Band& band, int half) {
        const int f = band.flavour[half];
        const std::size_t row = std::size_t(band.vectors()) * lanes;
        const float* const table = k.rayleigh[half].data() + k.before(band) * lanes;
        for (int l = first(half); l < last(half); ++l) {
            const Real n = c.amount[l] + c.amount[std::size_t(k.water) * L + l];
            const T* const w = weight(f, of_minor, l);
            const Real w0 = n * w[0], w1 = n * w[P], w2 = n * w[2 * P], w3 = n * w[3 * P];
            const float *const cold = table + std::size_t(minor_row(f, 0, l)) * row,
                               *const warm = table + std::size_t(minor_row(f, 1, l)) * row;
            for (int g = 0; g < band.last - band.first; g += lanes) {
                const Real x = multiply_add<T>(w1, load<T>(cold + row + g), w0 * load<T>(cold + g)),
                           y = multiply_add<T>(w3, load<T>(warm + row + g), w2 * load<T>(warm + g));
                (x + y).store(rayleigh + std::size_t(l) * S + band.first + g);
            }
        }
    }
};

}  // namespace fathom::physics::rrtmgp
