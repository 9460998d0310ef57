/// The points around departure points, for tangent and adjoint of semi-Lagrangian transport on any
/// shape: the sphere (adjoint/points_around_sphere.hpp), a plane (adjoint/points_around_plane.hpp).
/// The coordinate z grows or falls along the column, and
///   sphere   x: longitude from the arrival point [rad], y: latitude [rad], z: eta
///   plane    x: columns from the arrival point, y: row, z: -eta
#pragma once
#include "semi_lagrangian/stencils/lagrange.hpp"

namespace fathom {

enum class Interpolation { linear, cubic };

/// Where a trajectory ends, row and column of the grid, and where it begins.
template <class T> struct Trajectory {
    int row, column;
    T x, y, z;
};

/// Of trajectories that end next to each other, from (row, column) on.
template <class T> struct TrajectoryLine {
    int row, column, count;
    const T *x, *y, *z;
    Trajectory<T> operator[](int n) const { return {row, column + n, x[n], y[n], z[n]}; }
};

/// Values of the packed fields at a point, and their derivatives along its coordinates.
template <class T> struct Sight {
    typename Nodes<T>::Four value, by_x, by_y, by_z;
};

/// The starts of the trajectories of a tile, and the turn of vectors along them: u' = p u + q v,
/// v' = p v - q u.
template <class T> struct Beginnings {
    static constexpr int tile = 64;
    alignas(64) T x[tile], y[tile], z[tile], p[tile], q[tile];
};

/// How that changes with the mean wind, along x, along y, and along the column.
template <class T> struct BeginningSlopes {
    Beginnings<T> by_u, by_v;
    alignas(64) T by_w[Beginnings<T>::tile];
};

}  // namespace fathom
