/// Mixing by internal tides that break near their source (Jayne & St. Laurent 2001, Geophys. Res.
/// Lett. 28, 811-814; Simmons, Jayne, St. Laurent & Weaver 2004, Ocean Modelling 6, 245-263), added
/// to the other mixing:
///
///   kappa += Gamma q E F(z) / (rho0 N^2), at most `maximum`,   nu += Pr kappa
///   E = e N_b,   e = rho0 / 2 k h^2 u^2   `tidal_energy`,   N_b at the bottom;
///       F = exp((z - H) / zeta) / (zeta (1 - exp(-H / zeta)))
///
/// q the share that breaks here, Gamma the efficiency of mixing; int F dz = 1.
#pragma once
#include "base/brief.hpp"
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct TidalMixing {
    double local_share = 1. / 3, efficiency = 0.2, decay = 500, maximum = 1e-2, prandtl = 10;

    static constexpr std::string_view summary =
        "Mixing by internal tides over rough bottoms (Jayne & St. Laurent 2001, Simmons et al. "
        "2004)";
    static constexpr std::tuple parameters{
        Parameter{"local_share", &TidalMixing::local_share, "1", 0, 1,
                  "share of the energy that breaks where it is generated"},
        Parameter{"efficiency", &TidalMixing::efficiency, "1", 0, 1,
                  "share of that energy which lifts water"},
        Parameter{"decay", &TidalMixing::decay, "m", 10, 1e4,
                  "height above the bottom at which mixing is less by e"},
        Parameter{"maximum", &TidalMixing::maximum, "m2 s-1", 0, 10, "most of it"},
        Parameter{"prandtl", &TidalMixing::prandtl, "1", 0, 100, "viscosity over diffusivity"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tidal_energy", place::center_column, "J m-2"> energy,
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Reads<Real, "wet_levels", place::center_column, "1"> wet_levels,
        Updates<Real, "viscosity_at_center", place::center_interface, "m2 s-1"> viscosity,
        Updates<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> diffusivity)
        const {
        constexpr double least = 1e-10;  // [s-2]: about the smallest of a deep sea
        const Real bottom = wet_levels[0];
        const int levels = viscosity.levels();
        Real N2_bottom = 0, depth = double(thickness[0]);
        double z = double(thickness[0]);
        for (int k = 1; k < levels; ++k) {
            const auto wet = k < bottom;
            N2_bottom = select(wet, larger(stratification[k], 0), N2_bottom);
            z += double(thickness[k]);
            depth = select(wet, z, depth);
        }
        const double per_decay = 1 / decay;
        const Real whole = 1 - brief_exp(larger(depth * -per_decay, -80));
        const Real strength =
            (efficiency * local_share * per_decay / constants::sea_water_density) * energy[0] *
            sqrt(N2_bottom) / whole;
        z = 0;
        for (int k = 1; k < levels; ++k) {
            z += double(thickness[k - 1]);
            const Real structure = brief_exp(larger((z - depth) * per_decay, -80));
            const Real kappa = select(
                k < bottom,
                smaller(strength * structure / larger(stratification[k], least), maximum), 0);
            viscosity[k] += prandtl * kappa;
            diffusivity[k] += kappa;
        }
    }
};

}  // namespace fathom::physics
