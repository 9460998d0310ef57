/// The implicit free surface on the B grid:   (M + K) x = b,   M = mass area,   K = -area div H grad = G' W G   at centers.
///
/// Each corner with depth H and widths dx, dy, all four cells wet, adds with a = H dy / 4 dx, b = H dx / 4 dy
///   a + b to the diagonal of its four cells,   -(a + b) to the pairs SW-NE and SE-NW,   b - a to E-W pairs,   a - b to N-S pairs.
/// Symmetric; K 1 = 0 and K (-1)^(i+j) = 0; M + K is positive definite. Scaled on both sides by d = diagonal^(-1/2), so that the
/// diagonal is 1 and four coefficients a point are all that an application reads:
///   A = D (M + K) D,   (A r)(i,j) = r(i,j) + E(i,j) r(i+1,j) + E(i-1,j) r(i-1,j) + N(i,j) r(i,j+1) + N(i,j-1) r(i,j-1)
///                                 + NE(i,j) r(i+1,j+1) + NE(i-1,j-1) r(i-1,j-1) + NW(i-1,j) r(i-1,j+1) + NW(i,j-1) r(i+1,j-1)
/// with NE, NW at the corner (i,j), which joins (i,j) to (i+1,j+1) and (i+1,j) to (i,j+1).
#pragma once
#include "base/pack.hpp"
#include "parallel/exchange.hpp"
#include "parallel/reduce.hpp"
#include <concepts>
#include <cstdlib>
#include <memory>
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace fathom {

/// What the operator is made of; bytes of a number 4 or 8. Only the rank's own points are read: halos are filled here.
struct EllipticFields {
    FieldSlab wet, area;                                   ///< centers: nonzero where there is water; [m2]
    FieldSlab depth, dx, dy;                               ///< corners [m]
    double mass;                                           ///< M / area = 1 / (g theta^2 tau^2) [s2 m-1 s-2]
    int bytes = 8;
};

/// The coefficients and the vectors of a solver on the blocks of a rank, each an array of its own: memory[array][row][column], with a
/// halo of two. Packs begin at column 0, in the halo; lines of 64 bytes without water belong to no segment and are never touched. Land
/// has no coefficients, and every vector is 0 there. In rows -1 to ny and columns -1 to nx the operator may be applied, so that a solver
/// can go one step further before it exchanges. It is made in fp64; an operator in fp32 is a rounded copy of it.
template <class Number> class EllipticOperator {
public:
    using Real = Pack<Number, register_lanes * 8 / sizeof(Number)>;
    static constexpr int halo = 2, line = 64 / sizeof(Number);
    enum Array { east, north, northeast, northwest, vectors };                ///< `vectors` is the first vector of the solver
    struct Segment { int begin, end; };                    ///< columns, whole lines
    struct Row {
        int block, j, nx, ring;                            ///< j from -2 to ny + 1; ring: 0 for own rows, 1 and 2 in the halo
        Number* at; std::ptrdiff_t array, up;              ///< column 0 of array 0; to the next array; to the next row
        const Segment *first, *last;
        Number* of(int which) const { return at + which * array; }
    };

    EllipticOperator(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, int vectors) requires std::same_as<Number, double>;
    EllipticOperator(const EllipticOperator<double>&, int vectors) requires std::same_as<Number, float>;
    EllipticOperator(const EllipticOperator&) = delete;

    std::vector<Row> rows;                                 ///< block by block, from south to north
    std::vector<Block> blocks;                             ///< of this rank
    int arrays;
    int scale = -1;                                        ///< the array that holds d, 0 on land; fp64 only
    std::size_t wet_points = 0, lines = 0;                 ///< of this rank's own rows; what is computed is lines

    FieldSlab slab(int array) const;                       ///< for exchanges

    /// body(c, r, A r) for the packs of a row. What comes from the west is one sum, moved on by a column from pack to pack, and what
    /// comes from the east is moved from the next pack: loads across cache lines would take most of the time.
    template <class Body> static void multiply(const Row row, const Number* r, Body body) {
        constexpr int width = Real::width;
        const Number *e = row.at, *n = e + row.array, *ne = n + row.array, *nw = ne + row.array, *n_s = n - row.up, *ne_s = ne - row.up, *nw_s = nw - row.up;
        const Number *up = r + row.up, *down = r - row.up;
        auto at = [](const Number* p) { return Real::load(p); };
        for (auto* segment = row.first; segment != row.last; ++segment) {
            int c = segment->begin - width;
            Real before = fused(at(nw + c), at(up + c), fused(at(ne_s + c), at(down + c), at(e + c) * at(r + c)));
            c += width;
            Real R = at(r + c), U = at(up + c), D = at(down + c);
            for (; c < segment->end; c += width) {
                const Real R1 = at(r + c + width), U1 = at(up + c + width), D1 = at(down + c + width), E = at(e + c);
                const Real here = fused(at(nw + c), U, fused(at(ne_s + c), D, E * R)), west = joined<width - 1>(before, here);
                const Real east = fused(at(ne + c), joined<1>(U, U1), fused(at(nw_s + c), joined<1>(D, D1), E * joined<1>(R, R1)));
                const Real middle = fused(at(n + c), U, fused(at(n_s + c), D, R));
                body(c, R, middle + (west + east));
                before = here; R = R1; U = U1; D = D1;
            }
        }
    }

private:
    /// a b + c, rounded once.
    static Real fused(Real a, Real b, Real c) {
#if defined(__FMA__) && !defined(__AVX512F__)
        Real x;
        if constexpr (sizeof(Number) == 8) x.lanes = (typename Real::Storage)_mm256_fmadd_pd((__m256d)a.lanes, (__m256d)b.lanes, (__m256d)c.lanes);
        else x.lanes = (typename Real::Storage)_mm256_fmadd_ps((__m256)a.lanes, (__m256)b.lanes, (__m256)c.lanes);
        return x;
#else
        return fma(a, b, c);
#endif
    }
    /// The last numbers of a from `first` on, then the first of b.
    template <int first> static Real joined(Real a, Real b) {
        typename Real::Mask which;
        for (int n = 0; n < Real::width; ++n) which[n] = first + n;
        Real x;
        x.lanes = __builtin_shuffle(a.lanes, b.lanes, which);
        return x;
    }
    struct Free { void operator()(Number* p) const { std::free(p); } };
    std::unique_ptr<Number[], Free> memory;
    std::vector<Segment> segments;
    std::vector<std::size_t> first_row;                    // of each block
    void lay_out();
    void assemble(MPI_Comm, const Decomposition&, int halo, const EllipticFields&) requires std::same_as<Number, double>;
    void cut(const EllipticOperator<double>&);
};

}  // namespace fathom
