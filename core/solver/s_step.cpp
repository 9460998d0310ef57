/// Conjugate gradients of several steps with one sum (Chronopoulos & Gear 1989; as written by
/// Carson & Demmel 2014). From the direction p and z = M r, Chebyshev's polynomials of M A between
/// the bounds of its spectrum span the space in which the next `steps` iterations lie,
///   V = (P_0 p ... P_s p, P_0 z ... P_(s-1) z),
///   M A P_0 = theta P_0 + h P_1,     M A P_k = theta P_k + h / 2 (P_(k+1) + P_(k-1)),
/// and with G = V' inverse(M) V, summed once, the iterations are done on 2 s + 1 coefficients. W =
/// inverse(M) V is kept next to V where M is not 1, so that only M is ever applied.
#include <algorithm>
#include <cmath>
#include "solver/method.hpp"

namespace fathom {

namespace {

using Space = EllipticSpace<double>;
using Real = Space::Real;
using Row = Space::Row;

template <int steps> class SStep final : public Method {
public:
    static constexpr int size = 2 * steps + 1, products = size * (size + 1) / 2;
    using Coefficients = std::array<double, size>;

    explicit SStep(const MethodParts& p)
        : space(p.space), M(p.preconditioner), identity(M.identity()) {
        int next = p.first;
        for (int n = 0; n < size; ++n)
            V[n] = n == 0 ? int(space.s) : n == steps + 1 && identity ? int(space.r) : next++;
        for (int n = 0; n < size; ++n)
            W[n] = identity ? V[n] : n == steps + 1 ? int(space.r) : next++;
    }

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        Progress progress(iterations);
        theta = 0.5 * (spectrum.largest + spectrum.least);
        // a narrow spectrum would make vectors of rounding errors
        h = std::max(0.5 * (spectrum.largest - spectrum.least), 0.2 * theta);
        space.clear(V[0]), space.clear(W[0]);
        double norm = rr;
        for (bool first = true;; first = false) {
            if (!identity) M.apply(W[steps + 1], V[steps + 1], std::sqrt(rr));
            if (first) begin();
            raise(0, steps, rr);
            raise(steps + 1, steps - 1, rr);
            if (!sum_products(norm)) return first ? End::not_a_number : End::many;
            rr = G[products];
            if (!first) {
                space.record.note(iterations, rr);
                if (rr <= goal) return End::small;
                if (progress.stuck(iterations, rr)) return End::many;
            }
            if (iterations >= maximum) return End::many;
            Steps found;
            const int done = advance(found, std::min(steps, maximum - iterations));
            if (done == 0) return first ? End::not_positive : End::many;
            iterations += done;
            combine(found);
            norm = std::max(rr, std::abs(G[0]));
        }
    }

private:
    /// The change of y by some iterations, and the residual and direction after them, as
    /// coefficients of V, or W.
    struct Steps {
        Coefficients x{}, z{}, p{};
    };
    Space& space;
    Preconditioner& M;
    bool identity;
    std::array<int, size> V, W;
    double theta = 0, h = 0;             // middle and half width of the spectrum
    std::array<double, products + 1> G;  // the upper triangle of V' W, row by row; r.r

