/// Directions of the points of a sphere, and the departure directions from the displacements around
/// a point.
#pragma once
#include <array>
#include <numbers>
#include "atmosphere/gridpoint/lines.hpp"
#include "atmosphere/gridpoint/transport.hpp"
#include "field/field_set.hpp"
#include "trajectory/great_circle.hpp"

namespace fathom::atmosphere {

/// Directions of all points: longitudes of centres (half 0) and eastern faces (1), latitudes of
/// centres (odd) and of faces (even, from the southern edge on).
template <class T> class SphereDirections {
public:
    SphereDirections(const Domain& d, const GridPointSetup& s)
        : columns(T(degrees / s.dx)),
          rows(T(degrees / s.dy)),
          middles{Middles<T>(s.dx / degrees), Middles<T>(s.dy / degrees)} {
        const auto& t = d.decomposition.topology;
        if (!s.area && (!t.periodic || t.nx % 2))
            throw Error("a sphere needs an even number of columns all round, not nx = ", t.nx);
        constexpr int spare = Departures<T>::most;  // whole registers are read
        for (int half = 0; half < 2; ++half)
            for (int i = 0; i < t.nx + spare; ++i) {
                const double angle = (i + 0.5 * half) * s.dx / degrees;
                sines[half].push_back(T(std::sin(angle)));
                cosines[half].push_back(T(std::cos(angle)));
            }
        for (int n = 0; n <= 2 * t.ny; ++n) {
            const double angle = (s.south + 0.5 * n * s.dy) / degrees;
            latitudes.push_back({T(std::sin(angle)), T(std::cos(angle))});
        }
    }
    const T columns, rows;  ///< of a radian
    const MiddlesAround<T> middles;
    const Parallel<T>& centre(int j) const { return latitudes[2 * j + 1]; }
    const Parallel<T>& face(int j) const { return latitudes[2 * j + 2]; }  ///< the northern one
    /// Of the longitudes of points i, i + 1, ...; half: 1 of eastern faces.
    const T* sine(int i, int half) const { return &sines[half][i]; }
    const T* cosine(int i, int half) const { return &cosines[half][i]; }

private:
    static constexpr double degrees = 180 / std::numbers::pi;
    std::vector<T> sines[2], cosines[2];
    std::vector<Parallel<T>> latitudes;
};

/// How rows continue beyond the first and last of a sphere, or of an area of it.
inline Edge edge_of(const GridPointSetup& s, Edge of_sphere) {
    return s.area ? Edge::area : of_sphere;
}

/// Neighbouring points of a line, in one register.
template <class T> using Points = Pack<T, pack_width<T>>;

/// Departure points of the points of a line: directions of the unit sphere, relative to their own
/// meridians.
template <class T> struct Origins {
    using Real = Points<T>;
    static constexpr int most = Departures<T>::most;
    alignas(64) T x[most], y[most], z[most], rho[most];
    Origin<Real> operator[](int n) const {
        return {Real::load(x + n), Real::load(y + n), Real::load(z + n), Real::load(rho + n)};
    }
    void set(int n, const Origin<Real>& to) {
        to.x.store(x + n), to.y.store(y + n), to.z.store(z + n), to.rho.store(rho + n);
    }
};

/// Displacements: in space, and of levels.
template <class T> struct Displacements {
    static constexpr int most = Departures<T>::most;
    alignas(64) T x[most], y[most], axis[most], eta[most];
    Displacements(const Domain& d, const std::array<const Field*, 4>& fields, const Line& l,
                  Around where, const MiddlesAround<T>& middles) {
        T* to[] = {x, y, axis, eta};
        for (int n = 0; n < 4; ++n) displacement_around(d, *fields[n], l, where, middles, to[n]);
    }
};

/// A: the parallel of the points; row: of their latitude, 0 of centres.
template <class T>
void depart(const SphereDirections<T>& directions, const Line& l, const Displacements<T>& by,
            Around where, T height, Origins<T>& origins, Departures<T>& to) {
    using Real = Points<T>;
    const int half = where == Around::east_face;
    const bool northern = where == Around::north_face;
    const auto& A = northern ? directions.face(l.j) : directions.centre(l.j);
    const T row = T(l.j) + (northern ? T(0.5) : T(0)), aside = T(0.5) * T(half);
    const T *sine = directions.sine(l.i0, half), *cosine = directions.cosine(l.i0, half);
    for (int n = 0; n < l.count; n += Real::width) {
        const Real X = Real::load(by.x + n), Y = Real::load(by.y + n), s = Real::load(sine + n),
                   c = Real::load(cosine + n);
        const Origin<Real> D(A.cosine - (X * c + Y * s), X * s - Y * c,
                             A.sine - Real::load(by.axis + n));
        (aside + D.longitude() * directions.columns).store(to.columns + n);
        (row + D.latitude(A) * directions.rows).store(to.row + n);
        (height - Real::load(by.eta + n)).store(to.eta + n);
        origins.set(n, D.on_unit_sphere());
    }
}

}  // namespace fathom::atmosphere
