/// Clouds of the microphysics as radiation sees them: the cover of total water that is spread
/// evenly over the layer (adjustment.hpp), and the condensate in it.
///
///   c = n / 2b in [0, 1],   n = t - H q_s,  b = (1 - H) q_s,   l = (q_c + q_i) / c
#pragma once
#include "field/process.hpp"
#include "physics/cloud/adjustment.hpp"

namespace fathom::physics {

template <class Real> struct CloudLiquid {
    Reads<Real, "cloud_liquid_water", place::center_layer, "kg kg-1"> liquid;
    constexpr Real operator[](int k) const { return liquid[k]; }
};
template <class Real> struct CloudLiquidAndIce {
    Reads<Real, "cloud_liquid_water", place::center_layer, "kg kg-1"> liquid;
    Reads<Real, "cloud_ice", place::center_layer, "kg kg-1"> ice;
    constexpr Real operator[](int k) const { return liquid[k] + ice[k]; }
};

template <bool warm> struct PrognosticCloud {
    double critical_humidity = 0.9, top = 1e4, all_ice = usual_all_ice;
    static constexpr std::string_view summary =
        warm ? "Cloud fraction and cloud water of prognostic cloud water"
             : "Cloud fraction and cloud water of prognostic cloud water and cloud ice";
    static constexpr std::tuple parameters{
        Parameter{"critical_humidity", &PrognosticCloud::critical_humidity, "1", 0.3, 1,
                  "that of the microphysics, H"},
        Parameter{"top", &PrognosticCloud::top, "Pa", 0, 1e5, "least pressure of clouds"},
        Parameter{"all_ice", &PrognosticCloud::all_ice, "K", 200, 272,
                  "that of the microphysics, T_ice"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        std::conditional_t<warm, CloudLiquid<Real>, CloudLiquidAndIce<Real>> cloud,
        Writes<Real, "cloud_fraction", place::center_layer, "1"> fraction,
        Writes<Real, "cloud_water", place::center_layer, "kg kg-1"> water) const {
        const int levels = fraction.levels();
        for (int k = 0; k < levels; ++k) {
            const Real T = temperature[k], p = pressure[k], condensed = larger(cloud[k], Real(0));
            Real q_s;
            if constexpr (warm)
                q_s = Saturation<Real>::over_water(T, p).humidity;
            else
                q_s = MixedSaturation<Real>(T, p, all_ice).humidity;
            const Real spread =
                EvenlySpread<Real>(humidity[k] + condensed, q_s, critical_humidity).cover;
            const Real cover = select(condensed > 1e-9, larger(spread, Real(0.01)), Real(0));
            fraction[k] = select(p < top, Real(0), cover);
            water[k] = condensed / larger(cover, Real(0.01));
        }
    }
};

}  // namespace fathom::physics
