/// Fluxes between air and sea from bulk formulae (Large & Yeager 2004, NCAR/TN-460; coefficients of
/// Large & Yeager 2009, Clim. Dyn. 33):
///
///   tau = rho_a C_D S (wind - current),   Q_H = rho_a c_p C_H S (theta_a - T),
///       E = rho_a C_E S (q_a - q_s),   Q_E = L_v E
///   q_s = 0.98 640380 exp(-5107.4 / T) / rho_a
///   Q   = (1 - albedo) R_short + emissivity (R_long - sigma T^4) + Q_H + Q_E
///       [W m-2], into the ocean
///   1000 C_D = 2.7 / U + 0.142 + U / 13.09 - 3.14807e-10 U^6 (2.34 from 33 m s-1),
///       1000 C_E = 34.6 sqrt(C_D),
///   1000 C_H = 18 sqrt(C_D) stable, 32.7 sqrt(C_D) unstable:
///       neutral, at 10 m; shifted to the heights and the stability of the data.
///
/// S is the speed of the wind relative to the current. With time-mean data, `wind_speed` is the
/// mean of the speed, more than the speed of the mean wind, and S^2 = wind_speed^2 - 2 wind .
/// current + current^2 holds for the means of the squares.
///
/// Frazil ice (FreezingLimit) insulates: conduction through ice, k / h, is in series with the
/// exchange at the surface, so that cooling is divided by 1 + h / insulation. Heating melts the
/// ice, and is not reduced.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/sea_ice/ice.hpp"
#include "physics/sea_surface/stability.hpp"

namespace fathom::physics {

/// The air above the sea, in the constants of the formulae.
namespace sea_air {
inline constexpr double heat_capacity = constants::bulk_heat_capacity;
inline constexpr double evaporation_heat = constants::bulk_evaporation_heat;
inline constexpr double vapour = 0.608;                            ///< [1]
inline constexpr double albedo = 0.066;                            ///< of the sea [1]
inline constexpr double saturation = 5107.4;                       ///< [K]
inline constexpr double warmer_sea = 32.7e-3, moisture = 34.6e-3;  ///< C_H, C_E over sqrt(C_D)
template <class Real> constexpr Real density(Real pressure, Real air, Real humid) {
    return pressure / (constants::bulk_gas_constant * (air * humid));
}
template <class Real> constexpr Real saturated(Real T, Real density) {
    return 0.98 * 640380 * exp(-saturation / T) / density;
}
}  // namespace sea_air

struct BulkForcing {
    double wind_height = 10, air_height = 10, albedo = sea_air::albedo, emissivity = 1,
           least_wind = 0.5, iterations = 3, insulation = 0.05;

    static constexpr std::string_view summary =
        "Wind stress, heat and freshwater flux from the state of the air (Large & Yeager 2009)";
    static constexpr std::tuple parameters{
        Parameter{"wind_height", &BulkForcing::wind_height, "m", 1, 100, "height of the wind data"},
        Parameter{"air_height", &BulkForcing::air_height, "m", 1, 100,
                  "height of the temperature and humidity data"},
        Parameter{"albedo", &BulkForcing::albedo, "1", 0, 1,
                  "share of the short wave that the sea reflects"},
        Parameter{"emissivity", &BulkForcing::emissivity, "1", 0, 1,
                  "long-wave emissivity of the sea"},
        Parameter{"least_wind", &BulkForcing::least_wind, "m s-1", 0.1, 10,
                  "gustiness: least speed of the relative wind"},
        Parameter{"iterations", &BulkForcing::iterations, "1", 0, 20,
                  "number of iterations towards the stability of the air"},
        Parameter{"insulation", &BulkForcing::insulation, "m", 1e-3, 1e6,
                  "thickness of frazil ice that halves the cooling"}};

