/// How vectors turn along trajectories on a conformal map, of points of a line: by slopes of the
/// logarithm of the map factor m,
///   theta = dx d(ln m)/dy - dy d(ln m)/dx,
/// in the middle of a trajectory: the slopes at its end are extrapolated by their derivatives.
#pragma once
#include <cstddef>
#include "semi_lagrangian/sphere/angles.hpp"
#include "semi_lagrangian/stencils/line.hpp"

namespace fathom {

/// Slopes along x, y, xx, xy, yy of a plane, row by row; none: nothing turns.
template <class T, class By> struct Turns {
    typename By::template List<T> slopes[5];
    int nx;
    T dx, dy;
    constexpr explicit operator bool() const { return !slopes[0].empty(); }
    /// u, v of points of a line, displaced by X columns and Y rows.
    constexpr void turn(const Line& l, const T* X, const T* Y, T* u, T* v) const {
        using Real = typename By::template Real<T>;
        const std::size_t at = std::size_t(l.j) * nx + l.i0;
        for (int n = 0; n < count_of<By>(l.count); n += Real::width) {
            const auto slope = [&](int which) { return Real::load(&slopes[which][at + n]); };
            const Real x = Real::load(X + n) * dx, y = Real::load(Y + n) * dy, xy = slope(3),
                       along_x = slope(0) - T(0.5) * (x * slope(2) + y * xy),
                       along_y = slope(1) - T(0.5) * (x * xy + y * slope(4)),
                       angle = x * along_y - y * along_x, square = angle * angle,
                       c = cosine_of_square(square), s = angle * cardinal_sine_of_square(square),
                       east = Real::load(u + n), north = Real::load(v + n);
            fma(c, east, s * north).store(u + n);
            fma(c, north, -(s * east)).store(v + n);
        }
    }
    /// The same with its lists elsewhere: send(list).
    template <class Send> Turns<T, LinesThere> sent(const Send& send) const {
        Turns<T, LinesThere> to{{}, nx, dx, dy};
        for (int n = 0; n < 5; ++n) to.slopes[n] = send(slopes[n]);
        return to;
    }
};

}  // namespace fathom
