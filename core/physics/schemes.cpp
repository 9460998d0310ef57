#include "physics/schemes.hpp"

namespace fathom::physics {

Entries schemes() { return {thermodynamics(), turbulence(), surface(), convection(), cloud(), radiation(), drag(), idealised()}; }

}  // namespace fathom::physics
