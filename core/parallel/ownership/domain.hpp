/// The part of the globe that this rank computes: its blocks of the global grid, and the depth of
/// the water (or the air) in every column.
#pragma once
#include <string>
#include <vector>
#include "grid/place.hpp"
#include "parallel/mpi.hpp"
#include "parallel/ownership/decomposition.hpp"

namespace fathom {

struct Domain {
    MPI_Comm comm;
    int rank;
    Decomposition decomposition;
    int levels, halo;
    std::vector<int> wet_levels;       ///< of each column of the global grid, (ny, nx)
    std::vector<const Block*> blocks;  ///< of this rank
    /// How halos and sums travel: names of the catalogues in halo/messages.hpp and
    /// sums/global_sum.hpp.
    std::string exchange = "packed", sum = "allreduce";
    /// The weight of a value in means: area (ny, nx) x weight of its level; 1 where empty.
    std::vector<double> area_center, area_corner, level_weights;

    Domain(MPI_Comm, Topology, int levels, std::vector<int> wet_levels, DecompositionOptions);
    /// Wet levels at a global point, halo and outside included.
    int wet(Horizontal, int i, int j) const;
    int rows_of(int block) const { return blocks[block]->ny + 2 * halo; }
    int columns_of(int block) const { return blocks[block]->nx + 2 * halo; }
};

}  // namespace fathom
