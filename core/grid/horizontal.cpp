/// Metrics from corner coordinates.
///   regular rows (between parallels, along meridians)
///       dx = a cos(phi) dlambda, dy = a dphi, area = a^2 dlambda d(sin phi),
///       kx = 0, ky = -tan(phi) / a, curvature_squared = (tan^2(phi) - 1) / a^2
///   other rows
///       great circles between corners and centers; spherical excess of the cell;
///       kx, ky by differences of the opposite sides of the velocity cell
/// The first row north of the regular ones has a parallel as its southern side. So the areas of a
/// grid sum to the area of its domain, whose outline has parallels, meridians and great circles.
/// Rows of corners on a pole of the grid have sides of length 0. Such a side gets a quarter of the
/// mean of its neighbours: its length a quarter of a cell away. There is never water there.
#include "grid/horizontal.hpp"
#include "base/error.hpp"
#include "grid/sphere.hpp"

namespace fathom {

using sphere::degree, sphere::Vector;

namespace {

double quarter(double side, double before, double after) {
    const double mean = 0.5 * (before + after);
    return side < 1e-6 * mean ? 0.25 * mean : side;
}

/// Used while metrics are made: unit vectors, and sides, also those on the west and south edges.
struct Work {
    HorizontalGrid& g;
    int nx, ny, regular;
    std::vector<Vector> corners, centers;
    Plane side_x, side_y;  // (ny + 1, nx) along i, (ny, nx + 1) along j [m]
    Vector corner(int i, int j) const { return corners[g.corner(i, j)]; }
    Vector center(int i, int j) const { return centers[g.index(i, j)]; }
    /// North of T(i, j), j from -1.
    double& along_x(int i, int j) { return side_x[(j + 1) * nx + i]; }
    /// East of T(i, j), i from -1.
    double& along_y(int i, int j) { return side_y[j * (nx + 1) + i + 1]; }
    /// Latitude of the corners of row j, if it is regular, and width of column i [degrees].
    double latitude(int j) const { return g.corner_latitude[g.corner(-1, j)]; }
    double width(int i) const {
        return g.corner_longitude[g.corner(i, -1)] - g.corner_longitude[g.corner(i - 1, -1)];
    }
};

void unit_vectors(Work& w) {
    auto& g = w.g;
    w.corners.resize(g.corner_longitude.size());
    for (std::size_t n = 0; n < w.corners.size(); ++n)
        w.corners[n] = sphere::point(g.corner_longitude[n], g.corner_latitude[n]);
}

/// Means of the corners: of their degrees in regular rows, of their vectors elsewhere.
void centers(Work& w) {
    auto& g = w.g;
    g.center_longitude.resize(w.nx * w.ny), g.center_latitude.resize(w.nx * w.ny),
        w.centers.resize(w.nx * w.ny);
    const double west = g.corner_longitude[0];
    for (int j = 0; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j), ne = g.corner(i, j), sw = g.corner(i - 1, j - 1);
            if (j < w.regular) {
                g.center_longitude[n] = 0.5 * (g.corner_longitude[sw] + g.corner_longitude[ne]);
                g.center_latitude[n] = 0.5 * (g.corner_latitude[sw] + g.corner_latitude[ne]);
                w.centers[n] = sphere::point(g.center_longitude[n], g.center_latitude[n]);
            } else {
                const Vector p = sphere::normalized((w.corner(i - 1, j - 1) + w.corner(i, j)) +
                                                    (w.corner(i, j - 1) + w.corner(i - 1, j)));
                const double l = sphere::longitude(p),
                             middle = g.periodic ? west + 180 : g.corner_longitude[sw];
                g.center_longitude[n] = l + 360 * std::round((middle - l) / 360);
                g.center_latitude[n] = sphere::latitude(p);
                w.centers[n] = p;
            }
        }
}

void sides(Work& w) {
    const double a = w.g.radius;
    w.side_x.resize((w.ny + 1) * w.nx), w.side_y.resize(w.ny * (w.nx + 1));
    for (int j = -1; j < w.ny; ++j) {
        const bool parallel = j < w.regular && w.regular > 0;
        const double c = std::cos(w.latitude(j) * degree) * degree;
        for (int i = 0; i < w.nx; ++i)
            w.along_x(i, j) = a * (parallel ? c * w.width(i)
                                            : sphere::distance(w.corner(i - 1, j), w.corner(i, j)));
    }
    for (int j = 0; j < w.ny; ++j) {
        const double south = w.latitude(j - 1), north = w.latitude(j);
        for (int i = -1; i < w.nx; ++i)
            w.along_y(i, j) = j < w.regular
                                  ? a * (north - south) * degree
                                  : a * sphere::distance(w.corner(i, j - 1), w.corner(i, j));
    }
}

void areas(Work& w) {
    auto& g = w.g;
    const double a = g.radius;
    g.area_center.resize(w.nx * w.ny);
    for (int j = 0; j < w.ny; ++j) {
        const double south = w.latitude(j - 1), north = w.latitude(j);
        const double band = 2 * std::cos(0.5 * (south + north) * degree) *
                            std::sin(0.5 * (north - south) * degree);  // d(sin phi)
        for (int i = 0; i < w.nx; ++i) {
            double& area = g.area_center[g.index(i, j)];
            area = j < w.regular ? band * w.width(i) * degree
                                 : sphere::excess(w.corner(i - 1, j - 1), w.corner(i, j - 1),
                                                  w.corner(i, j), w.corner(i - 1, j));
            if (j == w.regular && j > 0) area += sphere::sliver(w.width(i), south);
            area *= a * a;
            if (!(area > 0))
                throw Error(
                    "cell (j, i) = (", j, ", ", i, ") has the area ", area,
                    " m2: corners must be distinct, i to the east of j (counter-clockwise)");
        }
    }
}

/// Sides of length 0.
void fill_vanishing_sides(Work& w) {
    for (int j = -1; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int before = j > -1 ? j - 1 : 0, after = j < w.ny - 1 ? j + 1 : j - 1;
            w.along_x(i, j) = quarter(w.along_x(i, j), w.along_x(i, before), w.along_x(i, after));
        }
    for (int j = w.regular; j < w.ny; ++j)
        for (int i = -1; i < w.nx; ++i) {
            const int west = w.g.periodic ? w.nx - 2 : 0, east = w.g.periodic ? 0 : i - 1;
            const int before = i > -1 ? i - 1 : west, after = i < w.nx - 1 ? i + 1 : east;
            w.along_y(i, j) = quarter(w.along_y(i, j), w.along_y(before, j), w.along_y(after, j));
        }
}

void widths_of_cells(Work& w) {
    auto& g = w.g;
    for (Plane* p : {&g.dx_center, &g.dy_center, &g.length_east_face, &g.length_north_face})
        p->resize(w.nx * w.ny);
    for (int j = 0; j < w.ny; ++j) {
        const double latitude = g.center_latitude[g.index(0, j)];
        const double across = j < w.regular ? g.radius * std::cos(latitude * degree) * degree : 0;
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j);
            g.length_east_face[n] = w.along_y(i, j), g.length_north_face[n] = w.along_x(i, j);
            g.dx_center[n] = 0.5 * (w.along_x(i, j - 1) + w.along_x(i, j));
            g.dy_center[n] = 0.5 * (w.along_y(i - 1, j) + w.along_y(i, j));
            if (j < w.regular)
                g.dx_center[n] = across * (g.corner_longitude[g.corner(i, j)] -
                                           g.corner_longitude[g.corner(i - 1, j)]);
        }
    }
}

