/// Fluxes prescribed by a case, in addition to those of VerticalDiffusion's exchange. They have
/// entered the lowest layer with the forcing, before the physics; processes after the diffusion
/// (plumes) see the sum:
///
///   H += H_given,   E += E_given
#pragma once
#include "field/process.hpp"

namespace fathom::physics {

struct GivenSurfaceFluxes {
    static constexpr std::string_view summary =
        "Given fluxes of a case, for schemes that start from the surface fluxes";
    static constexpr std::tuple<> parameters{};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "given_sensible_heat_flux", place::center_column, "W m-2"> given_heat,
        Reads<Real, "given_evaporation_flux", place::center_column, "kg m-2 s-1"> given_evaporation,
        Updates<Real, "sensible_heat_flux", place::center_column, "W m-2"> heat,
        Updates<Real, "evaporation_flux", place::center_column, "kg m-2 s-1"> evaporation) const {
        heat[0] += given_heat[0];
        evaporation[0] += given_evaporation[0];
    }
};

}  // namespace fathom::physics
