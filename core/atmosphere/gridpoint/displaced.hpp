/// Displacements at the places of the grid-point atmosphere, and the departures that they make, of
/// neighbouring points of a processor or of one point of a device.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include "semi_lagrangian/stencils/stencils.hpp"

namespace fathom::atmosphere {

/// Displacements that a point uses: those at the point (interfaces), else those around it.
enum class Around { interface, layer, east_face, north_face };

/// A field from a point on: how far the next row and the level below are.
template <class Number> struct FieldFrom {
    Number* at;
    std::ptrdiff_t row, level;
};

/// Weights of the points -1, 0, 1, 2 for the place in the middle of 0 and 1.
template <class T> struct MiddleWeights {
    T before, first, second, after;
};

/// These weights along an axis of so many points: of four points, of three where the first or the
/// last is beyond an edge. On a plane (spacing 0) they are exact for cubics and for quadratics.
/// Between points of a circle, `spacing` apart [rad], they are exact for 1, the cosine and the sine
/// of the angle: so each solid rotation of a sphere has its exact displacements.
template <class T> class Middles {
public:
    Middles() = default;
    Middles(int points, bool closed, double spacing = 0) : points(points), closed(closed) {
        const double h = spacing;
        if (h == 0) return;
        const double quarter = std::sin(h / 4), half = std::sin(h / 2), whole = std::sin(h),
                     most = std::sin(3 * h / 4);
        side = T(quarter * most / (half * whole));
        middle = T(quarter * most / (half * half));
        far = T(-quarter * quarter / (half * whole));
    }
    constexpr bool same_everywhere() const { return !closed; }
    constexpr MiddleWeights<T> at(int point) const {
        const T outer = far / 2, inner = T(0.5) - outer;
        if (closed && point == 0 && points > 2) return {0, side, middle, far};
        if (closed && point == points - 2 && points > 2) return {far, middle, side, 0};
        if (closed && (point < 0 || point > points - 3)) return {0, T(0.5), T(0.5), 0};
        return {outer, inner, inner, outer};
    }

private:
    int points = 0;
    bool closed = false;
    T side = 3 / T(8), middle = 6 / T(8), far = -1 / T(8);
};

/// Along rows, and across them.
template <class T> struct MiddlesAround {
    Middles<T> along, across;
};

/// Displacements at a place: means of the interfaces above and below it; along a row or across rows
/// interpolated to the middle of four points.
template <class T, class By> struct Displaced {
    static constexpr int most = By::most;
    alignas(64) T by[most];

    constexpr Displaced(const FieldFrom<const T>& f, const Line& l, Around where,
                        const MiddlesAround<T>& middles) {
        const T *x = f.at, *below = x + f.level;
        const int count = count_of<By>(l.count);
        switch (where) {
            case Around::interface:
                for (int n = 0; n < count; ++n) by[n] = x[n];
                break;
            case Around::layer:
                for (int n = 0; n < count; ++n) by[n] = T(0.5) * (x[n] + below[n]);
                break;
            case Around::east_face: along(x, below, l, middles.along); break;
            case Around::north_face: across(x, below, f.row, l, middles.across);
        }
    }

private:
    /// On eastern faces, from those of layers.
    constexpr void along(const T* x, const T* below, const Line& l, const Middles<T>& middles) {
        const int count = count_of<By>(l.count);
        alignas(64) T layer[most + 3];  // from the point before on
        for (int n = 0; n < count + 3; ++n) layer[n] = T(0.5) * (x[n - 1] + below[n - 1]);
        const auto middle = [&](int n, const MiddleWeights<T>& w) {
            T sum = w.first * layer[n + 1] + w.second * layer[n + 2];
            if (w.before != 0) sum += w.before * layer[n];
            if (w.after != 0) sum += w.after * layer[n + 3];
            return sum;
        };
        const auto everywhere = middles.at(0);
        if (middles.same_everywhere())
            for (int n = 0; n < count; ++n) by[n] = middle(n, everywhere);
        else
            for (int n = 0; n < count; ++n) by[n] = middle(n, middles.at(l.i0 + n));
    }
    /// On northern faces; a row beyond an edge is not read.
    constexpr void across(const T* x, const T* below, std::ptrdiff_t row, const Line& l,
                          const Middles<T>& middles) {
        const int count = count_of<By>(l.count);
        const auto w = middles.at(l.j);
        const std::ptrdiff_t before = w.before == 0 ? 0 : -row,
                             after = (w.after == 0 ? 1 : 2) * row;
        const T weights[] = {w.before / 2, w.first / 2, w.second / 2, w.after / 2};
        for (int n = 0; n < count; ++n)
            by[n] = weights[0] * (x[n + before] + below[n + before]) +
                    weights[1] * (x[n] + below[n]) + weights[2] * (x[n + row] + below[n + row]) +
                    weights[3] * (x[n + after] + below[n + after]);
    }
};

/// Where points of a plane come from: displaced along x, y and the height of levels.
template <class T, class By> struct PlaneDepartures {
    T per_x, per_y;  ///< columns and rows of a metre
    MiddlesAround<T> middles;
    static constexpr int components = 3;

    constexpr void depart(const Line& l, T height, const T* x, const T* y, const T* eta,
                          Departures<T, By>& to) const {
        for (int n = 0; n < count_of<By>(l.count); ++n) {
            to.columns[n] = -(x[n] * per_x);
            to.row[n] = T(l.j) - y[n] * per_y;
            to.eta[n] = height - eta[n];
        }
    }
    constexpr void depart(const Line& l, Around where, T height,
                          const FieldFrom<const T>* displacement, Departures<T, By>& to) const {
        const Displaced<T, By> x(displacement[0], l, where, middles),
            y(displacement[1], l, where, middles), eta(displacement[2], l, where, middles);
        depart(l, height, x.by, y.by, eta.by, to);
    }
};

}  // namespace fathom::atmosphere
