/// Multigrid of columns: pairs of columns along rows are one column of the next grid. Pairs of rows
/// are joined where columns are not much narrower than rows, so that rows near the poles are
/// coarsened along the parallel first (Buckeridge & Scheichl 2010).
///   z = w Z r;   z += P cycle(R (r - A z));   z += w Z (r - A z),   Z: the columns alone
#include <algorithm>
#include "base/error.hpp"
#include "solver/helmholtz/coarser.hpp"
#include "solver/helmholtz/columns.hpp"

namespace fathom {

HelmholtzRows::HelmholtzRows(const std::vector<double>& east, const std::vector<double>& north) {
    constexpr double longest_cell = 2;  // of faces east over north
    const int ny = int(east.size());
    const auto wide = [&](int j) {
        return east[j] <= longest_cell * std::max(north[j], j ? north[j - 1] : 0);
    };
    for (int j = 0; j < ny; j += rows.back().rows)
        rows.push_back({j, j + 1 < ny && wide(j) && wide(j + 1) ? 2 : 1, 0});
    for (std::size_t J = 0; J < rows.size(); ++J) {
        rows[J].rows_north = J + 1 < rows.size() ? rows[J + 1].rows : rows[J].rows;
        row_of.insert(row_of.end(), rows[J].rows, int(J));
    }
}

void HelmholtzRows::coarsen(std::vector<double>& east, std::vector<double>& north) const {
    std::vector<double> next_east, next_north;
    for (auto& J : rows) {
        double sum = 0;
        for (int j = J.first; j < J.first + J.rows; ++j) sum += east[j];
        next_east.push_back(sum / 2);
        next_north.push_back(4 * north[J.first + J.rows - 1] / (J.rows + J.rows_north));
    }
    east = std::move(next_east), north = std::move(next_north);
}

Domain drawn_together(const Domain& fine, const HelmholtzRows& rows) {
    Domain to = fine;
    const auto& from = fine.decomposition;
    Topology t = from.topology;
    t.nx /= 2, t.ny = int(rows.rows.size());
    std::vector<int> i_cuts, j_cuts, owners;
    for (int i : from.i_cuts) i_cuts.push_back((i + 1) / 2);
    for (int j : from.j_cuts)
        j_cuts.push_back(int(std::ranges::lower_bound(rows.rows, j, {}, &HelmholtzRow::first) -
                             rows.rows.begin()));
    for (auto* cuts : {&i_cuts, &j_cuts})
        if (std::adjacent_find(cuts->begin(), cuts->end()) != cuts->end())
            throw Error("multigrid: blocks of ", from.topology.nx, " x ", from.topology.ny,
                        " columns on ", from.ranks,
                        " ranks are too small; take fewer ranks, or separable-lines");
    for (auto& b : from.blocks) owners.push_back(b.owner);
    to.wet_levels.assign(std::size_t(t.nx) * t.ny, fine.levels);
    to.halo = 1;
    to.decomposition = arrange(t, to.wet_levels, from.ranks, i_cuts, j_cuts, owners, to.halo);
    to.blocks = to.decomposition.of(to.rank);
    return to;
}

/// The next grid.
template <class T> struct HelmholtzSolver<T>::Next {
    HelmholtzRows rows;
    Domain domain;
    HelmholtzSolver solver;
    HelmholtzGrids<T> grids;
    Array right_side, solution;
    Next(const HelmholtzSolver& fine, HelmholtzRows between)
        : rows(std::move(between)),
          domain(drawn_together(fine.domain, rows)),
          solver(domain, fine.options, int(sizeof(T)), fine.grid + 1),
          grids{fine.matrix, solver.matrix},
          right_side(solver.layout),
          solution(solver.layout) {}
};

/// The coefficients of the next grids, from those of this one. east, north: of mean columns.
template <class T>
void HelmholtzSolver<T>::coarsen(std::vector<double> east, std::vector<double> north) {
    if (!left) left.emplace(layout);
    if (!has_coarser(domain.decomposition.topology.nx, grid)) return;
    if (!next) next = std::make_shared<Next>(*this, HelmholtzRows(east, north));
    constexpr int given = 6;  // arrays of the matrix, but its factors
    for (int n = 0; n < given; ++n) fill_halo(arrays[n]);
    HelmholtzSolver& to = next->solver;
    to.each_row([&](const HelmholtzBlock& c, int b, int row) {
        for (int k = 0; k < layout.levels; ++k)
            for (int i = 0; i < c.nx; ++i)
                next->grids.coarsen(layout.blocks[b], c, next->rows.rows[c.j0 + row], row, i, k);
    });
    for (int of_faces : {3, 4}) to.fill_halo(to.arrays[of_faces]);
    to.factorise();
    next->rows.coarsen(east, north);
    to.coarsen(std::move(east), std::move(north));
}

/// z = w Z r, or z += w Z r.
template <class T> void HelmholtzSolver<T>::sweep(const Array& r, const Array& z, bool add) {
    lines(r, *left, *left, false);
    each_line([in = (const T*)*left, out = (T*)z, add](std::ptrdiff_t n, int count) {
        for (int i = 0; i < count; ++i)
            out[n + i] = HelmholtzGrids<T>::swept(out[n + i], in[n + i], add);
    });
}

template <class T> void HelmholtzSolver<T>::cycle(const Array& r, const Array& z) {
    sweep(r, z, false);
    const auto again = [&] {
        subtract(z, r, *left);
        sweep(*left, z, true);
    };
    if (!next) {
        for (int n = 1; n < coarsest_sweeps; ++n) again();
        return;
    }
    subtract(z, r, *left);
    fill_halo(*left);
    HelmholtzSolver& to = next->solver;
    to.each_row([&](const HelmholtzBlock& c, int b, int row) {
        for (int k = 0; k < layout.levels; ++k)
            for (int i = 0; i < c.nx; ++i)
                next->right_side[c.place(row, k, i)] = next->grids.restricted(
                    *left, layout.blocks[b], c, next->rows.rows[c.j0 + row], row, i, k);
    });
    to.cycle(next->right_side, next->solution);
    to.fill_halo(next->solution);
    each_row(
        [&, in = (const T*)next->solution, out = (T*)z](const HelmholtzBlock& f, int b, int row) {
            const HelmholtzBlock& c = to.layout.blocks[b];
            for (int k = 0; k < layout.levels; ++k)
                for (int i = 0; i < f.nx; ++i)
                    out[f.place(row, k, i)] +=
                        in[HelmholtzGrids<T>::above(f, c, next->rows.row_of[f.j0 + row], i, k)];
        });
    again();
}

template void HelmholtzSolver<double>::coarsen(std::vector<double>, std::vector<double>);
template void HelmholtzSolver<float>::coarsen(std::vector<double>, std::vector<double>);
template void HelmholtzSolver<double>::cycle(const Array&, const Array&);
template void HelmholtzSolver<float>::cycle(const Array&, const Array&);

}  // namespace fathom
