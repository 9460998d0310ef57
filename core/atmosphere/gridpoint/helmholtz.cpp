#include "atmosphere/gridpoint/helmholtz.hpp"
#include "atmosphere/gridpoint/linear.hpp"

namespace fathom::atmosphere {

namespace {

/// Neighbouring columns of a field in one register; i, row: within the block, own points from 0.
template <class T> struct PackColumn {
    using Real = Pack<T, cell_width<T>>;
    const T* first;
    std::ptrdiff_t level;
    PackColumn(const Domain& d, const Field& f, int b, int row, int i)
        : first((const T*)f.at[b] + (row + d.halo) * f.row[b] + i + d.halo), level(f.level[b]) {}
    Real operator[](int k) const { return Real::load(first + k * level); }
};

template <class F, class T> void put(Pack<F, cell_width<F>> numbers, T* to) {
    F lanes[cell_width<F>];
    numbers.store(lanes);
    for (int n = 0; n < cell_width<F>; ++n) to[n] = T(lanes[n]);
}

}  // namespace

/// The coefficients of neighbouring columns from i on, and of their eastern and northern faces.
template <class F, class T>
void HelmholtzSolve::columns(Given at, HelmholtzSolver<T>& to, int b, int row, int i) const {
    using Real = typename PackColumn<F>::Real;
    const Domain& d = at.set.domain();
    const auto& p = parameters;
    const double tau = p.implicitness * p.step, kappa = p.gas_constant / p.heat_capacity;
    const auto of = [&](Item field, int r = 0, int c = 0) {
        return PackColumn<F>(d, at[field], b, row + r, i + c);
    };
    const auto heights = of(z), warmth = of(theta), rho = of(density), pi = of(exner),
               heights_e = of(z, 0, 1), heights_n = of(z, 1, 0), rho_e = of(density, 0, 1),
               rho_n = of(density, 1, 0), warmth_e = of(theta, 0, 1), warmth_n = of(theta, 1, 0);
    const auto own = gridpoint::linear_column<Real>(heights, warmth, rho, d.levels, tau, p.gravity,
                                                    p.heat_capacity);
    const Real push = F(0.125 * tau * tau * p.heat_capacity), stiffness = F((1 - kappa) / kappa),
               push_e = push * of(east)[0] * of(open_east)[0] / of(dx)[0],
               push_n = push * of(north)[0] * of(open_north)[0] / of(dy)[0];
    const auto* damped = (const F*)at[damping].at[0];
    Real above(F(0));
    for (int k = 0; k < d.levels; ++k) {
        const bool last = k + 1 == d.levels;
        const Real below = last ? Real(F(0)) : own.push(k + 1, damped[k + 1]),
                   from_above = k ? own.above(k) * above : Real(F(0)),
                   from_below = last ? Real(F(0)) : own.below(k) * below, mass = own.mass(k),
                   warm = warmth[k] + warmth[k + 1];
        put<F>(-from_above, to.matrix.up.at(b, row, k) + i);
        put<F>(from_below, to.matrix.down.at(b, row, k) + i);
        put<F>(stiffness * mass / pi[k] + from_above - from_below,
               to.matrix.centre.at(b, row, k) + i);
        const auto face = [&](Real per, const auto& z, const auto& theta, const auto& density) {
            return per * (warm + theta[k] + theta[k + 1]) * (mass + density[k] * (z[k] - z[k + 1]));
        };
        put<F>(face(push_e, heights_e, warmth_e, rho_e), to.matrix.east.at(b, row, k) + i);
        put<F>(face(push_n, heights_n, warmth_n, rho_n), to.matrix.north.at(b, row, k) + i);
        above = below;
    }
    put<F>(1.0 / of(area)[0], to.matrix.per_area.at(b, row, 0) + i);
}

template <class F, class T> void HelmholtzSolve::matrix(Given at, HelmholtzSolver<T>& to) const {
    const Domain& d = at.set.domain();
    for (int b = 0; b < int(d.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = -1; row < d.blocks[b]->ny; ++row)
            if (d.wet(Horizontal::center, d.blocks[b]->i0, d.blocks[b]->j0 + row))
                for (int i = -1; i < d.blocks[b]->nx; i += cell_width<F>)
                    columns<F>(at, to, b, row, i);
    to.ready();
}

template <class T> void HelmholtzSolve::renew(Given at, HelmholtzSolver<T>& to) const {
    at.set.bytes() == 4 ? matrix<float>(at, to) : matrix<double>(at, to);
}

void HelmholtzSolve::prepare(Given at) {
    const auto make = [&]<class T>(std::unique_ptr<HelmholtzSolver<T>>& to) {
        to = std::make_unique<HelmholtzSolver<T>>(at.set.domain(), parameters.solver,
                                                  int(at.set.bytes()));
        if (!parameters.about_state) renew(at, *to);
    };
    at.set.bytes() == 4 || parameters.narrow ? make(narrow) : make(wide);
}

void HelmholtzSolve::apply(Given at) {
    const bool first = solves % parameters.solves_of_a_step == 0;
    const auto with = [&](auto& of) {
        if (first && parameters.about_state) renew(at, of);
        iterations += of.solve(at[right_side], at[increment], first ? 0 : measure);
        if (first) measure = of.length;
        residual = of.residual;
    };
    narrow ? with(*narrow) : with(*wide);
    ++solves;
}

}  // namespace fathom::atmosphere
