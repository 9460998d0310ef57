/// The stages of a sweep (fused.hpp) in one row,
///   search    s = r + beta s,     y += before s' + alpha s     (s' of the iteration before)
///   descend   r -= alpha (s - D^2 F s)
///   apply     t = r - D^2 F r
///   sum       r D^-2 r, r D^-2 t, t D^-2 t, t.F t
/// and the stages of two iterations at once. F v of a row needs the corners on both sides of it;
/// rows come one after another, so the corners between two rows are visited once: their terms for
/// the next row are carried to it.
///
/// south: rows come from north to south, n - 1 means n + 1. F, mirrored, is the same function, so
/// that the bits are the same. Rows are passed by value: no store changes them.
#pragma once
#include <array>
#include <bit>
#include <vector>
#include "solver/space.hpp"

namespace fathom {

/// Sums of r D^-2 r, r D^-2 t, t D^-2 t and t.F t / 2, t = r - D^2 F r. Terms are rounded to whole
/// units: alpha and beta, computed from them, need not be more exact.
template <class Number> struct FusedSums {
    using Real = EllipticOperator<Number>::Real;
    using Bits = RoundedLanes::Bits;
    enum Which { rr, rt, tt, cross, all };
    /// Several RoundedLanes of one unit, which share the flag for bad terms, in registers.
    struct Lanes {
        double coarse;
        Bits high[all]{}, strange{};
        std::uint64_t count = 0;  ///< of additions to each
        void take(Which sum, Pack<double, register_lanes> y) {
            const Bits bits = std::bit_cast<Bits>(y.lanes);
            strange |= bits ^ std::bit_cast<Bits>(Pack<double, register_lanes>(coarse).lanes);
            high[sum] += bits;
        }
        RoundedLanes of(Which sum, SumUnit unit) const {
            RoundedLanes one(unit);
            one.high = high[sum], one.strange = strange, one.count = count;
            return one;
        }
    } lanes;
    /// Of r.r, r.Ar, Ar.Ar, Ar.AAr, as products of scaled vectors.
    std::array<ExactSum, all> total;
    explicit FusedSums(SumUnit unit) : lanes{unit.coarse()} { total.fill(ExactSum(unit)); }
    /// halves: of a corner on the fold only one half is summed.
    void flush(bool halves = false) {
        const SumUnit unit = total[0].unit;
        for (Which n : {rr, rt, tt}) total[n].add(lanes.of(n, unit));
        total[cross].add(lanes.of(tt, unit));
        total[cross].add(lanes.of(cross, unit), halves ? -1 : -2);
        lanes = {unit.coarse()};
    }
    bool full(int packs) const {
        return lanes.count + packs * Real::width / register_lanes > RoundedLanes::most;
    }

    using Double = Pack<double, register_lanes>;
    using Single = Pack<float, 2 * register_lanes>;
    /// a b
    [[gnu::always_inline]] static void add(Lanes& to, Which sum, Double a, Double b) {
        to.take(sum, EllipticOperator<double>::fused(a, b, Double(to.coarse)));
    }
    [[gnu::always_inline]] static void add(Lanes& to, Which sum, Single a, Single b) {
        both(to, sum, a * b);
    }
    /// a b + c d
    [[gnu::always_inline]] static void add(Lanes& to, Which sum, Double a, Double b, Double c,
                                           Double d) {
        to.take(sum, EllipticOperator<double>::fused(
                         c, d, EllipticOperator<double>::fused(a, b, Double(to.coarse))));
    }
    [[gnu::always_inline]] static void add(Lanes& to, Which sum, Single a, Single b, Single c,
                                           Single d) {
        both(to, sum, EllipticOperator<float>::fused(a, b, c * d));
    }
    /// A pack has been added to all of them.
    static void next(Lanes& to) { to.count += Real::width / register_lanes; }

private:
    [[gnu::always_inline]] static void both(Lanes& to, Which sum, Single x) {
        typedef float Half __attribute__((vector_size(4 * register_lanes)));
        struct Halves {
            Half low, high;
        };
        auto wide = [](Half x) {
            Double y;
            y.lanes = __builtin_convertvector(x, decltype(y.lanes));
            return y;
        };
        const auto halves = std::bit_cast<Halves>(x.lanes);
        for (Half h : {halves.low, halves.high}) to.take(sum, wide(h) + Double(to.coarse));
    }
};

/// A row of numbers next to the arrays, with the same columns.
template <class Number> struct FusedBuffer {
    std::vector<Number> memory;
    int row = -1;  ///< the row that it belongs to, by its index
    Number* at() {
        return (Number*)((std::uintptr_t(memory.data()) + 63) / 64 * 64) +
               EllipticOperator<Number>::line;
    }
    void clear(std::ptrdiff_t columns) {
        memory.assign(columns + 4 * EllipticOperator<Number>::line, 0);
    }
};

/// F v of a row, pack by pack from west to east.
template <class Number> class CornerRow {
public:
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;

    explicit CornerRow(const typename Operator::Row& row) : k(row.compact) {}
    /// v of the first pack, in this row and in the next one.
    void begin(Real here, Real beyond) {
        S = here, N = beyond;
        from_southeast = from_northeast = Real(0.0);
    }
    Real here() const { return S; }  ///< v of the next pack
    /// F v of the next pack; p, m: P' and M of its corners; S1, N1: v of the pack east of it.
    [[gnu::always_inline]] Real next(const Number* p, const Number* m, Real S1, Real N1,
                                     Number* carry) {
        const Real P = Operator::held(Real::load(p)), M = Operator::held(Real::load(m));
        const Real SE = Operator::template joined<1>(S, S1),
                   NE = Operator::template joined<1>(N, N1);
        const Real u = M * (SE - N), w = M * (S - NE), s = SE + N, t = S + NE;
        auto diagonal = [&](Real opposite, Real beside, Real rest) {
            return Operator::fused(P, Operator::fused(k, beside, opposite), rest);
        };
        const Real to_southeast = diagonal(N, t, w), to_northeast = diagonal(S, s, -u);
        const Real to_next_row = diagonal(SE, t, -w) +
                                 Operator::template joined<width - 1>(from_northeast, to_northeast);
        const Real F =
            Real::load(carry) + (diagonal(NE, s, u) + Operator::template joined<width - 1>(
                                                          from_southeast, to_southeast));
        to_next_row.store(carry);
        from_southeast = to_southeast, from_northeast = to_northeast;
        S = S1, N = N1;
        return F;
    }

private:
    static constexpr int width = Real::width;
    const Real k;
    Real S, N;
    Real from_southeast, from_northeast;  // its terms for that pack, still to be moved east
};

/// The sums of a row, in the same way.
template <class Number> class SummedRow {
public:
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    using Sums = FusedSums<Number>;

    /// to: from the row to the row that is summed.
    explicit SummedRow(const typename Operator::Row& row, std::ptrdiff_t to = 0)
        : r(row.of(EllipticSpace<Number>::r) + to),
          square(row.of(Operator::square) + to),
          p(row.of(Operator::sum) + to),
          m(row.of(Operator::difference) + to),
          nx(row.nx),
          compact(row.compact) {}
    /// t of the first pack, in this row and in the one north of it.
    void begin(Real here, Real north) { S = here, N = north; }
    /// S1, N1: t of the pack east of the one at c.
    [[gnu::always_inline]] void next(int c, Real S1, Real N1, typename Sums::Lanes& lanes) {
        Real SW = S, NW = N, SE = Operator::template joined<1>(S, S1),
             NE = Operator::template joined<1>(N, N1), R = Real::load(r + c);
        if (c < lead || c + width > nx + lead) [[unlikely]]
            for (Real* x : {&SW, &NW, &SE, &NE, &R}) *x = own_columns(*x, c - lead, nx);
        const Real one(1.0), weight = one / Real::load(square + c), wr = weight * R;
        Sums::add(lanes, Sums::rr, wr, R);
        Sums::add(lanes, Sums::rt, wr, SW);
        Sums::add(lanes, Sums::tt, weight * SW, SW);
        const Real pairs =
            Operator::fused(compact * (SW + NE), SE + NW, Operator::fused(SE, NW, SW * NE));
        Sums::add(lanes, Sums::cross, Real::load(p + c), pairs, Real::load(m + c) * (SW - NE),
                  SE - NW);
        Sums::next(lanes);
        S = S1, N = N1;
    }

private:
    static constexpr int width = Real::width, lead = EllipticSpace<Number>::lead;
    const Number *r, *square, *p, *m;
    int nx;
    const Real compact;
    Real S, N;
};

/// s = r + beta s, and, if it adds, y += before s' + alpha s.
template <bool adds, class Number>
void search_row(const typename EllipticOperator<Number>::Row row, const FusedStep& step) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    const Number* const r = row.of(EllipticSpace<Number>::r);
    Number* const s = row.of(EllipticSpace<Number>::s);
    Number* const y = row.of(EllipticSpace<Number>::y);
    const Real alpha(step.alpha), beta(step.beta), before(step.before);
    for (auto* segment = row.first; segment != row.last; ++segment)
        for (int c = segment->begin; c < segment->end; c += Real::width) {
            const Real old = Real::load(s + c),
                       found = Operator::fused(beta, old, Real::load(r + c));
            found.store(s + c);
            if constexpr (adds)
                (Real::load(y + c) + Operator::fused(before, old, alpha * found)).store(y + c);
        }
}

