/// A prescribed surface flux of a tracer, in addition to that of heat and fresh water
/// (SurfaceFluxes).
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct GivenFlux {
    static constexpr std::string_view summary = "Adds a surface flux of a tracer as it is given";

    template <class Real>
    constexpr void operator()(Reads<Real, "given", place::center_column, "any m s-1"> given,
                              Updates<Real, "flux", place::center_column, "any m s-1"> flux) const {
        flux[0] += given[0];
    }
};

}  // namespace fathom::physics
