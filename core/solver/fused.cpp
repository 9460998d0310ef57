#include "solver/fused.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include "solver/chebyshev_steps.hpp"
#include "solver/fused_rows.hpp"

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
template <class Number> using RowOf = EllipticOperator<Number>::Row;
template <class Number> using Space = EllipticSpace<Number>;
constexpr int lead = EllipticOperator<double>::halo;

/// Calls body(row, c) for the packs of all rows, also those of the halo.
template <class Number, class F> void every_pack(Space<Number>& space, F body) {
    in_parallel([&] {
        space.each_row(
            [&](const RowOf<Number>& row) { space.each_pack(row, [&](int c) { body(row, c); }); });
    });
}
/// r and y become D r and D y, s becomes 0; afterwards y, and r if asked for, are scaled back.
template <class Number> void enter(Space<Number>& space) {
    using Real = EllipticOperator<Number>::Real;
    every_pack(space, [&](const RowOf<Number>& row, int c) {
        const Real d = Real::load(row.of(space.A.scale) + c);
        for (int v : {int(space.r), int(space.y)})
            (Real::load(row.of(v) + c) * d).store(row.of(v) + c);
        Real(0.0).store(row.of(space.s) + c);
    });
}
template <class Number> void leave(Space<Number>& space, bool residual) {
    using Real = EllipticOperator<Number>::Real;
    every_pack(space, [&](const RowOf<Number>& row, int c) {
        const Real d = Real::load(row.of(space.A.scale) + c);
        auto unscale = [&](Number* x) {
            select(d > Real(0.0), Real::load(x) / d, Real(0.0)).store(x);
        };
        unscale(row.of(space.y) + c);
        if (residual) unscale(row.of(space.r) + c);
    });
}

/// Calls body(true) or body(false), with a constant.
template <class F> void facing(bool south, F body) {
    if (south)
        body(std::true_type());
    else
        body(std::false_type());
}

/// The contributions to row n of the corners between it and the row before, unless known.
template <class Number>
void fill_carry(Space<Number>& space, int n, int vector, FusedBuffer<Number>& carry, bool south) {
    if (carry.row == n) return;
    carry.clear(space.A.rows[n].up);
    facing(south, [&](auto south) {
        const auto& before = space.A.rows[n - (south ? -1 : 1)];
        carry_corners<south, Number>(before, before.of(vector), carry.at());
    });
}
/// Row n of r -= alpha (s - D^2 F s), after s has been computed in the rows next to it.
template <class Number>
void descend(Space<Number>& space, int n, double alpha, FusedBuffer<Number>& carry, bool south) {
    fill_carry(space, n, space.s, carry, south);
    facing(south,
           [&](auto south) { descend_row<south, Number>(space.A.rows[n], alpha, carry.at()); });
    carry.row = n + (south ? -1 : 1);
}
/// Row n of t = r - D^2 F r, likewise.
template <class Number>
void apply(Space<Number>& space, int n, FusedBuffer<Number>& carry, Number* t, bool south) {
    fill_carry(space, n, space.r, carry, south);
    facing(south, [&](auto south) { apply_row<south, Number>(space.A.rows[n], carry.at(), t); });
    carry.row = n + (south ? -1 : 1);
}
template <class Number> void search(const RowOf<Number>& row, const FusedStep& step, bool add) {
    if (add && row.ring == 0)
        search_row<true, Number>(row, step);
    else
        search_row<false, Number>(row, step);
}

/// Two iterations, or only the first, are stages 0 to 3 of a sweep; in the halo only as far as
/// needed for results within `reach`.
template <class Number>
void iterate(Space<Number>& space, int stage, int n, const TwoSteps& two, int reach,
             FusedBuffer<Number>* carry, bool south) {
    const auto& row = space.A.rows[n];
    const int half = stage / 2;
    if (row.ring > reach + 2 - (stage + 1) / 2) return;
    if (half == 1 && !two.both) {  // only y
        if (stage == 2 && row.ring == 0)
            for (auto* g = row.first; g != row.last; ++g)
                for (int c = g->begin; c < g->end; ++c)
                    row.of(space.y)[c] += Number(two.step[1].before) * row.of(space.s)[c];
        return;
    }
    if (stage % 2 == 0)
        search<Number>(row, two.step[half], half == 1);
    else
        descend<Number>(space, n, two.step[half].alpha, carry[half], south);
}

