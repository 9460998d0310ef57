#include "numerics/solver.hpp"
#include "base/error.hpp"
#include <chrono>
#include <climits>
#include <limits>
#include <omp.h>

namespace fathom {

namespace {

template <class Number> using RowOf = EllipticOperator<Number>::Row;
constexpr int lead = EllipticOperator<double>::halo;
constexpr int most_columns = register_lanes * ExactLanes::most - 32;       // of a row, before its sums must be carried
constexpr double single_precision = 1e-5;                  // to what part iterations in fp32 reduce a residual before it is computed anew
constexpr double infinity = std::numeric_limits<double>::infinity();

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// One thread needs no parallel region: each would cost an allocation.
template <class F> void in_parallel(F body) {
    if (omp_get_max_threads() == 1) body();
    else {
        #pragma omp parallel
        body();
    }
}

/// Rows of a one-degree ocean fit into the first cache: there the rows that come next are asked for while this one is computed. Longer
/// ones would be gone again before they are needed.
template <class Row> bool fits(const Row& row) { return row.up * sizeof *row.at <= 4096; }

/// s = r + beta s, y += alpha s. Rows are taken by value: the compiler then knows that no store changes them.
template <bool add, class Number> void search(const EllipticOperator<Number>&, const RowOf<Number> row, int r, int s, int y, double alpha, double beta, double alpha_before) {
    using Real = EllipticOperator<Number>::Real;
    const Number* R = row.of(r);
    Number *S = row.of(s), *Y = row.of(y);
    const Real a(alpha), b(beta), before(alpha_before);
    for (auto* segment = row.first; segment != row.last; ++segment)
        for (int c = segment->begin, end = segment->end; c < end; c += Real::width) {
            const Real s0 = Real::load(S + c), s1 = Real::load(R + c) + b * s0;
            s1.store(S + c);
            if constexpr (add) (Real::load(Y + c) + (before * s0 + a * s1)).store(Y + c);
        }
}

/// r -= alpha (A s).
template <class Number> void descend(const EllipticOperator<Number>&, const RowOf<Number> row, int r, int s, double alpha) {
    using Real = EllipticOperator<Number>::Real;
    Number* R = row.of(r);
    const Real a(alpha);
    const bool ahead = fits(row);
    const Number *e = row.at + row.up, *n = e + row.array, *ne = n + row.array, *nw = ne + row.array;
    EllipticOperator<Number>::multiply(row, row.of(s), [=](int c, Real, Real As) {
        (Real::load(R + c) - a * As).store(R + c);
        if (ahead) for (const Number* p : {e, n, ne, nw}) __builtin_prefetch(p + c);
    });
}

/// 0 in the halo: columns before 0 and from nx on; the first of the pack is c.
template <class Real> Real own(Real x, int c, int nx) {
    static constexpr std::conditional_t<sizeof(typename Real::Number) == 8, std::int64_t, std::int32_t> first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    typename Real::Mask column;
    __builtin_memcpy(&column, first, sizeof column);
    column += c;
    return select((column >= 0) & (column < nx), x, Real(0.0));
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
    void row(const RowOf<Number> row, int r) {
        if (rho.count + (row.nx + 2 * lead + line - 1) / line * line / register_lanes > Lanes::most) flush();
        Lanes rho = this->rho, delta = this->delta;        // in registers
        const int nx = row.nx;
        const bool ahead = fits(row);
        const Number *next_r = row.of(r) + 3 * row.up, *next_s = next_r + row.array, *next_y = next_s + row.array;
        EllipticOperator<Number>::multiply(row, row.of(r), [=, &rho, &delta](int c, Real x, Real Ax) {
            if (ahead) for (const Number* p : {next_r, next_s, next_y}) __builtin_prefetch(p + c, 1);
            if (c < lead || c + Real::width > nx + lead)   // a pack that is partly halo
                x = own(x, c - lead, nx);
            add(rho, delta, x, Ax);
        });
        this->rho = rho; this->delta = delta;
    }
};

/// Shares out rows by their packs: thread t of n takes rows [from(t), from(t + 1)).
template <class Number> std::vector<int> parts(const EllipticOperator<Number>& A, int threads) {
    std::vector<double> work{0};
    for (auto& row : A.rows) {
        double packs = 4;
        for (auto* s = row.first; s != row.last; ++s) packs += (s->end - s->begin) / A.line;
        work.push_back(work.back() + packs);
    }
    std::vector<int> from;
    for (int t = 0; t <= threads; ++t) from.push_back(int(std::ranges::lower_bound(work, work.back() * t / threads) - work.begin()));
    return from;
}

}  // namespace

template <class Number> template <class... Of> ConjugateGradients<Number>::ConjugateGradients(MPI_Comm comm, const Decomposition& d, SolverSeconds& seconds, const Of&... of)
    : A(of..., end - r), comm(comm), exchange(comm, d, lead, sizeof(Number), {{Horizontal::center, false, lead, 1}}), slab_r{A.slab(r)}, slab_s{A.slab(s)}, seconds(seconds) {
    MPI_Comm_size(comm, &ranks);
}

template <class Number> void ConjugateGradients<Number>::fill(Vector v) {
    const double t = seconds_now();
    exchange.start(v == r ? slab_r : slab_s);
    exchange.finish(v == r ? slab_r : slab_s);
    seconds.halo += seconds_now() - t;
}

template <class Number> ConjugateGradients<Number>::Products ConjugateGradients<Number>::share(Sums both) {
    const double t = seconds_now();
    allreduce(comm, both);
    seconds.sum += seconds_now() - t;
    return {both[0].value(), both[1].value(), both[0].valid() && both[1].valid()};
}

/// With updates: s a row ahead of r, r a row ahead of the sums. What needs rows of another thread waits until that has got there.
template <class Number> template <bool updates> ConjugateGradients<Number>::Sums ConjugateGradients<Number>::sweep(const Step& step, SumUnit unit) {
    const double t = seconds_now();
    Sums total{ExactSum(unit), ExactSum(unit)};
    in_parallel([&] {
        #pragma omp single
        if (int(part.size()) != omp_get_num_threads() + 1) part = parts(A, omp_get_num_threads());
        const int begin = part[omp_get_thread_num()], end = part[omp_get_thread_num() + 1];
        Summing<Number> sums{unit};
        auto first = [&](int n) {
            const Row& row = A.rows[n];
            if (step.add && row.ring == 0) search<true>(A, row, r, s, y, step.alpha, step.beta, step.alpha_before);
            else search<false>(A, row, r, s, y, step.alpha, step.beta, step.alpha_before);
        };
        auto second = [&](int n) { if (A.rows[n].ring <= 1) descend(A, A.rows[n], r, s, step.alpha); };
        auto third = [&](int n) { if (A.rows[n].ring == 0) sums.row(A.rows[n], r); };
        if constexpr (!updates) for (int n = begin; n < end; ++n) third(n);
        else {
            for (int n = begin; n < end; ++n) {
                first(n);
                if (n - 1 > begin) second(n - 1);
                if (n - 2 > begin + 1) third(n - 2);
            }
            #pragma omp barrier
            for (int n = begin; n < end; n += std::max(end - 1 - begin, 1)) second(n);
            #pragma omp barrier
            for (int n = begin; n < std::min(begin + 2, end); ++n) third(n);
            for (int n = std::max(begin + 2, end - 2); n < end; ++n) third(n);
        }
        sums.flush();
        #pragma omp critical
        total[0].add(sums.rho_sum), total[1].add(sums.delta_sum);
    });
    seconds.sweep += seconds_now() - t;
    return total;
}

template <class Number> double ConjugateGradients<Number>::largest() {
    double most = 0;
    for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) {
        const double x = std::abs(row.of(r)[c]);
        most = x <= most ? most : x < infinity ? x : infinity;
    }
    const double t = seconds_now();
    if (ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    seconds.sum += seconds_now() - t;
    return most;
}

/// No row of A sums up to more than 9.
template <class Number> ConjugateGradients<Number>::Products ConjugateGradients<Number>::products() {
    const double most = largest();
    if (!(most < infinity)) return {std::nan(""), std::nan(""), false};
    return share(sweep<false>({}, SumUnit::for_largest(16 * most * most)));
}

template <class Number> ConjugateGradients<Number>::End ConjugateGradients<Number>::iterate(Products now, double goal, int& iterations, int maximum) {
    for (const Row& row : A.rows) std::fill_n(row.of(s), row.up, 0);
    Step step;
    End end = End::many;
    double sigma = 0;
    for (double rho_before = infinity; iterations < maximum;) {
        step.beta = now.rho / rho_before;
        sigma = now.delta - step.beta * step.beta * sigma;
        if (!(sigma > 0)) { end = End::not_positive; break; }
        step.alpha_before = step.alpha;
        step.alpha = now.rho / sigma;
        step.add = !step.add;
        const Sums sums = sweep<true>(step, SumUnit::for_largest(256 * now.rho));       // r.r may grow 256 times before it is summed again
        double t = seconds_now();
        exchange.start(slab_r);
        seconds.halo += seconds_now() - t;
        Products next = share(sums);
        t = seconds_now();
        exchange.finish(slab_r);
        seconds.halo += seconds_now() - t;
        if (!next.valid || next.rho < now.rho / 4096) next = products();
        ++iterations;
        if (!next.valid) { end = End::not_a_number; break; }
        rho_before = now.rho;
        now = next;
        if (now.rho <= goal) { end = End::small; break; }
    }
    if (!step.add)
        for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) row.of(y)[c] += Number(step.alpha) * row.of(s)[c];
    return end;
}

