/// Precipitation that reaches cold ground has frozen on its way: its heat of fusion warms the
/// layers where it froze, by mass (P: all precipitation; only the convective part where a cloud
/// scheme itself gives the frozen part, which is added):
///
///   snow = P share(T_lowest),   share(T) = clamp((275.15 K - T) / 2 K, 0, 1),
///       dT_k = L_f snow share(T_k) / (c_p sum m_k share(T_k))
///
/// The atmosphere gains L_f snow; melting on the ground gives it back.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

template <bool of_convection> struct Snowfall {
    double step = 1200;

    static constexpr std::string_view summary =
        of_convection ? "Which part of the convective precipitation is snow, with its heat of "
                        "fusion, in addition to the snow of clouds"
                      : "Which part of the precipitation is snow, with its heat of fusion";
    template <class Real>
    using OfClouds = std::conditional_t<
        of_convection, Reads<Real, "stratiform_snowfall", place::center_column, "kg m-2 s-1">,
        Reads<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1">>;
    static constexpr std::tuple parameters{
        Parameter{"step", &Snowfall::step, "s", 1e-3, 1e5, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> convective,
        OfClouds<Real> of_clouds,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> tendency,
        Writes<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall,
        Keeps<Real, "snowfall_by_layer", 1> own) const {
        const int levels = temperature.levels();
        const auto [share] = own.columns();
        Real frozen = 0, upper = interface[0];
        for (int k = 0; k < levels; ++k) {
            const Real lower = interface[k + 1];
            const Real part =
                smaller(larger((275.15 - fma(tendency[k], step, temperature[k])) * 0.5, 0), 1);
            share[k] = part;
            frozen = fma(part, lower - upper, frozen);
            upper = lower;
        }
        Real falls = convective[0], fallen_frozen = 0;
        if constexpr (of_convection)
            fallen_frozen = of_clouds[0];
        else
            falls += of_clouds[0];
        const Real snow = falls * share[levels - 1];
        const Real warming =
            snow *
            (constants::fusion_heat * constants::gravity / constants::dry_air_heat_capacity) /
            larger(frozen, 1e-3);
        for (int k = 0; k < levels; ++k) tendency[k] += warming * share[k];
        snowfall[0] = snow + fallen_frozen;
    }
};

}  // namespace fathom::physics
