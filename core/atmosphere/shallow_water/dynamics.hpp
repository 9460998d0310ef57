/// The dynamics of shallow water on the sphere as global processes of a sequence of one level on a
/// Gaussian grid: transport and implicit step of the semi-Lagrangian scheme, or the leapfrog of the
/// Eulerian one:
///   zeta+ = zeta- + 2 dt curl G,   D+ = D- + 2 dt [div G - lap(K + (phi+ + phi-) / 2)],
///       phi+ = phi- - 2 dt [div(phi v) + phi_r ((D+ + D-) / 2 - D)]
/// G and K from ShallowWaterFluxes; then X = X + filter (X- - 2 X + X+). The first step is forward.
#pragma once
#include "field/global_process.hpp"
#include "grid/gaussian.hpp"

namespace fathom::atmosphere {

struct ShallowWaterParameters {
    double step, radius, rotation, mean_geopotential, off_centring = 0;
    double diffusion_time = 0, diffusion_order = 4, viscosity = 0;  ///< as of SpectralParameters
    double iterations = 2, filter = 0;
    double splitting = 0;  ///< as of SpectralParameters
};

struct ShallowWaterSetup {
    GaussianGrid grid;
    int truncation;
    ShallowWaterParameters parameters;
};

struct ShallowWaterDynamics {
    using Part = std::shared_ptr<GlobalProcess>;
    Part transport, step;  ///< semi-Lagrangian
    Part leapfrog;         ///< Eulerian
};

/// bytes: 4 or 8, of a number.
ShallowWaterDynamics semi_lagrangian_scheme(const ShallowWaterSetup&, int bytes);
ShallowWaterDynamics leapfrog_scheme(const ShallowWaterSetup&, int bytes);

}  // namespace fathom::atmosphere
