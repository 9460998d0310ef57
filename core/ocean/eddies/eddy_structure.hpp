/// The spatial structure of eddies: `eddy_structure` phi, a factor of the diffusivities of
/// isoneutral.hpp, and the depth of the mixed layer.
#pragma once
#include <array>
#include "base/constants.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

/// The depth at which buoyancy has fallen by g drho / rho0 from that of the top layer, linear
/// between the middles of layers; the bottom where it never does.
struct MixedLayerDepth {
    double density_step = usual::density_step;
    static constexpr std::string_view summary =
        "depth of the mixed layer, where density exceeds that of the top layer by a step";
    static constexpr std::tuple parameters{Parameter{"density_step", &MixedLayerDepth::density_step,
                                                     "kg m-3", 1e-4, 10,
                                                     "density above that of the top layer"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "mixed_layer_depth", place::center_column, "m"> depth) const {
        using T = typename Real::Number;
        const T step = T(density_step * constants::gravity / constants::sea_water_density);
        const Real bottom = wet[0];
        Real fall = 0, found = 0, water = thickness[0],
             base = 0;  // found: the base, 0 until it is found
        T middle = T(0.5) * thickness[0];
        for (int k = 1; k < stratification.levels(); ++k) {
            const T distance = T(0.5) * (thickness[k - 1] + thickness[k]);
            const Real N2 = stratification[k], next = fma(N2, Real(distance), fall);
            const auto inside = Real(T(k)) < bottom;
            base = middle + smaller((step - fall) / larger(N2, Real(1e-12)), Real(distance));
            found = select(inside,
                           select(found > Real(0), found, select(next > Real(step), base, Real(0))),
                           found);
            water = select(inside, water + thickness[k], water);
            fall = next;
            middle = middle + distance;
        }
        depth[0] = select(found > Real(0), found, water);
    }
};

/// Eddies follow stratification (Danabasoglu & Marshall 2007, Ocean Modelling 18, 122-141): phi =
/// N^2 / N_ref^2 in [least, 1], N_ref^2 that of the first stable interface below the mixed layer; 1
/// above it. In a layer N^2 is the mean of both interfaces.
struct StratificationStructure {
    double least = 0.1;
    static constexpr std::string_view summary =
        "eddy diffusivities that follow stratification (Danabasoglu & Marshall 2007)";
    static constexpr std::tuple parameters{
        Parameter{"least", &StratificationStructure::least, "1", 0, 1,
                  "least share of the diffusivity, in the weakly stratified deep"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        Reads<Real, "mixed_layer_depth", place::center_column, "m"> mixed_layer,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "eddy_structure", place::center_layer, "1"> structure) const {
        using T = typename Real::Number;
        const Real h = mixed_layer[0], bottom = wet[0];
        Real reference = 0, above = 0;  // reference: 0 until it is found
        T depth = 0;
        for (int k = 0; k < structure.levels(); ++k) {
            depth = depth + thickness[k];  // of the interface below
            const Real below = select(Real(T(k + 1)) < bottom, stratification[k + 1], above);
            const auto first = Real(depth) >= h;
            reference = select(reference > Real(0), reference,
                               select(first, larger(below, Real(0)), Real(0)));
            const Real mean = select(above > Real(0), 0.5 * (above + below), below);
            structure[k] =
                select(reference > Real(0),
                       smaller(larger(mean / larger(reference, Real(1e-12)), Real(least)), Real(1)),
                       Real(1));
            above = below;
        }
    }
};

/// Eddies grow with the baroclinic zone (Visbeck et al. 1997, J. Phys. Oceanogr. 27, 381-402):
/// kappa = efficiency l^2 <M^2 / N>, the mean of Eady's growth rate between two depths, M^2 = g
/// |grad rho| / rho0 along levels; phi = kappa / diffusivity, within bounds.
struct EadyStructure {
    double efficiency = 0.015, mixing_length = 1e5, diffusivity = usual::eddy_diffusivity,
           least = 0.2, most = 3, from_depth = 100, to_depth = 2000;
    static constexpr std::string_view summary =
        "eddy diffusivities from the growth rate of baroclinic eddies (Visbeck et al. 1997)";
    static constexpr std::tuple parameters{
        Parameter{"efficiency", &EadyStructure::efficiency, "1", 0, 1,
                  "diffusivity over growth rate and squared mixing length"},
        Parameter{"mixing_length", &EadyStructure::mixing_length, "m", 1, 1e7,
                  "width of the zone in which eddies mix"},
        Parameter{"diffusivity", &EadyStructure::diffusivity, "m2 s-1", 1e-6, 1e7,
                  "diffusivity where the structure is 1"},
        Parameter{"least", &EadyStructure::least, "1", 0, 1, "least share of the diffusivity"},
        Parameter{"most", &EadyStructure::most, "1", 1, 100, "largest multiple of the diffusivity"},
        Parameter{"from_depth", &EadyStructure::from_depth, "m", 0, 1e4, "the mean begins below"},
        Parameter{"to_depth", &EadyStructure::to_depth, "m", 0, 1e4, "the mean ends above"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "density_anomaly", place::center_layer, "kg m-3", 1> density,
        Reads<Real, "stratification", place::center_interface, "s-2"> stratification,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "dy_north_face", place::north_face_column, "m", 1> distance_north,
        Reads<Real, "dx_east_face", place::east_face_column, "m", 1> distance_east,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "eddy_structure", place::center_column, "1"> structure) const {
        using T = typename Real::Number;
        const std::array sides{east, -east, north, -north};
        const Real nearness[4] = {1.0 / distance_east[0], 1.0 / distance_east(-east)[0],
                                  1.0 / distance_north[0], 1.0 / distance_north(-north)[0]};
        const Real bottom = wet[0];
        const T scale = T(constants::gravity / constants::sea_water_density);
        Real growth = 0, height = 0;
        T depth = 0;
        const int levels = density.levels();
        for (int k = 0; k < levels; ++k) {
            depth = depth + thickness[k];
            if (depth < T(from_depth) || depth - thickness[k] > T(to_depth)) continue;
            Real squared = 0;  // of both gradients: the mean of two sides each
            for (int e = 0; e < 4; ++e) {
                const Real g = select(Real(T(k)) < wet(sides[e])[0],
                                      (density(sides[e])[k] - density[k]) * nearness[e], Real(0));
                squared = fma(0.5 * g, g, squared);
            }
            const Real N2 =
                select(Real(T(k + 1)) < bottom, 0.5 * (stratification[k] + stratification[k + 1]),
                       stratification[k]);
            const Real dz = select(Real(T(k)) < bottom, Real(thickness[k]), Real(0));
            growth = fma(dz, scale * sqrt(squared / larger(N2, Real(1e-8))), growth);
            height += dz;
        }
        const Real kappa = growth / larger(height, Real(1)) *
                           T(efficiency * mixing_length * mixing_length / diffusivity);
        structure[0] = smaller(larger(kappa, Real(least)), Real(most));
    }
};

}  // namespace fathom::ocean
