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
#include <cstdlib>
#include <memory>

namespace fathom {

#if defined(__AVX512F__)
inline constexpr int pack_registers = 64;
#else
inline constexpr int pack_registers = 32;
#endif

/// What the operator is made of; bytes of a number 4 or 8. Only the rank's own points are read: halos are filled here.
struct EllipticFields {
    FieldSlab wet, area;                                   ///< centers: nonzero where there is water; [m2]
    FieldSlab depth, dx, dy;                               ///< corners [m]
    double mass;                                           ///< M / area = 1 / (g theta^2 tau^2) [s2 m-1 s-2]
    int bytes = 8;
};

/// The coefficients and the vectors of a solver on the blocks of a rank, each an array of its own: memory[array][row][column], with a
/// halo of two. Packs begin at column 0, in the halo; those without water belong to no segment and are never touched. Land has no
/// coefficients, and every vector is 0 there. In rows -1 to ny and columns -1 to nx the operator may be applied, so that a solver can
/// go one step further before it exchanges.
class EllipticOperator {
public:
    using Real = Pack<double, 8>;
    static constexpr int halo = 2;
    enum Array { east, north, northeast, northwest, vectors };                ///< `vectors` is the first vector of the solver
    struct Segment { int begin, end; };                    ///< columns, whole packs
    struct Row {
        int block, j, nx, ring;                            ///< j from -2 to ny + 1; ring: 0 for own rows, 1 and 2 in the halo
        double* at; std::ptrdiff_t array, up;              ///< column 0 of array 0; to the next array; to the next row
        const Segment *first, *last;
        double* of(int which) const { return at + which * array; }
    };

    EllipticOperator(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, int vectors);
    EllipticOperator(const EllipticOperator&) = delete;

    std::vector<Row> rows;                                 ///< block by block, from south to north
    std::vector<Block> blocks;                             ///< of this rank
    int scale;                                             ///< the array that holds d; 0 on land
    std::size_t wet_points = 0, packs = 0;                 ///< of this rank's own rows; what is computed is 8 packs

    FieldSlab slab(int array) const;                       ///< for exchanges

    /// body(c, r, A r) for the packs of a row. What comes from the west is one sum, moved on by a column from pack to pack, and what
    /// comes from the east is moved from the next pack: loads across cache lines would take most of the time. Without registers of
    /// eight numbers it is loaded; the operations on a point are the same.
    template <class Body> static void multiply(const Row row, const double* r, Body body) {
        typedef std::int64_t Lanes __attribute__((vector_size(64)));
        const double *e = row.at, *n = e + row.array, *ne = n + row.array, *nw = ne + row.array, *n_s = n - row.up, *ne_s = ne - row.up, *nw_s = nw - row.up;
        const double *up = r + row.up, *down = r - row.up;
        auto at = [](const double* p) { return Real::load(p); };
        auto eastward = [=](int c) { return fma(at(nw + c), at(up + c), fma(at(ne_s + c), at(down + c), at(e + c) * at(r + c))); };
        auto joined = [](Real a, Real b, Lanes which) { Real x; x.lanes = __builtin_shuffle(a.lanes, b.lanes, which); return x; };
        constexpr bool shuffles = pack_registers == 64;
        for (auto* segment = row.first; segment != row.last; ++segment) {
            Real before = eastward(segment->begin - 8), R = at(r + segment->begin), U = at(up + segment->begin), D = at(down + segment->begin);
            for (int c = segment->begin; c < segment->end; c += 8) {
                const Real R1 = at(r + c + 8), U1 = at(up + c + 8), D1 = at(down + c + 8);
                auto next = [&](Real now, Real then, const double* p) { return shuffles ? joined(now, then, Lanes{1, 2, 3, 4, 5, 6, 7, 8}) : at(p + c + 1); };
                const Real here = fma(at(nw + c), U, fma(at(ne_s + c), D, at(e + c) * R));
                const Real west = shuffles ? joined(before, here, Lanes{7, 8, 9, 10, 11, 12, 13, 14}) : eastward(c - 1);
                const Real east = fma(at(ne + c), next(U, U1, up), fma(at(nw_s + c), next(D, D1, down), at(e + c) * next(R, R1, r)));
                const Real middle = fma(at(n + c), U, fma(at(n_s + c), D, R));
                body(c, R, middle + (west + east));
                before = here; R = R1; U = U1; D = D1;
            }
        }
    }

private:
    struct Free { void operator()(double* p) const { std::free(p); } };
    std::unique_ptr<double[], Free> memory;
    std::vector<Segment> segments;
    std::vector<std::size_t> first_row;                    // of each block
    void lay_out();
    void assemble(MPI_Comm, const Decomposition&, int halo, const EllipticFields&);
    void cut();
};

}  // namespace fathom
