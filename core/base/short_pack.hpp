/// a b + c, rounded once, of packs of four points: half a cache line or less; Pack computes their
/// fma number by number.
#pragma once
#include "base/pack.hpp"

namespace fathom {

template <class T, int width>
constexpr Pack<T, width> fused(Pack<T, width> a, Pack<T, width> b, Pack<T, width> c) {
#if defined(__FMA__)
    if constexpr (sizeof a.lanes == 32) {
        if constexpr (sizeof(T) == 8)
            c.lanes = _mm256_fmadd_pd(a.lanes, b.lanes, c.lanes);
        else
            c.lanes = _mm256_fmadd_ps(a.lanes, b.lanes, c.lanes);
        return c;
    } else if constexpr (sizeof a.lanes == 16 && sizeof(T) == 4) {
        c.lanes = _mm_fmadd_ps(a.lanes, b.lanes, c.lanes);
        return c;
    }
#endif
    return fma(a, b, c);
}

}  // namespace fathom