/// Between centers: over the fold beyond the last row, or to a mirror image at a wall.
double dy_north_face(const Work& w, int i, int j) {
    const auto& g = w.g;
    const int n = g.index(i, j);
    if (j == w.ny - 1)
        return g.fold ? g.radius * sphere::distance(w.center(i, j), w.center(w.nx - 1 - i, j))
                      : g.dy_center[n];
    if (j < w.regular - 1) return 0.5 * (g.dy_center[n] + g.dy_center[g.index(i, j + 1)]);
    return g.radius * sphere::distance(w.center(i, j), w.center(i, j + 1));
}

void widths_around(Work& w) {
    auto& g = w.g;
    for (Plane* p : {&g.dx_corner, &g.dy_corner, &g.dx_east_face, &g.dy_north_face})
        p->resize(w.nx * w.ny);
    for (int j = 0; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j), e = g.index(g.east(i), j),
                      mirror = (2 * w.nx - 2 - i) % w.nx;
            const double side_north = j < w.ny - 1 ? w.along_y(i, j + 1)
                                      : g.fold     ? w.along_y(mirror, j)
                                                   : w.along_y(i, j);
            g.dx_corner[n] = 0.5 * (g.length_north_face[n] + g.length_north_face[e]);
            g.dy_corner[n] = 0.5 * (g.length_east_face[n] + side_north);
            g.dx_east_face[n] =
                j < w.regular || e == n
                    ? 0.5 * (g.dx_center[n] + g.dx_center[e])
                    : g.radius * sphere::distance(w.center(i, j), w.center(g.east(i), j));
            g.dy_north_face[n] = dy_north_face(w, i, j);
        }
}

