/// The catalogue of the ocean: one list a room, each compiled on its own.
#pragma once
#include "field/entry.hpp"

namespace fathom::ocean {

Entries dynamics();
Entries friction();
Entries tracer();
Entries eddies();
Entries overflow();
Entries schemes();  ///< all of them

}  // namespace fathom::ocean
