/// Water in soil, backward in time (Richards 1931):
///
///   (W'_k - W_k) / dt = q_k-1 - q_k - uptake_k,
///   q_k = 1000 D / dz (theta'_k - theta'_k+1) + 1000 K_k W'_k / W_k
///   q_0 = infiltration, at most 1000 [D_s (theta_s - theta_1) / (d_1 / 2) + K_s] (1 - f_1);
///       q_4 = 1000 K_4 W'_4 / W_4: free drainage
///
/// D of the wetter of two layers; ice closes pores: D and K times 1 - f, of the layer below for K.
/// K in proportion to the water at the end of the step (Patankar 1980): the matrix is an M-matrix,
/// and no W' is negative at any step. Water beyond the capacity of a layer rises to the one above;
/// from the first it runs off.
#pragma once
#include "physics/land/soil.hpp"

namespace fathom::physics {

template <class Real> struct SoilWater {
    soil::Profile<Real> W;
    Real surface_runoff, drainage;  // [kg m-2] in the step

    /// plants: share of the ground that has some; rain: water that reaches the soil, evaporated:
    /// what leaves it [kg m-2 in the step].
    constexpr SoilWater(const soil::Profile<Real>& T, const soil::Profile<Real>& water, Real plants,
                        Real rain, Real evaporated, double step)
        : W(water) {
        finish(T, water, take_up(T, plants, evaporated), rain, step);
    }
    struct Evaporated {
        Real by_roots, from_top;  ///< [kg m-2 in the step]
    };
    /// Under tiles: plants take water by roots, bare ground from the first layer while it has some.
    constexpr SoilWater(const soil::Profile<Real>& T, const soil::Profile<Real>& water, Real rain,
                        const Evaporated& from, double step)
        : W(water) {
        const Real undrawn = take_up(T, 1, from.by_roots);
        Real left = from.from_top;
        for (int k = 0; k < soil::layers; ++k) {
            const Real taken = smaller(left, W[k]);
            W[k] -= taken;
            left -= taken;
        }
        finish(T, water, undrawn + left, rain, step);
    }

private:
    constexpr void finish(const soil::Profile<Real>& T, const soil::Profile<Real>& water,
                          Real missing, Real rain, double step) {
        const Real infiltrated = smaller(rain, most_infiltration(T[0], water[0]) * step);
        move(T, water, infiltrated, step);
        Real over = 0;
        for (int k = soil::layers - 1; k >= 0; --k) {
            W[k] += over;
            over = larger(W[k] - soil::room(k), 0);
            W[k] -= over;
        }
        surface_runoff = rain - infiltrated + over - missing;
    }

    static constexpr double dense = constants::fresh_water_density;
    static constexpr double diffusivity =
        soil::exponent * soil::conductivity * soil::suction / soil::saturation;  // D_s

    static constexpr Real most_infiltration(Real T, Real water) {
        const Real dry = larger(1 - water * (1 / soil::room(0)), 0);
        return (dense * (1 - soil::frozen_share(T))) *
               (diffusivity * soil::saturation / (0.5 * soil::thickness::at(0)) * dry +
                soil::conductivity);
    }
    /// Evaporation from each layer, by availability (soil.hpp); dew into the first. Returns the
    /// part that no layer had.
    constexpr Real take_up(const soil::Profile<Real>& T, Real plants, Real evaporated) {
        soil::Profile<Real> share;
        Real sum = 0;
        for (int k = 0; k < soil::layers; ++k) {
            share[k] = soil::given(k, larger(soil::available(k, T[k], W[k]), 1e-4), plants);
            sum += share[k];
        }
        const Real per_share = larger(evaporated, 0) / sum;
        Real left = 0;
        for (int k = 0; k < soil::layers; ++k) {
            const Real wanted = fma(share[k], per_share, left), taken = smaller(wanted, W[k]);
            W[k] -= taken;
            left = wanted - taken;
        }
        W[0] -= smaller(evaporated, 0);
        return left;
    }
    constexpr void move(const soil::Profile<Real>& T, const soil::Profile<Real>& water,
                        Real infiltrated, double step) {
        constexpr int n = soil::layers;
        std::array<Real, n + 1> down, up;  // q_i dt = down_i W'_i-1 - up_i W'_i through interface i
        down[0] = up[0] = 0;
        soil::Profile<Real> s, open, power;  // power: s^(b + 2)
        for (int k = 0; k < n; ++k) {
            s[k] = soil::liquid(k, T[k], water[k]);
            open[k] = 1 - soil::frozen_share(T[k]);
            power[k] = exp((soil::exponent + 2) * log(s[k]));
        }
        for (int i = 1; i <= n; ++i) {
            const int k = i - 1, next = i < n ? i : k;
            const double distance = 0.5 * (soil::thickness::at(k) + soil::thickness::at(next));
            const Real spread = (i < n ? step * diffusivity / distance : 0) *
                                smaller(open[k], open[next]) * larger(power[k], power[next]);
            // s^(2 b + 3) = s^(b + 2) s^(b + 2) / s
            const Real fall = (step * dense * soil::conductivity) * open[next] * power[k] *
                              power[k] / (s[k] * larger(water[k], 1e-6));
            down[i] = fma(spread, 1 / soil::thickness::at(k), fall);
            up[i] = spread * (1 / soil::thickness::at(next));
        }
        // for the increments x: (1 + down_k+1 + up_k) x_k - down_k x_k-1 - up_k+1 x_k+1
        soil::Profile<Real> x, back;
        Real into = infiltrated, above = 0, factor = 0;
        for (int k = 0; k < n; ++k) {
            const Real out = down[k + 1] * W[k] - up[k + 1] * W[k + 1 < n ? k + 1 : k];
            const Real pivot = 1 / (1 + down[k + 1] + up[k] - down[k] * factor);
            above = x[k] = (into - out + down[k] * above) * pivot;
            factor = back[k] = up[k + 1] * pivot;
            into = out;
        }
        for (int k = n - 2; k >= 0; --k) x[k] = fma(back[k], x[k + 1], x[k]);
        drainage = down[n] * (W[n - 1] + x[n - 1]);
        for (int k = 0; k < n; ++k) W[k] = larger(W[k] + x[k], 0);
    }
};

}  // namespace fathom::physics
