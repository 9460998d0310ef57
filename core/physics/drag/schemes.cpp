#include "physics/schemes.hpp"
#include "physics/drag/blocking.hpp"
#include "physics/drag/orographic.hpp"

namespace fathom::physics {

Entries drag(Part) {
    return {entry<OrographicDrag>("OrographicDrag"),
            entry<OrographicBlocking>("OrographicBlocking")};
}

}  // namespace fathom::physics
