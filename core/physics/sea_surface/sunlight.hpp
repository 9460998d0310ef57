/// Sunlight warms the water that absorbs it:
///
///   rho0 c_p dz_k dT_k / dt = I(z_k-1/2) - I(z_k+1/2),   0 through the bottom
///
/// The whole flux enters the top layer with the other surface fluxes; here it hands down what it
/// does not absorb. The content only moves.
#pragma once
#include "base/any.hpp"
#include "field/joined.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/transmission.hpp"

namespace fathom::physics {

struct ShortwaveHeating {
    static constexpr std::string_view summary =
        "Heating of the water by the sunlight that passes its top layer";
    static constexpr std::tuple parameters{};
    static constexpr auto fields = joined(
        sunlight_read, reads("area_center", place::center_column, "m2"),
        reads("wet_levels", place::center_column, "1"), reads("thickness", place::profile, "m"),
        updates("temperature_tendency", place::center_layer, "degC m3 s-1"));

    template <class Real>
    void operator()(In<Real> flux_1, In<Real> flux_2, In<Real> extinction_1, In<Real> extinction_2,
                    In<Real> area, In<Real> wet, Profile<Real> thickness,
                    InOut<Real> tendency) const {
        const Transmission<Real> sunlight(flux_1, flux_2, extinction_1, extinction_2);
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
