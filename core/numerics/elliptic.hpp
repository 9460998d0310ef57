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

/// What the operator is made of; bytes of a number 4 or 8. Only the rank's own points are read: halos are filled here.
struct EllipticFields {
    FieldSlab wet, area;                                   ///< centers: nonzero where there is water; [m2]
    FieldSlab depth, dx, dy;                               ///< corners [m]
    double mass;                                           ///< M / area = 1 / (g theta^2 tau^2) [s2 m-1 s-2]
    int bytes = 8;
};

/// The coefficients and the vectors of a solver, all arrays of a row side by side: memory[row][array][column]. A row begins with `lead`
/// columns, the last of which is the western halo, so that its own columns begin at a cache line. Land has no coefficients, and every
/// vector is 0 there; packs of columns without water belong to no segment and are never touched.
class EllipticOperator {
public:
    using Real = Pack<double, 8>;
    static constexpr int lead = 8;
    enum Array { east, north, northeast, northwest, vectors };                ///< `vectors` is the first vector of the solver
    struct Segment { int begin, end; };                    ///< columns, whole packs
    struct Row { int block, j, nx; double* at; std::ptrdiff_t columns, record; Segment *first, *last; bool own; };   ///< j from -1 to ny: with halo rows

    EllipticOperator(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, int vectors);

    std::vector<Row> rows;                                 ///< block by block, the halo rows of a block before and after its own
    std::vector<const Block*> blocks;
    int scale;                                             ///< the array that holds d; 0 on land
    std::size_t wet_points = 0;                            ///< of this rank
    std::size_t packs = 0;                                 ///< of this rank: what is computed is 8 times this

    FieldSlab slab(int array) const;                       ///< for exchanges in a halo of 1

    /// A r for the pack at column c of a row.
    static Real apply(const Row& row, int vector, int c) {
        const double *e = row.at + c, *n = e + row.columns, *ne = n + row.columns, *nw = ne + row.columns;
        const double *r = row.at + vector * row.columns + c, *up = r + row.record, *down = r - row.record;
        const std::ptrdiff_t south = -row.record;
        auto at = [](const double* p) { return Real::load(p); };
        const Real x = fma(at(e), at(r + 1), fma(at(e - 1), at(r - 1), at(r)));
        const Real y = fma(at(ne), at(up + 1), fma(at(nw - 1), at(up - 1), at(n) * at(up)));
        const Real z = fma(at(nw + south), at(down + 1), fma(at(ne + south - 1), at(down - 1), at(n + south) * at(down)));
        return x + (y + z);
    }

private:
    struct Free { void operator()(double* p) const { std::free(p); } };
    std::unique_ptr<double[], Free> memory;
    std::vector<Segment> segments;
    std::vector<std::ptrdiff_t> columns_of, first_row;     // of each block
    int arrays;
    void lay_out();
    void assemble(MPI_Comm, const Decomposition&, int halo, const EllipticFields&);
    void cut();
};

}  // namespace fathom
