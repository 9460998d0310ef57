#include "numerics/tracer_sources.hpp"
#include "numerics/drift.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

Entries tracer_source_schemes() {
    return {entry<Ageing>("Ageing"), entry<Release>("Release"), entry<Keep>("Keep"), entry<Drift>("Drift")};
}

}  // namespace fathom::numerics