template <class Number> template <class F> void ConjugateGradients<Number>::for_rows(F body) {
    in_parallel([&] {
        #pragma omp for schedule(static)
        for (const Row& row : A.rows) if (row.ring == 0) body(row);
    });
}

template <class Number> double ConjugateGradients<Number>::dot(int a, int b, SumUnit unit) requires std::same_as<Number, double> {
    using Real = EllipticOperator<double>::Real;
    Sums total{ExactSum(unit), ExactSum(unit)};
    in_parallel([&] {
        ExactSum mine(unit);
        #pragma omp for schedule(static) nowait
        for (const Row& row : A.rows) if (row.ring == 0) {
            ExactLanes lanes(unit);
            for (auto* segment = row.first; segment != row.last; ++segment)
                for (int c = segment->begin; c < segment->end; c += Real::width) lanes.add(own(Real::load(row.of(a) + c), c - lead, row.nx) * Real::load(row.of(b) + c));
            mine.add(lanes);
        }
        #pragma omp critical
        total[0].add(mine);
    });
    return share(total).rho;
}

template <class Number> ConjugateGradients<Number>::End ConjugateGradients<Number>::iterate(Factorisation& M, double rr, double goal, int& iterations, int maximum)
    requires std::same_as<Number, double> {
    using Real = EllipticOperator<double>::Real;
    auto for_packs = [&](auto body) {
        for_rows([&](const Row& row) { for (auto* g = row.first; g != row.last; ++g) for (int c = g->begin; c < g->end; c += Real::width) body(row, c); });
    };
    double t = seconds_now(), rho_before = infinity;
    auto lap = [&] { const double now = seconds_now(); seconds.sweep += now - t; t = now; };
    while (iterations < maximum) {
        const SumUnit unit = SumUnit::for_largest(rr * 0x1p30);        // terms of sums are larger than those of r.r where A is badly conditioned
        M.apply(A, r, z, std::ldexp(1.0, -std::ilogb(std::sqrt(rr))));
        lap();
        const double rho = dot(r, z, unit);
        if (!(rho > 0)) return std::isnan(rho) ? End::not_a_number : End::not_positive;
        const Real beta(rho / rho_before);
        for_packs([&](const Row& row, int c) { (Real::load(row.of(z) + c) + beta * Real::load(row.of(s) + c)).store(row.of(s) + c); });
        rho_before = rho;
        t = seconds_now();
        fill(s);
        t = seconds_now();
        for_rows([&](const Row& row) { A.multiply(row, row.of(s), [to = row.of(As)](int c, Real, Real As) { As.store(to + c); }); });
        lap();
        const double sigma = dot(s, As, unit);
        if (!(sigma > 0)) return std::isnan(sigma) ? End::not_a_number : End::not_positive;
        t = seconds_now();
        const Real alpha(rho / sigma);
        for_packs([&](const Row& row, int c) {
            (Real::load(row.of(y) + c) + alpha * Real::load(row.of(s) + c)).store(row.of(y) + c);
            (Real::load(row.of(r) + c) - alpha * Real::load(row.of(As) + c)).store(row.of(r) + c);
        });
        lap();
        rr = dot(r, r, unit);
        t = seconds_now();
        ++iterations;
        if (!(rr > goal)) return std::isnan(rr) ? End::not_a_number : End::small;
    }
    return End::many;
}

