/// Monin-Obukhov similarity of the air above the sea, zeta = height / L (Paulson 1970; Large &
/// Yeager 2004, eqs 8):
///
///   zeta > 0 (stable)     psi_m = psi_h = -5 zeta
///   zeta < 0 (unstable)   psi_m = ln((1 + x)^2 (1 + x^2) / 8) - 2 atan x + pi / 2,
///       psi_h = 2 ln((1 + x^2) / 2),   x = (1 - 16 zeta)^(1/4)
///
/// |zeta| is at most 10. With w = (x - 1) / (x + 1), x^2 and atan x become
///   psi_m = -4 ln(1 - w) + ln(1 + w^2) - 2 atan w,   psi_h = -4 ln(1 - w) + 2 ln(1 + w^2),
/// smooth on 0 <= w <= 0.562, and polynomials fit psi / w within 6e-8 (Chebyshev nodes): no
/// logarithm, no arc tangent.
#pragma once
#include "base/pack.hpp"

namespace fathom::physics {

template <class Real> struct Stability {
    Real momentum, heat;  // psi_m, psi_h
    constexpr explicit Stability(Real zeta) {
        zeta = smaller(larger(zeta, -10), 10);
        const Real x = sqrt(sqrt(1 - 16 * smaller(zeta, 0))), w = (x - 1) / (x + 1),
                   stable = -5 * larger(zeta, 0);
        momentum = fma(w,
                       polynomial(w, 1.99999992401, 3.00002615401, 1.99852417511, 0.532029575597,
                                  0.0510984020021, 3.14648981442, -6.97709362351, 17.1974215721,
                                  -20.1572329361, 11.574400262),
                       stable);
        heat = fma(w,
                   polynomial(w, 3.99999992383, 4.00002620894, 1.33185488563, 0.0320717659305,
                              0.45087688703, 3.47889476166, -7.24537644746, 16.8533014175,
                              -19.6744104641, 11.4003623851),
                   stable);
    }
};

}  // namespace fathom::physics
