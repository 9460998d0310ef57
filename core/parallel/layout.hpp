/// How a rank stores one of its blocks: point (i, j) of the block, i, j >= -halo, is at row j + halo, column i + halo.
#pragma once
#include "parallel/decomposition.hpp"

namespace fathom {

struct BlockLayout {
    const Block* block; int halo, columns;                 ///< columns: from row to row, padding included
    int rows() const { return block->ny + 2 * halo; }
    std::ptrdiff_t at(int i, int j) const { return std::ptrdiff_t(j + halo) * columns + i + halo; }
};

}  // namespace fathom
