/// The work of a sweep (fused.hpp) on a row, or on six at once.
#pragma once
#include <array>
#include <bit>
#include <vector>
#include "solver/space.hpp"

namespace fathom {

/// Sums of r D^-2 r, r D^-2 t, t D^-2 t and t.F t / 2, t = r - D^2 F r. Terms are rounded to whole
/// units: what they tell, alpha and beta, need not be more exact.
template <class Number> struct FusedSums {
    using Real = EllipticOperator<Number>::Real;
    using Bits = RoundedLanes::Bits;
    enum Which { rr, rt, tt, cross, all };
    /// As many RoundedLanes of one unit, which share what is strange, in registers.
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
    std::array<ExactSum, all>
        total;  ///< of r.r, r.Ar, Ar.Ar, Ar.AAr, as products of what is scaled
    explicit FusedSums(SumUnit unit) : lanes{unit.coarse()} { total.fill(ExactSum(unit)); }
    /// halves: of a corner on the fold either half is summed.
    void flush(bool halves = false) {
        const SumUnit unit = total[0].unit;
        for (Which n : {rr, rt, tt}) total[n].add(lanes.of(n, unit));
        total[cross].add(lanes.of(tt, unit)),
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

/// alpha, and beta, of an iteration; alpha of the one before.
struct FusedStep {
    double alpha = 0, beta = 0, before = 0;
};

/// A row of numbers that lies beside the arrays, in its columns.
template <class Number> struct FusedBuffer {
    std::vector<Number> memory;
    int row = -1;  ///< it is of, or for, by its index
    Number* at() {
        return (Number*)((std::uintptr_t(memory.data()) + 63) / 64 * 64) +
               EllipticOperator<Number>::line;
    }
    void clear(std::ptrdiff_t columns) {
        memory.assign(columns + 4 * EllipticOperator<Number>::line, 0);
    }
};

/// F of a row, pack by pack from west to east: what corners leave to the row that comes next is
/// carried there.
template <class Number> struct CornerRow {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    static constexpr int width = Real::width;
    Real S, N;  ///< of this row and the next
    Real from_se,
        from_ne;  ///< what the corners of a pack leave to their SE and NE, still to be moved east
    void begin(Real south, Real north) { S = south, N = north, from_se = from_ne = Real(0.0); }
    /// F of the pack that S and N are of; S1 and N1 are those of the pack east of it.
    [[gnu::always_inline]] Real next(const Number* p, const Number* m, Real S1, Real N1,
                                     Number* carry) {
        const Real P = Operator::held(Real::load(p)), M = Operator::held(Real::load(m)),
                   SE = Operator::template joined<1>(S, S1),
                   NE = Operator::template joined<1>(N, N1);
        const Real u = M * (SE - N), w = M * (S - NE), se = Operator::fused(P, N, w),
                   ne = Operator::fused(P, S, -u);
        const Real left =
            Operator::fused(P, SE, -w) + Operator::template joined<width - 1>(from_ne, ne);
        const Real F = Real::load(carry) + (Operator::fused(P, NE, u) +
                                            Operator::template joined<width - 1>(from_se, se));
        left.store(carry);
        from_se = se, from_ne = ne, S = S1, N = N1;
        return F;
    }
};

/// The sums of a row, likewise.
template <class Number> struct SummedRow {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    using Sums = FusedSums<Number>;
    static constexpr int width = Real::width, lead = EllipticSpace<Number>::lead;
    const Number *r, *square, *p, *m;
    int nx;
    Real S, N;  ///< t of this row and the one north of it
    explicit SummedRow(const typename Operator::Row& row, std::ptrdiff_t to = 0)
        : r(row.of(EllipticSpace<Number>::r) + to),
          square(row.of(Operator::square) + to),
          p(row.of(Operator::sum) + to),
          m(row.of(Operator::difference) + to),
          nx(row.nx) {}
    [[gnu::always_inline]] void next(int c, Real S1, Real N1, typename Sums::Lanes& lanes) {
        Real SW = S, NW = N, SE = Operator::template joined<1>(S, S1),
             NE = Operator::template joined<1>(N, N1), R = Real::load(r + c);
        if (c < lead || c + width > nx + lead) [[unlikely]]
            for (Real* x : {&SW, &NW, &SE, &NE, &R}) *x = own_columns(*x, c - lead, nx);
        const Real one(1.0), weight = one / Real::load(square + c), wr = weight * R;
        Sums::add(lanes, Sums::rr, wr, R), Sums::add(lanes, Sums::rt, wr, SW),
            Sums::add(lanes, Sums::tt, weight * SW, SW);
        Sums::add(lanes, Sums::cross, Real::load(p + c), Operator::fused(SE, NW, SW * NE),
                  Real::load(m + c) * (SW - NE), SE - NW);
        Sums::next(lanes);
        S = S1, N = N1;
    }
};

/// What a row is worked on with: what corners leave to the row that comes next; t of this row, of
/// the one that is summed, and of that north of it.
template <class Number> struct FusedLines {
    Number *carry = nullptr, *t = nullptr;
    const Number *t_summed = nullptr, *t_north = nullptr;
};

enum FusedWork : unsigned {
    searches = 1,
    adds = 2,
    descends = 4,
    sums = 8,
    carries = 16,
    southward = 32,
    applies = 64
};

/// One stage in row n: s = r + beta s (searches), and y += before s' + alpha s (adds); r -= alpha
/// (s - D^2 F s) (descends); t = r - D^2 F r (applies); sums. carries: only what the corners
/// between n and n + 1 leave to row n + 1, of s, or of r (applies). Rows are taken by value: no
/// store changes them. southward: n - 1 for n + 1. F, mirrored, is the same function, so that the
/// bits are the same.
template <unsigned work, class Number>
void fused_row(const typename EllipticOperator<Number>::Row row, const FusedStep& step,
               const FusedLines<Number> lines, FusedSums<Number>* to) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    using Space = EllipticSpace<Number>;
    constexpr int width = Real::width;
    constexpr bool south = (work & southward) != 0,
                   corners = (work & (descends | applies | carries)) != 0;
    const std::ptrdiff_t array = row.array,
                         on = south ? -row.up : row.up;  // to the row that comes next
    const Number *p = row.of(Operator::sum) - (south ? row.up : 0), *m = p + array,
                 *square = row.of(Operator::square);  // corners between this row and the next
    Number *const r = row.of(Space::r), *const s = r + array, *const y = s + array;
    const Number* const of = (work & applies) ? r : s;  // what F is applied to
    const Real alpha(step.alpha), beta(step.beta), before(step.before);
    auto at = [](const Number* x) { return Real::load(x); };
    const auto *segment = corners ? row.near : row.first, *end = corners ? row.near_end : row.last;
    for (; segment != end; ++segment) {
        const int last = segment->end - width;
        int c = segment->begin;
        if constexpr ((work & searches) != 0)
            for (; c <= last; c += width) {
                const Real s0 = at(s + c), s1 = Operator::fused(beta, s0, at(r + c));
                s1.store(s + c);
                if constexpr ((work & adds) != 0)
                    (at(y + c) + Operator::fused(before, s0, alpha * s1)).store(y + c);
            }
        if constexpr ((work & sums) != 0) {
            SummedRow<Number> sum(row);
            auto lanes = to->lanes;  // in registers
            for (sum.S = at(lines.t_summed + c), sum.N = at(lines.t_north + c); c < last;
                 c += width)
                sum.next(c, at(lines.t_summed + c + width), at(lines.t_north + c + width), lanes);
            sum.next(c, Real(0.0), Real(0.0), lanes);
            to->lanes = lanes;
        }
        if constexpr (corners) {
            CornerRow<Number> F;
            auto act = [&](int c, Real S1, Real N1) __attribute__((always_inline)) {
                const Real S = F.S, here = F.next(p + c, m + c, S1, N1, lines.carry + c);
                if constexpr ((work & applies) != 0 && (work & carries) == 0)
                    Operator::fused(-at(square + c), here, S).store(lines.t + c);
                if constexpr ((work & descends) != 0)
                    Operator::fused(-alpha, Operator::fused(-at(square + c), here, S), at(r + c))
                        .store(r + c);
            };
            for (F.begin(at(of + c), at(of + on + c)); c < last; c += width)
                act(c, at(of + c + width), at(of + on + c + width));
            act(c, Real(0.0), Real(0.0));
        }
    }
}

/// All stages of two iterations in one loop, each in the row behind that of the one before, so that
/// they hide each other's latencies: search in row n + 3, descend in n + 2, both of the second
/// iteration in n + 1 and n, t of n - 1, sums of n - 2. Row n + 4 is brought to the second cache.
template <bool south, class Number>
void fused_rows(const typename EllipticOperator<Number>::Row row, const FusedStep& one,
                const FusedStep& two, const std::array<Number*, 3> carry,
                const FusedLines<Number> lines, FusedSums<Number>* to) {
    using Operator = EllipticOperator<Number>;
    using Real = Operator::Real;
    using Space = EllipticSpace<Number>;
    constexpr int width = Real::width;
    const std::ptrdiff_t array = row.array, on = south ? -row.up : row.up;
    const Number *p = row.of(Operator::sum) - (south ? row.up : 0), *m = p + array,
                 *square = row.of(Operator::square);
    Number *const r = row.of(Space::r), *const s = r + array, *const y = s + array;
    const Real alpha(one.alpha), beta(one.beta), alpha_two(two.alpha), beta_two(two.beta),
        zero(0.0);
    auto at = [](const Number* x) { return Real::load(x); };
    auto fused = [](Real a, Real b, Real c) { return Operator::fused(a, b, c); };
    SummedRow<Number> sum(row, -2 * on);
    auto lanes = to->lanes;  // in registers
    for (auto* segment = row.wide; segment != row.wide_end; ++segment) {
        CornerRow<Number> first, second, third;
        const int begin = segment->begin, last = segment->end - width;
        for (int c = begin; c <= last + 3 * width; c += width) {
            Real S1 = zero, N1 = zero, S2 = zero, N2 = zero, r2 = zero, t = zero;
            if (c <= last) {
                for (const Number* x :
                     {(const Number*)r + 4 * on, (const Number*)s + 4 * on, p + 4 * on, m + 4 * on,
                      square + 4 * on, (const Number*)y + 2 * on})
                    __builtin_prefetch(x + c, 0, 2);
                N1 = fused(beta, at(s + 3 * on + c), at(r + 3 * on + c)), N1.store(s + 3 * on + c),
                S1 = at(s + 2 * on + c);
                const Real s0 = at(s + on + c);
                N2 = fused(beta_two, s0, at(r + on + c)), N2.store(s + on + c), S2 = at(s + c);
                (at(y + on + c) + fused(alpha, s0, alpha_two * N2)).store(y + on + c);
            }
            if (c == begin) {
                first.begin(S1, N1), second.begin(S2, N2);
                continue;
            }
            int b = c - width;
            if (b <= last) {
                const Real S = first.S,
                           F = first.next(p + 2 * on + b, m + 2 * on + b, S1, N1, carry[0] + b);
                fused(-alpha, fused(-at(square + 2 * on + b), F, S), at(r + 2 * on + b))
                    .store(r + 2 * on + b);
                const Real Z = second.S, G = second.next(p + b, m + b, S2, N2, carry[1] + b);
                r2 = fused(-alpha_two, fused(-at(square + b), G, Z), at(r + b)), r2.store(r + b);
                S1 = at(r - on + b);
            } else
                S1 = zero;
            if (b == begin) {
                third.begin(S1, r2);
                continue;
            }
            b -= width;
            if (b <= last) {
                const Real S = third.S,
                           F = third.next(p - on + b, m - on + b, S1, r2, carry[2] + b);
                t = fused(-at(square - on + b), F, S), t.store(lines.t + b);
                S1 = at(lines.t_summed + b), N1 = south ? at(lines.t_north + b) : t;
            } else
                S1 = N1 = zero;
            if (b == begin)
                sum.S = S1, sum.N = N1;
            else
                sum.next(b - width, S1, N1, lanes);
        }
    }
    to->lanes = lanes;
}

}  // namespace fathom
