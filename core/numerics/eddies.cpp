#include "numerics/eddy_structure.hpp"
#include "numerics/isoneutral.hpp"
#include "numerics/mixed_layer_eddies.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> eddy_schemes() {
    return {entry<NeutralSlopes<TanhTaper, false>>("TanhTaperedSlopes"), entry<NeutralSlopes<TanhTaper, true>>("TanhTaperedSlopesInCells"),
            entry<NeutralSlopes<QuadraticTaper, false>>("QuadraticTaperedSlopes"), entry<NeutralSlopes<QuadraticTaper, true>>("QuadraticTaperedSlopesInCells"),
            entry<NeutralSlopes<Clipping, false>>("ClippedSlopes"), entry<NeutralSlopes<Clipping, true>>("ClippedSlopesInCells"),
            entry<IsoneutralFlux<false>>("IsoneutralFlux"), entry<IsoneutralFlux<true>>("IsoneutralFluxInCells"), entry<SlopedFlux>("SlopedFlux"), entry<IsoneutralMixing>("IsoneutralMixing"), entry<BolusTransport>("BolusTransport"),
            entry<MixedLayerDepth>("MixedLayerDepth"), entry<StratificationStructure>("StratificationStructure"), entry<EadyStructure>("EadyStructure"),
            entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"), entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::numerics
