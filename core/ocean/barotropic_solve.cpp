#include "ocean/barotropic_solve.hpp"

namespace fathom::ocean {

BarotropicSolve::BarotropicSolve(Parameters p)
    : GlobalProcess("BarotropicSolve"), parameters(std::move(p)) {}

void BarotropicSolve::prepare(Given at) {
    const Domain& d = at.set.domain();
    const auto& p = parameters;
    SolverOptions options = p.solver;
    options.exchange = d.exchange, options.sum = d.sum;
    const double mass = 1 / (p.gravity * p.implicitness * p.step * p.step);
    const EllipticFields geometry{at[wet_levels], at[area], at[depth],      at[dx],
                                  at[dy],         mass,     at.set.bytes(), p.compactness};
    solver = std::make_unique<EllipticSolver>(d.comm, d.decomposition, d.halo, geometry, options);
}

double BarotropicSolve::scale() const {
    return 1 / (parameters.gravity * parameters.implicitness * parameters.step);
}

/// Iterations.
long BarotropicSolve::solve(Given at) const {
    const double scale = this->scale();
    const Domain& d = at.set.domain();
    const Field& right_side = at[convergence];
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r) {
            const auto scale_row = [&](auto* first) {
                auto* row = first + r * right_side.row[b];
                for (int c = 0; c < d.columns_of(b); ++c) row[c] *= scale;
            };
            at.set.bytes() == 4 ? scale_row((float*)right_side.at[b])
                                : scale_row((double*)right_side.at[b]);
        }
    return solver->solve(right_side, at[increment], at.set.bytes());
}

void BarotropicSolve::apply(Given at) { iterations += solve(at), ++solves; }

void BarotropicSolve::tangent(Given, Given change) const { solve(change); }

bool BarotropicSolve::lives_on(Device& device) {
    return solver->live_on(device.shared_from_this());
}

bool BarotropicSolve::apply_on(Device& device, Given at) {
    if (!lives_on(device)) return false;
    const Field right_side = at.on_device(convergence), x = at.on_device(increment);
    const int halo = at.set.domain().halo, bytes = at.set.bytes();
    solver->there()->scale(right_side, halo, bytes, scale());
    iterations += solver->solve_there(right_side, x, bytes);
    ++solves;
    return true;
}

}  // namespace fathom::ocean
