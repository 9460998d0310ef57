/// Decomposition: the global grid is cut into a lattice of blocks; blocks without water are
/// dropped, the others distributed to ranks.
///
/// Estimated time of a rank, in units of one wet level of one column:
///   sum over its blocks of
///       sum over packs of 8 columns, halo included, of 8 (deepest wet level + column), if wet,
///       + row (rows) + point (halo points x levels)
///   + message (ranks it talks to)
/// The automatic choice is the least maximum over ranks among
///   (a) processor grids px x py = ranks, one block a rank, cuts placed so that the work is even,
///   (b) uniform blocks of many sizes, in Cartesian order or along a Hilbert curve, the list cut
///       into `ranks` pieces of even work.
#pragma once
#include <string>
#include <vector>
#include "parallel/ownership/topology.hpp"

namespace fathom {

/// owner -1: no water, never allocated.
struct Block {
    int id, i0, j0, nx, ny, owner;
};

struct Decomposition {
    Topology topology;
    int ranks;
    std::vector<Block> blocks;  ///< all of the lattice of cuts, row by row; the id is the position
    std::vector<int> i_cuts, j_cuts;  ///< 0, ..., nx and 0, ..., ny
    std::vector<double> load;         ///< estimated time of each rank
    /// The block that owns an inside point; nullptr if dropped.
    const Block* at(int i, int j) const;
    std::vector<const Block*> of(int rank) const;  ///< in the order of their ids: a rank's own list
    double imbalance() const;                      ///< greatest load over mean load
    std::string describe() const;
};

struct DecompositionOptions {
    int block_nx = 0, block_ny = 0;  ///< 0: chosen
    /// auto, cartesian, space-filling, rake; with one block per rank: north-south (whole rows),
    /// square; equal-area: caps and collars (equal_area.hpp)
    std::string distribution = "auto";
    int halo = 2;
};

/// wet_levels[j nx + i]: wet levels of the columns of the global grid.
Decomposition decompose(Topology, const std::vector<int>& wet_levels, int ranks,
                        DecompositionOptions);
/// The same for given cuts and owners (-1 for a block with water is an error: water is never
/// dropped): fills `load`.
Decomposition arrange(Topology, const std::vector<int>& wet_levels, int ranks,
                      std::vector<int> i_cuts, std::vector<int> j_cuts,
                      const std::vector<int>& owners, int halo);

/// The same, with strips `width` points wide cut off along borders between ranks where blocks are
/// at least four times as wide: the blocks between need nothing from other ranks. Nothing is cut
/// where ranks have several blocks.
Decomposition framed(const Decomposition&, int width_i, int width_j);

}  // namespace fathom
