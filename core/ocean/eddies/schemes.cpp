#include "ocean/schemes.hpp"
#include "field/linear_entry.hpp"
#include "ocean/eddies/eddy_structure.hpp"
#include "ocean/eddies/gent_mcwilliams.hpp"
#include "ocean/eddies/mixed_layer_eddies.hpp"

namespace fathom::ocean {

template <bool own> using TanhTaperedSlopes = NeutralSlopes<TanhTaper, own>;
template <bool own> using QuadraticTaperedSlopes = NeutralSlopes<QuadraticTaper, own>;
template <bool own> using ClippedSlopes = NeutralSlopes<Clipping, own>;

Entries eddies(Part) {
    return {linear_entry<TanhTaperedSlopes>("TanhTaperedSlopes"),
            linear_entry<QuadraticTaperedSlopes>("QuadraticTaperedSlopes"),
            linear_entry<ClippedSlopes>("ClippedSlopes"),
            linear_entry<IsoneutralFlux>("IsoneutralFlux"),
            linear_entry<SlopedFlux>("SlopedFlux"),
            linear_entry<IsoneutralMixing>("IsoneutralMixing"),
            linear_entry<BolusTransport>("BolusTransport"),
            linear_entry<MixedLayerDepth>("MixedLayerDepth"),
            linear_entry<StratificationStructure>("StratificationStructure"),
            linear_entry<EadyStructure>("EadyStructure"),
            linear_entry<MixedLayerBuoyancy>("MixedLayerBuoyancy"),
            linear_entry<MixedLayerEddies>("MixedLayerEddies")};
}

}  // namespace fathom::ocean
