/// The points around departure points of a plane (plane/transport.hpp, plane/even_rows.hpp), for
/// the tangent and the adjoint of transported fields: values there with their slopes, and the
/// transposes of `gather`, `surround` and `pack`. All weights are products of the weights of the
/// three axes.
#pragma once
#include <mutex>
#include "semi_lagrangian/adjoint/points_around.hpp"
#include "semi_lagrangian/plane/map_factor.hpp"

namespace fathom {

template <class T> struct PlaneAround {
    using Number = T;
    using Four = typename Nodes<T>::Four;
    using Trajectory = fathom::Trajectory<T>;
    using Sight = fathom::Sight<T>;
    static constexpr int tile = Departures<T>::most, fields = 4, beyond = EvenRows<T, 4>::beyond;
    /// Own points next to each other.
    struct Item {
        int block, row, level, column, count;
    };
    const Domain& domain;
    const PlaneArea area;
    const int nx, ny;  ///< points of a row of the plane; rows of the area
    const T step;
    EvenRows<T, 4> rows;
    const Turning<T> turning;
    const std::vector<T> map;  ///< its factor, of the whole plane; empty: 1
    std::vector<Item> items;
    std::vector<Block> blocks;
    std::vector<int> points;  ///< of each row of the area
    OnDemandHalo& around;

    PlaneAround(const Domain& d, const PlaneArea& a, const std::vector<double>& eta, double step)
        : domain(d),
          area(a),
          nx(d.decomposition.topology.nx),
          ny(a.rows),
          step(T(step)),
          rows(d.comm, d.decomposition, edge_of(inside_of(d, a), nx), inside_of(d, a),
               LevelNodes<T>(heights_of(eta), LevelEnds::linear)),
          turning(area, nx),
          map(a.map_factor.begin(), a.map_factor.end()),
          points(a.rows, a.columns),
          around(rows.around) {
        for (const Block* b : d.blocks) blocks.push_back(*b);
        std::mutex one;
        for_each_line(d, rows.inside, rows.nodes.levels(), [&](const Line& l) {
            const std::scoped_lock lock(one);
            items.push_back({l.b, l.r, l.k, l.column, l.count});
        });
        std::ranges::sort(
            items, {}, [](const Item& i) { return std::tuple(i.block, i.row, i.level, i.column); });
    }
    PlaneAround(const PlaneAround&) = delete;

    T* target(const FieldSlab& f, const Item& i) const { return at<T>(domain, f, line(i)); }
    const T* source(const FieldSlab& f, const Item& i) const { return target(f, i); }
    /// The map factor at the points of an item; null: 1.
    const T* factor(const Item& i) const {
        return map.empty() ? nullptr : &map[std::size_t(row_of(i)) * nx + column_of(i)];
    }

    // ---- there ----------------------------------------------------------------------------------

    void pack(std::span<const FieldSlab> group, bool mapped) {
        const FieldSlab* in[4];
        for (std::size_t f = 0; f < group.size(); ++f) in[f] = &group[f];
        rows.pack(domain, std::span(in, group.size()), mapped && !map.empty() ? &map[0] : nullptr);
    }
    void surround(bool) { rows.surround(); }
    /// x_D = x_A - (m V) dt; transported vectors rotate; places beyond an edge are moved to it.
    void locate(const Item& i, const T* u, const T* v, const T* w, bool carried, Beginnings<T>& to,
                BeginningSlopes<T>& slopes) const {
        const T per_x = T(step / area.dx), per_y = T(step / area.dy), height = level_of(i);
        auto& [by_u, by_v, by_w] = slopes;
        for (int n = 0; n < i.count; ++n) {
            const T x = -u[n] * per_x, y = T(row_of(i)) - v[n] * per_y;
            to.x[n] = rows.along_row(x, column_of(i) + n), to.y[n] = rows.across_rows(y);
            to.z[n] = height + step * w[n];
            by_u.x[n] = to.x[n] == x ? -per_x : T(0), by_u.y[n] = 0;
            by_v.y[n] = to.y[n] == y ? -per_y : T(0), by_v.x[n] = 0;
            by_w[n] = step;
            const auto a =
                carried ? turning.angle(row_of(i), column_of(i) + n, u[n] * step, v[n] * step)
                        : typename Turning<T>::Angle{1, 0, 0, 0};
            to.p[n] = a.cosine, to.q[n] = a.sine;
            by_u.p[n] = -a.sine * a.by_x * step, by_u.q[n] = a.cosine * a.by_x * step;
            by_v.p[n] = -a.sine * a.by_y * step, by_v.q[n] = a.cosine * a.by_y * step;
        }
    }
    /// Requests others' points.
    void need(const Item& i, const T* x, const T* y, const T* z) {
        if (around.alone()) return;
        Reach reach;
        LinearStencils<T> stencils;
        rows.locate(departures(i, x, y, z), 0, 0, stencils, reach);
        rows.need(reach);
    }
    /// Packed fields at departure points: four of each.
    void gather(Interpolation kind, const Item& i, const T* x, const T* y, const T* z,
                T* out) const {
        Reach reach;
        if (kind == Interpolation::linear) {
            LinearStencils<T> stencils;
            rows.locate(departures(i, x, y, z), 0, 0, stencils, reach);
            rows.gather(stencils, i.count, out);
        } else {
            Stencils<T> stencils;
            rows.locate(departures(i, x, y, z), 0, 0, stencils, reach);
            rows.gather(stencils, i.count, out);
        }
    }
    template <Interpolation kind> Sight look(const Trajectory& t) const {
        Sight s{};
        each_row_around<kind>(t, [&](const T* first, const Axis<kind>& x, T w, T by_y, T by_z) {
            Four value{}, slope{}, f;
            for (int m = 0; m < Axis<kind>::count; ++m) {
                std::memcpy(&f, first + m * fields, sizeof f);
                value += x.weight[m] * f, slope += x.slope[m] * f;
            }
            s.value += w * value, s.by_x += w * slope;
            s.by_y += by_y * value, s.by_z += by_z * value;
        });
        return s;
    }

    // ---- back -----------------------------------------------------------------------------------

    int row_of(T y) const {
        return rows.edge == Edge::periodic
                   ? rows.turned(rows.whole(y), ny)
                   : std::clamp(rows.whole(rows.across_rows(y)), -1, ny - 1);
    }
    int row_across(int j) const { return rows.shown(j); }
    /// body(column of the grid) of the four points around that a row of the buffer shows.
    template <class Body> void each_column(const Trajectory& t, int, Body body) const {
        const int first = place_along_row(t).first - 1;
        for (int m = first; m < first + 4; ++m)
            body(rows.edge == Edge::area ? std::clamp(m, 0, area.columns - 1) : (m + nx) % nx);
    }
    template <Interpolation kind>
    void give(const TrajectoryLine<T>& line, const T* values,
              const std::vector<char>& wanted) const {
        for (int n = 0; n < line.count; ++n) {
            Four value;
            std::memcpy(&value, values + n * fields, sizeof value);
            give<kind>(line[n], value, wanted);
        }
    }
    template <Interpolation kind>
    void give(const Trajectory& t, const Four& value, const std::vector<char>& wanted) const {
        each_row_around<kind>(
            t,
            [&](T* first, const Axis<kind>& x, T w, T, T) {
                for (int m = 0; m < Axis<kind>::count; ++m) {
                    Four sum;
                    std::memcpy(&sum, first + m * fields, sizeof sum);
                    sum += (w * x.weight[m]) * value;
                    std::memcpy(first + m * fields, &sum, sizeof sum);
                }
            },
            &wanted);
    }

private:
    int row_of(const Item& i) const { return blocks[i.block].j0 + i.row; }
    int column_of(const Item& i) const { return blocks[i.block].i0 + i.column; }
    T level_of(const Item& i) const { return rows.nodes.height(i.level); }
    Line line(const Item& i) const {
        return {i.block, i.row, i.level, i.column, column_of(i), row_of(i), i.count};
    }
    Departures<T> departures(const Item& i, const T* x, const T* y, const T* z) const {
        Departures<T> d{column_of(i), i.level, i.count};
        std::copy_n(x, i.count, d.columns), std::copy_n(y, i.count, d.row);
        std::copy_n(z, i.count, d.eta);
        return d;
    }
    /// Weights of the points of an axis and their slopes; of `between` from the second of four.
    template <Interpolation kind> struct Axis {
        static constexpr int count = kind == Interpolation::cubic ? 4 : 2;
        T weight[count], slope[count];
    };
    template <Interpolation kind> static Axis<kind> along(T b) {
        if constexpr (kind == Interpolation::linear)
            return {{1 - b, b}, {-1, 1}};
        else {
            const T a = b + 1, c = b - 1, d = b - 2, half = T(0.5), sixth = T(1. / 6);
            return {{-sixth * b * c * d, half * a * c * d, -half * a * b * d, sixth * a * b * c},
                    {-sixth * (b * c + b * d + c * d), half * (a * c + a * d + c * d),
                     -half * (a * b + a * d + b * d), sixth * (a * b + a * c + b * c)}};
        }
    }
    struct Along {
        int first;
        T between;
    };
    Along place_along_row(const Trajectory& t) const {
        const T x = rows.along_row(t.x, t.column);
        const int whole = rows.whole(x), i = whole + t.column;
        return {rows.edge == Edge::area ? i : rows.turned(i, nx), x - T(whole)};
    }
    /// body(first point of a row and level, weights along it, weight of the row and level, its
    /// slopes along y and z) of all that a departure point lies between; of `wanted` rows.
    template <Interpolation kind, class Body>
    void each_row_around(const Trajectory& t, Body body,
                         const std::vector<char>* wanted = nullptr) const {
        constexpr bool cubic = kind == Interpolation::cubic;
        const auto [i, between] = place_along_row(t);
        const Axis<kind> x = along<kind>(between);
        const T place = rows.across_rows(t.y);
        const int j = row_of(t.y);
        const Axis<kind> y =
            along<kind>(place - T(rows.edge == Edge::periodic ? rows.whole(t.y) : j));
        const auto z = rows.nodes.around(t.z);
        const T pair[] = {1 - z.linear, z.linear}, slopes[] = {-z.per_interval, z.per_interval};
        const T *of_level = cubic ? z.weight : pair, *by_z = cubic ? z.slope : slopes;
        for (int b = 0; b < Axis<kind>::count; ++b) {
            const int row = j + b - cubic;
            if (wanted && !(*wanted)[row + beyond]) continue;
            for (int c = 0; c < Axis<kind>::count; ++c)
                body(rows.at(row, (cubic ? z.first : z.level) + c, i - cubic), x,
                     y.weight[b] * of_level[c], y.slope[b] * of_level[c], y.weight[b] * by_z[c]);
        }
    }
};

template <class T> void clear(const PlaneAround<T>& of, const std::vector<char>& wanted) {
#pragma omp parallel for schedule(static)
    for (int n = 0; n < int(wanted.size()); ++n)
        if (wanted[n])
            std::fill_n(of.rows.at(n - of.beyond, 0, -of.rows.west), of.rows.numbers_of_row(),
                        T(0));
}

/// Adjoints beyond the edges go to the points whose values are used there.
template <class T>
void fold(const PlaneAround<T>& of, const std::vector<char>& wanted, bool /* no poles */) {
    const auto& rows = of.rows;
    const auto add = [&](T* to, const T* from, std::ptrdiff_t count) {
        for (std::ptrdiff_t n = 0; n < count; ++n) to[n] += from[n];
    };
    for (int n = 0; n < 2 * of.beyond; ++n)
        if (const int j = n < of.beyond ? -1 - n : of.ny + n - of.beyond; wanted[j + of.beyond])
            add(rows.at(rows.shown(j), 0, -rows.west), rows.at(j, 0, -rows.west),
                rows.numbers_of_row());
    const int end = of.area.columns, beside = rows.beside;
    const bool area = rows.edge == Edge::area;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < of.ny; ++j)
        for (int k = 0; wanted[j + of.beyond] && k < rows.nodes.levels(); ++k) {
            add(rows.at(j, k, area ? 0 : end - 1), rows.at(j, k, -1), beside);
            for (int n = 0; n < rows.east; ++n)
                add(rows.at(j, k, area ? end - 1 : n), rows.at(j, k, end + n), beside);
        }
}

/// Own points of up to four fields; mapped: of the first two times the map factor.
template <class T>
void add_to(const PlaneAround<T>& of, std::span<const FieldSlab> to, bool mapped) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t n = 0; n < of.items.size(); ++n) {
        const auto& item = of.items[n];
        const auto& b = of.blocks[item.block];
        const T *from = of.rows.at(b.j0 + item.row, item.level, b.i0 + item.column),
                *m = mapped ? of.factor(item) : nullptr;
        for (std::size_t f = 0; f < to.size(); ++f) {
            T* out = of.target(to[f], item);
            for (int i = 0; i < item.count; ++i)
                out[i] += (m && f < 2 ? m[i] : T(1)) * from[i * of.fields + f];
        }
    }
}

}  // namespace fathom
