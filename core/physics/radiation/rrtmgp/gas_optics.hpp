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

/// Of a flavour at a layer: weights, and the first rows that they belong to, at the two
/// temperatures.
template <class T> struct Weights {
    T major[8];     ///< [temperature][pressure][eta], times the amount of the mixture
    T fraction[8];  ///< the same for the Planck function
    T minor[4];     ///< [temperature][eta]
};
struct Rows {
    int major[2], minor[2];
};

template <class T> class GasOptics {
public:
    GasOptics(const KDistribution& k, const Column<T>& c, Work<T>& work)
        : k(k), c(c), L(c.layers), S(stride(k)), row(std::size_t(k.row)) {
        tau = work.absorption(std::size_t(L) * S + lanes);
        part = k.longwave() ? work.fraction(std::size_t(L) * S + lanes) : nullptr;
        rayleigh = k.longwave() ? nullptr : work.scattering(std::size_t(L) * S + lanes);
        const std::size_t all = k.flavours.size() * std::size_t(L);
        weights =
            reinterpret_cast<Weights<T>*>(work.weights(all * (sizeof(Weights<T>) / sizeof(T))));
        rows = reinterpret_cast<Rows*>(work.rows(4 * all));
        plane = work.plane(2 * std::size_t(L));
        scalar = work.scalar(4 * std::size_t(L) + 4 * lanes);
        minor = work.minor(std::max(k.minor[0].size(), k.minor[1].size()) * std::size_t(L));
    }
    void operator()() {
        locate();
        for (int half = 0; half < 2; ++half) {
            for (std::size_t f = 0; f < k.flavours.size(); ++f)
                if (k.flavours[f].used[half]) mix(int(f), half);
            for (auto& band : k.band) {
                part ? absorb<true>(band, half) : absorb<false>(band, half);
                if (rayleigh) scatter(band, half);
            }
            absorb_minor(half);
        }
    }

private:
    using Real = Lanes8<T>;
    const KDistribution& k;
    const Column<T>& c;
    const int L, S;
    const std::size_t row;
    T *tau, *part, *rayleigh, *scalar, *minor;
    Weights<T>* weights;
    Rows* rows;
    int *plane, tropopause = 0;  // of a layer: its temperature and pressure

    T* warmth() const { return scalar; }
    T* height() const { return scalar + (L + lanes); }
    int first(int half) const { return half ? 0 : tropopause; }
    int last(int half) const { return half ? tropopause : L; }

    /// Where each layer lies in the tables; the layers above `tropopause` belong to the upper half.
    void locate() {
        T *const t = warmth(), *const p = height();
        for (int l = 0; l < L; ++l) p[l] = c.pressure[l];
        for (int l = L; l % lanes; ++l) p[l] = 1;
        for (int l = 0; l < L; l += lanes) log(Real::load(p + l)).store(p + l);
        tropopause = 0;
        while (tropopause < L && p[tropopause] <= T(k.tropopause_log_pressure)) ++tropopause;
        const T per_temperature = T(1 / k.temperature_step), per_log = T(1 / k.log_pressure_step);
        for (int l = 0; l < L; ++l) {
            const T x = std::clamp<T>((c.temperature[l] - T(k.first_temperature)) * per_temperature,
                                      0, T(k.temperatures - 1));
            const T y =
                std::clamp<T>((p[l] - T(k.first_log_pressure)) * per_log, 0, T(k.pressures - 2));
            const int at_t = std::min(int(x), k.temperatures - 2),
                      at_p = std::min(int(y), k.pressures - 3);
            plane[l] = at_t, plane[L + l] = at_p + (l < tropopause);
            t[l] = x - T(at_t), p[l] = y - T(at_p);
        }
    }

    void mix(int number, int half) {
        const auto& flavour = k.flavours[std::size_t(number)];
        const T *const t = warmth(), *const p = height();
        const T *n1 = c.amount + std::size_t(flavour.gas[0]) * L,
                *n2 = c.amount + std::size_t(flavour.gas[1]) * L;
        for (int l = first(half); l < last(half); ++l) {
            Weights<T>& w = weights[std::size_t(number) * L + l];
            Rows& r = rows[std::size_t(number) * L + l];
            for (int i = 0; i < 2; ++i) {
                const T both = n1[l] + T(flavour.ratio[half][plane[l] + i]) * n2[l];
                const T eta = both > 2 * std::numeric_limits<T>::min() ? n1[l] / both : T(0.5);
                const T x = eta * T(k.mixtures - 1);
                const int at = std::min(int(x), k.mixtures - 2);
                r.minor[i] = (plane[l] + i) * k.mixtures + at;
                r.major[i] = ((plane[l] + i) * k.pressures + plane[L + l]) * k.mixtures + at;
                const T share = x - T(at), warm = i ? t[l] : 1 - t[l];
                const T low = (1 - share) * warm, high = share * warm;
                w.minor[2 * i] = low, w.minor[2 * i + 1] = high;
                T* const f = w.fraction + 4 * i;
                f[0] = (1 - p[l]) * low, f[1] = (1 - p[l]) * high;
                f[2] = p[l] * low, f[3] = p[l] * high;
                for (int n = 0; n < 4; ++n) w.major[4 * i + n] = both * f[n];
            }
        }
    }

    /// Eight rows, weighed, for `vectors` vectors side by side.
    template <int vectors>
    void eight(const T* w, const float* cold, const float* warm, T* to) const {
        const std::size_t up = std::size_t(k.mixtures) * row;
        const std::size_t at[4] = {0, row, up, up + row};
        Real x[vectors], y[vectors];
        for (int v = 0; v < vectors; ++v) {
            x[v] = Real(w[0]) * load<T>(cold + v * lanes);
            y[v] = Real(w[4]) * load<T>(warm + v * lanes);
        }
        for (int n = 1; n < 4; ++n)
            for (int v = 0; v < vectors; ++v) {
                x[v] = multiply_add<T>(Real(w[n]), load<T>(cold + at[n] + v * lanes), x[v]);
                y[v] = multiply_add<T>(Real(w[n + 4]), load<T>(warm + at[n] + v * lanes), y[v]);
            }
        for (int v = 0; v < vectors; ++v) (x[v] + y[v]).store(to + v * lanes);
    }
    /// Four, `next` apart.
    static Real four(const T* w, const float* cold, const float* warm, std::size_t next) {
        const Real x =
            multiply_add<T>(Real(w[1]), load<T>(cold + next), Real(w[0]) * load<T>(cold));
        const Real y =
            multiply_add<T>(Real(w[3]), load<T>(warm + next), Real(w[2]) * load<T>(warm));
        return x + y;
    }

    template <bool emits> void absorb(const KDistribution::Band& band, int half) {
        const std::size_t flavour = std::size_t(band.flavour[half]) * L;
        for (int l = first(half); l < last(half); ++l) {
            const Weights<T>& w = weights[flavour + l];
            const std::size_t cold = std::size_t(rows[flavour + l].major[0]) * row,
                              warm = std::size_t(rows[flavour + l].major[1]) * row;
            const auto sum = [&]<int vectors>(std::integral_constant<int, vectors>, int g) {
                const std::size_t to = std::size_t(l) * S + g;
                eight<vectors>(w.major, &k.major[cold + g], &k.major[warm + g], tau + to);
                if constexpr (emits)
                    eight<vectors>(w.fraction, &k.fraction[cold + g], &k.fraction[warm + g],
                                   part + to);
            };
            int g = band.first;
            for (; g + lanes < band.last; g += 2 * lanes) sum(std::integral_constant<int, 2>(), g);
            if (g < band.last) sum(std::integral_constant<int, 1>(), g);
        }
    }

    /// Amounts of the minor gases of a half, each times what its table says.
    void scale(int half) {
        T *const density = scalar + 2 * (L + lanes), *const per_air = scalar + 3 * (L + lanes);
        const T* const water = c.amount + std::size_t(k.water) * L;
        for (int l = 0; l < L; ++l) {
            density[l] = T(0.01) * c.pressure[l] / c.temperature[l];
            per_air[l] = 1 / (c.amount[l] + water[l]);
        }
        T* n = minor;
        for (auto& m : k.minor[half]) {
            const T* const amount = c.amount + std::size_t(m.gas) * L;
            const T* const other = c.amount + std::size_t(m.scaling_gas) * L;
            for (int l = 0; l < L; ++l) n[l] = amount[l];
            if (m.by_density)
                for (int l = 0; l < L; ++l) n[l] *= density[l];
            if (m.by_density && m.scaling_gas > 0)
                for (int l = 0; l < L; ++l) {
                    const T share = other[l] * per_air[l];
                    n[l] *= m.by_complement ? 1 - share : share;
                }
            n += L;
        }
    }

    /// Minor gases of the same range of g points are summed before they are stored.
    void absorb_minor(int half) {
        scale(half);
        const auto& all = k.minor[half];
        const float* const table = k.minor_table[half].data();
        for (std::size_t m = 0, next; m < all.size(); m = next) {
            next = m + 1;
            while (next < all.size() && all[next].first == all[m].first &&
                   all[next].count == all[m].count)
                ++next;
            const std::size_t flavour = std::size_t(all[m].flavour) * L, count = all[m].count;
            for (int l = first(half); l < last(half); ++l) {
                const T* const w = weights[flavour + l].minor;
                const Rows& r = rows[flavour + l];
                T* const to = tau + std::size_t(l) * S + all[m].first;
                for (std::size_t g = 0; g < count; g += lanes) {
                    Real sum = Real::load(to + g);
                    for (std::size_t one = m; one < next; ++one) {
                        const T n = minor[one * L + l];
                        if (n == 0) continue;
                        const float* const at = table + all[one].at + g;
                        sum = multiply_add<T>(
                            Real(n),
                            four(w, at + r.minor[0] * count, at + r.minor[1] * count, count), sum);
                    }
                    sum.store(to + g);
                }
            }
        }
    }

    void scatter(const KDistribution::Band& band, int half) {
        const std::size_t flavour = std::size_t(band.flavour[half]) * L;
        const float* const table = k.rayleigh[half].data();
        for (int l = first(half); l < last(half); ++l) {
            const T n = c.amount[l] + c.amount[std::size_t(k.water) * L + l];
            const Rows& r = rows[flavour + l];
            for (int g = band.first; g < band.last; g += lanes)
                (Real(n) * four(weights[flavour + l].minor, table + r.minor[0] * row + g,
                                table + r.minor[1] * row + g, row))
                    .store(rayleigh + std::size_t(l) * S + g);
        }
    }
};

}  // namespace fathom::physics::rrtmgp
