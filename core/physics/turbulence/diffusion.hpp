/// Vertical diffusion of wind, dry static energy s = c_p T + phi and vapour, implicit, solved
/// together with the surface below:
///
///   m_k (x' - x) = dt (F_k+1 - F_k),   F_k = rho K (x'_k - x'_k-1) / dz into layer k - 1
///       (implicit_column.hpp), at the surface:
///   stress D v',   heat  sum_i a_i K_i (c_p T_i + phi_s - s'),
///       vapour  sum_i a_i beta_i K_i (q_i - q'),   i = sea (T given), ground (T' unknown)
///   C / dt (T'_g - T*_g) = -K_g [(c_p T'_g + phi_s - s') + L beta (q_s + dq_s/dT (T'_g - T_g)
///       - q')]
///
/// The elimination runs downward and gives s' = A + B F in the lowest layer; with it the ground's
/// equation is solved (here, or all tiles' in land/tile_diffusion.hpp), and the substitution runs
/// back up. x are values at the end of the step with the tendencies so far. Lost kinetic energy
/// warms the layer where it is lost. Closed: int (c_p T + L q + v^2 / 2) dp / g gains the surface
/// fluxes, to round-off; so do vapour and the ground.
#pragma once
#include "field/process.hpp"
#include "physics/turbulence/implicit_column.hpp"

