/// Geometry on the unit sphere by vectors: no singularity at the poles, no 2 pi to keep track of.
///   distance         2 asin(|a - b| / 2)
///   spherical excess tan(E/2) = a.(b x c) / (1 + a.b + b.c + c.a)
///       (Eriksson 1990)
#pragma once
#include <cmath>
#include <numbers>

namespace fathom::sphere {

inline constexpr double degree = std::numbers::pi / 180;

struct Vector {
    double x, y, z;
    friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
    friend Vector cross(Vector a, Vector b) {
        return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    }
};

inline Vector point(double longitude, double latitude) {
    const double l = longitude * degree, p = latitude * degree, c = std::cos(p);
    return {c * std::cos(l), c * std::sin(l), std::sin(p)};
}
inline Vector normalized(Vector a) {
    const double s = 1 / std::sqrt(dot(a, a));
    return {s * a.x, s * a.y, s * a.z};
}
inline double longitude(Vector a) { return std::atan2(a.y, a.x) / degree; }
inline double latitude(Vector a) { return std::atan2(a.z, std::hypot(a.x, a.y)) / degree; }

inline double distance(Vector a, Vector b) {
    const Vector chord = b - a;
    return 2 * std::asin(std::fmin(1.0, 0.5 * std::sqrt(dot(chord, chord))));
}

/// Area of the triangle, positive if a, b, c turn left. Computed from differences, so that small
/// triangles lose no digits.
inline double excess(Vector a, Vector b, Vector c) {
    return 2 * std::atan2(dot(a, cross(b - a, c - a)), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}
inline double excess(Vector a, Vector b, Vector c, Vector d) {
    return excess(a, b, c) + excess(a, c, d);
}

/// Area between the parallel through two points of one latitude and the great circle through them,
/// positive in the north.
inline double sliver(double longitude_difference, double latitude) {
    const double l = longitude_difference * degree, s = std::sin(latitude * degree);
    return 2 * std::atan(std::tan(0.5 * l) * s) - l * s;
}

/// Angle from east to the direction of `d` at the unit vector `p`, counter-clockwise, radians.
/// `longitude` tells east at a pole.
inline double direction(Vector p, Vector d, double longitude) {
    double c = p.x, s = p.y;
    if (c * c + s * s < 1e-24)
        c = std::cos(longitude * degree), s = std::sin(longitude * degree);
    else {
        const double r = 1 / std::sqrt(c * c + s * s);
        c *= r, s *= r;
    }
    const double outward = c * d.x + s * d.y, across = p.x * c + p.y * s;
    return std::atan2(across * d.z - p.z * outward, c * d.y - s * d.x);
}

}  // namespace fathom::sphere
