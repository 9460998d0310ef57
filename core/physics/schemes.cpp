#include "physics/schemes.hpp"

namespace fathom::physics {

Entries schemes() {
    return {thermodynamics(), turbulence(), sea_surface(), sea_ice(),   land(),      convection(),
            cloud(),          radiation(),  drag(),        idealised(), stochastic()};
}

}  // namespace fathom::physics
