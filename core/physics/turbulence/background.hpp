/// Mixing of the interior that grows with depth (Bryan & Lewis 1979, J. Geophys. Res. 84,
/// 2503-2517), added to the other mixing:
///
///   kappa += A + B arctan((z - z_0) / d) / pi,   nu += Pr kappa
///
/// Defaults: theirs, 0.8e-4 + 1.05e-4 arctan(4.5e-3 (z - 2500)) / pi, 0.3e-4 at the surface and
/// 1.3e-4 in the abyss.
#pragma once
#include <algorithm>
#include <numbers>
#include "base/elementary.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct BryanLewisMixing {
    double middle = 0.8e-4, range = 1.05e-4, depth = 2500, width = 1 / 4.5e-3, prandtl = 1;

    static constexpr std::string_view summary =
        "Diffusivity that grows from the thermocline to the abyss (Bryan & Lewis 1979)";
    static constexpr std::tuple parameters{
        Parameter{"middle", &BryanLewisMixing::middle, "m2 s-1", 0, 1,
                  "diffusivity at the depth of transition"},
        Parameter{"range", &BryanLewisMixing::range, "m2 s-1", 0, 1,
                  "from the surface of a deep sea to its abyss"},
        Parameter{"depth", &BryanLewisMixing::depth, "m", 0, 1e4, "depth of transition"},
        Parameter{"width", &BryanLewisMixing::width, "m", 1, 1e4, "scale of transition"},
        Parameter{"prandtl", &BryanLewisMixing::prandtl, "1", 0, 100,
                  "viscosity over diffusivity"}};

    template <class Real>
    constexpr void operator()(
        ReadsProfile<Real, "thickness", "m"> thickness,
        Reads<Real, "wet_levels", place::center_column, "1"> wet_levels,
        Updates<Real, "viscosity_at_center", place::center_interface, "m2 s-1"> viscosity,
        Updates<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> diffusivity)
        const {
        using T = typename Real::Number;
        using Levels = typename Real::Plain;  // of levels alone: without tangent
        const Real bottom = wet_levels[0];
        const int levels = viscosity.levels();
        double z = 0;
        for (int first = 1; first < levels;
             first += Real::width) {  // kappa of as many interfaces as a pack has lanes
            const int last = std::min(first + Real::width, levels);
            alignas(Levels) T kappa[Real::width] = {};
            for (int k = first; k < last; ++k)
                z += double(thickness[k - 1]), kappa[k - first] = T((z - depth) / width);
            larger(fma(atan(Levels::load(kappa)), T(range / std::numbers::pi), Levels(middle)),
                   Levels(0))
                .store(kappa);
            for (int k = first; k < last; ++k) {
                viscosity[k] +=
                    select(Real(T(k)) < bottom, Real(T(prandtl) * kappa[k - first]), Real(0));
                diffusivity[k] += select(Real(T(k)) < bottom, Real(kappa[k - first]), Real(0));
            }
        }
    }
};

}  // namespace fathom::physics
