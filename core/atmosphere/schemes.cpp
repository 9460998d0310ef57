#include "atmosphere/schemes.hpp"
#include "atmosphere/hydrostatic/energy.hpp"
#include "atmosphere/hydrostatic/eulerian.hpp"
#include "atmosphere/hydrostatic/primitive.hpp"
#include "atmosphere/shallow_water/terms.hpp"

namespace fathom::atmosphere {

Entries schemes() {
    return {
        entry<HybridPressure>("HybridPressure"),
        entry<HydrostaticGeopotential>("HydrostaticGeopotential"),
        entry<PrimitiveEquations>("PrimitiveEquations"),
        entry<SemiImplicitTerms>("SemiImplicitTerms"),
        entry<WindExtrapolation>("WindExtrapolation"),
        entry<TendencyStart>("TendencyStart"),
        entry<Arrival>("Arrival"),
        entry<ImplicitCoriolis>("ImplicitCoriolis"),
        entry<TracerTendencyStart>("TracerTendencyStart"),
        entry<TracerPhysics>("TracerPhysics"),
        entry<LogSurfacePressure>("LogSurfacePressure"),
        entry<TemperatureOfMoistAir>("TemperatureOfMoistAir"),
        entry<VirtualTemperatureTendency>("VirtualTemperatureTendency"),
        entry<EulerianTendencies>("EulerianTendencies"),
        entry<EulerianTracer>("EulerianTracer"),
        entry<ColumnEnergy>("ColumnEnergy"),
        entry<ShallowWaterTerms>("ShallowWaterTerms"),
        entry<ShallowWaterArrival>("ShallowWaterArrival"),
        entry<ShallowWaterFluxes>("ShallowWaterFluxes"),
    };
}

}  // namespace fathom::atmosphere
