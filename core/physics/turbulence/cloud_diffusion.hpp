/// Vertical diffusion of cloud water and cloud ice, implicit, by the diffusivity of wind, heat and
/// vapour, as in implicit_column.hpp; nothing passes the surface. With the diffusion of s and of
/// vapour (diffusion.hpp) and the same factors, the mixed quantities are the moist conserved
/// s - L q_liquid - (L + L_f) q_ice and q + q_liquid + q_ice: diffusion is linear. It runs before
/// VerticalDiffusion, which computes the factors from the same state.
#pragma once
#include "field/process.hpp"
#include "physics/turbulence/implicit_column.hpp"

namespace fathom::physics {

template <class Real> struct MixedLiquid {
    Reads<Real, "cloud_liquid_water", place::center_layer, "kg kg-1"> liquid;
    Updates<Real, "cloud_liquid_water_tendency", place::center_layer, "s-1"> liquid_tendency;
    static constexpr int kinds = 1;
    constexpr Real at(int, int k, double step) const {
        return fma(liquid_tendency[k], step, liquid[k]);
    }
    constexpr void add(int, int k, Real rate) const { liquid_tendency[k] += rate; }
};
template <class Real> struct MixedLiquidAndIce {
    MixedLiquid<Real> water;
    Reads<Real, "cloud_ice", place::center_layer, "kg kg-1"> ice;
    Updates<Real, "cloud_ice_tendency", place::center_layer, "s-1"> ice_tendency;
    static constexpr int kinds = 2;
    constexpr Real at(int kind, int k, double step) const {
        return kind == 0 ? water.at(0, k, step) : Real(fma(ice_tendency[k], step, ice[k]));
    }
    constexpr void add(int kind, int k, Real rate) const {
        if (kind == 0)
            water.add(0, k, rate);
        else
            ice_tendency[k] += rate;
    }
};

template <template <class> class Mixed> struct DiffusionOfCloud {
    double step = 1200;

    static constexpr std::string_view summary =
        "Implicit vertical diffusion of cloud water, by the diffusivity of vapour";
    static constexpr std::tuple parameters{
        Parameter{"step", &DiffusionOfCloud::step, "s", 1e-3, 1e5, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Reads<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Reads<Real, "air_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Mixed<Real> mixed, Keeps<Real, "cloud_diffusion", 3> own) const {
        using namespace constants;
        constexpr double per_gravity = 1 / gravity;
        constexpr int kinds = Mixed<Real>::kinds;
        const int levels = temperature.levels(), last = levels - 1;
        const auto [to_above, liquid, ice] = own.columns();  // then x' - x, eliminated
        const auto warmth = [&](int k) { return fma(T_tendency[k], step, temperature[k]); };
        const auto vapour = [&](int k) { return fma(q_tendency[k], step, humidity[k]); };

        Real x[kinds], flux[kinds];  // eliminated; through the interface above
        for (int n = 0; n < kinds; ++n) x[n] = 0, flux[n] = 0;
        ImplicitColumn<Real> column;
        for (int k = 0; k <= last; ++k) {
            Real below = 0;
            if (k < last)
                below = ImplicitColumn<Real>::exchange(
                    step, diffusivity[k + 1], interface[k + 1], 0.5 * (warmth(k) + warmth(k + 1)),
                    0.5 * (vapour(k) + vapour(k + 1)), geopotential[k] - geopotential[k + 1]);
            column.enter((interface[k + 1] - interface[k]) * per_gravity, below);
            for (int n = 0; n < kinds; ++n) {
                Real change = 0;
                if (k < last) change = below * (mixed.at(n, k + 1, step) - mixed.at(n, k, step));
                column.eliminate(x[n], flux[n], change);
            }
            liquid[k] = x[0];
            if constexpr (kinds > 1) ice[k] = x[1];
            to_above[k] = column.leave(below);
        }
        for (int n = 0; n < kinds; ++n) x[n] = 0;
        for (int k = last; k >= 0; --k) {
            const Real f = to_above[k];
            x[0] = fma(f, x[0], liquid[k]);
            mixed.add(0, k, x[0] * (1 / step));
            if constexpr (kinds > 1) {
                x[1] = fma(f, x[1], ice[k]);
                mixed.add(1, k, x[1] * (1 / step));
            }
        }
    }
};

using LiquidDiffusion = DiffusionOfCloud<MixedLiquid>;
using CloudDiffusion = DiffusionOfCloud<MixedLiquidAndIce>;

}  // namespace fathom::physics
