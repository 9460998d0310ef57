/// Any curvilinear grid from the coordinates of its corners. Southern rows that follow parallels
/// and meridians are detected and get exact scale factors, as in the grid that they came from;
/// all other sides are great circles.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

namespace {

void check_coincidence(const HorizontalGrid& g, int m, int n, const char* what, int j, int i) {
    auto point = [&](int n) { return sphere::point(g.corner_longitude[n], g.corner_latitude[n]); };
    const double apart = sphere::distance(point(m), point(n)) / sphere::degree;
    if (!(apart < 1e-4))
        throw Error(what, " needs corner [", j, "][", i,
                    "] to coincide with its partner; they are ", apart, " degrees apart");
}

void check_seams(const HorizontalGrid& g) {
    const int nx = g.nx, ny = g.ny;
    if (g.periodic)
        for (int j = -1; j < ny; ++j)
            check_coincidence(g, g.corner(-1, j), g.corner(nx - 1, j), "a periodic grid", j + 1, 0);
    if (g.fold && nx % 2 == 0)
        for (int i = 0; i < nx; ++i)
            check_coincidence(g, g.corner(i, ny - 1), g.corner((2 * nx - 2 - i) % nx, ny - 1),
                              "a fold", ny, i + 1);
}

/// Whether a row of corners lies on a parallel, from west to east, each corner on the meridian of
/// that in the first row.
bool is_regular(const HorizontalGrid& g, int j) {
    constexpr double tolerance = 1e-9;  // degrees
    const auto &longitude = g.corner_longitude, &latitude = g.corner_latitude;
    for (int i = -1; i < g.nx; ++i) {
        const int n = g.corner(i, j), first = g.corner(i, -1);
        if (!(std::abs(latitude[n] - latitude[g.corner(-1, j)]) < tolerance)) return false;
        if (!(std::abs(longitude[n] - longitude[first]) < tolerance)) return false;
        if (i >= 0 && !(longitude[first] > longitude[first - 1])) return false;
    }
    return true;
}

}  // namespace

HorizontalGrid curvilinear_grid(int nx, int ny, Plane corner_longitude, Plane corner_latitude,
                                bool periodic, bool fold, double radius) {
    HorizontalGrid g;
    g.nx = nx, g.ny = ny, g.periodic = periodic, g.fold = fold, g.radius = radius;
    g.corner_longitude = std::move(corner_longitude);
    g.corner_latitude = std::move(corner_latitude);
    const std::size_t count = std::size_t(nx + 1) * (ny + 1);
    if (g.corner_longitude.size() != count || g.corner_latitude.size() != count)
        return with_metrics(std::move(g));  // throws a clear Error
    check_seams(g);
    if (is_regular(g, -1))
        while (g.regular_rows < ny && is_regular(g, g.regular_rows)) ++g.regular_rows;
    return with_metrics(std::move(g));
}

}  // namespace fathom
