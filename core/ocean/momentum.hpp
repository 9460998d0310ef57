/// Momentum on the corners of the B grid, flux form, centred:
///   d(u)/dt = -1/areaC [d(Fx u) + d(Fy u)] - d(w u)/dz - uv ky + v^2 kx + fv - px + friction
///       + d(nu du/dz)/dz      (v alike)
/// with the volume transports through the faces of the velocity cell as four-point means of those
/// of the tracer cells, which keeps kinetic energy exactly (Bryan 1969; Smith et al. 2010, POP
/// manual, section 3). Corner (i,j) is the north-east corner of cell (i,j).
#pragma once
#include "base/constants.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// Advection and curvature of the grid, extrapolated to the middle of the step (Adams-Bashforth):
///   velocity_tendency = weights[0] G(now) + weights[1] G(before);
///       momentum_advection holds G from step to step.
/// Both in one pass: the memory traffic of G hides behind the arithmetic.
template <bool own> struct MomentumAdvection {
    static constexpr std::string_view summary =
        "centred advection of momentum in flux form with metric terms (Bryan 1969), second-order "
        "Adams-Bashforth in time";

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "curvature_x", place::corner_vector_column, "m-1"> kx,
        Reads<Real, "curvature_y", place::corner_vector_column, "m-1"> ky,
        CornerThickness<Real, own, 1> thickness, ReadsProfile<Real, "time_weights", "1"> weights,
        Updates<Real, "momentum_advection_x", place::corner_vector_layer, "m s-2"> advection_x,
        Updates<Real, "momentum_advection_y", place::corner_vector_layer, "m s-2"> advection_y,
        Writes<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Writes<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y) const {
        using T = typename Real::Number;
        const int levels = tendency_x.levels();
        const T now = weights[0], before = weights[1];
        const Real per_area = 1.0 / (dx[0] * dy[0]), Kx = kx[0], Ky = ky[0];
        // transports carry the factors 1/8 of the four-point mean and 1/2 of the centred value, and
        // 1/area
        const Real scale = per_area * T(1. / 16);
        const Real y_w = dy(-east)[0] * scale, y_0 = dy[0] * scale, y_e = dy(east)[0] * scale,
                   y_nw = dy(northwest)[0] * scale, y_n = dy(north)[0] * scale,
                   y_ne = dy(northeast)[0] * scale, y_sw = dy(-northeast)[0] * scale,
                   y_s = dy(-north)[0] * scale, y_se = dy(-northwest)[0] * scale;
        const Real x_w = dx(-east)[0] * scale, x_0 = dx[0] * scale, x_e = dx(east)[0] * scale,
                   x_nw = dx(northwest)[0] * scale, x_n = dx(north)[0] * scale,
                   x_ne = dx(northeast)[0] * scale, x_sw = dx(-northeast)[0] * scale,
                   x_s = dx(-north)[0] * scale, x_se = dx(-northwest)[0] * scale;
        Real w = 0, u_above = 0, v_above = 0, U = u[0],
             V = v[0];  // w: half the vertical velocity at the interface above
        for (int k = 0; k < levels; ++k) {
            const Real u_w = u(-east)[k], u_e = u(east)[k], u_s = u(-north)[k], u_n = u(north)[k];
            const Real v_w = v(-east)[k], v_e = v(east)[k], v_s = v(-north)[k], v_n = v(north)[k];
            auto twice = [](Real x) { return x + x; };
            auto filled = [&](Real width, Shift s) {
                if constexpr (own)
                    return width * thickness(s)[k];
                else
                    return width;
            };
            const Real west =
                fma(u(-northeast)[k], filled(y_sw, -northeast),
                    fma(u(northwest)[k], filled(y_nw, northwest), twice(u_w * filled(y_w, -east))));
            const Real mid_x = fma(u_s, filled(y_s, -north),
                                   fma(u_n, filled(y_n, north), twice(U * filled(y_0, here))));
            const Real east_ =
                fma(u(-northwest)[k], filled(y_se, -northwest),
                    fma(u(northeast)[k], filled(y_ne, northeast), twice(u_e * filled(y_e, east))));
            const Real south = fma(
                v(-northeast)[k], filled(x_sw, -northeast),
                fma(v(-northwest)[k], filled(x_se, -northwest), twice(v_s * filled(x_s, -north))));
            const Real mid_y = fma(v_w, filled(x_w, -east),
                                   fma(v_e, filled(x_e, east), twice(V * filled(x_0, here))));
            const Real north_ =
                fma(v(northwest)[k], filled(x_nw, northwest),
                    fma(v(northeast)[k], filled(x_ne, northeast), twice(v_n * filled(x_n, north))));
            const Real Fw = west + mid_x, Fe = mid_x + east_, Fs = south + mid_y,
                       Fn = mid_y + north_;
            const auto dz = thickness[k], per_dz = T(1) / dz;
            auto an_area = [&](Real x) {
                if constexpr (own)
                    return x * per_dz;
                else
                    return x;
            };  // of full cells the thickness is not in the transports
            const Real w_below = fma(Fe - Fw + Fn - Fs, own ? Real(1) : Real(dz), w);
            const Real u_below = k + 1 < levels ? Real(u[k + 1]) : Real(0),
                       v_below = k + 1 < levels ? Real(v[k + 1]) : Real(0);
            const Real from_below_u = (w_below * (U + u_below) - w * (u_above + U)) * per_dz,
                       from_below_v = (w_below * (V + v_below) - w * (v_above + V)) * per_dz;
            const Real turn = V * Kx - U * Ky;  // curvature: -uv ky + v^2 kx, -uv kx + u^2 ky
            const Real Gx =
                an_area(Fw * (u_w + U) - Fe * (U + u_e) + Fs * (u_s + U) - Fn * (U + u_n)) +
                from_below_u + turn * V;
            const Real Gy =
                an_area(Fw * (v_w + V) - Fe * (V + v_e) + Fs * (v_s + V) - Fn * (V + v_n)) +
                from_below_v - turn * U;
            tendency_x[k] = fma(Real(before), advection_x[k], now * Gx);
            tendency_y[k] = fma(Real(before), advection_y[k], now * Gy);
            advection_x[k] = Gx;
            advection_y[k] = Gy;
            w = w_below;
            u_above = U;
            v_above = V;
            U = u_below;
            V = v_below;
        }
    }
};

