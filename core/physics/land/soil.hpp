/// Four layers of soil: their properties, heat and water.
///
///   thickness 7, 21, 72, 189 cm (Balsamo et al. 2009, J. Hydrometeor. 10, 623-643)
///   s = liquid water / (1000 d theta_s),   psi = -psi_s s^-b,   K = K_s s^(2 b + 3),
///       D = K dpsi/dtheta = b K_s psi_s / theta_s s^(b + 2)   (Clapp & Hornberger 1978, loam)
///   evaporation from layer k ~ v roots_k r_k + (1 - v) r_1^2 [k = 1],   r: available water, from 0
///       at the wilting point to 1 at field capacity (bare ground: Chen & Dudhia 2001, Mon. Wea.
///       Rev. 129, 569-585)
///   roots: 1 - 0.966^depth in cm (Jackson et al. 1996, Oecologia 108, 389-411)
///   lambda = lambda_dry + Ke (lambda_saturated - lambda_dry),   Ke = 1 + log10 max(0.1, w),
///       w = W / (1000 d theta_s)   (Peters-Lidard et al. 1998, J. Atmos. Sci. 55, 1209-1224)
///   h = C (T - T_m) - L_f f W,   f = (T_m - T) / 3 K within [0, 1]: share of the water that is ice
///
/// Water freezes over a range of temperatures (Viterbo et al. 1999, Q. J. R. Meteorol. Soc. 125,
/// 2401-2426); f is linear, so that T(h) is piecewise linear, with three pieces, and heat closes.
/// The heat of liquid water is not counted, nor that of rain.
#pragma once
#include <array>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/table.hpp"
#include "field/process.hpp"

