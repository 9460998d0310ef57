/// Whether a condition holds in any column of a pack: a loop down the column ends where it holds in
/// none. It must not decide a value.
#pragma once
#include <type_traits>
#include "base/pack.hpp"

namespace fathom {

template <class Mask> constexpr bool any(Mask mask) {
    if constexpr (std::is_arithmetic_v<Mask>)
        return mask;
    else {
#if defined(__AVX512F__)
        if constexpr (sizeof(Mask) == 64)
            return _mm512_test_epi64_mask(std::bit_cast<__m512i>(mask),
                                          std::bit_cast<__m512i>(mask)) != 0;
#endif
        const auto words = std::bit_cast<typename Lanes<long long, sizeof(Mask) / 8>::type>(mask);
        long long joined = 0;
        for (unsigned n = 0; n < sizeof(Mask) / 8; ++n) joined |= words[n];
        return joined != 0;
    }
}

}  // namespace fathom
