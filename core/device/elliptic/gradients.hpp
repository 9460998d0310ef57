/// Conjugate gradients: a launch does two iterations,
///   s = r + beta s,   r -= alpha (s - D^2 F s),   y += alpha s,
/// the sums of r and t = r - D^2 F r, and, after the last tile, computes alpha and beta of the next
/// two; on several ranks the processor does so.
#pragma once
#include "device/elliptic/sums.hpp"
#include "device/elliptic/tiles.hpp"

namespace fathom::tilewise {

struct State {
    GradientSearch search;
    Steps steps;
    SumUnit unit;
    int noted = 0;
    int launches = 0;       ///< that did iterations
    unsigned finished = 0;  ///< tiles of a launch
    std::int64_t largest = 0, total[words] = {};
};

template <class Number> struct Sums {
    using R = Real<Number>;
    Water<Number> on;
    const State* state;
    const Number* r;
    int fold;
    constexpr void operator()(std::size_t point, std::int64_t* mine) const {
        const std::ptrdiff_t n = on.wet[point], up = on.up;
        const Values<Number> v{r};
        auto t = [&](std::ptrdiff_t m) { return on.A(m, at(r, m), v); };
        add_products<Number>(mine, state->unit.coarse(), at(r, n), at(on.square, n),
                             {at(on.sum, n), at(on.difference, n), R(on.compact), t(n), t(n + 1),
                              t(n + up), t(n + up + 1)},
                             int(point) < fold ? 2 : 1);
    }
};

/// From sums to alpha and beta.
struct Decide {
    State* state;
    EllipticOnDevice::Residual* history;
    int room;
    constexpr void operator()(std::size_t) const {
        GradientSearch& search = state->search;
        const std::int64_t* total = state->total;
        auto value = [&](Sum of) { return rounded(total[2 * of], total[2 * of + 1], state->unit); };
        const Products found{value(rr), value(rt), value(tt), value(cross), !total[2 * sums]};
        const int before = search.iterations;
        search.take(found);
        if (found.valid && search.iterations > before && state->noted < room)
            history[state->noted++] = {search.iterations, found.rr};
        for (auto& word : state->total) word = 0;
        state->steps = {search.steps(), search.next == GradientSearch::Next::step};
        state->unit = SumUnit::for_largest(search.largest);
    }
};

/// Two iterations of conjugate gradients, or the first of them; sums; the next decision.
template <class Number> struct Gradients : OnTiles<Number> {
    using typename OnTiles<Number>::R, typename OnTiles<Number>::Shared;
    using OnTiles<Number>::up;
    struct Point : OnTiles<Number>::Point {
        Number s;
    };
    Decide decide;
    bool alone;  ///< else the processor decides, by the sums of all ranks

    constexpr bool begins() const { return decide.state->steps.go; }
    constexpr void ends() const {
        if (!alone) return;
        ++decide.state->launches;
        decide(0);
    }
    template <class Team>
    constexpr void operator()(const Team& team, int number, Shared& shared,
                              std::int64_t* mine) const {
        typename Team::template Kept<Point> points;
        const auto tile = this->tiles[number];
        const TwoSteps& two = decide.state->steps.two;
        team.each(points, [&](int n, Point& point) {
            this->begin(tile, two.step[0].beta, n, point, shared);
        });
        team.each(points, [&](int n, Point& point) { first(two, n, point, shared); });
        team.each(points, [&](int n, Point& point) { second(two, n, point, shared); });
        team.each(points, [&](int n, Point& point) {
            if (point.iterations > 2) shared.s[1][n] = this->A(shared.s[0], n, point).lanes;
        });
        team.each(points, [&](int n, Point& point) {
            if (point.at < 0) return;
            this->store(point.s, point);
            const auto t = [&](int m) { return at(shared.s[1], m); };
            add_products<Number>(mine, decide.state->unit.coarse(), point.r, point.square,
                                 {R(point.P[northeast]), R(point.M[northeast]), R(this->on.compact),
                                  t(n), t(n + 1), t(n + up), t(n + up + 1)},
                                 n / up < tile.whole + this->around ? 2 : 1);
        });
    }

private:
    constexpr void first(const TwoSteps& two, int n, Point& point, Shared& shared) const {
        if (point.iterations == 0) return;
        this->descend(two.step[0].alpha, shared.s[0], n, point);
        shared.s[1][n] = fma(R(two.step[1].beta), at(shared.s[0], n), R(point.r)).lanes;
    }
    /// r replaces s of the first.
    constexpr void second(const TwoSteps& two, int n, Point& point, Shared& shared) const {
        if (point.iterations <= 1) return;
        const FusedStep& step = two.step[1];
        const R found = at(shared.s[0], n), next = at(shared.s[1], n);
        point.s = (two.both ? next : found).lanes;
        R change = R(step.before) * found;
        if (two.both) {
            this->descend(step.alpha, shared.s[1], n, point);
            change = fma(R(step.before), found, R(step.alpha) * next);
        }
        point.y = (R(point.y) + change).lanes;
        shared.s[0][n] = point.r;
    }
};

template <class Number> struct ScaledSize {
    const int* wet;
    const Number *r, *square;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        raise(*mine, (at(r, wet[n]) / sqrt(at(square, wet[n]))).lanes);
    }
};
/// Sums again, with the largest |r| that was found; see FusedGradients::products.
struct Anew {
    State* state;
    constexpr void operator()(std::size_t) const {
        const double most = std::bit_cast<double>(state->largest);
        state->unit = SumUnit::for_largest(1024 * most * most);
        state->total[2 * sums] = !(most < infinity);
        state->largest = 0;
    }
};
template <class Number> struct ScaledSquare {
    const int* wet;
    const Number *r, *square;
    const SumUnit* unit;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const Real<Number> x = at(r, wet[n]);
        const double coarse = unit->coarse();
        add(mine, units(coarse_and(coarse, x, x / at(square, wet[n])), coarse, mine[2]));
    }
};

}  // namespace fathom::tilewise
