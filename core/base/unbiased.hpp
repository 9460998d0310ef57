/// Small numbers added to large ones many times, in fp32.
#pragma once
#include "base/pack.hpp"
#include <bit>
#include <cstdint>

namespace fathom {

/// large + small. In fp32 rounded up or down with the odds that make the mean exact (stochastic rounding, Paxton et al. 2022): to the nearest, all that is less than half of the last digit
/// would be lost, 0.017 a year of a salinity that is stepped every hour. The die is cast by the last digits of the small one: the same on any ranks, and nothing to keep. A sum that is
/// exact stays as it is.
template <class Real> Real unbiased_sum(Real large, Real small) {
    using T = typename Real::Number;
    const Real sum = large + small;
    if constexpr (sizeof(T) == 8) return sum;
    else {
        struct Wide { typedef std::uint32_t Bits __attribute__((vector_size(sizeof(Real)))); };
        struct One { using Bits = std::uint32_t; };
        using Bits = std::conditional_t<Real::width == 1, One, Wide>::Bits;
        auto bits = [](Real x) { return std::bit_cast<Bits>(x.lanes); };
        auto real = [](Bits b) { Real x; x.lanes = std::bit_cast<typename Real::Storage>(b); return x; };
        const Real most = sum - large, left = (large - (sum - most)) + (small - most);     // large + small = sum + left exactly (Knuth)
        const Real digit = real(bits(sum) & 0x7f800000u) * T(0x1p-23), die = real((bits(small) * 0x9e3779b1u) >> 9 | 0x3f800000u) - T(1.5);
        return select((left < Real(0)) | (left > Real(0)), sum + fma(die, digit, left), sum);
    }
}

}  // namespace fathom
