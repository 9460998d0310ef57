/// Directions of the points of a sphere, and where the displacements around a point say that it
/// comes from.
#pragma once
#include <array>
#include <numbers>
#include "atmosphere/gridpoint/lines.hpp"
#include "field/field_set.hpp"
#include "trajectory/great_circle.hpp"

namespace fathom::atmosphere {

/// Directions of all points: longitudes of centres (even numbers) and eastern faces (odd),
/// latitudes of centres (odd) and of faces (even, from the south pole on).
template <class T> class SphereDirections {
public:
    explicit SphereDirections(const Domain& d)
        : columns(T(d.decomposition.topology.nx / (2 * std::numbers::pi))),
          rows(T(d.decomposition.topology.ny / std::numbers::pi)) {
        const auto& t = d.decomposition.topology;
        if (!t.periodic || t.nx % 2)
            throw Error("a sphere needs an even number of columns all round, not nx = ", t.nx);
        for (int n = 0; n < 2 * t.nx; ++n) {
            const double angle = std::numbers::pi * n / t.nx;
            longitudes.push_back({T(std::sin(angle)), T(std::cos(angle))});
        }
        for (int n = 0; n <= 2 * t.ny; ++n) {
            const double angle = std::numbers::pi * (n - t.ny) / (2 * t.ny);
            latitudes.push_back({T(std::sin(angle)), T(std::cos(angle))});
        }
    }
    const T columns, rows;  ///< of a radian
    const Parallel<T>& centre(int j) const { return latitudes[2 * j + 1]; }
    const Parallel<T>& face(int j) const { return latitudes[2 * j + 2]; }  ///< the northern one
    /// half: 1 of an eastern face.
    const Parallel<T>& longitude(int i, int half) const { return longitudes[2 * i + half]; }

private:
    std::vector<Parallel<T>> longitudes, latitudes;
};

/// The mean displacement of the points around a point of a line: of layers, and of faces `aside`.
template <class T> struct MeanDisplacement {
    const T* from[4];  // in space, and of levels
    std::ptrdiff_t below[4], aside[4];
    bool layers, faces;
    MeanDisplacement(const Domain& d, const std::array<const Field*, 4>& fields, const Line& l,
                     bool layers, bool faces, bool northern)
        : layers(layers), faces(faces) {
        for (int n = 0; n < 4; ++n) {
            const Field& f = *fields[n];
            from[n] = at<T>(d, f, l), below[n] = f.level[l.b];
            aside[n] = northern ? f.row[l.b] : 1;
        }
    }
    T operator()(int n, int i) const {
        const T* at = from[n] + i;
        T sum = layers ? T(0.5) * (at[0] + at[below[n]]) : at[0];
        if (faces) {
            const T* next = at + aside[n];
            sum = T(0.5) * (sum + T(0.5) * (next[0] + next[below[n]]));
        }
        return sum;
    }
};

/// Body(n, where it comes from, the place as interpolation takes it) of the points of a line; half:
/// 1 of eastern faces; row: of their latitude, 0 of centres.
template <class T, class Body>
void each_origin(const SphereDirections<T>& directions, const Line& l,
                 const MeanDisplacement<T>& mean, const Parallel<T>& A, int half, T row, T height,
                 Body body) {
    for (int n = 0; n < l.count; ++n) {
        const int i = l.i0 + n;
        const auto& turned = directions.longitude(i, half);
        const T X = mean(0, n), Y = mean(1, n);
        Origin<T> D(A.cosine - (X * turned.cosine + Y * turned.sine),
                    X * turned.sine - Y * turned.cosine, A.sine - mean(2, n));
        const Place3<T> place{i, l.k, T(0.5) * T(half) + D.longitude() * directions.columns,
                              T(l.j) + row + D.latitude(A) * directions.rows, height - mean(3, n)};
        D.on_unit_sphere();
        body(n, D, place);
    }
}

}  // namespace fathom::atmosphere
