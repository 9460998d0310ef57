#include "ocean/schemes.hpp"
#include "field/by_hand_entry.hpp"
#include "ocean/friction/friction.hpp"
#include "ocean/friction/strain_friction.hpp"

namespace fathom::ocean {

Entries friction(Part) {
    return {by_hand_entry<LaplacianFriction>("LaplacianFriction"),
            linear_entry<VelocityLaplacian>("VelocityLaplacian"),
            linear_entry<BiharmonicFriction>("BiharmonicFriction")
                .with("first pass", "VelocityLaplacian"),
            linear_entry<AnisotropicFriction>("AnisotropicFriction"),
            linear_entry<FlowDirection>("FlowDirection"),
            linear_entry<StrainViscosity<false>>("SmagorinskyViscosity"),
            linear_entry<StrainViscosity<true>>("BiharmonicSmagorinskyViscosity"),
            linear_entry<StrainFriction<StrainPart::friction>>("StrainFriction"),
            linear_entry<StrainFriction<StrainPart::first>>("StrainLaplacian"),
            linear_entry<StrainFriction<StrainPart::second>>("BiharmonicStrainFriction")};
}

}  // namespace fathom::ocean
