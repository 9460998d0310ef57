/// How vectors turn along trajectories on a conformal map: slopes of the logarithm of the map
/// factor m,
///   theta = dx d(ln m)/dy - dy d(ln m)/dx,
/// in the middle of a trajectory: the slopes at its end are extrapolated by their derivatives.
#pragma once
#include <algorithm>
#include <cmath>
#include "trajectory/angles.hpp"
#include "trajectory/lines.hpp"
#include "trajectory/on_plane.hpp"

namespace fathom {

template <class T> class Turning {
public:
    /// By differences of neighbours within the area.
    Turning(const PlaneArea& area, int nx) : area(area), nx(nx) {
        if (area.map_factor.empty()) return;
        std::vector<double> log_m(area.map_factor.size() + spare);
        for (std::size_t n = 0; n < area.map_factor.size(); ++n)
            log_m[n] = std::log(area.map_factor[n]);
        const auto x = along(log_m, 1, 0), y = along(log_m, 0, 1);
        const std::vector<double> all[] = {x, y, along(x, 1, 0), along(y, 1, 0), along(y, 0, 1)};
        for (int n = 0; n < 5; ++n) slopes[n].assign(all[n].begin(), all[n].end());
    }
    explicit operator bool() const { return !slopes[0].empty(); }
    /// u, v of points of a line, displaced by X columns and Y rows.
    void turn(const Line& l, const T* X, const T* Y, T* u, T* v) const {
        const std::size_t at = std::size_t(l.j) * nx + l.i0;
        for (int n = 0; n < l.count; n += Real::width) {
            const auto slope = [&](int which) { return Real::load(&slopes[which][at + n]); };
            const Real dx = Real::load(X + n) * T(area.dx), dy = Real::load(Y + n) * T(area.dy),
                       xy = slope(3), along_x = slope(0) - T(0.5) * (dx * slope(2) + dy * xy),
                       along_y = slope(1) - T(0.5) * (dx * xy + dy * slope(4)),
                       angle = dx * along_y - dy * along_x, square = angle * angle,
                       c = cosine_of_square(square), s = angle * cardinal_sine_of_square(square),
                       east = Real::load(u + n), north = Real::load(v + n);
            fma(c, east, s * north).store(u + n);
            fma(c, north, -(s * east)).store(v + n);
        }
    }
    /// cos and sin of the angle at a point of the plane, of a displacement [m]; the angle by dx and
    /// by dy.
    struct Angle {
        T cosine, sine, by_x, by_y;
    };
    Angle angle(int j, int i, T dx, T dy) const {
        if (!*this) return {1, 0, 0, 0};
        const std::size_t at = std::size_t(j) * nx + i;
        const T xx = slopes[2][at], xy = slopes[3][at], yy = slopes[4][at],
                along_x = slopes[0][at] - T(0.5) * (dx * xx + dy * xy),
                along_y = slopes[1][at] - T(0.5) * (dx * xy + dy * yy),
                theta = dx * along_y - dy * along_x;
        return {std::cos(theta), std::sin(theta), along_y + T(0.5) * (dy * xx - dx * xy),
                T(0.5) * (dy * xy - dx * yy) - along_x};
    }

private:
    using Real = Pack<T, pack_width<T>>;
    static constexpr int spare = Departures<T>::most;  // whole registers are read
    const PlaneArea& area;
    const int nx;
    std::vector<T> slopes[5];  // along x, y, xx, xy, yy

    std::vector<double> along(const std::vector<double>& f, int x, int y) const {
        std::vector<double> slope(f.size());
        for (int j = 0; j < area.rows; ++j)
            for (int i = 0; i < area.columns; ++i) {
                const int w = std::max(i - x, 0), e = std::min(i + x, area.columns - 1),
                          s = std::max(j - y, 0), n = std::min(j + y, area.rows - 1);
                slope[std::size_t(j) * nx + i] =
                    (f[std::size_t(n) * nx + e] - f[std::size_t(s) * nx + w]) /
                    ((e - w) * area.dx + (n - s) * area.dy);
            }
        return slope;
    }
};

}  // namespace fathom
