/// Departures on the sphere from the displacements around points, and the wind from there, of
/// neighbouring points of a processor or of one point of a device.
#pragma once
#include "atmosphere/gridpoint/displaced.hpp"
#include "semi_lagrangian/plane/even_plane.hpp"
#include "semi_lagrangian/sphere/great_circle.hpp"

namespace fathom::atmosphere {

/// Departure points of the points of a line: directions of the unit sphere, relative to their own
/// meridians.
template <class T, class By> struct Origins {
    using Real = typename By::template Real<T>;
    alignas(64) T x[By::most], y[By::most], z[By::most], rho[By::most];
    constexpr Origin<Real> operator[](int n) const {
        return {Real::load(x + n), Real::load(y + n), Real::load(z + n), Real::load(rho + n)};
    }
    constexpr void set(int n, const Origin<Real>& to) {
        to.x.store(x + n), to.y.store(y + n), to.z.store(z + n), to.rho.store(rho + n);
    }
};

/// The departure points of a line; A: the parallel of its points.
template <class T, class By> struct SphereTrajectories {
    Parallel<T> A;
    Origins<T, By> origins;
    Departures<T, By> from;
    constexpr explicit SphereTrajectories(const Line& l) : from(l.i0, l.k, l.count) {}

    /// Component `own` of a wind of 2 (along the sphere) or 3 components, rotated from departure to
    /// arrival.
    template <int own, int components, int fields>
    constexpr void turn(const Gathered<T, fields, By>& found, T* out) const {
        using Real = typename By::template Real<T>;
        const int count = count_of<By>(from.count);
        alignas(64) T wind[3][By::most];
        for (int f = 0; f < components; ++f) found.give(f, count, wind[f]);
        for (int n = 0; n < count; n += Real::width) {
            Real u = Real::load(wind[0] + n), v = Real::load(wind[1] + n), w(T(0));
            if constexpr (components == 3) {
                w = Real::load(wind[2] + n);
                origins[n].turn_in_space(A, u, v, w);
            } else
                origins[n].turn(A, u, v);
            const Real& result = own == 0 ? u : own == 1 ? v : w;
            result.store(wind[own] + n);
        }
        copy(wind[own], count, out);
    }
};

/// Directions of all points: longitudes of centres (half 0) and eastern faces (1), latitudes of
/// centres (odd) and of faces (even, from the southern edge on).
template <class T, class By = LinesHere> struct SphereDepartures {
    template <class Number> using List = typename By::template List<Number>;
    using Trajectories = SphereTrajectories<T, By>;
    T columns, rows;  ///< of a radian
    MiddlesAround<T> middles;
    List<T> sines[2], cosines[2];
    List<Parallel<T>> latitudes;
    static constexpr int components = 4;

    /// The same with its lists elsewhere: send(list).
    template <class Send> SphereDepartures<T, LinesThere> sent(const Send& send) const {
        return {columns,
                rows,
                middles,
                {send(sines[0]), send(sines[1])},
                {send(cosines[0]), send(cosines[1])},
                send(latitudes)};
    }
    constexpr const Parallel<T>& centre(int j) const { return latitudes[2 * j + 1]; }
    /// The northern one.
    constexpr const Parallel<T>& face(int j) const { return latitudes[2 * j + 2]; }
    /// Of the longitudes of points i, i + 1, ...; half: 1 of eastern faces.
    constexpr const T* sine(int i, int half) const { return &sines[half][i]; }
    constexpr const T* cosine(int i, int half) const { return &cosines[half][i]; }

    /// displacement: in space, and of levels, of the points around.
    constexpr void depart(const Line& l, Around where, T height,
                          const FieldFrom<const T>* displacement, Trajectories& t) const {
        depart(l, where, height, displacement, t, where, where);
    }
    /// across, along: whether those in space and of levels are of the points around (where), or
    /// of the points themselves (Around::interface).
    constexpr void depart(const Line& l, Around where, T height,
                          const FieldFrom<const T>* displacement, Trajectories& t, Around across,
                          Around along) const {
        using Real = typename By::template Real<T>;
        using Displaced = atmosphere::Displaced<T, By>;
        const Displaced x(displacement[0], l, across, middles),
            y(displacement[1], l, across, middles), axis(displacement[2], l, across, middles),
            eta(displacement[3], l, along, middles);
        const int half = where == Around::east_face;
        const bool northern = where == Around::north_face;
        const auto& A = t.A = northern ? face(l.j) : centre(l.j);
        auto& to = t.from;
        // row: of their latitude, 0 of centres
        const T row = T(l.j) + (northern ? T(0.5) : T(0)), aside = T(0.5) * T(half);
        const T *sine = this->sine(l.i0, half), *cosine = this->cosine(l.i0, half);
        for (int n = 0; n < count_of<By>(l.count); n += Real::width) {
            const Real X = Real::load(x.by + n), Y = Real::load(y.by + n), s = Real::load(sine + n),
                       c = Real::load(cosine + n);
            const Origin<Real> D(A.cosine - (X * c + Y * s), X * s - Y * c,
                                 A.sine - Real::load(axis.by + n));
            (aside + D.longitude() * columns).store(to.columns + n);
            (row + D.latitude(A) * rows).store(to.row + n);
            (height - Real::load(eta.by + n)).store(to.eta + n);
            t.origins.set(n, D.on_unit_sphere());
        }
    }
    /// The same of displacements along a great circle: angles along x and y, and a height.
    constexpr void depart(const Line& l, Around where, T height, const T* a, const T* b, const T* c,
                          Trajectories& t) const {
        using Real = typename By::template Real<T>;
        const bool northern = where == Around::north_face;
        const auto& A = t.A = northern ? face(l.j) : centre(l.j);
        const T row = T(l.j) + (northern ? T(0.5) : T(0)),
                aside = where == Around::east_face ? T(0.5) : T(0);
        for (int n = 0; n < count_of<By>(l.count); n += Real::width) {
            const auto D =
                Origin<Real>::along_great_circle(A, Real::load(a + n), Real::load(b + n));
            (aside + D.longitude() * columns).store(t.from.columns + n);
            (row + D.latitude(A) * rows).store(t.from.row + n);
            (height - Real::load(c + n)).store(t.from.eta + n);
            t.origins.set(n, D);
        }
    }
};

}  // namespace fathom::atmosphere
