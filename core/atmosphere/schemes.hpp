/// The catalogue of the dynamics of the atmosphere.
#pragma once
#include "field/entry.hpp"

namespace fathom::atmosphere {

Entries schemes(Part = {});

}  // namespace fathom::atmosphere
