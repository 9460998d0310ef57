/// The elliptic problem of the implicit free surface (free_surface.hpp), for all columns at once:
///   (M + K) deta = convergence / (g theta tau),   M = areaT / (g theta tau^2),
///       K = -areaT div H grad, in part compact (elliptic.hpp).
/// The last increment is the first guess.
#pragma once
#include "field/global_process.hpp"
#include "solver/solver.hpp"

namespace fathom::ocean {

class BarotropicSolve final : public GlobalProcess {
public:
    struct Parameters {
        double step, implicitness, gravity, compactness;
        SolverOptions solver;
    };
    explicit BarotropicSolve(Parameters);
    void prepare(Given) override;  ///< the matrix, from the geometry
    void apply(Given) override;
    void tangent(Given, Given) const override;  ///< the problem is linear: that of the change
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override;

    long iterations = 0, solves = 0;
    std::unique_ptr<EllipticSolver> solver;

private:
    const Item convergence = updates("barotropic_convergence", place::center_column, "m3 s-1"),
               increment = updates("sea_surface_height_increment", place::center_column, "m"),
               wet_levels = reads("wet_levels", place::center_column, "1"),
               area = reads("area_center", place::center_column, "m2"),
               depth = reads("depth_corner", place::corner_column, "m"),
               dx = reads("dx_corner", place::corner_column, "m"),
               dy = reads("dy_corner", place::corner_column, "m");
    Parameters parameters;
    double scale() const;
    long solve(Given) const;
};

}  // namespace fathom::ocean
