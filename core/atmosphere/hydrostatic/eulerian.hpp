/// The Eulerian form of the hydrostatic primitive equations (primitive.hpp has the pressure
/// gradient and the heating), zeta_a = zeta + f:
///   dv_k/dt  = -zeta_a k x v_k - grad((u_k^2 + v_k^2) / 2) - grad(phi_k) - R T_k (grad ln p)_k -
///       (M dv/dp)_k
///   dT_k/dt  = -v_k . grad(T_k) - (M dT/dp)_k + kappa T_k (omega / p)_k,
///       dpi/dt = -(1 / p_s) sum_j D_j
///   (M dX/dp)_k = [M_{k+1/2} (X_{k+1} - X_k) + M_{k-1/2} (X_k - X_{k-1})] / (2 dp_k),
///       M_{k+1/2} = B_{k+1/2} sum_j D_j - sum_{j<=k} D_j
/// (Simmons & Burridge 1981): the differences keep energy and angular momentum. A tracer is
/// advected as T is, in advective form by spectral gradients. The kinetic energy becomes a gradient
/// in spectral space. Physics tendencies are those of the time before, as a leapfrog needs for any
/// damping term.
#pragma once
#include "atmosphere/hydrostatic/hybrid.hpp"

namespace fathom::atmosphere {

struct EulerianTendencies {
    static constexpr std::string_view summary =
        "advection, pressure gradient and heating of the Eulerian form, added to the tendencies";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "vorticity", place::center_layer, "s-1"> zeta,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "temperature_gradient_east", place::center_layer, "K m-1"> Tx,
        Reads<Real, "temperature_gradient_north", place::center_layer, "K m-1"> Ty,
        Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> px,
        Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> py,
        Reads<Real, "coriolis", place::center_column, "s-1"> f,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        ReadsProfile<Real, "hybrid_b", "1"> B,
        Reads<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Reads<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Reads<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> tu,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> tv,
        Updates<Real, "virtual_temperature_tendency", place::center_layer, "K s-1"> tT,
        Writes<Real, "surface_pressure_tendency", place::center_column, "s-1"> tp,
        Writes<Real, "kinetic_energy", place::center_layer, "m2 s-2"> energy,
        Writes<Real, "vertical_mass_flux", place::center_interface, "Pa s-1"> M,
        Keeps<Real, "eulerian_tendencies", 1> own) const {
        const int levels = u.levels();
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0], coriolis = f[0];
        const auto [flux] = own.columns();
        Real sum(0);
        for (int k = 0; k < levels; ++k) {
            sum = sum +
                  fma(D[k], p[k + 1] - p[k], ps * (B[k + 1] - B[k]) * fma(u[k], pi_x, v[k] * pi_y));
            flux[k + 1] = sum;
        }
        tp[0] = -sum / ps;
        flux[0] = Real(0);
        flux[levels] = Real(0);
        for (int k = 1; k < levels; ++k) flux[k] = B[k] * sum - flux[k];
        for (int k = 0; k <= levels; ++k) M[k] = flux[k];
        for (int k = 0; k < levels; ++k) {
            const Real U = u[k], V = v[k], t = T[k], absolute = zeta[k] + coriolis,
                       half = 0.5 / (p[k + 1] - p[k]), above = half * flux[k],
                       below = half * flux[k + 1];
            const int up = k > 0 ? k - 1 : k, down = k + 1 < levels ? k + 1 : k;
            auto vertical = [&](auto x, Real here) {
                return fma(below, x[down] - here, above * (here - x[up]));
            };
            tu[k] = tu[k] + (fma(absolute, V, Fu[k]) - vertical(u, U));
            tv[k] = tv[k] + (fma(-absolute, U, Fv[k]) - vertical(v, V));
            tT[k] = tT[k] + (FT[k] - fma(U, Tx[k], V * Ty[k]) - vertical(T, t));
            energy[k] = 0.5 * fma(U, U, V * V);
        }
    }
};

struct EulerianTracer {
    static constexpr std::string_view summary = "advection of a tracer, added to its tendency";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Reads<Real, "vertical_mass_flux", place::center_interface, "Pa s-1"> M,
        Reads<Real, "tracer", place::center_layer, "any"> q,
        Reads<Real, "tracer_gradient_east", place::center_layer, "any m-1"> qx,
        Reads<Real, "tracer_gradient_north", place::center_layer, "any m-1"> qy,
        Updates<Real, "tracer_tendency", place::center_layer, "any s-1"> tendency) const {
        const int levels = u.levels();
        for (int k = 0; k < levels; ++k) {
            const Real half = 0.5 / (p[k + 1] - p[k]), here = q[k];
            const int up = k > 0 ? k - 1 : k, down = k + 1 < levels ? k + 1 : k;
            tendency[k] = tendency[k] - fma(u[k], qx[k], v[k] * qy[k]) -
                          half * fma(M[k + 1], q[down] - here, M[k] * (here - q[up]));
        }
    }
};

}  // namespace fathom::atmosphere
