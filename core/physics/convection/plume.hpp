/// The common part of plumes of deep and of shallow convection: the air around them, at the end of
/// the step with the tendencies so far, their fluxes through the interfaces, and the change of the
/// air. F_k = M_k (x_u,k - x_k-1) is the flux at the upper interface of layer k, for a unit of mass
/// flux (subsidence.hpp). Lost energy of the wind warms the layer where it is lost.
#pragma once
#include "field/process.hpp"
#include "physics/convection/subsidence.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct PlumeAir {
    Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure;
    Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface;
    Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential;
};
template <class Real> struct PlumeTendencies {
    Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u;
    Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v;
    Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> temperature;
    Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> humidity;
};
/// The air at the end of the step by tendencies so far, and the plume for a unit of mass
/// flux at its base: at the upper interface of a layer, its excess over the layer above.
template <class Column> struct PlumeWork {
    Column u, v, T, q, h, saturated;
    Column mass_flux, u_flux, v_flux, h_flux, q_flux;  // M_k and F_k
    Column water;                                      // evaporated minus rained in a layer
    Column melted;                                     // less frozen

    template <class Real>
    constexpr void look_at(const PlumeAir<Real>& air, const PlumeTendencies<Real>& tendency,
                           double step, int levels) const {
        using namespace constants;
        for (int k = 0; k < levels; ++k) {
            const Real warm = fma(tendency.temperature[k], step, air.temperature[k]),
                       moist = fma(tendency.humidity[k], step, air.humidity[k]);
            u[k] = fma(tendency.u[k], step, air.u[k]);
            v[k] = fma(tendency.v[k], step, air.v[k]);
            T[k] = warm;
            q[k] = moist;
            h[k] =
                fma(dry_air_heat_capacity, warm, fma(evaporation_heat, moist, air.geopotential[k]));
            saturated[k] = Saturation<Real>(warm, air.pressure[k]).humidity;
        }
    }

    /// Tendencies by `share` of the step, of this length; the rain of a unit of mass flux.
    template <class Real, class Interface>
    constexpr Real act(const Interface& interface, const PlumeTendencies<Real>& tendency,
                       double step, Real strength, int levels, double share = 1) const {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        const double per_step = share / step;
        const auto none = [](int) { return Real(0); };
        Real rain = 0;
        subside(
            levels, step, interface, strength, mass_flux, h_flux,
            [&](int k) { return -constants::fusion_heat * melted[k]; },
            [&](int k, Real d) { tendency.temperature[k] += d * (per_step / cp); });
        subside(
            levels, step, interface, strength, mass_flux, q_flux,
            [&](int k) { return Real(water[k]); },
            [&](int k, Real d) {
                tendency.humidity[k] += d * per_step;
                tendency.temperature[k] += d * (-L / cp * per_step);
                rain -= water[k];
            });
        const auto move = [&](const auto& wind, const auto& flux, const auto& change) {
            subside(levels, step, interface, strength, mass_flux, flux, none, [&](int k, Real d) {
                change[k] += d * per_step;
                tendency.temperature[k] -= d * (wind[k] + 0.5 * d) * (per_step / cp);
            });
        };
        move(u, u_flux, tendency.u);
        move(v, v_flux, tendency.v);
        return rain;
    }
};

}  // namespace fathom::physics
