#include "ocean/schemes.hpp"
#include "ocean/ecosystem/npzd.hpp"

namespace fathom::ocean {

Entries ecosystem(Part) { return {entry<NPZD>("NPZD")}; }

}  // namespace fathom::ocean
