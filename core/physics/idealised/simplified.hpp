/// Smooth physics for tangent and adjoint models. It has no switch, so that the derivative
/// describes the effect of a perturbation of a usual size.
///
/// SmoothMixing: vertical diffusion and surface drag of the wind after Buizza (1994, ECMWF Tech.
/// Memo. 192), with coefficients that depend on pressure alone, implicit,
///   dp_k (X+ - X)_k = s_k (X+_{k-1} - X+_k) + s_{k+1} (X+_{k+1} - X+_k),   s_n = 0,
///       in the lowest layer - d X+
///   s = dt (g rho)^2 K / (p_k - p_{k-1}),   K = K_s exp(-((p_s - p) / depth)^2),   d = dt g rho C,
///   rho = p / (R 288 K)
/// SmoothCondensation: water beyond saturation falls within a time scale tau, from a smooth edge
/// of the width w (of the saturation),
///   c = w q_s ln(1 + exp((q - q_s) / (w q_s))) / (1 + L/c_p dq_s/dT) / tau
///   dq/dt = -c,   dT/dt = L/c_p c
#pragma once
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct SmoothMixing {
    double step = 1800, diffusivity = 10, depth = 1e4, drag = 0.02;
    static constexpr double per_RT = 1 / (constants::dry_air_gas_constant * 288);  // rho / p

    static constexpr std::string_view summary =
        "vertical diffusion and surface drag of the wind, smooth: for tangent and adjoint models";
    static constexpr std::tuple parameters{
        Parameter{"step", &SmoothMixing::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"diffusivity", &SmoothMixing::diffusivity, "m2 s-1", 0, 1e3,
                  "at the surface, K_s"},
        Parameter{"depth", &SmoothMixing::depth, "Pa", 1, 1e5, "over which diffusivity falls off"},
        Parameter{"drag", &SmoothMixing::drag, "m s-1", 0, 1, "C: velocity of exchange"}};

    /// s of the interface at p between layers, and d of the ground.
    template <class Real> constexpr Real exchange(Real p, Real surface, Real apart) const {
        const Real flow = (constants::gravity * per_RT) * p, away = (surface - p) * (1 / depth);
        return flow * flow * (step * diffusivity) * exp(-(away * away)) / apart;
    }
    constexpr double of_ground() const { return step * constants::gravity * per_RT * drag; }

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Keeps<Real, "smooth_mixing", 3> own) const {
        const int levels = u.levels();
        const auto [share, U, V] = own.columns();  // of the row above, after elimination
        const Real surface = interface[levels];
        Real s_above(0), share_above(0), U_above(0), V_above(0);
        for (int k = 0; k < levels; ++k) {
            const Real thickness = interface[k + 1] - interface[k];
            const Real s = k + 1 < levels ? exchange(Real(interface[k + 1]), surface,
                                                     pressure[k + 1] - pressure[k])
                                          : of_ground() * surface;
            const Real pivot = 1.0 / (thickness + s + s_above * (1.0 - share_above));
            share_above = s * pivot;
            U_above = fma(s_above, U_above, thickness * u[k]) * pivot;
            V_above = fma(s_above, V_above, thickness * v[k]) * pivot;
            share[k] = share_above, U[k] = U_above, V[k] = V_above;
            s_above = s;
        }
        Real below_U(0), below_V(0);
        for (int k = levels - 1; k >= 0; --k) {
            below_U = fma(share[k], below_U, Real(U[k]));
            below_V = fma(share[k], below_V, Real(V[k]));
            u_tendency[k] += (below_U - u[k]) * (1 / step);
            v_tendency[k] += (below_V - v[k]) * (1 / step);
        }
    }
};

struct SmoothCondensation {
    double time = 3600, width = 0.02;

    static constexpr std::string_view summary =
        "large-scale condensation with a smooth edge: for tangent and adjoint models";
    static constexpr std::tuple parameters{
        Parameter{"time", &SmoothCondensation::time, "s", 1, 1e6, "tau, in which it falls"},
        Parameter{"width", &SmoothCondensation::width, "1", 1e-3, 1,
                  "w, of the edge: of the saturation"}};

    /// c of a layer.
    template <class Real> constexpr Real rate(Real T, Real q, Real p) const {
        const Saturation<Real> at(T, p);
        const Real edge = width * at.humidity, beyond = (q - at.humidity) / edge;
        const Real soft = larger(beyond, Real(0)) + log(1.0 + exp(-abs(beyond)));
        return edge * soft / (1.0 + latent_warming * at.slope) * (1 / time);
    }
    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> T,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> q,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> p,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency) const {
        for (int k = 0; k < T.levels(); ++k) {
            const Real c = rate(Real(T[k]), Real(q[k]), Real(p[k]));
            T_tendency[k] += latent_warming * c;
            q_tendency[k] -= c;
        }
    }
};

}  // namespace fathom::physics
