/// Constant vertical mixing with convective adjustment:
///
///   nu, kappa = constants,   N^2 < 0: at least the convective ones;
///       surface and bottom: 0, no flux
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct ConstantMixing {
    double viscosity = 1e-3, diffusivity = 1e-5, convective_viscosity = 0.1,
           convective_diffusivity = 0.1;

    static constexpr std::string_view summary =
        "Constant vertical viscosity and diffusivity, with convective adjustment";
    static constexpr std::tuple parameters{
        Parameter{"viscosity", &ConstantMixing::viscosity, "m2 s-1", 0, 1000, "vertical viscosity"},
        Parameter{"diffusivity", &ConstantMixing::diffusivity, "m2 s-1", 0, 1000,
                  "vertical diffusivity"},
        Parameter{"convective_viscosity", &ConstantMixing::convective_viscosity, "m2 s-1", 0, 1000,
                  "least viscosity of a statically unstable interface"},
        Parameter{"convective_diffusivity", &ConstantMixing::convective_diffusivity, "m2 s-1", 0,
                  1000, "least diffusivity of a statically unstable interface"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        Reads<Real, "wet_levels", place::center_column, "1"> wet_levels,
        Writes<Real, "viscosity_at_center", place::center_interface, "m2 s-1"> nu,
        Writes<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> kappa) const {
        const Real bottom = wet_levels[0],
                   nu_unstable = larger(viscosity, Real(convective_viscosity)),
                   kappa_unstable = larger(diffusivity, Real(convective_diffusivity));
        const int levels = nu.levels();
        nu[0] = 0;
        kappa[0] = 0;
        for (int k = 1; k < levels; ++k) {
            const Real N2 = stratification[k];
            nu[k] = select(k < bottom, select(N2 < 0, nu_unstable, viscosity), 0);
            kappa[k] = select(k < bottom, select(N2 < 0, kappa_unstable, diffusivity), 0);
        }
        nu[levels] = 0;
        kappa[levels] = 0;
    }
};

}  // namespace fathom::physics
