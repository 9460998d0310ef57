#include "ocean/drifters/drift.hpp"
#include "ocean/schemes.hpp"

namespace fathom::ocean {

Entries drifters() {
    return {entry<Drift>("Drift")};
}

}  // namespace fathom::ocean
