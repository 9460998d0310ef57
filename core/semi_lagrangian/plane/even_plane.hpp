/// Semi-Lagrangian interpolation on rows of even spacing, periodic along x: a plane between walls
/// along y or one row wide, or the sphere between parallels and meridians; on a processor
/// (plane/even_rows.hpp) and on a device. The fields of one place are next to each other.
///   f_D = sum over x, y, eta of C_x C_y C_eta f,   C: cubic Lagrange weights
/// of 64 points. Ends of the column: LevelEnds. If a plane is one row wide, nothing varies along y.
/// Beyond a pole rows continue on the opposite meridian, where components of vectors change their
/// sign.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include "semi_lagrangian/stencils/four_points.hpp"
#include "semi_lagrangian/stencils/stencils.hpp"

namespace fathom {

/// How rows continue beyond the first and last. closed: for fields that are 0 at the wall, the
/// last row; beside_pole: rows end half a row from a pole; on_pole: the last row and the one before
/// the first are the poles, filled by the caller. area: beyond the edges fields have the values at
/// the edge, and departures from there are taken at the edge.
enum class Edge { periodic, mirrored, closed, beside_pole, on_pole, area };

/// Of a plane: its first columns and rows, all that is packed and computed.
struct PlaneInside {
    int columns = 0, rows = 0;
};

/// Columns and rows of departures, before they are brought into the plane.
struct Reach {
    int west = 1 << 30, east = -(1 << 30), south = 1 << 30, north = -(1 << 30);
    constexpr bool empty() const { return west > east; }
};

/// Rows and columns, and where departures from them lie.
template <class T> struct EvenPlane {
    int nx = 0, ny = 0;
    Edge edge = Edge::periodic;
    PlaneInside inside = {};  ///< the area, where the edges are those of one

    constexpr bool on_sphere() const { return edge == Edge::beside_pole || edge == Edge::on_pole; }
    /// Whether row j itself lies on a pole.
    constexpr bool is_pole(int j) const {
        return edge == Edge::on_pole && (j == -1 || j == ny - 1);
    }
    /// The row of the grid that row j of the unbounded plane is a copy of; walls mirror.
    constexpr int shown(int j) const {
        if (edge == Edge::periodic) return ((j % ny) + ny) % ny;
        if (edge == Edge::area) return std::clamp(j, 0, inside.rows - 1);
        const bool last = edge == Edge::closed || edge == Edge::on_pole;
        const int of_north = last ? 2 * ny - 2 - j : 2 * ny - 1 - j,
                  of_south = last ? -2 - j : -1 - j;
        return std::clamp(j < 0 ? of_south : j >= ny ? of_north : j, 0, ny - 1);
    }
    /// Where departures along y may lie: positions between rows.
    struct Span {
        T first, last;
        constexpr T operator()(T y) const { return std::clamp(y, first, last); }
    };
    constexpr Span span() const {
        if (edge == Edge::area) return {T(0), T(inside.rows - 1)};
        if (edge == Edge::closed || edge == Edge::on_pole) return {T(-1), T(ny - 1)};
        return {T(-0.5), T(ny) - T(0.5)};
    }
    constexpr T across_rows(T y) const { return edge == Edge::periodic ? y : span()(y); }
    /// The same along x, seen from column i.
    constexpr T along_row(T x, int i) const {
        return edge == Edge::area ? std::clamp(x, T(-i), T(inside.columns - 1 - i)) : x;
    }
    /// The whole number below; 0 for NaN and huge numbers: a run that blows up ends elsewhere.
    static constexpr int whole(T x) { return x > T(-1e6) && x < T(1e6) ? int(std::floor(x)) : 0; }
    static constexpr int turned(int n, int period) {
        const T p = T(period), rest = T(n) - p * std::floor(T(n) / p);
        return int(rest < 0 ? rest + p : rest >= p ? rest - p : rest);
    }

    /// The points of the stencils within: need(row, first, count).
    template <class Need> constexpr void stencils(const Reach& reach, const Need& need) const {
        int first = reach.south, last = reach.north;
        int west = reach.west - 1, east = reach.east + 2;
        if (edge == Edge::area) west = std::max(west, 0), east = std::min(east, inside.columns - 1);
        if (edge != Edge::periodic)
            first = std::clamp(first, -1, ny - 1), last = std::clamp(last, -1, ny - 1);
        else if (last - first >= ny)
            first = 0, last = ny - 1;
        for (int j = first - 1; j <= last + 2; ++j) {
            if (is_pole(j)) continue;
            const bool across = on_sphere() && (j < 0 || j >= ny);
            need(shown(j), west + (across ? nx / 2 : 0), std::min(east - west + 1, nx));
        }
    }

    /// Columns and rows of stencils, and the remaining fraction of a spacing: to.x and y.
    /// see(columns, rows): before they are brought into the plane.
    template <class By, class To, class See>
    constexpr void place(const Departures<T, By>& of, T shift_x, T shift_y, To& to, T* y,
                         const See& see) const {
        const EvenPlane here = *this;  // that stores do not change
        const Span across = span();
        const int count = count_of<By>(of.count);
        int west[To::most], south[To::most];
        for (int n = 0; n < count; ++n) {
            const T x = here.along_row(of.columns[n] - shift_x, of.i + n);
            west[n] = whole(x);
            to.x[n] = x - T(west[n]);
        }
        for (int n = 0; n < count; ++n) west[n] += of.i + n;
        for (int n = 0; n < count; ++n) south[n] = whole(of.row[n] - shift_y);
        see(west, south);
        if (here.edge == Edge::area)
            copy(west, count, to.column);
        else
            for (int n = 0; n < count; ++n) to.column[n] = turned(west[n], here.nx);
        if (here.ny == 1)
            for (int n = 0; n < count; ++n) to.row[n] = 0, y[n] = 0;
        else if (here.edge == Edge::periodic)
            for (int n = 0; n < count; ++n) {
                to.row[n] = turned(south[n], here.ny);
                y[n] = of.row[n] - shift_y - T(south[n]);
            }
        else
            for (int n = 0; n < count; ++n) {
                const T place = across(of.row[n] - shift_y);
                to.row[n] = std::min(std::max(whole(place), -1), here.ny - 1);
                y[n] = place - T(to.row[n]);
            }
    }
};

/// The points of its rows in memory, [row][level][point][field]; By: how points are held.
template <class T, int fields, class By> struct EvenPoints : EvenPlane<T> {
    using Plane = EvenPlane<T>;
    using Plane::nx, Plane::ny, Plane::edge, Plane::inside;
    static constexpr int west = 1, east = 2, beyond = 2;
    /// Numbers of a point, of which a register, or two, hold four points.
    static constexpr int beside = fields == 3 ? 4 : fields;
    static_assert(fields <= 4);
    using Four = typename By::template Four<T, beside>;
    using Stencils = fathom::Stencils<T, By>;
    LevelNodes<T, By> nodes;
    int components;  ///< so many fields, the first ones, change their sign beyond a pole
    std::ptrdiff_t level, row;
    T* memory = nullptr;

    EvenPoints(const Plane& plane, LevelNodes<T, By> levels, int components)
        : Plane(plane),
          nodes(std::move(levels)),
          components(components),
          level(std::ptrdiff_t(nx + west + east) * beside),
          row(level * nodes.levels()) {}
    /// Of all rows.
    std::size_t numbers() const { return std::size_t(row) * (ny + 2 * beyond); }

    constexpr T* at(int j, int k, int i) const {
        return memory + (j + beyond) * row + k * level + (i + west) * beside;
    }
    /// The ends of a row, from its points.
    constexpr void close(int j, int k) const {
        const bool area = edge == Edge::area;
        const int end = inside.columns;
        T* first = at(j, k, 0);
        const auto copy = [&](int to, int from) {
            for (int f = 0; f < beside; ++f) first[to * beside + f] = first[from * beside + f];
        };
        copy(-1, area ? 0 : end - 1);
        for (int n = 0; n < east; ++n) copy(end + n, area ? end - 1 : n % end);
    }
    /// Points first ... last - 1 of a row beyond the edges, not of a pole.
    constexpr void fill(int j, int k, int first, int last) const {
        const int source = this->shown(j);
        T* to = at(j, k, first);
        if (this->on_sphere()) {
            for (int i = first; i < last; ++i, to += beside) {
                const T* from = at(source, k, (i + nx / 2 + nx) % nx);
                for (int f = 0; f < beside; ++f) to[f] = f < components ? -from[f] : from[f];
            }
            return;
        }
        const bool wall = edge == Edge::closed && j == -1;
        const T sign = edge == Edge::closed ? T(-1) : T(1), *from = at(source, k, first);
        for (int n = 0; n < (last - first) * beside; ++n) to[n] = wall ? T(0) : sign * from[n];
    }

    /// The stencils of departures from centres; shift_x, shift_y: of the points of these rows from
    /// centres. see: of `place`.
    template <class See>
    constexpr void locate(const Departures<T, By>& of, T shift_x, T shift_y, Stencils& to,
                          const See& see) const {
        using Real = typename By::template Real<T>;
        T* const y = to.along_y[0];
        this->place(of, shift_x, shift_y, to, y, see);
        for (int n = 0; n < count_of<By>(of.count); n += Real::width) {
            const Real b = Real::load(y + n), a = b + 1.0, c = b - 1.0, d = b - 2.0, inner = b * c,
                       outer = a * d;
            (inner * d * T(-1. / 6)).store(to.along_y[0] + n);
            (outer * c * T(0.5)).store(to.along_y[1] + n);
            (outer * b * T(-0.5)).store(to.along_y[2] + n);
            (inner * a * T(1. / 6)).store(to.along_y[3] + n);
        }
        nodes.locate(of.eta, of.count, of.k, to);
    }
    template <class See>
    constexpr void locate(const Departures<T, By>& of, T shift_x, T shift_y,
                          LinearStencils<T, By>& to, const See& see) const {
        this->place(of, shift_x, shift_y, to, to.y, see);
        nodes.locate(of.eta, of.count, of.k, to);
    }
    /// Values at departure points, the fields of each next to each other; within: limited to the
    /// values of the eight points around.
    template <bool within = false>
    constexpr void gather(const Stencils& of, int count, T* out) const {
        ny > 1 ? gather_rows<4, within>(of, count, out) : gather_rows<1, within>(of, count, out);
    }
    /// The same by linear interpolation, of more than one row.
    constexpr void gather(const LinearStencils<T, By>& of, int count, T* out) const {
        for (int n = 0; n < count_of<By>(count); ++n)
            Four::between(at(of.row[n], of.level[n], of.column[n]), level, row, of.x[n], of.y[n],
                          of.z[n], out + n * beside);
    }

private:
    template <int rows, bool within>
    constexpr void gather_rows(const Stencils& of, int count, T* out) const {
        using Real = typename Four::Real;
        constexpr int south = rows == 4 ? 1 : 0;
        for (int n = 0; n < count_of<By>(count); ++n) {
            const T* from = at(of.row[n] - south, of.first[n], of.column[n] - 1);
            Real total[Four::registers];
            for (int p = 0; p < Four::registers; ++p) {
                const T* begin = from + p * Four::width;
                Real sum;
                for (int j = 0; j < rows; ++j) {
                    const T* up = begin + j * row;
                    const auto load = [&](int m) { return Real::load(up + m * level); };
                    const Real along = fused(
                        Real(of.along_z[3][n]), load(3),
                        fused(Real(of.along_z[2][n]), load(2),
                              fused(Real(of.along_z[1][n]), load(1), of.along_z[0][n] * load(0))));
                    sum = rows == 1 ? along
                          : j == 0  ? of.along_y[0][n] * along
                                    : fused(Real(of.along_y[j][n]), along, sum);
                }
                total[p] = Four::weights(of.x[n], p) * sum;
            }
            Four::add(total, out + n * beside);
            if constexpr (within)
                limit<rows>(at(of.row[n], of.level[n], of.column[n]), out + n * beside);
        }
    }
    /// Values limited to those of the points from `at` on: two columns, levels and rows.
    template <int rows> constexpr void limit(const T* at, T* values) const {
        using Point = typename Four::Point;
        Point low, high;
        for (int j = 0; j < (rows == 4 ? 2 : 1); ++j)
            for (int l = 0; l < 2; ++l)
                for (int m = 0; m < 2; ++m) {
                    const auto x = Point::load(at + j * row + l * level + m * beside);
                    const bool first = j + l + m == 0;
                    low = first ? x : smaller(low, x), high = first ? x : larger(high, x);
                }
        smaller(larger(Point::load(values), low), high).store(values);
    }
};

/// Fields that are next to each other, at departure points of a line: of row 0 and point 0 of the
/// rows so far from centres.
template <class T, int fields, class By = LinesHere> struct Gathered {
    static constexpr int beside = EvenPoints<T, fields, By>::beside;
    alignas(64) T values[By::most * beside];
    /// see: what `rows` wants to know of places.
    template <bool within = false, class Rows, class See>
    constexpr void take(const Rows& rows, const Departures<T, By>& from, See&& see, T shift_x = 0,
                        T shift_y = 0) {
        Stencils<T, By> stencils;
        rows.locate(from, shift_x, shift_y, stencils, see);
        rows.template gather<within>(stencils, from.count, values);
    }
    constexpr void give(int field, int count, T* out) const {
        for (int n = 0; n < count_of<By>(count); ++n) out[n] = values[n * beside + field];
    }
};

}  // namespace fathom
