/// Semi-Lagrangian interpolation on rows of even spacing, periodic along x: a plane between walls
/// along y or one row wide, or the sphere between parallels and meridians. The fields of one place
/// are next to each other in rows of the global grid. A rank has its own points and, by a halo on
/// demand, those that departures need.
///   f_D = sum over x, y, eta of C_x C_y C_eta f,   C: cubic Lagrange weights
/// of 64 points, or linear ones of 8. Ends of the column: LevelEnds. If a plane is one row wide,
/// nothing varies along y. Beyond a pole rows continue on the opposite meridian, where components
/// of vectors change their sign.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>
#include "base/short_pack.hpp"
#include "machine/memory.hpp"
#include "parallel/ownership/domain.hpp"
#include "parallel/travel/on_demand.hpp"
#include "trajectory/stencils.hpp"

namespace fathom {

/// How rows continue beyond the first and last. closed: for fields that are 0 at the wall, the
/// last row; beside_pole: rows end half a row from a pole; on_pole: the last row and the one before
/// the first are the poles, filled by the caller. area: beyond the edges fields have the values at
/// the edge, and departures from there are taken at the edge.
enum class Edge { periodic, mirrored, closed, beside_pole, on_pole, area };

/// Of a plane: its first columns and rows, all that is packed and computed.
struct PlaneInside {
    int columns, rows;
};

/// Columns and rows of departures, before they are brought into the plane.
struct Reach {
    int west = 1 << 30, east = -(1 << 30), south = 1 << 30, north = -(1 << 30);
    bool empty() const { return west > east; }
};

template <class T, int fields> class EvenRows {
public:
    static constexpr int west = 1, east = 2, beyond = 2;
    /// Numbers of a point, of which a register, or two, hold four points.
    static constexpr int beside = fields == 3 ? 4 : fields;
    static_assert(fields <= 4);
    const int nx, ny;
    const Edge edge;
    const PlaneInside inside;
    const int components;
    const LevelNodes<T> nodes;
    OnDemandHalo around;

    /// components: so many fields, the first ones, change their sign beyond a pole.
    EvenRows(MPI_Comm comm, const Decomposition& d, Edge edge, const std::vector<double>& heights,
             int components = 0)
        : EvenRows(comm, d, edge, {d.topology.nx, d.topology.ny}, LevelNodes<T>(heights),
                   components) {}
    /// inside: the area, where the edges are those of one.
    EvenRows(MPI_Comm comm, const Decomposition& d, Edge edge, PlaneInside inside,
             LevelNodes<T> levels, int components = 0)
        : nx(d.topology.nx),
          ny(d.topology.ny),
          edge(edge),
          inside(inside),
          components(components),
          nodes(std::move(levels)),
          around(comm, d, std::vector<int>(ny, nx), beside, sizeof(T), nodes.levels()) {
        level = std::ptrdiff_t(nx + west + east) * beside;
        row = level * nodes.levels();
        memory = Pages::sparse(std::size_t(row) * (ny + 2 * beyond) * sizeof(T));
        global.levels = nodes.levels();
        for (int j = 0; j < ny; ++j) {
            global.at.push_back((std::byte*)at(j, 0, 0));
            global.row.push_back(0), global.level.push_back(level);
        }
    }
    EvenRows(const EvenRows&) = delete;

    T* at(int j, int k, int i) const {
        return (T*)memory.at + (j + beyond) * row + k * level + (i + west) * beside;
    }
    /// Own points of the blocks; of fewer fields the last one several times. times: [row][point] of
    /// the plane, of the first two fields.
    void pack(const Domain& d, std::span<const FieldSlab* const> from, const T* times = nullptr) {
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const Block& block = *d.blocks[b];
            const int count = std::min(block.nx, inside.columns - block.i0);
#pragma omp parallel for collapse(2) schedule(static)
            for (int r = 0; r < std::min(block.ny, inside.rows - block.j0); ++r)
                for (int k = 0; k < nodes.levels(); ++k) {
                    const T* in[fields];
                    for (int f = 0; f < fields; ++f) {
                        const FieldSlab& slab = *from[std::min(f, int(from.size()) - 1)];
                        in[f] = (const T*)slab.at[b] + (r + d.halo) * slab.row[b] +
                                k * slab.level[b] + d.halo;
                    }
                    const int j = block.j0 + r;
                    interleave(in, count, times ? times + std::size_t(j) * nx + block.i0 : nullptr,
                               at(j, k, block.i0));
                }
        }
    }
    /// Others' points, the ends of rows, the rows beyond the edges.
    void surround() {
        around.exchange(global);
#pragma omp parallel for schedule(static)
        for (int j = 0; j < inside.rows; ++j)
            if (around.holds(j)) close_row(j);
        for (int n = 0; n < 2 * beyond; ++n) fill(n < beyond ? -1 - n : inside.rows + n - beyond);
    }
    /// The ends of a row, from its points.
    void close_row(int j) {
        const bool area = edge == Edge::area;
        const int end = inside.columns;
        for (int k = 0; k < nodes.levels(); ++k) {
            T* first = at(j, k, 0);
            const auto copy = [&](int to, int from) {
                for (int f = 0; f < beside; ++f) first[to * beside + f] = first[from * beside + f];
            };
            copy(-1, area ? 0 : end - 1);
            for (int n = 0; n < east; ++n) copy(end + n, area ? end - 1 : n % end);
        }
    }
    bool on_sphere() const { return edge == Edge::beside_pole || edge == Edge::on_pole; }
    /// Whether row j itself lies on a pole.
    bool is_pole(int j) const { return edge == Edge::on_pole && (j == -1 || j == ny - 1); }
    /// The row of the grid that row j of the unbounded plane is a copy of; walls mirror.
    int shown(int j) const {
        if (edge == Edge::periodic) return ((j % ny) + ny) % ny;
        if (edge == Edge::area) return std::clamp(j, 0, inside.rows - 1);
        const bool last = edge == Edge::closed || edge == Edge::on_pole;
        const int of_north = last ? 2 * ny - 2 - j : 2 * ny - 1 - j,
                  of_south = last ? -2 - j : -1 - j;
        return std::clamp(j < 0 ? of_south : j >= ny ? of_north : j, 0, ny - 1);
    }
    /// Where departures along y may lie: positions between rows.
    T across_rows(T y) const {
        if (edge == Edge::periodic) return y;
        if (edge == Edge::area) return std::clamp(y, T(0), T(inside.rows - 1));
        return edge == Edge::closed || edge == Edge::on_pole
                   ? std::clamp(y, T(-1), T(ny - 1))
                   : std::clamp(y, T(-0.5), T(ny) - T(0.5));
    }
    /// The same along x, seen from column i.
    T along_row(T x, int i) const {
        return edge == Edge::area ? std::clamp(x, T(-i), T(inside.columns - 1 - i)) : x;
    }
    /// The stencils of departures from centres; shift_x, shift_y: of the points of these rows from
    /// centres. Adds to `reach`.
    void locate(const Departures<T>& of, T shift_x, T shift_y, Stencils<T>& to,
                Reach& reach) const {
        T* const y = to.along_y[0];
        place(of, shift_x, shift_y, to, y, reach);
        for (int n = 0; n < of.count; n += Numbers::width) {
            const Numbers b = Numbers::load(y + n), a = b + 1.0, c = b - 1.0, d = b - 2.0,
                          inner = b * c, outer = a * d;
            (inner * d * T(-1. / 6)).store(to.along_y[0] + n);
            (outer * c * T(0.5)).store(to.along_y[1] + n);
            (outer * b * T(-0.5)).store(to.along_y[2] + n);
            (inner * a * T(1. / 6)).store(to.along_y[3] + n);
        }
        nodes.locate(of.eta, of.count, of.k, to);
    }
    void locate(const Departures<T>& of, T shift_x, T shift_y, LinearStencils<T>& to,
                Reach& reach) const {
        place(of, shift_x, shift_y, to, to.y, reach);
        nodes.locate(of.eta, of.count, of.k, to);
    }
    /// Requests the stencils within from the owners.
    void need(const Reach& reach) {
        if (around.alone() || reach.empty()) return;
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
            around.need(shown(j), west + (across ? nx / 2 : 0), std::min(east - west + 1, nx));
        }
    }
    /// Values at departure points, the fields of each next to each other; within: limited to the
    /// values of the eight points around.
    template <bool within = false> void gather(const Stencils<T>& of, int count, T* out) const {
        ny > 1 ? gather_rows<4, within>(of, count, out) : gather_rows<1, within>(of, count, out);
    }
    /// The same by linear interpolation, of more than one row.
    void gather(const LinearStencils<T>& of, int count, T* out) const {
        using One = Pack<T, beside>;
        using Two = Pack<T, 2 * beside>;
        struct Points {
            One west, east;
        };
        const auto between = [](auto a, auto b, auto x) { return fused(x, b - a, a); };
        for (int n = 0; n < count; ++n) {
            const T *from = at(of.row[n], of.level[n], of.column[n]), *beyond = from + row;
            const Two z = of.z[n], south = between(Two::load(from), Two::load(from + level), z),
                      north = between(Two::load(beyond), Two::load(beyond + level), z);
            const auto two = std::bit_cast<Points>(between(south, north, Two(of.y[n])));
            between(two.west, two.east, One(of.x[n])).store(out + n * beside);
        }
    }
    /// Floating-point operations of a point: of its stencil, and of a gather of a field.
    static constexpr double operations_of_stencil = 4 + 15 + 23 + 24,
                            operations_of_linear_stencil = 4 + 2 + 4,
                            operations_of_field = 4 * (4 * 7 + 7) + 4 + 3,
                            operations_of_linear_field = 2 * (2 * 3 + 3) + 3;

    /// The whole number below; 0 for NaN and huge numbers: a run that blows up ends elsewhere.
    static int whole(T x) { return x > T(-1e6) && x < T(1e6) ? int(std::floor(x)) : 0; }
    static int turned(int n, int period) {
        const T p = T(period), rest = T(n) - p * std::floor(T(n) / p);
        return int(rest < 0 ? rest + p : rest >= p ? rest - p : rest);
    }
    /// Numbers of a row of all levels, ends included.
    std::ptrdiff_t numbers_of_row() const { return row; }

