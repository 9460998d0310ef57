#include "ocean/schemes.hpp"
#include "field/by_hand_entry.hpp"
#include "ocean/eddies/eddy_structure.hpp"
#include "ocean/eddies/gent_mcwilliams.hpp"
#include "ocean/eddies/mixed_layer_eddies.hpp"

namespace fathom::ocean {

template <bool own> using TanhTaperedSlopes = NeutralSlopes<TanhTaper, own>;
template <bool own> using QuadraticTaperedSlopes = NeutralSlopes<QuadraticTaper, own>;
template <bool own> using ClippedSlopes = NeutralSlopes<Clipping, own>;

Entries eddies(Part) {
    return {by_hand_entry<TanhTaperedSlopes>("TanhTaperedSlopes"),
            by_hand_entry<QuadraticTaperedSlopes>("QuadraticTaperedSlopes"),
            by_hand_entry<ClippedSlopes>("ClippedSlopes"),
            by_hand_entry<IsoneutralFlux>("IsoneutralFlux"),
            linear_entry<SlopedFlux>("SlopedFlux"),
            linear_entry<IsoneutralMixing>("IsoneutralMixing"),
            linear_entry<BolusTransport>("BolusTransport"),
            linear_entry<MixedLayerDepth>("MixedLayerDepth"),
            linear_entry<StratificationStructure>("StratificationStructure"),
            linear_entry<EadyStructure>("EadyStructure"),
            linear_entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"),
            by_hand_entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::ocean
