#include <cmath>
#include "solver/fused.hpp"
#include "solver/method.hpp"

namespace fathom {

namespace {

using Space = EllipticSpace<double>;
using Real = Space::Real;
using Row = Space::Row;
enum : int { r = Space::r, s = Space::s, y = Space::y };

End failure(double x) { return std::isnan(x) ? End::not_a_number : End::not_positive; }

/// A pack of a row of any vector, selected by the number of the vector.
struct At {
    const Row& row;
    int c;
    Real operator[](int v) const { return Real::load(row.of(v) + c); }
    void set(int v, Real x) const { x.store(row.of(v) + c); }
    Real inside(Real x) const { return Space::inside(row, c, x); }
};

struct Plain : Method {
    Space& space;
    Preconditioner& M;
    bool identity;
    explicit Plain(const MethodParts& p)
        : space(p.space), M(p.preconditioner), identity(M.identity()) {}
    template <class F> void packs(F body) {
        space.for_packs([&](const Row& row, int c) { body(At{row, c}); });
    }
    template <int count, class F> std::array<ExactSum, count> sums(double size, F body) {
        return space.summed<count>(Space::unit_of(size), [&](const Row& row, ExactLanes* lanes) {
            Space::each_pack(row, [&](int c) { body(At{row, c}, lanes); });
        });
    }
    template <int count, class F> std::array<ExactSum, count> applied(int v, double size, F body) {
        return space.multiplied<count>(v, Space::unit_of(size),
                                       [&](const Row& row, int c, Real x, Real Ax,
                                           ExactLanes* lanes) { body(At{row, c}, x, Ax, lanes); });
    }
};

/// s = z + beta s,  y += alpha s,  r -= alpha As.
struct ConjugateGradients final : Plain {
    int z, As;
    explicit ConjugateGradients(const MethodParts& p)
        : Plain(p), z(identity ? int(r) : p.first), As(p.first + !identity) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        Progress progress(iterations);
        if (!identity) M.apply(r, z, std::sqrt(rr));
        double rho = space.dot(r, z, rr), beta = 0;
        for (bool first = true; iterations < maximum; first = false) {
            if (!(rho > 0)) return failure(rho);
            search(first, beta);
            double sigma;
            if (!multiply(rr, sigma)) return End::not_a_number;
            if (!(sigma > 0)) return End::not_positive;
            auto squares = descend(rr, rho / sigma);
            ++iterations;
            const double rho_before = rho;
            if (!products(squares, goal, rr, rho)) return End::not_a_number;
            space.record.note(iterations, rr);
            if (rr <= goal) return End::small;
            beta = rho / rho_before;
            if (progress.stuck(iterations, rr)) return End::many;
        }
        return End::many;
    }

private:
    void search(bool first, double beta) {
        if (first)
            packs([&](At at) { at.set(s, at[z]); });
        else
            packs([&, b = Real(beta)](At at) { at.set(s, at[z] + b * at[s]); });
    }
    /// As, and sigma = s.As
    bool multiply(double rr, double& sigma) {
        auto curvature = applied<1>(s, rr, [&](At at, Real x, Real Ax, ExactLanes* lanes) {
            at.set(As, Ax);
            lanes->add(at.inside(x) * Ax);
        });
        return space.share(curvature, &sigma);
    }
    std::array<ExactSum, 1> descend(double rr, double alpha) {
        return sums<1>(rr, [&, a = Real(alpha)](At at, ExactLanes* lanes) {
            at.set(y, at[y] + a * at[s]);
            const Real left = at[r] - a * at[As];
            at.set(r, left);
            const Real own = at.inside(left);
            lanes->add(own * own);
        });
    }
    /// r.r, and rho = r.z with z = M r: in one sum, unless M is expensive and r.r may end it.
    bool products(std::array<ExactSum, 1>& squares, double goal, double& rr, double& rho) {
        if (identity || M.dear()) {
            if (!space.share(squares, &rr)) return false;
            if (rr <= goal) return true;
            if (!identity) M.apply(r, z, std::sqrt(rr));
            rho = identity ? rr : space.dot(r, z, rr);
            return true;
        }
        M.apply(r, z, std::sqrt(rr));
        const auto product =
            sums<1>(rr, [&](At at, ExactLanes* lanes) { lanes->add(at.inside(at[r]) * at[z]); });
        std::array<ExactSum, 2> both{squares[0], product[0]};
        double values[2];
        if (!space.share(both, values)) return false;
        rr = values[0], rho = values[1];
        return true;
    }
};

/// s = z + beta s,  p = Az + beta p,  y += alpha s,  r -= alpha p.
struct ChronopoulosGear final : Plain {
    int z, Az, p;
    explicit ChronopoulosGear(const MethodParts& parts)
        : Plain(parts), z(parts.first), Az(z + 1), p(z + 2) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        Progress progress(iterations);
        space.clear(s), space.clear(p);
        auto squares = sums<1>(rr, [&](At at, ExactLanes* lanes) {
            const Real x = at.inside(at[r]);
            lanes->add(x * x);
        });
        double rho_before = std::numeric_limits<double>::infinity(), sigma = 0;
        for (bool first = true;; first = false) {
            M.apply(r, z, std::sqrt(rr));
            const auto products = applied<2>(z, rr, [&](At at, Real x, Real Ax, ExactLanes* lanes) {
                const Real own = at.inside(x);
                at.set(Az, Ax);
                lanes[0].add(own * at[r]);
                lanes[1].add(own * Ax);
            });
            std::array<ExactSum, 3> all{squares[0], products[0], products[1]};
            double values[3];
            if (!space.share(all, values)) return End::not_a_number;
            rr = values[0];
            if (!first) {
                space.record.note(iterations, rr);
                if (rr <= goal) return End::small;
                if (progress.stuck(iterations, rr)) return End::many;
            }
            if (iterations >= maximum) return End::many;
            const double rho = values[1], beta = rho / rho_before;
            sigma = values[2] - beta * beta * sigma;
            if (!(rho > 0) || !(sigma > 0)) return End::not_positive;
            squares =
                sums<1>(rr, [&, a = Real(rho / sigma), b = Real(beta)](At at, ExactLanes* lanes) {
                    const Real direction = at[z] + b * at[s], image = at[Az] + b * at[p],
                               left = at[r] - a * image;
                    at.set(s, direction), at.set(p, image), at.set(r, left);
                    at.set(y, at[y] + a * direction);
                    const Real own = at.inside(left);
                    lanes->add(own * own);
                });
            rho_before = rho;
            ++iterations;
        }
    }
};

