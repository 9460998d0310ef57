#include "ocean/schemes.hpp"
#include "ocean/free_surface.hpp"
#include "ocean/freshwater.hpp"
#include "ocean/momentum.hpp"
#include "ocean/sea_ice/transport.hpp"
#include "ocean/stretched_cells.hpp"

namespace fathom::ocean {

Entries dynamics(Part) {
    return {
        entry<MomentumAdvection>("MomentumAdvection"),
        entry<LinearMomentum>("LinearMomentum"),
        entry<PressureGradient>("PressureGradient"),
        entry<ImplicitMomentum>("ImplicitMomentum"),
        entry<AlternatingHeight>("AlternatingHeight"),
        entry<BarotropicDivergence>("BarotropicDivergence"),
        entry<BarotropicCorrection>("BarotropicCorrection"),
        entry<VolumeTransport>("VolumeTransport"),
        entry<StretchedCells>("StretchedCells"),
        entry<StretchedCorners>("StretchedCorners"),
        entry<StretchedPressureGradient>("StretchedPressureGradient"),
        entry<SurfaceVolume>("SurfaceVolume"),
        entry<FreshwaterConvergence>("FreshwaterConvergence"),
        entry<FreshwaterContent>("FreshwaterContent"),
        entry<IceFlow<true>>("IceFlowX"),
        entry<IceFlow<false>>("IceFlowY"),
        entry<IceSweep<true>>("IceSweepX"),
        entry<IceSweep<false>>("IceSweepY"),
    };
}

Entries schemes(Part) { return {dynamics(), friction(), tracer(), eddies(), overflow()}; }

}  // namespace fathom::ocean
