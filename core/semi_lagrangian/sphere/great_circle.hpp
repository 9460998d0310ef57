/// The start of a trajectory, seen from its end: A at (0, latitude), D in the frame whose first
/// axis goes through A's meridian at the equator, the third through the north pole.
///   great circle   r_D = r_A cos c - (a e_east + b e_north) sin(c) / l,
///                  tan(c / 2) = l / 2,   l^2 = a^2 + b^2
/// with (a, b) the displacement: the mean of the winds at A and D, times a step over the radius.
/// With this arc (Cayley's), and not c = l, the mean is exact for each solid rotation. Vectors turn
/// from D to A
///   along the sphere   u' = p u + q v,  v' = p v - q u      (semi_lagrangian/sphere/departure.hpp)
///   in space           by the cosines between the unit vectors of both places:
///       e_east = (-y, x, 0) / rho,  e_north = (-x z, -y z, rho^2) / rho,  e_up = (x, y, z) at D
#pragma once
#include "semi_lagrangian/sphere/angles.hpp"

namespace fathom {

/// Of a latitude, or of a longitude.
template <class T> struct Parallel {
    T sine, cosine;
};

/// Real: a number of type T as a pack, or neighbouring points of a parallel.
template <class Real> struct Origin {
    using T = typename Real::Number;
    Real x, y, z, rho;
    constexpr Origin(Real x, Real y, Real z) : Origin(x, y, z, sqrt(fma(x, x, y * y))) {}
    constexpr Origin(Real x, Real y, Real z, Real rho) : x(x), y(y), z(z), rho(rho) {}

    static constexpr Origin along_great_circle(const Parallel<T>& A, Real a, Real b) {
        const Real square = T(0.25) * fma(a, a, b * b), s = 1.0 / (1.0 + square),
                   c = (1.0 - square) * s;
        return {A.cosine * c + A.sine * (b * s), -(a * s), A.sine * c - A.cosine * (b * s)};
    }
    /// From A's meridian, and from A's latitude [rad]: exactly 0 at A.
    constexpr Real longitude() const { return atan2(y, x); }
    constexpr Real latitude(const Parallel<T>& A) const {
        return atan2(z * A.cosine - rho * A.sine, rho * A.cosine + z * A.sine);
    }
    constexpr Origin on_unit_sphere() const {
        const Real scale = 1.0 / sqrt(rho * rho + z * z);
        return {x * scale, y * scale, z * scale, rho * scale};
    }
    constexpr void turn(const Parallel<T>& A, Real& u, Real& v) const {
        const Real along = A.cosine * x + A.sine * z, per = 1.0 / (positive(rho) * (1.0 + along)),
                   p = ((A.sine * z + 1.0) * x + A.cosine * (rho * rho)) * per,
                   q = -((A.sine + z) * y) * per, east = p * u + q * v;
        v = p * v - q * u;
        u = east;
    }
    constexpr void turn_in_space(const Parallel<T>& A, Real& u, Real& v, Real& w) const {
        const Real per = 1.0 / positive(rho), X = -(y * u + x * z * v) * per + x * w,
                   Y = (x * u - y * z * v) * per + y * w, Z = rho * v + z * w;
        u = Y;
        v = A.cosine * Z - A.sine * X;
        w = A.cosine * X + A.sine * Z;
    }

private:
    static constexpr Real positive(Real r) { return larger(r, Real(T(1e-30))); }
};

}  // namespace fathom
