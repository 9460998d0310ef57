#include "numerics/tracer_sources.hpp"
#include "numerics/drift.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

template <bool own> using KeepWithBudget = Keep<true, own>;

Entries tracer_source_schemes() {
    return {entry<Ageing>("Ageing"), entry<Release>("Release"), entry<Keep<false, false>>("Keep"), entry<KeepWithBudget>("KeepWithBudget"), entry<Drift>("Drift")};
}

}  // namespace fathom::numerics
