/// Values at departure points, of interleaved fields: the interpolations of semi-Lagrangian
/// advection, point by point (the formulas: sphere/transport.hpp), on a processor
/// (stencils/gather.hpp) and on a device. A register holds neighbouring points and four fields; its
/// weights are spread over them.
#pragma once
#include <algorithm>
#include <cmath>
#include "semi_lagrangian/stencils/lagrange.hpp"
#include "semi_lagrangian/stencils/point_rows.hpp"

namespace fathom {

/// What a pass over all points does: the departure points alone, the weights of cubic
/// interpolation, one of the interpolations.
enum class InterpolationPass {
    departure,
    weights,
    linear,
    cubic,
    monotone,
    by_levels,
    by_levels_monotone
};

/// Where a tile of points comes from: longitude from the arrival point [rad], latitude [rad], eta;
/// p, q: how vectors turn; cosine of latitude; map factor, where there is stretching.
template <class T, int tile> struct DeparturePoints {
    alignas(64) T longitude[tile], latitude[tile], eta[tile], p[tile], q[tile], cosine[tile],
        map[tile];
};

/// Tables: the grid with its interleaved fields, and how numbers are held together (Lanes).
template <class Tables> struct Gathering : Tables {
    using Tables::Tables;
    using T = typename Tables::Lanes::Number;
    using Tables::tile, Tables::fields, Tables::beyond, Tables::levels, Tables::ny, Tables::full,
        Tables::blocks, Tables::rows, Tables::next_row, Tables::at, Tables::latitude,
        Tables::row_above, Tables::vertical, Tables::level_of, Tables::per_level_step,
        Tables::eta_top, Tables::rows_per_radian, Tables::row_at_equator;
    using typename Tables::Item, typename Tables::Row;
    using Lanes = typename Tables::Lanes;
    using Four = typename Lanes::Four;
    using Real = typename Lanes::Real;
    /// Numbers of a register: 2 points in fp64, 4 in fp32.
    static constexpr int width = Real::width;
    using Points = DeparturePoints<T, tile>;

    /// A thread of a device has one point.
    static constexpr int count_of(const Item& t) {
        if constexpr (tile == 1)
            return 1;
        else
            return t.count;
    }
    struct Places {
        alignas(64) T x[tile];
        int i[tile], j[tile];
    };
    /// Rows and, on a full grid, columns: of the point below and west, the fraction x of a spacing.
    constexpr void place(const Item& t, const Points& at, Places& to) const {
        for (int n = 0; n < count_of(t); ++n) {
            const T row = std::floor(at.latitude[n] * rows_per_radian + row_at_equator);
            const int j = std::clamp(int(row), -1, ny - 1);
            to.j[n] = j + (at.latitude[n] >= row_above[j + 1]);
        }
        if (!full) return;
        const int count = rows[0].points, i0 = blocks[t.block].i0 + t.column;
        const T per_radian = rows[0].per_radian;
        for (int n = 0; n < count_of(t); ++n) {
            const T x = at.longitude[n] * per_radian, whole = std::floor(x);
            to.x[n] = x - whole;
            int i = int(whole) + i0 + n;
            i = i < 0 ? i + count : i >= count ? i - count : i;
            to.i[n] = std::clamp(i, 0, count - 1);
        }
    }
    /// The stencils of a tile, a rectangle around its departure points: need(row, first, count).
    template <class Need>
    constexpr void stencils(const Item& t, const Points& at, const Places& to,
                            const Need& need) const {
        const T spacing = 1 / rows[blocks[t.block].j0 + t.row + beyond].per_radian;
        T west = at.longitude[0], east = west;
        int south = to.j[0], north = south;
        for (int n = 1; n < count_of(t); ++n) {
            const T x = at.longitude[n] + T(n) * spacing;
            west = std::min(west, x), east = std::max(east, x);
            south = std::min(south, to.j[n]), north = std::max(north, to.j[n]);
        }
        const T begin = T(blocks[t.block].i0 + t.column) * spacing;
        for (int j = south - 1; j <= north + 2; ++j) {
            const Row& r = rows[j + beyond];
            const int first = int(std::floor((begin + west) * r.per_radian)) - 2,
                      last = int(std::floor((begin + east) * r.per_radian)) + 3,
                      across = row_across(j, ny);
            need(across, first + (j == across ? 0 : r.points / 2), last - first + 1);
        }
    }
    constexpr int level(T e) const {
        if (levels < 3) return 0;
        int k =
            level_of[std::clamp(int((e - eta_top) * per_level_step), 0, int(level_of.size()) - 1)];
        return k + (k + 2 < levels && e > vertical[k].end);
    }

    static constexpr int registers = 4 * fields / width;  // of four neighbouring points
    static constexpr int together = width / fields;       // points of a register
    /// Where the register with the two middle points begins.
    static constexpr int middle = together == 2 ? fields : 0;
    /// between: linear weights of the four points.
    struct Stencil {
        const T* at;
        Real cubic[registers], linear;
        Four between;
    };
    template <class F> static constexpr void for_two(F f) {
        f(std::integral_constant<int, 0>()), f(std::integral_constant<int, 1>());
    }
    template <class F> static constexpr void for_four(F f) {
        for_two(f), f(std::integral_constant<int, 2>()), f(std::integral_constant<int, 3>());
    }

    /// Where four neighbouring points of row j begin on the level above, and their weights.
    template <bool full_>
    constexpr void stencil(const Item& t, const Points& points, const Places& places, int n, int j,
                           int k, Stencil& s) const {
        const Row& r = rows[j + beyond];
        int i;
        T x;
        if constexpr (full_)
            i = places.i[n], x = places.x[n];
        else {
            const Row& own = rows[blocks[t.block].j0 + t.row + beyond];
            const T place = T(double(blocks[t.block].i0 + t.column + n) * r.points / own.points) +
                            points.longitude[n] * r.per_radian,
                    whole = std::floor(place);
            x = place - whole;
            i = int(whole);
            i = i < 0 ? i + r.points : i >= r.points ? i - r.points : i;
            i = std::clamp(i, 0, r.points - 1);
        }
        s.at = at(r, k - 1, i - 1);
        const Nodes<T, Four> even{{-1, 0, 1, 2}, {T(-1. / 6), T(0.5), T(-0.5), T(1. / 6)}};
        const Four w = even.weights(x);
        s.cubic[0] = Lanes::template spread<0>(w);
        if constexpr (registers == 2) s.cubic[1] = Lanes::template spread<2>(w);
        s.between = Four{T(0), 1 - x, x, T(0)};
        s.linear = Lanes::template spread<middle / fields>(s.between);
    }

    template <bool full_>
    constexpr void gather_linear(const Item& t, const Points& points, const Places& places,
                                 T* out) const {
        for (int n = 0; n < count_of(t); ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const T y = latitude[j + 1].linear(points.latitude[n]),
                    z = vertical[k].linear(points.eta[n]);
            const T wy[2] = {1 - y, y};
            Real total(T(0));
            Stencil s;
            for_two([&](auto b) {
                if (!full_ || b == 0) stencil<full_>(t, points, places, n, j + b, k, s);
                const std::ptrdiff_t level = rows[j + b + beyond].level;
                const T* row = (full_ ? s.at + b * next_row : s.at) + middle;
                const Real value =
                    fma(Real(1 - z), Real::load(row + level), z * Real::load(row + 2 * level));
                total = fma(full_ ? Real(wy[int(b)]) : wy[int(b)] * s.linear, value, total);
            });
            if (full_) total *= s.linear;
            Lanes::add_points(total, out + n * fields);
        }
    }

    // long: the sums of a point stay in registers through its four rows
    template <bool full_, bool monotone>
    constexpr void gather_cubic(const Item& t, const Points& points, const Places& places,
                                T* out) const {
        for (int n = 0; n < count_of(t); ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T, Four>& rows_of = latitude[j + 1];
            const Interval<T, Four>& levels_of = vertical[k];
            const T y = rows_of.linear(points.latitude[n]), z = levels_of.linear(points.eta[n]);
            const Four ly{T(0), 1 - y, y, T(0)}, lz{T(0), 1 - z, z, T(0)};
            const Four wy = rows_of.weights(points.latitude[n]), dy = wy - ly,
                       dz = levels_of.bend(z);
            Real cubic[registers], linear(T(0)), most, least;
            Stencil s;
            for (int m = 0; m < registers; ++m) cubic[m] = Real(T(0));
            for_four([&](auto b) {
                if (!full_ || b == 0) stencil<full_>(t, points, places, n, j - 1 + b, k, s);
                const std::ptrdiff_t level = rows[j - 1 + b + beyond].level;
                const T *row = full_ ? s.at + b * next_row : s.at, *mid = row + middle;
                constexpr bool inner = b == 1 || b == 2;
                if constexpr (inner || !full_)
                    for (int m = 0; m < registers; ++m) {
                        const Real along = fma(Real(lz[1]), Real::load(row + level + m * width),
                                               lz[2] * Real::load(row + 2 * level + m * width));
                        cubic[m] = fma(full_ ? Real(ly[int(b)]) : wy[int(b)] * s.cubic[m], along,
                                       cubic[m]);
                    }
                if constexpr (inner) {
                    const Four w = full_ ? ly[int(b)] * dz + dy[int(b)] * lz : ly[int(b)] * dz;
                    const Real value =
                        fma(Real(w[0]), Real::load(mid), w[3] * Real::load(mid + 3 * level)) +
                        fma(Real(w[1]), Real::load(mid + level),
                            w[2] * Real::load(mid + 2 * level));
                    linear = full_ ? linear + value : fma(s.linear, value, linear);
                    if constexpr (monotone)
                        extremes(row + level, row + 2 * level, b == 1, most, least);
                } else if constexpr (full_)
                    linear += dy[int(b)] * fma(Real(lz[1]), Real::load(mid + level),
                                               lz[2] * Real::load(mid + 2 * level));
            });
            Real total = full_ ? linear * s.linear : linear;
            for (int m = 0; m < registers; ++m)
                total = full_ ? fma(cubic[m], s.cubic[m], total) : total + cubic[m];
            Lanes::add_points(total, out + n * fields);
            if constexpr (monotone) limit(most, least, out + n * fields);
        }
    }
    /// Fields of a point, between the extremes of all points of a register.
    static constexpr void limit(const Real& most, const Real& least, T* out) {
        for (int f = 0; f < fields; ++f) {
            T high = lane(most, f), low = lane(least, f);
            if (together > 1) {
                high = std::max(high, lane(most, f + fields));
                low = std::min(low, lane(least, f + fields));
            }
            out[f] = std::clamp(out[f], low, high);
        }
    }
    /// Of the two middle points of four, in the first lanes.
    static constexpr void extremes(const T* up, const T* down, bool first, Real& most,
                                   Real& least) {
        // from the second point on
        const Real a = Real::load(up + fields), b = Real::load(down + fields);
        most = first ? larger(a, b) : larger(most, larger(a, b));
        least = first ? smaller(a, b) : smaller(least, smaller(a, b));
    }

    /// One field alone, packed by levels: a register holds neighbouring points and the four levels,
    /// so only four rows are read.
    ///   full grid: sum_b [ l_b (c_x l_z + l_x d_z) + d_b l_x l_z ] f_b of the rows b
    /// with l linear weights, c cubic ones, d = c - l.
    // long: the sums of a point stay in registers through its four rows
    template <bool full_, bool monotone>
    constexpr void gather_levels(const Item& t, const Points& points, const Places& places,
                                 T* out) const {
        for (int n = 0; n < count_of(t); ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T, Four>& rows_of = latitude[j + 1];
            const Interval<T, Four>& levels_of = vertical[k];
            const T y = rows_of.linear(points.latitude[n]), z = levels_of.linear(points.eta[n]);
            const Four ly{T(0), 1 - y, y, T(0)}, lz{T(0), 1 - z, z, T(0)};
            const Four wy = rows_of.weights(points.latitude[n]), dy = wy - ly;
            const Real along = Lanes::repeat(lz), bend = Lanes::repeat(levels_of.bend(z));
            Real total(T(0)), inner[registers], all[registers], most[registers], least[registers];
            Stencil s{};
            auto weigh = [&](auto add) {
                add(0, s.cubic[0], Lanes::template spread<0>(s.between));
                if constexpr (registers == 2)
                    add(1, s.cubic[1], Lanes::template spread<2>(s.between));
            };
            for_four([&](auto b) {
                if (!full_ || b == 0) stencil<full_>(t, points, places, n, j - 1 + b, k, s);
                const T* row =
                    (full_ ? s.at + b * next_row : s.at) + rows[j - 1 + b + beyond].level;
                constexpr bool middle_row = b == 1 || b == 2;
                Real value[registers];
                for (int m = 0; m < registers; ++m) {
                    value[m] = Real::load(row + m * width);
                    if constexpr (full_)
                        all[m] = b == 0 ? dy[int(b)] * value[m]
                                        : fma(Real(dy[int(b)]), value[m], all[m]);
                    if constexpr (full_ && middle_row)
                        inner[m] = b == 1 ? ly[int(b)] * value[m]
                                          : fma(Real(ly[int(b)]), value[m], inner[m]);
                    if constexpr (monotone && middle_row)
                        most[m] = b == 1 ? value[m] : larger(most[m], value[m]),
                        least[m] = b == 1 ? value[m] : smaller(least[m], value[m]);
                }
                if constexpr (!full_)
                    weigh([&](int m, const Real& cubic, const Real& linear) {
                        Real w = wy[int(b)] * (cubic * along);
                        if constexpr (middle_row) w = fma(ly[int(b)] * linear, bend, w);
                        total = fma(w, value[m], total);
                    });
            });
            if constexpr (full_)
                weigh([&](int m, const Real& cubic, const Real& linear) {
                    total = fma(fma(cubic, along, linear * bend), inner[m], total);
                    total = fma(linear * along, all[m], total);
                });
            Four four;
            Lanes::add_points(total, (T*)&four);
            T value = (four[0] + four[1]) + (four[2] + four[3]);
            if constexpr (monotone) value = limited(value, most, least);
            out[n * fields] = value;
        }
    }
    /// Between the extremes of the points 1 and 2, the levels 1 and 2.
    static constexpr T limited(T value, const Real* most, const Real* least) {
        constexpr int one = fields, two = registers == 2 ? 0 : 2 * fields, last = registers - 1;
        const T high = std::max(std::max(lane(most[0], one + 1), lane(most[0], one + 2)),
                                std::max(lane(most[last], two + 1), lane(most[last], two + 2)));
        const T low = std::min(std::min(lane(least[0], one + 1), lane(least[0], one + 2)),
                               std::min(lane(least[last], two + 1), lane(least[last], two + 2)));
        return std::clamp(value, low, high);
    }
};

}  // namespace fathom
