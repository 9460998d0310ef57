/// The elliptic problem of the implicit free surface, attached to a sequence's BarotropicSolve:
///   (M + K) deta = convergence / (g theta tau),   M = areaT / (g theta tau^2),
///       K = -areaT div H grad.
#pragma once
#include "sequence/sequence.hpp"
#include "solver/solver.hpp"

namespace fathom::ocean {

class Barotropic {
public:
    struct Parameters {
        double step, implicitness, gravity;
        SolverOptions solver;
    };
    Barotropic(
        Sequence&,
        Parameters);  ///< reads depth_corner, dx_corner, dy_corner, area_center from the sequence
    void solve();
    long iterations = 0, solves = 0;
    std::unique_ptr<EllipticSolver> solver;

private:
    Sequence& sequence;
    Parameters parameters;
    FieldSlab right_side, increment;
};

}  // namespace fathom::ocean
