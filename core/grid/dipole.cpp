/// Pole displaced onto land (family of Smith, Kortas & Meltz 1995, LA-UR-95-1146; here in closed
/// form).
///
/// South of the equator: parallels and meridians. North of it, on the stereographic plane z =
/// tan(colatitude / 2) exp(i lambda), rows are circles of radius r = 1 (equator) to r_ring, whose
/// centers move from the pole towards the new pole d exp(i lambda_p):
///   c(r) = d (1 - r^2)^3.
/// Columns cross them at right angles, d(psi)/dr = c'(r) sin(psi) / r, with psi, the angle around
/// the moving center, so that
///   tan(psi / 2) = tan(psi0 / 2) exp(I),     psi0 = lambda - lambda_p at the equator,
///   I = 6 d [(1 - r) - 2/3 (1 - r^3) + 1/5 (1 - r^5)],
///   z = exp(i lambda_p) (c + r exp(i psi)).
/// c' and c'' vanish at r = 1: metrics and their slopes are continuous over the equator. Circles do
/// not cross if |c'| < 1: d < 0.58. Rows follow the meridional spacing at the latitude that their
/// circle would have around the true pole.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

using sphere::degree;

namespace {

/// Distance of the new pole from the origin on the stereographic plane.
double distance_of_pole(const DipoleShape& shape) {
    return std::tan(0.5 * (90 - shape.pole_latitude) * degree);
}

void check(const DipoleShape& shape) {
    if (shape.nx < 3 || shape.ny < 4)
        throw Error("a dipole grid of nx = ", shape.nx, ", ny = ", shape.ny,
                    " cells: at least 3 by 4");
    if (!(shape.pole_latitude <= 90 && distance_of_pole(shape) < 0.58))
        throw Error("pole_latitude = ", shape.pole_latitude,
                    " degrees must lie in [30, 90]: circles around a pole further south cross");
    if (!(shape.ring > 0 && shape.ring < 45))
        throw Error("ring = ", shape.ring,
                    " degrees (angular radius of the innermost circle) must lie in (0, 45)");
    if (!(shape.south > -90 && shape.south < 0))
        throw Error("south = ", shape.south, " degrees must lie in (-90, 0)");
}

/// Latitudes of corners from the equator northward, as of circles around the true pole.
struct Rows {
    std::vector<double> southward, northward;
    explicit Rows(const DipoleShape& shape) {
        const double rows_south = rows_between(shape.spacing, shape.south, 0),
                     rows_north = rows_between(shape.spacing, 0, 90 - shape.ring);
        const int north = int(std::round(shape.ny * rows_north / (rows_south + rows_north)));
        const double h = rows_north / north;
        southward = rows_from(shape.spacing, 0, -h, shape.ny - north);
        northward = rows_from(shape.spacing, 0, h, north);
        if (!(southward.back() > -89.9))
            throw Error("south = ", shape.south, " with ny = ", shape.ny, " rows reaches latitude ",
                        southward.back(), ": choose more rows or an edge further north");
    }
};

struct Circle {
    double r;     // its radius
    double c;     // of its center, from the true pole
    double turn;  // exp(I)
    Circle(double d, double latitude) : r(std::tan(0.5 * (90 - latitude) * degree)) {
        const double one = 1 - r * r, r3 = r * r * r;
        c = d * one * one * one;
        turn = std::exp(6 * d * ((1 - r) - (1 - r3) * 2 / 3 + (1 - r3 * r * r) / 5));
    }
};

}  // namespace

HorizontalGrid dipole_grid(const DipoleShape& shape) {
    check(shape);
    const Rows rows(shape);
    HorizontalGrid g;
    const int nx = g.nx = shape.nx, south = int(rows.southward.size()) - 1;
    g.ny = shape.ny, g.periodic = true, g.radius = shape.radius, g.regular_rows = south;
    g.corner_longitude.resize(std::size_t(nx + 1) * (g.ny + 1));
    g.corner_latitude = g.corner_longitude;
    auto put = [&](int i, int j, double longitude, double latitude) {
        g.corner_longitude[g.corner(i, j)] = shape.pole_longitude + longitude;
        g.corner_latitude[g.corner(i, j)] = latitude;
    };
    for (int j = -1; j < south; ++j)
        for (int i = -1; i < nx; ++i) put(i, j, 360. * (i + 1) / nx, rows.southward[south - 1 - j]);
    for (int j = south; j < g.ny; ++j) {
        const Circle circle(distance_of_pole(shape), rows.northward[j + 1 - south]);
        for (int i = -1; i < nx; ++i) {
            const double half = 180. * (i + 1) / nx * degree;  // psi0 / 2
            const double a = std::cos(half), b = std::sin(half) * circle.turn,
                         scale = circle.r / (a * a + b * b);
            const double x = circle.c + scale * (a * a - b * b), y = scale * 2 * a * b;
            const double l = std::atan2(y, x) / degree, straight = 360. * (i + 1) / nx;
            // the same multiple of 360 degrees as at the start of the column
            put(i, j, l + 360 * std::round((straight - l) / 360),
                90 - 2 * std::atan(std::hypot(x, y)) / degree);
        }
    }
    return with_metrics(std::move(g));
}

}  // namespace fathom
