/// Register: numbers of as many fields as one register holds. Layouts of the transforms are counted
/// in registers.
#pragma once
#include <utility>
#include "base/pack.hpp"

namespace fathom {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class Number> using Register = Pack<Number, register_bytes / sizeof(Number)>;

/// `count` numbers, the rest is 0.
template <class V> V load_some(const typename V::Number* p, int count) {
    if (count == V::width) return V::load(p);
#if defined(__AVX512F__)
    V x;
    if constexpr (sizeof *p == 8)
        x.lanes = (typename V::Storage)_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), p);
    else
        x.lanes = (typename V::Storage)_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), p);
    return x;
#endif
    typename V::Number all[V::width] = {};
    __builtin_memcpy(all, p, count * sizeof *p);
    return V::load(all);
}
template <class V> void store_some(V x, typename V::Number* p, int count) {
    if (count == V::width) return x.store(p);
#if defined(__AVX512F__)
    if constexpr (sizeof *p == 8)
        _mm512_mask_storeu_pd(p, __mmask8((1u << count) - 1), (__m512d)x.lanes);
    else
        _mm512_mask_storeu_ps(p, __mmask16((1u << count) - 1), (__m512)x.lanes);
    return;
#endif
    typename V::Number all[V::width];
    x.store(all);
    __builtin_memcpy(p, all, count * sizeof *p);
}

/// Lane n of the result is lane which(n) of a, or which(n) - width of b.
template <int which(int), class V> [[gnu::always_inline]] inline V mix(V a, V b) {
    return [&]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline)) {
        V r;
        r.lanes = __builtin_shufflevector(a.lanes, b.lanes, which(n)...);
        return r;
    }(std::make_integer_sequence<int, V::width>());
}

/// Orders of two registers in one. With `side` numbers in a quarter of a register: halves of each
/// quarter, interleaved number by number (zip) or two by two; even or odd quarters of either; and
/// exchange of places that differ by `step`.
template <int width> struct Orders {
    static constexpr int side = width / 4;
    template <int half> static constexpr int zip(int n) {
        return n - n % side + half * side / 2 + n % side / 2 + n % 2 * width;
    }
    template <int half> static constexpr int twos(int n) {
        return n - n % side + half * 2 + n % 2 + n % side / 2 * width;
    }
    template <int odd> static constexpr int quarters(int n) {
        return (n / side % 2 * 2 + odd) * side + n % side + n / side / 2 * width;
    }
    template <int step> static constexpr int low(int n) { return n & step ? width + n - step : n; }
    template <int step> static constexpr int high(int n) { return n & step ? width + n : n + step; }
};

template <int step, class V> [[gnu::always_inline]] inline void exchange_places(V* x) {
    using O = Orders<V::width>;
    if constexpr (step < V::width) {
        for (int i = 0; i < V::width; ++i)
            if (!(i & step)) {
                const V a = x[i], b = x[i + step];
                x[i] = mix<O::template low<step>>(a, b),
                x[i + step] = mix<O::template high<step>>(a, b);
            }
        exchange_places<2 * step>(x);
    }
}

/// x[i] lane j <-> x[j] lane i. Blocks of 1, 2, 4 ... change places (Eklundh 1972); in registers of
/// 64 bytes squares within quarters, then quarters, which has the cheapest instructions.
template <class V> [[gnu::always_inline]] inline void transpose(V* x) {
    constexpr int width = V::width;
    if constexpr (sizeof(V) == 64) {
        using O = Orders<width>;
        constexpr int side = O::side;
        V y[width];  // [number in a quarter][group of rows]
        for (int g = 0; g < 4; ++g) {
            const V* const r = x + side * g;
            const V a = mix<O::template zip<0>>(r[0], r[1]),
                    b = mix<O::template zip<1>>(r[0], r[1]);
            if constexpr (side == 2)
                y[g] = a, y[4 + g] = b;
            else {
                const V c = mix<O::template zip<0>>(r[2], r[3]),
                        d = mix<O::template zip<1>>(r[2], r[3]);
                y[g] = mix<O::template twos<0>>(a, c), y[4 + g] = mix<O::template twos<1>>(a, c);
                y[8 + g] = mix<O::template twos<0>>(b, d),
                      y[12 + g] = mix<O::template twos<1>>(b, d);
            }
        }
        for (int c = 0; c < side; ++c) {
            const V* const r = y + 4 * c;
            const V a = mix<O::template quarters<0>>(r[0], r[1]),
                    b = mix<O::template quarters<1>>(r[0], r[1]);
            const V d = mix<O::template quarters<0>>(r[2], r[3]),
                    e = mix<O::template quarters<1>>(r[2], r[3]);
            x[c] = mix<O::template quarters<0>>(a, d),
            x[2 * side + c] = mix<O::template quarters<1>>(a, d);
            x[side + c] = mix<O::template quarters<0>>(b, e),
                     x[3 * side + c] = mix<O::template quarters<1>>(b, e);
        }
    } else
        exchange_places<1>(x);
}

}  // namespace fathom
