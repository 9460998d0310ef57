/// The schemes of the grid-point atmosphere.
#pragma once
#include "field/entry.hpp"

namespace fathom::atmosphere::gridpoint {

Entries schemes(Part = {});

}  // namespace fathom::atmosphere::gridpoint
