#include "numerics/solver.hpp"
#include "base/error.hpp"
#include <chrono>
#include <climits>
#include <limits>
#include <omp.h>

namespace fathom {

namespace {

using Real = EllipticOperator::Real;
using Row = EllipticOperator::Row;
constexpr int lead = EllipticOperator::halo;
constexpr int most_columns = Real::width * ExactLanes::most - 16;          // of a row, before its sums must be carried
constexpr double infinity = std::numeric_limits<double>::infinity();

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// s = r + beta s, y += alpha s. Rows are taken by value: the compiler then knows that no store changes them.
template <bool add> void search(const Row row, int r, int s, int y, double alpha, double beta, double alpha_before) {
    const double* R = row.of(r);
    double *S = row.of(s), *Y = row.of(y);
    const Real a(alpha), b(beta), before(alpha_before);
    for (auto* segment = row.first; segment != row.last; ++segment)
        for (int c = segment->begin, end = segment->end; c < end; c += Real::width) {
            const Real s0 = Real::load(S + c), s1 = Real::load(R + c) + b * s0;
            s1.store(S + c);
            if constexpr (add) (Real::load(Y + c) + (before * s0 + a * s1)).store(Y + c);
        }
}

/// Rows of a one-degree ocean fit into the first cache: there the rows that come next are asked for while this one is computed. Longer
/// ones would be gone again before they are needed.
bool fits(const Row& row) { return row.up <= 512; }

/// r -= alpha (A s).
void descend(const Row row, int r, int s, double alpha) {
    double* R = row.of(r);
    const Real a(alpha);
    const bool ahead = fits(row);
    const double *e = row.at + row.up, *n = e + row.array, *ne = n + row.array, *nw = ne + row.array;
    EllipticOperator::multiply(row, row.of(s), [=](int c, Real, Real As) {
        (Real::load(R + c) - a * As).store(R + c);
        if (ahead) for (const double* p : {e, n, ne, nw}) __builtin_prefetch(p + c);
    });
}

/// 0 in the halo: columns before 0 and from nx on; the first of the pack is c.
Real own(Real x, int c, int nx) {
    typedef std::int64_t Columns __attribute__((vector_size(sizeof x)));
    Columns column;
    for (int n = 0; n < Real::width; ++n) column[n] = c + n;
    return select((column >= 0) & (column < nx), x, Real(0.0));
}

/// A thread's sums of r.r and r.(A r), over its own columns.
struct Summing {
    SumUnit unit; ExactLanes rho{unit}, delta{unit};
    ExactSum rho_sum{unit}, delta_sum{unit};
    void flush() { rho_sum.add(rho), delta_sum.add(delta), rho = delta = ExactLanes(unit); }
    void row(const Row row, int r) {
        if (rho.count + (row.nx + 2 * lead + 7) / 8 * 8 / Real::width > ExactLanes::most) flush();
        ExactLanes rho = this->rho, delta = this->delta;   // in registers
        const int nx = row.nx;
        const bool ahead = fits(row);
        const double *next_r = row.of(r) + 3 * row.up, *next_s = next_r + row.array, *next_y = next_s + row.array;
        EllipticOperator::multiply(row, row.of(r), [=, &rho, &delta](int c, Real x, Real Ax) {
            if (ahead) for (const double* p : {next_r, next_s, next_y}) __builtin_prefetch(p + c, 1);
            if (c < lead || c + Real::width > nx + lead)   // a pack that is partly halo
                x = own(x, c - lead, nx);
            rho.add(x * x);
            delta.add(x * Ax);
        });
        this->rho = rho; this->delta = delta;
    }
};

/// Shares out rows by their packs: thread t of n takes rows [from(t), from(t + 1)).
std::vector<int> parts(const EllipticOperator& A, int threads) {
    std::vector<double> work{0};
    for (auto& row : A.rows) {
        double packs = 4;
        for (auto* s = row.first; s != row.last; ++s) packs += (s->end - s->begin) / 8;
        work.push_back(work.back() + packs);
    }
    std::vector<int> from;
    for (int t = 0; t <= threads; ++t) from.push_back(int(std::ranges::lower_bound(work, work.back() * t / threads) - work.begin()));
    return from;
}

}  // namespace

EllipticSolver::EllipticSolver(MPI_Comm comm, const Decomposition& d, int halo, const EllipticFields& fields, double tolerance, int maximum_iterations)
    : tolerance(tolerance), maximum_iterations(maximum_iterations), comm(comm), topology(d.topology), halo(halo), A(comm, d, halo, fields, end - r),
      exchange(comm, d, lead, 8, {{Horizontal::center, false, lead, 1}}), slab_r{A.slab(r)}, slab_s{A.slab(s)} {
    if (!(tolerance > 0 && tolerance < 1)) throw Error("tolerance = ", tolerance, " of the elliptic solver must lie in ]0, 1[");
    if (maximum_iterations < 1) throw Error("maximum_iterations = ", maximum_iterations, " of the elliptic solver must be at least 1");
    MPI_Comm_size(comm, &ranks);
    for (auto& b : A.blocks) if (b.nx > most_columns) throw Error("elliptic solver: a block of ", b.nx, " columns; the most is ", most_columns);
}

template <class F> void EllipticSolver::for_points(const FieldSlab& f, int bytes, F body) const {
    auto all = [&]<class Number>(Number) {
        #pragma omp parallel for schedule(static)
        for (const Row& row : A.rows) if (row.ring == 0) {
            Number* at = (Number*)f.at[row.block] + (row.j + halo) * f.row[row.block] + halo;
            const double* d = row.of(A.scale) + lead;
            for (int i = 0; i < row.nx; ++i) body(row, lead + i, d[i], at[i]);
        }
    };
    if (bytes == 4) all(float()); else all(double());
}

void EllipticSolver::fill(std::span<const FieldSlab> field) {
    const double t = now();
    exchange.start(field);
    exchange.finish(field);
    seconds.halo += now() - t;
}

void EllipticSolver::share(Products& products) {
    const double t = now();
    ExactSum both[] = {products.rho, products.delta};
    allreduce(comm, both);
    products = {both[0], both[1]};
    seconds.sum += now() - t;
}

/// With updates: s a row ahead of r, r a row ahead of the sums. What needs rows of another thread waits until that has got there.
template <bool updates> EllipticSolver::Products EllipticSolver::sweep(const Step& step, SumUnit unit) {
    const double t = now();
    Products total{ExactSum(unit), ExactSum(unit)};
    #pragma omp parallel
    {
        #pragma omp single
        if (int(part.size()) != omp_get_num_threads() + 1) part = parts(A, omp_get_num_threads());
        const int begin = part[omp_get_thread_num()], end = part[omp_get_thread_num() + 1];
        Summing sums{unit};
        auto first = [&](int n) {
            const Row& row = A.rows[n];
            if (step.add && row.ring == 0) search<true>(row, r, s, y, step.alpha, step.beta, step.alpha_before);
            else search<false>(row, r, s, y, step.alpha, step.beta, step.alpha_before);
        };
        auto second = [&](int n) { if (A.rows[n].ring <= 1) descend(A.rows[n], r, s, step.alpha); };
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
        total.rho.add(sums.rho_sum), total.delta.add(sums.delta_sum);
    }
    seconds.sweep += now() - t;
    return total;
}

/// Largest |r| over all ranks; infinite if anything is not a number.
double EllipticSolver::largest() {
    double most = 0;
    for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) {
        const double x = std::abs(row.of(r)[c]);
        most = x <= most ? most : x < infinity ? x : infinity;
    }
    const double t = now();
    if (ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    seconds.sum += now() - t;
    return most;
}

/// r.r and r.(A r) where no sum before tells the unit. No row of A sums up to more than 9.
EllipticSolver::Products EllipticSolver::products() {
    const double most = largest();
    if (!(most < infinity)) fail(std::nan(""), "is not a number");
    Products both = sweep<false>({}, SumUnit::for_largest(16 * most * most));
    share(both);
    return both;
}

int EllipticSolver::solve(const FieldSlab& rhs, const FieldSlab& x, int bytes) {
    iterations = 0;
    for_points(x, bytes, [this](const Row& row, int c, double d, auto& value) { row.of(y)[c] = d > 0 ? value / d : 0; });
    for_points(rhs, bytes, [this](const Row& row, int c, double d, auto& value) { row.of(r)[c] = d > 0 ? value * d : 0; });
    const double b = products().rho.value();
    for (double before = infinity; b > 0; before = last_residual) {
        for (const Row& row : A.rows) if (row.ring == 0) std::copy_n(row.of(y) + lead, row.nx, row.of(s) + lead);
        fill(slab_s);
        for_points(rhs, bytes, [this](const Row& row, int c, double d, auto& value) { row.of(r)[c] = d > 0 ? value * d : 0; });
        #pragma omp parallel for schedule(static)
        for (const Row& row : A.rows) if (row.ring == 0) descend(row, r, s, 1);
        fill(slab_r);
        const Products now = products();
        last_residual = std::sqrt(now.rho.value() / b);
        if (now.rho.value() <= tolerance * tolerance * b) break;
        if (!(last_residual < 0.5 * before)) fail(last_residual, "does not fall any more, this being what double precision allows");
        conjugate_gradients(now, b);
    }
    if (!(b > 0)) last_residual = 0;
    for_points(x, bytes, [this, b](const Row& row, int c, double d, auto& value) { value = b > 0 ? row.of(y)[c] * d : 0; });
    return iterations;
}

/// From the residual r of y until r.r <= tolerance^2 b.
void EllipticSolver::conjugate_gradients(Products start, double b) {
    for (const Row& row : A.rows) std::fill_n(row.of(s), row.up, 0);
    Step step;
    double rho = start.rho.value(), delta = start.delta.value(), sigma = 0;
    for (double rho_before = infinity;;) {
        step.beta = rho / rho_before;
        sigma = delta - step.beta * step.beta * sigma;
        if (!(sigma > 0)) fail(std::sqrt(rho / b), "cannot be reduced: the operator is not positive definite");
        step.alpha_before = step.alpha;
        step.alpha = rho / sigma;
        step.add = !step.add;
        Products next = sweep<true>(step, SumUnit::for_largest(256 * rho));   // r.r may grow 256 times before it is summed again
        double t = now();
        exchange.start(slab_r);
        seconds.halo += now() - t;
        share(next);
        t = now();
        exchange.finish(slab_r);
        seconds.halo += now() - t;
        if (!next.rho.valid() || !next.delta.valid() || next.rho.value() < rho / 4096) next = products();
        rho_before = rho;
        rho = next.rho.value();
        delta = next.delta.value();
        ++iterations;
        if (rho <= tolerance * tolerance * b) break;
        if (iterations >= maximum_iterations) fail(std::sqrt(rho / b), "is not small enough");
    }
    if (!step.add)
        for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) row.of(y)[c] += step.alpha * row.of(s)[c];
}

