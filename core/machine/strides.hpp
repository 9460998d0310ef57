/// Distance of rows of levels in memory. It is chosen so that the numbers of a column use many
/// sets of a cache.
#pragma once
#include <cstddef>

namespace fathom {

/// Off only to measure its benefit (docs/results/row_padding.py).
inline bool pads_rows = true;

/// Numbers of a row in memory: whole lines, and one more if rows were a multiple of 2 KiB apart,
/// where only two of the 64 sets of a first cache would hold all of a column.
inline std::ptrdiff_t row_stride(std::ptrdiff_t numbers, std::ptrdiff_t line) {
    const std::ptrdiff_t lines = (numbers + line - 1) / line;
    return (lines + (pads_rows && lines % 32 == 0)) * line;
}

}  // namespace fathom
