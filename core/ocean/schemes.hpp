/// The catalogue of the ocean: one list per folder, each compiled separately.
#pragma once
#include "field/entry.hpp"

namespace fathom::ocean {

Entries dynamics(Part = {});
Entries friction(Part = {});
Entries tracer(Part = {});
Entries eddies(Part = {});
Entries overflow(Part = {});
Entries open_edges(Part = {});
Entries ecosystem(Part = {});
Entries schemes(Part = {});  ///< all of them

}  // namespace fathom::ocean
