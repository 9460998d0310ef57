/// Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): random bits
/// that are a function of a counter and a key, so that no number depends on another one.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace fathom::stochastic {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

constexpr Counter philox(Counter c, Key k) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xD2511F53u) * c[0],
                            b = std::uint64_t(0xCD9E8D57u) * c[2];
        c = {std::uint32_t(b >> 32) ^ c[1] ^ k[0], std::uint32_t(b),
             std::uint32_t(a >> 32) ^ c[3] ^ k[1], std::uint32_t(a)};
        k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
    }
    return c;
}

/// Two independent numbers of the normal distribution (Box & Muller 1958).
inline std::pair<double, double> normal(Counter c, Key k) {
    const Counter x = philox(c, k);
    const auto unit = [](std::uint32_t high, std::uint32_t low) {  // in (0, 1)
        return ((std::uint64_t(high) << 20 | low >> 12) + 0.5) * 0x1p-52;
    };
    const double r = std::sqrt(-2 * std::log(unit(x[0], x[1]))),
                 angle = 2 * std::numbers::pi * unit(x[2], x[3]);
    return {r * std::cos(angle), r * std::sin(angle)};
}

}  // namespace fathom::stochastic
