#include "numerics/solver/fused.hpp"
#include <algorithm>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
template <class Number> using RowOf = EllipticOperator<Number>::Row;
template <class Number> using Space = EllipticSpace<Number>;
constexpr int lead = EllipticOperator<double>::halo;

/// Rows of a one-degree ocean fit into the first cache: there the rows that come next are asked for while this one is computed. Longer
/// ones would be gone again before they are needed.
template <class Row> bool fits(const Row& row) { return row.up * sizeof *row.at <= 4096; }

/// s = a r + b s, y += alpha s. Rows are taken by value: the compiler then knows that no store changes them.
template <bool add, class Number> void search(const RowOf<Number> row, double alpha, double beta, double alpha_before) {
    using Real = EllipticOperator<Number>::Real;
    const Number* R = row.of(Space<Number>::r);
    Number *S = row.of(Space<Number>::s), *Y = row.of(Space<Number>::y);
    const Real a(alpha), b(beta), before(alpha_before);
    for (auto* segment = row.first; segment != row.last; ++segment)
        for (int c = segment->begin, end = segment->end; c < end; c += Real::width) {
            const Real s0 = Real::load(S + c), s1 = Real::load(R + c) + b * s0;
            s1.store(S + c);
            if constexpr (add) (Real::load(Y + c) + (before * s0 + a * s1)).store(Y + c);
        }
}

/// s = a r + b s; with add, before that y += s and after it again.
template <bool add, class Number> void semi_iterate(const RowOf<Number> row, double factor_r, double factor_s) {
    using Real = EllipticOperator<Number>::Real;
    const Number* R = row.of(Space<Number>::r);
    Number *S = row.of(Space<Number>::s), *Y = row.of(Space<Number>::y);
    const Real a(factor_r), b(factor_s);
    for (auto* segment = row.first; segment != row.last; ++segment)
        for (int c = segment->begin, end = segment->end; c < end; c += Real::width) {
            const Real s0 = Real::load(S + c), s1 = a * Real::load(R + c) + b * s0;
            s1.store(S + c);
            if constexpr (add) (Real::load(Y + c) + (s0 + s1)).store(Y + c);
        }
}

/// r -= alpha (A s).
template <class Number> void descend(const RowOf<Number> row, double alpha) {
    using Real = EllipticOperator<Number>::Real;
    Number* R = row.of(Space<Number>::r);
    const Real a(alpha);
    const bool ahead = fits(row);
    const Number *e = row.at + row.up, *n = e + row.array, *ne = n + row.array, *nw = ne + row.array;
    EllipticOperator<Number>::multiply(row, row.of(Space<Number>::s), [=](int c, Real, Real As) {
        (Real::load(R + c) - a * As).store(R + c);
        if (ahead) for (const Number* p : {e, n, ne, nw}) __builtin_prefetch(p + c);
    });
}

/// A thread's sums of r.r and r.(A r), over its own columns. What fp32 has rounded is summed more coarsely.
template <class Number> struct Summing {
    using Real = EllipticOperator<Number>::Real;
    using Lanes = SumLanes<sizeof(Number) == 8>;
    static constexpr int line = EllipticOperator<Number>::line;
    SumUnit unit; Lanes rho{unit}, delta{unit};
    ExactSum rho_sum{unit}, delta_sum{unit};
    void flush() { rho_sum.add(rho), delta_sum.add(delta), rho = delta = Lanes(unit); }
    static void add(Lanes& rho, Lanes& delta, Pack<double, register_lanes> x, Pack<double, register_lanes> Ax) { rho.add(x * x), delta.add(x * Ax); }
    static void add(Lanes& rho, Lanes& delta, Pack<float, 2 * register_lanes> x, Pack<float, 2 * register_lanes> Ax) {
        typedef float Half __attribute__((vector_size(4 * register_lanes)));
        struct Halves { Half low, high; };
        auto wide = [](Half a) { Pack<double, register_lanes> d; d.lanes = __builtin_convertvector(a, decltype(d.lanes)); return d; };
        const auto a = std::bit_cast<Halves>(x.lanes), b = std::bit_cast<Halves>(Ax.lanes);
        add(rho, delta, wide(a.low), wide(b.low));
        add(rho, delta, wide(a.high), wide(b.high));
    }
    void row(const RowOf<Number> row) {
        if (rho.count + (row.nx + 2 * lead + line - 1) / line * line / register_lanes > Lanes::most) flush();
        Lanes rho = this->rho, delta = this->delta;        // in registers
        const int nx = row.nx;
        const bool ahead = fits(row);
        const Number *next_r = row.of(Space<Number>::r) + 3 * row.up, *next_s = next_r + row.array, *next_y = next_s + row.array;
        EllipticOperator<Number>::multiply(row, row.of(Space<Number>::r), [=, &rho, &delta](int c, Real x, Real Ax) {
            if (ahead) for (const Number* p : {next_r, next_s, next_y}) __builtin_prefetch(p + c, 1);
            if (c < lead || c + Real::width > nx + lead) x = own_columns(x, c - lead, nx);             // a pack that is partly halo
            add(rho, delta, x, Ax);
        });
        this->rho = rho; this->delta = delta;
    }
};

