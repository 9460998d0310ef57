#include "physics/schemes.hpp"
#include "physics/convection/betts_miller.hpp"

namespace fathom::physics {

Entries convection() { return {entry<BettsMiller>("BettsMiller")}; }

}  // namespace fathom::physics
