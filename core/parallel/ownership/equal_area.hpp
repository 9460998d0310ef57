/// Regions of equal area on the sphere (Leopardi 2006, Electron. Trans. Numer. Anal. 25; the IFS's
/// eq_regions): a cap at each pole and collars between them, each cut into as many regions as its
/// area holds, so that regions are about as long as they are wide.
#pragma once
#include <vector>
#include "parallel/ownership/cuts.hpp"

namespace fathom {

/// Regions of each collar from pole to pole, caps included; their sum is `regions`.
std::vector<int> regions_of_collars(int regions);

/// A lattice in which each rank owns adjacent pieces of one collar.
struct EqualArea {
    Cuts i, j;
    std::vector<int> owners;  ///< of the pieces, row by row
};

/// Collars are whole rows, and regions are pieces of them with numbers of points as equal as rows
/// and cuts allow; `regions_of_collars` gives the rows of a collar, its points the number of its
/// regions. wet_levels[j nx + i]: 0 where there is no point. Cuts in i lie at multiples of `unit`.
/// Empty: more ranks than rows and columns have room for.
EqualArea equal_area(int nx, int ny, const std::vector<int>& wet_levels, int ranks, int unit);

}  // namespace fathom
