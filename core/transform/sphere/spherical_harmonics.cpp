#include "transform/sphere/spherical_harmonics.hpp"
#include "base/error.hpp"

namespace fathom {

namespace {

int rank_of(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

TransformRows rows_of(const GaussianGrid& grid, double radius) {
    return {grid.points, grid.weight, grid.cosine, radius};
}

const GaussianGrid& enough_rows(const GaussianGrid& grid, int truncation) {
    if (grid.rows() <= truncation && grid.longest() >= 2 * truncation + 1)
        throw Error("truncation ", truncation, " on ", grid.rows(), " rows; at least ",
                    truncation + 1, " are needed");
    return grid;
}

}  // namespace

template <class Number>
SphericalHarmonics<Number>::SphericalHarmonics(MPI_Comm comm, const GaussianGrid& grid,
                                               int truncation, const Decomposition& d,
                                               TransformOptions given)
    : Base(comm, fathom::rows_of(enough_rows(grid, truncation), given.radius),
           Distribution(grid.points, truncation,
                        Legendre<Number>::waves_of_rows(grid, truncation + 1), d, rank_of(comm)),
           d, {given.fields, given.threads, given.exchange}),
      grid(grid),
      legendre(grid, truncation + 1, distribution.own_waves, given.table) {
    for (int m : distribution.own_waves) {
        this->list_waves(m, m, truncation);
        auto& of_wave = epsilon.emplace_back();
        for (int n = m; n <= truncation + 2; ++n) of_wave.push_back(Number(coupling(n, m)));
    }
    make_scratch();
}

template <class Number> void SphericalHarmonics<Number>::make_scratch() {
    const std::size_t columns = 2 * this->most_cells;
    scratch.resize(threads);
    for (auto& s : scratch) {
        s.spectral.resize((truncation() + 3) * columns);
        s.rows.resize(std::size_t(legendre.blocks()) * Legendre<Number>::pairs);
        s.nowhere.resize(columns), s.zeros.assign(columns, Lanes(Number(0)));
        s.legendre = legendre.scratch(int(columns));
    }
}

template <class Number> double SphericalHarmonics<Number>::flops_of_field() const {
    return legendre.flops(2, truncation());
}

template class SphericalHarmonics<float>;
template class SphericalHarmonics<double>;

}  // namespace fathom