/// Stages over rows from south to north or back, each one row behind the one before; stage(k, n)
/// does row n and needs stage k - 1 in rows n - 1, n, n + 1; all(n) does stage k in the k-th row
/// behind n, all of them. Every thread calls it for its rows [begin, end); a stage that needs rows
/// of another thread waits for that thread.
template <int stages, class F, class G>
void wavefront(int begin, int end, bool south, F stage, G all) {
    const int count = end - begin;
    auto row = [=](int i) { return south ? end - 1 - i : begin + i; };
    for (int i = 0; i < count; ++i)
        if (i >= 2 * (stages - 1))
            all(row(i));
        else
            for (int k = 0; k < stages; ++k)
                if (i - k >= k) stage(k, row(i - k));
    for (int k = 1; k < stages; ++k) {
#pragma omp barrier
        for (int i = 0; i < std::min(k, count); ++i) stage(k, row(i));
        for (int i = std::max(k, count - k); i < count; ++i) stage(k, row(i));
    }
}

/// Buffers of a thread from row to row: sums for both iterations and for t, and t of four rows.
template <class Number> struct Carried {
    FusedBuffer<Number> carry[3], t[4];
};

/// A thread's rows of a sweep: stages 0 to 3 are those of two iterations, 4 is t, 5 the sums.
template <class Number> class GradientSweep {
public:
    using Sums = FusedSums<Number>;
    static constexpr int stages = 6, reach = 2;
    Sums sums;

    GradientSweep(Space<Number>& space, Carried<Number>& own, const TwoSteps& two, SumUnit unit,
                  bool south)
        : sums(unit), space(space), rows(space.A.rows), own(own), two(two), south(south) {
        for (auto& c : own.carry) c.row = -1;
        for (auto& t : own.t) t.row = -1;
    }
    void stage(int k, int n) {
        if (k < 4)
            fathom::iterate<Number>(space, k, n, two, reach, own.carry, south);
        else if (k == 5)
            sum(n);
        else if (rows[n].ring <= 1)
            applied(n);
    }
    /// Stage k in the k-th row behind n, all of them.
    void all(int n) {
        if (!together(n)) {
            for (int k = 0; k < stages; ++k) stage(k, n - k * on);
            return;
        }
        const int last = n - 5 * on;
        auto& newest = t(last + on);
        prepare(last + on, newest);
        const AppliedRows<Number> applied{newest.at(), t(last).at(), t(last + 1).at()};
        flush_around(last, [&] {
            facing(south, [&](auto south) {
                fused_rows<south, Number>(rows[n - 3 * on], two.step[0], two.step[1],
                                          {own.carry[0].at(), own.carry[1].at(), own.carry[2].at()},
                                          applied, sums);
            });
        });
        for (auto& c : own.carry) c.row += on;
    }
    void sum(int n) {
        if (rows[n].ring) return;
        const Number *here = applied(n), *north = applied(n + 1);
        flush_around(n, [&] { sum_row<Number>(rows[n], here, north, sums); });
    }

private:
    Space<Number>& space;
    const std::vector<RowOf<Number>>& rows;
    Carried<Number>& own;
    const TwoSteps& two;
    const bool south;
    const int on = south ? -1 : 1;

    FusedBuffer<Number>& t(int n) { return own.t[n % 4]; }
    /// Whether all stages can be done in one loop: in own rows of one block, if the carried sums
    /// are those of the rows before.
    bool together(int n) {
        static constexpr int behind[] = {1, 3, 4};  // rows behind the first to which F is applied
        const int newest = n - 2 * on, last = n - 5 * on;
        bool carried = true;
        for (int k = 0; k < 3; ++k) carried &= own.carry[k].row == n - behind[k] * on;
        return carried && two.both && rows[newest].ring == 0 && rows[last].ring == 0 &&
               rows[newest].block == rows[last].block && t(last).row == last &&
               (!south || t(last + 1).row == last + 1);
    }
    /// t of row n, unless it is known.
    Number* applied(int n) {
        auto& found = t(n);
        if (found.row != n) {
            prepare(n, found);
            apply<Number>(space, n, own.carry[2], found.at(), south);
        }
        return found.at();
    }
    /// Prepares the buffer for t of row n; it is 0 where t is not computed.
    void prepare(int n, FusedBuffer<Number>& t) {
        const auto& row = rows[n];
        if (t.row < 0 || rows[t.row].block != row.block) t.clear(row.up);
        Number* from = t.at();
        for (auto* g = row.near; g != row.near_end; from = t.at() + (g++)->end)
            std::fill(from, t.at() + g->begin, Number(0));
        std::fill(from, t.at() + row.up, Number(0));
        t.row = n;
    }
    /// Calls work to sum row n; a row along the fold is summed separately, its corners count half.
    template <class F> void flush_around(int n, F work) {
        const Topology& topology = space.how.decomposition->topology;
        const bool fold =
            topology.fold && space.A.blocks[rows[n].block].j0 + rows[n].j == topology.ny - 1;
        if (fold || sums.full(int(rows[n].up / Sums::Real::width))) sums.flush();
        work();
        if (fold) sums.flush(true);
    }
};

