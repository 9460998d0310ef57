/// The catalogue of budgets of momentum and vorticity.
#pragma once
#include "field/entry.hpp"

namespace fathom::ocean {

Entries momentum_budget(Part = {});

}  // namespace fathom::ocean
