#include "numerics/momentum.hpp"
#include "numerics/friction.hpp"
#include "numerics/free_surface.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> momentum_schemes() {
    return {entry<MomentumAdvection<false>>("MomentumAdvection"), entry<MomentumAdvection<true>>("MomentumAdvectionInCells"), entry<LinearMomentum>("LinearMomentum"), entry<PressureGradient>("PressureGradient"),
            entry<LaplacianFriction>("LaplacianFriction"), entry<VelocityLaplacian>("VelocityLaplacian"), entry<BiharmonicFriction>("BiharmonicFriction"),
            entry<ImplicitMomentum<false>>("ImplicitMomentum"), entry<ImplicitMomentum<true>>("ImplicitMomentumInCells"), entry<BarotropicDivergence>("BarotropicDivergence"), entry<BarotropicSolve>("BarotropicSolve"),
            entry<BarotropicCorrection>("BarotropicCorrection"), entry<VolumeTransport<false>>("VolumeTransport"), entry<VolumeTransport<true>>("VolumeTransportInCells")};
}

std::vector<Entry> schemes() {
    auto list = momentum_schemes();
    for (auto part : {tracer_schemes(), volume_schemes(), eddy_schemes(), strain_schemes(), atmosphere_schemes()}) list.insert(list.end(), part.begin(), part.end());
    return list;
}

}  // namespace fathom::numerics