template <class Number> class FusedGradients final : public Method {
public:
    explicit FusedGradients(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        enter(space);
        const End end = steps(rr, goal, iterations, maximum);
        space.arrive();
        leave(space, end == End::not_positive || end == End::not_a_number);
        return end;
    }

private:
    using Sums = FusedSums<Number>;
    using Totals = std::array<ExactSum, Sums::all>;
    Space<Number>& space;
    std::vector<Carried<Number>> carried;  // of each thread
    bool south = false;                    // which way the last sweep went; the next goes back

    End steps(double rr, double goal, int& iterations, int maximum) {
        GradientSearch search{rr, goal, iterations, maximum, std::is_same_v<Number, float>};
        while (search.next != GradientSearch::Next::nothing) {
            const Products found = search.next == GradientSearch::Next::step
                                       ? products_after(search)
                                       : products(search.largest);
            search.take(found);
            if (search.iterations > iterations && found.valid && !search.single)
                space.record.note(search.iterations, found.rr);
            iterations = search.iterations;
        }
        return search.end;
    }

    /// The products after one or two iterations.
    Products products_after(const GradientSearch& search) {
        Totals sums = sweep<true>(search.steps(), SumUnit::for_largest(search.largest));
        space.start(space.r, lead, 2);
        return share(sums);
    }
    Products share(Totals& sums) {
        double values[Sums::all];
        const bool valid = space.share(sums, values);
        return {values[Sums::rr], values[Sums::rt], values[Sums::tt], values[Sums::cross], valid};
    }
    /// Of the four cells of a corner no t.F t sums up to more than 6 of the largest t D^-2 t, and
    /// none of these is more than 25 of the largest r D^-2 r; largest: of all terms; infinite: it
    /// must be found.
    Products products(double largest) {
        if (!(largest < infinity)) {
            using Real = EllipticOperator<Number>::Real;
            const double most = space.largest([&](const RowOf<Number>& row, int c) {
                return Real::load(row.of(space.r) + c) /
                       sqrt(Real::load(row.of(space.A.square) + c));
            });
            if (!(most < infinity)) return {};
            largest = 1024 * most * most;
        }
        Totals sums = sweep<false>({}, SumUnit::for_largest(largest));
        return share(sums);
    }
    template <bool updates> Totals sweep(const TwoSteps& two, SumUnit unit) {
        Totals total;
        total.fill(ExactSum(unit));
        carried.resize(std::max<std::size_t>(carried.size(), omp_get_max_threads()));
        south = updates && !south;
        space.as_halos_arrive([&](Space<Number>::Rows which) {
            Within within(regions_of_solver().sweep);
            in_parallel([&] {
                const auto& part = space.parts(which);
                const int thread = omp_get_thread_num(), begin = part[thread],
                          end = part[thread + 1];
                GradientSweep<Number> mine(space, carried[thread], two, unit, south);
                if constexpr (updates)
                    wavefront<mine.stages>(
                        begin, end, south, [&](int k, int n) { mine.stage(k, n); },
                        [&](int n) { mine.all(n); });
                else
                    for (int n = begin; n < end; ++n) mine.sum(n);
                mine.sums.flush();
#pragma omp critical
                for (int n = 0; n < Sums::all; ++n) total[n].add(mine.sums.total[n]);
            });
        });
        return total;
    }
};

