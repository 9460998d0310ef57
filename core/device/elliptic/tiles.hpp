/// The iterations of solver/fused.hpp, tile by tile.
#pragma once
#include "device/elliptic/water.hpp"
#include "machine/launch.hpp"
#include "machine/tiles.hpp"

namespace fathom::tilewise {

/// Data of a pass on the device.
struct Steps {
    TwoSteps two;
    bool go = false;
};

/// A tile and the four points around it, in shared memory; each iteration makes the outermost valid
/// ring invalid.
template <class Number> struct OnTiles {
    using R = Real<Number>;
    using Tile = EllipticPoints::Tile;
    static constexpr int around = EllipticPoints::halo, up = Tile::most_columns + 2 * around,
                         rows = Tile::most_rows + 2 * around, each_has = 2,
                         threads = up * rows / each_has;
    static_assert(threads * each_has == up * rows);
    /// s of the first iteration of two and of the second.
    struct Shared {
        Number s[2][up * rows];
    };
    struct Point {
        Number P[4], M[4], square, r, y;
        int at;          // -1: the tile has it from another
        int iterations;  // in which all its input is in shared memory
    };

    Water<Number> on;
    const Tile* tiles;
    const int* source;
    const Number *r, *s;
    Number *r_next, *s_next, *y;

    /// s = r + beta s
    constexpr void begin(const Tile& tile, double beta, int n, Point& point, Shared& shared) const {
        const int j = n / up - around, i = n % up - around, ring_j = outside(j, tile.rows),
                  ring_i = outside(i, tile.columns), ring = ring_j > ring_i ? ring_j : ring_i,
                  at = tile.at + j * int(on.up) + i,
                  from = ring > around ? -1 : launch::unchanging(source + at);
        shared.s[0][n] = shared.s[1][n] = 0;
        point.at = -1, point.iterations = 0;
        if (from < 0) return;
        point.r = launch::unchanging(r + from);
        shared.s[0][n] = fma(R(beta), R(launch::unchanging(s + from)), R(point.r)).lanes;
        point.iterations = around - ring;
        if (ring == around) return;
        for (Place place : {southwest, southeast, northwest, northeast}) {
            point.P[place] = launch::unchanging(on.sum + on.corner(at, place));
            point.M[place] = launch::unchanging(on.difference + on.corner(at, place));
        }
        point.square = launch::unchanging(on.square + at);
        point.y = ring == 0 ? y[at] : 0;
        if (ring == 0) point.at = at;
    }
    /// v - D^2 F v
    constexpr R A(const Number* x, int n, const Point& point) const {
        const auto v = [&](std::ptrdiff_t m) { return at(x, m); };
        const R F = sum_of_corners(n, up, v, [&](Place place, R SW, R SE, R NW, R NE) {
            return Corner<Number>{
                R(point.P[place]), R(point.M[place]), R(on.compact), SW, SE, NW, NE};
        });
        return fma(-R(point.square), F, v(n));
    }
    constexpr void descend(double alpha, const Number* found, int n, Point& point) const {
        point.r = fma(-R(alpha), A(found, n, point), R(point.r)).lanes;
    }
    constexpr void store(Number found, const Point& point) const {
        r_next[point.at] = point.r, s_next[point.at] = found, y[point.at] = point.y;
    }

private:
    static constexpr int outside(int n, int count) {
        return n < 0 ? -n : n < count ? 0 : n - count + 1;
    }
};

}  // namespace fathom::tilewise
