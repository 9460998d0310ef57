/// Makers of horizontal grids: closed forms, O(nx ny). Degrees for angles, metres for lengths.
/// Errors say what is allowed.
#pragma once
#include "grid/horizontal.hpp"
#include "grid/rows.hpp"

namespace fathom {

/// From corner latitudes, ny + 1 of them; 360 degrees of longitude make a periodic grid unless it
/// is explicitly closed.
struct LatitudeLongitudeShape {
    int nx = 0;
    std::vector<double> latitudes;
    double west = 0, east = 360;
    bool periodic = true;
    double radius = constants::earth_radius;
};
HorizontalGrid latitude_longitude_grid(const LatitudeLongitudeShape&);

/// A plane, from corner coordinates, nx + 1 and ny + 1 of them [m].
struct CartesianShape {
    std::vector<double> x, y;
    bool periodic = false, periodic_j = false;
};
HorizontalGrid cartesian_grid(const CartesianShape&);

/// Pole displaced onto land in the north, Mercator-like in the south.
struct DipoleShape {
    int nx = 320, ny = 384;
    double south = -79;  ///< the southern edge falls on the nearest row
    double pole_longitude = -40, pole_latitude = 76;
    double ring = 4;  ///< angular radius of the innermost circle, before it is shifted
    MeridionalSpacing spacing;
    double radius = constants::earth_radius;
};
HorizontalGrid dipole_grid(const DipoleShape&);

/// Two poles on land in the north, at pole_longitude and 180 degrees from it, both on the parallel
/// `join`.
struct TripolarShape {
    int nx = 360, ny = 300;
    double south = -79;  ///< the southern edge falls on the nearest row
    double join = 65, pole_longitude = 80;
    double cap = 1;  ///< rows of the cap relative to an even continuation of the last regular row
    MeridionalSpacing spacing;
    double radius = constants::earth_radius;
};
HorizontalGrid tripolar_grid(const TripolarShape&);

/// Any curvilinear grid from its corners, (ny + 1, nx + 1).
HorizontalGrid curvilinear_grid(int nx, int ny, Plane corner_longitude, Plane corner_latitude,
                                bool periodic, bool fold, double radius = constants::earth_radius);

}  // namespace fathom
