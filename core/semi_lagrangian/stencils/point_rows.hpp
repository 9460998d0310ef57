/// Interleaved points of rows (stencils/interleaved.hpp), in memory of a processor or of a device.
#pragma once
#include <cstddef>

namespace fathom {

inline constexpr int interleaved = 4;  ///< fields, or levels, next to each other
inline constexpr int beyond_pole = 2;  ///< rows

struct PointBlock {
    int i0, j0, nx, ny;
};
template <class T> struct PointRow {
    std::size_t offset;
    std::ptrdiff_t level;
    int points;
    T per_radian;
    /// Where the numbers of a point begin: k from -1, i from -1 on.
    constexpr std::ptrdiff_t of(int k, int i) const {
        return std::ptrdiff_t(offset) + (k + 1) * level + (i + 1) * interleaved;
    }
};
/// Own points next to each other.
struct PointTile {
    int block, row, level, column, count;
};

/// The row whose points are half a turn further, for one beyond a pole.
constexpr int row_across(int j, int ny) { return j < 0 ? -1 - j : j >= ny ? 2 * ny - 1 - j : j; }

/// A row is continued beyond its ends; first: its point 0.
template <class T> constexpr void close_ends(T* first, int points) {
    constexpr int n = interleaved;
    for (int f = 0; f < n; ++f) first[f - n] = first[(points - 1) * n + f];
    for (int f = 0; f < 2 * n; ++f) first[points * n + f] = first[f];
}
/// A point beyond a pole; vectors change their sign.
template <class T> constexpr void cross_pole(const T* in, T* out, bool vector) {
    for (int f = 0; f < interleaved; ++f) out[f] = vector && f < 2 ? -in[f] : in[f];
}

}  // namespace fathom
