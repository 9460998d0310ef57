#pragma once
#include "parallel/ownership/cuts.hpp"
#include "parallel/ownership/decomposition.hpp"

namespace fathom {

/// Blocks next to a block, across its sides and corners, round the grid and across the fold.
template <class Visit> void for_neighbours(const Decomposition& d, const Block& b, Visit visit) {
    const int nbx = int(d.i_cuts.size()) - 1, nby = int(d.j_cuts.size()) - 1, bi = b.id % nbx,
              bj = b.id / nbx, nx = d.topology.nx;
    for (int j = bj - 1; j <= bj + 1; ++j)
        for (int i = bi - 1; i <= bi + 1; ++i)
            if ((d.topology.periodic || (i >= 0 && i < nbx)) &&
                (d.topology.periodic_j || (j >= 0 && j < nby)))
                visit(d.blocks[(j + nby) % nby * nbx + (i + nbx) % nbx]);
    if (d.topology.fold && bj == nby - 1)
        for (int i = b.i0 - 1; i <= b.i0 + b.nx;) {
            const int there = ((nx - 1 - i) % nx + nx) % nx, n = interval(d.i_cuts, there);
            visit(d.blocks[(nby - 1) * nbx + n]);
            i += there - d.i_cuts[n] + 1;
        }
}

}  // namespace fathom
