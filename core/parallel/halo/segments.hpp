/// Segments of rows: the pieces of which a halo on demand (halo/on_demand.hpp) consists. Departures
/// mark those that they need, on a processor or on a device.
#pragma once
#include <cstdint>

namespace fathom {

inline constexpr int points_of_segment = 8;

/// The segments of points first ... first + count - 1 of a periodic row of n points: mark(from, to)
/// of one range or two.
template <class Mark> constexpr void each_segment(int n, int first, int count, const Mark& mark) {
    constexpr int s = points_of_segment;
    if (count >= n) return mark(0, (n - 1) / s);
    first = ((first % n) + n) % n;
    if (first + count <= n) return mark(first / s, (first + count - 1) / s);
    mark(first / s, (n - 1) / s);
    mark(0, (first + count - n - 1) / s);
}

/// A halo on demand of rows in memory of a device: for its threads.
struct SegmentsThere {
    const std::uint8_t* rows;  ///< those that hold own points or others'
    const int* first;          ///< of each row; null: all points are of this rank
    std::uint8_t* marks;       ///< of segments, row after row

    constexpr bool alone() const { return !first; }
    constexpr bool holds(int row) const { return rows[row]; }
    /// As OnDemandHalo::need, of a row of n points; threads that mark the same write a 1.
    constexpr void need(int row, int n, int begin, int count) const {
        std::uint8_t* const of_row = marks + first[row];
        each_segment(n, begin, count, [=](int from, int last) {
            for (int s = from; s <= last; ++s) of_row[s] = 1;
        });
    }
};

}  // namespace fathom
