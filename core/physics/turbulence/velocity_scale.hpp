/// Turbulent velocity scales of a boundary layer (Large, McWilliams & Doney 1994, appendix B),
/// without tables:
///
///   w = kappa u* / phi(zeta),   zeta = kappa d B / u*^3,
///       u* friction velocity, B flux of buoyancy into the sea, d depth
///   zeta >= 0:             phi = 1 + 5 zeta
///   zeta_x <= zeta < 0:    phi_m = (1 - 16 zeta)^(-1/4),   phi_s = (1 - 16 zeta)^(-1/2)
///   zeta < zeta_x:         phi = (a - c zeta)^(-1/3):   a, c, zeta_m = 1.26, 8.38, -0.2;
///       a, c, zeta_s = -28.86, 98.96, -1
///
/// The last is written kappa (a u*^3 - c kappa d B)^(1/3): convection needs no wind. Where the sea
/// is unstable, w no longer grows below the surface layer: the caller bounds d.
#pragma once
#include "base/brief.hpp"
#include "base/pack.hpp"

namespace fathom::physics {

inline constexpr double karman = 0.4;

template <class Real> struct VelocityScale {
    static constexpr double a_m = 1.26, c_m = 8.38, zeta_m = -0.2, a_s = -28.86, c_s = 98.96,
                            zeta_s = -1;
    Real friction, cube, per_cube;  // u*, u*^3, 1 / u*^3
    constexpr explicit VelocityScale(Real friction)
        : friction(friction), cube(friction * friction * friction), per_cube(1 / cube) {}

    /// zeta >= 0, for momentum and scalars; `rate` is kappa d B.
    constexpr Real stable(Real rate) const { return karman * friction * cube / fma(rate, 5, cube); }
    /// zeta < 0
    constexpr Real momentum(Real rate) const {
        const Real zeta = smaller(rate * per_cube, 0),
                   free = cube_root(larger(fma(rate, -c_m, a_m * cube), cube));
        return karman * select(zeta < zeta_m, free, friction * sqrt(sqrt(1 - 16 * zeta)));
    }
    constexpr Real scalar(Real rate) const {
        const Real zeta = smaller(rate * per_cube, 0),
                   free = cube_root(larger(fma(rate, -c_s, a_s * cube), cube));
        return karman * select(zeta < zeta_s, free, friction * sqrt(1 - 16 * zeta));
    }
};

}  // namespace fathom::physics
