#include "physics/schemes.hpp"
#include "physics/cloud/condensation.hpp"
#include "physics/cloud/diagnostic.hpp"
#include "physics/cloud/positive.hpp"

namespace fathom::physics {

Entries cloud() {
    return {entry<PositiveHumidity>("PositiveHumidity"),
            entry<LargeScaleCondensation>("LargeScaleCondensation"),
            entry<DiagnosticCloud>("DiagnosticCloud")};
}

}  // namespace fathom::physics
