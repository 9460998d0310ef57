/// Cells of a plane, for idealised cases. The model gives the latitude (f plane, beta plane).
#include <cmath>
#include "base/error.hpp"
#include "grid/makers.hpp"

namespace fathom {

static void check(const std::vector<double>& x, const char* name) {
    if (x.size() < 2) throw Error("'", name, "' needs 2 corner coordinates or more [m]");
    for (std::size_t n = 0; n < x.size(); ++n)
        if (!(std::isfinite(x[n]) && (n == 0 || x[n] > x[n - 1])))
            throw Error("corner coordinate ", name, "[", n, "] = ", x[n], " m: must grow");
}

HorizontalGrid cartesian_grid(const CartesianShape& shape) {
    const auto &x = shape.x, &y = shape.y;
    check(x, "x"), check(y, "y");
    HorizontalGrid g;
    const int nx = g.nx = int(x.size()) - 1, ny = g.ny = g.regular_rows = int(y.size()) - 1;
    g.periodic = shape.periodic, g.periodic_j = shape.periodic_j, g.spherical = false;
    for (int j = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i)
            g.corner_longitude.push_back(x[i]), g.corner_latitude.push_back(y[j]);
    for (const Metric& metric : metrics) (g.*metric.values).assign(std::size_t(nx) * ny, 0);
    g.center_longitude.resize(std::size_t(nx) * ny), g.center_latitude.resize(std::size_t(nx) * ny);
    auto dx = [&](int i) { return x[i + 1] - x[i]; };
    auto dy = [&](int j) { return y[j + 1] - y[j]; };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            const int n = g.index(i, j), north = j + 1 < ny ? j + 1 : g.periodic_j ? 0 : j;
            g.center_longitude[n] = 0.5 * (x[i] + x[i + 1]),
            g.center_latitude[n] = 0.5 * (y[j] + y[j + 1]);
            g.dx_center[n] = g.length_north_face[n] = dx(i),
            g.dy_center[n] = g.length_east_face[n] = dy(j), g.area_center[n] = dx(i) * dy(j);
            g.dx_corner[n] = g.dx_east_face[n] = 0.5 * (dx(i) + dx(g.east(i))),
            g.dy_corner[n] = g.dy_north_face[n] = 0.5 * (dy(j) + dy(north));
        }
    return g;
}

}  // namespace fathom
