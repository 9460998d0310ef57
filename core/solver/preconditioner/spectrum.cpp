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
    auto below =
        [&](double x) {  // eigenvalues smaller than x: signs of the pivots of T - x (Sturm)
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

Spectrum lanczos(EllipticSpace<double>& space, Preconditioner& M, int first) {
    using Space = EllipticSpace<double>;
    constexpr int most = 300, pause = 10;
    const Topology& t = space.how.decomposition->topology;
    for (const auto& row : space.A.rows) {
        std::fill_n(row.of(Space::r), row.up, 0);
        if (row.ring) continue;
        const Block& b = space.A.blocks[row.block];
        for (int c = Space::lead; c < Space::lead + row.nx; ++c) {
            std::uint64_t x =
                std::uint64_t(b.j0 + row.j) * t.nx + b.i0 + c - Space::lead + 1;  // splitmix64
            x *= 0x9e3779b97f4a7c15, x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9,
                                     x = (x ^ x >> 27) * 0x94d049bb133111eb, x ^= x >> 31;
            row.of(Space::r)[c] =
                row.of(space.A.scale)[c] > 0 ? double(std::int64_t(x)) * 0x1p-63 : 0;
        }
    }
    space.clear(Space::s);
    const int z = M.identity() ? int(Space::r) : first, As = first + 1;
    std::vector<double> diagonal, off;
    Spectrum found{1, 1, 0};
    double size = space.largest(Space::r);
    double rr = space.dot(Space::r, Space::r, size * size), rho_before = 0, alpha_before = 1,
           beta = 0, quiet = 0;
    const double begun = rr;
    for (int step = 0; step < most && rr > 1e-24 * begun; ++step) {
        M.apply(Space::r, z, std::sqrt(rr));
        const double rho = space.dot(Space::r, z, rr);
        if (step) beta = rho / rho_before, off.push_back(std::sqrt(beta) / alpha_before);
        if (!(rho > 0)) {
            if (step) off.pop_back();
            break;
        }
        space.for_packs([&, b = Space::Real(beta)](const Space::Row& row, int c) {
            (Space::Real::load(row.of(z) + c) + b * Space::Real::load(row.of(Space::s) + c))
                .store(row.of(Space::s) + c);
        });
        auto sums = space.multiplied<1>(
            Space::s, Space::unit_of(rr),
            [&](const Space::Row& row, int c, Space::Real x, Space::Real Ax, ExactLanes* lanes) {
                Ax.store(row.of(As) + c);
                lanes->add(Space::inside(row, c, x) * Ax);
            });
        double sigma;
        if (!space.share(sums, &sigma) || !(sigma > 0)) {
            if (step) off.pop_back();
            break;
        }
        const double alpha = rho / sigma;
        diagonal.push_back(1 / alpha + beta / alpha_before);
        space.for_packs([&, a = Space::Real(alpha)](const Space::Row& row, int c) {
            (Space::Real::load(row.of(Space::r) + c) - a * Space::Real::load(row.of(As) + c))
                .store(row.of(Space::r) + c);
        });
        rr = space.dot(Space::r, Space::r, rr);
        rho_before = rho, alpha_before = alpha;
        found.steps = step + 1;
        if (found.steps % pause) continue;
        const auto [least, largest] = extremes(diagonal, off);
        quiet = std::abs(least - found.least) < 0.03 * least &&
                        std::abs(largest - found.largest) < 0.003 * largest
                    ? quiet + 1
                    : 0;
        found.least = least, found.largest = largest;
        if (quiet == 2) break;
    }
    if (!diagonal.empty())
        std::tie(found.least, found.largest) =
            extremes(diagonal, std::span(off).first(diagonal.size() - 1));
    const double width =
        found.largest - found.least;  // where M is nearly the inverse, hardly anything
    found.least -= std::min(0.05 * found.least, 0.5 * width),
        found.largest += std::min(0.02 * found.largest, 0.5 * width);
    for (int v : {int(Space::r), int(Space::s), z, As}) space.clear(v);
    return found;
}

}  // namespace fathom
