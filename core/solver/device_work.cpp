/// The solve whose vectors are on a device (on_device.hpp).
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "solver/chebyshev_steps.hpp"
#include "solver/solver.hpp"

namespace fathom {

/// Exchanges of vectors on a device, each made at its first use.
class EllipticSolver::Ranks final : public EllipticRanks {
public:
    Ranks(std::shared_ptr<Device> device, const Communication& how)
        : device(std::move(device)), how(how) {}

    void fill(std::span<const FieldSlab> vectors, int bytes, int width) override {
        Within within(regions_of_solver().halo);
        auto& [exchange, mover] = halos[{bytes, width}];
        if (!exchange) {
            exchange = std::make_unique<Exchange>(
                how.comm, *how.decomposition, EllipticPoints::halo, bytes,
                std::vector<Exchange::Item>(vectors.size(), {Horizontal::center, false, width, 1}),
                how.exchange);
            mover = device->make<Mover>(exchange->points());
            mover->expect(vectors);
        }
        exchange->start(vectors, mover.get());
        exchange->finish(vectors);
    }
    double largest(double own) override {
        MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_MAX, how.comm);
        return own;
    }

private:
    struct Halo {
        std::unique_ptr<Exchange> exchange;
        std::unique_ptr<Mover> mover;
    };
    std::shared_ptr<Device> device;
    const Communication how;
    std::map<std::pair<int, int>, Halo> halos;  // by bytes and width
};

class EllipticSolver::There final : public Work {
public:
    There(EllipticSolver& solver, const FieldSlab& rhs, const FieldSlab& x, int bytes)
        : solver(solver), on(*solver.on_device), rhs(rhs), x(x), bytes(bytes) {}

    double begin() override { return square(on.begin(rhs, x, solver.halo, bytes)); }
    double residual() override { return square(on.residual()); }
    End iterate(double rr, double goal) override {
        on.enter(false, 1);
        const End end = pass(false, rr, goal, solver.options.maximum_iterations);
        on.leave(false, 1, end == End::not_positive || end == End::not_a_number);
        return end;
    }
    End iterate_in_single(double up, double rr, double goal, int maximum) override {
        on.enter(true, up);
        return pass(true, rr, goal, maximum);
    }
    void add(double down) override { on.leave(true, down, false); }
    void end(bool zero) override { on.end(x, solver.halo, bytes, zero); }
    void fetch_residual() override {
        const auto points = elliptic_places(solver.space.A);
        const auto r = on.fetch_residual();
        for (auto& row : solver.space.A.rows)
            if (row.ring == 0)
                std::copy_n(r.data() + points.blocks[row.block].at + row.j * points.up, row.nx,
                            row.of(Space::r) + Space::lead);
    }

private:
    EllipticSolver& solver;
    EllipticOnDevice& on;
    const FieldSlab &rhs, &x;
    const int bytes;

    double square(const EllipticOnDevice::Squares& s) {
        if (!(s.largest < std::numeric_limits<double>::infinity())) return std::nan("");
        return sum(s.limbs, Space::unit_of(s.largest * s.largest));
    }
    /// Over all ranks.
    double sum(const Limbs& own, SumUnit unit) {
        double value;
        share(std::array{own}, unit, &value);
        return value;
    }
    template <std::size_t count>
    bool share(const std::array<Limbs, count>& own, SumUnit unit, double* values) {
        std::array<ExactSum, count> all;
        all.fill(ExactSum(unit));
        for (std::size_t n = 0; n < count; ++n) all[n].add(own[n]);
        return solver.space.share(all, values);
    }
    End pass(bool single, double rr, double goal, int maximum) {
        if (solver.options.solver == "pcsi") return chebyshev(single, rr, goal, maximum);
        GradientSearch search{rr, goal, solver.iterations, maximum, single};
        const auto note = [&](int iteration, double now) {
            if (!single) solver.record.note(iteration, now);
        };
        if (solver.space.ranks == 1)
            for (auto& residual : on.gradients(search)) note(residual.iteration, residual.rr);
        else
            together(search, note);
        solver.iterations = search.iterations;
        return search.end;
    }
    /// Each rank has the sums of all, and decides as the others do.
    template <class Note> void together(GradientSearch& search, const Note& note) {
        while (search.next != GradientSearch::Next::nothing) {
            const int before = search.iterations;
            const Products found = products(search);
            search.take(found);
            if (search.iterations > before && found.valid) note(search.iterations, found.rr);
        }
    }
    Products products(const GradientSearch& search) {
        const TwoSteps two = search.steps();
        double largest = search.largest;
        if (!(largest < GradientSearch::infinity)) {
            const double most = solver.on_ranks->largest(on.largest(search.single));
            if (!(most < GradientSearch::infinity)) return {};
            largest = 1024 * most * most;  // as in fused.cpp
        }
        const SumUnit unit = SumUnit::for_largest(largest);
        const bool steps = search.next == GradientSearch::Next::step;
        std::array<double, 4> of;
        const bool valid =
            share(on.products(search.single, steps ? &two : nullptr, unit), unit, of.data());
        return {of[0], of[1], of[2], of[3], valid};
    }
    End chebyshev(bool single, double rr, double goal, int maximum) {
        auto& method = single ? *solver.in_single : *solver.method;
        return chebyshev_steps(
            method.spectrum, rr, goal, solver.iterations, maximum,
            [&](std::span<const TwoSteps> list, SumUnit unit) {
                return sum(on.sweeps(single, list, unit), unit);
            },
            [&](int iteration, double now) {
                if (!single) solver.record.note(iteration, now);
            });
    }
};

bool EllipticSolver::live_on(std::shared_ptr<Device> on) {
    const bool one = space.ranks == 1,
               known = options.preconditioner == "diagonal" &&
                       (options.solver == "chrongear" || options.solver == "pcsi");
    // also on ranks without blocks, which have no parts
    const bool overlaps = !one && transport(options.exchange).overlaps;
    if (!known || overlaps || !parts.list.empty() || space.A.skew) return false;
    if (on == device) return true;
    device = on;
    int rank;
    MPI_Comm_rank(space.how.comm, &rank);
    auto points =
        elliptic_points(space.A, single ? &single->A : nullptr, *space.how.decomposition, rank);
    points.history = int(record.history.capacity());
    if (!one) points.others = on_ranks = std::make_shared<Ranks>(on, space.how);
    on_device = on->make<EllipticOnDevice>(points);
    return true;
}

int EllipticSolver::solve_there(const FieldSlab& rhs, const FieldSlab& x, int bytes) {
    There there(*this, rhs, x, bytes);
    return solve(there);
}

}  // namespace fathom
