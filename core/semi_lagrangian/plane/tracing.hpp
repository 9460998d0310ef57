/// Where trajectories of a plane map begin (plane/transport.hpp), as displacements of points of a
/// line, by neighbouring points of a processor or by one point of a device.
#pragma once
#include <array>
#include "semi_lagrangian/plane/even_plane.hpp"

namespace fathom {

/// By how many columns, rows and heights the points of a line have been displaced.
template <class T> struct Displacement {
    T *X, *Y, *H;
};

template <class T, class By>
constexpr Departures<T, By> departures(const Line& l, T height, const Displacement<T>& by) {
    Departures<T, By> d{l.i0, l.k, l.count};
    const T j = T(l.j);
    for (int n = 0; n < count_of<By>(l.count); ++n) {
        d.columns[n] = -by.X[n];
        d.row[n] = j - by.Y[n];
        d.eta[n] = height - by.H[n];
    }
    return d;
}

template <class T, class By> struct MapTracing {
    std::array<T, 3> scale;  ///< from wind to displacement in a step, of columns, rows and heights
    int iterations;

    /// wind: at arrival, along x, y and the column; m: the map factor, null: 1. rows: the
    /// extrapolated wind, times the map factor.
    template <class Rows, class See>
    constexpr void operator()(const Line& l, const std::array<const T*, 3>& wind, const T* m,
                              const Displacement<T>& by, const Rows& rows, See&& see) const {
        constexpr int most = By::most;
        const int count = count_of<By>(l.count);
        alignas(64) T own[3][most], there[3][most];
        T* const to[] = {by.X, by.Y, by.H};
        for (int f = 0; f < 3; ++f) {
            const T *V = wind[f], *factor = f < 2 ? m : nullptr;
            for (int n = 0; n < count; ++n) own[f][n] = factor ? factor[n] * V[n] : V[n];
            for (int n = 0; n < count; ++n) to[f][n] = own[f][n] * scale[f];
        }
        LinearStencils<T, By> stencils;
        Gathered<T, 4, By> found;
        for (int iteration = 0; iteration < iterations; ++iteration) {
            rows.locate(from(l, by, rows), 0, 0, stencils, see);
            rows.gather(stencils, l.count, found.values);
            for (int f = 0; f < 3; ++f) {
                found.give(f, l.count, there[f]);
                for (int n = 0; n < count; ++n)
                    to[f][n] = T(0.5) * (own[f][n] + there[f][n]) * scale[f];
            }
        }
    }
    /// Of an interface between two layers; inner: not the first or the last interface.
    static constexpr void between(int count, bool inner, const Displacement<T>& above,
                                  const Displacement<T>& below, const Displacement<T>& to) {
        const T half_depth = inner ? T(0.5) : T(0);
        for (int n = 0; n < count_of<By>(count); ++n) {
            to.X[n] = T(0.5) * (above.X[n] + below.X[n]);
            to.Y[n] = T(0.5) * (above.Y[n] + below.Y[n]);
            to.H[n] = half_depth * (above.H[n] + below.H[n]);
        }
    }
    /// The layers above and below an interface, of so many.
    static constexpr int above(int k) { return k > 0 ? k - 1 : 0; }
    static constexpr int below(int k, int layers) { return k < layers ? k : layers - 1; }

private:
    template <class Rows>
    static constexpr Departures<T, By> from(const Line& l, const Displacement<T>& by,
                                            const Rows& rows) {
        return departures<T, By>(l, rows.nodes.height(l.k), by);
    }
};

}  // namespace fathom
