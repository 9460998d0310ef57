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
/// Iterations are in fp32, refinement in fp64 (Wilkinson 1963): r = D b - A y in fp64, A e = r to a few digits in fp32, y += e in fp64,
/// until r itself, computed in fp64, is small enough. Where fp32 gets no further, fp64 iterations take over.
///
/// Preconditioned by the factorised matrix (factorisation.hpp) two or three iterations remain, and they are plain ones in fp64 (Hestenes &
/// Stiefel 1952): z = M r, rho = r.z, s = z + rho / rho' s, alpha = rho / s.(A s), y += alpha s, r -= alpha A s.
///
/// r and s are updated in the halo by everyone, so r alone is exchanged, two points wide, while the sums travel. Sums do not depend on
/// order (reduce.hpp) and everything else is done point by point, so each iteration has the same bits on any ranks, blocks and threads.
/// The unit of a sum follows from the sum before it.
#pragma once
#include "numerics/factorisation.hpp"
#include "parallel/reduce.hpp"
#include <array>

namespace fathom {

struct SolverSeconds { double sweep = 0, halo = 0, sum = 0; };
enum class Preconditioner { diagonal, factorisation };
Preconditioner preconditioner(std::string_view name);      ///< an error that names them all

/// The iterations, and the operator and vectors they work on.
template <class Number> class ConjugateGradients {
public:
    using Row = EllipticOperator<Number>::Row;
    enum Vector { r = EllipticOperator<Number>::vectors, s, y, end, z = end, As };     ///< z, As: fp64 only, when preconditioned
    enum class End { small, many, not_positive, not_a_number };
    struct Products { double rho, delta; bool valid; };

    template <class... Of> ConjugateGradients(MPI_Comm, const Decomposition&, SolverSeconds&, const Of&... of);       ///< of: what the operator is made of
    EllipticOperator<Number> A;

    /// y += e, r = what is left, from y and r (halo filled) until r.r <= goal.
    End iterate(Products, double goal, int& iterations, int maximum);
    /// The same, preconditioned.
    End iterate(Factorisation&, double rho, double goal, int& iterations, int maximum) requires std::same_as<Number, double>;
    Products products();                                   ///< of r; the largest is found first
    double largest();                                      ///< |r| over all ranks; infinite if anything is not a number
    void fill(Vector);                                     ///< the halo

private:
    struct Step { double alpha = 0, beta = 0, alpha_before = 0; bool add = true; };          ///< add: to y, for this step and the one before
    using Sums = std::array<ExactSum, 2>;                  ///< rho, delta
    MPI_Comm comm; int ranks;
    Exchange exchange;
    std::vector<FieldSlab> slab_r, slab_s;
    std::vector<int> part;                                 // of the rows, for each thread
    SolverSeconds& seconds;
    template <bool updates> Sums sweep(const Step&, SumUnit);
    Products share(Sums);
    template <class F> void for_rows(F body);              ///< own ones
    double dot(int, int, SumUnit) requires std::same_as<Number, double>;               ///< not a number if the unit is too small
};

class EllipticSolver {
public:
    /// halo: of the slabs. tolerance: |b - A y| <= tolerance |b|, in the scaled norm: |D b - D (M + K) x| <= tolerance |D b|.
    EllipticSolver(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, double tolerance, int maximum_iterations, Preconditioner = Preconditioner::diagonal);

    /// x: first guess, then solution, at own points. bytes: of the numbers of both. Returns the iterations it took, in either
    /// precision; an error on all ranks if they were not enough, or if something is not a number.
    int solve(const FieldSlab& rhs, const FieldSlab& x, int bytes = 8);
    /// y = (M + K) x at own points.
    void apply(const FieldSlab& x, const FieldSlab& y, int bytes = 8);

    double last_residual = 0;                              ///< |b - A y| / |b|, computed in fp64 from the solution, not carried along
    int iterations = 0, refinements = 0;                   ///< of the last solve
    double tolerance; int maximum_iterations;
    SolverSeconds seconds;                                 ///< since construction
    const EllipticOperator<double>& matrix() const { return full.A; }
    std::size_t factor_numbers() const { return factorisation ? factorisation->numbers() : 0; }

private:
    using Row = EllipticOperator<double>::Row;
    using Full = ConjugateGradients<double>;
    using Single = ConjugateGradients<float>;
    MPI_Comm comm;
    Topology topology; int halo;
    Full full;
    std::unique_ptr<Single> single;                        // one of the two
    std::unique_ptr<Factorisation> factorisation;

    Full::Products residual(const FieldSlab& rhs, int bytes);
    Single::End refine(Full::Products, double goal);
    template <class F> void for_points(const FieldSlab&, int bytes, F body) const;
    [[noreturn]] void fail(double residual, const char* what);
};

}  // namespace fathom
