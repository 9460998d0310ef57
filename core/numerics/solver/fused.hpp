/// With the diagonal as preconditioner an iteration is one sweep over the rows: what a stage leaves in a row the next one takes up a row
/// behind it, while it is in cache. In fp32 or fp64.
///
/// Conjugate gradients with one sum (Chronopoulos & Gear 1989), of rho = r.r, delta = r.Ar:
///   beta = rho / rho',   sigma = delta - beta^2 sigma',   alpha = rho / sigma,   s = r + beta s,   y += alpha s,   r -= alpha A s
/// A s is computed anew, where Chronopoulos & Gear carry it along as A r + beta p: two vectors less to read and write, and a residual that
/// stays nearer to the truth. y += alpha' s' + alpha s is added every second iteration. All in all nine numbers are read or written a
/// point and iteration: r, s and the four coefficients, and y half the time.
///
/// Chebyshev's iteration needs no sum, so two iterations share a sweep: ten numbers for both, r, s, y and the coefficients.
///
/// r and s are updated in the halo by everyone: of conjugate gradients r alone is exchanged, two points wide, while the sums travel.
#pragma once
#include "numerics/solver/method.hpp"

namespace fathom {

template <class Number> std::unique_ptr<Method> fused_gradients(EllipticSpace<Number>&);
template <class Number> std::unique_ptr<Method> fused_chebyshev(EllipticSpace<Number>&);

}  // namespace fathom
