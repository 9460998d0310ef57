#include "physics/schemes.hpp"
#include "field/adjoint.hpp"
#include "physics/idealised/column.hpp"
#include "physics/idealised/held_suarez.hpp"
#include "physics/idealised/reed_jablonowski.hpp"

namespace fathom::physics {

Entries idealised() {
    return {linear_entry<HeldSuarez>("HeldSuarez"), entry<ColumnHydrostatics>("ColumnHydrostatics"),
            entry<ColumnStep>("ColumnStep"), entry<ReedJablonowski>("ReedJablonowski")};
}

}  // namespace fathom::physics
