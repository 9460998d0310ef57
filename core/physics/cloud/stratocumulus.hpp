/// Stratocumulus over the open sea, in the layer below the strongest inversion under 700 hPa, by
/// the estimated strength of the inversion (Wood & Bretherton 2006, J. Climate 19, 6425-6432):
///
///   c = 0.06 K-1 EIS + 0.14 min(1, EIS / 1 K) in [0, 1],
///   EIS = theta_700 - theta - Gamma (z_700 - z_LCL) >= 0
///   Gamma = g / c_p [1 - (1 + L q_s / (R_d T)) / (1 + L^2 q_s / (c_p R_v T^2))]  at 850 hPa and
///       the mean T of the lowest layer and 700 hPa
///   z_LCL = (20 + t / 5) 100 (1 - q / q_s) m,   t [degC]   (Lawrence 2005, Bull. Am. Meteorol.
///       Soc. 86, 225-233)
///
/// theta, t, q are those of the lowest layer. The relation is that of months over all kinds of sea;
/// without an inversion there is none of this cloud.
#pragma once
#include "base/any.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct LayerOfAir {
    Real theta, T, p, z;
};

/// Its share of the sky, and its layer (-1: none).
template <class Real> struct Stratocumulus {
    Real cover, layer;

    /// Its share in layer k.
    constexpr Real in(int k) const {
        return select((layer > k - 0.5) & (layer < k + 0.5), cover, Real(0));
    }
    /// above(k): a LayerOfAir, the lowest last; humidity of the lowest.
    template <class Layer>
    constexpr Stratocumulus(const Layer& above, int levels, Real humidity, Real open_sea)
        : cover(0), layer(-1) {
        using namespace constants;
        constexpr double level = 7e4;
        const auto lowest = above(levels - 1);
        auto now = lowest;
        Real theta_700 = lowest.theta, T_700 = lowest.T, z_700 = lowest.z, strongest = 0;
        for (int k = levels - 2; k >= 0; --k) {
            const auto next = above(k);
            const auto under = now.p > level, crosses = under & (next.p <= level);
            const Real part = (now.p - level) / (now.p - next.p);
            theta_700 = select(crosses, fma(part, next.theta - now.theta, now.theta), theta_700);
            T_700 = select(crosses, fma(part, next.T - now.T, now.T), T_700);
            z_700 = select(crosses, fma(part, next.z - now.z, now.z), z_700);
            const Real rise = (next.theta - now.theta) / (now.p - next.p);
            const auto stronger = under & (rise > strongest);
            strongest = select(stronger, rise, strongest);
            layer = select(stronger, Real(k + 1), layer);
            now = next;
            if (!any(next.p > level)) break;
        }
        const Real T = 0.5 * (lowest.T + T_700), q_s = Saturation<Real>(T, Real(8.5e4)).humidity,
                   per_T = 1 / T;
        const Real moist = (gravity / dry_air_heat_capacity) *
                           (1 - (1 + (evaporation_heat / dry_air_gas_constant) * q_s * per_T) /
                                    (1 + (evaporation_heat * evaporation_heat /
                                          dry_air_heat_capacity / water_vapour_gas_constant) *
                                             q_s * per_T * per_T));
        const Real dry = 1 - humidity / Saturation<Real>(lowest.T, lowest.p).humidity,
                   condenses = (2000 + 20 * (lowest.T - celsius)) * larger(dry, Real(0));
        const Real strength =
            larger(theta_700 - lowest.theta - moist * (z_700 - lowest.z - condenses), Real(0));
        cover = open_sea * smaller(fma(strength, 0.06, 0.14 * smaller(strength, Real(1))), Real(1));
    }
};

}  // namespace fathom::physics
