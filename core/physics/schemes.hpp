/// The schemes of the column physics: one list for each phenomenon, compiled separately.
#pragma once
#include "field/entry.hpp"

namespace fathom::physics {

Entries thermodynamics(Part = {});
Entries turbulence(Part = {});
Entries sea_surface(Part = {});
Entries sea_ice(Part = {});
Entries land(Part = {});
Entries convection(Part = {});
Entries cloud(Part = {});
Entries radiation(Part = {});
Entries drag(Part = {});
Entries idealised(Part = {});
Entries stochastic(Part = {});
Entries schemes();  ///< all of them

}  // namespace fathom::physics
