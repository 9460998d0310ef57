/// Hydrostatic pressure of the density anomaly at the middle of layers, divided by the reference
/// density rho0, trapezoidal:
///
///   p_0 = g rho_0 dz_0 / (2 rho0),    p_k = p_k-1 + g (rho_k-1 + rho_k) (dz_k-1 + dz_k) / (4 rho0)
///       [m2 s-2]
///
/// The term of the sea surface height, g eta, belongs to the free surface.
#pragma once
#include <tuple>
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

struct HydrostaticPressure {
    static constexpr std::string_view summary =
        "Pressure of the density anomaly at the middle of layers, divided by the reference density";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "density_anomaly", place::center_layer, "kg m-3"> density,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "pressure", place::center_layer, "m2 s-2"> pressure) const {
        constexpr double weight = constants::gravity / constants::sea_water_density;
        Real above = density[0], p = above * (weight / 2 * thickness[0]);
        pressure[0] = p;
        for (int k = 1; k < pressure.levels(); ++k) {
            const Real here = density[k];
            p = fma(above + here, weight / 4 * (thickness[k - 1] + thickness[k]), p);
            pressure[k] = p;
            above = here;
        }
    }
};

}  // namespace fathom::physics
