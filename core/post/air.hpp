/// Columns of air: hydrostatics, and the assumed values below the ground. Level first; k = 0 is the
/// top.
///
/// Layers (Simmons & Burridge 1981), with interfaces p_{k-1/2} = a + b p_s:
///   l_k = ln(p_{k+1/2} / p_{k-1/2}),  alpha_k = 1 - p_{k-1/2} l_k / dp_k
///       (ln 2 where p_{k-1/2} = 0)
///   phi_{k-1/2} = phi_{k+1/2} + R T_v l_k,    phi_k = phi_{k+1/2} + alpha_k R T_v,
///       ln p_k = ln p_{k+1/2} - alpha_k
///
/// Below the ground (Yessad 2023, FULL-POS in ARPEGE/IFS), with y = ln(p / p_s), Gamma the standard
/// lapse rate, alpha = R Gamma / g, T_* the temperature of the ground extrapolated from the lowest
/// layer L, T_0 = T_* + Gamma phi_s / g that of the sea level:
///   T_* = T_L (1 + alpha (p_s / p_L - 1))
///   phi = phi_s - R T_* y (1 + alpha y / 2 (1 + alpha y / 3))
///   T = T_* (1 + alpha y (1 + alpha y / 2 (1 + alpha y / 3)))
///   p_sea = p_s exp(h (1 - x / 2 + x^2 / 3)),    h = phi_s / (R T_*),  x = alpha h
/// where T_0 would exceed 290.5 K, alpha is the value that makes it 290.5 K (0 if T_* is warmer:
/// T_* becomes its mean with 290.5); where T_* is below 255 K, T_* becomes its mean with 255. For T
/// itself the limit of T_0 is 298 K, over mountains only: from 2000 m on in part, from 2500 m on in
/// full.
///
/// Moist air: T_v = T (1 + (1 / eps - 1) q), q = eps e / (p - (1 - eps) e), e = r e_s(T), eps = R /
/// R_v; e_s over water from 0 degC on (Bolton 1980) and over ice below -20 degC (Buck 1981),
/// linear between; where vapour alone would exceed the pressure e_s is limited to half of it.
#pragma once
#include <numbers>
#include "base/constants.hpp"
#include "base/elementary.hpp"

