/// Cloud in a layer whose total water t = q_v + q_c + q_i is spread evenly over t +- (1 - H) q_s
/// (Sundqvist 1978; Le Treut & Li 1991, Clim. Dyn. 5, 175-187): of vapour and condensate
///
///   n = t - H q_s,   b = (1 - H) q_s
///   C = 0 for n < 0,   n^2 / 4b for n < 2b,   t - q_s beyond;   cover = n / 2b in [0, 1]
///   T = T_0 + (L(T) / c_p) C,   T_0 that without condensate,   liquid w C, ice (1 - w) C
///   w = k w_0 + (1 - k) w(T),   k = e^(-dt / tau) between T_ice and 0 degC, else 0,
///       w_0 that of the condensate before, w(T) where there was none
///
/// found by Newton's steps in T; then the heat follows from the changed water, exactly.
#pragma once
#include "physics/cloud/water.hpp"

namespace fathom::physics {

/// Condensate of total water t at saturation q_s, its derivative in q_s, and cover.
template <class Real> struct EvenlySpread {
    Real condensate, slope, cover;
    constexpr EvenlySpread(Real t, Real q_s, double H) {
        const Real b = larger((1 - H) * q_s, Real(1e-12)), n = larger(t - H * q_s, Real(0));
        cover = smaller(n / (2 * b), Real(1));
        const auto whole = cover >= 1;
        condensate = select(whole, larger(t - q_s, Real(0)), 0.5 * n * cover);
        slope = select(whole, Real(-1), -(cover * (H + (1 - H) * cover)));
    }
};

/// The part of the condensate that is ice.
template <class Real> struct Freezing {
    double all_ice = usual_all_ice;  ///< T_ice [K]
    Real kept = 0;                   ///< k
};

/// Brings vapour and cloud of a layer into balance. warm: no ice. Returns the cover.
template <bool warm, class Real>
constexpr Real adjust(Water<Real>& water, Real& T, Real p, double H,
                      const Freezing<Real>& freezing = {}, int steps = 3) {
    const Real before = larger(water[droplets], Real(0)) + larger(water[crystals], Real(0)),
               old = larger(water[droplets], Real(0)) / larger(before, Real(1e-12));
    const Real all = water[vapour] + (water[droplets] + water[crystals]);
    const Real dry =
        T - (warming_of(droplets) * water[droplets] + warming_of(crystals) * water[crystals]);
    Real guess = T, cover = 0, condensed = 0, share = 1;
    for (int n = 0; n <= steps; ++n) {
        Real q_s, q_s_slope, share_slope = 0;
        if constexpr (warm) {
            const auto at = Saturation<Real>::over_water(guess, p);
            q_s = at.humidity, q_s_slope = at.slope;
        } else {
            const Real kept =
                select((before > 1e-12) & (guess > freezing.all_ice) & (guess < constants::celsius),
                       Real(freezing.kept), Real(0));
            const MixedSaturation<Real> at(guess, p, freezing.all_ice, old, kept);
            q_s = at.humidity, q_s_slope = at.slope, share = at.liquid;
            share_slope = at.liquid_slope;
        }
        const EvenlySpread<Real> cloud(all, q_s, H);
        cover = cloud.cover, condensed = cloud.condensate;
        const Real heat = latent_warming + (1 - share) * latent_freezing,
                   excess = guess - dry - heat * condensed,
                   change = 1 - (heat * cloud.slope * q_s_slope -
                                 latent_freezing * share_slope * condensed);
        if (n < steps) guess -= excess / larger(change, Real(0.5));
    }
    water[droplets] = share * condensed;
    water[crystals] = condensed - water[droplets];
    water[vapour] = all - condensed;
    T = dry + (warming_of(droplets) * water[droplets] + warming_of(crystals) * water[crystals]);
    return cover;
}

}  // namespace fathom::physics
