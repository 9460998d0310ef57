#include "numerics/strain_friction.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

Entries strain_schemes() {
    return {entry<AnisotropicFriction>("AnisotropicFriction"), entry<FlowDirection>("FlowDirection"), entry<StrainViscosity<false>>("SmagorinskyViscosity"),
            entry<StrainViscosity<true>>("BiharmonicSmagorinskyViscosity"), entry<StrainFriction<StrainPart::friction>>("StrainFriction"),
            entry<StrainFriction<StrainPart::first>>("StrainLaplacian"), entry<StrainFriction<StrainPart::second>>("BiharmonicStrainFriction")};
}

}  // namespace fathom::numerics
