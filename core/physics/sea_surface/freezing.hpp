/// A slab of ice on water that does not cool below its freezing point: the heat that the water
/// lacks is the latent heat of frazil ice, which rejects its salt; the ice gives both back before
/// the water warms again. Closed: rho0 c_p h T - frazil_heat and h S - s frazil_heat do not change.
///
///   g = max(rho0 c_p h (T_f(S) - T) / (1 + 0.0544 rho0 c_p s), -frazil_heat),
///       s = (S_ref - S_ice) / (rho_fresh L)
///   frazil_heat += g,   T += g / (rho0 c_p h),   S += s g / h
///
/// The denominator makes it exact: with salt rejected the freezing point falls, and T = T_f(S)
/// holds afterwards. h = dz_0 + eta is the thickness of the top layer; the fresh water of ice, like
/// all fresh water, is a virtual salt flux, with the reference salinity of SurfaceFluxes. The ice
/// that comes from neighbours (frazil.hpp), frazil_gain, has been added before.
#pragma once
#include <tuple>
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/thickness.hpp"
#include "physics/sea_ice/ice.hpp"

namespace fathom::physics {

template <bool own> struct FreezingLimit {
    double ice_salinity = 4, reference_salinity = 34.7;

    static constexpr std::string_view summary =
        "Sea water stays at or above freezing; frazil ice keeps the heat and rejects the salt";
    static constexpr std::tuple parameters{
        Parameter{"ice_salinity", &FreezingLimit::ice_salinity, "1e-3", 0, 100,
                  "salt that stays in the ice"},
        Parameter{"reference_salinity", &FreezingLimit::reference_salinity, "1e-3", 0, 100,
                  "salinity that fresh water dilutes"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_height", place::center_column, "m"> height,
        CellThickness<Real, own> thickness,
        Updates<Real, "temperature", place::center_layer, "degC"> temperature,
        Updates<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "frazil_gain", place::center_column, "J m-2"> came,
        Updates<Real, "frazil_heat", place::center_column, "J m-2"> frazil_heat) const {
        constexpr double capacity =
            constants::sea_water_density * constants::sea_water_heat_capacity;
        const double rejected = (reference_salinity - ice_salinity) /
                                (constants::fresh_water_density * constants::fusion_heat);
        const double share = capacity / (1 + freezing_slope * capacity * rejected);
        const Real h = height[0] + thickness[0], T = temperature[0], S = salinity[0],
                   frazil = frazil_heat[0] + came[0];
        const Real given = larger(h * share * (freezing_temperature(S) - T), -frazil);
        temperature[0] = T + given / (h * capacity);
        salinity[0] = S + rejected * given / h;
        frazil_heat[0] = frazil + given;
    }
};

}  // namespace fathom::physics
