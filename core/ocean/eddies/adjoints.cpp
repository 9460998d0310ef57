/// Adjoints of the effect of eddies, apart from the kernels.
#include "field/adjoint.hpp"
#include "ocean/eddies/eddy_structure.hpp"
#include "ocean/eddies/gent_mcwilliams.hpp"
#include "ocean/eddies/mixed_layer_eddies.hpp"
#include "ocean/eddies/neutral_slopes.hpp"

namespace fathom {

template struct AdjointByTape<ocean::NeutralSlopes<ocean::TanhTaper, false>>;
template struct AdjointByTape<ocean::NeutralSlopes<ocean::TanhTaper, true>>;
template struct AdjointByTape<ocean::NeutralSlopes<ocean::QuadraticTaper, false>>;
template struct AdjointByTape<ocean::NeutralSlopes<ocean::QuadraticTaper, true>>;
template struct AdjointByTape<ocean::NeutralSlopes<ocean::Clipping, false>>;
template struct AdjointByTape<ocean::NeutralSlopes<ocean::Clipping, true>>;
template struct AdjointByTape<ocean::IsoneutralFlux<false>>;
template struct AdjointByTape<ocean::IsoneutralFlux<true>>;
template struct AdjointByTape<ocean::SlopedFlux>;
template struct AdjointByTape<ocean::IsoneutralMixing>;
template struct AdjointByTape<ocean::BolusTransport>;
template struct AdjointByTape<ocean::MixedLayerDepth>;
template struct AdjointByTape<ocean::StratificationStructure>;
template struct AdjointByTape<ocean::EadyStructure>;
template struct AdjointByTape<ocean::MixedLayerBuoyancy>;
template struct AdjointByTape<ocean::MixedLayerEddies>;

}  // namespace fathom
