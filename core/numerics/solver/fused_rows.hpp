/// The work of a sweep (fused.hpp) on a row, or on three at once.
#pragma once
#include "numerics/solver/space.hpp"
#include <bit>

namespace fathom {

/// Sums of r D^-2 r and of r.F r / 2. Terms are rounded to whole units: what they tell, alpha and beta, need not be more exact.
template <class Number> struct FusedSums {
    using Real = EllipticOperator<Number>::Real;
    using Double = Pack<double, register_lanes>;
    SumUnit unit; RoundedLanes rho{unit}, cross{unit};
    ExactSum rho_sum{unit}, delta_sum{unit};
    /// halves: of a corner on the fold either half is summed.
    void flush(bool halves = false) { rho_sum.add(rho), delta_sum.add(rho), delta_sum.add(cross, halves ? -1 : -2), rho = cross = RoundedLanes(unit); }
    bool full(int packs) const { return rho.count + packs * Real::width / register_lanes > RoundedLanes::most; }

    static Double fused(Double a, Double b, Double c) { return EllipticOperator<double>::fused(a, b, c); }
    /// a b to one sum, c d + e f to the other.
    [[gnu::always_inline]] static void add(RoundedLanes& rho, RoundedLanes& cross, Double a, Double b, Double c, Double d, Double e, Double f) {
        rho.take(fused(a, b, rho.coarse)), cross.take(fused(e, f, fused(c, d, cross.coarse)));
    }
    [[gnu::always_inline]] static void add(RoundedLanes& rho, RoundedLanes& cross, Pack<float, 2 * register_lanes> a, Pack<float, 2 * register_lanes> b, Pack<float, 2 * register_lanes> c, Pack<float, 2 * register_lanes> d,
                    Pack<float, 2 * register_lanes> e, Pack<float, 2 * register_lanes> f) {
        typedef float Half __attribute__((vector_size(4 * register_lanes)));
        struct Halves { Half low, high; };
        auto wide = [](Half x) { Double y; y.lanes = __builtin_convertvector(x, decltype(y.lanes)); return y; };
        const auto x = std::bit_cast<Halves>((a * b).lanes), y = std::bit_cast<Halves>(EllipticOperator<float>::fused(c, d, e * f).lanes);
        rho.add(wide(x.low)), rho.add(wide(x.high)), cross.add(wide(y.low)), cross.add(wide(y.high));
    }
};

/// alpha, and beta, of an iteration; alpha of the one before.
struct FusedStep { double alpha = 0, beta = 0, before = 0; };

/// What a corner row leaves to the row north of it, from pass to pass of `descends`.
template <class Number> struct FusedCarry {
    std::vector<Number> memory;
    int next = -1;                                         ///< the row it is for, by its index
    Number* at() { return (Number*)((std::uintptr_t(memory.data()) + 63) / 64 * 64); }
};

enum FusedWork : unsigned { searches = 1, adds = 2, descends = 4, sums = 8, carries = 16, southward = 32 };

/// For row n: s = r + beta s in row n + 1 (searches), y += before s' + alpha s (adds); r -= alpha (s - D^2 F s) in row n (descends); sums
/// of row n - 1. All three in one loop hide each other's latencies, and ask for row n + 2 to be brought to the second cache.
/// carries: only what the corners between n and n + 1 leave to row n + 1. Rows are taken by value: no store changes them.
/// southward: n - 1 and n - 2 for n + 1 and n + 2, n + 1 for n - 1. F, mirrored, is the same function, so that the bits are the same.
template <unsigned work, class Number> void fused_row(const typename EllipticOperator<Number>::Row row, const FusedStep& step, Number* carry, FusedSums<Number>* to) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    using Space = EllipticSpace<Number>;
    constexpr int width = Real::width, lead = Space::lead;
    constexpr bool south = (work & southward) != 0;
    const std::ptrdiff_t array = row.array, up = row.up, on = south ? -up : up;           // to the row that comes next
    const Number* p = row.of(Operator::sum) - (south ? up : 0);                           // corners between this row and the next
    const Number *m = p + array, *square = row.of(Operator::square);
    Number *r = row.of(Space::r), *s = r + array, *y = s + array;
    const Real alpha(step.alpha), beta(step.beta), before(step.before);
    auto at = [](const Number* x) { return Real::load(x); };
    auto fused = [](Real a, Real b, Real c) { return Operator::fused(a, b, c); };
    constexpr bool alone = (work & (descends | carries)) == 0;
    const auto *segment = alone ? row.first : row.near, *end = alone ? row.last : row.near_end;
    static_assert(!alone || !south);
    if constexpr (alone && (work & searches) != 0) s -= up, r -= up, y -= up;             // alone they are called with their own row
    if constexpr (alone && (work & sums) != 0) r += up, p += up, m += up, square += up;
    const Number *r_s = r - on, *r_n = south ? r_s + up : r, *p_sum = p - (south ? 2 * on : on), *m_sum = p_sum + array, *square_sum = square - on;

