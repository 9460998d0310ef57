/// Convection carries the surface flux of a tracer down without a gradient (KPP: Large, McWilliams
/// & Doney 1994, eqs 19 and 20):
///
///   flux = F G(sigma),   G = sigma (1 - sigma)^2,   sigma = depth / boundary layer depth,
///       0 from sigma = 1 on
///
/// F is the surface flux times C_s where the sea is unstable, from KPP. The content only moves.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct NonlocalTransport {
    static constexpr std::string_view summary =
        "Flux of a tracer without gradient in a convecting boundary layer";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_nonlocal_flux", place::center_column, "any m s-1"> surface,
        Reads<Real, "boundary_layer_depth", place::center_column, "m"> height,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency) const {
        const Real flux = surface[0] * area[0], per_height = 1 / height[0], bottom = wet[0];
        Real above = 0;
        double depth = 0;
        for (int k = 0; k < tendency.levels(); ++k) {
            depth += double(thickness[k]);
            const Real sigma = depth * per_height, rest = larger(1 - sigma, 0),
                       below = select(k + 1 < bottom, flux * (sigma * (rest * rest)), 0);
            tendency[k] += above - below;
            if (!any((below > 0) | (below < 0))) break;
            above = below;
        }
    }
};

}  // namespace fathom::physics
