/// Transfer between the open sea and the lowest layer of the air, by its bulk Richardson number:
///
///   C_D = (k / lm)^2,   C_H = k^2 / (lm lh),   lm = ln(z / z_0m) - psi_m(zeta),
///       lh = ln(z / z_0h) - psi_h(zeta),   zeta = Ri lm^2 / lh
///
/// in unstable air, with the functions of Monin & Obukhov (stability.hpp), two iterations from
/// neutral air; in stable air louis.hpp, which has a flux at any Ri. Over a surface as smooth as
/// the sea Louis's formula underestimates the exchange in unstable air: at 32 m, 7 m/s, 1 K:
/// 0.98e-3 instead of 1.12e-3.
#pragma once
#include "physics/land/louis.hpp"
#include "physics/sea_surface/stability.hpp"

namespace fathom::physics {

template <class Real> struct OverSea {
    Real momentum, heat;  // C_D, C_H
    constexpr OverSea(Real log_momentum, Real log_heat, Real richardson) {
        constexpr double karman = 0.4;
        const Louis<Real> stable(log_momentum, log_heat, larger(richardson, 0));
        const Real unstable = smaller(richardson, 0);
        Real m = log_momentum, h = log_heat;
        for (int n = 0; n < 2; ++n) {
            const Stability<Real> psi(unstable * m * m / h);
            m = log_momentum - psi.momentum, h = log_heat - psi.heat;
        }
        const Real per_m = karman / m;
        momentum = select(richardson < 0, per_m * per_m, stable.momentum);
        heat = select(richardson < 0, per_m * (karman / h), stable.heat);
    }
};

}  // namespace fathom::physics