/// body(c, v, F v) for the packs of a row; carry: terms from the row before, then those for the
/// next.
template <bool south, class Number, class Body>
[[gnu::always_inline]] inline void apply_corners(const typename EllipticOperator<Number>::Row& row,
                                                 const Number* v, Number* carry, Body body) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    constexpr int width = Real::width;
    const Number* const beyond = south ? v - row.up : v + row.up;  // the next row
    const Number *p = row.of(Operator::sum) - (south ? row.up : 0), *m = p + row.array;
    for (auto* segment = row.near; segment != row.near_end; ++segment) {
        CornerRow<Number> F(row);
        auto pack = [&](int c, Real S1, Real N1) __attribute__((always_inline)) {
            const Real here = F.here();
            body(c, here, F.next(p + c, m + c, S1, N1, carry + c));
        };
        const int last = segment->end - width;
        int c = segment->begin;
        for (F.begin(Real::load(v + c), Real::load(beyond + c)); c < last; c += width)
            pack(c, Real::load(v + c + width), Real::load(beyond + c + width));
        pack(c, Real(0.0), Real(0.0));
    }
}

/// Only the terms that the corners between two rows give to the next one.
template <bool south, class Number>
void carry_corners(const typename EllipticOperator<Number>::Row row, const Number* v,
                   Number* carry) {
    using Real = EllipticOperator<Number>::Real;
    apply_corners<south, Number>(row, v, carry, [](int, Real, Real) {});
}

