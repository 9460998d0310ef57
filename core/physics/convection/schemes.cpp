#include "physics/schemes.hpp"
#include "physics/convection/betts_miller.hpp"
#include "physics/convection/mass_flux.hpp"

namespace fathom::physics {

Entries convection() {
    return {entry<BettsMiller>("BettsMiller"), entry<MassFluxConvection>("MassFluxConvection")};
}

}  // namespace fathom::physics
