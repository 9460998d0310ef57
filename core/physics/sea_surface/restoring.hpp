/// Restoring of a surface tracer to an observed value (Haney 1971, J. Phys. Oceanogr. 1, 241-248),
/// with one coefficient:
///
///   flux += v (target - tracer),
///       v the piston velocity [m s-1]: dz_0 / v is the time scale of the top layer
///   flux += a v (target - S)       SalinityRestoringUnderIce, a the observed share of ice
///
/// and of temperature next to the flux Q that was observed over the observed temperature, with the
/// slope of that flux (Barnier, Siefridt & Marchesiello 1995, J. Mar. Syst. 6, 363-380):
///
///   Q(T) = Q + dQ/dT (T - target),   dQ/dT < 0 [W m-2 K-1]: data, or BulkSensitivity
///
/// Under the model's ice nothing is restored: the factor is (1 - a). Restoring there would add back
/// the fresh water that freezing removes, and the water would not convect.
///
/// Where the sea is at its freezing point, FreezingLimit limits the effect of a colder target.
/// Ocean models without an ice model restore salinity faster under ice, because ice that freezes in
/// one place and melts in another changes it (as the ocean-alone runs of POP: 50 m in 30 days).
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct TemperatureRestoring {
    double piston_velocity = 1e-5;  // about 40 W m-2 K-1

    static constexpr std::string_view summary = "Restores surface temperature to an observed one";
    static constexpr std::tuple parameters{
        Parameter{"piston_velocity", &TemperatureRestoring::piston_velocity, "m s-1", 0, 1,
                  "thickness of the top layer over the time scale"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "restoring_temperature", place::center_column, "degC"> target,
        Reads<Real, "sea_ice_area", place::center_column, "1"> ice,
        Updates<Real, "temperature_surface_flux", place::center_column, "degC m s-1"> flux) const {
        flux[0] += piston_velocity * ((target[0] - temperature[0]) * (1 - ice[0]));
    }
};

struct BarnierRestoring {
    static constexpr std::string_view summary =
        "Restores surface temperature by the slope of the heat flux (Barnier et al. 1995)";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "restoring_temperature", place::center_column, "degC"> target,
        Reads<Real, "heat_flux_sensitivity", place::center_column, "W m-2 K-1"> sensitivity,
        Reads<Real, "sea_ice_area", place::center_column, "1"> ice,
        Updates<Real, "temperature_surface_flux", place::center_column, "degC m s-1"> flux) const {
        flux[0] += sensitivity[0] * ((temperature[0] - target[0]) * (1 - ice[0])) *
                   (1 / (constants::sea_water_density * constants::sea_water_heat_capacity));
    }
};

struct SalinityRestoring {
    double piston_velocity =
        50. / (300 * 86400);  // 50 m in 300 days, as in the coordinated ocean experiments

    static constexpr std::string_view summary = "Restores surface salinity to an observed one";
    static constexpr std::tuple parameters{
        Parameter{"piston_velocity", &SalinityRestoring::piston_velocity, "m s-1", 0, 1,
                  "thickness of the top layer over the time scale"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "restoring_salinity", place::center_column, "1e-3"> target,
        Reads<Real, "sea_ice_area", place::center_column, "1"> ice,
        Updates<Real, "salinity_surface_flux", place::center_column, "1e-3 m s-1"> flux) const {
        flux[0] += piston_velocity * ((target[0] - salinity[0]) * (1 - ice[0]));
    }
};

struct SalinityRestoringUnderIce {
    double piston_velocity = 50. / (30 * 86400);

    static constexpr std::string_view summary =
        "Restores salinity under observed sea ice to an observed one";
    static constexpr std::tuple parameters{
        Parameter{"piston_velocity", &SalinityRestoringUnderIce::piston_velocity, "m s-1", 0, 1,
                  "thickness of the top layer over the time scale, under ice"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "restoring_salinity", place::center_column, "1e-3"> target,
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice,
        Updates<Real, "salinity_surface_flux", place::center_column, "1e-3 m s-1"> flux) const {
        flux[0] += piston_velocity * smaller(larger(ice[0], 0), 1) * (target[0] - salinity[0]);
    }
};

}  // namespace fathom::physics
