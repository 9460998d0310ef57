/// Chebyshev's iterations, whose alpha and beta are known: a launch does four.
#pragma once
#include "device/elliptic/tiles.hpp"

namespace fathom::tilewise {

/// The same for iterations that are known beforehand; then r.r.
struct Stretch {
    Steps steps[most_sweeps];
    SumUnit unit;
    std::int64_t total[3] = {};
};

/// Two iterations, `pairs` times.
template <class Number, int pairs> struct Sweep : OnTiles<Number> {
    using typename OnTiles<Number>::R, typename OnTiles<Number>::Shared,
        typename OnTiles<Number>::Point;
    static_assert(2 * pairs <= EllipticPoints::halo);
    const Steps* steps;

    template <class Team>
    constexpr void operator()(const Team& team, int number, Shared& shared) const {
        typename Team::template Kept<Point> points;
        const auto tile = this->tiles[number];
        team.each(points, [&](int n, Point& point) {
            this->begin(tile, steps->two.step[0].beta, n, point, shared);
        });
        for (int pair = 0; pair < pairs; ++pair) {
            team.each(points, [&](int n, Point& point) { first(pair, n, point, shared); });
            team.each(points, [&](int n, Point& point) { second(pair, n, point, shared); });
        }
        team.each(points, [&](int n, Point& point) {
            if (point.at >= 0) this->store(shared.s[1][n], point);
        });
    }

private:
    constexpr void first(int pair, int n, Point& point, Shared& shared) const {
        const TwoSteps& two = steps[pair].two;
        if (point.iterations <= 2 * pair) return;
        this->descend(two.step[0].alpha, shared.s[0], n, point);
        shared.s[1][n] = fma(R(two.step[1].beta), at(shared.s[0], n), R(point.r)).lanes;
    }
    constexpr void second(int pair, int n, Point& point, Shared& shared) const {
        const FusedStep& step = steps[pair].two.step[1];
        if (point.iterations <= 2 * pair + 1) return;
        const R found = at(shared.s[1], n);
        this->descend(step.alpha, shared.s[1], n, point);
        point.y =
            (R(point.y) + fma(R(step.before), at(shared.s[0], n), R(step.alpha) * found)).lanes;
        if (pair + 1 < pairs)
            shared.s[0][n] = fma(R(steps[pair + 1].two.step[0].beta), found, R(point.r)).lanes;
    }
};

}  // namespace fathom::tilewise