/// The last regular row of corners has both kinds of rows next to it.
bool has_regular_corners(const Work& w, int j) { return j < w.regular - 1 || w.regular == w.ny; }

void curvature(Work& w) {
    auto& g = w.g;
    for (Plane* p : {&g.curvature_x, &g.curvature_y}) p->resize(w.nx * w.ny);
    for (int j = 0; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j);
            if (has_regular_corners(w, j)) {
                // cos(phi) as it enters dx, so that a corner on a pole stays finite
                const int c = g.corner(i, j);
                g.curvature_x[n] = 0;
                g.curvature_y[n] = -std::sin(g.corner_latitude[c] * degree) * degree *
                                   (g.corner_longitude[c] - g.corner_longitude[c - 1]) /
                                   g.length_north_face[n];
                continue;
            }
            const int mirror = w.nx - 1 - g.east(i);  // E(i, ny) is E(nx-2-i, ny-1) over the fold
            const double dx_north = j < w.ny - 1 ? g.dx_east_face[g.index(i, j + 1)]
                                    : g.fold     ? g.dx_east_face[g.index(mirror, j)]
                                                 : g.dx_east_face[n];
            const double area = g.dx_corner[n] * g.dy_corner[n];
            g.curvature_x[n] = (g.dy_north_face[g.index(g.east(i), j)] - g.dy_north_face[n]) / area;
            g.curvature_y[n] = (dx_north - g.dx_east_face[n]) / area;
        }
}

void curvature_squared(Work& w) {
    auto& g = w.g;
    g.curvature_squared.resize(w.nx * w.ny);
    for (int j = 0; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j), south = j > 0 ? g.index(i, j - 1) : n;
            const double kx = g.curvature_x[n], ky = g.curvature_y[n];
            if (has_regular_corners(w, j)) {
                g.curvature_squared[n] = ky * ky - 1 / (g.radius * g.radius);
                continue;
            }
            const int north = j < w.ny - 1 ? g.index(i, j + 1)
                              : g.fold     ? g.index((2 * w.nx - 2 - i) % w.nx, w.ny - 2)
                                           : n;
            const double sign = j == w.ny - 1 && g.fold ? -1 : 1;
            const double dkx =
                (g.curvature_x[g.index(g.east(i), j)] - g.curvature_x[g.index(g.west(i), j)]) /
                (2 * g.dx_corner[n]);
            const double dky =
                (sign * g.curvature_y[north] - g.curvature_y[south]) / (2 * g.dy_corner[n]);
            g.curvature_squared[n] = dkx + dky + 2 * (kx * kx + ky * ky);
        }
}

void angles(Work& w) {
    auto& g = w.g;
    g.angle_center.assign(w.nx * w.ny, 0), g.angle_corner.assign(w.nx * w.ny, 0);
    for (int j = w.regular; j < w.ny; ++j)
        for (int i = 0; i < w.nx; ++i) {
            const int n = g.index(i, j);
            const Vector d = (w.corner(i, j) - w.corner(i - 1, j)) +
                             (w.corner(i, j - 1) - w.corner(i - 1, j - 1));
            g.angle_center[n] = sphere::direction(w.center(i, j), d, g.center_longitude[n]);
            const Vector chord = w.corner(g.east(i), j) - w.corner(i - 1, j);
            // the row turns back at a pole of the grid: as in the row before
            const bool turns = dot(chord, chord) < 1e-20;
            g.angle_corner[n] =
                turns && j > 0
                    ? g.angle_corner[g.index(i, j - 1)]
                    : sphere::direction(w.corner(i, j), chord, g.corner_longitude[g.corner(i, j)]);
        }
}

