/// Sums of one rank whose terms are elsewhere, such as in memory of a device.
#pragma once
#include <functional>
#include <span>
#include "parallel/sums/limbs.hpp"

namespace fathom {

/// In the unit of the largest term of all ranks.
struct RankSum {
    double largest = 0;
    Limbs limbs;
};
/// Makes the largest terms of a rank those of all ranks; empty: there are no others.
using LargestOfAll = std::function<void(std::span<double>)>;

}  // namespace fathom
