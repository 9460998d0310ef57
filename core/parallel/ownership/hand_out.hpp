/// Pieces of a grid go to other ranks than they were made for: neighbours to one node, however
/// ranks lie on nodes.
#pragma once
#include <vector>
#include "parallel/ownership/domain.hpp"

namespace fathom {

/// What was the piece of rank r becomes that of rank order[r]; empty: nothing changes.
void hand_out(Domain&, const std::vector<int>& order);

}  // namespace fathom
