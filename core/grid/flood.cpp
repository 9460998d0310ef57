#include "grid/flood.hpp"
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace fathom {

Flooded flood(const Terrain& terrain) {
    using Reached = std::tuple<double, std::int64_t, std::int64_t>;  // z', which one it was, cell
    const auto cells = std::int64_t(terrain.height.size());
    const auto ways = cells ? std::int64_t(terrain.neighbours.size()) / cells : 0;
    Flooded result{terrain.height, std::vector<std::int64_t>(cells, -1), {}};
    result.order.reserve(cells);
    std::vector<std::uint8_t> reached(terrain.shore);
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
    std::int64_t count = 0;
    for (std::int64_t cell = 0; cell < cells; ++cell)
        if (reached[cell]) front.emplace(terrain.height[cell], count++, cell);
    while (!front.empty()) {
        const auto [level, number, cell] = front.top();
        front.pop();
        result.order.push_back(cell);
        for (std::int64_t way = 0; way < ways; ++way) {
            const std::int64_t next = terrain.neighbours[cell * ways + way];
            if (next < 0 || reached[next]) continue;
            reached[next] = 1;
            result.source[next] = cell;
            result.height[next] = std::max(level, terrain.height[next]);
            front.emplace(result.height[next], count++, next);
        }
    }
    return result;
}

}  // namespace fathom