EllipticSolver::EllipticSolver(MPI_Comm comm, const Decomposition& d, int halo, const EllipticFields& fields, double tolerance, int maximum_iterations, Preconditioner preconditioner)
    : tolerance(tolerance), maximum_iterations(maximum_iterations), comm(comm), topology(d.topology), halo(halo), full(comm, d, seconds, comm, d, halo, fields) {
    if (preconditioner == Preconditioner::factorisation) factorisation = std::make_unique<Factorisation>(comm, d.topology, full.A);
    else single = std::make_unique<Single>(comm, d, seconds, full.A);
    if (!(tolerance > 0 && tolerance < 1)) throw Error("tolerance = ", tolerance, " of the elliptic solver must lie in ]0, 1[");
    if (maximum_iterations < 1) throw Error("maximum_iterations = ", maximum_iterations, " of the elliptic solver must be at least 1");
    for (auto& b : full.A.blocks) if (b.nx > most_columns) throw Error("elliptic solver: a block of ", b.nx, " columns; the most is ", most_columns);
}

Preconditioner preconditioner(std::string_view name) {
    static constexpr std::pair<std::string_view, Preconditioner> all[] = {{"diagonal", Preconditioner::diagonal}, {"factorisation", Preconditioner::factorisation}};
    std::vector<std::string> known;
    for (auto& [known_name, one] : all) if (name == known_name) return one; else known.emplace_back(known_name);
    throw Error("no preconditioner '", name, "'", near(name, known), "; there are diagonal and factorisation");
}

