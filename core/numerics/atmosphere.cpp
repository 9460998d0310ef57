#include "numerics/eulerian.hpp"
#include "numerics/energy.hpp"
#include "numerics/primitive.hpp"
#include "numerics/schemes.hpp"
#include "numerics/shallow_water.hpp"

namespace fathom::numerics {

Entries atmosphere_schemes() {
    return {entry<HybridPressure>("HybridPressure"), entry<HydrostaticGeopotential>("HydrostaticGeopotential"), entry<PrimitiveEquations>("PrimitiveEquations"),
            entry<SemiImplicitTerms>("SemiImplicitTerms"), entry<WindExtrapolation>("WindExtrapolation"), entry<TendencyStart>("TendencyStart"), entry<Arrival>("Arrival"),
            entry<ImplicitCoriolis>("ImplicitCoriolis"),
            entry<SemiLagrangianTransport>("SemiLagrangianTransport"), entry<TracerTransport>("TracerTransport"), entry<TracerMass>("TracerMass"),
            entry<TracerTendencyStart>("TracerTendencyStart"), entry<TracerPhysics>("TracerPhysics"), entry<LogSurfacePressure>("LogSurfacePressure"),
            entry<TemperatureOfMoistAir>("TemperatureOfMoistAir"), entry<VirtualTemperatureTendency>("VirtualTemperatureTendency"), entry<SpectralStep>("SpectralStep"),
            entry<EulerianTendencies>("EulerianTendencies"), entry<EulerianTracer>("EulerianTracer"), entry<SpectralLeapfrog>("SpectralLeapfrog"), entry<TracerLeapfrog>("TracerLeapfrog"),
            entry<ColumnEnergy>("ColumnEnergy"), entry<TotalEnergy>("TotalEnergy"),
            entry<ShallowWaterTerms>("ShallowWaterTerms"), entry<ShallowWaterArrival>("ShallowWaterArrival"), entry<ShallowWaterTransport>("ShallowWaterTransport"),
            entry<ShallowWaterStep>("ShallowWaterStep"), entry<ShallowWaterFluxes>("ShallowWaterFluxes"), entry<ShallowWaterLeapfrog>("ShallowWaterLeapfrog")};
}

}  // namespace fathom::numerics
