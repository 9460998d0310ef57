#include "numerics/eddy_structure.hpp"
#include "numerics/isoneutral.hpp"
#include "numerics/mixed_layer_eddies.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> eddy_schemes() {
    return {entry<NeutralSlopes<TanhTaper>>("TanhTaperedSlopes"), entry<NeutralSlopes<QuadraticTaper>>("QuadraticTaperedSlopes"), entry<NeutralSlopes<Clipping>>("ClippedSlopes"),
            entry<IsoneutralFlux>("IsoneutralFlux"), entry<SlopedFlux>("SlopedFlux"), entry<IsoneutralMixing>("IsoneutralMixing"), entry<BolusTransport>("BolusTransport"),
            entry<MixedLayerDepth>("MixedLayerDepth"), entry<StratificationStructure>("StratificationStructure"), entry<EadyStructure>("EadyStructure"),
            entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"), entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::numerics
