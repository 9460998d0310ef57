#include "physics/schemes.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/pressure.hpp"
#include "physics/thermodynamics/secant_bulk.hpp"
#include "physics/thermodynamics/surface_buoyancy.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom::physics {

template <class State> Entries equation_of_state(const std::string& name) {
    return {entry<State>(name), entry<Expansion<State>>(name + "Expansion"),
            entry<SurfaceBuoyancy<State>>(name + "SurfaceBuoyancy")};
}

Entries thermodynamics() {
    return {entry<HydrostaticPressure>("HydrostaticPressure"),
            entry<LinearEquationOfState>("LinearEquationOfState"),
            entry<LinearExpansion>("LinearEquationOfStateExpansion"),
            entry<SurfaceBuoyancy<LinearEquationOfState>>("LinearEquationOfStateSurfaceBuoyancy"),
            equation_of_state<MWJF>("MWJF"),
            equation_of_state<JMCD>("JMCD"),
            equation_of_state<UNESCO>("UNESCO"),
            equation_of_state<TEOS10Polynomial>("TEOS10Polynomial")};
}

}  // namespace fathom::physics