/// Stages over rows, each one row behind the one before; stage(k, n) does row n and needs stage k - 1 in rows n - 1, n, n + 1. All threads
/// call it, each with its rows [begin, end): what needs another's rows waits until that has got there.
template <int stages, class F> void wavefront(int begin, int end, F stage) {
    for (int n = begin; n < end; ++n)
        for (int k = 0; k < stages; ++k) if (n - k >= begin + k && n < end) stage(k, n - k);
    for (int k = 1; k < stages; ++k) {
        #pragma omp barrier
        for (int n = begin; n < std::min(begin + k, end); ++n) stage(k, n);
        for (int n = std::max(begin + k, end - k); n < end; ++n) stage(k, n);
    }
}

template <class Number> class FusedGradients final : public Method {
public:
    explicit FusedGradients(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        space.clear(space.s);
        Step step;
        End end = End::many;
        double sigma = 0;
        Progress progress(iterations);
        Products now = products(16 * rr);
        if (!now.valid) now = products(infinity);
        if (!now.valid) return End::not_a_number;
        for (double rho_before = infinity; iterations < maximum;) {
            step.beta = now.rho / rho_before;
            sigma = now.delta - step.beta * step.beta * sigma;
            if (!(sigma > 0)) { end = End::not_positive; break; }
            step.alpha_before = step.alpha;
            step.alpha = now.rho / sigma;
            step.add = !step.add;
            Sums sums = sweep<true>(step, SumUnit::for_largest(256 * now.rho));        // r.r may grow 256 times before it is summed again
            space.start(space.r, lead);
            Products next = share(sums);
            space.finish(space.r, lead);
            if (!next.valid || next.rho < now.rho / 4096) next = products(infinity);
            ++iterations;
            if (!next.valid) { end = End::not_a_number; break; }
            rho_before = now.rho;
            now = next;
            if (std::is_same_v<Number, double>) space.record.note(iterations, now.rho);
            if (now.rho <= goal) { end = End::small; break; }
            if (progress.stuck(iterations, now.rho)) break;
        }
        if (!step.add)
            for (const auto& row : space.A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) row.of(space.y)[c] += Number(step.alpha) * row.of(space.s)[c];
        return end;
    }

private:
    using Sums = std::array<ExactSum, 2>;                  // rho, delta
    struct Products { double rho, delta; bool valid; };
    struct Step { double alpha = 0, beta = 0, alpha_before = 0; bool add = true; };    // add: to y, for this step and the one before
    Space<Number>& space;

    Products share(Sums& sums) {
        double values[2];
        const bool valid = space.share(sums, values);
        return {values[0], values[1], valid};
    }
    /// No row of A sums up to more than 9; largest: of r.r at any point, or infinite if it is to be found.
    Products products(double largest) {
        if (!(largest < infinity)) {
            const double most = space.largest(space.r);
            if (!(most < infinity)) return {std::nan(""), std::nan(""), false};
            largest = 16 * most * most;
        }
        Sums sums = sweep<false>({}, SumUnit::for_largest(largest));
        return share(sums);
    }
    template <bool updates> Sums sweep(const Step& step, SumUnit unit) {
        const double t = seconds_now();
        Sums total{ExactSum(unit), ExactSum(unit)};
        in_parallel([&] {
            const auto& part = space.parts();
            const int begin = part[omp_get_thread_num()], end = part[omp_get_thread_num() + 1];
            Summing<Number> sums{unit};
            const auto& rows = space.A.rows;
            if constexpr (!updates) { for (int n = begin; n < end; ++n) if (rows[n].ring == 0) sums.row(rows[n]); }
            else wavefront<3>(begin, end, [&](int stage, int n) {
                const auto& row = rows[n];
                if (stage == 0) {
                    if (step.add && row.ring == 0) search<true, Number>(row, step.alpha, step.beta, step.alpha_before);
                    else search<false, Number>(row, step.alpha, step.beta, step.alpha_before);
                } else if (stage == 1) { if (row.ring <= 1) descend<Number>(row, step.alpha); }
                else if (row.ring == 0) sums.row(row);
            });
            sums.flush();
            #pragma omp critical
            total[0].add(sums.rho_sum), total[1].add(sums.delta_sum);
        });
        space.record.seconds.sweep += seconds_now() - t;
        return total;
    }
};

