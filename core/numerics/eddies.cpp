#include "numerics/eddy_structure.hpp"
#include "numerics/isoneutral.hpp"
#include "numerics/mixed_layer_eddies.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

template <bool own> using TanhTaperedSlopes = NeutralSlopes<TanhTaper, own>;
template <bool own> using QuadraticTaperedSlopes = NeutralSlopes<QuadraticTaper, own>;
template <bool own> using ClippedSlopes = NeutralSlopes<Clipping, own>;

Entries eddy_schemes() {
    return {entry<TanhTaperedSlopes>("TanhTaperedSlopes"), entry<QuadraticTaperedSlopes>("QuadraticTaperedSlopes"), entry<ClippedSlopes>("ClippedSlopes"),
            entry<IsoneutralFlux>("IsoneutralFlux"), entry<SlopedFlux>("SlopedFlux"), entry<IsoneutralMixing>("IsoneutralMixing"), entry<BolusTransport>("BolusTransport"),
            entry<MixedLayerDepth>("MixedLayerDepth"), entry<StratificationStructure>("StratificationStructure"), entry<EadyStructure>("EadyStructure"),
            entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"), entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::numerics
