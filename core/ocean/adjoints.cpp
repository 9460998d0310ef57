/// Adjoints of the schemes of motion and of the free surface, apart from their kernels.
#include "field/adjoint.hpp"
#include "ocean/free_surface.hpp"
#include "ocean/freshwater.hpp"
#include "ocean/momentum.hpp"
#include "ocean/stretched_cells.hpp"

namespace fathom {

template struct AdjointByTape<ocean::MomentumAdvection<false>>;
template struct AdjointByTape<ocean::MomentumAdvection<true>>;
template struct AdjointByTape<ocean::LinearMomentum>;
template struct AdjointByTape<ocean::PressureGradient>;
template struct AdjointByTape<ocean::ImplicitMomentum<false>>;
template struct AdjointByTape<ocean::ImplicitMomentum<true>>;
template struct AdjointByTape<ocean::AlternatingHeight>;
template struct AdjointByTape<ocean::BarotropicDivergence>;
template struct AdjointByTape<ocean::BarotropicCorrection>;
template struct AdjointByTape<ocean::VolumeTransport<false>>;
template struct AdjointByTape<ocean::VolumeTransport<true>>;
template struct AdjointByTape<ocean::StretchedCells>;
template struct AdjointByTape<ocean::StretchedCorners>;
template struct AdjointByTape<ocean::StretchedPressureGradient>;
template struct AdjointByTape<ocean::SurfaceVolume>;
template struct AdjointByTape<ocean::FreshwaterConvergence>;
template struct AdjointByTape<ocean::FreshwaterContent>;

}  // namespace fathom
