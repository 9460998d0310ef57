/// The rake of POP: a Cartesian distribution whose surplus is moved on to the neighbours.
///
///   start   block (i, j) of nbx x nby to processor (i px / nbx, j py / nby)
///   rake    along a line of processors: one with more than the mean of the line gives blocks,
///           those nearest to the next processor first, on to it, as long as that brings its own
///           work nearer to the mean; there and back, along rows of processors, then along columns
#pragma once
#include <optional>
#include <span>
#include <vector>

namespace fathom {

/// Owners of blocks, row by row; work: of each, 0: without water (owner -1). Empty if a processor
/// is left without work.
std::optional<std::vector<int>> rake(int nbx, int nby, int px, int py,
                                     std::span<const double> work);

}  // namespace fathom
