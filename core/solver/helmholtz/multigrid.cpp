/// Multigrid of columns: pairs of columns along rows are one column of the next grid. Pairs of rows
/// are joined where columns are not much narrower than rows, so that rows near the poles are
/// coarsened along the parallel first (Buckeridge & Scheichl 2010).
///   z = w Z r;   z += P cycle(R (r - A z));   z += w Z (r - A z),   Z: the columns alone
/// R: means by area, P: the value of the coarse column; faces count by the distance across them.
#include <algorithm>
#include "base/error.hpp"
#include "solver/helmholtz/columns.hpp"

namespace fathom {

namespace {

constexpr int least_columns = 8, most_grids = 5, coarsest_sweeps = 4;
constexpr double weight = 0.8, longest_cell = 2;  // of faces east over north

/// Rows of the next grid: where each begins, and one more.
std::vector<int> rows_of_next(const std::vector<double>& east, const std::vector<double>& north) {
    std::vector<int> first;
    const int ny = int(east.size());
    const auto wide = [&](int j) {
        return east[j] <= longest_cell * std::max(north[j], j ? north[j - 1] : 0);
    };
    for (int j = 0; j < ny;) {
        first.push_back(j);
        j += j + 1 < ny && wide(j) && wide(j + 1) ? 2 : 1;
    }
    first.push_back(ny);
    return first;
}

}  // namespace

/// The next grid, and for each row of this grid the row of the next grid in which it lies.
template <class T> struct HelmholtzSolver<T>::Next {
    std::vector<int> first, row;
    Domain domain;
    HelmholtzSolver solver;
    Array right_side, solution;
    Next(const Domain& fine, std::vector<int> begin, const HelmholtzOptions& options, int grid)
        : first(std::move(begin)),
          domain(drawn_together(fine, first)),
          solver(domain, options, Coarse{grid}),
          right_side(domain),
          solution(domain) {
        for (int J = 0; J + 1 < int(first.size()); ++J) row.resize(first[J + 1], J);
    }
    int rows(int J) const { return first[J + 1] - first[J]; }

private:
    static Domain drawn_together(const Domain& fine, const std::vector<int>& first) {
        Domain to = fine;
        const auto& from = fine.decomposition;
        Topology t = from.topology;
        t.nx /= 2, t.ny = int(first.size()) - 1;
        std::vector<int> i_cuts, j_cuts, owners;
        for (int i : from.i_cuts) i_cuts.push_back((i + 1) / 2);
        for (int j : from.j_cuts)
            j_cuts.push_back(int(std::lower_bound(first.begin(), first.end(), j) - first.begin()));
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
};

template <class T>
HelmholtzSolver<T>::HelmholtzSolver(const Domain& d, HelmholtzOptions o, Coarse coarse)
    : matrix(d),
      domain(d),
      options(std::move(o)),
      grid(coarse.grid),
      r(d),
      x(d),
      factor(d),
      above(d) {
    left.emplace(d);
    halo.emplace(d.comm, d.decomposition, 1, int(sizeof(T)),
                 std::vector<Exchange::Item>{{Horizontal::center, false, 1, d.levels}}, d.exchange);
}

/// The coefficients of the next grids, from those of this one. east, north: of mean columns.
// long: one sweep gives all coefficients of a column
template <class T>
void HelmholtzSolver<T>::coarsen(std::vector<double> east, std::vector<double> north) {
    const auto& t = domain.decomposition.topology;
    if (t.nx % 2 || t.nx / 2 < least_columns || grid + 1 == most_grids) return;
    if (!next) next = std::make_shared<Next>(domain, rows_of_next(east, north), options, grid + 1);
    Array* const whole[] = {&matrix.up,   &matrix.centre, &matrix.down,
                            &matrix.east, &matrix.north,  &matrix.per_area};
    for (Array* of : whole) {
        fill_halo(*of);
    }
    HelmholtzSolver& to = next->solver;
    const auto& m = matrix;
    to.each_row([&](int b, int row, int count) {
        const int J = to.domain.blocks[b]->j0 + row, rows = next->rows(J),
                  above = J + 1 < int(next->first.size()) - 1 ? next->rows(J + 1) : rows,
                  begin = next->first[J] - domain.blocks[b]->j0,
                  aside = 2 * to.domain.blocks[b]->i0 - domain.blocks[b]->i0;
        const T apart = T(2. / (rows + above));
        for (int k = 0; k < domain.levels; ++k)
            for (int n = 0; n < count; ++n) {
                const int i = aside + 2 * n;
                T area = 0, up = 0, centre = 0, down = 0, e = 0;
                for (int s = begin; s < begin + rows; ++s) {
                    for (int c = i; c < i + 2; ++c) {
                        const T own = 1 / m.per_area.at(b, s, 0)[c];
                        area += own, up += own * m.up.at(b, s, k)[c];
                        centre += own * m.centre.at(b, s, k)[c];
                        down += own * m.down.at(b, s, k)[c];
                    }
                    e += m.east.at(b, s, k)[i + 1];
                }
                const T* of_north = m.north.at(b, begin + rows - 1, k) + i;
                to.matrix.up.at(b, row, k)[n] = up / area;
                to.matrix.centre.at(b, row, k)[n] = centre / area;
                to.matrix.down.at(b, row, k)[n] = down / area;
                to.matrix.east.at(b, row, k)[n] = e / 2;
                to.matrix.north.at(b, row, k)[n] = apart * (of_north[0] + of_north[1]);
                if (k == 0) to.matrix.per_area.at(b, row, 0)[n] = 1 / area;
            }
    });
    for (Array* of : {&to.matrix.east, &to.matrix.north}) {
        to.fill_halo(*of);
    }
    to.factorise();
    std::vector<double> next_east, next_north;
    for (int J = 0; J + 1 < int(next->first.size()); ++J) {
        const int last = next->first[J + 1] - 1,
                  above = J + 2 < int(next->first.size()) ? next->rows(J + 1) : next->rows(J);
        double sum = 0;
        for (int j = next->first[J]; j <= last; ++j) sum += east[j];
        next_east.push_back(sum / 2);
        next_north.push_back(4 * north[last] / (next->rows(J) + above));
    }
    to.coarsen(std::move(next_east), std::move(next_north));
}

/// z = w Z r, or z += w Z r.
template <class T> void HelmholtzSolver<T>::sweep(const Array& r, const Array& z, bool add) {
    lines(r, *left, *left, false);
    const T w = T(weight);
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = left->at(b, row, k);
            T* out = z.at(b, row, k);
            for (int i = 0; i < count; ++i) out[i] = add ? out[i] + w * in[i] : w * in[i];
        }
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
    to.each_row([&](int b, int row, int count) {
        const int J = to.domain.blocks[b]->j0 + row, begin = next->first[J] - domain.blocks[b]->j0,
                  aside = 2 * to.domain.blocks[b]->i0 - domain.blocks[b]->i0;
        for (int k = 0; k < domain.levels; ++k) {
            T* out = next->right_side.at(b, row, k);
            const T* per = to.matrix.per_area.at(b, row, 0);
            std::fill_n(out, count, T(0));
            for (int s = begin; s < begin + next->rows(J); ++s) {
                const T *in = left->at(b, s, k) + aside,
                        *area = matrix.per_area.at(b, s, 0) + aside;
                for (int n = 0; n < count; ++n)
                    out[n] += in[2 * n] / area[2 * n] + in[2 * n + 1] / area[2 * n + 1];
            }
            for (int n = 0; n < count; ++n) out[n] *= per[n];
        }
    });
    to.cycle(next->right_side, next->solution);
    to.fill_halo(next->solution);
    each_row([&](int b, int row, int count) {
        const int j = domain.blocks[b]->j0 + row, i0 = domain.blocks[b]->i0,
                  coarse = next->row[j] - to.domain.blocks[b]->j0, aside = to.domain.blocks[b]->i0;
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = next->solution.at(b, coarse, k);
            T* out = z.at(b, row, k);
            for (int i = 0; i < count; ++i) out[i] += in[(i0 + i) / 2 - aside];
        }
    });
    again();
}

template void HelmholtzSolver<double>::coarsen(std::vector<double>, std::vector<double>);
template void HelmholtzSolver<float>::coarsen(std::vector<double>, std::vector<double>);
template void HelmholtzSolver<double>::cycle(const Array&, const Array&);
template void HelmholtzSolver<float>::cycle(const Array&, const Array&);

}  // namespace fathom
