/// Register: numbers of as many fields as one register holds. Layouts of the transforms count in registers.
#pragma once
#include "base/pack.hpp"
#include <utility>

namespace fathom {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class Number> using Register = Pack<Number, register_bytes / sizeof(Number)>;

/// `count` numbers, the rest 0.
template <class V> V load_some(const typename V::Number* p, int count) {
    if (count == V::width) return V::load(p);
#if defined(__AVX512F__)
    V x;
    if constexpr (sizeof *p == 8) x.lanes = (typename V::Storage)_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), p);
    else x.lanes = (typename V::Storage)_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), p);
    return x;
#endif
    typename V::Number all[V::width] = {};
    __builtin_memcpy(all, p, count * sizeof *p);
    return V::load(all);
}
template <class V> void store_some(V x, typename V::Number* p, int count) {
    if (count == V::width) return x.store(p);
#if defined(__AVX512F__)
    if constexpr (sizeof *p == 8) _mm512_mask_storeu_pd(p, __mmask8((1u << count) - 1), (__m512d)x.lanes);
    else _mm512_mask_storeu_ps(p, __mmask16((1u << count) - 1), (__m512)x.lanes);
    return;
#endif
    typename V::Number all[V::width];
    x.store(all);
    __builtin_memcpy(p, all, count * sizeof *p);
}

/// x[i] lane j <-> x[j] lane i: blocks of 1, 2, 4 ... change places (Eklundh 1972).
template <int step = 1, class V> void transpose(V* x) {
    constexpr int width = V::width;
    if constexpr (step < width) {
        [&]<int... n>(std::integer_sequence<int, n...>) {
            for (int i = 0; i < width; ++i) if (!(i & step)) {
                const auto a = x[i].lanes, b = x[i + step].lanes;
                x[i].lanes = __builtin_shufflevector(a, b, (n & step ? width + n - step : n)...);
                x[i + step].lanes = __builtin_shufflevector(a, b, (n & step ? width + n : n + step)...);
            }
        }(std::make_integer_sequence<int, width>());
        transpose<2 * step>(x);
    }
}

}  // namespace fathom
