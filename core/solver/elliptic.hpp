/// The implicit free surface on the B grid:
///   (M + K) x = b,     M = mass area,     K = -area div H grad = G' W G     at centers.
///
/// Each corner with depth H and widths dx, dy, all four cells wet, adds with
///   a = H dy / 4 dx,   b = H dx / 4 dy,   P = a + b,   M = a - b
///   P to the diagonal of its four cells,   -P to the pairs SW-NE and SE-NW,
///   -M to E-W pairs,   M to N-S pairs.
/// K (-1)^(i+j) = 0. The compact operator uses gradients across faces. Its additional term is
///   P X'X,     X x = x_SE + x_NW - x_SW - x_NE
/// at each corner, and sees alternating fields. K has the share e, the compactness, of it; with
/// P' = (1 - e) P and k = e / (1 - e) each corner adds
///   (1 + 2 k) P' to the diagonal,   -P' to the diagonal pairs,   -(M + k P') to E-W pairs,
///   M - k P' to N-S pairs.
/// Symmetric; K 1 = 0; M + K is positive definite. Scaled on both sides by d = diagonal^(-1/2), so
/// that the diagonal is 1. It is never stored but applied corner by corner; only P', M and d are
/// read:
///   A = D (M + K) D,     A r = r - d F(d r),     F v = sum over the corners of
///       P' (v_NE + k s) + M m   at SW,     P' (v_SW + k s) - M m   at NE,     s, m = v_SE +- v_NW,
///       P' (v_NW + k t) + M n   at SE,     P' (v_SE + k t) - M n   at NW,     t, n = v_SW +- v_NE.
///
/// On a rotating sphere the flow that a slope drives in a step is turned by phi = theta f tau
/// (free_surface.hpp): H becomes H / (1 + phi^2) above, and to K comes the skew
///   N = -area div H phi / (1 + phi^2) k x grad.    With q = H phi / 2 (1 + phi^2) a corner adds
///   -q (x_NW - x_SE) to SW,   its negative to NE,   q (x_NE - x_SW) to SE,   its negative to NW.
#pragma once
#include <array>
#include <concepts>
#include "base/pack.hpp"
#include "machine/memory.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/sums/reduce.hpp"
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace fathom {

/// The input of the operator; bytes of a number 4 or 8. Only the rank's own points are read: halos
/// are filled here.
struct EllipticFields {
    FieldSlab wet, area;      ///< centers: nonzero where there is water; [m2]
    FieldSlab depth, dx, dy;  ///< corners [m]
    double mass;              ///< M / area = 1 / (g theta tau^2) [m-1]
    int bytes = 8;
    double compactness = 0;  ///< share of the compact operator, in [0, 1)
    FieldSlab coriolis{};    ///< f at corners [s-1]; only where turned != 0
    double turned = 0;       ///< theta tau [s]; 0: K is symmetric
};

/// The coefficients and the vectors of a solver on the blocks of a rank, each a separate array:
/// memory[array][row][column], with a halo of four. Packs begin at column 0, in the halo; lines of
/// 64 bytes without water belong to no segment, except for short gaps between wide ones. Corners on
/// land have no coefficients, and every vector is 0 there. In rows -3 to ny + 2 and columns -3 to
/// nx + 2 the operator may be applied, so that a solver can do three steps before the next
/// exchange. It is made in fp64; an operator in fp32 is a rounded copy of it, P', M and 1/d^2 times
/// a power of two that makes the largest diagonal about 1.
template <class Number> class EllipticOperator {
public:
    using Real = Pack<Number, register_lanes * 8 / sizeof(Number)>;
    static constexpr int halo = 4, line = 64 / sizeof(Number);
    /// P', M, d^2 (1 on land, so that it can be divided by), d (0 on land); `vectors` is the first
    /// vector of the solver.
    enum Array { sum, difference, square, scale, vectors };
    /// Columns, whole lines.
    struct Segment {
        int begin, end;
    };
    struct Row {
        int block, j, nx, ring;  ///< j from -4 to ny + 3; ring: 0 for own rows, 1 to 4 in the halo
        Number* at;
        std::ptrdiff_t array, up;  ///< column 0 of array 0; to the next array; to the next row
        Number compact;            ///< k
        /// Lines with water in this row; in this row or one next to it.
        const Segment *first, *last, *near, *near_end;
        /// In this row or one of the three on either side, and short gaps between.
        const Segment *wide, *wide_end;
        Number* of(int which) const { return at + which * array; }
    };

    EllipticOperator(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, int vectors)
        requires std::same_as<Number, double>;
    EllipticOperator(const EllipticOperator<double>&, int vectors)
        requires std::same_as<Number, float>;
    EllipticOperator(const EllipticOperator&) = delete;

    std::vector<Row> rows;      ///< block by block, from south to north
    std::size_t inner = 0;      ///< the first of them: of blocks that need nothing from other ranks
    std::vector<Block> blocks;  ///< of this rank
    std::vector<int> order;     ///< of the blocks, in the order of their rows
    int arrays;
    int exponent = 0;    ///< of the largest diagonal of all ranks, even
    double compact = 0;  ///< k
    int skew = 0;        ///< the array of q; 0: none, N = 0
    /// Of this rank's own rows; the work is counted in lines; those in `inner` rows.
    std::size_t wet_points = 0, lines = 0, inner_lines = 0;

    FieldSlab slab(int array) const;  ///< for exchanges

    /// body(c, r, A r) for the packs of a row. Terms from the west are one sum, moved by a column
    /// from pack to pack; terms from the east are moved from the next pack: loads across cache
    /// lines would be most of the time.
    template <class Body> static void multiply(const Row row, const Number* r, Body body) {
        constexpr int width = Real::width;
        const Real k(row.compact);
        const Number *p = row.of(sum), *m = row.of(difference), *d = row.of(scale),
                     *p_s = p - row.up, *m_s = m - row.up, *d_n = d + row.up, *d_s = d - row.up;
        const Number *r_n = r + row.up, *r_s = r - row.up;
        auto at = [](const Number* x) { return Real::load(x); };
        for (auto* segment = row.first; segment != row.last; ++segment) {
            int c = segment->begin;
            Real before(0.0), r0 = at(r + c), d0 = at(d + c), R = d0 * r0,
                              U = at(d_n + c) * at(r_n + c), D = at(d_s + c) * at(r_s + c);
            for (; c < segment->end; c += width) {
                const Real r1 = at(r + c + width), d1 = at(d + c + width), R1 = d1 * r1,
                           U1 = at(d_n + c + width) * at(r_n + c + width),
                           D1 = at(d_s + c + width) * at(r_s + c + width);
                const Real P = held(at(p + c)), M = held(at(m + c)), P_s = held(at(p_s + c)),
                           M_s = held(at(m_s + c)), Re = joined<1>(R, R1), Ue = joined<1>(U, U1),
                           De = joined<1>(D, D1);
                const Real north_0 = fused(k, R + Ue, U), north_1 = fused(k, Re + U, Ue),
                           south_0 = fused(k, R + De, D), south_1 = fused(k, Re + D, De);
                const Real here =
                    fused(P, north_0, fused(M, R - Ue, fused(P_s, south_0, M_s * (R - De))));
                const Real west = joined<width - 1>(before, here);
                const Real east =
                    fused(P, north_1, fused(M, Re - U, fused(P_s, south_1, M_s * (Re - D))));
                body(c, r0, fused(-d0, west + east, r0));
                before = here;
                r0 = r1;
                d0 = d1;
                R = R1;
                U = U1;
                D = D1;
            }
        }
    }

    /// D N D x at the pack c of a row.
    Real turned(const Row& row, const Number* x, int c) const {
        const Number *q = row.of(skew) + c, *d = row.of(scale) + c;
        auto at = [](const Number* a) { return Real::load(a); };
        auto v = [&](std::ptrdiff_t n) { return at(d + n) * at(x + c + n); };
        const std::ptrdiff_t up = row.up;
        const Real here = at(q), west = at(q - 1), south = at(q - up), both = at(q - up - 1);
        return at(d) * ((v(1) * (here - south) + v(-1) * (both - west)) +
                        (v(up) * (west - here) + v(-up) * (south - both)));
    }

    /// The eight neighbours' entries of A at column c of a row: E, W, N, S, NE, SW, NW, SE.
    static std::array<Number, 8> entries(const Row& row, int c) {
        const Number *p = row.of(sum) + c, *m = row.of(difference) + c, *d = row.of(scale) + c;
        const std::ptrdiff_t n = row.up;
        auto east = [&](std::ptrdiff_t s) { return -fma(row.compact, p[s], m[s]); };
        auto north = [&](std::ptrdiff_t s) { return fma(-row.compact, p[s], m[s]); };
        return {(east(0) + east(-n)) * (d[0] * d[1]),
                (east(-1) + east(-1 - n)) * (d[-1] * d[0]),
                (north(0) + north(-1)) * (d[0] * d[n]),
                (north(-n) + north(-1 - n)) * (d[-n] * d[0]),
                -p[0] * (d[0] * d[n + 1]),
                -p[-1 - n] * (d[-1 - n] * d[0]),
                -p[-1] * (d[0] * d[n - 1]),
                -p[-n] * (d[1 - n] * d[0])};
    }

    /// a b + c, rounded once.
    static Real fused(Real a, Real b, Real c) {
#if defined(__FMA__) && !defined(__AVX512F__)
        Real x;
        if constexpr (sizeof(Number) == 8)
            x.lanes = (typename Real::Storage)_mm256_fmadd_pd((__m256d)a.lanes, (__m256d)b.lanes,
                                                              (__m256d)c.lanes);
        else
            x.lanes = (typename Real::Storage)_mm256_fmadd_ps((__m256)a.lanes, (__m256)b.lanes,
                                                              (__m256)c.lanes);
        return x;
#else
        return fma(a, b, c);
#endif
    }
    /// The last numbers of a from `first` on, followed by the first of b.
    template <int first> static Real joined(Real a, Real b) {
        typename Real::Mask which;
        for (int n = 0; n < Real::width; ++n) which[n] = first + n;
        Real x;
        x.lanes = __builtin_shuffle(a.lanes, b.lanes, which);
        return x;
    }
    /// Keeps x in a register: the compiler would load it again for each use.
    static Real held(Real x) {
#if defined(__AVX__)
        asm("" : "+v"(x.lanes));
#endif
        return x;
    }

private:
    Pages memory;
    std::vector<Segment> segments, near_segments, wide_segments;
    std::vector<std::size_t> first_row;  // of each block
    void arrange(const Decomposition&, int rank);
    void lay_out();
    void assemble(MPI_Comm, const Decomposition&, int halo, const EllipticFields&)
        requires std::same_as<Number, double>;
    void cut(const EllipticOperator<double>&);
};

}  // namespace fathom
