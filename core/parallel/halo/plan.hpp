/// Plan: who sends which points to whom. Plain data, built without MPI for one rank or for all.
/// Exchange executes it; run backwards with += it is its own adjoint; its cost can be estimated for
/// ranks that do not exist.
///
/// A run is a piece of a row: `count` points from (from_row, from_column) on, in steps of +1 or -1,
/// to (to_row, to_column) on, in steps of +1. Rows and columns count from the corner of the stored
/// block, halo included.
#pragma once
#include <cstddef>
#include <span>
#include "parallel/ownership/decomposition.hpp"

namespace fathom {

struct Run {
    int from_block, to_block;  ///< positions in the lists of the sending and of the receiving rank
    int from_row, from_column, to_row, to_column, count, step;
    bool flipped;  ///< a vector component changes its sign
};
struct Message {
    int from_rank, to_rank;
    std::vector<Run> runs;
    std::size_t points;
};
/// Messages ordered by (from_rank, to_rank); from_rank == to_rank: local copies.
struct Plan {
    std::vector<Message> messages;
};

/// Halo points within `width` of the block, and the second indices of points on the seam of a
/// folded grid; `halo` is the stored width. Messages of `rank`; of all ranks if rank < 0. Both
/// sides find their runs in the same order. Points that lie outside the grid, or in blocks that
/// were dropped, appear in no run: they keep their fill.
Plan halo_plan(const Decomposition&, Horizontal, int halo, int width, int rank);

/// A rectangle of the global grid, for example a chunk of output: collected by `owner`, stored
/// without halo.
struct Rectangle {
    int i0, j0, nx, ny, owner;
    bool operator==(const Rectangle&) const = default;
};
Plan gather_plan(const Decomposition&, Horizontal, int halo, std::span<const Rectangle>, int rank);

/// For each of `blocks` blocks of a rank: whether it receives anything from another.
std::vector<bool> outer_blocks(const Plan&, int rank, std::size_t blocks);

/// The plan that sends received points back; to be run with +=.
Plan adjoint(const Plan&);

}  // namespace fathom
