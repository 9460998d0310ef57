/// Langmuir turbulence under a grown sea, from the wind alone:
///
///   factor of the velocity scales (1 + (1.5 La)^-2 + (5.4 La)^-4)^(1/2)
///       Van Roekel, Fox-Kemper, Sullivan, Hamlington & Haney 2012, JGR 117, C05001
///   La^2 = u* / u_s,   u_s: Stokes drift,
///       mean of the upper fifth of the boundary layer: U (D / H) (1 - exp(-H / D)),   H = h / 5
///   U = 0.0162 U_10,   D = V / U,   V = 0.667 pi / 8 f_m H_s^2,   H_s = 0.0246 U_10^2,
///       f_m = 1.296 x 0.877 g / (2 pi 1.075 U_10)
///                                                                            Li, Fox-Kemper,
///                                                                                Breivik & Webb
///                                                                                2017, Ocean
///                                                                                Modelling 113,
///                                                                                95-114
///
/// Drift and transport are as in the paper; the decrease with depth is one exponential instead of a
/// spectrum: D = 0.016 s2 m-1 U_10^2. Wind and waves have one direction. U_10 from u* by the drag
/// of Large & Yeager (2009); at most 5.
#pragma once
#include <numbers>
#include "base/brief.hpp"
#include "base/constants.hpp"
#include "physics/sea_surface/bulk.hpp"

namespace fathom::physics {

template <class Real> struct Langmuir {
    double strength;
    Real friction, drift = 0, per_depth = 0;  // u*, U, 1 / D
    constexpr Langmuir(double strength, Real friction) : strength(strength), friction(friction) {
        if (strength == 0) return;
        constexpr double air_density = 1.22, per_wind = 0.0162, pi = std::numbers::pi;
        constexpr double transport = 0.667 * pi / 8 * 1.296 * 0.877 * constants::gravity /
                                     (2 * pi * 1.075) * 0.0246 * 0.0246;  // V / U_10^3
        const Real in_air = friction * 29.0;                              // sqrt(1026 / 1.22)
        static_assert(constants::sea_water_density / air_density > 28.9 * 28.9 &&
                      constants::sea_water_density / air_density < 29.1 * 29.1);
        Real wind = in_air * (1 / 0.035);
        for (int n = 0; n < 3; ++n)
            wind = in_air / BulkForcing::neutral_drag_root(larger(wind, 0.5));
        wind = larger(wind, 0.1);
        drift = per_wind * wind;
        per_depth = 1 / (wind * wind * (transport / per_wind));
    }
    constexpr Real operator()(Real depth) const {
        if (strength == 0) return 1;
        const Real x = smaller(depth * per_depth * 0.2, 40), mean = drift * (1 - brief_exp(-x)) / x,
                   square = mean / friction;  // 1 / La^2
        const Real factor =
            sqrt(1 + square * (1 / (1.5 * 1.5) + square * (1 / (5.4 * 5.4 * 5.4 * 5.4))));
        return 1 + strength * (smaller(factor, 5) - 1);
    }
};

}  // namespace fathom::physics
