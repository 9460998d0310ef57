/// Small numbers added to large ones many times, in fp32.
#pragma once
#include "base/elementary.hpp"

namespace fathom {

/// large + small. In fp32 rounded up or down with the probabilities that make the mean exact
/// (stochastic rounding, Paxton et al. 2022). Rounding to the nearest would lose all that is less
/// than half of the last digit: 0.017 a year of a salinity with hourly steps. The last digits of
/// the small number serve as the random number: the same on any ranks, with no state to store. An
/// exact sum is not changed.
template <class T, int width>
constexpr Pack<T, width> unbiased_sum(Pack<T, width> large, Pack<T, width> small) {
    using Real = Pack<T, width>;
    const Real sum = large + small;
    if constexpr (sizeof(T) == 8)
        return sum;
    else {
        using elementary_detail::bits, elementary_detail::from_bits;
        const Real added = sum - large,
                   left = (large - (sum - added)) +
                          (small - added);  // large + small = sum + left exactly (Knuth)
        const Real digit = from_bits<T, width>(bits(sum) & 0x7f800000u) * T(0x1p-23);
        const Real die =
            from_bits<T, width>((bits(small) * 0x9e3779b1u) >> 9 | 0x3f800000u) - T(1.5);
        return select((left < Real(0)) | (left > Real(0)), sum + fma(die, digit, left), sum);
    }
}

}  // namespace fathom
