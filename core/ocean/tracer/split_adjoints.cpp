/// Adjoints of advection along one direction after another, apart from the kernels.
#include "field/adjoint.hpp"
#include "ocean/tracer/split_advection.hpp"

namespace fathom {

template struct AdjointByTape<ocean::SweepVolumes<false>>;
template struct AdjointByTape<ocean::SweepVolumes<true>>;
template struct AdjointByTape<ocean::FirstSweep<false, false>>;
template struct AdjointByTape<ocean::FirstSweep<false, true>>;
template struct AdjointByTape<ocean::FirstSweep<true, false>>;
template struct AdjointByTape<ocean::FirstSweep<true, true>>;
template struct AdjointByTape<ocean::SplitAdvection<false, false>>;
template struct AdjointByTape<ocean::SplitAdvection<false, true>>;
template struct AdjointByTape<ocean::SplitAdvection<true, false>>;
template struct AdjointByTape<ocean::SplitAdvection<true, true>>;

}  // namespace fathom
