#include "physics/schemes.hpp"
#include "physics/land/exchange.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/lake.hpp"
#include "physics/land/snowfall.hpp"
#include "physics/land/soil_layers.hpp"

namespace fathom::physics {

Entries land() {
    return {entry<SurfaceState>("SurfaceState"),
            entry<GroundResponse>("GroundResponse"),
            entry<BulkExchange>("BulkExchange"),
            entry<Snowfall<false>>("Snowfall"),
            entry<Snowfall<true>>("SnowfallOfConvection"),
            entry<LandSurface>("LandSurface").with("response", "GroundResponse"),
            entry<SoilResponse>("SoilResponse"),
            entry<SoilLayers>("SoilLayers").with("response", "SoilResponse"),
            entry<MixedLake>("MixedLake")};
}

}  // namespace fathom::physics
