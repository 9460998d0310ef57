#include "numerics/solver/fused.hpp"
#include "numerics/solver/fused_rows.hpp"
#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
template <class Number> using RowOf = EllipticOperator<Number>::Row;
template <class Number> using Space = EllipticSpace<Number>;
constexpr int lead = EllipticOperator<double>::halo;

/// r, s and y become D r, D s, D y, and r and y themselves again.
template <class Number> void enter(Space<Number>& space) {
    space.clear(space.s);
    in_parallel([&] {
        space.each_row([&](const RowOf<Number>& row) {
            const Number* d = row.of(space.A.scale);
            Number *R = row.of(space.r), *Y = row.of(space.y);
            for (int c = 0; c < row.nx + 2 * lead; ++c) R[c] *= d[c], Y[c] *= d[c];
        });
    });
}
template <class Number> void leave(Space<Number>& space) {
    in_parallel([&] {
        space.each_row([&](const RowOf<Number>& row) {
            const Number* d = row.of(space.A.scale);
            Number *R = row.of(space.r), *Y = row.of(space.y);
            for (int c = 0; c < row.nx + 2 * lead; ++c) R[c] = d[c] > 0 ? R[c] / d[c] : 0, Y[c] = d[c] > 0 ? Y[c] / d[c] : 0;
        });
    });
}

/// s -> r of row n, once s of the rows beside it is there.
template <class Number> void descend(Space<Number>& space, int n, const FusedStep& step, FusedCarry<Number>& carry, bool south) {
    const auto& row = space.A.rows[n];
    if (row.ring > 1) return;
    const int on = south ? -1 : 1;
    if (carry.next != n) {
        carry.memory.assign(row.up + 2 * space.A.line, 0);
        (south ? fused_row<carries | southward, Number> : fused_row<carries, Number>)(space.A.rows[n - on], step, carry.at(), nullptr);
    }
    (south ? fused_row<descends | southward, Number> : fused_row<descends, Number>)(row, step, carry.at(), nullptr);
    carry.next = n + on;
}
template <class Number> void search(const RowOf<Number>& row, const FusedStep& step, bool add) {
    if (add && row.ring == 0) fused_row<searches | adds, Number>(row, step, nullptr, nullptr);
    else fused_row<searches, Number>(row, step, nullptr, nullptr);
}

/// Stages over rows from south to north or back, each one row behind the one before; stage(k, n) does row n and needs stage k - 1 in rows
/// n - 1, n, n + 1; all(n) does stage k in the k-th row behind n, all of them. Every thread calls it, with its rows [begin, end): what needs
/// another's rows waits until that has got there.
template <int stages, class F, class G> void wavefront(int begin, int end, bool south, F stage, G all) {
    const int count = end - begin;
    auto row = [=](int i) { return south ? end - 1 - i : begin + i; };
    for (int i = 0; i < count; ++i)
        if (i >= 2 * (stages - 1)) all(row(i));
        else for (int k = 0; k < stages; ++k) if (i - k >= k) stage(k, row(i - k));
    for (int k = 1; k < stages; ++k) {
        #pragma omp barrier
        for (int i = 0; i < std::min(k, count); ++i) stage(k, row(i));
        for (int i = std::max(k, count - k); i < count; ++i) stage(k, row(i));
    }
}

