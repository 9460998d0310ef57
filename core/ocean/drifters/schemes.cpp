#include "ocean/schemes.hpp"
#include "ocean/drifters/drift.hpp"

namespace fathom::ocean {

Entries drifters() { return {entry<Drift>("Drift")}; }

}  // namespace fathom::ocean
