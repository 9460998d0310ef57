/// Semi-Lagrangian interpolation on rows of even spacing, periodic along x: a plane between walls
/// along y or one row wide, or the sphere between parallels and meridians. The fields of one place
/// lie beside each other in rows of the global grid, of which a rank holds its own points and, by a
/// halo on demand, those that departures need.
///   f_D = sum over x, y, eta of C_x C_y C_eta f,   C: cubic Lagrange weights
/// Near the ground and the top the four levels lie on one side; where a plane is one row wide,
/// nothing varies along y; beyond a pole rows go on half a turn further, where components of
/// vectors change their sign. Departures below the lowest level of a field are taken there.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>
#include "base/error.hpp"
#include "machine/memory.hpp"
#include "parallel/ownership/domain.hpp"
#include "parallel/travel/on_demand.hpp"

namespace fathom {

/// How rows go on beyond the first and the last. closed: of what is 0 at the wall itself, the last
/// row; beside_pole: half a row from it; on_pole: the last row and the one before the first lie on
/// the poles, and are filled by who knows what is there.
enum class Edge { periodic, mirrored, closed, beside_pole, on_pole };

/// Levels of a field, and the weights of the four around a height.
template <class T> class LevelNodes {
public:
    explicit LevelNodes(std::vector<double> heights) : at(heights.begin(), heights.end()) {
        const int levels = int(at.size());
        if (levels < 4) throw Error("cubic interpolation needs 4 levels, given ", levels);
        for (int first = 0; first + 3 < levels; ++first)
            for (int m = 0; m < 4; ++m) {
                double product = 1;
                for (int l = 0; l < 4; ++l)
                    if (l != m) product *= heights[first + m] - heights[first + l];
                inverse.push_back(T(1 / product));
            }
    }
    int levels() const { return int(at.size()); }
    T height(int k) const { return at[k]; }
    /// The first of the four levels around `eta`, seen from level k; their weights, of sum 1: at a
    /// level itself exactly that level.
    int weights(T eta, int k, T* w) const {
        const int last = levels() - 1;
        eta = std::clamp(eta, at[last], at[0]);
        k = around(eta, k);
        const int first = std::clamp(k - 1, 0, last - 3);
        const T a = eta - at[first], b = eta - at[first + 1], c = eta - at[first + 2],
                d = eta - at[first + 3], *scale = &inverse[4 * first];
        const T product[4] = {b * c * d, a * c * d, a * b * d, a * b * c};
        T others = 0;
        for (int m = 0; m < 4; ++m)
            if (m != k - first) others += w[m] = product[m] * scale[m];
        w[k - first] = 1 - others;
        return first;
    }

    /// The level above `eta`, seen from level k; not the last one.
    int around(T eta, int k) const {
        const int last = levels() - 1;
        k = std::min(k, last - 1);
        while (k > 0 && eta > at[k]) --k;
        while (k < last - 1 && eta < at[k + 1]) ++k;
        return k;
    }

private:
    std::vector<T> at, inverse;
};

/// Cubic weights of the points -1, 0, 1, 2 at x in [0, 1).
template <class T> void even_weights(T x, T* w) {
    const T a = x + 1, b = x, c = x - 1, d = x - 2;
    w[0] = -b * c * d * T(1. / 6), w[1] = a * c * d * T(0.5), w[2] = -a * b * d * T(0.5),
    w[3] = a * b * c * T(1. / 6);
}

template <class T, int fields> class EvenRows {
public:
    static constexpr int west = 1, east = 2, beyond = 2;
    const int nx, ny;
    const Edge edge;
    const int components;
    const LevelNodes<T> nodes;
    OnDemandHalo around;

    /// components: so many fields, the first ones, change their sign beyond a pole.
    EvenRows(MPI_Comm comm, const Decomposition& d, Edge edge, std::vector<double> heights,
             int components = 0)
        : nx(d.topology.nx),
          ny(d.topology.ny),
          edge(edge),
          components(components),
          nodes(std::move(heights)),
          around(comm, d, std::vector<int>(ny, nx), fields, sizeof(T), nodes.levels()) {
        level = std::ptrdiff_t(nx + west + east) * fields;
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
        return (T*)memory.at + (j + beyond) * row + k * level + (i + west) * fields;
    }
    /// Own points of the blocks, of so many fields.
    void pack(const Domain& d, std::span<const FieldSlab* const> from) {
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const Block& block = *d.blocks[b];
#pragma omp parallel for schedule(static)
            for (int r = 0; r < block.ny; ++r)
                for (int k = 0; k < nodes.levels(); ++k)
                    for (int f = 0; f < fields; ++f) {
                        const FieldSlab& slab = *from[f];
                        const T* in = (const T*)slab.at[b] + (r + d.halo) * slab.row[b] +
                                      k * slab.level[b] + d.halo;
                        T* out = at(block.j0 + r, k, block.i0) + f;
                        for (int i = 0; i < block.nx; ++i) out[i * fields] = in[i];
                    }
        }
    }
    /// Others' points, the ends of rows, the rows beyond the edges.
    void surround() {
        around.exchange(global);
        for (int j = 0; j < ny; ++j)
            if (around.holds(j)) close_row(j);
        for (int n = 0; n < 2 * beyond; ++n) fill(n < beyond ? -1 - n : ny + n - beyond);
    }
    /// The ends of a row, from its points.
    void close_row(int j) {
        for (int k = 0; k < nodes.levels(); ++k) {
            T* first = at(j, k, 0);
            for (int f = 0; f < fields; ++f) {
                first[f - fields] = first[(nx - 1) * fields + f];
                for (int n = 0; n < east; ++n)
                    first[(nx + n) * fields + f] = first[n % nx * fields + f];
            }
        }
    }
    bool on_sphere() const { return edge == Edge::beside_pole || edge == Edge::on_pole; }
    /// Whether row j itself lies on a pole.
    bool is_pole(int j) const { return edge == Edge::on_pole && (j == -1 || j == ny - 1); }
    /// The row that row j of the unbounded plane shows; walls: how it goes on behind them.
    int shown(int j) const {
        if (edge == Edge::periodic) return ((j % ny) + ny) % ny;
        const bool last = edge == Edge::closed || edge == Edge::on_pole;
        const int of_north = last ? 2 * ny - 2 - j : 2 * ny - 1 - j,
                  of_south = last ? -2 - j : -1 - j;
        return std::clamp(j < 0 ? of_south : j >= ny ? of_north : j, 0, ny - 1);
    }
    /// Where departures along y may lie: positions between rows.
    T inside(T y) const {
        if (edge == Edge::periodic) return y;
        return edge == Edge::closed || edge == Edge::on_pole
                   ? std::clamp(y, T(-1), T(ny - 1))
                   : std::clamp(y, T(-0.5), T(ny) - T(0.5));
    }
    /// Of a stencil around (i, j): asked of its owners.
    void need(int first_row, int last_row, int first, int last) {
        if (around.alone()) return;
        for (int j = first_row - 1; j <= last_row + 2; ++j) {
            if (is_pole(j)) continue;
            const bool across = on_sphere() && (j < 0 || j >= ny);
            around.need(shown(j), first - 1 + (across ? nx / 2 : 0),
                        std::min(last - first + 4, nx));
        }
    }
    /// Values at the place (i + x, j + y) and at the height of w.
    void gather(int i, T x, int j, T y, int first, const T* w, T* out) const {
        T wx[4], wy[4] = {0, 1, 0, 0};
        even_weights(x, wx);
        if (ny > 1) even_weights(y, wy);
        const int south = ny > 1 ? -1 : 0, north = ny > 1 ? 2 : 0;
        for (int f = 0; f < fields; ++f) out[f] = 0;
        for (int n = south; n <= north; ++n)
            for (int m = 0; m < 4; ++m) {
                const T* from = at(j + n, first + m, i - 1);
                const T weight = wy[n + 1] * w[m];
                for (int f = 0; f < fields; ++f)
                    out[f] +=
                        weight * (wx[0] * from[f] + wx[1] * from[fields + f] +
                                  wx[2] * from[2 * fields + f] + wx[3] * from[3 * fields + f]);
            }
    }
    /// Values brought within those of the eight points around: (i, j), level k and the next ones.
    void limit(int i, int j, int k, T* values) const {
        for (int f = 0; f < fields; ++f) {
            T low = at(j, k, i)[f], high = low;
            for (int n = 0; n < (ny > 1 ? 2 : 1); ++n)
                for (int l = 0; l < 2; ++l)
                    for (int m = 0; m < 2; ++m) {
                        const T x = at(j + n, k + l, i + m)[f];
                        low = std::min(low, x), high = std::max(high, x);
                    }
            values[f] = std::clamp(values[f], low, high);
        }
    }

private:
    std::ptrdiff_t level = 0, row = 0;
    Pages memory;
    FieldSlab global;
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
                for (int f = 0; f < fields; ++f) to[f] = f < components ? -from[f] : from[f];
            }
    }
};

}  // namespace fathom
