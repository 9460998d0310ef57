/// Adjoints of the schemes of tracers, apart from their kernels.
#include "field/adjoint.hpp"
#include "ocean/tracer/advection.hpp"
#include "ocean/tracer/diffusion.hpp"
#include "ocean/tracer/sources.hpp"
#include "ocean/tracer/tracer.hpp"
#include "ocean/tracer/tracer_flow.hpp"

namespace fathom {

template struct AdjointByTape<ocean::CentredAdvection>;
template struct AdjointByTape<ocean::UpwindAdvection>;
template struct AdjointByTape<ocean::LaplacianDiffusion<false>>;
template struct AdjointByTape<ocean::LaplacianDiffusion<true>>;
template struct AdjointByTape<ocean::TracerLaplacian>;
template struct AdjointByTape<ocean::BiharmonicDiffusion<false>>;
template struct AdjointByTape<ocean::BiharmonicDiffusion<true>>;
template struct AdjointByTape<ocean::VerticalFactors<false>>;
template struct AdjointByTape<ocean::VerticalFactors<true>>;
template struct AdjointByTape<ocean::TracerUpdate<false>>;
template struct AdjointByTape<ocean::TracerUpdate<true>>;
template struct AdjointByTape<ocean::TracerFlow>;
template struct AdjointByTape<ocean::Ageing<false>>;
template struct AdjointByTape<ocean::Ageing<true>>;
template struct AdjointByTape<ocean::Release<false>>;
template struct AdjointByTape<ocean::Release<true>>;
template struct AdjointByTape<ocean::Keep>;

}  // namespace fathom