template <class Number> class FusedGradients final : public Method {
public:
    explicit FusedGradients(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        enter(space);
        const End end = steps(rr, goal, iterations, maximum);
        leave(space);
        return end;
    }

private:
    using Sums = std::array<ExactSum, 2>;                  // rho, delta
    struct Products { double rho, delta; bool valid; };
    Space<Number>& space;
    std::vector<FusedCarry<Number>> carry;                 // of each thread
    bool south = false;                                    // which way the last sweep went; the next goes back

    End steps(double rr, double goal, int& iterations, int maximum) {
        FusedStep step;
        bool add = true;                                   // to y, for this step and the one before
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
            step.before = step.alpha;
            step.alpha = now.rho / sigma;
            add = !add;
            Sums sums = sweep<true>(step, add, SumUnit::for_largest(now.rho));         // no term may be four times as large as r.r was
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
        if (!add)
            for (const auto& row : space.A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) row.of(space.y)[c] += Number(step.alpha) * row.of(space.s)[c];
        return end;
    }

    Products share(Sums& sums) {
        double values[2];
        const bool valid = space.share(sums, values);
        return {values[0], values[1], valid};
    }
    /// Of four cells no corner sums up to more than 6 of the largest r D^-2 r; largest: of these, or infinite if it is to be found.
    Products products(double largest) {
        if (!(largest < infinity)) {
            const double most = space.largest([&](const RowOf<Number>& row, int c) { return row.of(space.r)[c] / std::sqrt(row.of(space.A.square)[c]); });
            if (!(most < infinity)) return {std::nan(""), std::nan(""), false};
            largest = 16 * most * most;
        }
        Sums sums = sweep<false>({}, false, SumUnit::for_largest(largest));
        return share(sums);
    }
    template <bool updates> Sums sweep(const FusedStep& step, bool add, SumUnit unit) {
        Within within(regions_of_solver().sweep);
        const Topology& topology = space.how.decomposition->topology;
        Sums total{ExactSum(unit), ExactSum(unit)};
        carry.resize(std::max<std::size_t>(carry.size(), omp_get_max_threads()));
        south = updates && !south;
        in_parallel([&] {
            const auto& part = space.parts();
            const int begin = part[omp_get_thread_num()], end = part[omp_get_thread_num() + 1];
            const auto& rows = space.A.rows;
            FusedSums<Number> mine{unit};
            auto& left = carry[omp_get_thread_num()];
            left.next = -1;
            auto summed = [&](const RowOf<Number>& row, auto work) {
                const bool fold = topology.fold && space.A.blocks[row.block].j0 + row.j == topology.ny - 1;
                if (fold || mine.full(int(row.up / FusedSums<Number>::Real::width))) mine.flush();
                work();
                if (fold) mine.flush(true);
            };
            auto sum = [&](int n) { if (rows[n].ring == 0) summed(rows[n], [&] { fused_row<sums, Number>(rows[n], step, nullptr, &mine); }); };
            if constexpr (!updates) { for (int n = begin; n < end; ++n) sum(n); }
            else {
                auto stage = [&](int k, int n) {
                    if (k == 0) search<Number>(rows[n], step, add);
                    else if (k == 1) descend<Number>(space, n, step, left, south);
                    else sum(n);
                };
                auto all = [&]<unsigned way>(std::integral_constant<unsigned, way>, int n) {
                    constexpr int on = way ? -1 : 1;
                    const auto& row = rows[n - on];
                    const bool adding = add && rows[n].ring == 0, summing = rows[n - 2 * on].ring == 0;
                    if (row.ring > 1 || left.next != n - on) for (int k = 0; k < 3; ++k) stage(k, n - k * on);
                    else {
                        if (!summing) (adding ? fused_row<way | searches | adds | descends, Number> : fused_row<way | searches | descends, Number>)(row, step, left.at(), nullptr);
                        else summed(rows[n - 2 * on], [&] { (adding ? fused_row<way | searches | adds | descends | FusedWork::sums, Number> : fused_row<way | searches | descends | FusedWork::sums, Number>)(row, step, left.at(), &mine); });
                        left.next = n;
                    }
                };
                wavefront<3>(begin, end, south, stage, [&](int n) { if (south) all(std::integral_constant<unsigned, southward>(), n); else all(std::integral_constant<unsigned, 0>(), n); });
            }
            mine.flush();
            #pragma omp critical
            total[0].add(mine.rho_sum), total[1].add(mine.delta_sum);
        });
        return total;
    }
};

/// r.r is summed every tenth iteration.
template <class Number> class FusedChebyshev final : public Method {
public:
    explicit FusedChebyshev(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        enter(space);
        const End end = steps(rr, goal, iterations, maximum);
        leave(space);
        return end;
    }

private:
    Space<Number>& space;
    std::vector<std::array<FusedCarry<Number>, 2>> carry;  // of each thread, for both iterations of a sweep
    bool south = false;                                    // which way the last sweep went; the next goes back

    End steps(double rr, double goal, int& iterations, int maximum) {
        ChebyshevFactors factors(spectrum);
        FusedStep one, two;
        auto next = [&](double before) {
            const auto [a, b] = factors.next();
            return FusedStep{a, before > 0 ? b * before / a : 0, before};
        };
        const double begun = rr;
        Progress progress(iterations);
        while (iterations < maximum) {
            for (int n = 0; n < 5; ++n) {
                one = next(two.alpha), two = next(one.alpha);
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

    void sweep(const FusedStep& one, const FusedStep& two) {
        Within within(regions_of_solver().sweep);
        carry.resize(std::max<std::size_t>(carry.size(), omp_get_max_threads()));
        south = !south;
        in_parallel([&] {
            const auto& part = space.parts();
            const auto& rows = space.A.rows;
            auto& left = carry[omp_get_thread_num()];
            left[0].next = left[1].next = -1;
            const int on = south ? -1 : 1;
            auto stage = [&](int k, int n) {
                if (k == 0) search<Number>(rows[n], one, false);
                else if (k == 1) descend<Number>(space, n, one, left[0], south);
                else if (k == 2) { if (rows[n].ring <= 1) search<Number>(rows[n], two, true); }
                else if (rows[n].ring == 0) descend<Number>(space, n, two, left[1], south);
            };
            wavefront<4>(part[omp_get_thread_num()], part[omp_get_thread_num() + 1], south, stage, [&](int n) { for (int k = 0; k < 4; ++k) stage(k, n - k * on); });
        });
    }
    double squares(SumUnit unit) {
        Within within(regions_of_solver().sweep);
        ExactSum total(unit);
        in_parallel([&] {
            ExactSum mine(unit);
            space.each_row([&](const RowOf<Number>& row) {
                if (row.ring) return;
                using Real = EllipticOperator<Number>::Real;
                RoundedLanes lanes(unit), none(unit);
                for (auto* g = row.first; g != row.last; ++g) for (int c = g->begin; c < g->end; c += Real::width) {
                    const Real x = space.inside(row, c, Real::load(row.of(space.r) + c)), zero(0.0);
                    FusedSums<Number>::add(lanes, none, x, x / Real::load(row.of(space.A.square) + c), zero, zero, zero, zero);
                }
                mine.add(lanes);
            });
            #pragma omp critical
            total.add(mine);
        });
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
