#include "physics/schemes.hpp"
#include "field/linear_entry.hpp"
#include "physics/sea_surface/bulk.hpp"
#include "physics/sea_surface/carbon.hpp"
#include "physics/sea_surface/fluxes.hpp"
#include "physics/sea_surface/frazil.hpp"
#include "physics/sea_surface/freezing.hpp"
#include "physics/sea_surface/gas_exchange.hpp"
#include "physics/sea_surface/geothermal.hpp"
#include "physics/sea_surface/given.hpp"
#include "physics/sea_surface/interpolation.hpp"
#include "physics/sea_surface/over_ice.hpp"
#include "physics/sea_surface/restoring.hpp"
#include "physics/sea_surface/runoff.hpp"
#include "physics/sea_surface/sensitivity.hpp"
#include "physics/sea_surface/storms.hpp"
#include "physics/sea_surface/stress.hpp"
#include "physics/sea_surface/sunlight.hpp"
#include "physics/sea_surface/under_air.hpp"
#include "physics/sea_surface/water.hpp"

namespace fathom::physics {

Entries sea_surface(Part) {
    return {entry<TimeInterpolation<false>>("TimeInterpolation"),
            entry<TimeInterpolation<true>>("TimeInterpolationAtCorners"),
            linear_entry<SurfaceCurrent>("SurfaceCurrent"),
            entry<StormyWind>("StormyWind"),
            linear_entry<BulkForcing>("BulkForcing"),
            entry<WaterUnderAir>("WaterUnderAir"),
            entry<SeaUnderAir>("SeaUnderAir"),
            entry<IceUnderAir>("IceUnderAir"),
            entry<IceCoverOfStep>("IceCoverOfStep"),
            entry<HeatNotTaken>("HeatNotTaken"),
            entry<HeatOfIcebergs>("HeatOfIcebergs"),
            entry<HeatOfWater>("HeatOfWater"),
            entry<BulkOverIce>("BulkOverIce"),
            entry<GivenWaterOverIce>("GivenWaterOverIce"),
            linear_entry<StressToGrid>("StressToGrid"),
            linear_entry<SurfaceFluxes>("SurfaceFluxes"),
            linear_entry<Runoff>("Runoff"),
            linear_entry<TemperatureRestoring>("TemperatureRestoring"),
            linear_entry<SalinityRestoring>("SalinityRestoring"),
            linear_entry<SalinityRestoringUnderIce>("SalinityRestoringUnderIce"),
            linear_entry<BarnierRestoring>("BarnierRestoring"),
            entry<BulkSensitivity>("BulkSensitivity"),
            linear_entry<GeothermalHeat>("GeothermalHeat"),
            entry<FrazilExport>("FrazilExport"),
            entry<FreezingLimit>("FreezingLimit"),
            linear_entry<GivenFlux>("GivenFlux"),
            entry<GasExchange<CFC11Gas>>("CFC11Exchange"),
            entry<GasExchange<CFC12Gas>>("CFC12Exchange"),
            entry<GasExchange<SF6Gas>>("SF6Exchange"),
            entry<CarbonExchange>("CarbonExchange"),
            entry<OxygenExchange>("OxygenExchange"),
            linear_entry<JerlovWater>("JerlovWater"),
            entry<ChlorophyllWater>("ChlorophyllWater"),
            linear_entry<ShortwaveHeating>("ShortwaveHeating")};
}

}  // namespace fathom::physics
