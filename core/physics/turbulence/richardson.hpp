/// Vertical mixing from the gradient Richardson number (Pacanowski & Philander 1981, J. Phys.
/// Oceanogr. 11, 1443-1451, eqs 1 and 2):
///
///   Ri = N^2 / shear^2,   x = 1 / (1 + a Ri),   nu = nu_b + nu_0 x^2,   kappa = kappa_b + nu x
///   N^2 < 0: convective adjustment, nu and kappa at least the convective ones;
///       surface and bottom: 0, no flux
///
/// shear^2 is the mean over the four corners of the cell. Written as x = shear^2 / (shear^2 + a
/// N^2), Ri needs no second division.
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"
#include "physics/turbulence/shear.hpp"

namespace fathom::physics {

struct RichardsonMixing {
    double background_viscosity = 1e-4, background_diffusivity = 1e-5, maximum = 5e-3,
           steepness = 5, convective_viscosity = 0.1, convective_diffusivity = 0.1;

    static constexpr std::string_view summary =
        "Vertical viscosity and diffusivity from the gradient Richardson number, with convective "
        "adjustment";
    static constexpr std::tuple parameters{
        Parameter{"background_viscosity", &RichardsonMixing::background_viscosity, "m2 s-1", 0, 1,
                  "viscosity of the quiet interior"},
        Parameter{"background_diffusivity", &RichardsonMixing::background_diffusivity, "m2 s-1", 0,
                  1, "diffusivity of the quiet interior"},
        Parameter{"maximum", &RichardsonMixing::maximum, "m2 s-1", 0, 1,
                  "added viscosity at Ri = 0"},
        Parameter{"steepness", &RichardsonMixing::steepness, "1", 0, 100,
                  "decrease with the Richardson number"},
        Parameter{"convective_viscosity", &RichardsonMixing::convective_viscosity, "m2 s-1", 0,
                  1000, "least viscosity of a statically unstable interface"},
        Parameter{"convective_diffusivity", &RichardsonMixing::convective_diffusivity, "m2 s-1", 0,
                  1000, "least diffusivity of a statically unstable interface"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Reads<Real, "wet_levels", place::center_column, "1"> wet_levels,
        Writes<Real, "viscosity_at_center", place::center_interface, "m2 s-1"> viscosity,
        Writes<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Levels each) const {
        constexpr double least_shear =
            1e-12;  // [s-2]: water at rest has Ri of the sign of N^2, not 0 / 0
        const int first = std::max(each.first, 1);
        Shear<Real> shear(u, v, first);
        const Real bottom = wet_levels[0];
        for (const int k : {0, each.count})
            if (each.has_interface(k)) viscosity[k] = 0, diffusivity[k] = 0;
        for (int k = first; k < each.end; ++k) {
            const double distance = 0.5 * (double(thickness[k - 1]) + double(thickness[k]));
            const Real square =
                shear(k, 4 * least_shear * distance * distance);  // 4 shear^2 distance^2
            const Real N2 = stratification[k];
            const Real x = square / fma(larger(N2, 0), 4 * steepness * distance * distance, square);
            const Real nu = fma(x * x, maximum, background_viscosity),
                       kappa = fma(nu, x, background_diffusivity);
            viscosity[k] =
                select(k < bottom, select(N2 < 0, larger(nu, convective_viscosity), nu), 0);
            diffusivity[k] =
                select(k < bottom, select(N2 < 0, larger(kappa, convective_diffusivity), kappa), 0);
        }
    }
};

}  // namespace fathom::physics
