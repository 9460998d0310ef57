/// Displacements at the places of the grid-point atmosphere, and the departures that they make.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
#include "trajectory/lines.hpp"

namespace fathom::atmosphere {

/// Displacements that a point uses: those at the point (interfaces), else those around it.
enum class Around { interface, layer, east_face, north_face };

/// Weights of the points -1, 0, 1, 2 for the place in the middle of 0 and 1.
template <class T> struct MiddleWeights {
    T before, first, second, after;
};

/// These weights: of four points, of three where the first or the last is beyond an edge. On a
/// plane (spacing 0) they are exact for cubics and for quadratics. Between points of a circle,
/// `spacing` apart [rad], they are exact for 1, the cosine and the sine of the angle: so each solid
/// rotation of a sphere has its exact displacements.
template <class T> class Middles {
public:
    explicit Middles(double spacing = 0) {
        const double h = spacing;
        if (h == 0) return;
        const double quarter = std::sin(h / 4), half = std::sin(h / 2), whole = std::sin(h),
                     most = std::sin(3 * h / 4);
        side = T(quarter * most / (half * whole));
        middle = T(quarter * most / (half * half));
        far = T(-quarter * quarter / (half * whole));
    }
    MiddleWeights<T> at(int point, int points, bool closed) const {
        const T outer = far / 2, inner = T(0.5) - outer;
        if (closed && point == 0 && points > 2) return {0, side, middle, far};
        if (closed && point == points - 2 && points > 2) return {far, middle, side, 0};
        if (closed && (point < 0 || point > points - 3)) return {0, T(0.5), T(0.5), 0};
        return {outer, inner, inner, outer};
    }

private:
    T side = 3 / T(8), middle = 6 / T(8), far = -1 / T(8);
};

/// Along rows, and across them.
template <class T> struct MiddlesAround {
    Middles<T> along, across;
};

/// Displacements on eastern faces, from those of layers.
template <class T>
void displacement_along(const T* x, const T* below, const Line& l, const Topology& t,
                        const Middles<T>& middles, T* to) {
    constexpr int most = Departures<T>::most;
    alignas(64) T layer[most + 3];  // from the point before on
    for (int n = 0; n < l.count + 3; ++n) layer[n] = T(0.5) * (x[n - 1] + below[n - 1]);
    const auto middle = [&](int n, const MiddleWeights<T>& by) {
        T sum = by.first * layer[n + 1] + by.second * layer[n + 2];
        if (by.before != 0) sum += by.before * layer[n];
        if (by.after != 0) sum += by.after * layer[n + 3];
        return sum;
    };
    const auto everywhere = middles.at(0, t.nx, false);
    if (t.periodic)
        for (int n = 0; n < l.count; ++n) to[n] = middle(n, everywhere);
    else
        for (int n = 0; n < l.count; ++n) to[n] = middle(n, middles.at(l.i0 + n, t.nx, true));
}

/// The same on northern faces; a row beyond an edge is not read.
template <class T>
void displacement_across(const T* x, const T* below, std::ptrdiff_t row, const Line& l,
                         const Topology& t, const Middles<T>& middles, T* to) {
    const auto by = middles.at(l.j, t.ny, !t.periodic_j);
    const std::ptrdiff_t before = by.before == 0 ? 0 : -row, after = (by.after == 0 ? 1 : 2) * row;
    const T weights[] = {by.before / 2, by.first / 2, by.second / 2, by.after / 2};
    for (int n = 0; n < l.count; ++n)
        to[n] = weights[0] * (x[n + before] + below[n + before]) + weights[1] * (x[n] + below[n]) +
                weights[2] * (x[n + row] + below[n + row]) +
                weights[3] * (x[n + after] + below[n + after]);
}

/// Displacements at a place: means of the interfaces above and below it; along a row or across rows
/// interpolated to the middle of four points.
template <class T>
void displacement_around(const Domain& d, const FieldSlab& f, const Line& l, Around where,
                         const MiddlesAround<T>& middles, T* to) {
    const T *x = at<T>(d, f, l), *below = x + f.level[l.b];
    const auto& t = d.decomposition.topology;
    switch (where) {
        case Around::interface: std::copy_n(x, l.count, to); break;
        case Around::layer:
            for (int n = 0; n < l.count; ++n) to[n] = T(0.5) * (x[n] + below[n]);
            break;
        case Around::east_face: displacement_along(x, below, l, t, middles.along, to); break;
        case Around::north_face:
            displacement_across(x, below, f.row[l.b], l, t, middles.across, to);
    }
}

/// Where points of a plane come from: displaced along x, y and the height of levels.
template <class T>
void depart(Departures<T>& to, const Line& l, T height, const T* x, const T* y, const T* eta,
            T per_x, T per_y) {
    for (int n = 0; n < l.count; ++n) {
        to.columns[n] = -(x[n] * per_x);
        to.row[n] = T(l.j) - y[n] * per_y;
        to.eta[n] = height - eta[n];
    }
}

/// How the rows of a plane continue; a slice is one row wide. closed: for v, at walls.
inline Edge edge_of_plane(const Domain& d, bool closed) {
    const auto& t = d.decomposition.topology;
    return t.ny == 1 || t.periodic_j ? Edge::periodic : closed ? Edge::closed : Edge::mirrored;
}

inline std::vector<double> middles(const std::vector<double>& interfaces) {
    std::vector<double> m;
    for (std::size_t k = 0; k + 1 < interfaces.size(); ++k)
        m.push_back(0.5 * (interfaces[k] + interfaces[k + 1]));
    return m;
}

}  // namespace fathom::atmosphere
