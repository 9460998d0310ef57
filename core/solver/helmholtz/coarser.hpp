/// The next grid of multigrid: its rows and its blocks.
#pragma once
#include <vector>
#include "parallel/ownership/domain.hpp"
#include "solver/helmholtz/multigrid.hpp"

namespace fathom {

/// Rows of the next grid. east, north: of mean columns (means.hpp).
struct HelmholtzRows {
    std::vector<HelmholtzRow> rows;
    std::vector<int> row_of;  ///< row of the next grid in which each row lies
    HelmholtzRows(const std::vector<double>& east, const std::vector<double>& north);
    /// The same coefficients of the next grid.
    void coarsen(std::vector<double>& east, std::vector<double>& north) const;
};

/// The domain of the next grid.
Domain drawn_together(const Domain& fine, const HelmholtzRows&);
/// Whether a grid has a next one; grid: its number, 0 the finest.
constexpr int coarsest_sweeps = 4;
constexpr bool has_coarser(int nx, int grid) {
    constexpr int least_columns = 8, most_grids = 5;
    return nx % 2 == 0 && nx / 2 >= least_columns && grid + 1 < most_grids;
}

}  // namespace fathom
