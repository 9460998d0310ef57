/// Solves (M + K) x = b of elliptic.hpp by conjugate gradients.
#pragma once
#include "numerics/elliptic.hpp"

namespace fathom {

class EllipticSolver {
public:
    /// halo: of the slabs. tolerance: |b - A x| <= tolerance |b| in the scaled norm, which is the norm of D (b - (M + K) x).
    EllipticSolver(MPI_Comm, const Decomposition&, int halo, const EllipticFields&, double tolerance, int maximum_iterations);
    ~EllipticSolver();
    EllipticSolver(const EllipticSolver&) = delete;

    /// x: first guess, then solution, at own points. bytes: of the numbers of rhs and x. Returns the iterations it took; an error on
    /// all ranks if they were not enough or something is not a number.
    int solve(const FieldSlab& rhs, const FieldSlab& x, int bytes = 8);

    double last_residual = 0;                              ///< |b - A x| / |b|, computed from x, not carried along
    int iterations = 0;                                    ///< of the last solve
    double tolerance; int maximum_iterations;
    struct Seconds { double sweep = 0, halo = 0, sum = 0; } seconds;          ///< since construction
    std::size_t wet_points() const;                        ///< of this rank

private:
    struct Work;
    std::unique_ptr<Work> work;
};

}  // namespace fathom
