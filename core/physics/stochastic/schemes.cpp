#include "physics/schemes.hpp"
#include "physics/stochastic/factor.hpp"

namespace fathom::physics {

Entries stochastic(Part) {
    return {entry<TendencyFactor>("TendencyFactor"), entry<TracerFactor>("TracerFactor"),
            entry<BackscatterWind>("BackscatterWind")};
}

}  // namespace fathom::physics
