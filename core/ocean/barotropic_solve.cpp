#include "ocean/barotropic_solve.hpp"

namespace fathom::ocean {

BarotropicSolve::BarotropicSolve(Parameters p)
    : GlobalProcess("BarotropicSolve"), parameters(std::move(p)) {}

void BarotropicSolve::prepare(Given at) {
    solver = solver_of(at, parameters.solver);
    exact.reset();
}

std::unique_ptr<EllipticSolver> BarotropicSolve::solver_of(Given at,
                                                           const SolverOptions& given) const {
    const Domain& d = at.set.domain();
    const auto& p = parameters;
    SolverOptions options = given;
    options.exchange = d.exchange, options.sum = d.sum;
    const double mass = 1 / (p.gravity * p.implicitness * p.step * p.step);
    std::vector<std::vector<std::byte>> memory;
    const EllipticFields geometry{
        at[wet_levels], surface(at, memory), at[depth],     at[dx],       at[dy],
        mass,           at.set.bytes(),      p.compactness, at[coriolis], turned()};
    return std::make_unique<EllipticSolver>(d.comm, d.decomposition, d.halo, geometry, options);
}

double BarotropicSolve::turned() const {
    return parameters.rotation ? parameters.implicitness * parameters.step : 0;
}

template <class T>
static void add_radiation(double step, const FieldSlab& area, const FieldSlab& radiation,
                          FieldSlab& sum, const Domain& d) {
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r) {
            const T *A = (const T*)area.at[b] + r * area.row[b],
                    *R = (const T*)radiation.at[b] + r * radiation.row[b];
            T* const to = (T*)sum.at[b] + r * sum.row[b];
            for (int c = 0; c < d.columns_of(b); ++c) to[c] = A[c] + T(step) * R[c];
        }
}

/// The area of cells; with open edges, areaT + tau R in `memory`.
FieldSlab BarotropicSolve::surface(Given at, std::vector<std::vector<std::byte>>& memory) const {
    FieldSlab sum = at[area];
    if (!parameters.radiates) return sum;
    const Domain& d = at.set.domain();
    const int bytes = at.set.bytes();
    for (std::size_t b = 0; b < d.blocks.size(); ++b)
        sum.at[b] = memory.emplace_back(d.rows_of(int(b)) * sum.row[b] * bytes + 64).data();
    const auto add = bytes == 4 ? add_radiation<float> : add_radiation<double>;
    add(parameters.step, at[area], at[radiation], sum, d);
    return sum;
}

double BarotropicSolve::scale() const {
    return 1 / (parameters.gravity * parameters.implicitness * parameters.step);
}

template <class T> static void times(double factor, const Field& f, const Domain& d) {
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r) {
            T* const row = (T*)f.at[b] + r * f.row[b];
            for (int c = 0; c < d.columns_of(b); ++c) row[c] *= factor;
        }
}
void BarotropicSolve::scale(const Field& f, Given at) const {
    const Domain& d = at.set.domain();
    at.set.bytes() == 4 ? times<float>(scale(), f, d) : times<double>(scale(), f, d);
}

/// Iterations.
long BarotropicSolve::solve(Given at) const {
    const Field& right_side = at[convergence];
    scale(right_side, at);
    return solver->solve(right_side, at[increment], at.set.bytes());
}

void BarotropicSolve::apply(Given at) { iterations += solve(at), ++solves; }

void BarotropicSolve::tangent(Given, Given change) const { solve(change); }

/// Both start from 0: what a first guess has changed is below the tolerance.
class BarotropicSolve::Exact final : public Linearisation {
public:
    explicit Exact(const BarotropicSolve& of) : of(of) {}
    void tangent(Given change) override {
        const Field &right_side = change[of.convergence], &x = change[of.increment];
        of.scale(right_side, change);
        change.set.fill(x.name, 0);
        of.exact->solve(right_side, x, change.set.bytes());
    }
    void adjoint(Given gradient) override {
        const Field &x = gradient[of.increment], &right_side = gradient[of.convergence];
        FieldSlab solution = x;
        std::vector<std::vector<std::byte>> memory;
        const Domain& d = gradient.set.domain();
        const int bytes = gradient.set.bytes();
        for (std::size_t b = 0; b < d.blocks.size(); ++b)
            solution.at[b] = memory.emplace_back(d.rows_of(int(b)) * x.row[b] * bytes + 64).data();
        of.exact->solve(x, solution, bytes, true);
        bytes == 4 ? add<float>(solution, right_side, d) : add<double>(solution, right_side, d);
        of.scale(right_side, gradient);
        gradient.set.fill(x.name, 0);
    }
    std::size_t bytes() const override { return 0; }

private:
    const BarotropicSolve& of;
    template <class T>
    static void add(const FieldSlab& from, const FieldSlab& to, const Domain& d) {
        for (std::size_t b = 0; b < d.blocks.size(); ++b)
            for (int r = d.halo; r < d.halo + d.blocks[b]->ny; ++r)
                for (int c = d.halo; c < d.halo + d.blocks[b]->nx; ++c)
                    ((T*)to.at[b])[r * to.row[b] + c] += ((T*)from.at[b])[r * from.row[b] + c];
    }
};

std::unique_ptr<Linearisation> BarotropicSolve::linearise(Given at, bool,
                                                          std::unique_ptr<Linearisation>) const {
    SolverOptions options = parameters.solver;
    options.tolerance = 1e-13, options.maximum_iterations *= 4;
    if (!exact) exact = solver_of(at, options);
    return std::make_unique<Exact>(*this);
}

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