namespace fathom::post {

using constants::lapse_rate, constants::standard_gravity;
inline constexpr double R = constants::dry_air_gas_constant;
inline constexpr double eps = R / constants::water_vapour_gas_constant;
inline constexpr double exponent = R * lapse_rate / standard_gravity;  ///< T ~ p^exponent

template <class Real> constexpr Real virtual_temperature(Real T, Real q) {
    return T * (1 + (1 / eps - 1) * q);
}

template <class Real> constexpr Real saturation_pressure_over_water(Real T) {
    return 611.2 * exp(17.67 * (T - constants::celsius) / (T - 29.65));
}

template <class Real> constexpr Real saturation_pressure(Real T) {
    const Real water = saturation_pressure_over_water(T),
               ice = 611.15 * exp(22.452 * (T - constants::triple_point) / (T - 0.6)),
               liquid = smaller(larger((T - 253.16) / (constants::triple_point - 253.16), Real(0)),
                                Real(1));
    return liquid * water + (1 - liquid) * ice;
}

template <class Real> constexpr Real vapour_pressure(Real q, Real p) {
    return p * q / (eps + (1 - eps) * q);
}

template <class Real> constexpr Real relative_humidity(Real q, Real T, Real p) {
    return vapour_pressure(q, p) / smaller(saturation_pressure(T), 0.5 * p);
}

template <class Real> constexpr Real specific_humidity(Real r, Real T, Real p) {
    const Real e = r * smaller(saturation_pressure(T), 0.5 * p);
    return eps * e / (p - (1 - eps) * e);
}

/// alpha of a layer whose interfaces differ by l in ln p.
template <class Real> constexpr Real to_middle(Real upper, Real lower, Real l) {
    return 1 - upper * l / (lower - upper);
}

/// Interfaces of hybrid levels: p_{k-1/2}, and whether it is the top of the atmosphere.
template <class Real> struct HybridInterfaces {
    const double *a, *b;
    Real surface_pressure;
    constexpr Real operator[](int k) const { return a[k] + b[k] * surface_pressure; }
    constexpr bool empty(int k) const { return a[k] == 0 && b[k] == 0; }
};

/// From the ground up: take(k, ln p_k, phi_k) of each layer between interfaces;
/// virtual_temperature[k] is its T_v.
template <class Real, class Interfaces, class Temperature, class Take>
constexpr void hydrostatics(const Interfaces& interfaces, int layers, Real surface_geopotential,
                            const Temperature& virtual_temperature, const Take& take) {
    Real lower = interfaces[layers], logarithm = log(lower), geopotential = surface_geopotential;
    for (int k = layers - 1; k >= 0; --k) {
        const Real RT = R * virtual_temperature[k];
        if (interfaces.empty(k)) {
            const double alpha = std::numbers::ln2;
            take(k, logarithm - alpha, geopotential + alpha * RT);
            return;  // the top of the atmosphere
        }
        const Real upper = interfaces[k], above = log(upper), l = logarithm - above,
                   alpha = to_middle(upper, lower, l);
        take(k, logarithm - alpha, geopotential + alpha * RT);
        geopotential += l * RT;
        lower = upper, logarithm = above;
    }
}

/// T_* from the temperature of the lowest layer and its pressure.
template <class Real> constexpr Real ground_temperature(Real T, Real surface_pressure, Real p) {
    return T * (1 + exponent * (surface_pressure / p - 1));
}

/// T_* and alpha within the limits of warm and cold ground.
template <class Real> struct Ground {
    Real T, alpha;

    constexpr Ground(Real ground, Real surface_geopotential) {
        const double warm = 290.5, cold = 255;
        const Real sea = ground + lapse_rate / standard_gravity * surface_geopotential,
                   raised =
                       select(abs(surface_geopotential) > Real(1), surface_geopotential, Real(1)),
                   up_to_limit = select(ground > Real(warm), Real(0), R * (warm - ground) / raised);
        alpha = select(sea > Real(warm), up_to_limit, Real(exponent));
        const Real from_cold = select(ground < Real(cold), 0.5 * (cold + ground), ground),
                   from_warm = select(ground > Real(warm), 0.5 * (warm + ground), from_cold);
        T = select(sea > Real(warm), from_warm, from_cold);
    }
};

/// phi below the ground; y = ln(p / p_s).
template <class Real>
constexpr Real geopotential_below(Real surface_geopotential, const Ground<Real>& ground, Real y) {
    const Real z = ground.alpha * y;
    return surface_geopotential - R * ground.T * y * (1 + z / 2 * (1 + z / 3));
}

/// T below the ground.
template <class Real>
constexpr Real temperature_below(Real ground, Real surface_geopotential, Real y) {
    const Real height = surface_geopotential / standard_gravity, sea = ground + lapse_rate * height,
               limited = smaller(sea, Real(298)),
               in_part = 0.002 * ((2500 - height) * sea + (height - 2000) * limited),
               reached =
                   select(height > Real(2500), limited, select(height > Real(2000), in_part, sea)),
               steep = select(height > Real(2000),
                              larger(reached - ground, Real(0)) / larger(height, Real(1)),
                              Real(lapse_rate)),
               z = R / standard_gravity * steep * y;
    return ground * (1 + z * (1 + z / 2 * (1 + z / 3)));
}

template <class Real>
constexpr Real mean_sea_level_pressure(Real surface_pressure, Real surface_geopotential,
                                       Real ground) {
    const Ground<Real> limited(ground, surface_geopotential);
    const Real h = surface_geopotential / (R * limited.T), x = limited.alpha * h;
    return surface_pressure * exp(h * (1 - x / 2 + x * x / 3));
}

}  // namespace fathom::post
