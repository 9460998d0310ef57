/// Two poles in the north (Murray 1996, J. Comput. Phys. 126, 251-273: the bipolar cap).
///
/// South of the parallel `join`: parallels and meridians. North of it, on the stereographic plane
/// scaled with R = tan((90 - join) / 2), with t = lambda - lambda_p along the join and xi = pi/2
/// (join) to 0 (seam),
///   z = R exp(i lambda_p) (cos t + i sin xi sin t) / (1 + cos xi sin t)
///       0 <= t <= pi; the other half is the complex conjugate.
/// All rows of the cap meet in the two poles, t = 0 and pi on the join; the seam runs between them
/// over the true pole and is sewn. On the meridian between the poles the row xi lies at the
/// colatitude 2 atan(R tan(xi / 2)). There rows keep the spacing of the last regular one at the
/// join and are even at the seam: a cubic in the row number whose second derivative vanishes at the
/// seam.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

HorizontalGrid tripolar_grid(const TripolarShape& shape) {
    using sphere::degree;
    const auto& spacing = shape.spacing;
    const int nx = shape.nx;
    const double extent = 90 - shape.join;  // of the cap
    if (nx < 4 || nx % 2 || shape.ny < 6)
        throw Error("a tripolar grid of nx = ", nx, ", ny = ", shape.ny,
                    " cells: nx must be even (the fold), at least 4 by 6");
    if (!(shape.join > 0 && shape.join < 90))
        throw Error("join = ", shape.join,
                    " degrees (latitude where the cap begins) must lie in (0, 90)");
    if (!(shape.south > -90 && shape.south < 0))
        throw Error("south = ", shape.south, " degrees must lie in (-90, 0)");
    if (!(shape.cap > 0.4 && shape.cap < 3))
        throw Error("cap = ", shape.cap,
                    " (rows of the cap relative to an even continuation) must lie in (0.4, 3)");
    const double rows_south = rows_between(spacing, shape.south, 0),
                 rows_north = rows_between(spacing, 0, shape.join);
    const double rows_cap = shape.cap * extent / spacing(shape.join),
                 all = rows_south + rows_north + rows_cap;
    const int north = int(std::round(shape.ny * rows_north / all)),
              cap = int(std::round(shape.ny * rows_cap / all)), south = shape.ny - north - cap;
    if (north < 1 || cap < 1 || south < 1)
        throw Error("ny = ", shape.ny, " rows: too few for a tripolar grid");
    const double h = rows_north / north;
    const auto southward = rows_from(spacing, 0, -h, south),
               northward = rows_from(spacing, 0, h, north);
    if (!(southward.back() > -89.9))
        throw Error("south = ", shape.south, " with ny = ", shape.ny, " rows reaches latitude ",
                    southward.back(), ": choose more rows or an edge further north");

    HorizontalGrid g;
    g.nx = nx, g.ny = shape.ny, g.periodic = g.fold = true, g.radius = shape.radius,
    g.regular_rows = south + north;
    g.corner_longitude.resize(std::size_t(nx + 1) * (g.ny + 1)),
        g.corner_latitude = g.corner_longitude;
    auto put = [&](int i, int j, double longitude, double latitude) {
        g.corner_longitude[g.corner(i, j)] = shape.pole_longitude - 360 + longitude,
                                       g.corner_latitude[g.corner(i, j)] = latitude;
    };
    std::vector<double> c(nx / 2 + 1), s(nx / 2 + 1);
    for (int i = 0; i <= nx / 2; ++i)
        c[i] = std::cos(360. * i / nx * degree), s[i] = std::sin(360. * i / nx * degree);
    s[nx / 2] = 0;
    const double R = std::tan(0.5 * extent * degree), first = cap * h * spacing(shape.join),
                 bend = 0.5 * (first - extent);
    for (int j = -1; j < g.regular_rows; ++j)
        for (int i = -1; i < nx; ++i) {
            const int m = j + 1 - south;
            put(i, j, 360. * (i + 1) / nx,
                m == north ? shape.join
                : m > 0    ? northward[m]
                           : southward[-m]);
        }
    for (int j = g.regular_rows; j < g.ny; ++j) {
        const double t = double(j + 1 - g.regular_rows) / cap,
                     colatitude = extent - t * (first + t * bend * (t - 3));
        const bool seam = j == g.ny - 1;
        const double xi = seam ? 0 : 2 * std::atan(std::tan(0.5 * colatitude * degree) / R),
                     cos_xi = std::cos(xi), sin_xi = std::sin(xi);
        for (int i = -1; i < nx / 2; ++i) {
            const double a = c[i + 1], b = s[i + 1], scale = R / (1 + cos_xi * b), x = scale * a,
                         y = scale * sin_xi * b;
            const double longitude = std::atan2(y, x) / degree,
                         latitude = 90 - 2 * std::atan(std::hypot(x, y)) / degree;
            put(i, j, longitude, latitude);
            put(nx - 2 - i, j, seam ? longitude : 360 - longitude,
                latitude);  // C(nx-2-i) mirrors C(i) about the line between the poles
        }
    }
    return with_metrics(std::move(g));
}

}  // namespace fathom
