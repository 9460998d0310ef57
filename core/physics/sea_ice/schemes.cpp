#include "physics/schemes.hpp"
#include "physics/sea_ice/cover.hpp"

namespace fathom::physics {

Entries sea_ice() { return {entry<IceCover>("IceCover")}; }

}  // namespace fathom::physics
