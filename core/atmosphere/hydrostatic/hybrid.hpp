/// Hybrid levels p = A + B p_s (Simmons & Burridge 1981): interfaces k - 1/2 carry A and B, layers
/// lie between; k = 0 is the model top.
///   l_k = ln(p_{k+1/2} / p_{k-1/2}),   alpha_k = 1 - (p_{k-1/2} / dp_k) l_k,
///       the limit alpha_0 = 1, and l_0 unused, where the top is p = 0
///   phi_{k-1/2} = phi_{k+1/2} + R T_k l_k,   phi_k = phi_{k+1/2} + alpha_k R T_k
///       (T: virtual temperature)
/// alpha_0 = 1 is the mean over the mass of the layer, and balances the gradient of ln p on levels
/// that follow the surface up to the top. The state holds log_pressure_ratio = ln(p_s / 100000 Pa):
/// near 0, so that fp32 keeps its digits.
#pragma once
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "field/process.hpp"

namespace fathom::atmosphere {

inline constexpr double unit_pressure = 1e5;  ///< [Pa] of log_pressure_ratio
inline constexpr int most_layers = 160;

/// l and alpha of one layer between two interfaces, and their derivatives with respect to ln p_s.
template <class Real> struct Layer {
    Real thickness, per_thickness, log_ratio, alpha;
    constexpr Layer(Real above, Real below, Real per_above) {
        thickness = below - above;
        per_thickness = 1.0 / thickness;
        const auto open = !(above > Real(0));  // the top of the atmosphere: p = 0
        log_ratio = select(open, Real(0), log(select(open, Real(1), below * per_above)));
        alpha = select(open, Real(1), 1.0 - above * per_thickness * log_ratio);
    }
};

struct HybridPressure {
    static constexpr std::string_view summary = "pressure of hybrid levels";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "log_pressure_ratio", place::center_column, "1"> log_surface,
        ReadsProfile<Real, "hybrid_a", "Pa"> a, ReadsProfile<Real, "hybrid_b", "1"> b,
        Writes<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Writes<Real, "air_pressure", place::center_layer, "Pa"> layer) const {
        const Real surface = unit_pressure * exp(log_surface[0]);
        Real above = a[0] + b[0] * surface;
        interface[0] = above;
        for (int k = 0; k < layer.levels(); ++k) {
            const Real below = a[k + 1] + b[k + 1] * surface;
            interface[k + 1] = below;
            layer[k] = 0.5 * (above + below);
            above = below;
        }
    }
};

struct LogSurfacePressure {
    static constexpr std::string_view summary = "logarithm of surface pressure in Pa";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "log_pressure_ratio", place::center_column, "1"> ratio,
        Writes<Real, "log_surface_pressure", place::center_column, "1"> log_surface) const {
        log_surface[0] = ratio[0] + 11.512925464970229;
    }
};

/// T = T_v / (1 + (R_v / R - 1) q).
inline constexpr double vapour_excess = 0.6077667;  ///< R_v / R - 1
struct TemperatureOfMoistAir {
    static constexpr std::string_view summary =
        "temperature from virtual temperature and specific humidity";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "virtual_temperature", place::center_layer, "K"> virtual_temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> q,
        Writes<Real, "air_temperature", place::center_layer, "K"> T) const {
        for (int k = 0; k < T.levels(); ++k)
            T[k] = virtual_temperature[k] / fma(vapour_excess, q[k], Real(1));
    }
};
/// dT_v/dt = (1 + x q) dT/dt + x T dq/dt.
struct VirtualTemperatureTendency {
    static constexpr std::string_view summary =
        "tendency of virtual temperature from those of temperature and humidity";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> T,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> q,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> heating,
        Reads<Real, "specific_humidity_tendency", place::center_layer, "s-1"> moistening,
        Writes<Real, "virtual_temperature_tendency", place::center_layer, "K s-1"> tendency) const {
        for (int k = 0; k < T.levels(); ++k)
            tendency[k] = fma(vapour_excess * q[k], heating[k],
                              fma(vapour_excess * T[k], moistening[k], heating[k]));
    }
};

/// Geopotential of the layers, from virtual temperature and the geopotential of the surface.
struct HydrostaticGeopotential {
    double gas_constant = constants::dry_air_gas_constant;
    static constexpr std::string_view summary =
        "geopotential of the layers from virtual temperature";
    static constexpr std::tuple parameters{Parameter{"gas_constant",
                                                     &HydrostaticGeopotential::gas_constant,
                                                     "J kg-1 K-1", 100, 1e4, "of dry air"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface,
        Writes<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential) const {
        Real below = surface[0];
        for (int k = T.levels() - 1; k >= 0; --k) {
            const Layer<Real> layer(p[k], p[k + 1], 1.0 / p[k]);
            const Real RT = gas_constant * T[k];
            geopotential[k] = fma(layer.alpha, RT, below);
            below = fma(layer.log_ratio, RT, below);
        }
    }
};

}  // namespace fathom::atmosphere
