#include "physics/schemes.hpp"
#include "physics/surface/bulk.hpp"
#include "physics/surface/cover.hpp"
#include "physics/surface/exchange.hpp"
#include "physics/surface/fluxes.hpp"
#include "physics/surface/freezing.hpp"
#include "physics/surface/gas_exchange.hpp"
#include "physics/surface/geothermal.hpp"
#include "physics/surface/given.hpp"
#include "physics/surface/ground.hpp"
#include "physics/surface/interpolation.hpp"
#include "physics/surface/restoring.hpp"
#include "physics/surface/sensitivity.hpp"
#include "physics/surface/snowfall.hpp"
#include "physics/surface/stress.hpp"
#include "physics/surface/sunlight.hpp"
#include "physics/surface/water.hpp"

namespace fathom::physics {

Entries surface() {
    return {entry<TimeInterpolation<false>>("TimeInterpolation"), entry<TimeInterpolation<true>>("TimeInterpolationAtCorners"), entry<SurfaceCurrent>("SurfaceCurrent"), entry<BulkForcing>("BulkForcing"),
            entry<StressToGrid>("StressToGrid"), entry<SurfaceFluxes>("SurfaceFluxes"), entry<TemperatureRestoring>("TemperatureRestoring"),
            entry<SalinityRestoring>("SalinityRestoring"), entry<SalinityRestoringUnderIce>("SalinityRestoringUnderIce"), entry<BarnierRestoring>("BarnierRestoring"),
            entry<BulkSensitivity>("BulkSensitivity"), entry<GeothermalHeat>("GeothermalHeat"),
            entry<FreezingLimit>("FreezingLimit"), entry<GivenFlux>("GivenFlux"), entry<IceCover>("IceCover"),
            entry<SurfaceState>("SurfaceState"), entry<GroundResponse>("GroundResponse"), entry<BulkExchange>("BulkExchange"), entry<Snowfall>("Snowfall"),
            entry<LandSurface>("LandSurface"), entry<GasExchange<CFC11Gas>>("CFC11Exchange"), entry<GasExchange<CFC12Gas>>("CFC12Exchange"), entry<GasExchange<SF6Gas>>("SF6Exchange"),
            entry<JerlovWater>("JerlovWater"), entry<ChlorophyllWater>("ChlorophyllWater"), entry<ShortwaveHeating>("ShortwaveHeating")};
}

}  // namespace fathom::physics
