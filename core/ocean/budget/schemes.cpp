#include "ocean/budget/schemes.hpp"
#include "ocean/budget/momentum.hpp"

namespace fathom::ocean {

Entries momentum_budget(Part) {
    return {entry<MomentumShare<true>>("FirstMomentumShare"),
            entry<MomentumShare<false>>("MomentumShare"), entry<CoriolisShare>("CoriolisShare"),
            entry<MomentumRest>("MomentumRest"), entry<VorticityShare>("VorticityShare")};
}

}  // namespace fathom::ocean
