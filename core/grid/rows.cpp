#include "grid/rows.hpp"
#include "base/error.hpp"
#include "grid/sphere.hpp"

namespace fathom {

using sphere::degree;

double MeridionalSpacing::operator()(double latitude) const {
    const double c = std::cos(latitude * degree), t = latitude / width;
    return std::sqrt((c * c + polar * polar) / (1 + polar * polar)) *
           (1 - (1 - equatorial) * std::exp(-t * t));
}

static void check(const MeridionalSpacing& s) {
    if (!(s.equatorial > 0 && s.equatorial <= 4))
        throw Error("equatorial = ", s.equatorial,
                    " (spacing at the equator relative to the rest) must lie in (0, 4]");
    if (!(s.width > 0 && s.width <= 90))
        throw Error("width = ", s.width,
                    " degrees (of the refinement at the equator) must lie in (0, 90]");
    if (!(s.polar >= 0 && s.polar <= 10))
        throw Error("polar = ", s.polar, " (least spacing near the poles) must lie in [0, 10]");
}

double rows_between(const MeridionalSpacing& spacing, double south, double north) {
    check(spacing);
    const int n = 2 * int(std::ceil(std::abs(north - south) / 0.1) +
                          1);  // Simpson's rule, steps <= 0.05 degrees
    const double h = (north - south) / n;
    double sum = 1 / spacing(south) + 1 / spacing(north);
    for (int k = 1; k < n; ++k) sum += (k % 2 ? 4 : 2) / spacing(south + k * h);
    return sum * h / 3;
}

std::vector<double> rows_from(const MeridionalSpacing& spacing, double start, double h, int n) {
    const int steps = 4;  // Runge-Kutta steps in a row
    const double d = h / steps;
    std::vector<double> latitude{start};
    latitude.reserve(n + 1);
    for (int j = 0; j < n; ++j) {
        double p = latitude.back();
        for (int k = 0; k < steps; ++k) {
            const double a = spacing(p), b = spacing(p + 0.5 * d * a), c = spacing(p + 0.5 * d * b),
                         e = spacing(p + d * c);
            p += d / 6 * (a + 2 * b + 2 * c + e);
        }
        latitude.push_back(p);
    }
    return latitude;
}

static void check(double south, double north, int n) {
    if (!(south >= -90 && south < north && north <= 90))
        throw Error("latitudes from ", south, " to ", north, ": must grow within [-90, 90]");
    if (n < 1) throw Error("ny = ", n, " rows: at least 1");
}

std::vector<double> uniform_latitudes(double south, double north, int n) {
    check(south, north, n);
    std::vector<double> latitude(n + 1);
    for (int j = 0; j <= n; ++j) latitude[j] = (south * (n - j) + north * j) / n;
    latitude.front() = south, latitude.back() = north;  // n south / n may differ by rounding
    return latitude;
}

/// Evenly spaced in Mercator's ordinate y = asinh(tan phi).
std::vector<double> mercator_latitudes(double south, double north, int n) {
    check(south, north, n);
    if (south <= -90 || north >= 90)
        throw Error("a Mercator grid from ", south, " to ", north,
                    " degrees: a pole is infinitely many rows away");
    auto latitude = uniform_latitudes(-1, 1, n);
    const double a = std::asinh(std::tan(south * degree)), b = std::asinh(std::tan(north * degree));
    for (double& y : latitude) y = std::atan(std::sinh(0.5 * (a + b) + 0.5 * (b - a) * y)) / degree;
    latitude.front() = south, latitude.back() = north;
    return latitude;
}

std::vector<double> stretched_latitudes(double south, double north, int n,
                                        const MeridionalSpacing& spacing) {
    check(south, north, n);
    if ((south <= -90 || north >= 90) && spacing.polar == 0)
        throw Error("rows whose spacing falls to 0 at the pole never reach it: give polar > 0");
    const double h = rows_between(spacing, south, north) / n;
    auto latitude = rows_from(spacing, south, h, n);
    latitude.back() = north;  // the integration is accurate to 1e-9 of a row
    return latitude;
}

}  // namespace fathom