    /// sqrt(C_D) at 10 m in neutral air, from the wind there.
    template <class Real> static constexpr Real neutral_drag_root(Real U) {
        const Real square = U * U;
        return sqrt(1e-3 * select(U < 33,
                                  2.7 / U + fma(U, 1 / 13.09, 0.142) -
                                      3.14807e-10 * (square * square * square),
                                  2.34));
    }

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_column, "m s-1"> eastward_wind,
        Reads<Real, "northward_wind", place::center_column, "m s-1"> northward_wind,
        Reads<Real, "wind_speed", place::center_column, "m s-1"> wind_speed,
        Reads<Real, "air_temperature", place::center_column, "degC"> air_temperature,
        Reads<Real, "specific_humidity", place::center_column, "kg kg-1"> specific_humidity,
        Reads<Real, "air_pressure", place::center_column, "Pa"> air_pressure,
        Reads<Real, "downward_shortwave_flux", place::center_column, "W m-2"> shortwave,
        Reads<Real, "downward_longwave_flux", place::center_column, "W m-2"> longwave,
        Reads<Real, "precipitation_flux", place::center_column, "kg m-2 s-1"> precipitation,
        Reads<Real, "surface_current_eastward", place::center_column, "m s-1"> current_east,
        Reads<Real, "surface_current_northward", place::center_column, "m s-1"> current_north,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "frazil_heat", place::center_column, "J m-2"> frazil_heat,
        Writes<Real, "surface_heat_flux", place::center_column, "W m-2"> heat_flux,
        Writes<Real, "surface_shortwave_flux", place::center_column, "W m-2"> shortwave_flux,
        Writes<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> freshwater_flux,
        Writes<Real, "stress_eastward", place::center_column, "N m-2"> stress_east,
        Writes<Real, "stress_northward", place::center_column, "N m-2"> stress_north) const {
        using sea_air::vapour;
        constexpr double karman = 0.4, lapse = 0.0098;
        const Real T = temperature[0] + constants::celsius,
                   air = air_temperature[0] + constants::celsius, q = specific_humidity[0];
        const Real theta = air + lapse * air_height, humid = 1 + vapour * q;
        const Real density = sea_air::density(Real(air_pressure[0]), air, humid),
                   saturated = sea_air::saturated(T, density);

        const Real wind_E = eastward_wind[0], wind_N = northward_wind[0], speed = wind_speed[0],
                   current_E = current_east[0], current_N = current_north[0];
        const Real square = speed * speed - 2 * (wind_E * current_E + wind_N * current_N) +
                            (current_E * current_E + current_N * current_N);
        const Real S = sqrt(larger(square, least_wind * least_wind));

        // u* = root S, theta* = H (theta_a - T), q* = E (q_a - q_s): H = C_H / sqrt(C_D) is
        // constant in neutral air; with stability it becomes H / (1 + H shift). First guess:
        // neutral, all data at the height of the wind.
        const auto neutral_heat = [](Real zeta) {
            return select(zeta > 0, 18e-3, Real(sea_air::warmer_sea));
        };
        constexpr double neutral_moisture = sea_air::moisture;
        Real theta_at_wind = theta, q_at_wind = q;
        Real neutral_root = neutral_drag_root(S), root = neutral_root,
             H = neutral_heat(theta * humid - T * (1 + vapour * saturated)), E = neutral_moisture;
        const double wind_log = std::log(wind_height / 10),
                     between = std::log(air_height / wind_height);
        const bool same_height = air_height == wind_height;
        for (int n = 0; n < int(iterations); ++n) {
            const Real warm = H * (theta_at_wind - T), moist = E * (q_at_wind - saturated),
                       friction = root * S, moistened = 1 + vapour * q_at_wind;
            const Real inverse_length = karman * constants::gravity *
                                        fma(warm, moistened, vapour * moist * theta_at_wind) /
                                        (friction * friction * moistened * theta_at_wind);
            const Stability<Real> at_wind(wind_height * inverse_length);
            if (!same_height) {
                const Real shift =
                    (between + at_wind.heat - Stability<Real>(air_height * inverse_length).heat) *
                    (1 / karman);
                theta_at_wind = theta - warm * shift;
                q_at_wind = q - moist * shift;
            }
            const Real for_momentum = (wind_log - at_wind.momentum) * (1 / karman),
                       for_heat = (wind_log - at_wind.heat) * (1 / karman);
            neutral_root =
                neutral_drag_root(larger(S / fma(neutral_root, for_momentum, 1), least_wind));
            root = neutral_root / fma(neutral_root, for_momentum, 1);
            const Real heat = neutral_heat(inverse_length), less_heat = fma(heat, for_heat, 1),
                       less_moisture = fma(Real(neutral_moisture), for_heat, 1);
            const Real inverse = 1 / (less_heat * less_moisture);
            H = heat * (less_moisture * inverse);
            E = neutral_moisture * (less_heat * inverse);
        }

        const Real flow = density * S * root,
                   evaporation =
                       flow * E * (q_at_wind - saturated);  // negative: the sea loses water
        const Real sun = (1 - albedo) * shortwave[0];
        const Real open =
            sun + emissivity * (longwave[0] - constants::stefan_boltzmann * (T * T) * (T * T)) +
            sea_air::heat_capacity * flow * H * (theta_at_wind - T) +
            sea_air::evaporation_heat * evaporation;
        heat_flux[0] =
            select(open < 0, open / (1 + ice_thickness(frazil_heat[0]) * (1 / insulation)), open);
        shortwave_flux[0] = sun;  // part of the heat flux
        freshwater_flux[0] = precipitation[0] + evaporation;
        stress_east[0] = flow * root * (wind_E - current_E);
        stress_north[0] = flow * root * (wind_N - current_N);
    }
};

}  // namespace fathom::physics
