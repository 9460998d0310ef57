#include "physics/schemes.hpp"
#include "field/linear_entry.hpp"
#include "physics/idealised/column.hpp"
#include "physics/idealised/held_suarez_linear.hpp"
#include "physics/idealised/reed_jablonowski.hpp"
#include "physics/idealised/simplified_linear.hpp"

namespace fathom::physics {

Entries idealised(Part) {
    return {linear_entry<HeldSuarez>("HeldSuarez"),
            entry<ColumnHydrostatics>("ColumnHydrostatics"),
            entry<ColumnStep>("ColumnStep"),
            entry<ReedJablonowski>("ReedJablonowski"),
            linear_entry<SmoothMixing>("SmoothMixing"),
            linear_entry<SmoothCondensation>("SmoothCondensation")};
}

}  // namespace fathom::physics
