#include "atmosphere/schemes.hpp"
#include "atmosphere/hydrostatic/energy.hpp"
#include "atmosphere/hydrostatic/eulerian.hpp"
#include "atmosphere/hydrostatic/primitive.hpp"
#include "atmosphere/shallow_water/terms.hpp"

namespace fathom::atmosphere {

Entries schemes() {
    return {entry<HybridPressure>("HybridPressure"),
            entry<HydrostaticGeopotential>("HydrostaticGeopotential"),
            entry<PrimitiveEquations>("PrimitiveEquations"),
            entry<SemiImplicitTerms>("SemiImplicitTerms"),
            entry<WindExtrapolation>("WindExtrapolation"),
            entry<TendencyStart>("TendencyStart"),
            entry<Arrival>("Arrival"),
            entry<ImplicitCoriolis>("ImplicitCoriolis"),
            entry<SemiLagrangianTransport>("SemiLagrangianTransport"),
            entry<TracerTransport>("TracerTransport"),
            entry<TracerMass>("TracerMass"),
            entry<TracerTendencyStart>("TracerTendencyStart"),
            entry<TracerPhysics>("TracerPhysics"),
            entry<LogSurfacePressure>("LogSurfacePressure"),
            entry<TemperatureOfMoistAir>("TemperatureOfMoistAir"),
            entry<VirtualTemperatureTendency>("VirtualTemperatureTendency"),
            entry<SpectralStep>("SpectralStep"),
            entry<EulerianTendencies>("EulerianTendencies"),
            entry<EulerianTracer>("EulerianTracer"),
            entry<SpectralLeapfrog>("SpectralLeapfrog"),
            entry<TracerLeapfrog>("TracerLeapfrog"),
            entry<ColumnEnergy>("ColumnEnergy"),
            entry<TotalEnergy>("TotalEnergy"),
            entry<ShallowWaterTerms>("ShallowWaterTerms"),
            entry<ShallowWaterArrival>("ShallowWaterArrival"),
            entry<ShallowWaterTransport>("ShallowWaterTransport"),
            entry<ShallowWaterStep>("ShallowWaterStep"),
            entry<ShallowWaterFluxes>("ShallowWaterFluxes"),
            entry<ShallowWaterLeapfrog>("ShallowWaterLeapfrog")};
}

}  // namespace fathom::atmosphere
