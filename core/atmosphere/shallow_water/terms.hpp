/// Shallow water on the sphere, phi = g (depth of the fluid), phi_s = g (height of the ground),
/// mean phi_r:
///   dv/dt = -f k x v - grad(phi + phi_s),   dphi/dt = -phi div v
/// Semi-implicit two-time-level semi-Lagrangian as the primitive equations (primitive.hpp): L = (-f
/// k x v - grad phi, -phi_r div v), and the carried value is phi + phi_s, smooth over mountains.
/// Eulerian form for exact tests, leapfrog: zeta_a = zeta + f,
///   dv/dt = (zeta_a v, -zeta_a u) - grad(phi + phi_s + (u^2 + v^2) / 2),   dphi/dt = -div(phi v)
#pragma once
#include "atmosphere/hydrostatic/coriolis.hpp"

namespace fathom::atmosphere {

struct ShallowWaterTerms {
    double step = 1800, mean_geopotential = 5e4, off_centring = 0, splitting = 0;
    static constexpr std::string_view summary =
        "linear and nonlinear terms of shallow water; values to be carried to the arrival point";
    static constexpr std::tuple parameters{
        Parameter{"step", &ShallowWaterTerms::step, "s", 0, 1e6, "time step"},
        Parameter{"mean_geopotential", &ShallowWaterTerms::mean_geopotential, "m2 s-2", 0, 1e7,
                  "phi_r of the linear terms: more than the mean for stability"},
        Parameter{"off_centring", &ShallowWaterTerms::off_centring, "1", 0, 1,
                  "weight of the linear terms moved to the new time"},
        Parameter{"splitting", &ShallowWaterTerms::splitting, "1", 0, 1,
                  "1: rotation by itself (coriolis.hpp)"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "fluid_geopotential", place::center_layer, "m2 s-2"> phi,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "geopotential_gradient_east", place::center_layer, "m s-2"> phi_x,
        Reads<Real, "geopotential_gradient_north", place::center_layer, "m s-2"> phi_y,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> ground,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> ground_x,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> ground_y,
        Reads<Real, "coriolis", place::center_column, "s-1"> coriolis,
        ReadsProfile<Real, "time_weights", "1"> weights,
        Updates<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Updates<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Updates<Real, "geopotential_nonlinear", place::center_layer, "m2 s-3"> Np,
        Writes<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Writes<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Writes<Real, "geopotential_carried", place::center_layer, "m2 s-2"> cp,
        Writes<Real, "eta_velocity", place::center_layer, "s-1"> eta_velocity) const {
        using N = typename Real::Number;
        const N half = N(0.5 * step), old = N(1 - off_centring), now = weights[0],
                before = weights[1];
        auto split = [&](Real X, Real nonlinear_now, Real L, auto nonlinear, auto carried) {
            const Real last = nonlinear;
            carried = fma(half, fma(old, L, fma(now, nonlinear_now, before * last)), X);
            nonlinear = nonlinear_now;
        };
        const Real U = u[0], V = v[0], d = D[0], f = coriolis[0], x = ground_x[0], y = ground_y[0];
        const N beyond = N(of_gradient(splitting, step, off_centring));
        const Real Lu = -phi_x[0], Lv = -phi_y[0];
        split(U, -x, f * fma(beyond, Lv, V) + Lu, Nu[0], cu[0]);
        split(V, -y, -f * fma(beyond, Lu, U) + Lv, Nv[0], cv[0]);
        split(phi[0] + ground[0], fma(U, x, V * y) - (phi[0] - mean_geopotential) * d,
              -mean_geopotential * d, Np[0], cp[0]);
        eta_velocity[0] = Real(0);
    }
};

struct ShallowWaterArrival {
    double step = 1800;
    static constexpr std::string_view summary = "arrival point of shallow water";
    static constexpr std::tuple parameters{
        Parameter{"step", &ShallowWaterArrival::step, "s", 0, 1e6, "time step"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Reads<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Reads<Real, "geopotential_carried", place::center_layer, "m2 s-2"> cp,
        Reads<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Reads<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Reads<Real, "geopotential_nonlinear", place::center_layer, "m2 s-3"> Np,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> ground,
        Writes<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Writes<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Writes<Real, "fluid_geopotential", place::center_layer, "m2 s-2"> phi) const {
        const auto half = typename Real::Number(0.5 * step);
        u[0] = fma(half, Nu[0], cu[0]);
        v[0] = fma(half, Nv[0], cv[0]);
        phi[0] = fma(half, Np[0], cp[0]) - ground[0];
    }
};

/// F of the Eulerian form: that of the wind is the vector of the vorticity minus grad(energy), that
/// of phi the curl of the vector of the geopotential. Each vector is a flux turned to the right by
/// 90 degrees: its curl is minus the divergence of the flux.
struct ShallowWaterFluxes {
    static constexpr std::string_view summary =
        "fluxes of vorticity and geopotential, energy: the Eulerian form of shallow water";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "fluid_geopotential", place::center_layer, "m2 s-2"> phi,
        Reads<Real, "vorticity", place::center_layer, "s-1"> zeta,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> ground,
        Reads<Real, "coriolis", place::center_column, "s-1"> f,
        Writes<Real, "vorticity_flux_east", place::center_layer, "m s-2"> east,
        Writes<Real, "vorticity_flux_north", place::center_layer, "m s-2"> north,
        Writes<Real, "geopotential_flux_east", place::center_layer, "m3 s-3"> flux_east,
        Writes<Real, "geopotential_flux_north", place::center_layer, "m3 s-3"> flux_north,
        Writes<Real, "mechanical_energy", place::center_layer, "m2 s-2"> energy) const {
        const Real absolute = zeta[0] + f[0];
        east[0] = absolute * v[0];
        north[0] = -absolute * u[0];
        flux_east[0] = phi[0] * v[0];
        flux_north[0] = -phi[0] * u[0];
        energy[0] = 0.5 * fma(u[0], u[0], v[0] * v[0]) + (phi[0] + ground[0]);
    }
};
}  // namespace fathom::atmosphere
