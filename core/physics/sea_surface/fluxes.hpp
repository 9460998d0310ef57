/// The effect of heat and fresh water on the tracers, as fluxes into the top layer:
///
///   temperature_surface_flux = Q / (rho0 c_p)              [degC m s-1]
///   salinity_surface_flux    = -S_ref F / rho_fresh        [1e-3 m s-1]
///       (virtual salt flux: the volume of the water stays)
///
/// One reference salinity everywhere: where the fresh water sums to zero, so does the salt.
/// Restoring is added to these fluxes after this process has set them; in idealised cases Q and F
/// are arrays, or 0.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct SurfaceFluxes {
    double reference_salinity = 34.7;

    static constexpr std::string_view summary =
        "Fluxes of temperature and salinity from those of heat and fresh water";
    static constexpr std::tuple parameters{Parameter{"reference_salinity",
                                                     &SurfaceFluxes::reference_salinity, "1e-3", 0,
                                                     100, "salinity that fresh water dilutes"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_heat_flux", place::center_column, "W m-2"> heat,
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> freshwater,
        Writes<Real, "temperature_surface_flux", place::center_column, "degC m s-1">
            temperature_flux,
        Writes<Real, "salinity_surface_flux", place::center_column, "1e-3 m s-1"> salinity_flux)
        const {
        temperature_flux[0] =
            heat[0] * (1 / (constants::sea_water_density * constants::sea_water_heat_capacity));
        salinity_flux[0] = freshwater[0] * (-reference_salinity / constants::fresh_water_density);
    }
};

}  // namespace fathom::physics
