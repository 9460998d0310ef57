/// Where the points are: corners and centers of cells, and the lengths, areas and angles between
/// them.
///
///        C(i-1,j) --- N(i,j) --- C(i,j)        T  center of cell (i, j)
///            dx_center, dy_center, area_center
///           |                       |          C  corner, north-east of T
///               dx_corner, dy_corner, curvature, angle
///        E(i-1,j)     T(i,j)      E(i,j)       E  east face, from C(i,j-1) to C(i,j)
///            length_east_face, dx_east_face
///           |                       |
///               N  north face, from C(i-1,j) to C(i,j)  length_north_face, dy_north_face
///        C(i-1,j-1) - N(i,j-1) - C(i,j-1)      i east, j north, zero-based, rows of nx points
///
/// Metres, square metres, radians; longitude and latitude in degrees. Everything is finite, lengths
/// and areas are positive, at walls too. On a fold (tripolar, nx even) corner row ny-1 is joined
/// to itself: C(i, ny-1) is C(nx-2-i, ny-1), T(i, ny) is T(nx-1-i, ny-1).
#pragma once
#include <vector>
#include "base/constants.hpp"

namespace fathom {

/// (ny, nx), row by row; coordinates of corners (ny + 1, nx + 1).
using Plane = std::vector<double>;

struct HorizontalGrid {
    int nx = 0, ny = 0;
    bool periodic = false;                    ///< in i
    bool periodic_j = false;                  ///< of a plane
    bool fold = false;                        ///< northern edge joined to itself
    bool spherical = true;                    ///< false: a plane; longitude, latitude hold x, y [m]
    double radius = constants::earth_radius;  ///< [m]
    /// Number of southern rows bounded by parallels and meridians: exact scale factors.
    int regular_rows = 0;

    /// [degrees] or [m]; corner [j+1][i+1] is C(i, j).
    Plane corner_longitude, corner_latitude, center_longitude, center_latitude;
    Plane dx_center, dy_center, area_center;  ///< widths through the center, area of the cell
    Plane dx_corner, dy_corner;  ///< widths of the velocity cell; its area is their product
    Plane length_east_face, length_north_face;  ///< lengths of the sides
    Plane dx_east_face, dy_north_face;  ///< distances of the centers on both sides of a face
    /// From east to the direction of growing i, counter-clockwise [rad].
    Plane angle_center, angle_corner;
    /// kx = d(dy)/di / (dx dy), ky = d(dx)/dj / (dx dy) at corners [m-1].
    Plane curvature_x, curvature_y;
    /// dkx/dx + dky/dy + 2 kx^2 + 2 ky^2 at corners [m-2], for vector friction.
    Plane curvature_squared;

    int index(int i, int j) const { return j * nx + i; }
    /// Of C(i, j) among the coordinates, from -1.
    int corner(int i, int j) const { return (j + 1) * (nx + 1) + i + 1; }
    int east(int i) const { return i + 1 < nx ? i + 1 : periodic ? 0 : i; }  ///< mirrored at a wall
    int west(int i) const { return i > 0 ? i - 1 : periodic ? nx - 1 : i; }
};

/// The geometry of a grid at points, and its change of sign across a fold.
struct Metric {
    const char* name;
    Plane HorizontalGrid::* values;
    const char* place;
    const char* units;
    int sign;
};
inline constexpr Metric metrics[] = {
    {"dx_center", &HorizontalGrid::dx_center, "center", "m", 1},
    {"dy_center", &HorizontalGrid::dy_center, "center", "m", 1},
    {"area_center", &HorizontalGrid::area_center, "center", "m2", 1},
    {"dx_corner", &HorizontalGrid::dx_corner, "corner", "m", 1},
    {"dy_corner", &HorizontalGrid::dy_corner, "corner", "m", 1},
    {"length_east_face", &HorizontalGrid::length_east_face, "east_face", "m", 1},
    {"length_north_face", &HorizontalGrid::length_north_face, "north_face", "m", 1},
    {"dx_east_face", &HorizontalGrid::dx_east_face, "east_face", "m", 1},
    {"dy_north_face", &HorizontalGrid::dy_north_face, "north_face", "m", 1},
    {"angle_center", &HorizontalGrid::angle_center, "center", "rad", 0},  // 0: rotates by pi
    {"angle_corner", &HorizontalGrid::angle_corner, "corner", "rad", 0},
    {"curvature_x", &HorizontalGrid::curvature_x, "corner", "m-1", -1},
    {"curvature_y", &HorizontalGrid::curvature_y, "corner", "m-1", -1},
    {"curvature_squared", &HorizontalGrid::curvature_squared, "corner", "m-2", 1},
};

/// Metrics of a grid whose corner coordinates, nx, ny, periodic, fold, radius and regular_rows are
/// set.
HorizontalGrid with_metrics(HorizontalGrid);

/// Departure of grid lines from a right angle at the centers [degrees]; 0 where a side has no
/// length (a pole of the grid).
Plane departure_from_right_angle(const HorizontalGrid&);

}  // namespace fathom
