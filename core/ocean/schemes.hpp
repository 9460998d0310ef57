/// The catalogue of the ocean: one list per folder, each compiled separately.
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
