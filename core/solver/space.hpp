/// The common part of the methods: the scaled operator A of elliptic.hpp (unit diagonal), vectors,
/// their halos, sums over all ranks.
///
/// Every method keeps y, the solution so far, and r = D b - A y. Sums do not depend on order
/// (reduce.hpp) and everything else is done point by point: the same bits on any ranks, blocks and
/// threads, for any way to exchange and to sum.
#pragma once
#include <omp.h>
#include <array>
#include <limits>
#include <map>
#include <string>
#include "parallel/meeting.hpp"
#include "parallel/sums/global_sum.hpp"
#include "parallel/sums/reduce.hpp"
#include "solver/elliptic.hpp"
#include "solver/search.hpp"

namespace fathom {

/// The parts of a solve. Halos and sums may be within a preconditioner.
struct SolverRegions {
    Region sweep{"operator"}, preconditioner{"preconditioner"}, halo{"halo", "", "exchange"},
        sum{"sum", "", "sum"};
};
inline const SolverRegions& regions_of_solver() {
    static const SolverRegions these;
    return these;
}

/// One thread needs no parallel region: each would cost an allocation.
template <class F> void in_parallel(F body) {
    if (omp_get_max_threads() == 1)
        body();
    else {
#pragma omp parallel
        body();
    }
}

/// How the solver communicates. plain: the sums of ranks are added as floating-point numbers, with
/// fewer words and other bits on other ranks.
struct Communication {
    MPI_Comm comm;
    std::shared_ptr<const Decomposition> decomposition;
    std::string exchange = "packed", sum = "allreduce";
    bool plain = false;
};

/// Counts and the residuals of a solve.
struct SolverRecord {
    struct Residual {
        int iteration;
        double rr;
    };
    /// Words of all sums; bytes of all halos for a point along an edge.
    long reductions = 0, words = 0, halos = 0, halo_bytes = 0;
    std::vector<Residual> history;  ///< of the last solve; memory for it is allocated beforehand
    void note(int iteration, double rr) {
        if (history.size() < history.capacity()) history.push_back({iteration, rr});
    }
};

/// 0 in the halo: columns before 0 and from nx on; the first of the pack is c.
template <class Real> Real own_columns(Real x, int c, int nx) {
    static constexpr std::conditional_t<sizeof(typename Real::Number) == 8, std::int64_t,
                                        std::int32_t>
        first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    typename Real::Mask column;
    __builtin_memcpy(&column, first, sizeof column);
    column += c;
    return select((column >= 0) & (column < nx), x, Real(0.0));
}

template <class Number> class EllipticSpace {
public:
    using Operator = EllipticOperator<Number>;
    using Real = typename Operator::Real;
    using Row = typename Operator::Row;
    static constexpr int lead = Operator::halo;
    /// s: the direction of search; from `more` on a method's own.
    enum Vector { r = Operator::vectors, s, y, more };

    /// of: the input of the operator.
    template <class... Of>
    EllipticSpace(const Communication& how, SolverRecord& record, int vectors, const Of&... of)
        : A(of..., more - r + vectors),
          record(record),
          how(how),
          sum(global_sum(how.sum, how.comm)) {
        MPI_Comm_size(how.comm, &ranks);
        for (int v = 0; v < more + vectors; ++v) slabs.push_back(A.slab(v));
        exchange(1, 1);
    }
    EllipticSpace(const EllipticSpace&) = delete;

    Operator A;
    SolverRecord& record;
    const Communication how;
    int ranks;

    /// The halo of a vector, and of two contiguous ones, `width` points wide, travels from `start`
    /// to `arrive`.
    void start(int v, int width = 1, int count = 1) {
        Within within(regions_of_solver().halo);
        travelling = {&exchange(width, count), {&slabs[v], std::size_t(count)}};
        travelling.exchange->start(travelling.vectors);
        if (travelling.exchange->overlaps()) travelling.exchange->copy(travelling.vectors);
        ++record.halos, record.halo_bytes += long(width) * count * long(sizeof(Number));
    }
    void arrive() {
        if (!travelling.exchange) return;
        Within within(regions_of_solver().halo, 0);
        travelling.exchange->finish(travelling.vectors);
        travelling.exchange = nullptr;
    }
    void fill(int v, int width = 1, int count = 1) {
        start(v, width, count);
        arrive();
    }
    /// body(rows) for all rows that need the travelling halo: where messages are overlapped, first
    /// for those of blocks that need nothing from other ranks.
    enum class Rows { all, inner, outer };
    template <class F> void as_halos_arrive(F body) {
        const bool overlaps = travelling.exchange && travelling.exchange->overlaps() && A.inner > 0;
        if (overlaps) body(Rows::inner);
        arrive();
        if (!overlaps || A.inner < A.rows.size()) body(overlaps ? Rows::outer : Rows::all);
    }

    /// Sums over all ranks, in two steps. False if one is not a number, or if its unit was too
    /// small.
    void start(std::span<ExactSum> sums) {
        Within within(regions_of_solver().sum);
        ++record.reductions, record.words += long(sums.size()) * (how.plain ? 1 : sum_words);
        if (ranks > 1) {
            if (how.plain)
                for (std::size_t n = 0; n < sums.size(); ++n) numbers[n] = sums[n].value();
            else
                pack(sums, words.data());
            if (how.plain)
                sum->start(std::span(numbers.data(), sums.size()));
            else
                sum->start(std::span(words.data(), sums.size() * sum_words));
        }
    }
    bool finish(std::span<ExactSum> sums, double* values) {
        Within within(regions_of_solver().sum);
        if (ranks > 1) sum->finish();
        if (ranks > 1 && !how.plain) unpack(words.data(), sums);
        bool sound = true;
        for (std::size_t n = 0; n < sums.size(); ++n)
            values[n] = ranks > 1 && how.plain ? numbers[n] : sums[n].value(),
            sound &= std::isfinite(values[n]);
        return sound;
    }
    bool share(std::span<ExactSum> sums, double* values) {
        start(sums);
        return finish(sums, values);
    }

    /// body(row) for own rows, distributed to threads by their packs.
    template <class F> void for_rows(F body, Rows which = Rows::all) {
        Within within(regions_of_solver().sweep);
        in_parallel([&] {
            each_row(
                [&](const Row& row) {
                    if (row.ring == 0) body(row);
                },
                which);
        });
    }
    /// body(c) for the packs of a row that have water.
    template <class F> static void each_pack(const Row& row, F body) {
        for (auto* g = row.first; g != row.last; ++g)
            for (int c = g->begin; c < g->end; c += Real::width) body(c);
    }
    /// body(row, c) for those of own rows.
    template <class F> void for_packs(F body) {
        for_rows([&](const Row& row) { each_pack(row, [&](int c) { body(row, c); }); });
    }
    /// body(row, lanes) for own rows adds packs to the `count` sums of its thread: numbers in the
    /// halo count as 0 (own_columns).
    template <int count, class F>
    std::array<ExactSum, count> summed(SumUnit unit, F body, Rows which = Rows::all)
        requires std::same_as<Number, double>
    {
        Within within(regions_of_solver().sweep);
        std::array<ExactSum, count> total;
        total.fill(ExactSum(unit));
        in_parallel([&] {
            std::array<ExactLanes, count> lanes = [&]<std::size_t... n>(std::index_sequence<n...>) {
                return std::array<ExactLanes, count>{((void)n, ExactLanes(unit))...};
            }(std::make_index_sequence<count>());
            auto mine = total;
            for (auto& m : mine) m = ExactSum(unit);
            auto flush = [&] {
                for (int n = 0; n < count; ++n) mine[n].add(lanes[n]), lanes[n] = ExactLanes(unit);
            };
            each_row(
                [&](const Row& row) {
                    if (row.ring) return;
                    if constexpr (count > 0)
                        if (lanes[0].count + row.up / Real::width > ExactLanes::most) flush();
                    body(row, lanes.data());
                },
                which);
            flush();
            if constexpr (count > 0) {
#pragma omp critical
                for (int n = 0; n < count; ++n) total[n].add(mine[n]);
            }
        });
        return total;
    }
    /// body(row, c, x, A x, lanes) for own packs, x the vector v, whose halo is filled; lanes as
    /// above.
    template <int count, class F>
    std::array<ExactSum, count> multiplied(int v, SumUnit unit, F body)
        requires std::same_as<Number, double>
    {
        std::array<ExactSum, count> total;
        total.fill(ExactSum(unit));
        start(v);
        as_halos_arrive([&](Rows which) {
            auto part = summed<count>(
                unit,
                [&](const Row& row, ExactLanes* lanes) {
                    A.multiply(row, row.of(v),
                               [&](int c, Real x, Real Ax) { body(row, c, x, Ax, lanes); });
                },
                which);
            for (int n = 0; n < count; ++n) total[n].add(part[n]);
        });
        return total;
    }
    /// body_of(row)(c, x, A x), likewise.
    template <class F> void multiply(int v, F body_of) {
        start(v);
        as_halos_arrive([&](Rows which) {
            for_rows([&](const Row& row) { A.multiply(row, row.of(v), body_of(row)); }, which);
        });
    }
    static Real inside(const Row& row, int c, Real x) {
        return c < lead || c + Real::width > row.nx + lead ? own_columns(x, c - lead, row.nx) : x;
    }

    /// a.b over all ranks; size: about |a| |b|. Not a number if that was far too small, too.
    double dot(int a, int b, double size) requires std::same_as<Number, double>
    {
        auto sums = summed<1>(unit_of(size), [&](const Row& row, ExactLanes* lanes) {
            each_pack(row, [&](int c) {
                // a product in the halo may be anything, even infinite
                lanes->add(inside(row, c, Real::load(row.of(a) + c) * Real::load(row.of(b) + c)));
            });
        });
        double value;
        return share(sums, &value) ? value : std::nan("");
    }
    /// The unit of sums whose terms, sizes squared, may still grow by 2^26.
    static SumUnit unit_of(double size) { return SumUnit::for_largest(size * 0x1p26); }

    /// |v| over all ranks; infinite if a number is not finite.
    double largest(int v) {
        return largest([v](const Row& row, int c) { return Real::load(row.of(v) + c); });
    }
    /// Of own packs of(row, c).
    template <class F>
    double largest(F of) requires std::invocable<F, const Row&, int>
    {
        return largest([&](const Row& row, Largest& most) {
            each_pack(row, [&](int c) { most.take(inside(row, c, of(row, c))); });
        });
    }
    struct Largest {
        Real most{0.0};
        void take(Real x) {
            const Real infinite(std::numeric_limits<Number>::infinity()), size = abs(x);
            most = larger(most, select(size < infinite, size, infinite));
        }
    };
    /// The largest number that body(row, most) finds in own rows.
    template <class F>
    double largest(F body) requires std::invocable<F, const Row&, Largest&>
    {
        double all = 0;
        {
            Within within(regions_of_solver().sweep);
            in_parallel([&] {
                Largest mine;
                each_row([&](const Row& row) {
                    if (row.ring == 0) body(row, mine);
                });
#pragma omp critical
                for (int n = 0; n < Real::width; ++n)
                    all = std::max(all, double(mine.most.lanes[n]));
            });
        }
        Within within(regions_of_solver().sum);
        if (ranks > 1) {
            Meet meet(how.comm, sizeof all);
            MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_MAX, how.comm);
        }
        return all;
    }
    const FieldSlab& slab(int v) const { return slabs[v]; }
    void clear(int v) {
        for (const Row& row : A.rows) std::fill_n(row.of(v), row.up, 0);
    }

