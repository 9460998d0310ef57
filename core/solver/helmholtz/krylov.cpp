#include "solver/helmholtz/krylov.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

using Pair = HelmholtzVectors::Pair;
constexpr int restart = 10;
constexpr HelmholtzChoice known[] = {
    {"gcr", "generalised conjugate residuals, restarted after ten"},
    {"bicgstab", "stabilised bi-conjugate gradients: a third of the memory"},
};

/// A search until the square of the residual, `left`, is no more than `enough`.
class Search {
public:
    Search(HelmholtzVectors& on, double left, double enough, int most)
        : left(left), on(on), enough(enough), most(most) {}
    int products = 0;
    double left;

    void residuals();
    void gradients();

private:
    enum : int { r = HelmholtzVectors::residual, x = HelmholtzVectors::solution };
    HelmholtzVectors& on;
    const double enough;
    const int most;

    bool goes_on() const { return (left > enough || products == 0) && left > 0 && products < most; }
    void add(double factor, int from, int to) { on.add({&factor, 1}, from, to); }
};

void Search::residuals() {
    constexpr int p = HelmholtzVectors::first, q = p + restart;
    std::array<double, restart> lengths, shares;
    while (goes_on()) {
        const int n = products % restart;
        on.precondition(r, p + n);
        on.multiply(p + n, q + n);
        std::vector<Pair> pairs{{q + n, q + n}, {r, q + n}};
        for (int m = 0; m < n; ++m) pairs.push_back({q + n, q + m});
        const auto sums = on.dots(pairs);
        lengths[n] = sums[0];
        for (int m = 0; m < n; ++m) {
            const double share = sums[2 + m] / lengths[m];
            shares[m] = -share;
            lengths[n] -= share * sums[2 + m];
        }
        for (int of : {p, q}) on.add({shares.data(), std::size_t(n)}, of, of + n);
        if (!(lengths[n] > 0)) break;
        const double amount = sums[1] / lengths[n];
        add(amount, p + n, x);
        add(-amount, q + n, r);
        left -= amount * sums[1];
        ++products;
    }
}

/// The sums of the second product also give the next residual and its projection.
void Search::gradients() {
    enum : int { along = HelmholtzVectors::first, step, shadow, v, t };
    on.copy(r, along), on.copy(r, shadow);
    double projection = left;
    while (goes_on()) {
        on.precondition(along, step);
        on.multiply(step, v);
        const double amount = projection / on.dots(std::array{Pair{shadow, v}})[0];
        ++products;
        if (!std::isfinite(amount)) break;
        add(amount, step, x);
        add(-amount, v, r);
        on.precondition(r, step);
        on.multiply(step, t);
        const auto sums = on.dots(
            std::array{Pair{t, r}, Pair{t, t}, Pair{r, r}, Pair{shadow, r}, Pair{shadow, t}});
        ++products;
        left = sums[2];
        if (!(sums[1] > 0)) break;
        const double omega = sums[0] / sums[1];
        add(omega, step, x);
        add(-omega, t, r);
        left = std::max(0., sums[2] - omega * sums[0]);
        const double next = sums[3] - omega * sums[4], turn = next / projection * amount / omega;
        if (!std::isfinite(turn)) break;
        add(-omega, v, along);
        on.turn(turn, r, along);
        projection = next;
    }
}

bool gcr(const HelmholtzOptions& options) { return options.method == "gcr"; }

}  // namespace

std::span<const HelmholtzChoice> helmholtz_methods() { return known; }

int HelmholtzVectors::count(const HelmholtzOptions& options) {
    return first + (gcr(options) ? 2 * restart : 5);
}

HelmholtzFound search(HelmholtzVectors& on, const HelmholtzOptions& options, double measure) {
    constexpr int r = HelmholtzVectors::residual;
    const double whole = on.dots(std::array{Pair{r, r}})[0],
                 against = std::max(whole, measure * measure),
                 enough = options.tolerance * options.tolerance * against;
    Search search(on, whole, enough, options.most_iterations);
    gcr(options) ? search.residuals() : search.gradients();
    return {search.products, std::sqrt(whole),
            against > 0 ? std::sqrt(std::max(search.left, 0.) / against) : 0};
}

}  // namespace fathom
