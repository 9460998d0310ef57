#include "physics/schemes.hpp"
#include "physics/idealised/held_suarez.hpp"

namespace fathom::physics {

std::vector<Entry> idealised() { return {entry<HeldSuarez>("HeldSuarez")}; }

}  // namespace fathom::physics
