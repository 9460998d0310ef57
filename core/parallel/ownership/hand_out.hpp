/// Gives pieces of a grid to other ranks: neighbouring pieces are then on one node, for any
/// placement of ranks on nodes.
#pragma once
#include <vector>
#include "parallel/ownership/domain.hpp"

namespace fathom {

/// The piece of rank r goes to rank order[r]; empty: nothing changes.
void hand_out(Domain&, const std::vector<int>& order);

}  // namespace fathom
