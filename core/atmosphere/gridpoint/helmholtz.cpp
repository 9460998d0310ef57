#include "atmosphere/gridpoint/helmholtz.hpp"
#include "atmosphere/gridpoint/linear.hpp"

namespace fathom::atmosphere {

namespace {

using Number = Pack<double, 1>;

/// A column of a field, as numbers; i, row: of the block, own points from 0.
template <class T> struct NumberColumn {
    const T* first;
    std::ptrdiff_t level;
    NumberColumn(const Domain& d, const Field& f, int b, int row, int i)
        : first((const T*)f.at[b] + (row + d.halo) * f.row[b] + i + d.halo), level(f.level[b]) {}
    Number operator[](int k) const { return Number(double(first[k * level])); }
};
template <class T> double profile_value(const Field& f, int k) {
    return double(((const T*)f.at[0])[k]);
}

}  // namespace

/// The coefficients of one column and of its eastern and northern faces.
template <class T>
void HelmholtzSolve::column(Given at, HelmholtzSolver<T>& to, int b, int row, int i) const {
    const Domain& d = at.set.domain();
    const auto& p = parameters;
    const double tau = p.implicitness * p.step, kappa = p.gas_constant / p.heat_capacity;
    const auto of = [&](Item field, int r, int c) {
        return NumberColumn<T>(d, at[field], b, r, c);
    };
    const auto heights = of(z, row, i), warmth = of(theta, row, i), rho = of(density, row, i),
               pi = of(exner, row, i);
    const auto own = gridpoint::linear_column<Number>(heights, warmth, rho, d.levels, tau,
                                                      p.gravity, p.heat_capacity);
    const auto mass = [&](int r, int c, int k) {
        const auto h = of(z, r, c);
        return of(density, r, c)[k].lanes * (h[k].lanes - h[k + 1].lanes);
    };
    const auto face = [&](Item length, Item distance, Item open, int r, int c, int k) {
        const auto there = of(theta, r, c);
        const double mean = 0.25 * (warmth[k] + warmth[k + 1] + there[k] + there[k + 1]).lanes;
        return tau * tau * p.heat_capacity * mean * 0.5 * (mass(row, i, k) + mass(r, c, k)) *
               of(length, row, i)[0].lanes * of(open, row, i)[0].lanes /
               of(distance, row, i)[0].lanes;
    };
    for (int k = 0; k < d.levels; ++k) {
        const double push_above =
            k ? (own.above(k) * own.push(k, profile_value<T>(at[damping], k))).lanes : 0;
        const double push_below =
            k + 1 < d.levels
                ? (own.below(k) * own.push(k + 1, profile_value<T>(at[damping], k + 1))).lanes
                : 0;
        to.matrix.up.at(b, row, k)[i] = T(-push_above);
        to.matrix.down.at(b, row, k)[i] = T(push_below);
        to.matrix.centre.at(b, row, k)[i] =
            T((1 - kappa) / kappa * own.mass(k).lanes / pi[k].lanes + push_above - push_below);
        to.matrix.east.at(b, row, k)[i] = T(face(east, dx, open_east, row, i + 1, k));
        to.matrix.north.at(b, row, k)[i] = T(face(north, dy, open_north, row + 1, i, k));
    }
    to.matrix.per_area.at(b, row, 0)[i] = T(1 / of(area, row, i)[0].lanes);
}

template <class T> void HelmholtzSolve::matrix(Given at, HelmholtzSolver<T>& to) const {
    const Domain& d = at.set.domain();
    for (int b = 0; b < int(d.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = -1; row < d.blocks[b]->ny; ++row)
            for (int i = -1; i < d.blocks[b]->nx; ++i)
                if (d.wet(Horizontal::center, d.blocks[b]->i0 + i, d.blocks[b]->j0 + row))
                    column(at, to, b, row, i);
    to.ready();
}

void HelmholtzSolve::prepare(Given at) {
    const auto make = [&]<class T>(std::unique_ptr<HelmholtzSolver<T>>& to) {
        to = std::make_unique<HelmholtzSolver<T>>(at.set.domain(), parameters.solver);
        if (!parameters.solves_of_a_matrix) matrix(at, *to);
    };
    at.set.bytes() == 4 ? make(narrow) : make(wide);
}

void HelmholtzSolve::apply(Given at) {
    const int each = parameters.solves_of_a_matrix;
    const auto with = [&](auto& of) {
        if (each && solves % each == 0) matrix(at, of);
        iterations += of.solve(at[right_side], at[increment]);
        residual = of.residual;
    };
    narrow ? with(*narrow) : with(*wide);
    ++solves;
}

}  // namespace fathom::atmosphere
