/// Fluxes between air and ice from bulk formulae with one coefficient (Large & Yeager 2004,
/// NCAR/TN-460, section 2.2), at the temperature T of the ice, and their slope in it:
///
///   F  = R_long - sigma T^4 + rho_a c_p C S (theta_a - T) + L_s E,    E = rho_a C S (q_a - q_s(T))
///   F' = -4 sigma T^3 - rho_a c_p C S - L_s rho_a C S dq_s/dT,   q_s = 11637800 exp(-5897.8 / T) /
///       rho_a,   tau = rho_a C S wind,   C = 1.63e-3
///
/// Of the light that a surface reflects, the sky sends the share R down again, and so on
/// (sea_ice/light.hpp). Radiation observed or computed over ice contains this: R = 0, and S_0 is
/// the observed value. Where it is known over dark sea only, as S, S_0 = S (1 - R 0.066).
///
/// Precipitation is snow where the air is below freezing. Vapour is exchanged with the water of the
/// sea.
#pragma once
#include "base/elementary.hpp"
#include "physics/sea_surface/bulk.hpp"

namespace fathom::physics {

struct BulkOverIce {
    double coefficient = 1.63e-3, emissivity = 1, sky_reflection = 0;
    static constexpr std::string_view summary =
        "Stress, heat and freshwater flux over sea ice from the state of the air";
    static constexpr std::tuple parameters{
        Parameter{"coefficient", &BulkOverIce::coefficient, "1", 0, 0.1,
                  "of the exchange of momentum, heat and moisture"},
        Parameter{"emissivity", &BulkOverIce::emissivity, "1", 0, 1, "long-wave emissivity"},
        Parameter{"sky_reflection", &BulkOverIce::sky_reflection, "1", 0, 0.9,
                  "cloud-base albedo for multiple reflection"}};

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
        Reads<Real, "ice_surface_temperature", place::center_column, "degC"> temperature,
        Writes<Real, "ice_heat_flux", place::center_column, "W m-2"> heat,
        Writes<Real, "ice_heat_flux_slope", place::center_column, "W m-2 K-1"> slope,
        Writes<Real, "ice_shortwave_flux", place::center_column, "W m-2"> sun,
        Writes<Real, "ice_sky_reflection", place::center_column, "1"> sky,
        Writes<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall,
        Writes<Real, "ice_freshwater_flux", place::center_column, "kg m-2 s-1"> rain,
        Writes<Real, "ice_stress_eastward", place::center_column, "N m-2"> stress_east,
        Writes<Real, "ice_stress_northward", place::center_column, "N m-2"> stress_north) const {
        constexpr double of_vapour = 5897.8,
                         sublimation = sea_air::evaporation_heat + constants::fusion_heat;
        const Real T = temperature[0] + constants::celsius,
                   air = air_temperature[0] + constants::celsius, q = specific_humidity[0],
                   density = sea_air::density(Real(air_pressure[0]), air, 1 + sea_air::vapour * q);
        const Real q_s = 11637800 * exp(-of_vapour / T) / density,
                   flow = coefficient * density * wind_speed[0], vapour = flow * (q - q_s),
                   cube = (emissivity * constants::stefan_boltzmann) * (T * T * T);
        heat[0] = emissivity * longwave[0] - cube * T + sea_air::heat_capacity * flow * (air - T) +
                  sublimation * vapour;
        slope[0] =
            -(4 * cube + flow * (sea_air::heat_capacity + sublimation * of_vapour * q_s / (T * T)));
        sun[0] = (1 - sky_reflection * sea_air::albedo) * shortwave[0];
        sky[0] = Real(sky_reflection);
        const Real fallen = precipitation[0],
                   snow = select(air_temperature[0] < 0, fallen, Real(0));
        snowfall[0] = snow;
        rain[0] = (fallen - snow) + vapour;
        stress_east[0] = flow * eastward_wind[0];
        stress_north[0] = flow * northward_wind[0];
    }
};

/// Where the fresh water F of the whole cell is given, in frost it is snow, which ice keeps; the
/// rest reaches the sea through cracks, and so does all evaporation:
///
///   snow = max(F, 0) where the air is below freezing,   F = snow + what reaches the sea
struct GivenWaterOverIce {
    static constexpr std::string_view summary =
        "Divides a given fresh water flux into snow on sea ice and water for the sea";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water,
        Reads<Real, "air_temperature", place::center_column, "degC"> air_temperature,
        Writes<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall,
        Writes<Real, "ice_freshwater_flux", place::center_column, "kg m-2 s-1"> rain) const {
        const Real all = water[0],
                   snow = select(air_temperature[0] < 0, larger(all, Real(0)), Real(0));
        snowfall[0] = snow;
        rain[0] = all - snow;
    }
};

}  // namespace fathom::physics
