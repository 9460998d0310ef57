#include "physics/schemes.hpp"
#include "physics/convection/betts_miller.hpp"
#include "physics/convection/mass_flux.hpp"
#include "physics/convection/shallow.hpp"

namespace fathom::physics {

Entries convection(Part) {
    return {entry<BettsMiller>("BettsMiller"), entry<MassFluxConvection>("MassFluxConvection"),
            entry<ShallowMassFlux>("ShallowMassFlux")};
}

}  // namespace fathom::physics