    /// First row of each thread, and the end.
    const std::vector<int>& parts(Rows which = Rows::all) {
        auto& part = part_of[int(which)];
#pragma omp single
        if (int(part.size()) != omp_get_num_threads() + 1)
            part = shares(omp_get_num_threads(), which == Rows::outer ? A.inner : 0,
                          which == Rows::inner ? A.inner : A.rows.size());
        return part;
    }
    template <class F> void each_row(F body, Rows which = Rows::all) {
        const auto& share = parts(which);
        for (int n = share[omp_get_thread_num()], end = share[omp_get_thread_num() + 1]; n < end;
             ++n) {
            const Row row = A.rows[n];  // a copy: the compiler then knows that no store changes it
            body(row);
        }
    }

private:
    std::vector<FieldSlab> slabs;
    // of (points wide, vectors)
    std::map<std::pair<int, int>, std::unique_ptr<Exchange>> exchanges;
    std::unique_ptr<GlobalSum> sum;
    std::array<std::int64_t, GlobalSum::most_words> words;
    std::array<double, GlobalSum::most_words> numbers;
    std::array<std::vector<int>, 3> part_of;  // of Rows
    struct {
        Exchange* exchange = nullptr;
        std::span<const FieldSlab> vectors;
    } travelling;

    Exchange& exchange(int width, int count) {
        auto& e = exchanges[{width, count}];
        if (!e)
            e = std::make_unique<Exchange>(
                how.comm, *how.decomposition, lead, int(sizeof(Number)),
                std::vector<Exchange::Item>(count, {Horizontal::center, false, width, 1}),
                how.exchange);
        return *e;
    }
    std::vector<int> shares(int threads, std::size_t begin, std::size_t end) const {
        std::vector<double> work{0};
        for (std::size_t n = begin; n < end; ++n) {
            double packs = 4;
            for (auto* g = A.rows[n].first; g != A.rows[n].last; ++g)
                packs += (g->end - g->begin) / A.line;
            work.push_back(work.back() + packs);
        }
        std::vector<int> from;
        for (int t = 0; t <= threads; ++t)
            from.push_back(
                int(begin) +
                int(std::ranges::lower_bound(work, work.back() * t / threads) - work.begin()));
        return from;
    }
};

}  // namespace fathom
