/// The global processes of shallow water on the sphere, attached to a sequence of one level on a
/// Gaussian grid: transport and implicit step of the semi-Lagrangian scheme (ShallowWaterTransport,
/// ShallowWaterStep), or the leapfrog of the Eulerian one (ShallowWaterLeapfrog):
///   zeta+ = zeta- + 2 dt curl G,   D+ = D- + 2 dt [div G - lap(K + (phi+ + phi-) / 2)],
///       phi+ = phi- - 2 dt [div(phi v) + phi_r ((D+ + D-) / 2 - D)]
/// G and K from ShallowWaterFluxes; then X = X + filter (X- - 2 X + X+). The first step is forward.
#pragma once
#include "grid/gaussian.hpp"
#include "sequence/sequence.hpp"

namespace fathom::atmosphere {

struct ShallowWaterParameters {
    double step, radius, rotation, mean_geopotential, off_centring = 0;
    double diffusion_time = 0, diffusion_order = 4, viscosity = 0;  ///< as of SpectralParameters
    double iterations = 2, filter = 0;
    double splitting = 0;  ///< as of SpectralParameters
};

class SpectralShallowWater {
public:
    SpectralShallowWater(Sequence&, const GaussianGrid&, int truncation, ShallowWaterParameters);
    ~SpectralShallowWater();
    void initialise();  ///< the initial state truncated, with what follows from it
    struct Work {
        virtual ~Work() = default;
        virtual void initialise() = 0;
    };

private:
    std::unique_ptr<Work> work;
};

}  // namespace fathom::atmosphere
