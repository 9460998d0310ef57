#include "ocean/schemes.hpp"
#include "ocean/eddies/eddy_structure.hpp"
#include "ocean/eddies/gent_mcwilliams.hpp"
#include "ocean/eddies/mixed_layer_eddies.hpp"

namespace fathom::ocean {

template <bool own> using TanhTaperedSlopes = NeutralSlopes<TanhTaper, own>;
template <bool own> using QuadraticTaperedSlopes = NeutralSlopes<QuadraticTaper, own>;
template <bool own> using ClippedSlopes = NeutralSlopes<Clipping, own>;

Entries eddies(Part) {
    return {entry<TanhTaperedSlopes>("TanhTaperedSlopes"),
            entry<QuadraticTaperedSlopes>("QuadraticTaperedSlopes"),
            entry<ClippedSlopes>("ClippedSlopes"),
            entry<IsoneutralFlux>("IsoneutralFlux"),
            entry<SlopedFlux>("SlopedFlux"),
            entry<IsoneutralMixing>("IsoneutralMixing"),
            entry<BolusTransport>("BolusTransport"),
            entry<MixedLayerDepth>("MixedLayerDepth"),
            entry<StratificationStructure>("StratificationStructure"),
            entry<EadyStructure>("EadyStructure"),
            entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"),
            entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::ocean
