/// What semi-Lagrangian processes of the grid-point atmosphere have in common: they go through rows
/// of own points, and ask for the points that departures need.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
#include "trajectory/even_rows.hpp"

namespace fathom::atmosphere {

/// A row of own points: block, row of it, level; where its first value lies.
struct Line {
    int b, r, k, i0, j, count;
};
template <class Body> void for_each_line(const Domain& d, int levels, Body body) {
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
#pragma omp parallel for collapse(2) schedule(dynamic, 4)
        for (int r = 0; r < block.ny; ++r)
            for (int k = 0; k < levels; ++k) body(Line{b, r, k, block.i0, block.j0 + r, block.nx});
    }
}
template <class T> T* at(const Domain& d, const FieldSlab& f, const Line& l) {
    return (T*)f.at[l.b] + (l.r + d.halo) * f.row[l.b] + l.k * f.level[l.b] + d.halo;
}

/// The whole number below; 0 of what is none, for a run that has blown up ends elsewhere.
template <class T> int whole(T x) { return x > T(-1e6) && x < T(1e6) ? int(std::floor(x)) : 0; }

/// A place on the rows: column and row to its south-west, fractions from there.
template <class T> struct Spot {
    int i, j;
    T x, y;
};
inline int in_turn(int n, int period) { return ((n % period) + period) % period; }
/// So many columns from i, in row y.
template <class T, int fields>
Spot<T> spot_at(const EvenRows<T, fields>& rows, int i, T columns, T y) {
    if (rows.edge == Edge::periodic)
        return {in_turn(i + whole(columns), rows.nx), in_turn(whole(y), rows.ny),
                columns - T(whole(columns)), y - T(whole(y))};
    y = rows.inside(y);
    const int west = whole(columns), south = std::clamp(whole(y), -1, rows.ny - 1);
    return {in_turn(i + west, rows.nx), south, columns - T(west), y - T(south)};
}

/// The columns and rows of departures of a line, before they are brought into the plane.
struct Reach {
    int west = 1 << 30, east = -(1 << 30), south = 1 << 30, north = -(1 << 30);
    /// Of a place: so many columns from i, the row as a number.
    template <class T> void see(int i, T columns, T y) {
        const int a = i + whole(columns), b = whole(y);
        west = std::min(west, a), east = std::max(east, a);
        south = std::min(south, b), north = std::max(north, b);
    }
    template <class Rows> void ask(Rows& rows) const {
        int first = south, last = north;
        if (rows.edge != Edge::periodic)
            first = std::clamp(first, -1, rows.ny - 1), last = std::clamp(last, -1, rows.ny - 1);
        else if (last - first >= rows.ny)
            first = 0, last = rows.ny - 1;
        rows.need(first, last, west, east);
    }
};

/// A place of departure, in columns east of point i and in rows from centre 0, and its height.
template <class T> struct Place3 {
    int i, k;
    T columns, y, eta;
};

/// Fields at the place, `within` the values around it; half: 0.5 where they lie on eastern faces,
/// row: how far their row 0 is from that of centres.
template <bool within = false, class T, int fields>
void interpolate(const EvenRows<T, fields>& rows, Reach& reach, const Place3<T>& at, T half, T row,
                 T* out) {
    const T columns = at.columns - half, y = at.y - row;
    reach.see(at.i, columns, y);
    const auto s = spot_at(rows, at.i, columns, y);
    T weights[4];
    const int first = rows.nodes.weights(at.eta, at.k, weights);
    rows.gather(s.i, s.x, s.j, s.y, first, weights, out);
    if constexpr (within) rows.limit(s.i, s.j, rows.nodes.around(at.eta, at.k), out);
}

inline std::vector<double> middles(const std::vector<double>& interfaces) {
    std::vector<double> m;
    for (std::size_t k = 0; k + 1 < interfaces.size(); ++k)
        m.push_back(0.5 * (interfaces[k] + interfaces[k + 1]));
    return m;
}

/// Interpolates again until all that departures need was there.
template <class T, int fields, class Work>
void until_covered(EvenRows<T, fields>& rows, const Domain& d,
                   std::span<const FieldSlab* const> from, Work work) {
    rows.pack(d, from);
    do {
        rows.surround();
        work();
    } while (rows.around.cover());
}

}  // namespace fathom::atmosphere
