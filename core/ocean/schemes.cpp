#include "ocean/schemes.hpp"
#include "field/by_hand_entry.hpp"
#include "ocean/budget/schemes.hpp"
#include "ocean/free_surface.hpp"
#include "ocean/freshwater.hpp"
#include "ocean/momentum.hpp"
#include "ocean/sea_ice/transport.hpp"
#include "ocean/stretched_cells.hpp"
#include "ocean/surface_potential.hpp"

namespace fathom::ocean {

Entries dynamics(Part) {
    return {
        by_hand_entry<MomentumAdvection>("MomentumAdvection"),
        linear_entry<LinearMomentum>("LinearMomentum"),
        by_hand_entry<PressureGradient>("PressureGradient"),
        by_hand_entry<ImplicitMomentum>("ImplicitMomentum"),
        by_hand_entry<AlternatingHeight>("AlternatingHeight"),
        by_hand_entry<BarotropicDivergence>("BarotropicDivergence"),
        by_hand_entry<BarotropicCorrection>("BarotropicCorrection"),
        by_hand_entry<VolumeTransport>("VolumeTransport"),
        linear_entry<StretchedCells>("StretchedCells"),
        linear_entry<StretchedCorners>("StretchedCorners"),
        linear_entry<StretchedPressureGradient>("StretchedPressureGradient"),
        linear_entry<SurfaceVolume>("SurfaceVolume"),
        linear_entry<FreshwaterConvergence>("FreshwaterConvergence"),
        linear_entry<FreshwaterContent>("FreshwaterContent"),
        entry<TidalForce>("TidalForce"),
        entry<InternalWaveDrag>("InternalWaveDrag"),
        entry<AirPressureForce>("AirPressureForce"),
        entry<IceFlow<true>>("IceFlowX"),
        entry<IceFlow<false>>("IceFlowY"),
        entry<IceSweep<true>>("IceSweepX"),
        entry<IceSweep<false>>("IceSweepY"),
    };
}

Entries schemes(Part) {
    return {dynamics(), friction(),   tracer(),    eddies(),
            overflow(), open_edges(), ecosystem(), momentum_budget()};
}

}  // namespace fathom::ocean
