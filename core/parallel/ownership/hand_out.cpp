#include "parallel/ownership/hand_out.hpp"
#include <algorithm>
#include <numeric>
#include "base/error.hpp"

namespace fathom {

void hand_out(Domain& domain, const std::vector<int>& order) {
    if (order.empty()) return;
    auto& d = domain.decomposition;
    std::vector<int> all(d.ranks);
    std::iota(all.begin(), all.end(), 0);
    if (!std::ranges::is_permutation(order, all))
        throw Error("an order of ", order.size(), " ranks; ", d.ranks, " have pieces of the grid");
    for (auto& block : d.blocks)
        if (block.owner >= 0) block.owner = order[block.owner];
    const auto load = d.load;
    for (std::size_t r = 0; r < load.size(); ++r) d.load[order[r]] = load[r];
    domain.blocks = d.of(domain.rank);
}

}  // namespace fathom
