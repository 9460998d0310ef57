#include "physics/schemes.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/pressure.hpp"
#include "physics/thermodynamics/secant_bulk.hpp"
#include "physics/thermodynamics/surface_buoyancy.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom::physics {

std::vector<Entry> thermodynamics() {
    std::vector<Entry> all{entry<HydrostaticPressure>("HydrostaticPressure"), entry<LinearEquationOfState>("LinearEquationOfState"), entry<LinearExpansion>("LinearEquationOfStateExpansion"),
                           entry<SurfaceBuoyancy<LinearEquationOfState>>("LinearEquationOfStateSurfaceBuoyancy")};
    const auto add = [&]<class State>(std::type_identity<State>, const std::string& name) {
        all.insert(all.end(), {entry<State>(name), entry<Expansion<State>>(name + "Expansion"), entry<SurfaceBuoyancy<State>>(name + "SurfaceBuoyancy")});
    };
    add(std::type_identity<MWJF>{}, "MWJF");
    add(std::type_identity<JMCD>{}, "JMCD");
    add(std::type_identity<UNESCO>{}, "UNESCO");
    add(std::type_identity<TEOS10Polynomial>{}, "TEOS10Polynomial");
    return all;
}

}  // namespace fathom::physics
