/// Neighbouring points of four fields, and their weights, as a processor holds them: in its
/// registers; or as a thread of a device does (stencils/in_thread.hpp).
#pragma once
#include "base/halves.hpp"
#include "semi_lagrangian/stencils/lagrange.hpp"

namespace fathom {

template <class T> struct InRegisters {
    using Number = T;
    using Four = FourLanes<T>;
    using Real = Wide<T, cell_width<T>>;
    static constexpr int fields = 4, together = Real::width / fields;
    // By intrinsics: a general shuffle to a longer vector goes through memory, and waits.
    /// The weight of each point next to its fields: of the points `first`, first + 1, ...
    template <int first> static Real spread(Four w) {
#if defined(__AVX512F__)
        Real r;
        if constexpr (together == 2) {
            constexpr int next = first + 1;
            r.lanes = _mm512_maskz_permutexvar_pd(
                0xff, _mm512_setr_epi64(first, first, first, first, next, next, next, next),
                _mm512_castpd256_pd512(w));
        } else
            r.lanes = _mm512_maskz_permutexvar_ps(
                0xffff, _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                _mm512_castps128_ps512(w));
        return r;
#elif defined(__FMA__)
        if constexpr (together == 2)
            return {w[first], w[first + 1]};
        else {
            const auto two = [&](int n, int next) {
                Pack<T, 2 * fields> r;
                r.lanes =
                    _mm256_permutevar8x32_ps(_mm256_castps128_ps256(w),
                                             _mm256_setr_epi32(n, n, n, n, next, next, next, next));
                return r;
            };
            return {two(0, 1), two(2, 3)};
        }
#else
        Real r;
        if constexpr (together == 2)
            r.lanes = __builtin_shufflevector(w, w, first, first, first, first, first + 1,
                                              first + 1, first + 1, first + 1);
        else
            r.lanes = __builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        return r;
#endif
    }
    /// The weights of four levels, next to each other for each point.
    static Real repeat(Four w) {
#if defined(__AVX512F__)
        Real r;
        if constexpr (together == 2)
            r.lanes = _mm512_maskz_broadcast_f64x4(0xff, w);
        else
            r.lanes = _mm512_maskz_broadcast_f32x4(0xffff, w);
        return r;
#elif defined(__FMA__)
        Pack<T, Real::width / 2> r;
        if constexpr (together == 2)
            r.lanes = w;
        else
            r.lanes = _mm256_set_m128(w, w);
        return {r, r};
#else
        Real r;
        if constexpr (together == 2)
            r.lanes = __builtin_shufflevector(w, w, 0, 1, 2, 3, 0, 1, 2, 3);
        else
            r.lanes = __builtin_shufflevector(w, w, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
        return r;
#endif
    }
    /// The sum over its points.
    static void add_points(const Real& sum, T* four) {
        struct Parts {
            Four part[together];
        };
        const auto parts = std::bit_cast<Parts>(sum);
        Four total = parts.part[0];
        for (int m = 1; m < together; ++m) total += parts.part[m];
        std::memcpy(four, &total, sizeof total);
    }
};

}  // namespace fathom
