/// Saturation of moist air (Tetens 1930; Murray 1967, J. Appl. Meteor. 6, 203-204), over water
/// above the triple point, over ice below:
///
///   e_s = 610.78 exp(a (T - 273.16) / (T - b)),   water a = 17.2693882, b = 35.86;
///       ice a = 21.8745584, b = 7.66     [Pa]
///   q_s = epsilon e_s / (p - (1 - epsilon) e_s),
///       dq_s/dT = q_s p / (p - (1 - epsilon) e_s) a (273.16 - b) / (T - b)^2
///
/// Between the triple point and 23 K below it condensate is a mixture of both, w of it liquid
/// (Tiedtke 1993, Mon. Wea. Rev. 121, 3040-3061):
///
///   w = ((T - 250.16) / 23)^2,   q_s = w q_water + (1 - w) q_ice,   L = L_v + (1 - w) L_f
///
/// q_s is at most epsilon: where water would boil, in the warm and thin air above the stratosphere,
/// it is no limit. Latent heats are constants: h = c_p T + phi + L_v q - L_f q_frozen is conserved
/// by columns, with q vapour and q_frozen all ice.
#pragma once
#include "base/brief.hpp"
#include "base/constants.hpp"
#include "base/pack.hpp"

namespace fathom::physics {

inline constexpr double molar_ratio =
    constants::dry_air_gas_constant / constants::water_vapour_gas_constant;  // epsilon
inline constexpr double virtual_factor = 1 / molar_ratio - 1;  // T_v = T (1 + 0.608 q)
inline constexpr double latent_warming =
    constants::evaporation_heat / constants::dry_air_heat_capacity;  // L / c_p [K]

inline constexpr double latent_freezing =
    constants::fusion_heat / constants::dry_air_heat_capacity;  // L_f / c_p [K]

template <class Real> struct Saturation {
    Real humidity, slope,
        bend;  // q_s [kg kg-1], dq_s/dT [K-1], d2q_s/dT2 [K-2] within a few per cent
    constexpr Saturation(Real T, Real p)
        : Saturation(T, p, select(T > constants::triple_point, 17.2693882, Real(21.8745584)),
                     select(T > constants::triple_point, 35.86, Real(7.66))) {}
    static constexpr Saturation over_water(Real T, Real p) {
        return {T, p, Real(17.2693882), Real(35.86)};
    }
    static constexpr Saturation over_ice(Real T, Real p) {
        return {T, p, Real(21.8745584), Real(7.66)};
    }
    constexpr Saturation(Real T, Real p, Real a, Real b) {
        T = smaller(larger(T, 100), 400);
        const Real inverse = 1 / (T - b),
                   vapour = 610.78 * brief_exp(a * (T - constants::triple_point) * inverse);
        const Real rest = larger(p - (1 - molar_ratio) * vapour, vapour), per_rest = 1 / rest;
        const Real growth =
            (p * per_rest) * (a * (constants::triple_point - b) * inverse * inverse);
        humidity = molar_ratio * vapour * per_rest;
        slope = humidity * growth;
        bend = slope * (growth - 2 * inverse);
    }
};

inline constexpr double usual_all_ice = 250.16;  ///< T_ice [K] (Tiedtke 1993)

/// For partly liquid condensate: the liquid share w, [(T - T_ice) / (273.16 K - T_ice)]^2, q_s, and
/// their derivatives with T. kept: of a share `old` from before.
template <class Real> struct MixedSaturation {
    Real liquid, liquid_slope, humidity, slope;
    constexpr MixedSaturation(Real T, Real p, double all_ice, Real old = 0, Real kept = 0) {
        const double per_range = 1 / (constants::triple_point - all_ice);
        const Real x = smaller(larger((T - all_ice) * per_range, Real(0)), Real(1));
        const auto water = Saturation<Real>::over_water(T, p),
                   ice = Saturation<Real>::over_ice(T, p);
        const Real apart = water.humidity - ice.humidity;
        liquid = fma(kept, old, (1 - kept) * (x * x));
        liquid_slope = (1 - kept) * select(x < 1, 2 * per_range * x, Real(0));
        humidity = fma(liquid, apart, ice.humidity);
        slope = fma(liquid, water.slope - ice.slope, ice.slope) + liquid_slope * apart;
    }
};

}  // namespace fathom::physics