/// r -= alpha (s - D^2 F s)
template <bool south, class Number>
void descend_row(const typename EllipticOperator<Number>::Row row, double alpha, Number* carry) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    Number* const r = row.of(EllipticSpace<Number>::r);
    const Number* const square = row.of(Operator::square);
    apply_corners<south, Number>(
        row, row.of(EllipticSpace<Number>::s), carry,
        [=, minus_alpha = -Real(alpha)](int c, Real s, Real Fs) __attribute__((always_inline)) {
            const Real As = Operator::fused(-Real::load(square + c), Fs, s);
            Operator::fused(minus_alpha, As, Real::load(r + c)).store(r + c);
        });
}

/// t = r - D^2 F r
template <bool south, class Number>
void apply_row(const typename EllipticOperator<Number>::Row row, Number* carry, Number* t) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    const Number* const square = row.of(Operator::square);
    apply_corners<south, Number>(row, row.of(EllipticSpace<Number>::r), carry,
                                 [=](int c, Real r, Real Fr) __attribute__((always_inline)) {
                                     Operator::fused(-Real::load(square + c), Fr, r).store(t + c);
                                 });
}

/// t: of the row and of the one north of it.
template <class Number>
void sum_row(const typename EllipticOperator<Number>::Row row, const Number* t,
             const Number* t_north, FusedSums<Number>& to) {
    using Real = EllipticOperator<Number>::Real;
    constexpr int width = Real::width;
    for (auto* segment = row.first; segment != row.last; ++segment) {
        const int last = segment->end - width;
        int c = segment->begin;
        SummedRow<Number> sum(row);
        auto lanes = to.lanes;  // in registers
        for (sum.begin(Real::load(t + c), Real::load(t_north + c)); c < last; c += width)
            sum.next(c, Real::load(t + c + width), Real::load(t_north + c + width), lanes);
        sum.next(c, Real(0.0), Real(0.0), lanes);
        to.lanes = lanes;
    }
}

/// t of the row that is computed, of the one that is summed and of that north of it.
template <class Number> struct AppliedRows {
    Number* computed;
    const Number *summed, *north;
};

