/// Sunlight warms the water that absorbs it:
///
///   rho0 c_p dz_k dT_k / dt = I(z_k-1/2) - I(z_k+1/2),   0 through the bottom
///
/// The whole flux enters the top layer with the other surface fluxes; here the part that is not
/// absorbed moves down. The content only moves.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/transmission.hpp"

namespace fathom::physics {

struct ShortwaveHeating {
    static constexpr std::string_view summary =
        "Heating of the water by the sunlight that passes its top layer";
    template <class Real>
    constexpr void operator()(
        SunlightInWater<Real> sun, Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Updates<Real, "temperature_tendency", place::center_layer, "degC m3 s-1"> tendency) const {
        const Transmission<Real> sunlight(sun);
        const Real A = area[0], bottom = wet[0];
        Real above = 0;
        double depth = 0;
        for (int k = 0; k < tendency.levels(); ++k) {
            depth += double(thickness[k]);
            const Real below = select(k + 1 < bottom, A * sunlight(depth), 0);
            tendency[k] += above - below;
            if (!any(below > 0)) break;
            above = below;
        }
    }
};

}  // namespace fathom::physics
