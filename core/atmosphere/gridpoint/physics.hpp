/// Columns in the form that the physics of hydrostatic models needs, and the effect of its
/// tendencies here. Its layers are the interfaces of this grid, all except the ground, where theta
/// and tracers lie: layer k goes from the middle of layer k - 1 down to that of layer k, the first
/// from the top, the last to the ground. Temperatures are exact there; the wind is the mean of the
/// two adjacent layers.
///   pi at interfaces: linear in height between the layers; c_p theta d(pi)/dz = -g at both ends
///   T_v = theta pi,    theta is the virtual one of moist air: (T_v / T) times the dry one
///   d(theta)/dt = 1 / pi dT_v/dt
/// No layer of the physics contains theta of the ground. Trajectories alone would let it drift by
/// tens of kelvins from the air above, with the right mean of both (the pressure depends on it):
/// the air above is then as much too warm, and overturns. So theta of the ground gets the tendency
/// of the lowest layer. The deviations of both from the reference mix within a time t_g: a step
/// removes dt / (dt + t_g) of their difference; rho h theta of both together stays the same.
#pragma once
#include "atmosphere/gridpoint/air.hpp"
#include "base/usual.hpp"

namespace fathom::atmosphere {

struct GridPointColumns {
    double gravity = constants::gravity, gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_pressure = usual::reference_pressure;
    static constexpr std::string_view summary =
        "columns for the physics: virtual temperature, wind, pressures and geopotential";
    static constexpr std::tuple parameters{
        Parameter{"gravity", &GridPointColumns::gravity, "m s-2", 0, 100,
                  "acceleration of free fall"},
        Parameter{"gas_constant", &GridPointColumns::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &GridPointColumns::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"reference_pressure", &GridPointColumns::reference_pressure, "Pa", 1, 1e7,
                  "of potential temperature"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Reads<Real, "exner_deviation", place::center_layer, "1"> deviation,
        Reads<Real, "reference_exner", place::center_layer, "1"> reference,
        Reads<Real, "interface_height", place::center_interface, "m"> z,
        Reads<Real, "x_wind_at_interface", place::center_interface, "m s-1"> U,
        Reads<Real, "y_wind_at_interface", place::center_interface, "m s-1"> V,
        Writes<Real, "virtual_temperature", place::center_layer, "K"> T_v,
        Writes<Real, "eastward_wind_of_columns", place::center_layer, "m s-1"> u,
        Writes<Real, "northward_wind_of_columns", place::center_layer, "m s-1"> v,
        Writes<Real, "exner_of_columns", place::center_layer, "1"> exner,
        Writes<Real, "air_pressure", place::center_layer, "Pa"> p,
        Writes<Real, "pressure_interface", place::center_interface, "Pa"> p_interface,
        Writes<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential) const {
        using T = typename Real::Number;
        using gridpoint::middle;
        const int levels = T_v.levels();
        const T weight = T(gravity / heat_capacity), p_0 = T(reference_pressure);
        const Real power = T(heat_capacity / gas_constant);
        const auto pi = [&](int k) { return Real(reference[k]) + Real(deviation[k]); };
        const auto pressure = [&](Real exner_) { return p_0 * pow(exner_, power); };
        Real below = pressure(pi(0) - weight * (z[0] - middle(z, 0)) / theta[0]);
        p_interface[0] = below;
        for (int k = 0; k < levels; ++k) {
            const bool last = k + 1 == levels;
            const Real above = below, own = pi(k),
                       ground = own + weight * (middle(z, k) - z[k + 1]) / theta[k + 1];
            below = pressure(last ? ground : own);
            p_interface[k + 1] = below;
            Real here_ = own;
            if (k > 0) {
                const Real m = middle(z, k);
                here_ += (pi(k - 1) - own) * (z[k] - m) / (middle(z, k - 1) - m);
            } else
                here_ -= weight * (z[0] - middle(z, 0)) / theta[0];
            exner[k] = here_;
            T_v[k] = theta[k] * here_;
            p[k] = k > 0 ? pressure(here_) : 0.5 * (above + below);
            geopotential[k] = T(gravity) * z[k];
            u[k] = U[k];
            v[k] = V[k];
        }
    }
};

/// Adds the physics to the fields that trajectories carry.
struct GridPointPhysics {
    double step = 1800, ground_mixing = 3600;
    static constexpr std::string_view summary =
        "adds the tendencies of the physics to the transported fields";
    static constexpr std::tuple parameters{
        Parameter{"step", &GridPointPhysics::step, "s", 0, 1e6, "time step"},
        Parameter{"ground_mixing", &GridPointPhysics::ground_mixing, "s", 0, 1e9,
                  "time in which theta of the ground and of the interface above mix"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2", 1> u_t,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2", 1> v_t,
        Reads<Real, "virtual_temperature_tendency", place::center_layer, "K s-1"> T_t,
        Reads<Real, "exner_of_columns", place::center_layer, "1"> exner,
        Reads<Real, "open_north_face", place::north_face_column, "1"> open_north,
        Reads<Real, "air_density", place::center_layer, "kg m-3"> density,
        Reads<Real, "interface_height", place::center_interface, "m"> z,
        Reads<Real, "reference_potential_temperature", place::center_interface, "K"> reference,
        Updates<Real, "x_wind_start", place::east_face_layer, "m s-1"> u,
        Updates<Real, "y_wind_start", place::north_face_layer, "m s-1"> v,
        Updates<Real, "potential_temperature_start", place::center_interface, "K"> theta) const {
        using T = typename Real::Number;
        const int levels = u.levels();
        const T whole = T(step), quarter = T(0.25 * step);
        for (int k = 0; k < levels; ++k) {
            const int next = k + 1 < levels ? k + 1 : k;
            u[k] += quarter * (u_t[k] + u_t[next] + u_t(east)[k] + u_t(east)[next]);
            v[k] +=
                open_north[0] * quarter * (v_t[k] + v_t[next] + v_t(north)[k] + v_t(north)[next]);
            theta[k] += whole * T_t[k] / exner[k];
        }
        theta[levels] += whole * T_t[levels - 1] / exner[levels - 1];
        const int last = levels - 1;  // layer; half of its air is the ground's
        const Real own = density[last] * (z[last] - z[levels]),
                   above = density[last - 1] * (z[last - 1] - z[last]) + own,
                   warmer = (theta[last] - reference[last]) - (theta[levels] - reference[levels]),
                   mixed = T(step / (step + ground_mixing)) * warmer / (1.0 + own / above);
        theta[levels] += mixed;
        theta[last] -= mixed * own / above;
    }
};

}  // namespace fathom::atmosphere
