/// Replaces a dynamical core for a single column: hydrostatic heights over fixed pressures,
/// tendencies from zero, and the step of the state.
///
///   phi_k-1/2 = phi_k+1/2 + R T_v ln(p_k+1/2 / p_k-1/2),   phi_k = phi_k+1/2 + alpha_k R T_v,
///       alpha_k = 1 - p_k-1/2 / dp_k ln(p_k+1/2 / p_k-1/2)
///   x <- x + dt dx/dt
///
/// (Simmons & Burridge 1981; the interface at the top has p > 0.)
#pragma once
#include "base/elementary.hpp"
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct ColumnHydrostatics {
    static constexpr std::string_view summary =
        "Geopotential over fixed pressures, and tendencies that start from nothing";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface,
        Writes<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Writes<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Writes<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Writes<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Writes<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency) const {
        const int levels = temperature.levels();
        Real phi = surface[0], lower = interface[levels];
        for (int k = levels - 1; k >= 0; --k) {
            const Real upper = interface[k], thick = log(lower / upper),
                       RT = constants::dry_air_gas_constant * temperature[k] *
                            (1 + virtual_factor * humidity[k]);
            geopotential[k] = phi + RT * (1 - upper / (lower - upper) * thick);
            phi += RT * thick;
            lower = upper;
            u_tendency[k] = 0;
            v_tendency[k] = 0;
            T_tendency[k] = 0;
            q_tendency[k] = 0;
        }
    }
};

struct ColumnStep {
    double step = 1200;

    static constexpr std::string_view summary = "The state of a single column a step later";
    static constexpr std::tuple parameters{
        Parameter{"step", &ColumnStep::step, "s", 1e-3, 1e5, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Reads<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Updates<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Updates<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Updates<Real, "air_temperature", place::center_layer, "K"> temperature,
        Updates<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity) const {
        for (int k = 0; k < u.levels(); ++k) {
            u[k] = fma(u_tendency[k], step, u[k]);
            v[k] = fma(v_tendency[k], step, v[k]);
            temperature[k] = fma(T_tendency[k], step, temperature[k]);
            humidity[k] = fma(q_tendency[k], step, humidity[k]);
        }
    }
};

}  // namespace fathom::physics
