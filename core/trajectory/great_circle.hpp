/// Where a trajectory begins, seen from where it ends: A at (0, latitude), D in the frame whose
/// first axis goes through A's meridian at the equator, the third through the north pole.
///   great circle   r_D = r_A cos c - (a e_east + b e_north) sin(c) / c,   c^2 = a^2 + b^2
/// with (a, b) the displacement [rad]. Vectors turn from D to A
///   along the sphere   u' = p u + q v,  v' = p v - q u      (trajectory/departure.hpp)
///   in space           by the cosines between the unit vectors of both places:
///       e_east = (-y, x, 0) / rho,  e_north = (-x z, -y z, rho^2) / rho,  e_up = (x, y, z) at D
#pragma once
#include <cmath>
#include "trajectory/angles.hpp"

namespace fathom {

/// Of a latitude.
template <class T> struct Parallel {
    T sine, cosine;
};

template <class T> struct Origin {
    T x, y, z, rho;
    Origin(T x, T y, T z) : x(x), y(y), z(z), rho(std::sqrt(x * x + y * y)) {}

    static Origin along_great_circle(const Parallel<T>& A, T a, T b) {
        const Pack<T, 1> square(a * a + b * b);
        const T c = cosine_of_square(square).lanes, s = cardinal_sine_of_square(square).lanes;
        return {A.cosine * c + A.sine * (b * s), -(a * s), A.sine * c - A.cosine * (b * s)};
    }
    /// From A's meridian, and from A's latitude [rad]: exactly 0 at A.
    T longitude() const { return atan2(Pack<T, 1>(y), Pack<T, 1>(x)).lanes; }
    T latitude(const Parallel<T>& A) const {
        return atan2(Pack<T, 1>(z * A.cosine - rho * A.sine),
                     Pack<T, 1>(rho * A.cosine + z * A.sine))
            .lanes;
    }
    void on_unit_sphere() {
        const T scale = 1 / std::sqrt(rho * rho + z * z);
        x *= scale, y *= scale, z *= scale, rho *= scale;
    }
    void turn(const Parallel<T>& A, T& u, T& v) const {
        const T along = A.cosine * x + A.sine * z, per = 1 / (positive(rho) * (1 + along)),
                p = ((A.sine * z + 1) * x + A.cosine * rho * rho) * per,
                q = -(A.sine + z) * y * per, east = p * u + q * v;
        v = p * v - q * u;
        u = east;
    }
    void turn_in_space(const Parallel<T>& A, T& u, T& v, T& w) const {
        const T per = 1 / positive(rho), X = -(y * u + x * z * v) * per + x * w,
                Y = (x * u - y * z * v) * per + y * w, Z = rho * v + z * w;
        u = Y;
        v = A.cosine * Z - A.sine * X;
        w = A.cosine * X + A.sine * Z;
    }

private:
    static T positive(T r) { return r > T(1e-30) ? r : T(1e-30); }
};

}  // namespace fathom
