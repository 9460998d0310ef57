#include "atmosphere/gridpoint/schemes.hpp"
#include "atmosphere/gridpoint/physics.hpp"
#include "atmosphere/gridpoint/step.hpp"

namespace fathom::atmosphere::gridpoint {

Entries schemes() {
    return {
        entry<GridPointExner>("GridPointExner"),
        entry<GridPointMotion>("GridPointMotion"),
        entry<GridPointForces>("GridPointForces"),
        entry<GridPointDeepRotation>("GridPointDeepRotation"),
        entry<GridPointLinearState>("GridPointLinearState"),
        entry<GridPointStart>("GridPointStart"),
        entry<GridPointColumns>("GridPointColumns"),
        entry<GridPointPhysics>("GridPointPhysics"),
        entry<GridPointDiffusion>("GridPointDiffusion"),
        entry<GridPointResiduals>("GridPointResiduals"),
        entry<HelmholtzRightSide>("HelmholtzRightSide"),
        entry<GridPointIncrements>("GridPointIncrements"),
        entry<GridPointWind>("GridPointWind"),
    };
}

}  // namespace fathom::atmosphere::gridpoint
