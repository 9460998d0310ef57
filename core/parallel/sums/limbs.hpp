/// Exact sums (sums/reduce.hpp) of terms that are added up elsewhere: integers, in parts so small
/// that 2^32 of them fit into 64 bits.
#pragma once
#include <bit>
#include <cstdint>

namespace fathom {

struct Limbs {
    static constexpr int words = 5;
    /// n1 = 2^30 word[0] + word[1], n2 = 2^20 word[2] + word[3]; how many did not fit.
    std::int64_t word[words] = {};

    /// Adds the limbs of a term; coarse, fine: of the unit.
    static constexpr void add(double x, double coarse, double fine, std::int64_t* to) {
        const double y = x + coarse, z = (x + (coarse - y)) + fine;
        const auto bits = [](double a) { return std::bit_cast<std::uint64_t>(a); };
        const auto n1 = std::int64_t(bits(y) - bits(coarse)),
                   n2 = std::int64_t(bits(z) - bits(fine));
        const std::int64_t low = (std::int64_t(1) << 30) - 1, lower = (std::int64_t(1) << 20) - 1;
        to[0] += n1 >> 30, to[1] += n1 & low;
        to[2] += n2 >> 20, to[3] += n2 & lower;
        to[4] += ((bits(y) ^ bits(coarse)) >> 52) != 0;
    }
};

}  // namespace fathom
