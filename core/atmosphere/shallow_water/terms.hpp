/// Shallow water on the sphere, phi = g (depth of the fluid), phi_s = g (height of the ground),
/// mean phi_r:
///   dv/dt = -f k x v - grad(phi + phi_s),   dphi/dt = -phi div v
/// Semi-implicit two-time-level semi-Lagrangian as the primitive equations (primitive.hpp): L = (-f
/// k x v - grad phi, -phi_r div v), and what is carried is phi + phi_s, smooth over mountains.
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
        Parameter<ShallowWaterTerms>{"step", &ShallowWaterTerms::step, "s", 0, 1e6, "time step"},
        Parameter<ShallowWaterTerms>{"mean_geopotential", &ShallowWaterTerms::mean_geopotential,
                                     "m2 s-2", 0, 1e7,
                                     "phi_r of the linear terms: more than the mean for stability"},
        Parameter<ShallowWaterTerms>{"off_centring", &ShallowWaterTerms::off_centring, "1", 0, 1,
                                     "weight of the linear terms moved to the new time"},
        Parameter<ShallowWaterTerms>{"splitting", &ShallowWaterTerms::splitting, "1", 0, 1,
                                     "1: rotation by itself (coriolis.hpp)"}};
    static constexpr std::array fields{
        reads("eastward_wind", place::center_layer, "m s-1"),
        reads("northward_wind", place::center_layer, "m s-1"),
        reads("fluid_geopotential", place::center_layer, "m2 s-2"),
        reads("divergence", place::center_layer, "s-1"),
        reads("geopotential_gradient_east", place::center_layer, "m s-2"),
        reads("geopotential_gradient_north", place::center_layer, "m s-2"),
        reads("surface_geopotential", place::center_column, "m2 s-2"),
        reads("orography_gradient_east", place::center_column, "m s-2"),
        reads("orography_gradient_north", place::center_column, "m s-2"),
        reads("coriolis", place::center_column, "s-1"),
        reads("time_weights", place::profile, "1"),
        updates("eastward_wind_nonlinear", place::center_layer, "m s-2"),
        updates("northward_wind_nonlinear", place::center_layer, "m s-2"),
        updates("geopotential_nonlinear", place::center_layer, "m2 s-3"),
        writes("eastward_wind_carried", place::center_layer, "m s-1"),
        writes("northward_wind_carried", place::center_layer, "m s-1"),
        writes("geopotential_carried", place::center_layer, "m2 s-2"),
        writes("eta_velocity", place::center_layer, "s-1")};

    template <class Real>
    void operator()(In<Real> u, In<Real> v, In<Real> phi, In<Real> D, In<Real> phi_x,
                    In<Real> phi_y, In<Real> ground, In<Real> ground_x, In<Real> ground_y,
                    In<Real> coriolis, Profile<Real> weights, InOut<Real> Nu, InOut<Real> Nv,
                    InOut<Real> Np, Out<Real> cu, Out<Real> cv, Out<Real> cp,
                    Out<Real> eta_velocity) const {
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
    static constexpr std::tuple parameters{Parameter<ShallowWaterArrival>{
        "step", &ShallowWaterArrival::step, "s", 0, 1e6, "time step"}};
    static constexpr std::array fields{
        reads("eastward_wind_carried", place::center_layer, "m s-1"),
        reads("northward_wind_carried", place::center_layer, "m s-1"),
        reads("geopotential_carried", place::center_layer, "m2 s-2"),
        reads("eastward_wind_nonlinear", place::center_layer, "m s-2"),
        reads("northward_wind_nonlinear", place::center_layer, "m s-2"),
        reads("geopotential_nonlinear", place::center_layer, "m2 s-3"),
        reads("surface_geopotential", place::center_column, "m2 s-2"),
        writes("eastward_wind", place::center_layer, "m s-1"),
        writes("northward_wind", place::center_layer, "m s-1"),
        writes("fluid_geopotential", place::center_layer, "m2 s-2")};
    template <class Real>
    void operator()(In<Real> cu, In<Real> cv, In<Real> cp, In<Real> Nu, In<Real> Nv, In<Real> Np,
                    In<Real> ground, Out<Real> u, Out<Real> v, Out<Real> phi) const {
        const auto half = typename Real::Number(0.5 * step);
        u[0] = fma(half, Nu[0], cu[0]);
        v[0] = fma(half, Nv[0], cv[0]);
        phi[0] = fma(half, Np[0], cp[0]) - ground[0];
    }
};

/// Fluxes of the Eulerian form; v and phi of the last time are kept by the leapfrog itself.
struct ShallowWaterFluxes {
    static constexpr std::string_view summary =
        "fluxes of vorticity and geopotential, kinetic energy: the Eulerian form of shallow water";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads("eastward_wind", place::center_layer, "m s-1"),
        reads("northward_wind", place::center_layer, "m s-1"),
        reads("fluid_geopotential", place::center_layer, "m2 s-2"),
        reads("vorticity", place::center_layer, "s-1"),
        reads("surface_geopotential", place::center_column, "m2 s-2"),
        reads("coriolis", place::center_column, "s-1"),
        writes("vorticity_flux_east", place::center_layer, "m s-2"),
        writes("vorticity_flux_north", place::center_layer, "m s-2"),
        writes("geopotential_flux_east", place::center_layer, "m3 s-3"),
        writes("geopotential_flux_north", place::center_layer, "m3 s-3"),
        writes("kinetic_energy", place::center_layer, "m2 s-2")};
    template <class Real>
    void operator()(In<Real> u, In<Real> v, In<Real> phi, In<Real> zeta, In<Real> ground,
                    In<Real> f, Out<Real> east, Out<Real> north, Out<Real> flux_east,
                    Out<Real> flux_north, Out<Real> energy) const {
        const Real absolute = zeta[0] + f[0];
        east[0] = absolute * v[0];
        north[0] = -absolute * u[0];
        flux_east[0] = phi[0] * u[0];
        flux_north[0] = phi[0] * v[0];
        energy[0] = 0.5 * fma(u[0], u[0], v[0] * v[0]) + ground[0];
    }
};
}  // namespace fathom::atmosphere