namespace fathom::physics {

namespace soil {
inline constexpr int layers = 4;
using thickness = Table<std::array{0.07, 0.21, 0.72, 1.89}>;      // [m]
using roots = Table<std::array{0.2150, 0.4050, 0.3484, 0.0316}>;  // shares
inline constexpr double saturation = 0.451, exponent = 5.39, suction = 0.478,
                        conductivity = 6.95e-6;  // theta_s [1], b, psi_s [m], K_s [m s-1]
inline constexpr double wilting = 0.155, field_capacity = 0.314;  // theta at -15 and -0.33 bar
inline constexpr double solid_capacity = 2.19e6;                  // of soil and water [J m-3 K-1]
inline constexpr double melting = constants::celsius, freezing_range = 3;  // [K]

template <class Real> using Profile = std::array<Real, layers>;

/// The largest water content of layer k [kg m-2].
constexpr double room(int k) {
    return constants::fresh_water_density * thickness::at(k) * saturation;
}
constexpr double capacity(int k) { return solid_capacity * thickness::at(k); }  // [J m-2 K-1]

template <class Real> constexpr Real frozen_share(Real T) {
    return smaller(larger((melting - T) * (1 / freezing_range), 0), 1);
}
template <class Real> constexpr Real heat(int k, Real T, Real water) {
    return capacity(k) * (T - melting) - constants::fusion_heat * frozen_share(T) * water;
}
/// The temperature of layer k with heat h: the inverse of `heat`.
template <class Real> constexpr Real temperature(int k, Real h, Real water) {
    const Real ice = constants::fusion_heat * water;
    const Real freezing = h / (capacity(k) + ice * (1 / freezing_range)),
               frozen = (h + ice) * (1 / capacity(k));
    return melting + select(h > 0, h * (1 / capacity(k)),
                            select(freezing > -freezing_range, freezing, frozen));
}
/// dh/dT
template <class Real> constexpr Real inertia(int k, Real T, Real water) {
    const Real f = frozen_share(T), ice = water * (constants::fusion_heat / freezing_range);
    return capacity(k) + select(f > 0, select(f < 1, ice, 0), 0);
}
/// lambda [W m-1 K-1]
template <class Real> constexpr Real heat_conductivity(int k, Real T, Real water) {
    constexpr double dry = 0.19, wet = 1.52922,
                     ln_ice = 0.60911;  // 3.44^(1 - theta_s) 0.57^theta_s; theta_s ln(2.2 / 0.57)
    const Real kersten = 1 + 0.4342944819 * log(larger(water * (1 / room(k)), 0.1));
    return dry + smaller(kersten, 1) * (wet * exp(ln_ice * frozen_share(T)) - dry);
}
/// s, not below 0.01
template <class Real> constexpr Real liquid(int k, Real T, Real water) {
    return larger(smaller((1 - frozen_share(T)) * water * (1 / room(k)), 1), 0.01);
}
/// (theta - theta_wilt) / (theta_field - theta_wilt) of the liquid water, within [0, 1].
template <class Real> constexpr Real available(int k, Real T, Real water) {
    constexpr double range = field_capacity - wilting;
    const Real theta =
        (1 - frozen_share(T)) * water * (1 / (constants::fresh_water_density * thickness::at(k)));
    return smaller(larger((theta - wilting) * (1 / range), 0), 1);
}
/// Evaporation that layer k allows where v of the ground has plants: their roots in proportion to
/// the water, bare ground by the square of that of the first layer.
template <class Real> constexpr Real given(int k, Real available, Real v) {
    const Real drawn = v * (roots::at(k) * available);
    return k > 0 ? drawn : fma(1 - v, available * available, drawn);
}
}  // namespace soil

template <class Real> struct SoilState {
    Reads<Real, "soil_temperature_1", place::center_column, "K"> temperature_1;
    Reads<Real, "soil_temperature_2", place::center_column, "K"> temperature_2;
    Reads<Real, "soil_temperature_3", place::center_column, "K"> temperature_3;
    Reads<Real, "soil_temperature_4", place::center_column, "K"> temperature_4;
    Reads<Real, "soil_water_1", place::center_column, "kg m-2"> water_1;
    Reads<Real, "soil_water_2", place::center_column, "kg m-2"> water_2;
    Reads<Real, "soil_water_3", place::center_column, "kg m-2"> water_3;
    Reads<Real, "soil_water_4", place::center_column, "kg m-2"> water_4;
};
template <class Real> struct SoilUpdate {
    Updates<Real, "soil_temperature_1", place::center_column, "K"> temperature_1;
    Updates<Real, "soil_temperature_2", place::center_column, "K"> temperature_2;
    Updates<Real, "soil_temperature_3", place::center_column, "K"> temperature_3;
    Updates<Real, "soil_temperature_4", place::center_column, "K"> temperature_4;
    Updates<Real, "soil_water_1", place::center_column, "kg m-2"> water_1;
    Updates<Real, "soil_water_2", place::center_column, "kg m-2"> water_2;
    Updates<Real, "soil_water_3", place::center_column, "kg m-2"> water_3;
    Updates<Real, "soil_water_4", place::center_column, "kg m-2"> water_4;
};

/// Temperature and water of the layers, for both.
template <class Real> constexpr soil::Profile<Real> temperatures(const auto& s) {
    return {Real(s.temperature_1[0]), Real(s.temperature_2[0]), Real(s.temperature_3[0]),
            Real(s.temperature_4[0])};
}
template <class Real> constexpr soil::Profile<Real> waters(const auto& s) {
    return {Real(s.water_1[0]), Real(s.water_2[0]), Real(s.water_3[0]), Real(s.water_4[0])};
}
/// Computed from heat and water of the layers.
template <class Real>
constexpr void put(const SoilUpdate<Real>& state, const soil::Profile<Real>& h,
                   const soil::Profile<Real>& W) {
    state.temperature_1[0] = soil::temperature(0, h[0], W[0]);
    state.temperature_2[0] = soil::temperature(1, h[1], W[1]);
    state.temperature_3[0] = soil::temperature(2, h[2], W[2]);
    state.temperature_4[0] = soil::temperature(3, h[3], W[3]);
    state.water_1[0] = W[0];
    state.water_2[0] = W[1];
    state.water_3[0] = W[2];
    state.water_4[0] = W[3];
}

}  // namespace fathom::physics