/// Linear dynamics: no advection of momentum.
struct LinearMomentum {
    static constexpr std::string_view summary = "no advection of momentum: linear dynamics";
    template <class Real>
    constexpr void operator()(
        Writes<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Writes<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y) const {
        for (int k = 0; k < tendency_x.levels(); ++k) {
            tendency_x[k] = Real(0);
            tendency_y[k] = Real(0);
        }
    }
};

/// -grad(p / rho0 + g eta) at the corner from the four cells around it.
struct PressureGradient {
    double gravity = constants::gravity;
    static constexpr std::string_view summary =
        "gradient of hydrostatic pressure and of the sea surface, four-point on the B grid";
    static constexpr std::tuple parameters{Parameter{"gravity", &PressureGradient::gravity, "m s-2",
                                                     0, 100, "acceleration of gravity"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "pressure", place::center_layer, "m2 s-2", 1> p,
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const Real half_dx = 0.5 / dx[0], half_dy = 0.5 / dy[0];
        auto differences = [](In<Real, 1> f, int k) {
            const Real sw = f[k], se = f(east)[k], nw = f(north)[k], ne = f(northeast)[k];
            return std::pair{(se - sw) + (ne - nw), (nw - sw) + (ne - se)};
        };
        auto [ex, ey] = differences(eta, 0);
        ex = ex * gravity;
        ey = ey * gravity;
        for (int k = each.first; k < each.end; ++k) {
            const auto [px, py] = differences(p, k);
            tendency_x[k] += -(px + ex) * half_dx;
            tendency_y[k] += -(py + ey) * half_dy;
        }
    }
};

/// One step of Coriolis (trapezoidal, theta), vertical viscosity, surface stress and bottom drag
/// (backward), on everything else:
///   (I + theta f tau k x)(I - tau D)(u* - u) = tau [tendency + stress / rho0 dz - f k x u + D u],
///       D u = d(nu du/dz) - r u_bottom / dz
/// and the depth mean of u*, which the free surface corrects. Factored in increments, a steady
/// state does not depend on the step: the Ekman spiral turns as far at f tau = 0.5 as at 0. Stable
/// for any nu, f and tau if theta >= 1/2.
template <bool own> struct ImplicitMomentum {
    double step = 3600, implicitness = usual::implicitness, drag = 1.2e-3, background_speed = 0.0;
    static constexpr std::string_view summary =
        "Coriolis, vertical viscosity, surface stress and quadratic bottom drag, implicit in time";
    static constexpr std::tuple parameters{
        Parameter{"step", &ImplicitMomentum::step, "s", 0, 1e6, "time step"},
        Parameter{"implicitness", &ImplicitMomentum::implicitness, "1", 0.5, 1,
                  "weight of the new time in the Coriolis term"},
        Parameter{"drag", &ImplicitMomentum::drag, "1", 0, 1, "quadratic bottom drag coefficient"},
        Parameter{"background_speed", &ImplicitMomentum::background_speed, "m s-1", 0, 10,
                  "speed added to that of the bottom layer in the drag (tides)"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1"> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1"> v,
        Reads<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Reads<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Reads<Real, "viscosity_at_center", place::center_interface, "m2 s-1", 1> viscosity,
        Reads<Real, "surface_stress_x", place::corner_vector_column, "N m-2"> stress_x,
        Reads<Real, "surface_stress_y", place::corner_vector_column, "N m-2"> stress_y,
        Reads<Real, "coriolis", place::corner_column, "s-1"> coriolis,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        CornerThickness<Real, own> thickness,
        Writes<Real, "velocity_x_after", place::corner_vector_layer, "m s-1"> u_after,
        Writes<Real, "velocity_y_after", place::corner_vector_layer, "m s-1"> v_after,
        Writes<Real, "depth_mean_x_predicted", place::corner_vector_column, "m s-1"> mean_x,
        Writes<Real, "depth_mean_y_predicted", place::corner_vector_column, "m s-1"> mean_y,
        Keeps<Real, "implicit_momentum", 3> kept) const {
        using T = typename Real::Number;
        const auto [factor, solved_x, solved_y] = kept.columns();
        const int levels = u_after.levels();
        const T tau = T(step);
        const Real bottom =
            smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
        const Real f = coriolis[0], phi = f * (tau * implicitness),
                   turned = 1.0 / (1.0 + phi * phi), per = tau * turned, lost = phi * turned;
        const Real tau_x = stress_x[0] * T(1 / constants::sea_water_density),
                   tau_y = stress_y[0] * T(1 / constants::sea_water_density);
        Real from_above = 0, factor_above = 0, x = 0, y = 0, depth = 0, U = u[0], V = v[0],
             flux_x = 0, flux_y = 0;
        for (int k = 0; k < levels; ++k) {  // sweep down
            const auto dz = thickness[k],
                       per_distance = k + 1 < levels ? T(2) / (dz + thickness[k + 1]) : dz * T(0);
            const Real U_below = k + 1 < levels ? u[k + 1] : Real(0),
                       V_below = k + 1 < levels ? v[k + 1] : Real(0);
            Real a = fma(f, V, tendency_x[k]), b = tendency_y[k] - f * U;
            if (k == 0) a += tau_x * (T(1) / dz), b += tau_y * (T(1) / dz);
            // below its bottom a column has no viscosity: values computed there are cut off at the
            // end
            const Real nu = viscosity[k + 1] + viscosity(east)[k + 1] + viscosity(north)[k + 1] +
                            viscosity(northeast)[k + 1];
            const Real to_below =
                select(Real(T(k + 1)) < bottom, nu * (T(0.25) * tau * per_distance), Real(0));
            const Real friction = select(Real(T(k + 1)) < bottom, Real(0),
                                         tau * drag * (sqrt(fma(U, U, V * V)) + background_speed));
            // viscosity and drag of u [m2 s-1 x tau]; their Coriolis part is on the right-hand side
            const Real below_x = to_below * (U_below - U), below_y = to_below * (V_below - V);
            const Real D_x = below_x - flux_x - friction * U, D_y = below_y - flux_y - friction * V;
            const Real rhs_x = fma(dz, fma(fma(phi, b, a), per, U), lost * (D_y - phi * D_x));
            const Real rhs_y = fma(dz, fma(b - phi * a, per, V), -(lost * fma(phi, D_y, D_x)));
            const Real pivot = 1.0 / (dz + friction + to_below + from_above * (1.0 - factor_above));
            factor_above = to_below * pivot;
            x = fma(from_above, x, rhs_x) * pivot;
            y = fma(from_above, y, rhs_y) * pivot;
            factor[k] = factor_above;
            solved_x[k] = x;
            solved_y[k] = y;
            from_above = to_below;
            flux_x = below_x;
            flux_y = below_y;
            U = U_below;
            V = V_below;
        }
        Real sum_x = 0, sum_y = 0;
        x = y = 0;
        for (int k = levels - 1; k >= 0; --k) {  // sweep up
            const auto wet_here = Real(T(k)) < bottom;
            x = select(wet_here, fma(factor[k], x, solved_x[k]), Real(0));
            y = select(wet_here, fma(factor[k], y, solved_y[k]), Real(0));
            const auto dz = thickness[k];
            u_after[k] = x;
            v_after[k] = y;
            sum_x += dz * x;
            sum_y += dz * y;
            depth += select(wet_here, Real(dz), Real(0));
        }
        const Real per_depth = 1.0 / larger(depth, Real(thickness[0]));
        mean_x[0] = sum_x * per_depth;
        mean_y[0] = sum_y * per_depth;
    }
};

}  // namespace fathom::ocean
