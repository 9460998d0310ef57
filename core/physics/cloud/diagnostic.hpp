/// Clouds for radiation: their fraction from the relative humidity of a layer (Sundqvist et al.
/// 1989; Slingo 1987), the water in them from the height z above the ground and the vapour W of the
/// column (Hack 1998, J. Geophys. Res. 103, 22 177; Kiehl et al. 1998, J. Climate 11, 1131):
///
///   c = [max(0, q / q_s - H) / (1 - H)]^2 <= 1,   none above `top`;
///       H falls from `critical_humidity` above p = 0.5 p_s to `low_critical_humidity` below 0.85
///       p_s
///   l = (rho_l / rho) exp(-z / h) min(1, depth / dp),   h = 700 m ln(1 + W / 1 kg m-2)
///       [kg kg-1], W = int q dp/g
///
/// A cloud does not fill a layer that is thicker than clouds are: with eight layers, the lowest has
/// 100 hPa. The lower H represents small cumulus and stratocumulus. Water that depends on
/// height is enough in high clouds to trap heat; in proportion to q_s it would be a
/// tenth. With `stratocumulus` the open sea has that of stratocumulus.hpp too: the larger of both.
#pragma once
#include "field/process.hpp"
#include "physics/cloud/stratocumulus.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct AnySurface {
    Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> geopotential;
};
template <class Real> struct SurfaceWithSea {
    Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> geopotential;
    Reads<Real, "open_sea", place::center_column, "1"> open_sea;
};

template <bool stratocumulus> struct DiagnosticCloud {
    double critical_humidity = 0.85, low_critical_humidity = 0.82, water_density = 2.1e-4,
           depth = 5e3, top = 1e4;

    static constexpr std::string_view summary =
        stratocumulus ? "Cloud fraction and cloud water from relative humidity, and from inversions"
                      : "Cloud fraction and cloud water from relative humidity";
    static constexpr std::tuple parameters{
        Parameter{"critical_humidity", &DiagnosticCloud::critical_humidity, "1", 0, 0.99,
                  "relative humidity at which clouds begin, aloft"},
        Parameter{"low_critical_humidity", &DiagnosticCloud::low_critical_humidity, "1", 0, 0.99,
                  "the same near the ground"},
        Parameter{"water_density", &DiagnosticCloud::water_density, "kg m-3", 0, 0.1,
                  "cloud water near the ground, rho_l"},
        Parameter{"depth", &DiagnosticCloud::depth, "Pa", 1, 1e5,
                  "greatest depth of a cloud within a layer"},
        Parameter{"top", &DiagnosticCloud::top, "Pa", 0, 1e5, "least pressure of clouds"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        std::conditional_t<stratocumulus, SurfaceWithSea<Real>, AnySurface<Real>> surface,
        Writes<Real, "cloud_fraction", place::center_layer, "1"> fraction,
        Writes<Real, "cloud_water", place::center_layer, "kg kg-1"> water) const {
        using namespace constants;
        const int levels = fraction.levels();
        const Real per_surface = 1 / interface[levels];
        Real vapour = 0;
        for (int k = 0; k < levels; ++k)
            vapour = fma(larger(humidity[k], 0) * (1 / gravity), interface[k + 1] - interface[k],
                         vapour);
        const Real per_depth = (1 / gravity / 700) / larger(log(1 + vapour), 0.05);
        [[maybe_unused]] const auto layer = [&](int k) -> LayerOfAir<Real> {
            constexpr double kappa = dry_air_gas_constant / dry_air_heat_capacity;
            const Real T = temperature[k], p = pressure[k];
            return {T * brief_exp(-kappa * log(p * 1e-5)), T, p, geopotential[k] * (1 / gravity)};
        };
        const auto sheet = [&] {
            if constexpr (stratocumulus)
                return Stratocumulus<Real>(layer, levels, humidity[levels - 1],
                                           surface.open_sea[0]);
            else
                return 0;
        }();
        for (int k = 0; k < levels; ++k) {
            const Real p = pressure[k], T = temperature[k], q_s = Saturation<Real>(T, p).humidity;
            const Real low = smaller(larger(fma(p, per_surface, -0.5) * (1 / 0.35), 0), 1),
                       H = fma(low, low_critical_humidity - critical_humidity, critical_humidity);
            const Real root = smaller(larger(fma(-H, q_s, humidity[k]) / (q_s * (1 - H)), 0), 1);
            Real cover = root * root;
            if constexpr (stratocumulus) cover = larger(cover, sheet.in(k));
            fraction[k] = select(p < top, 0, cover);
            water[k] = (water_density * dry_air_gas_constant) * T / p *
                       smaller(depth / (interface[k + 1] - interface[k]), 1) *
                       brief_exp(-smaller(
                           larger((geopotential[k] - surface.geopotential[0]) * per_depth, 0), 80));
        }
    }
};

}  // namespace fathom::physics
