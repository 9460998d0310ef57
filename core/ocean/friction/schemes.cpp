#include "ocean/schemes.hpp"
#include "ocean/friction/friction.hpp"
#include "ocean/friction/strain_friction.hpp"

namespace fathom::ocean {

Entries friction(Part) {
    return {entry<LaplacianFriction>("LaplacianFriction"),
            entry<VelocityLaplacian>("VelocityLaplacian"),
            entry<BiharmonicFriction>("BiharmonicFriction").with("first pass", "VelocityLaplacian"),
            entry<AnisotropicFriction>("AnisotropicFriction"),
            entry<FlowDirection>("FlowDirection"),
            entry<StrainViscosity<false>>("SmagorinskyViscosity"),
            entry<StrainViscosity<true>>("BiharmonicSmagorinskyViscosity"),
            entry<StrainFriction<StrainPart::friction>>("StrainFriction"),
            entry<StrainFriction<StrainPart::first>>("StrainLaplacian"),
            entry<StrainFriction<StrainPart::second>>("BiharmonicStrainFriction")};
}

}  // namespace fathom::ocean
