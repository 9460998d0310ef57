/// Solves (M + K) x = b of elliptic.hpp by conjugate gradients with one reduction an iteration (Chronopoulos & Gear 1989), for
/// A y = D b, x = D y:
///
///   beta = rho / rho',   sigma = delta - beta^2 sigma',   alpha = rho / sigma       of rho = r.r, delta = r.(A r)
///   s = r + beta s,   y += alpha s,   r -= alpha (A s)
/// A s is computed anew, where Chronopoulos & Gear carry it along as A r + beta p: two vectors less to read and write, and a residual
/// that stays nearer to the truth. An iteration is one sweep over the rows: s is updated in one row, r in the row behind it, and
/// r.r and r.(A r) are summed in the next, while all are in cache. y += alpha' s' + alpha s is added every second iteration. All in all
/// nine numbers are read or written a point and iteration: r, s and the four coefficients, and y half the time.
///
/// r and s are updated in the halo by everyone, so r alone is exchanged, two points wide, while the sums travel. Sums are exact
/// (reduce.hpp) and everything else is done point by point, so each iteration has the same bits on any ranks, blocks and threads. The
/// unit of a sum follows from the sum before it.
#pragma once
#include "numerics/elliptic.hpp"
#include "parallel/reduce.hpp"

namespace fathom {

class EllipticSolver {
public:
    /// halo: of the slabs. tolerance: |b - A y| <= tolerance |b|, in the scaled norm: |D b - D (M + K) x| <= tolerance |D b|.
    EllipticSolver(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, double tolerance, int maximum_iterations);

    /// x: first guess, then solution, at own points. bytes: of the numbers of both. Returns the iterations it took; an error on all
    /// ranks if they were not enough, or if something is not a number.
    int solve(const FieldSlab& rhs, const FieldSlab& x, int bytes = 8);
    /// y = (M + K) x at own points.
    void apply(const FieldSlab& x, const FieldSlab& y, int bytes = 8);

    double last_residual = 0;                              ///< |b - A y| / |b|, computed from the solution, not carried along
    int iterations = 0;                                    ///< of the last solve
    double tolerance; int maximum_iterations;
    struct Seconds { double sweep = 0, halo = 0, sum = 0; } seconds;          ///< since construction
    const EllipticOperator& matrix() const { return A; }

private:
    using Row = EllipticOperator::Row;
    enum Vector { r = EllipticOperator::vectors, s, y, end };
    struct Step { double alpha = 0, beta = 0, alpha_before = 0; bool add = true; };          ///< add: to y, for this step and the one before
    struct Products { ExactSum rho, delta; };
    MPI_Comm comm; int ranks;
    Topology topology; int halo;
    EllipticOperator A;
    Exchange exchange;
    std::vector<FieldSlab> slab_r, slab_s;
    std::vector<int> part;                                 // of the rows, for each thread

    template <bool updates> Products sweep(const Step&, SumUnit);
    Products products();
    void conjugate_gradients(Products, double b);
    void fill(std::span<const FieldSlab>);
    void share(Products&);
    double largest();
    template <class F> void for_points(const FieldSlab&, int bytes, F body) const;
    [[noreturn]] void fail(double residual, const char* what);
};

}  // namespace fathom
