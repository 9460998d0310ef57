/// The parts of the value at a departure point: the points around it, their weights, and how
/// these change with the place. The interpolations of stencils/gather.hpp, for their tangent and
/// their adjoint; with l linear and c cubic weights of an axis, d = c - l, all have the form
///   w = A c_x + B l_x
///       linear      A = 0,         B = l_y l_z
///       cubic       A = l_y l_z,   B = l_y d_z + d_y l_z       on rows of the same length
///       cubic       A = c_y l_z,   B = l_y d_z                 on reduced rows
#pragma once
#include "semi_lagrangian/adjoint/points_around.hpp"
#include "semi_lagrangian/stencils/gather.hpp"

namespace fathom {

template <class T> struct Influence : Gather<T> {
    using Base = Gather<T>;
    using Base::Base, Base::rows, Base::beyond, Base::full, Base::latitude, Base::vertical,
        Base::row_above, Base::rows_per_radian, Base::row_at_equator, Base::ny, Base::points,
        Base::at, Base::level;
    using typename Base::Four;
    using Number = T;
    using Trajectory = fathom::Trajectory<T>;
    using Line = TrajectoryLine<T>;
    using Sight = fathom::Sight<T>;

    int row_of(T latitude) const {
        const int even =
            std::clamp(int(std::floor(latitude * rows_per_radian + row_at_equator)), -1, ny - 1);
        return even + (latitude >= row_above[even + 1]);
    }

    /// Weights of four nodes, and their derivatives.
    template <Interpolation kind, bool slopes> struct Axis {
        static constexpr int sloping = slopes ? 4 : 1;
        T linear[4], cubic[4], linear_slope[sloping], cubic_slope[sloping];
        Axis(const Nodes<T>& nodes, T x) {
            const T between = nodes.linear(x), per = nodes.per_interval;
            linear[0] = linear[3] = 0, linear[1] = 1 - between, linear[2] = between;
            if constexpr (slopes)
                linear_slope[0] = linear_slope[3] = 0, linear_slope[1] = -per,
                linear_slope[2] = per;
            if constexpr (kind == Interpolation::linear) return;
            const Four c = nodes.weights(x);
            std::memcpy(cubic, &c, sizeof c);
            if constexpr (!slopes) return;
            const T d[4] = {x - nodes.at[0], x - nodes.at[1], x - nodes.at[2], x - nodes.at[3]};
            for (int m = 0; m < 4; ++m) {
                const T a = d[(m + 1) % 4], b = d[(m + 2) % 4], e = d[(m + 3) % 4];
                cubic_slope[m] = nodes.inverse[m] * (a * b + a * e + b * e);
            }
        }
        Axis(const Interval<T>& interval, T x) {
            const T z = interval.linear(x), per = interval.per_interval;
            linear[0] = linear[3] = 0, linear[1] = 1 - z, linear[2] = z;
            if constexpr (slopes)
                linear_slope[0] = linear_slope[3] = 0, linear_slope[1] = -per,
                linear_slope[2] = per;
            if constexpr (kind == Interpolation::linear) return;
            const Four bent = interval.bend(z);
            for (int m = 0; m < 4; ++m) cubic[m] = linear[m] + bent[m];
            if constexpr (!slopes) return;
            const Four slope = interval.bend_slope(z);
            for (int m = 0; m < 4; ++m) cubic_slope[m] = linear_slope[m] + slope[m];
        }
        T bend(int m) const { return cubic[m] - linear[m]; }
        T bend_slope(int m) const { return cubic_slope[m] - linear_slope[m]; }
    };
    /// Of a row: its points i - 1 ... i + 2; slopes are of the fraction of a spacing.
    template <Interpolation kind, bool slopes> struct Along {
        int i;
        Axis<kind, slopes> x;
    };
    template <Interpolation kind, bool slopes>
    Along<kind, slopes> along(const Trajectory& t, int row) const {
        static constexpr Nodes<T> even{{-1, 0, 1, 2}, {T(-1. / 6), T(0.5), T(-0.5), T(1. / 6)}, 1};
        const auto& r = rows[row + beyond];
        const T begin = full ? T(0) : T(double(t.column) * r.points / points[t.row]),
                place = begin + t.x * r.per_radian, whole = std::floor(place);
        int i = int(whole) + (full ? t.column : 0);
        i = i < 0 ? i + r.points : i >= r.points ? i - r.points : i;
        return {std::clamp(i, 0, r.points - 1), {even, place - whole}};
    }

    /// body(column of the grid) of the four points around that a row of the buffer shows.
    template <class Body> void each_column(const Trajectory& t, int row, Body body) const {
        const int shown = this->row_across(row), n = points[shown];
        const int first =
            along<Interpolation::linear, false>(t, row).i - 1 + n + (row != shown ? n / 2 : 0);
        for (int m = 0; m < 4; ++m) body((first + m) % n);
    }

    /// A, B of row b and level c of the four, and their derivatives.
    struct Weight {
        T a, b, a_by_y, b_by_y, a_by_z, b_by_z;
    };
    static constexpr bool inner(int n) { return n == 1 || n == 2; }
    /// Whether row b and level c have a part in c_x, and in l_x: that of points 1 and 2 alone.
    template <Interpolation kind, bool full_> static constexpr bool has_cubic(int b, int c) {
        return kind == Interpolation::cubic && inner(c) && (inner(b) || !full_);
    }
    template <Interpolation kind, bool full_> static constexpr bool has_linear(int b, int c) {
        if (kind == Interpolation::linear) return inner(b) && inner(c);
        return full_ ? inner(b) || inner(c) : inner(b);
    }
    template <Interpolation kind, bool full_, bool slopes, int b, int c>
    static Weight weight(const Axis<kind, slopes>& y, const Axis<kind, slopes>& z) {
        constexpr bool cubic = kind == Interpolation::cubic;
        Weight w{};
        const auto product = [](T p, T q) { return p * q; };
        if constexpr (!cubic) {
            w.b = y.linear[b] * z.linear[c];
            if constexpr (slopes)
                w.b_by_y = y.linear_slope[b] * z.linear[c],
                w.b_by_z = y.linear[b] * z.linear_slope[c];
            return w;
        }
        if constexpr (has_cubic<kind, full_>(b, c)) {
            w.a = product(full_ ? y.linear[b] : y.cubic[b], z.linear[c]);
            if constexpr (slopes)
                w.a_by_y = product(full_ ? y.linear_slope[b] : y.cubic_slope[b], z.linear[c]),
                w.a_by_z = product(full_ ? y.linear[b] : y.cubic[b], z.linear_slope[c]);
        }
        if constexpr (inner(b)) {
            w.b = y.linear[b] * z.bend(c);
            if constexpr (slopes)
                w.b_by_y = y.linear_slope[b] * z.bend(c), w.b_by_z = y.linear[b] * z.bend_slope(c);
        }
        if constexpr (full_ && inner(c)) {
            w.b += y.bend(b) * z.linear[c];
            if constexpr (slopes)
                w.b_by_y += y.bend_slope(b) * z.linear[c],
                    w.b_by_z += y.bend(b) * z.linear_slope[c];
        }
        return w;
    }

    /// body(row, level, points from i - 1 on, those of them to take, weight, Along) of all points
    /// around where a trajectory begins: levels k - 1 ... k + 2, k the one above.
    template <Interpolation kind, bool full_, bool slopes, class Body>
    void each_around(const Trajectory& t, Body body) const {
        const int j = row_of(t.y), k = level(t.z);
        const Axis<kind, slopes> y(latitude[j + 1], t.y), z(vertical[k], t.z);
        const auto first = along<kind, slopes>(t, j);
        Base::for_four([&](auto b) {
            constexpr bool used = kind == Interpolation::cubic || inner(b);
            if constexpr (!used) return;
            const int row = j - 1 + b;
            const auto x = full_ ? first : along<kind, slopes>(t, row);
            Base::for_four([&](auto c) {
                constexpr bool cubic = has_cubic<kind, full_>(b, c),
                               linear = has_linear<kind, full_>(b, c);
                if constexpr (cubic || linear)
                    body(row, k - 1 + c, std::bool_constant<cubic>(), std::bool_constant<linear>(),
                         weight<kind, full_, slopes, b, c>(y, z), x);
            });
        });
    }

    template <Interpolation kind> Sight look(const Trajectory& t) const {
        return full ? look<kind, true>(t) : look<kind, false>(t);
    }
    template <Interpolation kind, bool full_> Sight look(const Trajectory& t) const {
        Sight s{};
        each_around<kind, full_, true>(t, [&](int row, int k, auto cubic, auto linear,
                                              const Weight& w, const auto& x) {
            const auto& r = rows[row + beyond];
            const T* first = at(r, k, x.i - 1);
            Four in_cubic{}, cubic_slope{}, in_linear{}, linear_slope{}, f[4];
            if constexpr (cubic) {
                std::memcpy(f, first, sizeof f);
                for (int m = 0; m < 4; ++m)
                    in_cubic += x.x.cubic[m] * f[m], cubic_slope += x.x.cubic_slope[m] * f[m];
            } else
                std::memcpy(f + 1, first + Base::fields, 2 * sizeof(Four));
            if constexpr (linear)
                in_linear = x.x.linear[1] * f[1] + x.x.linear[2] * f[2], linear_slope = f[2] - f[1];
            s.value += w.a * in_cubic + w.b * in_linear;
            s.by_x += r.per_radian * (w.a * cubic_slope + w.b * linear_slope);
            s.by_y += w.a_by_y * in_cubic + w.b_by_y * in_linear;
            s.by_z += w.a_by_z * in_cubic + w.b_by_z * in_linear;
        });
        return s;
    }
    /// Gives four values of each back to all points around, in the buffer; `wanted`: to which rows,
    /// stored at j + 2. A point of the buffer is added to in the order of the line.
    template <Interpolation kind>
    void give(const Line& line, const T* values, const std::vector<char>& wanted) const {
        full ? give<kind, true>(line, values, wanted) : give<kind, false>(line, values, wanted);
    }
    template <Interpolation kind, bool full_>
    void give(const Line& line, const T* values, const std::vector<char>& wanted) const {
        for (int n = 0; n < line.count; ++n) {
            Four value;
            std::memcpy(&value, values + n * Base::fields, sizeof value);
            each_around<kind, full_, false>(line[n], [&](int row, int k, auto cubic, auto linear,
                                                         const Weight& w, const auto& x) {
                if (!wanted[row + beyond]) return;
                T* first = at(rows[row + beyond], k, x.i - 1);
                constexpr int from = cubic ? 0 : 1, to = cubic ? 4 : 3;
                for (int m = from; m < to; ++m) {
                    T by = 0;
                    if constexpr (cubic) by = w.a * x.x.cubic[m];
                    if constexpr (linear)
                        if (inner(m)) by += w.b * x.x.linear[m];
                    Four sum;
                    std::memcpy(&sum, first + m * Base::fields, sizeof sum);
                    sum += by * value;
                    std::memcpy(first + m * Base::fields, &sum, sizeof sum);
                }
            });
        }
    }
};

}  // namespace fathom
