#include <algorithm>
#include <cmath>
#include "solver/preconditioner/preconditioner.hpp"

namespace fathom {

std::pair<double, double> extremes(std::span<const double> diagonal, std::span<const double> off) {
    const std::size_t n = diagonal.size();
    double low = diagonal[0], high = diagonal[0];  // Gershgorin's circles
    for (std::size_t k = 0; k < n; ++k) {
        const double radius = (k ? std::abs(off[k - 1]) : 0) + (k + 1 < n ? std::abs(off[k]) : 0);
        low = std::min(low, diagonal[k] - radius), high = std::max(high, diagonal[k] + radius);
    }
    // eigenvalues smaller than x: signs of the pivots of T - x (Sturm)
    auto below = [&](double x) {
        std::size_t count = 0;
        double pivot = 1;
        for (std::size_t k = 0; k < n; ++k) {
            pivot = diagonal[k] - x - (k ? off[k - 1] * off[k - 1] / pivot : 0);
            if (pivot == 0) pivot = -1e-300;
            count += pivot < 0;
        }
        return count;
    };
    auto bisect = [&](std::size_t index) {  // the eigenvalue with `index` smaller ones
        double a = low, b = high;
        for (int step = 0; step < 100; ++step) {
            const double middle = 0.5 * (a + b);
            if (!(middle > a && middle < b)) break;
            (below(middle) > index ? b : a) = middle;
        }
        return 0.5 * (a + b);
    };
    return {bisect(0), bisect(n - 1)};
}

namespace {

using Space = EllipticSpace<double>;
using Real = Space::Real;
using Row = Space::Row;

/// A pseudo-random number in [-1, 1) determined by n (splitmix64).
double noise(std::uint64_t n) {
    std::uint64_t x = n * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x ^= x >> 31;
    return double(std::int64_t(x)) * 0x1p-63;
}

/// r = noise, determined by the points of the grid.
void fill_with_noise(Space& space) {
    const int nx = space.how.decomposition->topology.nx;
    for (const auto& row : space.A.rows) {
        std::fill_n(row.of(Space::r), row.up, 0);
        if (row.ring) continue;
        const Block& b = space.A.blocks[row.block];
        const double* scale = row.of(space.A.scale);
        for (int c = Space::lead; c < Space::lead + row.nx; ++c) {
            const int i = b.i0 + c - Space::lead, j = b.j0 + row.j;
            row.of(Space::r)[c] = scale[c] > 0 ? noise(std::uint64_t(j) * nx + i + 1) : 0;
        }
    }
}

/// Conjugate gradients that keep the tridiagonal matrix.
class Lanczos {
public:
    std::vector<double> diagonal, off;
    double rr;

    Lanczos(Space& space, Preconditioner& M, int first)
        : space(space), M(M), z(M.identity() ? int(Space::r) : first), As(first + 1) {
        fill_with_noise(space);
        space.clear(Space::s);
        const double size = space.largest(Space::r);
        rr = space.dot(Space::r, Space::r, size * size);
    }
    ~Lanczos() {
        for (int v : {int(Space::r), int(Space::s), z, As}) space.clear(v);
    }
    /// Adds a row; false if M A is not positive, within rounding errors.
    bool step() {
        M.apply(Space::r, z, std::sqrt(rr));
        const double rho = space.dot(Space::r, z, rr);
        if (!(rho > 0)) return false;
        const bool first = diagonal.empty();
        const double beta = first ? 0 : rho / rho_before;
        search(beta);
        double sigma;
        if (!multiply(sigma) || !(sigma > 0)) return false;
        const double alpha = rho / sigma;
        if (!first) off.push_back(std::sqrt(beta) / alpha_before);
        diagonal.push_back(1 / alpha + beta / alpha_before);
        descend(alpha);
        rr = space.dot(Space::r, Space::r, rr);
        rho_before = rho, alpha_before = alpha;
        return true;
    }

private:
    Space& space;
    Preconditioner& M;
    const int z, As;
    double rho_before = 0, alpha_before = 1;

    /// s = z + beta s
    void search(double beta) {
        space.for_packs([&, b = Real(beta)](const Row& row, int c) {
            (Real::load(row.of(z) + c) + b * Real::load(row.of(Space::s) + c))
                .store(row.of(Space::s) + c);
        });
    }
    /// As, and sigma = s.As
    bool multiply(double& sigma) {
        auto sums =
            space.multiplied<1>(Space::s, Space::unit_of(rr),
                                [&](const Row& row, int c, Real x, Real Ax, ExactLanes* lanes) {
                                    Ax.store(row.of(As) + c);
                                    lanes->add(Space::inside(row, c, x) * Ax);
                                });
        return space.share(sums, &sigma);
    }
    /// r -= alpha As
    void descend(double alpha) {
        space.for_packs([&, a = Real(alpha)](const Row& row, int c) {
            (Real::load(row.of(Space::r) + c) - a * Real::load(row.of(As) + c))
                .store(row.of(Space::r) + c);
        });
    }
};

bool close(double a, double b, double tolerance) { return std::abs(a - b) < tolerance * a; }

}  // namespace

Spectrum lanczos(Space& space, Preconditioner& M, int first) {
    constexpr int most = 300, pause = 10;
    Lanczos matrix(space, M, first);
    Spectrum found{1, 1, 0};
    int quiet = 0;
    const double begun = matrix.rr;
    for (int step = 0; step < most && matrix.rr > 1e-24 * begun && quiet < 2; ++step) {
        if (!matrix.step()) break;
        found.steps = step + 1;
        if (found.steps % pause) continue;
        const auto [least, largest] = extremes(matrix.diagonal, matrix.off);
        const bool still = close(least, found.least, 0.03) && close(largest, found.largest, 0.003);
        quiet = still ? quiet + 1 : 0;
        found.least = least, found.largest = largest;
    }
    if (!matrix.diagonal.empty())
        std::tie(found.least, found.largest) = extremes(matrix.diagonal, matrix.off);
    // if M is nearly the inverse, the margins are very small
    const double width = found.largest - found.least;
    found.least -= std::min(0.05 * found.least, 0.5 * width);
    found.largest += std::min(0.02 * found.largest, 0.5 * width);
    return found;
}

}  // namespace fathom
