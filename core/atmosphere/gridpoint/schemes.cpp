#include "atmosphere/gridpoint/schemes.hpp"
#include "atmosphere/gridpoint/physics.hpp"
#include "atmosphere/gridpoint/step.hpp"
#include "atmosphere/gridpoint/water.hpp"

namespace fathom::atmosphere::gridpoint {

Entries schemes(Part) {
    return {
        entry<GridPointExner>("GridPointExner"),
        entry<GridPointMotion>("GridPointMotion"),
        entry<GridPointForces>("GridPointForces"),
        entry<GridPointDeepRotation>("GridPointDeepRotation"),
        entry<GridPointDeepRotationAcross>("GridPointDeepRotationAcross"),
        entry<GridPointLinearState>("GridPointLinearState"),
        entry<GridPointStart>("GridPointStart"),
        entry<GridPointWindAside>("GridPointWindAside"),
        entry<GridPointWindAsideDeep>("GridPointWindAsideDeep"),
        entry<GridPointColumns>("GridPointColumns"),
        entry<GridPointPhysics>("GridPointPhysics"),
        entry<FactorOfMoistAir>("FactorOfMoistAir"),
        entry<WeightOfWater>("WeightOfWater"),
        entry<TemperatureByFactor>("TemperatureByFactor"),
        entry<VirtualTendencyOfMoistAir>("VirtualTendencyOfMoistAir"),
        entry<VirtualTendencyOfWater>("VirtualTendencyOfWater"),
        entry<GridPointDiffusion>("GridPointDiffusion"),
        entry<GridPointResiduals>("GridPointResiduals"),
        entry<GridPointRim>("GridPointRim"),
        entry<HelmholtzRightSide>("HelmholtzRightSide"),
        entry<GridPointIncrements>("GridPointIncrements"),
        entry<GridPointWind>("GridPointWind"),
    };
}

}  // namespace fathom::atmosphere::gridpoint