namespace fathom::physics {

/// The row of the lowest layer without the surface's fluxes, diagonal x = right + dt F, x the
/// changes of s and q there; and the response of the surface.
template <class Real> struct LowestRow {
    double step;
    Real diagonal, right_s, right_q, T, q, drop, surface_pressure;
    constexpr Real above_s(Real surface_T) const {  // s of a surface minus that of the air
        return fma(surface_T - T, constants::dry_air_heat_capacity, drop);
    }
};
template <class Real> struct SurfaceAnswer {
    Real ds, dq, heat, water;
};
/// Of a surface that moves: sum of D u_surface and D v_surface [N m-2], so that the stress is
/// D u' - this.
template <class Real> struct Drift {
    Real u, v;
};

/// Sea and ground (ground.hpp, soil_layers.hpp).
template <class Real> struct SeaAndGround {
    Reads<Real, "sea_conductance", place::center_column, "kg m-2 s-1"> sea_conductance;
    Reads<Real, "ground_conductance", place::center_column, "kg m-2 s-1"> ground_conductance;
    Reads<Real, "open_sea", place::center_column, "1"> open_sea;
    Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature;
    Reads<Real, "ground_temperature", place::center_column, "K"> ground_temperature;
    Reads<Real, "ground_wetness", place::center_column, "1"> wetness;
    Reads<Real, "ground_forcing", place::center_column, "K"> forcing;
    Reads<Real, "ground_inertia", place::center_column, "W m-2 K-1"> inertia;
    Writes<Real, "sea_turbulent_flux", place::center_column, "W m-2"> sea_flux;
    Writes<Real, "ground_turbulent_flux", place::center_column, "W m-2"> ground_flux;
    Writes<Real, "ground_evaporation", place::center_column, "kg m-2 s-1"> ground_evaporation;

    constexpr SurfaceAnswer<Real> operator()(const LowestRow<Real>& row) const {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        const double step = row.step;
        // The surface: s' - s = s_0 + e_s dT, q' - q = q_0 + e_q dT in the lowest layer, dT the
        // change of the ground's temperature.
        const Real sea = open_sea[0], ground = 1 - sea, K_sea = sea_conductance[0],
                   K_ground = ground_conductance[0];
        const Real sea_T = sea_temperature[0], ground_T = ground_temperature[0],
                   surface_pressure = row.surface_pressure;
        const Saturation<Real> at_ground(ground_T, surface_pressure);
        const Real sea_q = 0.98 * Saturation<Real>(sea_T, surface_pressure).humidity - row.q,
                   ground_q = at_ground.humidity - row.q;  // all four: above the air's
        const Real sea_s = row.above_s(sea_T), ground_s = row.above_s(ground_T);
        const Real wet_K =
            select(ground_q < 0, 1, wetness[0]) * K_ground;  // dew also falls on dry ground
        const Real from_sea = step * sea * K_sea, from_ground = step * ground * K_ground,
                   from_wet = step * ground * wet_K;
        const Real per_s = 1 / (row.diagonal + from_sea + from_ground),
                   per_q = 1 / (row.diagonal + from_sea + from_wet);
        const Real s_0 = fma(from_sea, sea_s, fma(from_ground, ground_s, row.right_s)) * per_s,
                   e_s = cp * from_ground * per_s;
        const Real q_0 = fma(from_sea, sea_q, fma(from_wet, ground_q, row.right_q)) * per_q,
                   e_q = from_wet * at_ground.slope * per_q;
        const Real I = inertia[0];
        const Real driving = I * (forcing[0] - ground_T) - K_ground * (ground_s - s_0) -
                             L * wet_K * (ground_q - q_0);
        const Real dT =
            driving / (I + K_ground * (cp - e_s) + L * wet_K * (at_ground.slope - e_q) + 1e-6);
        const Real ds = fma(e_s, dT, s_0), dq = fma(e_q, dT, q_0);
        const Real ground_heat = K_ground * (fma(dT, cp, ground_s) - ds),
                   ground_water = wet_K * (fma(dT, at_ground.slope, ground_q) - dq);
        const Real sea_heat = K_sea * (sea_s - ds), sea_water = K_sea * (sea_q - dq);
        sea_flux[0] = sea_heat + L * sea_water;
        ground_flux[0] = ground_heat + L * ground_water;
        ground_evaporation[0] = ground_water;
        return {ds, dq, sea * sea_heat + ground * ground_heat,
                sea * sea_water + ground * ground_water};
    }
};

template <template <class> class Surface> struct DiffusionOver {
    double step = 1200;

    static constexpr std::string_view summary =
        "Implicit vertical diffusion of wind, heat and vapour, coupled to the surface";
    static constexpr std::tuple parameters{
        Parameter{"step", &DiffusionOver::step, "s", 1e-3, 1e5, "time step"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface_geopotential,
        Reads<Real, "air_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Reads<Real, "momentum_conductance", place::center_column, "kg m-2 s-1">
            momentum_conductance,
        Surface<Real> surface,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Writes<Real, "surface_stress_eastward", place::center_column, "N m-2"> stress_east,
        Writes<Real, "surface_stress_northward", place::center_column, "N m-2"> stress_north,
        Writes<Real, "sensible_heat_flux", place::center_column, "W m-2"> heat_flux,
        Writes<Real, "evaporation_flux", place::center_column, "kg m-2 s-1"> evaporation,
        Keeps<Real, "vertical_diffusion", 5> own) const {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, per_gravity = 1 / gravity;
        const int levels = temperature.levels(), last = levels - 1;
        // to_above[k]: the factor of x_k in x_k-1; then the right-hand sides, then x' - x
        const auto [to_above, U, V, S, Q] = own.columns();

        // Downward, for the increments x' - x: 32 bits suffice for differences of s. All four have
        // the same factors except in the last row.
        struct Level {
            Real u, v, T, q, phi;
        };
        const auto at = [&](int k) -> Level {
            return {fma(u_tendency[k], step, u[k]), fma(v_tendency[k], step, v[k]),
                    fma(T_tendency[k], step, temperature[k]), fma(q_tendency[k], step, humidity[k]),
                    geopotential[k]};
        };
        Level here = at(0);
        ImplicitColumn<Real> column;
        Real upper = interface[0];
        Real u_k = 0, v_k = 0, s_k = 0, q_k = 0, u_flux = 0, v_flux = 0, s_flux = 0,
             q_flux = 0;  // eliminated; through the interface above
        for (int k = 0; k < last; ++k) {
            const Real lower = interface[k + 1], mass = (lower - upper) * per_gravity;
            const Level next = at(k + 1);
            const Real distance = here.phi - next.phi, mean_T = (here.T + next.T) * 0.5,
                       mean_q = (here.q + next.q) * 0.5;
            const Real below = ImplicitColumn<Real>::exchange(step, diffusivity[k + 1], lower,
                                                              mean_T, mean_q, distance);
            const Real du = below * (next.u - here.u), dv = below * (next.v - here.v),
                       ds = below * (cp * (next.T - here.T) - distance),
                       dq = below * (next.q - here.q);
            column.enter(mass, below);
            const auto eliminate = [&](Real& r, Real& flux, Real change, auto into) {
                column.eliminate(r, flux, change);
                into = r;
            };
            eliminate(u_k, u_flux, du, U[k]);
            eliminate(v_k, v_flux, dv, V[k]);
            eliminate(s_k, s_flux, ds, S[k]);
            eliminate(q_k, q_flux, dq, Q[k]);
            to_above[k] = column.leave(below);
            upper = lower;
            here = next;
        }
        column.enter((interface[levels] - upper) * per_gravity, Real(0));
        const Real diagonal = column.diagonal;
        u_k = column.right(u_k, u_flux, Real(0));
        v_k = column.right(v_k, v_flux, Real(0));
        s_k = column.right(s_k, s_flux, Real(0));
        q_k = column.right(q_k, q_flux, Real(0));

        const Real D = momentum_conductance[0], per_u = 1 / fma(D, step, diagonal);
        Real du = fma(D * -step, here.u, u_k) * per_u, dv = fma(D * -step, here.v, v_k) * per_u;
        if constexpr (requires { surface.drift(); }) {
            const Drift<Real> below = surface.drift();
            du = fma(below.u * step, per_u, du);
            dv = fma(below.v * step, per_u, dv);
            stress_east[0] = D * (here.u + du) - below.u;
            stress_north[0] = D * (here.v + dv) - below.v;
            surface.take_stress(here.u + du, here.v + dv);
        } else {
            stress_east[0] = D * (here.u + du);
            stress_north[0] = D * (here.v + dv);
        }
        const SurfaceAnswer<Real> answer =
            surface(LowestRow<Real>{step, diagonal, s_k, q_k, here.T, here.q,
                                    surface_geopotential[0] - here.phi, interface[levels]});
        Real ds = answer.ds, dq = answer.dq;
        heat_flux[0] = answer.heat;
        evaporation[0] = answer.water;

        // Upward.
        for (int k = last; k >= 0; --k) {
            if (k < last) {
                const Real f = to_above[k];
                du = fma(f, du, U[k]);
                dv = fma(f, dv, V[k]);
                ds = fma(f, ds, S[k]);
                dq = fma(f, dq, Q[k]);
            }
            const Real u_rate = u_tendency[k], v_rate = v_tendency[k];
            const Real lost = -(du * fma(u_rate, step, u[k] + 0.5 * du) +
                                dv * fma(v_rate, step, v[k] + 0.5 * dv));
            T_tendency[k] += (ds + lost) * (1 / (cp * step));
            u_tendency[k] = fma(du, 1 / step, u_rate);
            v_tendency[k] = fma(dv, 1 / step, v_rate);
            q_tendency[k] += dq * (1 / step);
        }
    }
};

using VerticalDiffusion = DiffusionOver<SeaAndGround>;

}  // namespace fathom::physics
