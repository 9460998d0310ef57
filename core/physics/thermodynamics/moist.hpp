/// Saturation of moist air (Tetens 1930; Murray 1967, J. Appl. Meteor. 6, 203-204), over water
/// above the triple point, over ice below:
///
///   e_s = 610.78 exp(a (T - 273.16) / (T - b)),   water a = 17.2693882, b = 35.86;
///       ice a = 21.8745584, b = 7.66     [Pa]
///   q_s = epsilon e_s / (p - (1 - epsilon) e_s),
///       dq_s/dT = q_s p / (p - (1 - epsilon) e_s) a (273.16 - b) / (T - b)^2
///
/// q_s is at most epsilon: where water would boil, in the warm and thin air above the stratosphere,
/// it bounds nothing. The latent heat is one number: h = c_p T + phi + L q is what columns
/// conserve.
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

template <class Real> struct Saturation {
    Real humidity, slope,
        bend;  // q_s [kg kg-1], dq_s/dT [K-1], d2q_s/dT2 [K-2] but for a few per cent
    constexpr Saturation(Real T, Real p) {
        T = smaller(larger(T, 100), 400);
        const auto warm = T > 273.16;
        const Real a = select(warm, 17.2693882, Real(21.8745584)),
                   b = select(warm, 35.86, Real(7.66));
        const Real inverse = 1 / (T - b), vapour = 610.78 * brief_exp(a * (T - 273.16) * inverse);
        const Real rest = larger(p - (1 - molar_ratio) * vapour, vapour), per_rest = 1 / rest;
        const Real growth = (p * per_rest) * (a * (273.16 - b) * inverse * inverse);
        humidity = molar_ratio * vapour * per_rest;
        slope = humidity * growth;
        bend = slope * (growth - 2 * inverse);
    }
};

}  // namespace fathom::physics
