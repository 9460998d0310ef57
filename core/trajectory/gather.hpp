/// Values at departure points, of interleaved fields: the interpolations of semi-Lagrangian
/// advection, point by point (the formulas: semi_lagrangian.hpp). A register holds neighbouring
/// points and four fields; its weights are spread over them.
#pragma once
#include <cmath>
#include "base/halves.hpp"
#include "trajectory/departure.hpp"
#include "trajectory/interleaved.hpp"
#include "trajectory/lagrange.hpp"
#include "trajectory/semi_lagrangian.hpp"

namespace fathom {

template <class T> struct Gather : InterleavedRows<T> {
    using Rows = InterleavedRows<T>;
    using Rows::tile, Rows::fields, Rows::beyond, Rows::levels, Rows::ny, Rows::full, Rows::blocks,
        Rows::rows, Rows::next_row, Rows::at, Rows::around, Rows::row_across;
    using typename Rows::Item, typename Rows::Row;
    using Real = Wide<T, cell_width<T>>;
    using Points = typename Departure<T>::Points;
    /// Numbers of a register: 2 points in fp64, 4 in fp32.
    static constexpr int width = Real::width;
    static_assert(tile == Departure<T>::tile);
    std::vector<Nodes<T>> latitude;     // of the interval above j - 1, stored at j + 1
    std::vector<T> row_above;           // latitude of row j + 1, stored at j + 1
    std::vector<Interval<T>> vertical;  // of that below level k
    std::vector<int> level_of;          // of even steps of eta
    T per_level_step, eta_top;
    T rows_per_radian, row_at_equator;  // rows as if evenly spaced, never too far north

    Gather(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
           const std::vector<double>& eta)
        : Rows(comm, d, halo, grid, int(eta.size())) {
        make_latitude(grid);
        make_vertical(eta);
    }

    /// Latitudes of rows; they continue beyond the poles.
    void make_latitude(const GaussianGrid& grid) {
        constexpr double pi = std::numbers::pi;
        std::vector<double> phi(ny + 2 * beyond);
        for (int j = 0; j < ny; ++j) phi[j + beyond] = std::asin(grid.sine[j]);
        for (int j = 0; j < beyond; ++j) {
            phi[beyond - 1 - j] = -pi - phi[beyond + j];
            phi[beyond + ny + j] = pi - phi[beyond + ny - 1 - j];
        }
        const double per_radian = (ny + 0.5) / pi, even = (ny + 0.5) / 2 - 0.75;
        double too_far = 0;
        for (int j = -1; j < ny; ++j) {
            latitude.push_back(Nodes<T>::cubic(&phi[j + beyond - 1]));
            row_above.push_back(T(phi[j + beyond + 1]));
            too_far = std::max(too_far, phi[j + beyond + 1] * per_radian + even - (j + 1));
        }
        constexpr double rounding = 1e-3;
        rows_per_radian = T(per_radian), row_at_equator = T(even - too_far - rounding);
    }

    void make_vertical(const std::vector<double>& eta) {
        if (levels == 1) vertical.push_back(Interval<T>::below({eta[0], eta[0] + 1}, 0));
        double thinnest = 1e300;
        for (int k = 0; k + 1 < levels; ++k) {
            vertical.push_back(Interval<T>::below(eta, k));
            thinnest = std::min(thinnest, eta[k + 1] - eta[k]);
        }
        if (!(thinnest > 0)) throw Error("eta of the layers must grow downward");
        const double depth = levels > 1 ? eta.back() - eta[0] : 1,
                     steps = std::min(1e5, std::ceil(2 * depth / thinnest));
        per_level_step = T(levels > 1 ? steps / depth : 0);
        eta_top = T(eta[0]);
        for (int s = 0, k = 0; s <= int(steps); ++s) {
            while (k + 2 < levels && eta[k + 1] - eta[0] <= s * depth / steps) ++k;
            level_of.push_back(k);
        }
    }

    struct Places {
        alignas(64) T x[tile];
        int i[tile], j[tile];
    };
    /// Rows and, on a full grid, columns: of the point below and west, the fraction x of a spacing.
    void place(const Item& t, const Points& at, Places& to) const {
        for (int n = 0; n < t.count; ++n) {
            const T row = std::floor(at.latitude[n] * rows_per_radian + row_at_equator);
            const int j = std::clamp(int(row), -1, ny - 1);
            to.j[n] = j + (at.latitude[n] >= row_above[j + 1]);
        }
        if (!full) return;
        const int count = rows[0].points, i0 = blocks[t.block].i0 + t.column;
        const T per_radian = rows[0].per_radian;
        for (int n = 0; n < t.count; ++n) {
            const T x = at.longitude[n] * per_radian, whole = std::floor(x);
            to.x[n] = x - whole;
            int i = int(whole) + i0 + n;
            i = i < 0 ? i + count : i >= count ? i - count : i;
            to.i[n] = std::clamp(i, 0, count - 1);
        }
    }
    /// The stencils of a tile: a rectangle around its departure points.
    void need(const Item& t, const Points& at, const Places& to) {
        if (around.alone()) return;
        const T spacing = 1 / rows[blocks[t.block].j0 + t.row + beyond].per_radian;
        T west = at.longitude[0], east = west;
        int south = to.j[0], north = south;
        for (int n = 1; n < t.count; ++n) {
            const T x = at.longitude[n] + T(n) * spacing;
            west = std::min(west, x), east = std::max(east, x);
            south = std::min(south, to.j[n]), north = std::max(north, to.j[n]);
        }
        const T begin = T(blocks[t.block].i0 + t.column) * spacing;
        for (int j = south - 1; j <= north + 2; ++j) {
            const Row& r = rows[j + beyond];
            const int first = int(std::floor((begin + west) * r.per_radian)) - 2,
                      last = int(std::floor((begin + east) * r.per_radian)) + 3;
            around.need(row_across(j), first + (j == row_across(j) ? 0 : r.points / 2),
                        last - first + 1);
        }
    }
    int level(T e) const {
        if (levels < 3) return 0;
        int k =
            level_of[std::clamp(int((e - eta_top) * per_level_step), 0, int(level_of.size()) - 1)];
        return k + (k + 2 < levels && e > vertical[k].end);
    }

    using Four = typename Nodes<T>::Four;
    static constexpr int registers = 4 * fields / width;  // of four neighbouring points
    static constexpr int together = width / fields;       // points of a register
    /// Where the register with the two middle points begins.
    static constexpr int middle = together == 2 ? fields : 0;
    // By intrinsics: a general shuffle to a longer vector goes through memory, and waits.
    /// The weight of each point next to its fields: of the points `first`, first + 1, ...
    template <int first> static Real spread(Four w) {
#if defined(__AVX512F__)
        Real r;
        if constexpr (together == 2) {
            constexpr int next = first + 1;
            r.lanes = _mm512_maskz_permutexvar_pd(
                0xff, _mm512_setr_epi64(first, first, first, first, next, next, next, next),
                _mm512_castpd256_pd512(w));
        } else
            r.lanes = _mm512_maskz_permutexvar_ps(
                0xffff, _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                _mm512_castps128_ps512(w));
        return r;
#elif defined(__FMA__)
        if constexpr (together == 2)
            return {w[first], w[first + 1]};
        else {
            const auto two = [&](int n, int next) {
                Pack<T, 2 * fields> r;
                r.lanes =
                    _mm256_permutevar8x32_ps(_mm256_castps128_ps256(w),
                                             _mm256_setr_epi32(n, n, n, n, next, next, next, next));
                return r;
            };
            return {two(0, 1), two(2, 3)};
        }
#else
        Real r;
        if constexpr (together == 2)
            r.lanes = __builtin_shufflevector(w, w, first, first, first, first, first + 1,
                                              first + 1, first + 1, first + 1);
        else
            r.lanes = __builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        return r;
#endif
    }
    /// The weights of four levels, next to each other for each point.
    static Real repeat(Four w) {
#if defined(__AVX512F__)
        Real r;
        if constexpr (together == 2)
            r.lanes = _mm512_maskz_broadcast_f64x4(0xff, w);
        else
            r.lanes = _mm512_maskz_broadcast_f32x4(0xffff, w);
        return r;
#elif defined(__FMA__)
        Pack<T, Real::width / 2> r;
        if constexpr (together == 2)
            r.lanes = w;
        else
            r.lanes = _mm256_set_m128(w, w);
        return {r, r};
#else
        Real r;
        if constexpr (together == 2)
            r.lanes = __builtin_shufflevector(w, w, 0, 1, 2, 3, 0, 1, 2, 3);
        else
            r.lanes = __builtin_shufflevector(w, w, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
        return r;
#endif
    }
    /// between: linear weights of the four points.
    struct Stencil {
        const T* at;
        Real cubic[registers], linear;
        Four between;
    };
    template <class F> static void for_two(F f) {
        f(std::integral_constant<int, 0>()), f(std::integral_constant<int, 1>());
    }
    template <class F> static void for_four(F f) {
        for_two(f), f(std::integral_constant<int, 2>()), f(std::integral_constant<int, 3>());
    }

    /// Where four neighbouring points of row j begin on the level above, and their weights.
    template <bool full_>
    void stencil(const Item& t, const Points& points, const Places& places, int n, int j, int k,
                 Stencil& s) const {
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
        constexpr Nodes<T> even{{-1, 0, 1, 2}, {T(-1. / 6), T(0.5), T(-0.5), T(1. / 6)}};
        const Four w = even.weights(x);
        s.cubic[0] = spread<0>(w);
        if constexpr (registers == 2) s.cubic[1] = spread<2>(w);
        s.between = Four{T(0), 1 - x, x, T(0)};
        s.linear = spread<middle / fields>(s.between);
    }
    /// Of a register.
    static void add_points(const Real& sum, T* four) {
        struct Parts {
            Four part[together];
        };
        const auto parts = std::bit_cast<Parts>(sum);
        Four total = parts.part[0];
        for (int m = 1; m < together; ++m) total += parts.part[m];
        std::memcpy(four, &total, sizeof total);
    }

    /// Floating-point operations of a point: of the weights of cubic interpolation, or of one of
    /// the gathers below with given weights and so many fields.
    double operations(InterpolationPass pass, double count) const {
        switch (pass) {
            case InterpolationPass::weights:
                return full ? 3 * 16 + 8 + 24 + 10
                            : 2 * 16 + 4 * (16 + 3 + 16) + 8 + 8 +
                                  10;  // Lagrange, differences, products of two directions
            case InterpolationPass::linear: return 10 + count * (2 * 2 * 5 + 2 + 1);
            case InterpolationPass::cubic:
            case InterpolationPass::monotone:
                return count * (full ? 2 * 4 * 5 + 2 * 2 * 8 + 2 * 2 * 5 + 2 + 4 * 2 + 3
                                     : 4 * 4 * 5 + 2 * 2 * 9 + 3);
            case InterpolationPass::by_levels:
                return full ? 64 * 2 + 32 * 2 + 16 * 8 + 15 : 64 * 3 + 32 * 4 + 64 * 2 + 15;
            default: return 0;
        }
    }

    /// The weights alone, as gather_cubic makes them.
    template <bool full_>
    void gather_weights(const Item& t, const Points& points, const Places& places, T* out) const {
        for (int n = 0; n < t.count; ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T>& rows_of = latitude[j + 1];
            const Interval<T>& levels_of = vertical[k];
            const T y = rows_of.linear(points.latitude[n]), z = levels_of.linear(points.eta[n]);
            const Four ly{T(0), 1 - y, y, T(0)}, lz{T(0), 1 - z, z, T(0)};
            const Four dy = rows_of.weights(points.latitude[n]) - ly, dz = levels_of.bend(z);
            Stencil s;
            for_four([&](auto b) {
                if (full_ && b > 0) return;
                stencil<full_>(t, points, places, n, j - 1 + b, k, s);
                asm volatile("" : : "m"(s));  // the result is used
            });
            const Four one = ly[1] * dz + dy[1] * lz, two = ly[2] * dz + dy[2] * lz;
            const Four sum = one + two;
            std::memcpy(out + n * fields, &sum, sizeof sum);
        }
    }

    template <bool full_>
    void gather_linear(const Item& t, const Points& points, const Places& places, T* out) const {
        for (int n = 0; n < t.count; ++n) {
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
            add_points(total, out + n * fields);
        }
    }

    // long: the sums of a point stay in registers through its four rows
    template <bool full_, bool monotone>
    void gather_cubic(const Item& t, const Points& points, const Places& places, T* out) const {
        for (int n = 0; n < t.count; ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T>& rows_of = latitude[j + 1];
            const Interval<T>& levels_of = vertical[k];
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
            add_points(total, out + n * fields);
            if constexpr (monotone) limit(most, least, out + n * fields);
        }
    }
    /// Fields of a point, between the extremes of all points of a register.
    static void limit(const Real& most, const Real& least, T* out) {
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
    static void extremes(const T* up, const T* down, bool first, Real& most, Real& least) {
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
    void gather_levels(const Item& t, const Points& points, const Places& places, T* out) const {
        for (int n = 0; n < t.count; ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T>& rows_of = latitude[j + 1];
            const Interval<T>& levels_of = vertical[k];
            const T y = rows_of.linear(points.latitude[n]), z = levels_of.linear(points.eta[n]);
            const Four ly{T(0), 1 - y, y, T(0)}, lz{T(0), 1 - z, z, T(0)};
            const Four wy = rows_of.weights(points.latitude[n]), dy = wy - ly;
            const Real along = repeat(lz), bend = repeat(levels_of.bend(z));
            Real total(T(0)), inner[registers], all[registers], most[registers], least[registers];
            Stencil s;
            auto weigh = [&](auto add) {
                add(0, s.cubic[0], spread<0>(s.between));
                if constexpr (registers == 2) add(1, s.cubic[1], spread<2>(s.between));
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
            add_points(total, (T*)&four);
            T value = (four[0] + four[1]) + (four[2] + four[3]);
            if constexpr (monotone) value = limited(value, most, least);
            out[n * fields] = value;
        }
    }
    /// Between the extremes of the points 1 and 2, the levels 1 and 2.
    static T limited(T value, const Real* most, const Real* least) {
        constexpr int one = fields, two = registers == 2 ? 0 : 2 * fields, last = registers - 1;
        const T high = std::max(std::max(lane(most[0], one + 1), lane(most[0], one + 2)),
                                std::max(lane(most[last], two + 1), lane(most[last], two + 2)));
        const T low = std::min(std::min(lane(least[0], one + 1), lane(least[0], one + 2)),
                               std::min(lane(least[last], two + 1), lane(least[last], two + 2)));
        return std::clamp(value, low, high);
    }
};

}  // namespace fathom