    auto search = [&](int c) __attribute__((always_inline)) {
        if constexpr ((work & searches) == 0) return at(s + on + c);
        const Real s0 = at(s + on + c), s1 = fused(beta, s0, at(r + on + c));
        s1.store(s + on + c);
        if constexpr (!alone) for (const Number* x : {(const Number*)r + 2 * on, (const Number*)s + 2 * on, p + on, m + on, square + on}) __builtin_prefetch(x + c, 0, 2);
        if constexpr ((work & adds) != 0) {
            (at(y + on + c) + fused(before, s0, alpha * s1)).store(y + on + c);
            if constexpr (!alone) __builtin_prefetch(y + 2 * on + c, 0, 2);
        }
        return s1;
    };
    Real from_se, from_ne;                                 // what the corners of a pack leave to their SE and NE, still to be moved east
    Real S, N;                                             // s in this row and the next
    auto descend = [&](int c, Real S1, Real N1) __attribute__((always_inline)) {
        const Real P = Operator::held(at(p + c)), M = Operator::held(at(m + c)), SE = Operator::template joined<1>(S, S1), NE = Operator::template joined<1>(N, N1);
        const Real u = M * (SE - N), w = M * (S - NE), se = fused(P, N, w), ne = fused(P, S, -u);
        const Real left = fused(P, SE, -w) + Operator::template joined<width - 1>(from_ne, ne);
        Real now(0.0);
        if constexpr ((work & descends) != 0) {
            const Real F = at(carry + c) + (fused(P, NE, u) + Operator::template joined<width - 1>(from_se, se));
            now = fused(-alpha, fused(-at(square + c), F, S), at(r + c));
            now.store(r + c);
        }
        left.store(carry + c);
        from_se = se, from_ne = ne, S = S1, N = N1;
        return now;
    };
    struct None {};
    auto lanes = [&](RoundedLanes FusedSums<Number>::*which) { if constexpr ((work & sums) != 0) return to->*which; else return (void)which, None(); };
    [[maybe_unused]] auto rho = lanes(&FusedSums<Number>::rho), cross = lanes(&FusedSums<Number>::cross);      // in registers
    Real rS, rN;                                           // r in the row that is summed and in the one north of it
    auto sum = [&](int c, Real S1, Real N1) __attribute__((always_inline)) {
        if constexpr ((work & sums) != 0) {
            Real SW = rS, NW = rN, SE = Operator::template joined<1>(rS, S1), NE = Operator::template joined<1>(rN, N1);
            if (c < lead || c + width > row.nx + lead) [[unlikely]] SW = own_columns(SW, c - lead, row.nx), NW = own_columns(NW, c - lead, row.nx), SE = own_columns(SE, c - lead, row.nx), NE = own_columns(NE, c - lead, row.nx);
            FusedSums<Number>::add(rho, cross, SW, SW / at(square_sum + c), at(p_sum + c), fused(SE, NW, SW * NE), at(m_sum + c) * (SW - NE), SE - NW);
        }
        rS = S1, rN = N1;
    };

    for (; segment != end; ++segment) {
        const int last = segment->end - width;
        int c = segment->begin;
        if constexpr (alone && (work & searches) != 0) for (; c <= last; c += width) search(c);
        else if constexpr (alone) {
            rS = at(r_s + c), rN = at(r_n + c);
            for (; c < last; c += width) sum(c, at(r_s + c + width), at(r_n + c + width));
            sum(c, Real(0.0), Real(0.0));
        } else {
            auto north = [&](int c, Real now) __attribute__((always_inline)) { if constexpr (south) return at(r_n + c); else return (void)c, now; };
            from_se = from_ne = Real(0.0), S = at(s + c), N = search(c);
            if (c < last) {
                const Real N1 = search(c + width);
                rN = descend(c, at(s + c + width), N1);
            } else rN = descend(c, Real(0.0), Real(0.0));
            if constexpr ((work & sums) != 0) rS = at(r_s + c), rN = north(c, rN);
            for (c += width; c < last; c += width) {
                const Real N1 = search(c + width), now = descend(c, at(s + c + width), N1);
                if constexpr ((work & sums) != 0) sum(c - width, at(r_s + c), north(c, now));
            }
            if (c == last) {
                const Real now = descend(c, Real(0.0), Real(0.0));
                if constexpr ((work & sums) != 0) sum(c - width, at(r_s + c), north(c, now));
            }
            if constexpr ((work & sums) != 0) sum(last, Real(0.0), Real(0.0));
        }
    }
    if constexpr ((work & sums) != 0) to->rho = rho, to->cross = cross;
}

}  // namespace fathom
