/// Segments of rows: the pieces of which a halo on demand (on_demand.hpp) consists. Departures mark
/// those that they need, on a processor or on a device.
#pragma once

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

}  // namespace fathom
