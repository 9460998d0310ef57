#include "physics/schemes.hpp"
#include "physics/drag/orographic.hpp"

namespace fathom::physics {

Entries drag() { return {entry<OrographicDrag>("OrographicDrag")}; }

}  // namespace fathom::physics
