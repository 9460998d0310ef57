/// Fresh water of rivers and ice sheets, in addition to the exchange between air and sea:
///
///   F = (P - E) + R    [kg m-2 s-1]
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct Runoff {
    static constexpr std::string_view summary =
        "Adds the water of rivers to the fluxes between air and sea";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_freshwater_flux", place::center_column, "kg m-2 s-1"> air,
        Reads<Real, "runoff_flux", place::center_column, "kg m-2 s-1"> runoff,
        Writes<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water) const {
        water[0] = air[0] + runoff[0];
    }
};

}  // namespace fathom::physics
