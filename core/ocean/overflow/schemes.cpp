#include "ocean/schemes.hpp"
#include "ocean/overflow/volume.hpp"

namespace fathom::ocean {

Entries overflow(Part) {
    return {entry<OverflowConvergence>("OverflowConvergence"),
            entry<OverflowVolume>("OverflowVolume"), entry<OverflowContent>("OverflowContent")};
}

}  // namespace fathom::ocean
