/// Observed sea ice over the water: fluxes of air and sun reach the open part only.
///
///   Q = (1 - a) Q_open,   the same for sunlight and E - P,   a the share of ice;
///       stress passes through the ice
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct IceCover {
    static constexpr std::string_view summary =
        "Heat and freshwater fluxes reach the part of the sea that observed ice leaves open";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice,
        Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat,
        Updates<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun,
        Updates<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water) const {
        const Real open = 1.0 - smaller(larger(ice[0], 0), 1);
        heat[0] = heat[0] * open;
        sun[0] = sun[0] * open;
        water[0] = water[0] * open;
    }
};

}  // namespace fathom::physics
