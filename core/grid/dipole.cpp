/// Pole displaced onto land (family of Smith, Kortas & Meltz 1995, LA-UR-95-1146; here in closed
/// form).
///
/// South of the equator: parallels and meridians. North of it, on the stereographic plane z =
/// tan(colatitude / 2) exp(i lambda), rows are circles of radius r = 1 (equator) to r_ring, whose
/// centers move from the pole towards the new pole d exp(i lambda_p):
///   c(r) = d (1 - r^2)^3.
/// Columns cross them at right angles, d(psi)/dr = c'(r) sin(psi) / r, psi being the angle around
/// the moving center, so that
///   tan(psi / 2) = tan(psi0 / 2) exp(I),    I = 6 d [(1 - r) - 2/3 (1 - r^3) + 1/5 (1 - r^5)],
///       psi0 = lambda - lambda_p at the equator
///   z = exp(i lambda_p) (c + r exp(i psi)).
/// c' and c'' vanish at r = 1: metrics and their slopes are continuous over the equator. Circles do
/// not cross if |c'| < 1: d < 0.58. Rows follow the meridional spacing at the latitude that their
/// circle would have around the true pole.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

HorizontalGrid dipole_grid(const DipoleShape& shape) {
    using sphere::degree;
    const auto& spacing = shape.spacing;
    const double d = std::tan(0.5 * (90 - shape.pole_latitude) * degree);
    if (shape.nx < 3 || shape.ny < 4)
        throw Error("a dipole grid of nx = ", shape.nx, ", ny = ", shape.ny,
                    " cells: at least 3 by 4");
    if (!(shape.pole_latitude <= 90 && d < 0.58))
        throw Error("pole_latitude = ", shape.pole_latitude,
                    " degrees must lie in [30, 90]: circles around a pole further south cross");
    if (!(shape.ring > 0 && shape.ring < 45))
        throw Error("ring = ", shape.ring,
                    " degrees (angular radius of the innermost circle) must lie in (0, 45)");
    if (!(shape.south > -90 && shape.south < 0))
        throw Error("south = ", shape.south, " degrees must lie in (-90, 0)");
    const double rows_south = rows_between(spacing, shape.south, 0),
                 rows_north = rows_between(spacing, 0, 90 - shape.ring);
    const int north = int(std::round(shape.ny * rows_north / (rows_south + rows_north))),
              south = shape.ny - north;
    const double h = rows_north / north;
    const auto southward = rows_from(spacing, 0, -h, south),
               northward = rows_from(spacing, 0, h, north);
    if (!(southward.back() > -89.9))
        throw Error("south = ", shape.south, " with ny = ", shape.ny, " rows reaches latitude ",
                    southward.back(), ": choose more rows or an edge further north");

    HorizontalGrid g;
    const int nx = g.nx = shape.nx;
    g.ny = shape.ny, g.periodic = true, g.radius = shape.radius, g.regular_rows = south;
    g.corner_longitude.resize(std::size_t(nx + 1) * (g.ny + 1)),
        g.corner_latitude = g.corner_longitude;
    std::vector<double> c(nx + 1), s(nx + 1);  // cos and sin of psi0 / 2
    for (int i = 0; i <= nx; ++i)
        c[i] = std::cos(180. * i / nx * degree), s[i] = std::sin(180. * i / nx * degree);
    for (int j = -1; j < g.ny; ++j) {
        const int m = j + 1 - south;  // circles from the equator
        const double r = m > 0 ? std::tan(0.5 * (90 - northward[m]) * degree) : 1, one = 1 - r * r,
                     r3 = r * r * r;
        const double shift = d * one * one * one,
                     turn = std::exp(6 * d * ((1 - r) - (1 - r3) * 2 / 3 + (1 - r3 * r * r) / 5));
        for (int i = -1; i < nx; ++i) {
            double longitude = 360. * (i + 1) / nx, latitude = m > 0 ? 0 : southward[-m];
            if (m > 0) {
                const double a = c[i + 1], b = s[i + 1] * turn, scale = r / (a * a + b * b);
                const double x = shift + scale * (a * a - b * b), y = scale * 2 * a * b;
                latitude = 90 - 2 * std::atan(std::hypot(x, y)) / degree;
                const double l = std::atan2(y, x) / degree;
                longitude = l + 360 * std::round((longitude - l) /
                                                 360);  // the same turn as where the column starts
            }
            g.corner_longitude[g.corner(i, j)] = shape.pole_longitude + longitude;
            g.corner_latitude[g.corner(i, j)] = latitude;
        }
    }
    return with_metrics(std::move(g));
}

}  // namespace fathom
