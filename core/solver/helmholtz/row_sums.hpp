/// Adds the numbers of a line to an exact sum, as many at once as a register holds.
#pragma once
#include <algorithm>
#include <span>
#include "parallel/sums/reduce.hpp"

namespace fathom {

inline void add_line(ExactSum& sum, std::span<const double> line) {
    for (std::size_t n = 0; n < line.size();) {
        ExactLanes lanes(sum.unit);
        for (int c = 0; c < ExactLanes::most && n < line.size(); ++c, n += register_lanes) {
            double few[register_lanes] = {};
            std::copy_n(&line[n], std::min<std::size_t>(register_lanes, line.size() - n), few);
            lanes.add(ExactLanes::Real::load(few));
        }
        sum.add(lanes);
    }
}

}  // namespace fathom