///   u = M r,   w = A u,   m = M w,   n = A m,
///   zs = n + beta zs,   q = m + beta q,   As = w + beta As,   s = u + beta s,
///   y += alpha s,   r -= alpha As,   u -= alpha q,   w -= alpha zs.
/// The sum of r.u, w.u, r.r travels while m and n are made.
struct Pipelined final : Plain {
    int w, n, zs, As, u, m, q;
    explicit Pipelined(const MethodParts& p)
        : Plain(p),
          w(p.first),
          n(w + 1),
          zs(w + 2),
          As(w + 3),
          u(identity ? int(r) : w + 4),
          m(identity ? w : w + 5),
          q(identity ? As : w + 6) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        Progress progress(iterations);
        auto products = begin(rr);
        double gamma_before = std::numeric_limits<double>::infinity(), alpha = 1;
        const double begun = rr;
        for (bool first = true;; first = false) {
            double values[3];
            if (!share(products, rr, values)) return End::not_a_number;
            rr = values[0];
            if (!first) {
                space.record.note(iterations, rr);
                if (rr <= goal) return End::small;
                if (rr <= 1e-14 * begun || progress.stuck(iterations, rr))
                    return End::many;  // the updated vector is not the residual any more
            }
            if (iterations >= maximum) return End::many;
            const double gamma = values[1], beta = gamma / gamma_before,
                         sigma = values[2] - beta * gamma / alpha;
            if (!(gamma > 0) || !(sigma > 0)) return first ? End::not_positive : End::many;
            alpha = gamma / sigma, gamma_before = gamma;
            products = identity ? advance(rr, alpha, beta) : advance_with_m(rr, alpha, beta);
            ++iterations;
        }
    }

private:
    std::array<ExactSum, 3> begin(double rr) {
        for (int v : {int(s), zs, As, q}) space.clear(v);
        if (!identity) M.apply(r, u, std::sqrt(rr));
        applied<0>(u, rr, [&](At at, Real, Real Au, ExactLanes*) { at.set(w, Au); });
        return sums<3>(rr, [&](At at, ExactLanes* lanes) { add(lanes, at, at[r], at[u], at[w]); });
    }
    /// Computes m and n while the sums travel.
    bool share(std::array<ExactSum, 3>& products, double rr, double* values) {
        space.start(products);
        if (!identity) M.apply(w, m, std::sqrt(rr));
        applied<0>(m, rr, [&](At at, Real, Real Am, ExactLanes*) { at.set(n, Am); });
        return space.finish(products, values);
    }
    std::array<ExactSum, 3> advance(double rr, double alpha, double beta) {
        return sums<3>(rr, [&, a = Real(alpha), b = Real(beta)](At at, ExactLanes* lanes) {
            const Real zs1 = at[n] + b * at[zs], As1 = at[w] + b * at[As], s1 = at[r] + b * at[s];
            const Real r1 = at[r] - a * As1, w1 = at[w] - a * zs1;
            at.set(zs, zs1), at.set(As, As1), at.set(s, s1), at.set(r, r1), at.set(w, w1);
            at.set(y, at[y] + a * s1);
            add(lanes, at, r1, r1, w1);
        });
    }
    std::array<ExactSum, 3> advance_with_m(double rr, double alpha, double beta) {
        return sums<3>(rr, [&, a = Real(alpha), b = Real(beta)](At at, ExactLanes* lanes) {
            const Real zs1 = at[n] + b * at[zs], q1 = at[m] + b * at[q], As1 = at[w] + b * at[As],
                       s1 = at[u] + b * at[s];
            const Real r1 = at[r] - a * As1, u1 = at[u] - a * q1, w1 = at[w] - a * zs1;
            at.set(zs, zs1), at.set(q, q1), at.set(As, As1), at.set(s, s1);
            at.set(r, r1), at.set(u, u1), at.set(w, w1);
            at.set(y, at[y] + a * s1);
            add(lanes, at, r1, u1, w1);
        });
    }
    static void add(ExactLanes* lanes, At at, Real r, Real u, Real w) {
        const Real own_r = at.inside(r), own_u = at.inside(u);
        lanes[0].add(own_r * own_r), lanes[1].add(own_r * u), lanes[2].add(own_u * w);
    }
};

}  // namespace

std::unique_ptr<Method> conjugate_gradients(const MethodParts& p) {
    return std::make_unique<ConjugateGradients>(p);
}
std::unique_ptr<Method> pipelined(const MethodParts& p) { return std::make_unique<Pipelined>(p); }
std::unique_ptr<Method> chronopoulos_gear(const MethodParts& p) {
    if (p.preconditioner.identity()) return fused_gradients(p.space);
    return std::make_unique<ChronopoulosGear>(p);
}

}  // namespace fathom
