#include "atmosphere/schemes.hpp"
#include "atmosphere/hydrostatic/budget.hpp"
#include "atmosphere/hydrostatic/energy.hpp"
#include "atmosphere/hydrostatic/eulerian.hpp"
#include "atmosphere/hydrostatic/moist_linear.hpp"
#include "atmosphere/hydrostatic/primitive_linear.hpp"
#include "atmosphere/hydrostatic/step_linear.hpp"
#include "atmosphere/hydrostatic/terms_linear.hpp"
#include "atmosphere/nonhydrostatic/climb_linear.hpp"
#include "atmosphere/nonhydrostatic/equations_linear.hpp"
#include "atmosphere/nonhydrostatic/extrapolation.hpp"
#include "atmosphere/nonhydrostatic/step_linear.hpp"
#include "atmosphere/shallow_water/terms_linear.hpp"
#include "field/linear_entry.hpp"

namespace fathom::atmosphere {

Entries schemes(Part) {
    return {
        linear_entry<HybridPressure>("HybridPressure"),
        linear_entry<HydrostaticGeopotential>("HydrostaticGeopotential"),
        linear_entry<PrimitiveEquations>("PrimitiveEquations"),
        linear_entry<SemiImplicitTerms>("SemiImplicitTerms"),
        linear_entry<WindExtrapolation>("WindExtrapolation"),
        linear_entry<TendencyStart>("TendencyStart"),
        linear_entry<Arrival>("Arrival"),
        linear_entry<ImplicitCoriolis>("ImplicitCoriolis"),
        linear_entry<TracerTendencyStart>("TracerTendencyStart"),
        linear_entry<TracerPhysics>("TracerPhysics"),
        linear_entry<LogSurfacePressure>("LogSurfacePressure"),
        linear_entry<TemperatureOfMoistAir>("TemperatureOfMoistAir"),
        linear_entry<VirtualTemperatureTendency>("VirtualTemperatureTendency"),
        linear_entry<CompressibleEquations>("CompressibleEquations"),
        linear_entry<UpwardVelocity>("UpwardVelocity"),
        linear_entry<CompressibleNonlinear>("CompressibleNonlinear"),
        linear_entry<CompressibleCarried>("CompressibleCarried"),
        entry<CompressibleExtrapolation>("CompressibleExtrapolation"),
        linear_entry<CompressibleArrival>("CompressibleArrival"),
        linear_entry<LevelPressureCarried>("LevelPressureCarried"),
        linear_entry<ArrivalOnLevels>("ArrivalOnLevels"),
        entry<EulerianTendencies>("EulerianTendencies"),
        entry<EulerianTracer>("EulerianTracer"),
        entry<ColumnEnergy>("ColumnEnergy"),
        linear_entry<TendencyContent>("TendencyContent"),
        entry<KineticContent>("KineticContent"),
        linear_entry<MassFlow>("MassFlow"),
        linear_entry<ShallowWaterTerms>("ShallowWaterTerms"),
        linear_entry<ShallowWaterArrival>("ShallowWaterArrival"),
        entry<ShallowWaterFluxes>("ShallowWaterFluxes"),
    };
}

}  // namespace fathom::atmosphere
