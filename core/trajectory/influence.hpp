/// What the value at a departure point is made of: the points around it, their weights, and how
/// these change with the place. The interpolations of gather.hpp, for their tangent and their
/// adjoint; with l linear and c cubic weights of an axis, d = c - l, all have the form
///   w = A_y l_z c_x + (B_y l_z + C_y d_z) l_x
///       linear      A = 0,     B = l_y,   C = 0
///       cubic       A = l_y,   B = d_y,   C = l_y       on rows of the same length
///       cubic       A = c_y,   B = 0,     C = l_y       on reduced rows
#pragma once
#include "trajectory/gather.hpp"

namespace fathom {

enum class Interpolation { linear, cubic };

template <class T> struct Influence : Gather<T> {
    using Base = Gather<T>;
    using Base::Base, Base::rows, Base::levels, Base::beyond, Base::full, Base::latitude,
        Base::vertical, Base::row_above, Base::rows_per_radian, Base::row_at_equator, Base::ny,
        Base::points, Base::at, Base::level;
    using typename Base::Four;

    /// Weights of four nodes and their derivatives; of linear interpolation alone, and without
    /// derivatives, the others are 0.
    struct Axis {
        T linear[4]{}, cubic[4]{}, linear_slope[4]{}, cubic_slope[4]{};
        Axis(const Interval<T>& interval, T x, Interpolation kind, bool slopes) {
            const T z = interval.linear(x), per = interval.per_interval;
            linear[1] = 1 - z, linear[2] = z;
            if (slopes) linear_slope[1] = -per, linear_slope[2] = per;
            if (kind == Interpolation::linear) return;
            const Four bend = interval.bend(z);
            for (int m = 0; m < 4; ++m) cubic[m] = linear[m] + bend[m];
            if (!slopes) return;
            const Four slope = interval.bend_slope(z);
            for (int m = 0; m < 4; ++m) cubic_slope[m] = linear_slope[m] + slope[m];
        }
        Axis(const Nodes<T>& nodes, T x, Interpolation kind, bool slopes) {
            const T between = nodes.linear(x), per = nodes.per_interval;
            linear[1] = 1 - between, linear[2] = between;
            if (slopes) linear_slope[1] = -per, linear_slope[2] = per;
            if (kind == Interpolation::linear) return;
            const Four c = nodes.weights(x);
            std::memcpy(cubic, &c, sizeof c);
            for (int m = 0; slopes && m < 4; ++m) {
                const int p = (m + 1) % 4, q = (m + 2) % 4, r = (m + 3) % 4;
                const T a = x - nodes.at[p], b = x - nodes.at[q], d = x - nodes.at[r];
                cubic_slope[m] = nodes.inverse[m] * (a * b + a * d + b * d);
            }
        }
        T bend(int m) const { return cubic[m] - linear[m]; }
        T bend_slope(int m) const { return cubic_slope[m] - linear_slope[m]; }
    };

    /// Where a trajectory ends and where it begins: row, level and column of the grid; longitude
    /// from there, latitude [rad], eta.
    struct Trajectory {
        int row, level, column;
        T longitude, latitude, eta;
    };
    /// The points around where it begins: rows j - 1 ... j + 2, levels k - 1 ... k + 2.
    struct Around {
        int j, k;
        Axis y, z;
    };
    int row_of(const Trajectory& t) const {
        const int even =
            std::clamp(int(std::floor(t.latitude * rows_per_radian + row_at_equator)), -1, ny - 1);
        return even + (t.latitude >= row_above[even + 1]);
    }
    Around around_of(const Trajectory& t, Interpolation kind, bool slopes = false) const {
        const int j = row_of(t), k = level(t.eta);
        return {j, k, Axis(latitude[j + 1], t.latitude, kind, slopes),
                Axis(vertical[k], t.eta, kind, slopes)};
    }
    /// Of a row: the points i - 1 ... i + 2; slopes are of the fraction of a spacing.
    struct Along {
        int i;
        Axis x;
    };
    Along along(const Trajectory& t, int row, Interpolation kind, bool slopes = false) const {
        static constexpr Nodes<T> even{{-1, 0, 1, 2}, {T(-1. / 6), T(0.5), T(-0.5), T(1. / 6)}, 1};
        const auto& r = rows[row + beyond];
        const T begin = full ? T(0) : T(double(t.column) * r.points / points[t.row]),
                place = begin + t.longitude * r.per_radian, whole = std::floor(place);
        int i = int(whole) + (full ? t.column : 0);
        i = i < 0 ? i + r.points : i >= r.points ? i - r.points : i;
        return {std::clamp(i, 0, r.points - 1), Axis(even, place - whole, kind, slopes)};
    }

    /// A, B, C of row b of the four, and their derivatives along latitude.
    struct OfRow {
        T a, b, c, a_slope, b_slope, c_slope;
    };
    OfRow of_row(Interpolation kind, const Axis& y, int b) const {
        const T l = y.linear[b], s = y.linear_slope[b];
        if (kind == Interpolation::linear) return {0, l, 0, 0, s, 0};
        if (full) return {l, y.bend(b), l, s, y.bend_slope(b), s};
        return {y.cubic[b], 0, l, y.cubic_slope[b], 0, s};
    }

    /// Values of the packed fields at a point, and their derivatives along its coordinates.
    struct Sight {
        Four value, by_longitude, by_latitude, by_eta;
    };
    /// Whether row b and level c of the four have a part in c_x, and in l_x: those of the points
    /// 1 and 2 alone.
    bool has_cubic(Interpolation kind, int b, int c) const {
        return kind == Interpolation::cubic && inner(c) && (inner(b) || !full);
    }
    bool has_linear(Interpolation kind, int b, int c) const {
        if (kind == Interpolation::linear) return inner(b) && inner(c);
        return full ? inner(b) || inner(c) : inner(b);
    }
    template <bool slopes> Sight look(Interpolation kind, const Trajectory& t) const {
        Sight s{};
        const Around near = around_of(t, kind, slopes);
        const Along begin = along(t, near.j, kind, slopes);
        const int rim = kind == Interpolation::linear;
        for (int b = rim; b < 4 - rim; ++b) {
            const int row = near.j - 1 + b;
            const auto& r = rows[row + beyond];
            const Along x = full ? begin : along(t, row, kind, slopes);
            const OfRow y = of_row(kind, near.y, b);
            for (int c = rim; c < 4 - rim; ++c) {
                const bool cubic = has_cubic(kind, b, c);
                if (!cubic && !has_linear(kind, b, c)) continue;
                const T* first = at(r, near.k - 1 + c, x.i - 1);
                Four in_cubic{}, in_linear{}, cubic_slope{}, linear_slope{};
                for (int m = !cubic; m < 4 - !cubic; ++m) {
                    Four f;
                    std::memcpy(&f, first + m * Base::fields, sizeof f);
                    if (cubic) in_cubic += x.x.cubic[m] * f, cubic_slope += x.x.cubic_slope[m] * f;
                    in_linear += x.x.linear[m] * f, linear_slope += x.x.linear_slope[m] * f;
                }
                const T l = near.z.linear[c], d = near.z.bend(c);
                s.value += y.a * l * in_cubic + (y.b * l + y.c * d) * in_linear;
                if constexpr (!slopes) continue;
                const T l_slope = near.z.linear_slope[c], d_slope = near.z.bend_slope(c);
                s.by_longitude +=
                    r.per_radian * (y.a * l * cubic_slope + (y.b * l + y.c * d) * linear_slope);
                s.by_latitude +=
                    y.a_slope * l * in_cubic + (y.b_slope * l + y.c_slope * d) * in_linear;
                s.by_eta += y.a * l_slope * in_cubic + (y.b * l_slope + y.c * d_slope) * in_linear;
            }
        }
        return s;
    }
    /// body(level, points from i - 1 on, their weights) of row b of the four around.
    template <class Body>
    void each_level(Interpolation kind, const Trajectory& t, const Around& near, int b,
                    Body body) const {
        const Along x = along(t, near.j - 1 + b, kind);
        const OfRow y = of_row(kind, near.y, b);
        for (int c = 0; c < 4; ++c) {
            if (!has_cubic(kind, b, c) && !has_linear(kind, b, c)) continue;
            Four cubic, linear;
            std::memcpy(&cubic, x.x.cubic, sizeof cubic);
            std::memcpy(&linear, x.x.linear, sizeof linear);
            const Four weights = y.a * near.z.linear[c] * cubic +
                                 (y.b * near.z.linear[c] + y.c * near.z.bend(c)) * linear;
            body(std::clamp(near.k - 1 + c, 0, levels - 1), x.i - 1, weights);
        }
    }

private:
    static constexpr bool inner(int n) { return n == 1 || n == 2; }
};

}  // namespace fathom
