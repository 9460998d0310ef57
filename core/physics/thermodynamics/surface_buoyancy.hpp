/// Input of a boundary layer from an equation of state: how much lighter the water of its surface
/// layer is than that below, for any depth of the layer, and the effect of surface fluxes on
/// buoyancy:
///
///   surface_buoyancy_k = g / rho0 (rho(S_k, T_k, p_k) - rho(S_s, T_s, p_k))      [m s-2],
///       s: mean of the surface layer (surface_layer.hpp)
///   surface_thermal_expansion = - 1 / rho0 d rho / dT,
///       surface_haline_contraction = 1 / rho0 d rho / dS      of the top layer
///
/// Runs after the equation of state, because it reads the densities.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/column.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/turbulence/surface_layer.hpp"

namespace fathom::physics {

template <class State> struct SurfaceBuoyancy : State {
    static constexpr std::string_view summary =
        "Buoyancy of surface water under the pressure of each layer, thermal expansion and haline "
        "contraction";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "density_anomaly", place::center_layer, "kg m-3"> density,
        ReadsProfile<Real, "pressure_reference", "dbar"> pressure,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "surface_buoyancy", place::center_layer, "m s-2"> buoyancy,
        Writes<Real, "surface_thermal_expansion", place::center_column, "K-1"> expansion,
        Writes<Real, "surface_haline_contraction", place::center_column, "1e3"> contraction) const {
        using Parcel = typename State::template Parcel<Real>;
        using Level = typename State::Level;
        constexpr double per_density = 1 / constants::sea_water_density;
        const State& state = *this;
        const Differential<Real> slopes =
            State::anomaly(typename State::template Parcel<Differential<Real>>(
                               state, {Real(temperature[0]), 1, 0}, {Real(salinity[0]), 0, 1}),
                           Level(double(pressure[0])));
        expansion[0] = slopes.by_T * -per_density;
        contraction[0] = slopes.by_S * per_density;

        SurfaceLayer<Real, 2> layer;
        const auto value = [&](int n, int k) -> Real {
            return n == 0 ? temperature[k] : salinity[k];
        };
        Parcel surface(state, temperature[0], salinity[0]);
        double depth = 0;
        for (int k = 0; k < buoyancy.levels(); ++k) {
            const double half = 0.5 * double(thickness[k]);
            depth += half;
            if (layer.reach(depth, thickness, value))
                surface = Parcel(state, layer.mean[0], layer.mean[1]);
            buoyancy[k] = (density[k] - State::anomaly(surface, Level(double(pressure[k])))) *
                          (constants::gravity * per_density);
            depth += half;
        }
    }
};

}  // namespace fathom::physics
