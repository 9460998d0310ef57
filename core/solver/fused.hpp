/// With the diagonal as preconditioner two iterations are one sweep over the rows: a stage uses the
/// rows of the stage before one row later, while they are in cache. In fp32 or fp64.
///
/// Conjugate gradients with one sum (Chronopoulos & Gear 1989), of rho = r.r, delta = r.Ar:
///   beta = rho / rho',   sigma = delta - beta^2 sigma',   alpha = rho / sigma,
///   s = r + beta s,   y += alpha s,   r -= alpha A s
/// looked ahead by one iteration (Van Rosendale 1983): with t = A r the products r.r, r.t, t.t,
/// t.At give alpha and beta of two iterations, since r', s', w' = A s' = (r' - r) / alpha' of the
/// iteration before obey r.r' = 0, r.A s' = -rho / alpha', t.r'' = 0. So two iterations need one
/// sum and one exchange. Where rounding has destroyed these identities A may seem not to be
/// positive; then the search restarts.
///
/// A s is computed, not updated as A r + beta p (Chronopoulos & Gear): two vectors less to read and
/// write, and a more accurate residual. During a pass r, s and y contain D r, D s, D y:
///   s = r + beta s,   r -= alpha (s - D^2 F s),   t = r - D^2 F r,
///   sums of r D^-2 r, r D^-2 t, t D^-2 t,   t.At = t D^-2 t - t.F t
/// with F of elliptic.hpp, so that nothing needs to be scaled before it is applied, and t.F t is a
/// sum over corners,
///   t.F t = sum of 2 (P (t_SW t_NE + t_SE t_NW) + M (t_SW - t_NE) (t_SE - t_NW)),
/// once for the two halves of a corner on the fold.
/// t never leaves the cache. In total nine numbers are read or written per point and two
/// iterations: r, s, y, P, M and D^2.
///
/// Chebyshev's iteration is the same without sums, alpha = a_k, beta = b_k a_(k-1) / a_k.
///
/// Sweeps go north and south alternately, so that the rows used last are still in cache.
///
/// r and s are exchanged once a sweep, four points wide for conjugate gradients, two for
/// Chebyshev's iteration; between its beginning and end each rank updates its halo itself.
#pragma once
#include "solver/method.hpp"

namespace fathom {

template <class Number> std::unique_ptr<Method> fused_gradients(EllipticSpace<Number>&);
template <class Number> std::unique_ptr<Method> fused_chebyshev(EllipticSpace<Number>&);

}  // namespace fathom
