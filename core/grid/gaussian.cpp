#include "grid/gaussian.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include "base/error.hpp"

namespace fathom {

namespace {

// |P_n^m| on a classical reduced row: errors of round trips are its square
constexpr double negligible = 2e-6;

void check(int rows, int fewest) {
    if (rows < 2 || rows % 2)
        throw Error("a Gaussian grid of ", rows, " rows; the number must be even and positive");
    if (fewest < 4) throw Error("a row of ", fewest, " points; at least 4");
}

int check_order(int order) {
    if (order < 2 || order > 4)
        throw Error("order ", order,
                    " of a Gaussian grid; allowed: 2 (linear), 3 (quadratic), 4 (cubic)");
    return order;
}

int check_truncation(int truncation) {
    if (truncation < 1) throw Error("truncation ", truncation, "; at least 1");
    return truncation;
}

/// Only the rows. Newton's method in extended precision: cosines near the poles keep their digits.
GaussianGrid gaussian_rows(int rows) {
    GaussianGrid g;
    for (auto* v : {&g.sine, &g.sine_rest, &g.cosine, &g.weight}) v->resize(rows);
    for (int i = 1; i <= rows / 2; ++i) {
        long double x = std::cos(std::numbers::pi_v<long double> * (i - 0.25L) / (rows + 0.5L)),
                    slope = 0;
        for (int pass = 0; pass < 4; ++pass) {
            long double before = 1, p = x;
            for (int n = 2; n <= rows; ++n) {
                const long double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
                before = p, p = next;
            }
            slope = rows * (before - x * p) / ((1 - x) * (1 + x));
            const long double dx = p / slope;
            x -= dx;
            if (std::abs(dx) < 1e-17L) break;
        }
        const long double w = 1 / ((1 - x) * (1 + x) * slope * slope);
        for (int j : {i - 1, rows - i})
            g.cosine[j] = double(std::sqrt((1 - x) * (1 + x))), g.weight[j] = double(w);
        g.sine[i - 1] = -double(x), g.sine[rows - i] = double(x);
        g.sine_rest[i - 1] = -double(x - double(x)), g.sine_rest[rows - i] = double(x - double(x));
    }
    return g;
}

int rows_of(int points) { return (points / 2 + 1) / 2 * 2; }

/// Waves of row j that are not negligible: the largest m <= truncation with |P_n^m| >= negligible
/// for some n <= truncation.
int waves_of(double sine, double cosine, int truncation) {
    double log_seed = 0;  // ln P_m^m
    std::vector<double> logs(truncation + 1);
    for (int m = 0; m <= truncation; ++m) {
        if (m) log_seed += std::log(cosine) + 0.5 * std::log((2. * m + 1) / (2. * m));
        logs[m] = log_seed;
    }
    auto epsilon = [](int n, int m) {
        return std::sqrt((double(n) * n - double(m) * m) / (4. * n * n - 1));
    };
    for (int m = truncation; m > 0; --m) {
        double before = 0, p = 1, e_before = 0, log_scale = logs[m];
        for (int n = m;; ++n) {
            if (std::log(std::abs(p) + 1e-300) + log_scale >= std::log(negligible)) return m;
            if (n == truncation) break;
            const double e = epsilon(n + 1, m), next = (sine * p - e_before * before) / e;
            before = p, p = next, e_before = e;
            if (std::abs(p) > 1e100) before *= 1e-100, p *= 1e-100, log_scale += std::log(1e100);
        }
    }
    return 0;
}

}  // namespace

int GaussianGrid::longest() const { return *std::ranges::max_element(points); }
long GaussianGrid::size() const { return std::accumulate(points.begin(), points.end(), 0L); }

GaussianGrid GaussianGrid::stretched(double c) const {
    if (!(c >= 1)) throw Error("stretching ", c, "; at least 1, which is none");
    GaussianGrid g = *this;
    g.stretching = Stretching(c);
    double sum = 0;
    for (int j = 0; j < rows(); ++j) sum += g.area(j);
    if (!(std::abs(sum - 1) < 1e-9))
        throw Error("a stretching of ", c, " is too much for ", rows(),
                    " rows: areas miss the sphere by ", sum - 1, " of it");
    return g;
}

int fast_points(int points) {
    for (int n = std::max(points + points % 2, 4);; n += 2) {
        int rest = n;
        for (int p : {2, 3, 5, 7})
            while (rest % p == 0) rest /= p;
        if (rest == 1) return n;
    }
}

GaussianGrid full_gaussian_grid(int rows, int points) {
    check(rows, points);
    if (points % 2) throw Error("rows of ", points, " points; the number must be even");
    GaussianGrid g = gaussian_rows(rows);
    g.points.assign(rows, points);
    return g;
}

GaussianGrid full_gaussian_grid_of(int truncation, int order) {
    const int points = fast_points(check_order(order) * check_truncation(truncation) + 1);
    return full_gaussian_grid(rows_of(points), points);
}

GaussianGrid octahedral_gaussian_grid(int rows) {
    check(rows, 20);
    GaussianGrid g = gaussian_rows(rows);
    for (int j = 0; j < rows; ++j) g.points.push_back(4 * (std::min(j, rows - 1 - j) + 1) + 16);
    return g;
}

GaussianGrid octahedral_gaussian_grid_of(int truncation) {
    return octahedral_gaussian_grid(2 * (check_truncation(truncation) + 1));
}

GaussianGrid classical_gaussian_grid(int rows, int truncation, int order) {
    check(rows, 4), check_order(order), check_truncation(truncation);
    GaussianGrid g = gaussian_rows(rows);
    g.points.resize(rows);
    const int longest = std::max(fast_points(order * truncation + 1), 2 * rows);
    for (int j = 0, fewest = 16; j < rows / 2; ++j) {
        const int needed =
            fast_points(std::max(fewest, order * waves_of(g.sine[j], g.cosine[j], truncation) + 1));
        fewest = std::max(fewest, needed);
        g.points[j] = g.points[rows - 1 - j] = std::min(fewest, fast_points(longest));
    }
    return g;
}

GaussianGrid classical_gaussian_grid_of(int truncation, int order) {
    return classical_gaussian_grid(
        rows_of(fast_points(check_order(order) * check_truncation(truncation) + 1)), truncation,
        order);
}

}  // namespace fathom
