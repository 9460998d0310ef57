/// Conduction in soil under a surface store of temperature T_0, backward in time:
///
///   C_k dT_k / dt = F_k - F_k+1,   F_k = Lambda_k (T'_k-1 - T'_k),   F_5 = -(heat from below)
///   Lambda_1: from the store through the snow and half of layer 1, as much of each as covers;
///       Lambda_k = 2 / (d_k-1 / lambda_k-1 + d_k / lambda_k)
///
/// Upward elimination gives T'_k - T_k = a_k + b_k (T'_k-1 - T_k-1): a_1 and b_1 couple the soil to
/// the surface, before the surface temperature is known. C_k is dh/dT at the start; the fluxes then
/// change h itself.
#pragma once
#include "base/constants.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/soil.hpp"

namespace fathom::physics {

template <class Real> struct SoilHeat {
    soil::Profile<Real> T, water, conductance, a, b;
    Real first_resistance, first_inertia;  ///< of half of layer 1; dt^-1 C and the layers below it

    constexpr SoilHeat(const soil::Profile<Real>& T_, const soil::Profile<Real>& water_,
                       Real surface_T, Real snow, Real snow_density, double step, double from_below)
        : SoilHeat(T_, water_) {
        const Real cover = ground::snow_cover(snow);
        conductance[0] = (1 - cover) / first_resistance +
                         cover / (first_resistance + snow_resistance(snow, snow_density));
        eliminate(surface_T, step, from_below);
    }
    /// Under tiles, which couple to it at the end of the step: T'_1 - T_1 = a_1 without their flux.
    constexpr SoilHeat(const soil::Profile<Real>& T_, const soil::Profile<Real>& water_,
                       double step, double from_below)
        : SoilHeat(T_, water_) {
        conductance[0] = 0;
        eliminate(T[0], step, from_below);
    }
    /// Of snow [m2 K W-1]: conductivity 2.22 (density / 917)^1.88 (Douville et al. 1995, Clim. Dyn.
    /// 12, 21-35), depth where it lies, at most 1 m.
    static constexpr Real snow_resistance(Real snow, Real density) {
        const Real depth = smaller((snow + ground::snow_half_cover) / density, 1);
        return depth / (2.22 * exp(1.88 * log(density * (1 / constants::ice_density))));
    }
    /// Heat of the layers [J m-2] at the end of the step, the surface being warmer by `change`.
    constexpr soil::Profile<Real> after(Real surface_T, Real change, double step,
                                        double from_below) const {
        const Real rise = fma(b[0], change, a[0]);
        return after_first(rise, conductance[0] * (surface_T + change - (T[0] + rise)), step,
                           from_below);
    }
    /// The same, layer 1 being warmer by `rise`, with that flux into it.
    constexpr soil::Profile<Real> after_first(Real rise, Real into, double step,
                                              double from_below) const {
        soil::Profile<Real> h;
        Real above = T[0] + rise;
        h[0] = soil::heat(0, T[0], water[0]);
        for (int k = 1; k < soil::layers; ++k) {
            rise = fma(b[k], rise, a[k]);
            const Real end = T[k] + rise, flux = conductance[k] * (above - end);
            h[k] = soil::heat(k, T[k], water[k]);
            h[k - 1] += step * (into - flux);
            above = end;
            into = flux;
        }
        h[soil::layers - 1] += step * (into + from_below);
        return h;
    }

private:
    constexpr SoilHeat(const soil::Profile<Real>& T_, const soil::Profile<Real>& water_)
        : T(T_), water(water_) {
        Real above = 0;
        for (int k = 0; k < soil::layers; ++k) {  // of half a layer
            const Real resistance =
                0.5 * soil::thickness::at(k) / soil::heat_conductivity(k, T[k], water[k]);
            if (k == 0) first_resistance = resistance;
            if (k > 0) conductance[k] = 1 / (above + resistance);
            above = resistance;
        }
    }
    constexpr void eliminate(Real surface_T, double step, double from_below) {
        Real below = from_below, slope = 0;  // flux into layer k from below: below - slope dT_k
        for (int k = soil::layers - 1; k >= 0; --k) {
            const Real c = conductance[k], above = k > 0 ? T[k > 0 ? k - 1 : 0] : surface_T;
            const Real all = soil::inertia(k, T[k], water[k]) * (1 / step) + c + slope;
            const Real pivot = 1 / all;
            if (k == 0) first_inertia = all;
            a[k] = (c * (above - T[k]) + below) * pivot;
            b[k] = c * pivot;
            below = c * (T[k] + a[k] - above);
            slope = c * (1 - b[k]);
        }
    }
};

}  // namespace fathom::physics
