/// How vectors turn along trajectories on a conformal map (plane/rotation.hpp): the slopes of its
/// factor.
#pragma once
#include <algorithm>
#include <cmath>
#include "semi_lagrangian/plane/lines.hpp"
#include "semi_lagrangian/plane/rotation.hpp"
#include "semi_lagrangian/plane/transport.hpp"

namespace fathom {

template <class T> class Turning : public Turns<T, LinesHere> {
    using Base = Turns<T, LinesHere>;
    using Base::slopes, Base::nx;

public:
    /// By differences of neighbours within the area.
    Turning(const PlaneArea& area, int nx) : Base{{}, nx, T(area.dx), T(area.dy)}, area(area) {
        if (area.map_factor.empty()) return;
        std::vector<double> log_m(area.map_factor.size() + spare);
        for (std::size_t n = 0; n < area.map_factor.size(); ++n)
            log_m[n] = std::log(area.map_factor[n]);
        const auto x = along(log_m, 1, 0), y = along(log_m, 0, 1);
        const std::vector<double> all[] = {x, y, along(x, 1, 0), along(y, 1, 0), along(y, 0, 1)};
        for (int n = 0; n < 5; ++n) slopes[n].assign(all[n].begin(), all[n].end());
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
    static constexpr int spare = Departures<T>::most;  // whole registers are read
    const PlaneArea& area;

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
