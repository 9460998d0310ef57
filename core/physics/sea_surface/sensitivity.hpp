/// Slope of the heat flux of the bulk formulae (bulk.hpp) in the temperature of the sea, at the
/// observed one T (Barnier, Siefridt & Marchesiello 1995, J. Mar. Syst. 6, 363-380), with
/// coefficients in neutral air over a warmer sea:
///
///   dQ/dT = -4 emissivity sigma T^3 - rho_a c_p C_H U - rho_a L_v C_E U dq_s/dT
///       [W m-2 K-1], about -40
///   q_s = 0.98 640380 exp(-5107.4 / T) / rho_a,   dq_s/dT = 5107.4 q_s / T^2
#pragma once
#include "physics/sea_surface/bulk.hpp"

namespace fathom::physics {

struct BulkSensitivity {
    double emissivity = 1, least_wind = 0.5;

    static constexpr std::string_view summary =
        "Slope of the heat flux in the surface temperature, of the bulk formulae (Barnier et al. "
        "1995)";
    static constexpr std::tuple parameters{
        Parameter{"emissivity", &BulkSensitivity::emissivity, "1", 0, 1,
                  "long-wave emissivity of the sea"},
        Parameter{"least_wind", &BulkSensitivity::least_wind, "m s-1", 0.1, 10,
                  "gustiness: least speed of the wind"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "wind_speed", place::center_column, "m s-1"> wind_speed,
        Reads<Real, "air_temperature", place::center_column, "degC"> air_temperature,
        Reads<Real, "specific_humidity", place::center_column, "kg kg-1"> specific_humidity,
        Reads<Real, "air_pressure", place::center_column, "Pa"> air_pressure,
        Reads<Real, "restoring_temperature", place::center_column, "degC"> target,
        Writes<Real, "heat_flux_sensitivity", place::center_column, "W m-2 K-1"> sensitivity)
        const {
        const Real T = target[0] + constants::celsius, U = larger(wind_speed[0], least_wind);
        const Real density =
            sea_air::density(Real(air_pressure[0]), air_temperature[0] + constants::celsius,
                             1 + sea_air::vapour * specific_humidity[0]);
        const Real saturated = sea_air::saturated(T, density);
        const Real flow = density * U * BulkForcing::neutral_drag_root(U);
        sensitivity[0] =
            -(4 * emissivity * constants::stefan_boltzmann * (T * T * T) +
              flow * fma(sea_air::saturation * sea_air::moisture * sea_air::evaporation_heat *
                             saturated,
                         1 / (T * T), Real(sea_air::heat_capacity * sea_air::warmer_sea)));
    }
};

}  // namespace fathom::physics
