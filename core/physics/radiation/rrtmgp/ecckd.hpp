/// Optical depth of the gases by tables of ecCKD (Hogan & Matricardi 2022, J. Adv. Model. Earth
/// Syst. 14, e2022MS003033): far fewer g points, and each gas by itself.
///
///   tau = sum over gases, 2 T, 2 p of w (n - r n_air) k + n_water sum over 2 x, 2 T, 2 p of w k,
///       at least 0
///   n_air = dp / (g M_d);   r the mole fraction that the table of air has already, or 0;
///   x = n_water / n_air, even in its logarithm; p likewise; T even from the first one at p
///   Rayleigh = n_air k
///
/// The Planck function is tabulated by g, so that all of it belongs to each.
#pragma once
#include <algorithm>
#include <cmath>
#include "base/elementary.hpp"
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

template <class T> class EcCKD {
public:
    EcCKD(const KDistribution& k, const Column<T>& c, const Work<T>& work)
        : k(k), c(c), L(c.layers), S(stride(k)), count(k.absorber.size()) {
        tau = work.absorption, amount = work.scalar;
        part = k.longwave() ? work.fraction : nullptr;
        rayleigh = k.longwave() ? nullptr : work.scattering;
    }
    void operator()() {
        if (part) std::fill(part, part + std::size_t(L) * S + lanes, 1.0f);
        for (int l = 0; l < L; ++l) {
            const Place at = place(l);
            for (std::size_t a = 0; a < count; ++a)
                amount[a] =
                    mole(k.absorber[a].gas, l, at.air) - T(k.absorber[a].reference) * at.air;
            for (int g = 0; g < k.row; g += lanes) absorb(at, g).store(tau + l * S + g);
            for (int g = 0; rayleigh && g < k.row; g += lanes)
                (load(&k.rayleigh[0][std::size_t(g)]) * at.air).store(rayleigh + l * S + g);
        }
    }

private:
    using Real = Wide<T, lanes>;
    const KDistribution& k;
    const Column<T>& c;
    const int L, S;
    const std::size_t count;
    T *tau, *rayleigh, *amount;
    float* part;
    /// Of a layer: the four nodes of temperature and pressure, the mole fraction of water below.
    struct Place {
        std::size_t node[4], below;
        T weight[4], above, air, water;
    };

    static Real load(const float* at) { return widen<T>(Pack<float, lanes>::load(at)); }
    T mole(int gas, int l, T air) const { return gas ? c.amount[std::size_t(gas * L + l)] : air; }
    /// The node below x in a table of so many, and how far beyond it.
    static int between(T x, int nodes, T& share) {
        const T inside = std::clamp<T>(x, 0, T(nodes - 1));
        const int node = std::min(int(inside), nodes - 2);
        share = inside - T(node);
        return node;
    }
    Place place(int l) const {
        Place at;
        at.water = c.amount[std::size_t(k.water * L + l)];
        at.air = c.amount[std::size_t(l)] + T(0.018016 / 0.028964) * at.water;
        T high, warm;
        const int p = between(
            (std::log(c.pressure[l]) - T(k.first_log_pressure)) * T(1 / k.log_pressure_step),
            k.pressures, high);
        const T first =
            T(k.coldest[std::size_t(p)]) * (1 - high) + T(k.coldest[std::size_t(p + 1)]) * high;
        const int t =
            between((c.temperature[l] - first) * T(1 / k.temperature_step), k.temperatures, warm);
        for (int n = 0; n < 4; ++n) {
            at.node[n] = std::size_t((t + n / 2) * k.pressures + p + n % 2);
            at.weight[n] = (n / 2 ? warm : 1 - warm) * (n % 2 ? high : 1 - high);
        }
        const T least = std::exp(T(k.first_log_mixture)),
                x = std::log(std::max(at.water / at.air, least));
        at.below = std::size_t(between((x - T(k.first_log_mixture)) * T(1 / k.log_mixture_step),
                                       k.mixtures, at.above));
        return at;
    }
    Real absorb(const Place& at, int g) const {
        const std::size_t row = std::size_t(k.row),
                          next = std::size_t(k.temperatures * k.pressures) * row;
        Real sum = 0, wet = 0;
        for (int n = 0; n < 4; ++n) {
            const float* const gases = &k.major[at.node[n] * count * row + std::size_t(g)];
            Real here = 0;
            for (std::size_t a = 0; a < count; ++a)
                here = multiply_add(Real(amount[a]), load(gases + a * row), here);
            sum = multiply_add(Real(at.weight[n]), here, sum);
            const float* const water =
                &k.water_table[at.below * next + at.node[n] * row + std::size_t(g)];
            const Real low = load(water);
            wet = multiply_add(Real(at.weight[n]),
                               multiply_add(Real(at.above), load(water + next) - low, low), wet);
        }
        return larger(multiply_add(Real(at.water), wet, sum), Real(0));
    }
};

}  // namespace fathom::physics::rrtmgp
