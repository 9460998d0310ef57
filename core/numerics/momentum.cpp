#include "numerics/momentum.hpp"
#include "numerics/friction.hpp"
#include "numerics/free_surface.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

Entries momentum_schemes() {
    return {entry<MomentumAdvection>("MomentumAdvection"), entry<LinearMomentum>("LinearMomentum"), entry<PressureGradient>("PressureGradient"),
            entry<LaplacianFriction>("LaplacianFriction"), entry<VelocityLaplacian>("VelocityLaplacian"), entry<BiharmonicFriction>("BiharmonicFriction"),
            entry<ImplicitMomentum>("ImplicitMomentum"), entry<BarotropicDivergence>("BarotropicDivergence"), entry<BarotropicSolve>("BarotropicSolve"),
            entry<BarotropicCorrection>("BarotropicCorrection"), entry<VolumeTransport>("VolumeTransport")};
}

Entries schemes() { return {momentum_schemes(), tracer_schemes(), tracer_source_schemes(), volume_schemes(), eddy_schemes(), strain_schemes(), atmosphere_schemes()}; }

}  // namespace fathom::numerics
