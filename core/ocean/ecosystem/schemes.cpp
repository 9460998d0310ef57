#include "ocean/schemes.hpp"
#include "ocean/ecosystem/npzd.hpp"
#include "ocean/ecosystem/redfield.hpp"

namespace fathom::ocean {

Entries ecosystem(Part) {
    return {entry<NPZD>("NPZD"), entry<RedfieldCarbon>("RedfieldCarbon"),
            entry<RedfieldOxygen>("RedfieldOxygen")};
}

}  // namespace fathom::ocean