template <class F> void EllipticSolver::for_points(const FieldSlab& f, int bytes, F body) const {
    auto all = [&]<class Value>(Value) {
        in_parallel([&] {
            #pragma omp for schedule(static)
            for (const Row& row : full.A.rows) if (row.ring == 0) {
                Value* at = (Value*)f.at[row.block] + (row.j + halo) * f.row[row.block] + halo;
                const double* d = row.of(full.A.scale) + lead;
                for (int i = 0; i < row.nx; ++i) body(row, lead + i, d[i], at[i]);
            }
        });
    };
    if (bytes == 4) all(float()); else all(double());
}

/// r = D b - A y, in fp64.
EllipticSolver::Full::Products EllipticSolver::residual(const FieldSlab& rhs, int bytes) {
    in_parallel([&] {
        #pragma omp for schedule(static)
        for (const Row& row : full.A.rows) if (row.ring == 0) std::copy_n(row.of(Full::y) + lead, row.nx, row.of(Full::s) + lead);
    });
    full.fill(Full::s);
    for_points(rhs, bytes, [](const Row& row, int c, double d, auto& value) { row.of(Full::r)[c] = d > 0 ? value * d : 0; });
    in_parallel([&] {
        #pragma omp for schedule(static)
        for (const Row& row : full.A.rows) if (row.ring == 0) descend(full.A, row, Full::r, Full::s, 1);
    });
    full.fill(Full::r);
    return full.products();
}

/// y += e, of A e = r in fp32, both times the power of two that brings |r| to between 1 and 2; y stays as it is if that fails.
EllipticSolver::Single::End EllipticSolver::refine(Full::Products now, double goal) {
    const double up = std::ldexp(1.0, -std::ilogb(std::sqrt(now.rho))), down = 1 / up;
    const auto& to = single->A.rows;
    in_parallel([&] {
        #pragma omp for schedule(static)
        for (std::size_t n = 0; n < to.size(); ++n) {
            const double* from = full.A.rows[n].of(Full::r);
            for (int c = 0; c < to[n].nx + 2 * lead; ++c) to[n].of(Single::r)[c] = float(from[c] * up);
            std::fill_n(to[n].of(Single::y), to[n].up, 0);
        }
    });
    const auto end = single->iterate({now.rho * up * up, now.delta * up * up, true}, goal * up * up, iterations, iterations + (maximum_iterations - iterations + 1) / 2);       // some are left for fp64
    if (end == Single::End::small || end == Single::End::many)
        in_parallel([&] {
            #pragma omp for schedule(static)
            for (std::size_t n = 0; n < to.size(); ++n) if (to[n].ring == 0)
                for (int c = lead; c < lead + to[n].nx; ++c) full.A.rows[n].of(Full::y)[c] += to[n].of(Single::y)[c] * down;
        });
    return end;
}