/// A point on the fold is stored twice: both get the value of the western half, rotated.
void join_fold(HorizontalGrid& g) {
    const int nx = g.nx, j = g.ny - 1;
    for (const Metric& metric : metrics) {
        Plane& p = g.*metric.values;
        const bool corner = metric.place[0] == 'c' && metric.place[1] == 'o',
                   face = metric.place[0] == 'n';
        if (!corner && !face) continue;
        for (int i = 0; i < nx; ++i) {
            const int mirror = corner ? (2 * nx - 2 - i) % nx : nx - 1 - i;
            double& to = p[g.index(mirror, j)];
            const double from = p[g.index(i, j)];
            if (i == mirror)
                to = metric.sign < 0 ? 0 : from;
            else if (i < mirror)
                to = metric.sign == 0 ? from + (from > 0 ? -1 : 1) * std::numbers::pi
                                      : metric.sign * from;
        }
    }
}

void check(const HorizontalGrid& g) {
    if (g.nx < 1 || g.ny < 1)
        throw Error("a grid of nx = ", g.nx, ", ny = ", g.ny, " cells: at least 1 by 1");
    if (!(g.radius > 0)) throw Error("radius = ", g.radius, " m: must be positive");
    if (g.fold && (!g.periodic || g.nx % 2))
        throw Error("a fold needs a periodic grid with an even number of columns, not nx = ", g.nx,
                    g.periodic ? "" : ", not periodic");
    const std::size_t count = std::size_t(g.nx + 1) * (g.ny + 1);
    if (g.corner_longitude.size() != count || g.corner_latitude.size() != count)
        throw Error("corner coordinates must be (ny + 1, nx + 1) = (", g.ny + 1, ", ", g.nx + 1,
                    ")");
    for (std::size_t n = 0; n < count; ++n)
        if (!(std::isfinite(g.corner_longitude[n]) && std::abs(g.corner_latitude[n]) <= 90))
            throw Error("corner [", n / (g.nx + 1), "][", n % (g.nx + 1), "] lies at longitude ",
                        g.corner_longitude[n], ", latitude ", g.corner_latitude[n]);
}

}  // namespace

HorizontalGrid with_metrics(HorizontalGrid g) {
    check(g);
    Work w{g, g.nx, g.ny, g.regular_rows, {}, {}, {}, {}};
    unit_vectors(w);
    centers(w);
    sides(w);
    areas(w);
    fill_vanishing_sides(w);
    widths_of_cells(w);
    widths_around(w);
    curvature(w);
    curvature_squared(w);
    angles(w);
    if (g.fold) join_fold(g);
    return g;
}

Plane departure_from_right_angle(const HorizontalGrid& g) {
    Plane departure(std::size_t(g.nx) * g.ny, 0);
    if (!g.spherical) return departure;
    auto corner = [&](int i, int j) {
        return sphere::point(g.corner_longitude[g.corner(i, j)], g.corner_latitude[g.corner(i, j)]);
    };
    for (int j = g.regular_rows; j < g.ny; ++j)
        for (int i = 0; i < g.nx; ++i) {
            const Vector sw = corner(i - 1, j - 1), se = corner(i, j - 1), ne = corner(i, j),
                         nw = corner(i - 1, j);
            const Vector x = (ne - nw) + (se - sw), y = (ne - se) + (nw - sw);
            double shortest = 1;
            for (const Vector& side : {nw - sw, ne - se, se - sw, ne - nw})
                shortest = std::fmin(shortest, dot(side, side));
            const double sine =
                std::fmin(1.0, std::abs(dot(x, y)) / std::sqrt(dot(x, x) * dot(y, y)));
            if (shortest > 1e-12 * dot(y, y)) departure[g.index(i, j)] = std::asin(sine) / degree;
        }
    return departure;
}

}  // namespace fathom
