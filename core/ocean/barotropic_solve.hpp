/// The elliptic problem of the implicit free surface (free_surface.hpp), for all columns at once:
///   (M + K) deta = convergence / (g theta tau),   M = areaT / (g theta tau^2),
///       K = -areaT div H grad, in part compact, and turned by the earth (elliptic.hpp).
/// Waves that leave through open edges carry R deta away (open_edges/open_edges.hpp): areaT + tau R
/// is in the place of areaT.
/// The last increment is the first guess.
///
/// M + K is symmetric and N skew, so the adjoint is the same problem with the other sign of f:
/// convergence' += (M + K - N)^-1 deta' / (g theta tau). A solution is as symmetric as it is exact:
/// along a trajectory tangent and adjoint are solved from 0 to a residual of 1e-13.
#pragma once
#include "field/linearisation.hpp"
#include "solver/solver.hpp"

namespace fathom::ocean {

class BarotropicSolve final : public GlobalProcess, public Linearisable {
public:
    struct Parameters {
        double step, implicitness, gravity, compactness;
        bool rotation;
        SolverOptions solver;
        bool radiates = false;  ///< through open edges
    };
    explicit BarotropicSolve(Parameters);
    void prepare(Given) override;  ///< the matrix, from the geometry
    void apply(Given) override;
    void tangent(Given, Given) const override;  ///< the problem is linear: that of the change
    std::unique_ptr<Linearisation> linearise(Given, bool,
                                             std::unique_ptr<Linearisation>) const override;
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
               dy = reads("dy_corner", place::corner_column, "m"),
               coriolis = reads("coriolis", place::corner_column, "s-1");
    Parameters parameters;
    const Item radiation =
        parameters.radiates ? reads("open_edge_radiation", place::center_column, "m2 s-1") : area;
    class Exact;
    mutable std::unique_ptr<EllipticSolver> exact;  ///< of tangent and adjoint
    std::unique_ptr<EllipticSolver> solver_of(Given, const SolverOptions&) const;
    FieldSlab surface(Given, std::vector<std::vector<std::byte>>& memory) const;
    double scale() const;
    double turned() const;  ///< theta tau; 0: the correction is not turned
    void scale(const Field&, Given) const;
    long solve(Given) const;
};

}  // namespace fathom::ocean
