/// The schemes of the column physics: one list for each phenomenon, compiled separately.
#pragma once
#include "field/entry.hpp"

namespace fathom::physics {

Entries thermodynamics();
Entries turbulence();
Entries sea_surface();
Entries sea_ice();
Entries land();
Entries convection();
Entries cloud();
Entries radiation();
Entries drag();
Entries idealised();
Entries schemes();  ///< all of them

}  // namespace fathom::physics
