/// With the diagonal as preconditioner an iteration is one sweep over the rows: what a stage leaves in a row the next one takes up a row
/// behind it, while it is in cache. In fp32 or fp64.
///
/// Conjugate gradients with one sum (Chronopoulos & Gear 1989), of rho = r.r, delta = r.Ar:
///   beta = rho / rho',   sigma = delta - beta^2 sigma',   alpha = rho / sigma,   s = r + beta s,   y += alpha s,   r -= alpha A s
/// A s is computed anew, where Chronopoulos & Gear carry it along as A r + beta p: two vectors less to read and write, and a residual that
/// stays nearer to the truth. y += alpha' s' + alpha s is added every second iteration. During a pass r, s and y stand for D r, D s, D y:
///   s = r + beta s,   r -= alpha (s - D^2 F s),   rho = sum of r D^-2 r,   delta = rho - r.F r
/// with F of elliptic.hpp, so that nothing needs to be scaled before it is applied, and r.F r is a sum over corners,
///   r.F r = sum of 2 (P (r_SW r_NE + r_SE r_NW) + M (r_SW - r_NE) (r_SE - r_NW)),   once for the two halves of a corner on the fold.
/// All in all eight numbers are read or written a point and iteration: r, s, P, M and D^2, and y half the time.
///
/// Chebyshev's iteration is the same without sums, alpha = a_k, beta = b_k a_(k-1) / a_k, so two iterations share a sweep: nine numbers for
/// both, r, s, y, P, M and D^2.
///
/// Sweeps go north and south in turn, so that what the one before used last is still in cache.
///
/// r and s are updated in the halo by everyone: of conjugate gradients r alone is exchanged, two points wide, while the sums travel.
#pragma once
#include "numerics/solver/method.hpp"

namespace fathom {

template <class Number> std::unique_ptr<Method> fused_gradients(EllipticSpace<Number>&);
template <class Number> std::unique_ptr<Method> fused_chebyshev(EllipticSpace<Number>&);

}  // namespace fathom
