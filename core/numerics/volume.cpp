#include "numerics/freshwater.hpp"
#include "numerics/overflow.hpp"
#include "numerics/schemes.hpp"
#include "numerics/stretched_cells.hpp"

namespace fathom::numerics {

Entries volume_schemes() {
    return {entry<StretchedCells>("StretchedCells"), entry<StretchedCorners>("StretchedCorners"), entry<StretchedPressureGradient>("StretchedPressureGradient"), entry<SurfaceVolume>("SurfaceVolume"),
            entry<FreshwaterConvergence>("FreshwaterConvergence"), entry<FreshwaterContent>("FreshwaterContent"), entry<FreshwaterBalance>("FreshwaterBalance"),
            entry<OverflowTransport>("OverflowTransport"), entry<OverflowProduct>("OverflowProduct"), entry<OverflowConvergence>("OverflowConvergence"), entry<OverflowVolume>("OverflowVolume"),
            entry<OverflowContent>("OverflowContent")};
}

}  // namespace fathom::numerics
