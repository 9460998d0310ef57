/// The implicit free surface on the B grid:   (M + K) x = b,   M = mass area,   K = -area div H grad = G' W G   at centers.
///
/// Each corner with depth H and widths dx, dy, all four cells wet, adds with a = H dy / 4 dx, b = H dx / 4 dy
///   a + b to the diagonal of its four cells,   -(a + b) to the pairs SW-NE and SE-NW,   b - a to E-W pairs,   a - b to N-S pairs.
/// Symmetric; K 1 = 0 and K (-1)^(i+j) = 0; M + K is positive definite. Scaled on both sides by d = diagonal^(-1/2), so that the
/// diagonal is 1 and four coefficients a point are all that an application reads:   A = D (M + K) D.
#pragma once
#include "base/pack.hpp"
#include "parallel/exchange.hpp"
#include <memory>

namespace fathom {

/// What the operator is made of; bytes of a number 4 or 8. Only the rank's own points are read: halos are filled here.
struct EllipticFields {
    FieldSlab wet, area;                                   ///< centers: nonzero where there is water; [m2]
    FieldSlab depth, dx, dy;                               ///< corners [m]
    double mass;                                           ///< M / area = 1 / (g theta^2 tau^2) [s2 m-1 s-2]
    int bytes = 8;
};

}  // namespace fathom
