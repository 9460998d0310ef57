#include "physics/schemes.hpp"
#include "physics/drag/orographic.hpp"

namespace fathom::physics {

std::vector<Entry> drag() { return {entry<OrographicDrag>("OrographicDrag")}; }

}  // namespace fathom::physics