/// All stages of two iterations in one loop over a row n, each one row behind the stage before, so
/// that they hide each other's latencies:
///   search     in row n + 3, the second iteration's in n + 1
///   descend    in row n + 2, the second iteration's in n
///   apply, sum in row n - 1, n - 2
/// Along the row each is one pack behind those whose results it needs in the pack to the east.
/// Row n + 4 is fetched into the second-level cache.
template <bool south, class Number> class TwoIterations {
    using Operator = EllipticOperator<Number>;
    using Space = EllipticSpace<Number>;
    using Row = Operator::Row;
    using Real = Operator::Real;
    static constexpr int width = Real::width;
    /// A pack in a row and in the next one (sums: the one north of it).
    struct Pair {
        Real here{0.0}, next{0.0};
    };

public:
    TwoIterations(const Row& row, const FusedStep& one, const FusedStep& two,
                  const std::array<Number*, 3>& carry, const AppliedRows<Number>& t)
        : on(south ? -row.up : row.up),
          p(row.of(Operator::sum) - (south ? row.up : 0)),
          m(p + row.array),
          square(row.of(Operator::square)),
          r(row.of(Space::r)),
          s(row.of(Space::s)),
          y(row.of(Space::y)),
          alpha(one.alpha),
          beta(one.beta),
          alpha_two(two.alpha),
          beta_two(two.beta),
          carry(carry),
          t(t),
          first(row),
          second(row),
          third(row),
          sum(row, -2 * on) {}

    [[gnu::always_inline]] void operator()(const typename Operator::Segment& segment,
                                           typename FusedSums<Number>::Lanes& lanes) {
        const int begin = segment.begin, last = segment.end - width;
        for (int c = begin; c <= last + 3 * width; c += width) {
            Pair searched, searched_two;  // 0 east of the segment
            if (c <= last) {
                fetch(c);
                searched = search(c);
                searched_two = search_two(c);
            }
            if (c == begin) {
                first.begin(searched.here, searched.next);
                second.begin(searched_two.here, searched_two.next);
                continue;
            }
            Pair descended;
            int behind = c - width;
            if (behind <= last) {
                descend(behind, searched);
                descended = descend_two(behind, searched_two);
            }
            if (behind == begin) {
                third.begin(descended.here, descended.next);
                continue;
            }
            Pair applied;
            behind -= width;
            if (behind <= last) applied = apply(behind, descended);
            if (behind == begin)
                sum.begin(applied.here, applied.next);
            else
                sum.next(behind - width, applied.here, applied.next, lanes);
        }
    }

private:
    const std::ptrdiff_t on;
    const Number *const p, *const m, *const square;
    Number *const r, *const s, *const y;
    const Real alpha, beta, alpha_two, beta_two;
    const std::array<Number*, 3> carry;
    const AppliedRows<Number> t;
    CornerRow<Number> first, second, third;
    SummedRow<Number> sum;

    static Real at(const Number* x) { return Real::load(x); }
    static Real fused(Real a, Real b, Real c) { return Operator::fused(a, b, c); }

    [[gnu::always_inline]] void fetch(int c) const {
        for (const Number* x : {(const Number*)r + 4 * on, (const Number*)s + 4 * on, p + 4 * on,
                                m + 4 * on, square + 4 * on, (const Number*)y + 2 * on})
            __builtin_prefetch(x + c, 0, 2);
    }
    /// s = r + beta s in row n + 3; of rows n + 2 and n + 3.
    [[gnu::always_inline]] Pair search(int c) {
        const Real found = fused(beta, at(s + 3 * on + c), at(r + 3 * on + c));
        found.store(s + 3 * on + c);
        return {at(s + 2 * on + c), found};
    }
    /// The second iteration's in row n + 1, and y there of both; of rows n and n + 1.
    [[gnu::always_inline]] Pair search_two(int c) {
        const Real old = at(s + on + c), found = fused(beta_two, old, at(r + on + c));
        found.store(s + on + c);
        const Real here = at(s + c);
        (at(y + on + c) + fused(alpha, old, alpha_two * found)).store(y + on + c);
        return {here, found};
    }
    /// r -= alpha (s - D^2 F s) in row n + 2.
    [[gnu::always_inline]] void descend(int c, const Pair& east) {
        const Real here = first.here(), F = first.next(p + 2 * on + c, m + 2 * on + c, east.here,
                                                       east.next, carry[0] + c);
        fused(-alpha, fused(-at(square + 2 * on + c), F, here), at(r + 2 * on + c))
            .store(r + 2 * on + c);
    }
    /// The second iteration's in row n; r of rows n - 1 and n.
    [[gnu::always_inline]] Pair descend_two(int c, const Pair& east) {
        const Real here = second.here(),
                   F = second.next(p + c, m + c, east.here, east.next, carry[1] + c);
        const Real left = fused(-alpha_two, fused(-at(square + c), F, here), at(r + c));
        left.store(r + c);
        return {at(r - on + c), left};
    }
    /// t = r - D^2 F r in row n - 1; of row n - 2 and the one north of it.
    [[gnu::always_inline]] Pair apply(int c, const Pair& east) {
        const Real here = third.here(),
                   F = third.next(p - on + c, m - on + c, east.here, east.next, carry[2] + c);
        const Real found = fused(-at(square - on + c), F, here);
        found.store(t.computed + c);
        return {at(t.summed + c), south ? at(t.north + c) : found};
    }
};

template <bool south, class Number>
void fused_rows(const typename EllipticOperator<Number>::Row row, const FusedStep& one,
                const FusedStep& two, const std::array<Number*, 3>& carry,
                const AppliedRows<Number>& t, FusedSums<Number>& to) {
    auto lanes = to.lanes;  // in registers
    TwoIterations<south, Number> both(row, one, two, carry, t);
    for (auto* segment = row.wide; segment != row.wide_end; ++segment) both(*segment, lanes);
    to.lanes = lanes;
}

}  // namespace fathom