/// r.r is summed every tenth iteration.
template <class Number> class FusedChebyshev final : public Method {
public:
    explicit FusedChebyshev(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        space.clear(space.s);
        ChebyshevFactors factors(spectrum);
        const double begun = rr;
        Progress progress(iterations);
        while (iterations < maximum) {
            for (int n = 0; n < 5; ++n) {
                const auto one = factors.next(), two = factors.next();
                if (n > 0 || factors.count > 2) space.fill(space.r, lead, 2);
                sweep(one, two);
            }
            iterations += 10;
            const auto largest = 256 * rr;
            rr = squares(SumUnit::for_largest(largest));
            if (!(rr <= 1e8 * begun)) return std::isfinite(rr) ? (widen(spectrum), End::many) : End::not_a_number;
            if (std::is_same_v<Number, double>) space.record.note(iterations, rr);
            if (rr <= goal) return End::small;
            if (progress.stuck(iterations, rr)) return End::many;
        }
        return End::many;
    }

private:
    Space<Number>& space;

    void sweep(std::pair<double, double> one, std::pair<double, double> two) {
        const double t = seconds_now();
        in_parallel([&] {
            const auto& part = space.parts();
            const auto& rows = space.A.rows;
            wavefront<4>(part[omp_get_thread_num()], part[omp_get_thread_num() + 1], [&](int stage, int n) {
                const auto& row = rows[n];
                if (stage == 0) semi_iterate<false, Number>(row, one.first, one.second);
                else if (stage == 1) { if (row.ring <= 1) descend<Number>(row, 1); }
                else if (stage == 2) { if (row.ring == 0) semi_iterate<true, Number>(row, two.first, two.second); else if (row.ring == 1) semi_iterate<false, Number>(row, two.first, two.second); }
                else if (row.ring == 0) descend<Number>(row, 1);
            });
        });
        space.record.seconds.sweep += seconds_now() - t;
    }
    double squares(SumUnit unit) {
        const double t = seconds_now();
        ExactSum total(unit);
        in_parallel([&] {
            ExactSum mine(unit);
            space.each_row([&](const RowOf<Number>& row) {
                if (row.ring) return;
                using Real = EllipticOperator<Number>::Real;
                SumLanes<sizeof(Number) == 8> lanes(unit), none(unit);
                for (auto* g = row.first; g != row.last; ++g) for (int c = g->begin; c < g->end; c += Real::width) {
                    const Real x = space.inside(row, c, Real::load(row.of(space.r) + c));
                    Summing<Number>::add(lanes, none, x, Real(0.0));
                }
                mine.add(lanes);
            });
            #pragma omp critical
            total.add(mine);
        });
        space.record.seconds.sweep += seconds_now() - t;
        double value;
        return space.share({&total, 1}, &value) ? value : std::nan("");
    }
};

}  // namespace

template <class Number> std::unique_ptr<Method> fused_gradients(EllipticSpace<Number>& space) { return std::make_unique<FusedGradients<Number>>(space); }
template <class Number> std::unique_ptr<Method> fused_chebyshev(EllipticSpace<Number>& space) { return std::make_unique<FusedChebyshev<Number>>(space); }
template std::unique_ptr<Method> fused_gradients(EllipticSpace<double>&);
template std::unique_ptr<Method> fused_gradients(EllipticSpace<float>&);
template std::unique_ptr<Method> fused_chebyshev(EllipticSpace<double>&);
template std::unique_ptr<Method> fused_chebyshev(EllipticSpace<float>&);

}  // namespace fathom
