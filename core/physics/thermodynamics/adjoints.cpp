/// Adjoints of equations of state, apart from their kernels.
#include "field/adjoint.hpp"
#include "physics/thermodynamics/density.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/pressure.hpp"
#include "physics/thermodynamics/secant_bulk.hpp"
#include "physics/thermodynamics/surface_buoyancy.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom {

template struct AdjointByTape<physics::HydrostaticPressure>;
template struct AdjointByTape<physics::LinearExpansion>;
template struct AdjointByTape<physics::Expansion<physics::MWJF>>;
template struct AdjointByTape<physics::Expansion<physics::JMCD>>;
template struct AdjointByTape<physics::Expansion<physics::UNESCO>>;
template struct AdjointByTape<physics::Expansion<physics::TEOS10Polynomial>>;
template struct AdjointByTape<physics::LinearEquationOfState>;
template struct AdjointByTape<physics::MWJF>;
template struct AdjointByTape<physics::JMCD>;
template struct AdjointByTape<physics::UNESCO>;
template struct AdjointByTape<physics::TEOS10Polynomial>;
template struct AdjointByTape<physics::SurfaceBuoyancy<physics::LinearEquationOfState>>;
template struct AdjointByTape<physics::SurfaceBuoyancy<physics::MWJF>>;
template struct AdjointByTape<physics::SurfaceBuoyancy<physics::JMCD>>;
template struct AdjointByTape<physics::SurfaceBuoyancy<physics::UNESCO>>;
template struct AdjointByTape<physics::SurfaceBuoyancy<physics::TEOS10Polynomial>>;

}  // namespace fathom
