/// Implicit linear free surface (Dukowicz & Smith 1994, two time levels, backward continuity):
///   u(after) = u* - theta g tau grad(deta),     (M + K) deta = -div(H U*) / (g theta tau),
///       M = areaT / (g theta tau^2),  K = -areaT div H grad
/// The solver's deta is used for the gradient only: the new height follows from the transports that
/// carry the tracers, so that volume and tracers are conserved whatever the solver's tolerance.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// Convergence of the predicted depth mean transport: the right-hand side, before its division by g
/// theta tau.
struct BarotropicDivergence {
    static constexpr std::string_view summary = "convergence of the predicted depth mean transport";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "depth_mean_x_predicted", place::corner_vector_column, "m s-1", 1> u,
        Reads<Real, "depth_mean_y_predicted", place::corner_vector_column, "m s-1", 1> v,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Writes<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        auto x = [&](Shift s) { return u(s)[0] * depth(s)[0] * dy(s)[0]; };
        auto y = [&](Shift s) { return v(s)[0] * depth(s)[0] * dx(s)[0]; };
        const Real xe = x(here) + x(-north), xw = x(-east) + x(-northeast), yn = y(here) + y(-east),
                   ys = y(-north) + y(-northeast);
        convergence[0] = -0.5 * ((xe - xw) + (yn - ys));
    }
};

/// The gradient of the height's increment, the same at all depths.
struct BarotropicCorrection {
    double step = 3600, implicitness = 0.6, gravity = constants::gravity;
    static constexpr std::string_view summary =
        "corrects the velocity by the gradient of the new sea surface height";
    static constexpr std::tuple parameters{
        Parameter{"step", &BarotropicCorrection::step, "s", 0, 1e6, "time step"},
        Parameter{"implicitness", &BarotropicCorrection::implicitness, "1", 0.5, 1,
                  "weight of the new height in the pressure gradient"},
        Parameter{"gravity", &BarotropicCorrection::gravity, "m s-2", 0, 100,
                  "acceleration of gravity"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_surface_height_increment", place::center_column, "m", 1> increment,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Updates<Real, "velocity_x_after", place::corner_vector_layer, "m s-1"> u,
        Updates<Real, "velocity_y_after", place::corner_vector_layer, "m s-1"> v) const {
        using T = typename Real::Number;
        const Real sw = increment[0], se = increment(east)[0], nw = increment(north)[0],
                   ne = increment(northeast)[0];
        const T scale = T(0.5 * implicitness * gravity * step);
        const Real cx = ((se - sw) + (ne - nw)) / dx[0] * scale,
                   cy = ((nw - sw) + (ne - se)) / dy[0] * scale;
        const Real bottom =
            smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
        for (int k = 0; k < u.levels(); ++k) {
            const auto here = Real(T(k)) < bottom;
            u[k] = u[k] - select(here, cx, Real(0));
            v[k] = v[k] - select(here, cy, Real(0));
        }
    }
};

/// Volume transports through the faces of tracer cells, and the new sea surface height:
///   Eu = 1/2 [(u dz dyC)(i,j) + (u dz dyC)(i,j-1)],
///       Nv = 1/2 [(v dz dxC)(i,j) + (v dz dxC)(i-1,j)],  W(top) = W(bottom) - Div,
///       areaT d(eta)/dt = W(surface).
/// The four-point gradient does not see a height that alternates from cell to cell. X = (SE + NW -
/// SW - NE) at a corner does, and is second order small in a smooth field: the transports -d(X)/dy
/// to the east, -d(X)/dx to the north in the top layer remove it, conservatively, and carry
/// tracers. An alternating height decays by 8 noise_filter a step.
template <bool own> struct VolumeTransport {
    double step = 3600, noise_filter = 0.02;
    static constexpr std::string_view summary =
        "volume transports through the faces of tracer cells, and the new sea surface height";
    static constexpr std::tuple parameters{
        Parameter{"step", &VolumeTransport::step, "s", 0, 1e6, "time step"},
        Parameter{"noise_filter", &VolumeTransport::noise_filter, "1", 0, 0.1,
                  "damping of a height that alternates from cell to cell, an "
                  "eighth of its decay a step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x_after", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y_after", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        CornerThickness<Real, own, 1> thickness,
        Writes<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Writes<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Writes<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Writes<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Writes<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Writes<Real, "sea_surface_height_after", place::center_column, "m"> eta_after) const {
        using T = typename Real::Number;
        const int levels = to_east.levels();
        const Real y_0 = 0.5 * dy[0], y_s = 0.5 * dy(-north)[0], y_w = 0.5 * dy(-east)[0],
                   y_sw = 0.5 * dy(-northeast)[0];
        const Real x_0 = 0.5 * dx[0], x_s = 0.5 * dx(-north)[0], x_w = 0.5 * dx(-east)[0],
                   x_sw = 0.5 * dx(-northeast)[0];
        const T strength = T(0.25 * noise_filter / step);
        auto noise = [&](Shift c) {  // X at the corner c
            const Real x = eta(c + east)[0] + eta(c + north)[0] - eta(c)[0] - eta(c + northeast)[0];
            return select(depth(c)[0] > Real(0), x * strength * (dx(c)[0] * dy(c)[0]), Real(0));
        };
        const Real X = noise(here), Xs = noise(-north), Xw = noise(-east), Xsw = noise(-northeast);
        Real W = 0;
        up[levels] = W;
        for (int k = levels - 1; k >= 0; --k) {
            auto through = [&](In<Real, 1> speed, Real width_a, Shift a, Real width_b,
                               Shift b) {  // a face, half of it at each of its corners
                if constexpr (own)
                    return fma(speed(a)[k] * thickness(a)[k], width_a,
                               speed(b)[k] * thickness(b)[k] * width_b);
                else
                    return thickness[k] * fma(speed(a)[k], width_a, speed(b)[k] * width_b);
            };
            Real e = through(u, y_0, here, y_s, -north),
                 w = through(u, y_w, -east, y_sw, -northeast);
            Real n = through(v, x_0, here, x_w, -east),
                 s = through(v, x_s, -north, x_sw, -northeast);
            if (k == 0) e += Xs - X, w += Xsw - Xw, n += Xw - X, s += Xsw - Xs;
            to_east[k] = e;
            from_west[k] = w;
            to_north[k] = n;
            from_south[k] = s;
            W = W - ((e - w) + (n - s));
            up[k] = W;
        }
        eta_after[0] = eta[0] + W * step / area[0];
    }
};

}  // namespace fathom::ocean
