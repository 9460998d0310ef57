/// Temperature of sea water that sinks without exchanging heat (Fofonoff & Millard 1983, Unesco
/// technical papers in marine science 44):
///
///   dT / dp = Gamma(S, T, p),   p in dbar, from potential temperature at p = 0;
///       one step of the Runge-Kutta method of fourth order
///
/// Gamma: Bryden 1973, Deep-Sea Res. 20, 401-408. One step to 10 000 dbar is within 1e-4 K of many.
#pragma once
#include "base/pack.hpp"

namespace fathom::physics::adiabatic {

/// Gamma [K dbar-1]
template <class Real> constexpr Real lapse_rate(Real S, Real T, double p) {
    const double pp = p * p;
    const Real fresh =
        polynomial(T, 3.5803e-5 + 1.8741e-8 * p - 4.6206e-13 * pp,
                   8.5258e-6 - 6.7795e-10 * p + 1.8676e-14 * pp,
                   -6.836e-8 + 8.733e-12 * p - 2.1687e-16 * pp, 6.6228e-10 - 5.4481e-14 * p);
    return fma(S - 35, polynomial(T, 1.8932e-6 - 1.1351e-10 * p, -4.2393e-8 + 2.7759e-12 * p),
               fresh);
}

/// Temperature [degC] at p [dbar].
template <class Real> constexpr Real in_situ(Real potential, Real S, double p) {
    const Real a = lapse_rate(S, potential, 0),
               b = lapse_rate(S, fma(a, 0.5 * p, potential), 0.5 * p),
               c = lapse_rate(S, fma(b, 0.5 * p, potential), 0.5 * p);
    const Real d = lapse_rate(S, fma(c, p, potential), p);
    return fma((a + d) + 2 * (b + c), p * (1. / 6), potential);
}

}  // namespace fathom::physics::adiabatic