/// r.r is summed every twentieth iteration, towards the end every tenth.
template <class Number> class FusedChebyshev final : public Method {
public:
    explicit FusedChebyshev(Space<Number>& space) : space(space) {}

    End iterate(double rr, double goal, int& iterations, int maximum) override {
        enter(space);
        const End end = steps(rr, goal, iterations, maximum);
        leave(space, end == End::not_positive || end == End::not_a_number);
        return end;
    }

private:
    Space<Number>& space;
    // of each thread, for both iterations of a sweep
    std::vector<std::array<FusedBuffer<Number>, 2>> carry;
    bool south = false;  // which way the last sweep went; the next goes back

    End steps(double rr, double goal, int& iterations, int maximum) {
        bool first = true;
        return chebyshev_steps(
            spectrum, rr, goal, iterations, maximum,
            [&](std::span<const TwoSteps> list, SumUnit unit) {
                for (auto& two : list) {
                    if (!std::exchange(first, false)) space.start(space.r, 2, 2);
                    sweep(two);
                }
                return squares(unit);
            },
            [&](int iteration, double now) {
                if (std::is_same_v<Number, double>) space.record.note(iteration, now);
            });
    }

    void sweep(const TwoSteps& two) {
        carry.resize(std::max<std::size_t>(carry.size(), omp_get_max_threads()));
        south = !south;
        space.as_halos_arrive([&](Space<Number>::Rows which) {
            Within within(regions_of_solver().sweep);
            in_parallel([&] {
                const auto& part = space.parts(which);
                auto& left = carry[omp_get_thread_num()];
                left[0].row = left[1].row = -1;
                auto stage = [&](int k, int n) {
                    fathom::iterate<Number>(space, k, n, two, 0, left.data(), south);
                };
                wavefront<4>(part[omp_get_thread_num()], part[omp_get_thread_num() + 1], south,
                             stage, [&](int n) {
                                 for (int k = 0; k < 4; ++k) stage(k, south ? n + k : n - k);
                             });
            });
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
                FusedSums<Number> sums(unit);
                space.each_pack(row, [&](int c) {
                    const Real x = space.inside(row, c, Real::load(row.of(space.r) + c));
                    sums.add(sums.lanes, sums.rr, x, x / Real::load(row.of(space.A.square) + c)),
                        sums.next(sums.lanes);
                });
                mine.add(sums.lanes.of(sums.rr, unit));
            });
#pragma omp critical
            total.add(mine);
        });
        double value;
        return space.share({&total, 1}, &value) ? value : std::nan("");
    }
};

}  // namespace

template <class Number> std::unique_ptr<Method> fused_gradients(EllipticSpace<Number>& space) {
    return std::make_unique<FusedGradients<Number>>(space);
}
template <class Number> std::unique_ptr<Method> fused_chebyshev(EllipticSpace<Number>& space) {
    return std::make_unique<FusedChebyshev<Number>>(space);
}
template std::unique_ptr<Method> fused_gradients(EllipticSpace<double>&);
template std::unique_ptr<Method> fused_gradients(EllipticSpace<float>&);
template std::unique_ptr<Method> fused_chebyshev(EllipticSpace<double>&);
template std::unique_ptr<Method> fused_chebyshev(EllipticSpace<float>&);

}  // namespace fathom
