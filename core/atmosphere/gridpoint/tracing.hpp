/// The displacements of points of a line by iteration, on a plane and on a sphere, of neighbouring
/// points of a processor or of one point of a device:
///   d = dt (alpha V(n+1)_A + beta V(n)_D)
/// onwards: from the displacement of the last outer iteration of this step. rows: the wind of the
/// last step; see: what they want to know of places.
#pragma once
#include "atmosphere/gridpoint/sphere_departures.hpp"

namespace fathom::atmosphere {

template <class T, class By> struct PlaneTracing {
    PlaneDepartures<T, By> departures;
    T now, then;  ///< alpha dt, beta dt
    /// The wind at arrival, the displacement.
    struct Fields {
        const T *u, *v, *w;
        T *x, *y, *eta;
    };
    template <class Rows, class See>
    constexpr void operator()(const Line& l, const Fields& f, int interpolations, bool onwards,
                              const Rows& rows, See&& see) const {
        constexpr int most = By::most;
        const int count = count_of<By>(l.count);
        T a[most], b[most], c[most];
        for (int n = 0; n < count; ++n) {
            a[n] = onwards ? f.x[n] : (now + then) * f.u[n];
            b[n] = onwards ? f.y[n] : (now + then) * f.v[n];
            c[n] = onwards ? f.eta[n] : (now + then) * f.w[n];
        }
        Departures<T, By> from{l.i0, l.k, l.count};
        Gathered<T, 3, By> wind;
        for (int n = interpolations; n > 0; --n) {
            departures.depart(l, rows.nodes.height(l.k), a, b, c, from);
            wind.take(rows, from, see);
            for (int n = 0; n < count; ++n) {
                const T* there = wind.values + n * wind.beside;
                a[n] = now * f.u[n] + then * there[0];
                b[n] = now * f.v[n] + then * there[1];
                c[n] = now * f.w[n] + then * there[2];
            }
        }
        copy(a, count, f.x), copy(b, count, f.y);
        copy(c, count, f.eta);
    }
};

template <class T, class By> struct SphereTracing {
    using Real = typename By::template Real<T>;
    using Trajectories = SphereTrajectories<T, By>;
    SphereDepartures<T, By> departures;
    T now, then, radius;
    bool deep;
    /// z: height, of a deep atmosphere.
    struct Fields {
        const T *u, *v, *w, *z;
        T *x, *y, *axis, *eta;
    };
    template <class Rows, class See>
    constexpr void operator()(const Line& l, const Fields& f, int interpolations, bool onwards,
                              const Rows& rows, See&& see) const {
        trace(l, Around::interface, rows.nodes.height(l.k), f, interpolations, onwards, rows, see);
    }
    /// The same of points of another place, at this height of levels.
    template <class Rows, class See>
    constexpr void trace(const Line& l, Around where, T height, const Fields& f, int interpolations,
                         bool onwards, const Rows& rows, See&& see) const {
        constexpr int most = By::most;
        const int count = count_of<By>(l.count);
        alignas(64) T own[4][most], a[most], b[most], c[most], there[3][most];
        const T* fields[] = {f.u, f.v, f.w, f.z};
        for (int n = 0; n < 4; ++n) copy(fields[n], count, own[n]);
        const auto of = [](const T* values, int n) { return Real::load(values + n); };
        const auto per_radius = [&](int n, Real c) {  // at the middle of the trajectory
            return 1.0 / (deep ? radius + of(own[3], n) - T(0.5) * c : Real(radius));
        };
        for (int n = 0; n < count; n += Real::width) {
            const Real rise = (now + then) * of(own[2], n), per = per_radius(n, rise);
            rise.store(c + n);
            ((now + then) * of(own[0], n) * per).store(a + n);
            ((now + then) * of(own[1], n) * per).store(b + n);
        }
        Trajectories t(l);
        Gathered<T, 3, By> wind;
        for (int iteration = 0; iteration < interpolations; ++iteration) {
            if (onwards && iteration == 0)
                last(l, where, f, height, t);
            else
                departures.depart(l, where, height, a, b, c, t);
            wind.take(rows, t.from, see);
            for (int n = 0; n < 3; ++n) wind.give(n, count, there[n]);
            for (int n = 0; n < count; n += Real::width) {
                Real east = of(there[0], n), north = of(there[1], n);
                t.origins[n].turn(t.A, east, north);
                const Real rise = now * of(own[2], n) + then * of(there[2], n),
                           per = per_radius(n, rise);
                rise.store(c + n);
                ((now * of(own[0], n) + then * east) * per).store(a + n);
                ((now * of(own[1], n) + then * north) * per).store(b + n);
            }
        }
        give(l, where, a, b, f);
        copy(c, count, f.eta);
    }

private:
    constexpr void last(const Line& l, Around where, const Fields& f, T height,
                        Trajectories& t) const {
        const FieldFrom<const T> by[] = {{f.x, 0, 0}, {f.y, 0, 0}, {f.axis, 0, 0}, {f.eta, 0, 0}};
        departures.depart(l, where, height, by, t, Around::interface, Around::interface);
    }
    /// As vectors in space, x_A - x_D.
    constexpr void give(const Line& l, Around where, const T* a, const T* b,
                        const Fields& to) const {
        const int count = count_of<By>(l.count), half = where == Around::east_face;
        const auto& A = where == Around::north_face ? departures.face(l.j) : departures.centre(l.j);
        const T *sine = departures.sine(l.i0, half), *cosine = departures.cosine(l.i0, half);
        alignas(64) T out[3][By::most];
        for (int n = 0; n < count; n += Real::width) {
            const auto D =
                Origin<Real>::along_great_circle(A, Real::load(a + n), Real::load(b + n));
            const Real s = Real::load(sine + n), k = Real::load(cosine + n), up = A.cosine - D.x,
                       east = -D.y;
            (up * k - east * s).store(out[0] + n);
            (up * s + east * k).store(out[1] + n);
            (A.sine - D.z).store(out[2] + n);
        }
        copy(out[0], count, to.x), copy(out[1], count, to.y);
        copy(out[2], count, to.axis);
    }
};

}  // namespace fathom::atmosphere