private:
    using Numbers = Pack<T, pack_width<T>>;
    std::ptrdiff_t level = 0, row = 0;
    Pages memory;
    FieldSlab global;

    static void see(const int* at, int count, int& least, int& most) {
        int low = least, high = most;
        for (int n = 0; n < count; ++n) low = std::min(low, at[n]), high = std::max(high, at[n]);
        least = low, most = high;
    }
    /// Columns and rows of stencils, and the remaining fraction of a spacing: to.x and y.
    template <class To>
    void place(const Departures<T>& of, T shift_x, T shift_y, To& to, T* y, Reach& reach) const {
        const int count = of.count;
        int west[To::most], south[To::most];
        for (int n = 0; n < count; ++n) {
            const T x = along_row(of.columns[n] - shift_x, of.i + n);
            west[n] = whole(x);
            to.x[n] = x - T(west[n]);
        }
        for (int n = 0; n < count; ++n) west[n] += of.i + n;
        for (int n = 0; n < count; ++n) south[n] = whole(of.row[n] - shift_y);
        if (!around.alone()) {
            see(west, count, reach.west, reach.east);
            see(south, count, reach.south, reach.north);
        }
        if (edge == Edge::area)
            std::copy_n(west, count, to.column);
        else
            for (int n = 0; n < count; ++n) to.column[n] = turned(west[n], nx);
        if (ny == 1)
            std::fill_n(to.row, count, 0), std::fill_n(y, count, T(0));
        else if (edge == Edge::periodic)
            for (int n = 0; n < count; ++n) {
                to.row[n] = turned(south[n], ny);
                y[n] = of.row[n] - shift_y - T(south[n]);
            }
        else
            for (int n = 0; n < count; ++n) {
                const T place = across_rows(of.row[n] - shift_y);
                to.row[n] = std::min(std::max(whole(place), -1), ny - 1);
                y[n] = place - T(to.row[n]);
            }
    }
    /// times: of the first two fields, null: 1.
    static void interleave(const T* const* in, int count, const T* times, T* __restrict out) {
        const T* __restrict from[fields];
        for (int f = 0; f < fields; ++f) from[f] = in[f];
        if (times)
            for (int i = 0; i < count; ++i)
                for (int f = 0; f < fields; ++f)
                    out[i * beside + f] = f < 2 ? from[f][i] * times[i] : from[f][i];
        else
            for (int i = 0; i < count; ++i)
                for (int f = 0; f < fields; ++f) out[i * beside + f] = from[f][i];
    }

    /// Four neighbouring points, in registers.
    static constexpr int numbers = 4 * beside,
                         width = numbers < pack_width<T> ? numbers : pack_width<T>,
                         registers = numbers / width;
    using Real = Pack<T, width>;
    /// For each point the nodes of the other three, and the factor that makes its weight 1.
    struct Others {
        alignas(64) T node[3][numbers], scale[numbers];
        constexpr Others() : node(), scale() {
            for (int n = 0; n < numbers; ++n) {
                const int point = n / beside;
                for (int m = 0, l = 0; m < 4; ++m)
                    if (m != point) node[l++][n] = T(m - 1);
                constexpr double product[] = {-6, 2, -2, 6};
                scale[n] = T(1 / product[point]);
            }
        }
    };
    static constexpr Others others{};
    static Real weights_along_x(T x, int part) {
        const auto less = [&](int l) {
            return Real(x) - Real::load(others.node[l] + part * width);
        };
        return (less(0) * less(1)) * (less(2) * Real::load(others.scale + part * width));
    }
    /// The sums over the four points.
    static void add_points(const Real* sum, T* out) {
        struct Points {
            typename Lanes<T, beside>::type point[4];
        };
        struct All {
            typename Real::Storage part[registers];
        } all;
        for (int p = 0; p < registers; ++p) all.part[p] = sum[p].lanes;
        const auto four = std::bit_cast<Points>(all);
        const auto total = (four.point[0] + four.point[1]) + (four.point[2] + four.point[3]);
        std::memcpy(out, &total, sizeof total);
    }

    template <int rows, bool within>
    void gather_rows(const Stencils<T>& of, int count, T* out) const {
        constexpr int south = rows == 4 ? 1 : 0;
        for (int n = 0; n < count; ++n) {
            const T* from = at(of.row[n] - south, of.first[n], of.column[n] - 1);
            Real total[registers];
            for (int p = 0; p < registers; ++p) {
                const T* begin = from + p * width;
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
                total[p] = weights_along_x(of.x[n], p) * sum;
            }
            add_points(total, out + n * beside);
            if constexpr (within)
                limit<rows>(at(of.row[n], of.level[n], of.column[n]), out + n * beside);
        }
    }
    /// Values limited to those of the points from `at` on: two columns, levels and rows.
    template <int rows> void limit(const T* at, T* values) const {
        Pack<T, beside> low, high;
        for (int j = 0; j < (rows == 4 ? 2 : 1); ++j)
            for (int l = 0; l < 2; ++l)
                for (int m = 0; m < 2; ++m) {
                    const auto x = Pack<T, beside>::load(at + j * row + l * level + m * beside);
                    const bool first = j + l + m == 0;
                    low = first ? x : smaller(low, x), high = first ? x : larger(high, x);
                }
        smaller(larger(Pack<T, beside>::load(values), low), high).store(values);
    }
    void fill(int j) {
        const int source = shown(j);
        if (is_pole(j) || !around.holds(source)) return;
        if (on_sphere()) return cross_pole(j, source);
        const T sign = edge == Edge::closed ? T(-1) : T(1);
        const T* from = at(source, 0, -west);
        T* to = at(j, 0, -west);
        const bool wall = edge == Edge::closed && j == -1;
        for (std::ptrdiff_t n = 0; n < row; ++n) to[n] = wall ? T(0) : sign * from[n];
    }
    void cross_pole(int j, int source) {
        for (int k = 0; k < nodes.levels(); ++k)
            for (int i = -west; i < nx + east; ++i) {
                const T* from = at(source, k, (i + nx / 2 + nx) % nx);
                T* to = at(j, k, i);
                for (int f = 0; f < beside; ++f) to[f] = f < components ? -from[f] : from[f];
            }
    }
};

}  // namespace fathom
