/// Semi-Lagrangian advection on a plane map of the sphere and on levels: of a limited area, whose
/// trajectories begin within it, or of a plane that is periodic both ways.
///
///   departure point    r_D = r_A - dt/2 { (m V)_A + [m (2 V(n) - V(n-1))]_D },
///                      by fixed-point iteration; eta alike with d(eta)/dt
///       m the map factor: on the map positions are sums, no frame turns. A place beyond the area
///       is replaced by the nearest one within: nothing is read from the opposite side.
///   interpolation      as on the sphere (sphere/transport.hpp); beyond its edges an area has the
///                      values on them
///   vectors            are carried without turning on the sphere, so on the map they turn by
///                      theta = dx d(ln m)/dy - dy d(ln m)/dx, the mean of both ends:
///                      u' = u cos(theta) + v sin(theta),   v' = v cos(theta) - u sin(theta)
#pragma once
#include <memory>
#include "parallel/ownership/domain.hpp"
#include "semi_lagrangian/plane/even_rows.hpp"
#include "semi_lagrangian/stencils/carrier.hpp"

namespace fathom {

/// The area within which trajectories begin, of a plane of points: the first columns and rows of
/// it.
struct PlaneArea {
    int columns, rows;
    double dx, dy;                   ///< [m]
    std::vector<double> map_factor;  ///< [row][point] of the whole plane; empty: 1
    double factor(int nx, int j, int i) const {
        return map_factor.empty() ? 1 : map_factor[std::size_t(j) * nx + i];
    }
};

/// Throws Error: too small, or smaller than the plane in one direction only.
PlaneInside inside_of(const Domain&, const PlaneArea&);
/// nx: points of a row of the plane.
inline Edge edge_of(PlaneInside inside, int nx) {
    return inside.columns < nx ? Edge::area : Edge::periodic;
}
/// Levels as heights, which grow upward: -eta.
std::vector<double> heights_of(std::vector<double> eta);

struct PlaneTrajectories {
    double step;  ///< [s]
    int iterations = 2;
};

/// eta: of the layers, growing downward, 4 at least.
template <class Number>
std::unique_ptr<Carrier<Number>> carrier_on_plane(const Domain&, const PlaneArea&,
                                                  const std::vector<double>& eta,
                                                  PlaneTrajectories);

}  // namespace fathom
