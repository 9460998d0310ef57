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
constexpr int lead = EllipticOperator::lead;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Packs with water of a row; of the last one only some columns may be own.
template <class F> void for_packs(const Row& row, F body) {
    const int whole = lead + row.nx / 8 * 8;
    for (auto* segment = row.first; segment != row.last; ++segment) {
        const int end = segment->end < whole ? segment->end : whole;
        for (int c = segment->begin; c < end; c += 8) body(c, std::false_type());
        if (segment->end > whole) body(whole, std::true_type());
    }
}
typedef std::int64_t Index __attribute__((vector_size(64)));
Real own_columns(const Row& row, Real x) {                 // of the last pack: 0 in the halo and beyond
    const Index column{0, 1, 2, 3, 4, 5, 6, 7}, count = row.nx % 8 - Index{};
    return select(column < count, x, Real(0.0));
}

double* vector(const Row& row, int v) { return row.at + v * row.columns; }

/// A sum that a thread makes of packs.
struct Summing {
    SumUnit unit; ExactLanes rho{unit}, delta{unit};
    ExactSum rho_sum{unit}, delta_sum{unit};
    int added = 0;
    void flush() { rho_sum.add(rho), delta_sum.add(delta), rho = delta = ExactLanes(unit), added = 0; }
    void room(const Row& row) { if ((added += (row.nx + 7) / 8) > ExactLanes::most) flush(), added = (row.nx + 7) / 8; }
};

/// q = A r, and r.r and r.q.
void multiply(const Row& row, int r, int q, Summing& sums) {
    sums.room(row);
    ExactLanes rho = sums.rho, delta = sums.delta;         // in registers
    const double* from = vector(row, r);
    double* to = vector(row, q);
    for_packs(row, [&](int c, auto last) {
        const Real Ar = EllipticOperator::apply(row, r, c);
        Ar.store(to + c);
        Real x = Real::load(from + c);
        if constexpr (last) x = own_columns(row, x);
        rho.add(x * x);
        delta.add(x * Ar);
    });
    sums.rho = rho; sums.delta = delta;
}

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
      exchange(comm, d, 1, 8, {{Horizontal::center, false, 1, 1}}), slab_r{A.slab(r)}, slab_q{A.slab(q)} {
    if (!(tolerance > 0 && tolerance < 1)) throw Error("tolerance = ", tolerance, " of the elliptic solver must lie in ]0, 1[");
    if (maximum_iterations < 1) throw Error("maximum_iterations = ", maximum_iterations, " of the elliptic solver must be at least 1");
    MPI_Comm_size(comm, &ranks);
    for (auto* b : A.blocks) if (b->nx > 8 * ExactLanes::most) throw Error("elliptic solver: a block of ", b->nx, " columns; the most is ", 8 * ExactLanes::most);
}

