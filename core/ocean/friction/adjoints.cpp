/// Adjoints of friction, apart from the kernels.
#include "field/adjoint.hpp"
#include "ocean/friction/friction.hpp"
#include "ocean/friction/strain_friction.hpp"

namespace fathom {

template struct AdjointByTape<ocean::LaplacianFriction>;
template struct AdjointByTape<ocean::VelocityLaplacian>;
template struct AdjointByTape<ocean::BiharmonicFriction>;
template struct AdjointByTape<ocean::AnisotropicFriction>;
template struct AdjointByTape<ocean::FlowDirection>;
template struct AdjointByTape<ocean::StrainViscosity<false>>;
template struct AdjointByTape<ocean::StrainViscosity<true>>;
template struct AdjointByTape<ocean::StrainFriction<ocean::StrainPart::friction>>;
template struct AdjointByTape<ocean::StrainFriction<ocean::StrainPart::first>>;
template struct AdjointByTape<ocean::StrainFriction<ocean::StrainPart::second>>;

}  // namespace fathom
