/// Stencils of departure points on rows of even spacing and levels of height, tile by tile: where
/// they begin, and their weights, by registers of neighbouring points.
#pragma once
#include <algorithm>
#include <limits>
#include "base/error.hpp"
#include "semi_lagrangian/stencils/line.hpp"

namespace fathom {

/// Departure points of some neighbouring points, in their places: so many columns from point i, the
/// next from the next; rows, as numbers; heights, seen from level k.
template <class T, class By = LinesHere> struct Departures {
    static constexpr int most = By::most;
    int i, k, count;
    alignas(64) T columns[most], row[most], eta[most];
    constexpr Departures(int i, int k, int count) : i(i), k(k), count(count) {}
};

/// Where the stencils of departure points begin, and their weights, the same for all fields that
/// lie in the same place. column, row, level: of the point to the south-west, above.
template <class T, class By = LinesHere> struct Stencils {
    static constexpr int most = By::most;
    int column[most], row[most], level[most], first[most];
    alignas(64) T x[most], along_y[4][most], along_z[4][most];
};

/// The same of linear interpolation: x, y, z are the weights of the point beyond.
template <class T, class By = LinesHere> struct LinearStencils {
    static constexpr int most = By::most;
    int column[most], row[most], level[most];
    alignas(64) T x[most], y[most], z[most];
};

/// Between the first two levels and between the last two, where all four levels are on one side:
/// cubic, and what lies beyond them is at the level itself; or, with h, d the interval's length and
/// difference, z from the outer level to the inner one and s the slope of the cubic beyond that,
///   f = f_outer + z d + z^2 (1 - z) (d - h s),
/// and linear up to half a layer beyond the outer level (why: sphere/departure.hpp). Air that rises
/// and air that sinks find the same slope at the inner level, and the mean neither warms nor cools.
enum class LevelEnds { cubic, linear };

/// Level k and the next one: the first of the four levels around, the factors of their weights.
template <class T> struct LevelInterval {
    int first;
    T node[4], inverse[4], bend[4], per_interval;
    bool end;
};

/// Levels of a field, and the weights of the four around a height.
template <class T, class By = LinesHere> struct LevelNodes {
    using Interval = LevelInterval<T>;
    typename By::template List<T> at;
    typename By::template List<Interval> below;  ///< of each level but the last
    T highest = 0, lowest = 0;

    LevelNodes() = default;
    explicit LevelNodes(const std::vector<double>& heights, LevelEnds ends = LevelEnds::cubic)
        : at(heights.begin(), heights.end()) {
        const int levels = int(at.size());
        if (levels < 4) throw Error("cubic interpolation needs 4 levels, given ", levels);
        for (int k = 0; k + 1 < levels; ++k) {
            const int first = std::clamp(k - 1, 0, levels - 4);
            const double *nodes = &heights[first], h = heights[k + 1] - heights[k];
            Interval b{first, {}, {}, {}, T(1 / h), ends == LevelEnds::linear && k != first + 1};
            double inverse[4];
            for (int m = 0; m < 4; ++m) {
                double product = 1;
                for (int l = 0; l < 4; ++l)
                    if (l != m) product *= nodes[m] - nodes[l];
                inverse[m] = 1 / product;
                b.node[m] = T(nodes[m]), b.inverse[m] = T(inverse[m]);
            }
            if (b.end) bend(nodes, inverse, k - first, b.bend);
            below.push_back(b);
        }
        const double beyond = ends == LevelEnds::linear ? 0.5 : 0, *last = &heights[levels - 1];
        highest = T(heights[0] + beyond * (heights[0] - heights[1]));
        lowest = T(last[0] + beyond * (last[0] - last[-1]));
    }
    /// The same with its lists elsewhere: send(list).
    template <class Send> LevelNodes<T, LinesThere> sent(const Send& send) const {
        LevelNodes<T, LinesThere> to;
        to.at = send(at), to.below = send(below), to.highest = highest, to.lowest = lowest;
        return to;
    }
    constexpr int levels() const { return int(at.size()); }
    constexpr T height(int k) const { return at[k]; }

    /// Of `count` heights, seen from a level: the level above each, but never the last one; the
    /// first of the four levels around it, and their weights, of sum 1: at a level itself exactly
    /// that level. Few levels are between: each gives weights to all heights that lie below it.
    void locate(const T* eta, int count, int seen_from, Stencils<T>& to) const {
        each_level(eta, count, seen_from,
                   [&](int k, T from) { locate_below(k, from, eta, count, to); });
    }
    /// The same of one height.
    constexpr void locate(const T* eta, int, int seen_from, Stencils<T, LinesThere>& to) const {
        const int k = level_above(*eta, seen_from);
        to.level[0] = k, to.first[0] = below[k].first;
        weigh(k, [&](auto weights) {
            Real w[4];
            weights(within(Real(*eta)), w);
            for (int m = 0; m < 4; ++m) w[m].store(to.along_z[m]);
        });
    }
    void locate(const T* eta, int count, int seen_from, LinearStencils<T>& to) const {
        each_level(eta, count, seen_from, [&](int k, T from) {
            for (int n = 0; n < count; ++n)
                if (!(eta[n] > from)) to.level[n] = k;
            for (int n = 0; n < count; n += Real::width) {
                const Real e = Real::load(eta + n);
                select(e > Real(from), Real::load(to.z + n), linear(k, e)).store(to.z + n);
            }
        });
    }
    constexpr void locate(const T* eta, int, int seen_from,
                          LinearStencils<T, LinesThere>& to) const {
        const int k = level_above(*eta, seen_from);
        to.level[0] = k;
        linear(k, Real(*eta)).store(to.z);
    }

    /// Vertical stencil of one height: the level above, the first of four levels, their four
    /// weights and their derivatives, and the weight of the second of the two levels around.
    struct Around {
        int level, first;
        T weight[4], slope[4], linear, per_interval;
    };
    Around around(T height) const {
        const T z = std::clamp(height, lowest, highest);
        int k = 0;
        while (k + 2 < levels() && height <= at[k + 1]) ++k;
        const Interval& b = below[k];
        const bool free = z == height;
        Around a{k, b.first, {}, {}, (z - at[k]) * b.per_interval, free ? b.per_interval : T(0)};
        const int own = k - b.first;
        if (b.end) {
            const T inner = own ? 1 - a.linear : a.linear, t = std::clamp(inner, T(0), T(1)),
                    share = t * t * (1 - t), steep = (own ? -1 : 1) * t * (2 - 3 * t);
            for (int m = 0; m < 4; ++m)
                a.weight[m] = share * b.bend[m], a.slope[m] = steep * b.bend[m] * a.per_interval;
            a.weight[own] += 1 - a.linear, a.weight[own + 1] += a.linear;
            a.slope[own] -= a.per_interval, a.slope[own + 1] += a.per_interval;
            return a;
        }
        T d[4], sum = 0, slope = 0;
        for (int m = 0; m < 4; ++m) d[m] = z - b.node[m];
        for (int m = 0; m < 4; ++m) {
            if (m == own) continue;
            const T p = d[(m + 1) % 4], q = d[(m + 2) % 4], r = d[(m + 3) % 4];
            a.weight[m] = b.inverse[m] * p * q * r;
            a.slope[m] = free ? b.inverse[m] * (p * q + p * r + q * r) : T(0);
            sum += a.weight[m], slope += a.slope[m];
        }
        a.weight[own] = 1 - sum, a.slope[own] = -slope;
        return a;
    }

private:
    using Real = typename By::template Real<T>;

    /// Weights of d - h s in an end interval; inverse: of Lagrange's weights of the four nodes.
    static void bend(const double* nodes, const double* inverse, int own, T* to) {
        const int inner = own ? own : 1, outer = own ? own + 1 : 0;
        const double h = nodes[inner] - nodes[outer];
        for (int m = 0; m < 4; ++m) {
            double slope = 0;  // at the inner level, of the weight of node m
            for (int l = 0; l < 4; ++l) {
                if (l == m) continue;
                double product = inverse[m];
                for (int n = 0; n < 4; ++n)
                    if (n != m && n != l) product *= nodes[inner] - nodes[n];
                slope += product;
            }
            to[m] = T((m == inner) - (m == outer) - h * slope);
        }
    }
    constexpr int level_above(T height, int seen_from) const {
        int k = std::min(seen_from, levels() - 2);
        while (k > 0 && height > at[k]) --k;
        while (k < levels() - 2 && height <= at[k + 1]) ++k;
        return k;
    }
    /// The weight of the level below level k.
    constexpr Real linear(int k, Real height) const {
        return (within(height) - Real(at[k])) * Real(below[k].per_interval);
    }
    constexpr Real within(Real height) const {
        return smaller(larger(height, Real(lowest)), Real(highest));
    }
    /// Of some heights, seen from a level: found(k, upper end of those that lie below level k).
    template <class Found>
    void each_level(const T* eta, int count, int seen_from, Found found) const {
        const int last = levels() - 2;
        int top = std::min(seen_from, last), bottom = top;
        while (top > 0 && any(eta, count, [&, h = at[top]](T e) { return e > h; })) --top;
        while (bottom < last && any(eta, count, [&, h = at[bottom + 1]](T e) { return e <= h; }))
            ++bottom;
        for (int k = top; k <= bottom; ++k)
            found(k, k == top ? std::numeric_limits<T>::infinity() : at[k]);
    }
    template <class Test> static bool any(const T* eta, int count, Test test) {
        int found = 0;
        for (int n = 0; n < count; ++n) found |= test(eta[n]);
        return found;
    }
    /// Heights not above `from`, which lie below level k.
    void locate_below(int k, T from, const T* eta, int count, Stencils<T>& to) const {
        const int first = below[k].first;
        for (int n = 0; n < count; ++n)
            if (!(eta[n] > from)) to.level[n] = k, to.first[n] = first;
        weigh(k, [=, this, &to](auto weights) {
            for (int n = 0; n < count; n += Real::width) {
                const Real e = Real::load(eta + n);
                Real w[4];
                weights(within(e), w);
                for (int m = 0; m < 4; ++m) {
                    T* const here = to.along_z[m] + n;
                    select(e > Real(from), Real::load(here), w[m]).store(here);
                }
            }
        });
    }
    /// use(weights): weights(z, w) of the heights z that lie below level k.
    template <class Use> constexpr void weigh(int k, const Use& use) const {
        const Interval b = below[k];
        switch (k - b.first) {
            case 0: b.end ? use(in_end<0>(b)) : use(inside<0>(b)); break;
            case 1: use(inside<1>(b)); break;
            default: b.end ? use(in_end<2>(b)) : use(inside<2>(b));
        }
    }
    /// Below the level that is `own` of the four, in the first interval or the last.
    template <int own> static constexpr auto in_end(const Interval& b) {
        return [b](Real height, Real* w) {
            constexpr int other = own ? 1 : 2;
            const Real z = (height - b.node[own]) * b.per_interval, inner = own ? 1.0 - z : z,
                       t = smaller(larger(inner, Real(T(0))), Real(T(1))),
                       share = t * t * (1.0 - t);
            for (int m = 0; m < 4; ++m) w[m] = share * b.bend[m];
            w[own + 1] = w[own + 1] + z;
            w[own] = 1.0 - ((w[own + 1] + w[other]) + w[own ? 0 : 3]);
        };
    }
    /// The same between others.
    template <int own> static constexpr auto inside(const Interval& b) {
        return [b](Real z, Real* w) {
            const Real d[4] = {z - b.node[0], z - b.node[1], z - b.node[2], z - b.node[3]},
                       upper = d[0] * d[1], lower = d[2] * d[3];
            w[0] = d[1] * lower * b.inverse[0], w[1] = d[0] * lower * b.inverse[1];
            w[2] = upper * d[3] * b.inverse[2], w[3] = upper * d[2] * b.inverse[3];
            constexpr int m = own == 0 ? 1 : 0, l = own == 2 ? 1 : 2;
            w[own] = 1.0 - ((w[m] + w[l]) + w[3]);
        };
    }
};

}  // namespace fathom
