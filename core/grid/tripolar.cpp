/// Two poles in the north (Murray 1996, J. Comput. Phys. 126, 251-273: the bipolar cap).
///
/// South of the parallel `join`: parallels and meridians. North of it, on the stereographic plane
/// scaled with R = tan((90 - join) / 2), with t = lambda - lambda_p along the join and xi = pi/2
/// (join) to 0 (seam),
///   z = R exp(i lambda_p) (cos t + i sin xi sin t) / (1 + cos xi sin t),     0 <= t <= pi;
/// the other half is the complex conjugate.
/// All rows of the cap meet in the two poles, t = 0 and pi on the join. The seam runs between them
/// over the true pole; there both halves of the last row meet. On the meridian between the poles
/// row xi lies at the colatitude 2 atan(R tan(xi / 2)). There rows keep the spacing of the last
/// regular row at the join and are even at the seam: a cubic in the row number whose second
/// derivative vanishes at the seam.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

using sphere::degree;

namespace {

void check(const TripolarShape& shape) {
    if (shape.nx < 4 || shape.nx % 2 || shape.ny < 6)
        throw Error("a tripolar grid of nx = ", shape.nx, ", ny = ", shape.ny,
                    " cells: nx must be even (the fold), at least 4 by 6");
    if (!(shape.join > 0 && shape.join < 90))
        throw Error("join = ", shape.join,
                    " degrees (latitude where the cap begins) must lie in (0, 90)");
    if (!(shape.south > -90 && shape.south < 0))
        throw Error("south = ", shape.south, " degrees must lie in (-90, 0)");
    if (!(shape.cap > 0.4 && shape.cap < 3))
        throw Error("cap = ", shape.cap,
                    " (rows of the cap relative to an even continuation) must lie in (0.4, 3)");
}

/// Latitudes of corners from the equator to either side, and rows of the cap.
struct Rows {
    int south, north, cap;
    std::vector<double> southward, northward;
    double h;  // rows of `spacing` in one row of the grid
    explicit Rows(const TripolarShape& shape) {
        const auto& spacing = shape.spacing;
        const double rows_south = rows_between(spacing, shape.south, 0),
                     rows_north = rows_between(spacing, 0, shape.join);
        const double rows_cap = shape.cap * (90 - shape.join) / spacing(shape.join),
                     all = rows_south + rows_north + rows_cap;
        north = int(std::round(shape.ny * rows_north / all));
        cap = int(std::round(shape.ny * rows_cap / all));
        south = shape.ny - north - cap;
        if (north < 1 || cap < 1 || south < 1)
            throw Error("ny = ", shape.ny, " rows: too few for a tripolar grid");
        h = rows_north / north;
        southward = rows_from(spacing, 0, -h, south);
        northward = rows_from(spacing, 0, h, north);
        if (!(southward.back() > -89.9))
            throw Error("south = ", shape.south, " with ny = ", shape.ny, " rows reaches latitude ",
                        southward.back(), ": choose more rows or an edge further north");
    }
    /// Latitude of the corners of row j, south of the cap.
    double latitude(int j, double join) const {
        const int m = j + 1 - south;
        return m == north ? join : m > 0 ? northward[m] : southward[-m];
    }
};

/// Degrees.
struct Point {
    double longitude, latitude;
};

/// Corners of the cap.
struct Cap {
    double extent, R;
    double first, bend;  // of the cubic: its slope at the join
    int rows;
    std::vector<double> cosine, sine;  // of t
    Cap(const TripolarShape& shape, const Rows& rows)
        : extent(90 - shape.join),
          R(std::tan(0.5 * extent * degree)),
          first(rows.cap * rows.h * shape.spacing(shape.join)),
          bend(0.5 * (first - extent)),
          rows(rows.cap) {
        for (int i = 0; i <= shape.nx / 2; ++i) {
            const double t = 360. * i / shape.nx * degree;
            cosine.push_back(std::cos(t)), sine.push_back(std::sin(t));
        }
        sine.back() = 0;
    }
    /// The coordinate xi of row m of the cap, 1 to `rows`.
    double xi(int m) const {
        if (m == rows) return 0;
        const double t = double(m) / rows, colatitude = extent - t * (first + t * bend * (t - 3));
        return 2 * std::atan(std::tan(0.5 * colatitude * degree) / R);
    }
    Point at(double cos_xi, double sin_xi, int i) const {
        const double scale = R / (1 + cos_xi * sine[i]), x = scale * cosine[i],
                     y = scale * sin_xi * sine[i];
        return {std::atan2(y, x) / degree, 90 - 2 * std::atan(std::hypot(x, y)) / degree};
    }
};

}  // namespace

HorizontalGrid tripolar_grid(const TripolarShape& shape) {
    check(shape);
    const Rows rows(shape);
    HorizontalGrid g;
    const int nx = g.nx = shape.nx;
    g.ny = shape.ny, g.periodic = g.fold = true, g.radius = shape.radius;
    g.regular_rows = rows.south + rows.north;
    g.corner_longitude.resize(std::size_t(nx + 1) * (g.ny + 1));
    g.corner_latitude = g.corner_longitude;
    auto put = [&](int i, int j, double longitude, double latitude) {
        g.corner_longitude[g.corner(i, j)] = shape.pole_longitude - 360 + longitude;
        g.corner_latitude[g.corner(i, j)] = latitude;
    };
    for (int j = -1; j < g.regular_rows; ++j)
        for (int i = -1; i < nx; ++i) put(i, j, 360. * (i + 1) / nx, rows.latitude(j, shape.join));
    const Cap cap(shape, rows);
    for (int j = g.regular_rows; j < g.ny; ++j) {
        const bool seam = j == g.ny - 1;
        const double xi = cap.xi(j + 1 - g.regular_rows), cos_xi = std::cos(xi),
                     sin_xi = std::sin(xi);
        for (int i = -1; i < nx / 2; ++i) {
            const auto [longitude, latitude] = cap.at(cos_xi, sin_xi, i + 1);
            put(i, j, longitude, latitude);
            // C(nx-2-i) mirrors C(i) about the line between the poles
            put(nx - 2 - i, j, seam ? longitude : 360 - longitude, latitude);
        }
    }
    return with_metrics(std::move(g));
}

}  // namespace fathom
