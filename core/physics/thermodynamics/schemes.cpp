#include "physics/schemes.hpp"
#include "field/linear_entry.hpp"
#include "physics/thermodynamics/density.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/pressure.hpp"
#include "physics/thermodynamics/secant_bulk.hpp"
#include "physics/thermodynamics/state_linear.hpp"
#include "physics/thermodynamics/surface_buoyancy.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom::physics {

template <class State, class ExpansionOf = Expansion<State>>
Entries equation_of_state(const std::string& name) {
    const std::string expansion = name + "Expansion", buoyancy = name + "SurfaceBuoyancy";
    return {
        linear_entry<State>(name).with("expansion", expansion).with("surface_buoyancy", buoyancy),
        linear_entry<ExpansionOf>(expansion), linear_entry<SurfaceBuoyancy<State>>(buoyancy)};
}

Entries thermodynamics(Part) {
    return {linear_entry<HydrostaticPressure>("HydrostaticPressure"),
            equation_of_state<LinearEquationOfState, LinearExpansion>("LinearEquationOfState"),
            equation_of_state<MWJF>("MWJF"),
            equation_of_state<JMCD>("JMCD"),
            equation_of_state<UNESCO>("UNESCO"),
            equation_of_state<TEOS10Polynomial>("TEOS10Polynomial")};
}

}  // namespace fathom::physics
