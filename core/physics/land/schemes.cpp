#include "physics/schemes.hpp"
#include "physics/land/exchange.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/lake.hpp"
#include "physics/land/sea.hpp"
#include "physics/land/snowfall.hpp"
#include "physics/land/soil_layers.hpp"
#include "physics/land/tile_diffusion.hpp"
#include "physics/land/tile_exchange.hpp"
#include "physics/land/tile_state.hpp"
#include "physics/land/tiled_land.hpp"

namespace fathom::physics {

Entries land(Part) {
    return {entry<SurfaceState>("SurfaceState"),
            entry<GroundResponse>("GroundResponse"),
            entry<BulkExchange>("BulkExchange"),
            entry<Snowfall<false>>("Snowfall"),
            entry<Snowfall<true>>("SnowfallOfConvection"),
            entry<LandSurface>("LandSurface").with("response", "GroundResponse"),
            entry<SoilResponse>("SoilResponse"),
            entry<SoilLayers>("SoilLayers").with("response", "SoilResponse"),
            entry<LakeUnder<false>>("MixedLake").with("under tiles", "MixedLakeOfTiles"),
            entry<LakeUnder<true>>("MixedLakeOfTiles"),
            entry<SeaOfRecords>("SeaOfRecords"),
            entry<HeatIntoSea>("HeatIntoSea"),
            entry<SlabUnder<false>>("SlabOfSea").with("under tiles", "SlabOfSeaOfTiles"),
            entry<SlabUnder<true>>("SlabOfSeaOfTiles"),
            entry<TileState>("TileState").with("over an ocean", "TileStateOverOcean"),
            entry<TileStateOver<OceanState>>("TileStateOverOcean"),
            entry<TileResponse>("TileResponse"),
            entry<TileExchange>("TileExchange").with("over an ocean", "TileExchangeOverOcean"),
            entry<TileExchangeOver<OceanExchange>>("TileExchangeOverOcean"),
            entry<TileDiffusion>("TileDiffusion").with("over an ocean", "TileDiffusionOverOcean"),
            entry<TileDiffusionOverOcean>("TileDiffusionOverOcean"),
            entry<SurfaceSunlight>("SurfaceSunlight"),
            entry<HeatReturned>("HeatReturned"),
            entry<TiledLand>("TiledLand")
                .with("response", "TileResponse")
                .with("surface", "TileState")
                .with("exchange", "TileExchange")
                .with("diffusion", "TileDiffusion")};
}

}  // namespace fathom::physics