void EllipticSolver::apply(const FieldSlab& x, const FieldSlab& result, int bytes) {
    for_points(x, bytes, [this](const Row& row, int c, double d, auto& value) { row.of(s)[c] = d > 0 ? value / d : 0; });
    fill(slab_s);
    for (const Row& row : A.rows) if (row.ring == 0) std::fill_n(row.of(r), row.up, 0), descend(row, r, s, -1);
    for_points(result, bytes, [this](const Row& row, int c, double d, auto& value) { value = d > 0 ? row.of(r)[c] / d : 0; });
}

/// On all ranks: the first point, from south to north and west to east, at which the residual is largest or not a number.
void EllipticSolver::fail(double residual, const char* what) {
    double most = -1;
    long place = LONG_MAX, first;
    auto size = [&](const Row& row, int c) { const double x = std::abs(row.of(r)[c]); return x < infinity ? x : infinity; };
    for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c) most = std::max(most, size(row, c));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    for (const Row& row : A.rows) if (row.ring == 0) for (int c = lead; c < lead + row.nx; ++c)
        if (size(row, c) == most) place = std::min(place, long(A.blocks[row.block].j0 + row.j) * topology.nx + A.blocks[row.block].i0 + c - lead);
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, comm);
    for (const Row& row : A.rows) for (int v : {r, s, y}) std::fill_n(row.of(v), row.up, 0);      // no NaN is left for the next time
    last_residual = residual;
    throw Error("elliptic solver: after ", iterations, " iterations (at most ", maximum_iterations, ") the residual, ", residual, " of the right-hand side, ", what,
                "; tolerance ", tolerance, "; it is largest at i = ", first % topology.nx, ", j = ", first / topology.nx);
}

}  // namespace fathom