    /// p = z
    void begin() {
        space.for_packs([&](const Row& row, int c) {
            Real::load(row.of(V[steps + 1]) + c).store(row.of(V[0]) + c);
            if (!identity) Real::load(row.of(W[steps + 1]) + c).store(row.of(W[0]) + c);
        });
    }
    bool sum_products(double norm) {
        auto sums = space.summed<products + 1>(
            Space::unit_of(norm), [&](const Row& row, ExactLanes* lanes) {
                Space::each_pack(row, [&](int c) {
                    Real v[size], w[size];
                    for (int n = 0; n < size; ++n)
                        v[n] = Space::inside(row, c, Real::load(row.of(V[n]) + c)),
                        w[n] = Real::load(row.of(W[n]) + c);
                    int k = 0;
                    for (int a = 0; a < size; ++a)
                        for (int b = a; b < size; ++b) lanes[k++].add(v[a] * w[b]);
                    const Real left = Space::inside(row, c, w[steps + 1]);
                    lanes[k].add(left * left);
                });
            });
        return space.share(sums, G.data());
    }
    /// a' G b
    double product(const Coefficients& a, const Coefficients& b) const {
        double total = 0;
        int k = 0;
        for (int i = 0; i < size; ++i)
            for (int j = i; j < size; ++j, ++k)
                total += G[k] * (i == j ? a[i] * b[i] : a[i] * b[j] + a[j] * b[i]);
        return total;
    }
    /// Conjugate gradients on coefficients; returns the number of valid iterations.
    int advance(Steps& found, int most) const {
        auto& [x, z, p] = found;
        p[0] = 1, z[steps + 1] = 1;
        double rho = product(z, z);
        const double begun = rho;
        for (int done = 0; done < most; ++done) {
            const Coefficients image = applied(p);
            const double sigma = product(p, image);
            // below that, coefficients are rounding errors
            if (!(rho > 0) || !(sigma > 0) || rho < 1e-10 * begun) return done;
            const double alpha = rho / sigma;
            for (int n = 0; n < size; ++n) x[n] += alpha * p[n], z[n] -= alpha * image[n];
            const double next = product(z, z), beta = next / rho;
            for (int n = 0; n < size; ++n) p[n] = z[n] + beta * p[n];
            rho = next;
        }
        return most;
    }
    /// y += V x, and the residual and the direction from W z, V p and W p.
    void combine(const Steps& found) {
        const auto& [x, z, p] = found;
        space.for_packs([&](const Row& row, int c) {
            Real at = Real::load(row.of(space.y) + c), direction(0.0), residual(0.0), image(0.0);
            for (int n = 0; n < size; ++n) {
                const Real v = Real::load(row.of(V[n]) + c), w = Real::load(row.of(W[n]) + c);
                at += Real(x[n]) * v, direction += Real(p[n]) * v;
                image += Real(p[n]) * w, residual += Real(z[n]) * w;
            }
            at.store(row.of(space.y) + c);
            direction.store(row.of(V[0]) + c);
            if (!identity) image.store(row.of(W[0]) + c);
            residual.store(row.of(space.r) + c);
        });
    }
    /// Computes `count` more vectors after number `from`.
    void raise(int from, int count, double rr) {
        for (int k = 0; k < count; ++k) {
            const int v = V[from + k], w = W[from + k], next = W[from + k + 1],
                      before = k ? W[from + k - 1] : w;
            const Real a(k ? 2 / h : 1 / h), t(theta), b(k ? 1.0 : 0.0);
            space.multiply(v, [=](const Row& row) {
                return [=, w = row.of(w), before = row.of(before), next = row.of(next)](int c, Real,
                                                                                        Real Av) {
                    (a * (Av - t * Real::load(w + c)) - b * Real::load(before + c)).store(next + c);
                };
            });
            if (!identity) M.apply(next, V[from + k + 1], std::sqrt(rr));
        }
    }
    /// Coefficients of M A times a vector.
    Coefficients applied(const Coefficients& p) const {
        Coefficients result{};
        auto spread = [&](int from, int count) {
            for (int k = 0; k < count; ++k) {
                result[from + k] += theta * p[from + k];
                if (k == 0)
                    result[from + 1] += h * p[from];
                else
                    result[from + k + 1] += 0.5 * h * p[from + k],
                        result[from + k - 1] += 0.5 * h * p[from + k];
            }
        };
        spread(0, steps);
        spread(steps + 1, steps - 1);
        return result;
    }
};

}  // namespace

std::unique_ptr<Method> s_step(const MethodParts& p) {
    if (p.steps == 2) return std::make_unique<SStep<2>>(p);
    if (p.steps == 3) return std::make_unique<SStep<3>>(p);
    return std::make_unique<SStep<4>>(p);
}

}  // namespace fathom