int EllipticSolver::solve(const FieldSlab& rhs, const FieldSlab& x, int bytes) {
    iterations = refinements = 0;
    for_points(x, bytes, [](const Row& row, int c, double d, auto& value) { row.of(Full::y)[c] = d > 0 ? value / d : 0; });
    for_points(rhs, bytes, [](const Row& row, int c, double d, auto& value) { row.of(Full::r)[c] = d > 0 ? value * d : 0; });
    const double b = full.products().rho, goal = tolerance * tolerance * b;
    if (!(b >= 0)) fail(std::nan(""), "is not a number");
    bool fp32 = true;
    for (double before = infinity; b > 0;) {
        const auto now = residual(rhs, bytes);
        last_residual = std::sqrt(now.rho / b);
        if (!now.valid) fail(last_residual, "is not a number");
        if (now.rho <= goal) break;
        if (iterations >= maximum_iterations) fail(last_residual, "is not small enough");
        if (!(last_residual < 0.5 * before)) {
            if (!fp32 || factorisation) fail(last_residual, "does not fall any more, this being what double precision allows");
            fp32 = false;
        }
        before = last_residual;
        if (factorisation) {
            ++refinements;
            const auto end = full.iterate(*factorisation, now.rho, goal, iterations, maximum_iterations);
            if (end == Full::End::not_positive) fail(last_residual, "cannot be reduced: the operator is not positive definite");
            if (end == Full::End::not_a_number) fail(std::nan(""), "is not a number");
        } else if (fp32) {
            ++refinements;
            const auto end = refine(now, std::max(goal, single_precision * single_precision * now.rho));
            if (end != Single::End::small && end != Single::End::many) fp32 = false, before = infinity;
        } else {
            const auto end = full.iterate(now, goal, iterations, maximum_iterations);
            if (end == Full::End::not_positive) fail(last_residual, "cannot be reduced: the operator is not positive definite");
            if (end == Full::End::not_a_number) fail(std::nan(""), "is not a number");
        }
    }
    if (!(b > 0)) last_residual = 0;
    for_points(x, bytes, [b](const Row& row, int c, double d, auto& value) { value = b > 0 ? row.of(Full::y)[c] * d : 0; });
    return iterations;
}

void EllipticSolver::apply(const FieldSlab& x, const FieldSlab& result, int bytes) {
    for_points(x, bytes, [](const Row& row, int c, double d, auto& value) { row.of(Full::s)[c] = d > 0 ? value / d : 0; });
    full.fill(Full::s);
    for (const Row& row : full.A.rows) if (row.ring == 0) std::fill_n(row.of(Full::r), row.up, 0), descend(full.A, row, Full::r, Full::s, -1);
    for_points(result, bytes, [](const Row& row, int c, double d, auto& value) { value = d > 0 ? row.of(Full::r)[c] / d : 0; });
}

/// On all ranks: the first point, from south to north and west to east, at which the residual is largest or not a number.
void EllipticSolver::fail(double residual, const char* what) {
    double most = -1;
    long place = LONG_MAX, first;
    auto size = [&](const Row& row, int c) { const double x = std::abs(row.of(Full::r)[c]); return x < infinity ? x : infinity; };
    for (const Row& row : full.A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) most = std::max(most, size(row, c));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    for (const Row& row : full.A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c)
        if (size(row, c) == most) place = std::min(place, long(full.A.blocks[row.block].j0 + row.j) * topology.nx + full.A.blocks[row.block].i0 + c - lead);
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, comm);
    for (const Row& row : full.A.rows) for (int v : {Full::r, Full::s, Full::y}) std::fill_n(row.of(v), row.up, 0);   // no NaN is left for the next time
    if (single) for (auto& row : single->A.rows) for (int v : {Single::r, Single::s, Single::y}) std::fill_n(row.of(v), row.up, 0);
    last_residual = residual;
    throw Error("elliptic solver: after ", iterations, " iterations (at most ", maximum_iterations, ") the residual, ", residual, " of the right-hand side, ", what,
                "; tolerance ", tolerance, "; it is largest at i = ", first % topology.nx, ", j = ", first / topology.nx);
}

}  // namespace fathom
