#include "physics/schemes.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/pressure.hpp"
#include "physics/thermodynamics/surface_buoyancy.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom::physics {

std::vector<Entry> thermodynamics() {
    return {entry<MWJF>("MWJF"), entry<LinearEquationOfState>("LinearEquationOfState"), entry<TEOS10Polynomial>("TEOS10Polynomial"),
            entry<Expansion<MWJF>>("MWJFExpansion"), entry<LinearExpansion>("LinearEquationOfStateExpansion"), entry<Expansion<TEOS10Polynomial>>("TEOS10PolynomialExpansion"),
            entry<SurfaceBuoyancy<MWJF>>("MWJFSurfaceBuoyancy"), entry<SurfaceBuoyancy<LinearEquationOfState>>("LinearEquationOfStateSurfaceBuoyancy"),
            entry<SurfaceBuoyancy<TEOS10Polynomial>>("TEOS10PolynomialSurfaceBuoyancy"), entry<HydrostaticPressure>("HydrostaticPressure")};
}

}  // namespace fathom::physics
