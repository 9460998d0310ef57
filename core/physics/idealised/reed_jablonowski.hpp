/// The surface and the boundary layer of the simple physics of Reed & Jablonowski (2012, J. Adv.
/// Model. Earth Syst. 4, M04001), for tropical cyclones over a sea; rain is LargeScaleCondensation
/// without evaporation. All implicit:
///
///   lowest layer, at height z:  dX/dt = C |v| (X_s - X) / z,   X = v (X_s = 0), T, q
///       C_D = 0.7e-3 + 6.5e-5 |v| up to 20 m/s, 2e-3 beyond;  C_H = C_E = 1.1e-3
///   above:   dX/dt = 1 / rho d(rho K dX/dz)/dz,   X = v, theta, q
///       K = C |v| z below p = 850 hPa, times exp(-((850 hPa - p) / 100 hPa)^2) above
#pragma once
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct ReedJablonowski {
    double step = 1200, exchange = 1.1e-3, top = 8.5e4, fall = 1e4;

    static constexpr std::string_view summary =
        "Surface fluxes and boundary layer of Reed & Jablonowski (2012) over a sea";
    static constexpr std::tuple parameters{
        Parameter{"step", &ReedJablonowski::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"exchange", &ReedJablonowski::exchange, "1", 0, 0.1,
                  "coefficient of heat and vapour, C_H = C_E"},
        Parameter{"top", &ReedJablonowski::top, "Pa", 1e3, 1e5, "of the boundary layer"},
        Parameter{"fall", &ReedJablonowski::fall, "Pa", 1, 1e5,
                  "in which diffusivity falls off above"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Keeps<Real, "reed_jablonowski", 6> own) const {
        using namespace constants;
        constexpr double kappa = dry_air_gas_constant / dry_air_heat_capacity;
        const int levels = temperature.levels(), last = levels - 1;
        const auto [U, V, theta, Q, share_m, share_h] = own.columns();

        // the lowest layer
        const Real surface = interface[levels], sea_T = sea_temperature[0],
                   virtual_T = temperature[last] * (1 + virtual_factor * humidity[last]);
        const Real z = dry_air_gas_constant / gravity * virtual_T * log(surface / pressure[last]);
        const Real speed = sqrt(fma(u[last], u[last], v[last] * v[last]));
        const Real drag = select(speed < 20, 0.7e-3 + 6.5e-5 * speed, Real(2e-3));
        const Real momentum = drag * speed * step / z, heat = exchange * speed * step / z,
                   sea_q = Saturation<Real>(sea_T, surface).humidity;
        for (int k = 0; k < levels; ++k) {
            U[k] = u[k], V[k] = v[k], theta[k] = temperature[k], Q[k] = humidity[k];
        }
        U[last] = U[last] / (1 + momentum);
        V[last] = V[last] / (1 + momentum);
        theta[last] = (theta[last] + heat * sea_T) / (1 + heat);
        Q[last] = (Q[last] + heat * sea_q) / (1 + heat);

        // diffusion, from the top down and back
        const auto exner = [&](int k) -> Real { return exp(kappa * log(pressure[k] * 1e-5)); };
        const Real K_m = drag * speed * z, K_h = exchange * speed * z;
        const auto flow = [&](int k) -> Real {  // step g^2 rho^2 / dp of the interface above k
            const Real p = interface[k],
                       rho = p * 2 / (dry_air_gas_constant * (temperature[k - 1] + temperature[k])),
                       above = larger(top - p, 0) * (1 / fall);
            return step * gravity * gravity * rho * rho / (pressure[k] - pressure[k - 1]) *
                   exp(-(above * above));
        };
        Real inflow = 0;
        for (int k = 0; k < levels; ++k) {
            theta[k] = theta[k] / exner(k);
            const Real per = 1 / (interface[k + 1] - interface[k]),
                       outflow = k < last ? flow(k + 1) : Real(0);
            const Real up = per * inflow, down = per * outflow;
            const auto sweep = [&](auto& x, auto& other, auto& share, Real K) {
                const Real before = k ? Real(share[k - 1]) : Real(0), from_above = K * up,
                           inverse = 1 / (1 + from_above * (1 - before) + K * down);
                share[k] = K * down * inverse;
                for (auto* of : {&x, &other}) {
                    const Real above = k ? Real((*of)[k - 1]) : Real(0);
                    (*of)[k] = ((*of)[k] + from_above * above) * inverse;
                }
            };
            sweep(U, V, share_m, K_m), sweep(theta, Q, share_h, K_h);
            inflow = outflow;
        }
        const double per_step = 1 / step;
        for (int k = last; k >= 0; --k) {
            if (k < last) {
                U[k] = U[k] + share_m[k] * U[k + 1];
                V[k] = V[k] + share_m[k] * V[k + 1];
                theta[k] = theta[k] + share_h[k] * theta[k + 1];
                Q[k] = Q[k] + share_h[k] * Q[k + 1];
            }
            u_tendency[k] += (U[k] - u[k]) * per_step;
            v_tendency[k] += (V[k] - v[k]) * per_step;
            T_tendency[k] += (theta[k] * exner(k) - temperature[k]) * per_step;
            q_tendency[k] += (Q[k] - humidity[k]) * per_step;
        }
    }
};

}  // namespace fathom::physics
