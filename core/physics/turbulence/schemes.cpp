#include "physics/schemes.hpp"
#include "physics/turbulence/constant.hpp"
#include "physics/turbulence/richardson.hpp"

namespace fathom::physics {

std::vector<Entry> turbulence() { return {entry<RichardsonMixing>("RichardsonMixing"), entry<ConstantMixing>("ConstantMixing")}; }

}  // namespace fathom::physics