template <class F> void EllipticSolver::for_points(const FieldSlab& f, int bytes, F body) const {
    auto all = [&]<class Number>(Number) {
        #pragma omp parallel for schedule(static)
        for (const Row& row : A.rows) if (row.own) {
            Number* at = (Number*)f.at[row.block] + (row.j + halo) * f.row[row.block] + halo;
            const double* d = vector(row, A.scale);
            for (int i = 0; i < row.nx; ++i) if (d[lead + i] > 0) body(row, lead + i, d[lead + i], at[i]);
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

/// s = r + beta s,  p = q + beta p,  y += alpha s,  r -= alpha p; p and r in the halo columns too.
void EllipticSolver::update(const Row& row, const Step& step) const {
    double *R = vector(row, r), *S = vector(row, s), *P = vector(row, p), *Q = vector(row, q), *Y = vector(row, y);
    const Real alpha(step.alpha), beta(step.beta), before(step.alpha_before);
    auto load = [](const double* at) { return Real::load(at); };
    auto pack = [&](int c, auto add) {
        const Real r0 = load(R + c), s0 = load(S + c), s1 = r0 + beta * s0, p1 = load(Q + c) + beta * load(P + c);
        s1.store(S + c);
        p1.store(P + c);
        (r0 - alpha * p1).store(R + c);
        if constexpr (add) (load(Y + c) + (before * s0 + alpha * s1)).store(Y + c);
    };
    for (auto* segment = row.first; segment != row.last; ++segment)
        if (step.add) for (int c = segment->begin; c < segment->end; c += 8) pack(c, std::true_type());
        else for (int c = segment->begin; c < segment->end; c += 8) pack(c, std::false_type());
    auto halo_column = [&](int c) { P[c] = Q[c] + step.beta * P[c]; R[c] -= step.alpha * P[c]; };
    halo_column(lead - 1);
    if (row.nx % 8 == 0) halo_column(lead + row.nx);       // otherwise part of the last pack
}

/// The rows at the ends of a thread's part wait until its neighbours have updated theirs.
template <bool updates> EllipticSolver::Products EllipticSolver::sweep(const Step& step, SumUnit unit) {
    const double t = now();
    Products total{ExactSum(unit), ExactSum(unit)};
    #pragma omp parallel
    {
        #pragma omp single
        if (int(part.size()) != omp_get_num_threads() + 1) part = parts(A, omp_get_num_threads());
        const int begin = part[omp_get_thread_num()], end = part[omp_get_thread_num() + 1];
        Summing sums{unit};
        auto apply = [&](int n) { if (A.rows[n].own) multiply(A.rows[n], r, q, sums); };
        for (int n = begin; n < end; ++n) {
            if constexpr (updates) update(A.rows[n], step);
            if (n - 1 > begin) apply(n - 1);
        }
        #pragma omp barrier
        if (begin < end) apply(begin);
        if (begin < end - 1) apply(end - 1);
        sums.flush();
        #pragma omp critical
        total.rho.add(sums.rho_sum), total.delta.add(sums.delta_sum);
    }
    seconds.sweep += now() - t;
    return total;
}

void EllipticSolver::share(Products& products) {
    const double t = now();
    ExactSum both[] = {products.rho, products.delta};
    allreduce(comm, both);
    products = {both[0], both[1]};
    seconds.sum += now() - t;
}

/// Largest modulus over all ranks; infinite if anything is not a number.
double EllipticSolver::largest(int v) {
    double most = 0;
    for (const Row& row : A.rows) if (row.own) for (int c = lead; c < lead + row.nx; ++c) {
        const double x = std::abs(vector(row, v)[c]);
        most = x <= most ? most : x < std::numeric_limits<double>::infinity() ? x : std::numeric_limits<double>::infinity();
    }
    const double t = now();
    if (ranks > 1) MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    seconds.sum += now() - t;
    return most;
}

/// r.r and r.w where no sum before tells the unit.
EllipticSolver::Products EllipticSolver::products(int w) {
    const double most_r = largest(r), most_w = w == r ? most_r : largest(w);
    if (!std::isfinite(most_r) || !std::isfinite(most_w)) fail(std::nan(""), "is not a number");
    Summing sums{SumUnit::for_largest(most_r * std::max(most_r, most_w))};
    for (const Row& row : A.rows) if (row.own) {
        sums.room(row);
        for_packs(row, [&](int c, auto last) {
            Real x = Real::load(vector(row, r) + c);
            if constexpr (last) x = own_columns(row, x);
            sums.rho.add(x * x);
            sums.delta.add(x * Real::load(vector(row, w) + c));
        });
    }
    sums.flush();
    Products both{sums.rho_sum, sums.delta_sum};
    share(both);
    return both;
}

int EllipticSolver::solve(const FieldSlab& rhs, const FieldSlab& x, int bytes) {
    iterations = 0;
    for_points(x, bytes, [this](const Row& row, int c, double d, auto& value) { vector(row, y)[c] = value / d; });
    for_points(rhs, bytes, [this](const Row& row, int c, double d, auto& value) { vector(row, r)[c] = value * d; });
    const double b = products(r).rho.value();
    for (double before = std::numeric_limits<double>::infinity(); b > 0; before = last_residual) {
        for (const Row& row : A.rows) if (row.own) std::copy_n(vector(row, y) + lead, row.nx, vector(row, r) + lead);
        fill(slab_r);
        sweep<false>({}, SumUnit());                       // q = A y
        for_points(rhs, bytes, [this](const Row& row, int c, double d, auto& value) { vector(row, r)[c] = value * d - vector(row, q)[c]; });
        const double rho = products(r).rho.value();
        last_residual = std::sqrt(rho / b);
        if (rho <= tolerance * tolerance * b) break;
        if (!(last_residual < 0.5 * before)) fail(last_residual, "does not fall any more, this being what double precision allows");
        conjugate_gradients(rho, b);
    }
    if (!(b > 0)) last_residual = 0;
    for_points(x, bytes, [this, b](const Row& row, int c, double d, auto& value) { value = b > 0 ? vector(row, y)[c] * d : 0; });
    return iterations;
}

/// From the residual r of y until r.r <= tolerance^2 b.
void EllipticSolver::conjugate_gradients(double rho, double b) {
    auto unit = [](double rho) { return SumUnit::for_largest(256 * rho); };   // the residual may grow 16 times before it is summed again
    for (const Row& row : A.rows) for (int v : {s, p}) std::fill_n(vector(row, v), row.columns, 0);
    fill(slab_r);
    Products first = sweep<false>({}, unit(rho));
    fill(slab_q);
    share(first);
    if (!first.delta.valid()) first = products(q);
    Step step{0, 0, 0, true};
    double delta = first.delta.value(), sigma = 0;
    for (double rho_before = std::numeric_limits<double>::infinity();;) {
        step.beta = rho / rho_before;
        sigma = delta - step.beta * step.beta * sigma;
        if (!(sigma > 0)) fail(std::sqrt(rho / b), "cannot be reduced: the operator is not positive definite");
        step.alpha_before = step.alpha;
        step.alpha = rho / sigma;
        step.add = !step.add;
        Products next = sweep<true>(step, unit(rho));
        double t = now();
        exchange.start(slab_q);
        seconds.halo += now() - t;
        share(next);
        t = now();
        exchange.finish(slab_q);
        seconds.halo += now() - t;
        if (!next.rho.valid() || !next.delta.valid() || next.rho.value() < rho / 4096) next = products(q);
        rho_before = rho;
        rho = next.rho.value();
        delta = next.delta.value();
        ++iterations;
        if (rho <= tolerance * tolerance * b) break;
        if (iterations >= maximum_iterations) fail(std::sqrt(rho / b), "is not small enough");
    }
    if (!step.add)
        for (const Row& row : A.rows) if (row.own) for (int c = lead; c < lead + row.nx; ++c) vector(row, y)[c] += step.alpha * vector(row, s)[c];
}

void EllipticSolver::apply(const FieldSlab& x, const FieldSlab& result, int bytes) {
    for (const Row& row : A.rows) std::fill_n(vector(row, r), row.columns, 0);
    for_points(x, bytes, [this](const Row& row, int c, double d, auto& value) { vector(row, r)[c] = value / d; });
    fill(slab_r);
    sweep<false>({}, SumUnit());
    for_points(result, bytes, [this](const Row& row, int c, double d, auto& value) { value = vector(row, q)[c] / d; });
}

/// On all ranks: the first point, south to north and west to east, at which the residual is largest or not a number.
void EllipticSolver::fail(double residual, const char* what) {
    double most = -1;
    long place = LONG_MAX, first;
    auto size = [&](const Row& row, int c) { const double x = std::abs(vector(row, r)[c]); return x < std::numeric_limits<double>::infinity() ? x : std::numeric_limits<double>::infinity(); };
    for (const Row& row : A.rows) if (row.own) for (int c = lead; c < lead + row.nx; ++c) most = std::max(most, size(row, c));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    for (const Row& row : A.rows) if (row.own) for (int c = lead; c < lead + row.nx; ++c)
        if (size(row, c) == most) place = std::min(place, long(A.blocks[row.block]->j0 + row.j) * topology.nx + A.blocks[row.block]->i0 + c - lead);
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, comm);
    last_residual = residual;
    throw Error("elliptic solver: after ", iterations, " iterations (at most ", maximum_iterations, ") the residual, ", residual, " of the right-hand side, ", what,
                "; tolerance ", tolerance, "; it is largest at i = ", first % topology.nx, ", j = ", first / topology.nx);
}

}  // namespace fathom
