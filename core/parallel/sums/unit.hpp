/// The unit 2^exponent of a sum (sums/reduce.hpp), and the powers of two that belong to it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace fathom {

/// 2^n, -1022 <= n <= 1023.
constexpr double power_of_two(int n) {
    return std::bit_cast<double>(std::uint64_t(1023 + n) << 52);
}

struct SumUnit {
    int exponent = -50;
    /// |terms| <= largest.
    static constexpr SumUnit for_largest(double largest) {
        if (!(largest > 0)) return {-960};
        const int exponent = int(std::bit_cast<std::uint64_t>(largest) >> 52) - 1023;
        return {std::clamp(exponent - 49, -960, 971)};
    }
    constexpr double coarse() const { return 1.5 * power_of_two(52 + exponent); }
    constexpr double fine() const { return 1.5 * power_of_two(12 + exponent); }
};

}  // namespace fathom
