/// Solves (M + K) x = b of elliptic.hpp by conjugate gradients in the form of Chronopoulos & Gear (1989), for A y = D b, x = D y:
///
///   beta = rho / rho',  alpha = rho / (delta - beta^2 sigma'),     of rho = r.r, delta = r.q: one reduction an iteration
///   s = r + beta s,  p = q + beta p,  y += alpha s,  r -= alpha p,  q = A r
/// as one sweep: a row is updated, and the operator applied to the row before it, while both are in cache. What is exchanged is q, at
/// the same time as the reduction; p and r are updated in the halo by everyone. y += alpha' s' + alpha s is added every second iteration.
/// All in all 13 numbers are read or written a point and iteration.
///
/// Sums are exact (reduce.hpp) and everything else is done point by point, so each iteration has the same bits on any ranks, blocks and
/// threads. The unit of a sum follows from the sum before it.
#pragma once
#include "numerics/elliptic.hpp"
#include "parallel/reduce.hpp"

namespace fathom {

class EllipticSolver {
public:
    /// halo: of the slabs. tolerance: |b - A y| <= tolerance |b|, in the scaled norm: |D b - D (M + K) x| <= tolerance |D b|.
    EllipticSolver(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, double tolerance, int maximum_iterations);
    EllipticSolver(const EllipticSolver&) = delete;

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
    enum Vector { r = EllipticOperator::vectors, s, p, q, y, end };
    struct Step { double alpha, beta, alpha_before; bool add; };              ///< add: to y, for this step and the one before
    struct Products { ExactSum rho, delta; };
    MPI_Comm comm; int ranks;
    Topology topology; int halo;
    EllipticOperator A;
    Exchange exchange;
    std::vector<FieldSlab> slab_r, slab_q;
    std::vector<int> part;                                 // of the rows, for each thread

    void update(const Row&, const Step&) const;
    template <bool updates> Products sweep(const Step&, SumUnit);
    void conjugate_gradients(double rho, double b);
    void fill(std::span<const FieldSlab>);
    void share(Products&);
    double largest(int vector);
    Products products(int with);
    template <class F> void for_points(const FieldSlab&, int bytes, F body) const;
    [[noreturn]] void fail(double residual, const char* what);
};

}  // namespace fathom
