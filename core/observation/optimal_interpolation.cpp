#include "observation/optimal_interpolation.hpp"
#include <algorithm>
#include <cmath>
#include <vector>
#include "base/constants.hpp"

namespace fathom {
namespace {

double distance(const double* a, const double* b) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return 2 * constants::earth_radius *
           std::asin(std::min(1., 0.5 * std::sqrt(x * x + y * y + z * z)));
}

double covariance(const StructureFunction& s, const double* a, double height_a, const double* b,
                  double height_b) {
    const double r = distance(a, b) / s.length, dz = (height_a - height_b) / s.height;
    const double apart = std::isfinite(dz) ? dz : 0;
    return s.background_error * s.background_error * (1 + r) * std::exp(-r - 0.5 * apart * apart);
}

/// Solves A x = b in place by Cholesky; A (n, n) positive definite, its lower half.
void solve(std::vector<double>& A, std::vector<double>& b, int n) {
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k)
            for (int i = j; i < n; ++i) A[j * n + i] -= A[k * n + i] * A[k * n + j];
        const double root = std::sqrt(A[j * n + j]);
        for (int i = j; i < n; ++i) A[j * n + i] /= root;
    }
    for (int j = 0; j < n; ++j) {
        b[j] /= A[j * n + j];
        for (int i = j + 1; i < n; ++i) b[i] -= A[j * n + i] * b[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        for (int i = j + 1; i < n; ++i) b[j] -= A[j * n + i] * b[i];
        b[j] /= A[j * n + j];
    }
}

}  // namespace

void interpolate_optimally(const StructureFunction& s, const Places& targets,
                           const Places& observations, std::span<const double> departure,
                           std::span<const double> error, std::span<const std::int32_t> neighbours,
                           int threads, std::span<double> increment, std::span<double> deviation) {
    const int count = int(increment.size());
    const std::size_t most = count ? neighbours.size() / std::size_t(count) : 0;
#pragma omp parallel num_threads(threads)
    {
        std::vector<double> A(most * most), c(most), w(most);
#pragma omp for schedule(dynamic, 64)
        for (int t = 0; t < count; ++t) {
            const std::int32_t* own = neighbours.data() + std::size_t(t) * most;
            const int n = int(std::find(own, own + most, -1) - own);
            const double* place = targets.direction.data() + 3 * t;
            for (int i = 0; i < n; ++i) {
                const double* a = observations.direction.data() + 3 * own[i];
                const double height = observations.height[own[i]];
                for (int j = i; j < n; ++j)
                    A[i * n + j] =
                        covariance(s, a, height, observations.direction.data() + 3 * own[j],
                                   observations.height[own[j]]);
                A[i * n + i] += error[own[i]] * error[own[i]];
                c[i] = w[i] = covariance(s, a, height, place, targets.height[t]);
            }
            solve(A, w, n);
            double sum = 0, less = 0;
            for (int i = 0; i < n; ++i) sum += w[i] * departure[own[i]], less += w[i] * c[i];
            increment[t] = sum;
            deviation[t] = std::sqrt(std::max(0., s.background_error * s.background_error - less));
        }
    }
}

}  // namespace fathom
