#include <algorithm>
#include <cmath>
#include "solver/fused.hpp"

namespace fathom {

namespace {

using Space = EllipticSpace<double>;
using Real = Space::Real;
using Row = Space::Row;

///   z = M r,   s = a z + b s,   y += s,   r -= A s
/// r.r is summed in every twentieth iteration, near the end in every tenth, and when the bounds of
/// the spectrum say that it is small enough.
class Chebyshev final : public Method {
public:
    explicit Chebyshev(const MethodParts& p) : space(p.space), M(p.preconditioner), z(p.first) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        space.clear(space.s);
        ChebyshevFactors factors(spectrum);
        Progress progress(iterations);
        const double begun = rr;
        while (iterations < maximum) {
            for (int n = 0, count = std::min(until_sum(spectrum, rr, goal), maximum - iterations);
                 n < count; ++n) {
                M.apply(space.r, z, std::sqrt(rr));
                const auto [factor_z, factor_s] = factors.next();
                space.for_packs([&, a = Real(factor_z), b = Real(factor_s)](const Row& row, int c) {
                    const Real d =
                        a * Real::load(row.of(z) + c) + b * Real::load(row.of(space.s) + c);
                    d.store(row.of(space.s) + c);
                    (Real::load(row.of(space.y) + c) + d).store(row.of(space.y) + c);
                });
                space.multiply(space.s, [](const Row& row) {
                    return [R = row.of(Space::r)](int c, Real, Real As) {
                        (Real::load(R + c) - As).store(R + c);
                    };
                });
                ++iterations;
            }
            rr = space.dot(space.r, space.r, rr);
            if (!(rr <= 1e8 * begun))
                return std::isfinite(rr) ? (widen(spectrum), End::many) : End::not_a_number;
            space.record.note(iterations, rr);
            if (rr <= goal) return End::small;
            if (progress.stuck(iterations, rr)) return End::many;
        }
        return End::many;
    }

private:
    Space& space;
    Preconditioner& M;
    int z;
};

}  // namespace

std::unique_ptr<Method> chebyshev(const MethodParts& p) {
    if (p.preconditioner.identity()) return fused_chebyshev(p.space);
    return std::make_unique<Chebyshev>(p);
}

}  // namespace fathom
