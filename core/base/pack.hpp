/// Pack: the `Real` of every kernel. `width` neighbouring columns are computed by one instruction
/// stream; width 1 is a plain number, as one GPU thread would compute it. This class is used rather
/// than std::experimental::simd, because constants written as double must work with fp32 packs
/// (`1.0 + steepness * Ri`), and because a number must round exactly as a pack does. Contraction is
/// off for the whole build; `fma` and `polynomial` fuse where it saves time, the same way in every
/// column.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace fathom {

template <class T, int width> struct Lanes {
    typedef T type __attribute__((vector_size(width * sizeof(T))));
};
template <class T> struct Lanes<T, 1> {
    using type = T;
};

/// Vectors twice as wide as the machine's are computed half by half: of their comparisons and
/// choices gcc makes an instruction for each number. Results are the same.
namespace pack_detail {
#if defined(__AVX__) && !defined(__AVX512F__)
template <class V> inline constexpr bool halved = sizeof(V) == 64;
#else
template <class V> inline constexpr bool halved = false;
#endif
template <class V> constexpr auto low(V a) {
    if constexpr (sizeof a[0] == 8)
        return __builtin_shufflevector(a, a, 0, 1, 2, 3);
    else
        return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <class V> constexpr auto high(V a) {
    if constexpr (sizeof a[0] == 8)
        return __builtin_shufflevector(a, a, 4, 5, 6, 7);
    else
        return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class H> constexpr auto joined(H a, H b) {
    if constexpr (sizeof a[0] == 8)
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    else
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class F, class... V> [[gnu::always_inline]] constexpr auto by_halves(F f, V... of) {
    return joined(f(low(of)...), f(high(of)...));
}
}  // namespace pack_detail

/// Without contraction, the compiler makes eight scalar instructions of a vector fma or sqrt:
/// these two are called by their intrinsics.
namespace pack_detail {
typedef double D8 __attribute__((vector_size(64)));
typedef float F16 __attribute__((vector_size(64)));
#if defined(__AVX512F__)
template <class V> inline constexpr bool native = sizeof(V) == 64;
inline D8 fma(D8 a, D8 b, D8 c) { return _mm512_fmadd_pd(a, b, c); }
inline F16 fma(F16 a, F16 b, F16 c) { return _mm512_fmadd_ps(a, b, c); }
inline void stream(double* p, D8 a) { _mm512_stream_pd(p, a); }
inline void stream(float* p, F16 a) { _mm512_stream_ps(p, a); }
inline D8 sqrt(D8 a) { return _mm512_sqrt_pd(a); }
inline F16 sqrt(F16 a) { return _mm512_sqrt_ps(a); }
#elif defined(__FMA__)
template <class V> inline constexpr bool native = sizeof(V) == 64 || sizeof(V) == 32;
typedef double D4 __attribute__((vector_size(32)));
typedef float F8 __attribute__((vector_size(32)));
inline D4 fma(D4 a, D4 b, D4 c) { return _mm256_fmadd_pd(a, b, c); }
inline F8 fma(F8 a, F8 b, F8 c) { return _mm256_fmadd_ps(a, b, c); }
inline void stream(double* p, D4 a) { _mm256_stream_pd(p, a); }
inline void stream(float* p, F8 a) { _mm256_stream_ps(p, a); }
inline D4 sqrt(D4 a) { return _mm256_sqrt_pd(a); }
inline F8 sqrt(F8 a) { return _mm256_sqrt_ps(a); }
inline D8 fma(D8 a, D8 b, D8 c) {
    return by_halves([](D4 x, D4 y, D4 z) { return fma(x, y, z); }, a, b, c);
}
inline F16 fma(F16 a, F16 b, F16 c) {
    return by_halves([](F8 x, F8 y, F8 z) { return fma(x, y, z); }, a, b, c);
}
inline void stream(double* p, D8 a) { stream(p, low(a)), stream(p + 4, high(a)); }
inline void stream(float* p, F16 a) { stream(p, low(a)), stream(p + 8, high(a)); }
inline D8 sqrt(D8 a) {
    return by_halves([](D4 x) { return sqrt(x); }, a);
}
inline F16 sqrt(F16 a) {
    return by_halves([](F8 x) { return sqrt(x); }, a);
}
#else
template <class V> inline constexpr bool native = false;
inline D8 fma(D8 a, D8, D8) { return a; }
inline F16 fma(F16 a, F16, F16) { return a; }
inline void stream(double*, D8) {}
inline void stream(float*, F16) {}
inline D8 sqrt(D8 a) { return a; }
inline F16 sqrt(F16 a) { return a; }
#endif
}  // namespace pack_detail

template <class T, int lanes_> struct Pack {
    using Number = T;
    using Plain = Pack;
    static constexpr int width = lanes_;
    using Storage = typename Lanes<T, width>::type;
    using Mask = decltype(Storage{} < Storage{});
    Storage lanes;

    Pack() = default;
    constexpr Pack(T x) requires(lanes_ == 1)
        : lanes(x) {}
    /// The same value in all columns: not a constant of 64 bytes, which would be read from memory.
    Pack(T x) requires(lanes_ > 1)
        : lanes(x - Storage{}) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Pack(A x) : Pack(T(x)) {}
    static constexpr Pack load(const T* p) {
        Pack x;
        if constexpr (width == 1)  // nvcc copies bytes one at a time
            x.lanes = *p;
        else
            __builtin_memcpy(&x.lanes, p, sizeof x.lanes);
        return x;
    }
    /// Written past the caches, to a multiple of 64 bytes; call `stream_fence` before other threads
    /// read it.
    constexpr void stream(T* p) const {
        if constexpr (pack_detail::native<Storage>)
            pack_detail::stream(p, lanes);
        else
            store(p);
    }
    constexpr void store(T* p) const {
        if constexpr (width == 1)
            *p = lanes;
        else
            __builtin_memcpy(p, &lanes, sizeof lanes);
    }

    friend constexpr Pack operator+(Pack a, Pack b) { return of(a.lanes + b.lanes); }
    friend constexpr Pack operator-(Pack a, Pack b) { return of(a.lanes - b.lanes); }
    friend constexpr Pack operator*(Pack a, Pack b) { return of(a.lanes * b.lanes); }
    friend constexpr Pack operator/(Pack a, Pack b) { return of(a.lanes / b.lanes); }
    friend constexpr Pack operator-(Pack a) { return of(-a.lanes); }
    constexpr Pack& operator+=(Pack b) { return *this = *this + b; }
    constexpr Pack& operator-=(Pack b) { return *this = *this - b; }
    constexpr Pack& operator*=(Pack b) { return *this = *this * b; }
    friend constexpr Mask operator<(Pack a, Pack b) {
        return lane_by_lane([](auto x, auto y) { return x < y; }, a.lanes, b.lanes);
    }
    friend constexpr Mask operator>(Pack a, Pack b) { return b < a; }
    friend constexpr Mask operator<=(Pack a, Pack b) {
        return lane_by_lane([](auto x, auto y) { return x <= y; }, a.lanes, b.lanes);
    }
    friend constexpr Mask operator>=(Pack a, Pack b) { return b <= a; }
    friend constexpr Pack select(Mask yes, Pack a, Pack b) {  // instead of `if`
        return of(
            lane_by_lane([](auto m, auto x, auto y) { return m ? x : y; }, yes, a.lanes, b.lanes));
    }
    friend constexpr Pack larger(Pack a, Pack b) {
        return of(lane_by_lane([](auto x, auto y) { return x > y ? x : y; }, a.lanes, b.lanes));
    }
    friend constexpr Pack smaller(Pack a, Pack b) {
        return of(lane_by_lane([](auto x, auto y) { return x < y ? x : y; }, a.lanes, b.lanes));
    }
    friend constexpr Pack abs(Pack a) { return larger(a, -a); }
    /// a b + c, rounded once.
    friend constexpr Pack fma(Pack a, Pack b, Pack c) {
        if constexpr (pack_detail::native<Storage>)
            return of(pack_detail::fma(a.lanes, b.lanes, c.lanes));
        else
            return each(
                [](T x, T y, T z) {
                    using std::fma;
                    return fma(x, y, z);
                },
                a, b, c);
    }
    friend constexpr Pack sqrt(Pack a) {
        if constexpr (pack_detail::native<Storage>)
            return of(pack_detail::sqrt(a.lanes));
        else
            return each(
                [](T x) {
                    using std::sqrt;
                    return sqrt(x);
                },
                a);
    }

private:
    static constexpr Pack of(Storage s) {
        Pack p;
        p.lanes = s;
        return p;
    }
    template <class F, class... V>
    [[gnu::always_inline]] static constexpr auto lane_by_lane(F f, V... of) {
        if constexpr (pack_detail::halved<Storage>)
            return pack_detail::by_halves(f, of...);
        else
            return f(of...);
    }
    template <class F, class... A> static constexpr Pack each(F f, A... a) {
        if constexpr (width == 1)
            return of(f(a.lanes...));
        else {
            Pack r;
            for (int n = 0; n < width; ++n) r.lanes[n] = f(a.lanes[n]...);
            return r;
        }
    }
};

/// After this, all threads see the streamed values.
inline void stream_fence() {
#if defined(__SSE__)
    _mm_sfence();
#endif
}

/// c0 + x (c1 + x (c2 + ...)), Horner's rule with one rounding per step.
template <class Real, class C> constexpr Real polynomial(Real, C c0) { return Real(c0); }
template <class Real, class C, class... More>
constexpr Real polynomial(Real x, C c0, More... more) {
    return fma(x, polynomial(x, more...), Real(c0));
}

/// Columns next to each other that have a common number of levels: one cache line.
template <class T> inline constexpr int cell_width = 64 / sizeof(T);

/// Columns of a pack: those of a cell, or of one register of AVX2. In packs of two registers
/// compilers compare and choose number by number, ten times slower.
#if defined(__FMA__) && !defined(__AVX512F__)
template <class T> inline constexpr int pack_width = 32 / sizeof(T);
#else
template <class T> inline constexpr int pack_width = cell_width<T>;
#endif

}  // namespace fathom
