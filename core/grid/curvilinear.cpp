/// Any curvilinear grid from the coordinates of its corners. Southern rows that follow parallels
/// and meridians are seen and get exact scale factors, as in the grid that they came from; all
/// other sides are great circles.
#include "base/error.hpp"
#include "grid/makers.hpp"
#include "grid/sphere.hpp"

namespace fathom {

HorizontalGrid curvilinear_grid(int nx, int ny, Plane corner_longitude, Plane corner_latitude,
                                bool periodic, bool fold, double radius) {
    HorizontalGrid g;
    g.nx = nx, g.ny = ny, g.periodic = periodic, g.fold = fold, g.radius = radius;
    g.corner_longitude = std::move(corner_longitude),
    g.corner_latitude = std::move(corner_latitude);
    const std::size_t count = std::size_t(nx + 1) * (ny + 1);
    if (g.corner_longitude.size() != count || g.corner_latitude.size() != count)
        return with_metrics(std::move(g));  // says so
    auto point = [&](int n) { return sphere::point(g.corner_longitude[n], g.corner_latitude[n]); };
    auto apart = [&](int m, int n) {
        return sphere::distance(point(m), point(n)) / sphere::degree;
    };
    auto near = [&](int m, int n, const char* what, int j, int i) {
        if (!(apart(m, n) < 1e-4))
            throw Error(what, " needs corner [", j, "][", i,
                        "] to coincide with its partner; they are ", apart(m, n), " degrees apart");
    };
    if (periodic)
        for (int j = -1; j < ny; ++j)
            near(g.corner(-1, j), g.corner(nx - 1, j), "a periodic grid", j + 1, 0);
    if (fold && nx % 2 == 0)
        for (int i = 0; i < nx; ++i)
            near(g.corner(i, ny - 1), g.corner((2 * nx - 2 - i) % nx, ny - 1), "a fold", ny, i + 1);
    auto regular = [&](int j) {  // a corner row on a parallel, above the corners of the first
        for (int i = -1; i < nx; ++i) {
            const int n = g.corner(i, j), first = g.corner(i, -1);
            if (!(std::abs(g.corner_latitude[n] - g.corner_latitude[g.corner(-1, j)]) < 1e-9))
                return false;
            if (!(std::abs(g.corner_longitude[n] - g.corner_longitude[first]) < 1e-9)) return false;
            if (i >= 0 && !(g.corner_longitude[first] > g.corner_longitude[first - 1]))
                return false;
        }
        return true;
    };
    if (regular(-1))
        while (g.regular_rows < ny && regular(g.regular_rows)) ++g.regular_rows;
    return with_metrics(std::move(g));
}

}  // namespace fathom
