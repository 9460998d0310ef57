#include "physics/schemes.hpp"
#include "physics/land/exchange.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/snowfall.hpp"

namespace fathom::physics {

Entries land() {
    return {entry<SurfaceState>("SurfaceState"),           entry<GroundResponse>("GroundResponse"),
            entry<BulkExchange>("BulkExchange"),           entry<Snowfall<false>>("Snowfall"),
            entry<Snowfall<true>>("SnowfallOfConvection"), entry<LandSurface>("LandSurface")};
}

}  // namespace fathom::physics
