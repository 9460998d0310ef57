/// Mixing of the interior that grows with depth (Bryan & Lewis 1979, J. Geophys. Res. 84, 2503-2517), added to what is there:
///
///   kappa += A + B arctan((z - z_0) / d) / pi,   nu += Pr kappa
///
/// Defaults: theirs, 0.8e-4 + 1.05e-4 arctan(4.5e-3 (z - 2500)) / pi, 0.3e-4 at the surface and 1.3e-4 in the abyss.
#pragma once
#include "field/process.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::physics {

struct BryanLewisMixing {
    double middle = 0.8e-4, range = 1.05e-4, depth = 2500, width = 1 / 4.5e-3, prandtl = 1;

    static constexpr std::string_view summary = "Diffusivity that grows from the thermocline to the abyss (Bryan & Lewis 1979)";
    static constexpr std::tuple parameters{
        Parameter<BryanLewisMixing>{"middle",  &BryanLewisMixing::middle,  "m2 s-1", 0, 1,   "diffusivity at the depth of transition"},
        Parameter<BryanLewisMixing>{"range",   &BryanLewisMixing::range,   "m2 s-1", 0, 1,   "from the surface of a deep sea to its abyss"},
        Parameter<BryanLewisMixing>{"depth",   &BryanLewisMixing::depth,   "m",      0, 1e4, "depth of transition"},
        Parameter<BryanLewisMixing>{"width",   &BryanLewisMixing::width,   "m",      1, 1e4, "scale of transition"},
        Parameter<BryanLewisMixing>{"prandtl", &BryanLewisMixing::prandtl, "1",      0, 100, "viscosity over diffusivity"}};
    static constexpr std::array fields{
        reads  ("thickness",            place::profile,          "m"),
        reads  ("wet_levels",           place::center_column,    "1"),
        updates("viscosity_at_center",  place::center_interface, "m2 s-1"),
        updates("vertical_diffusivity", place::center_interface, "m2 s-1")};

    template <class Real> void operator()(Profile<Real> thickness, In<Real> wet_levels, InOut<Real> viscosity, InOut<Real> diffusivity) const {
        const Real bottom = wet_levels[0];
        double z = 0;
        for (int k = 1; k < viscosity.levels(); ++k) {
            z += double(thickness[k - 1]);
            const double kappa = std::max(middle + range * std::atan((z - depth) / width) / std::numbers::pi, 0.);
            viscosity[k]   += select(k < bottom, prandtl * kappa, Real(0));
            diffusivity[k] += select(k < bottom, kappa, Real(0));
        }
    }
};

}  // namespace fathom::physics
