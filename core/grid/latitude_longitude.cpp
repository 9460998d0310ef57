/// Cells between parallels and meridians.
#include <cmath>
#include "base/error.hpp"
#include "grid/makers.hpp"

namespace fathom {

HorizontalGrid latitude_longitude_grid(const LatitudeLongitudeShape& shape) {
    const int nx = shape.nx, ny = int(shape.latitudes.size()) - 1;
    if (nx < 1 || ny < 1)
        throw Error("a latitude-longitude grid of nx = ", nx, " columns and ", ny + 1,
                    " corner latitudes: at least 1 column and 2 latitudes");
    for (int j = 0; j <= ny; ++j)
        if (!(std::abs(shape.latitudes[j]) <= 90 &&
              (j == 0 || shape.latitudes[j] > shape.latitudes[j - 1])))
            throw Error("corner latitude ", j, " is ", shape.latitudes[j],
                        " degrees: latitudes must grow northward within [-90, 90]");
    const double extent = shape.east - shape.west;
    if (!(extent > 0 && extent <= 360))
        throw Error("longitudes from ", shape.west, " to ", shape.east,
                    ": east must lie up to 360 degrees east of west");
    HorizontalGrid g;
    g.nx = nx, g.ny = g.regular_rows = ny, g.periodic = shape.periodic, g.radius = shape.radius;
    for (int j = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i) {
            g.corner_longitude.push_back(shape.west + extent * i / nx);
            g.corner_latitude.push_back(shape.latitudes[j]);
        }
    return with_metrics(std::move(g));
}

}  // namespace fathom
