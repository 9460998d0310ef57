/// Implicit linear free surface (Dukowicz & Smith 1994, two time levels, backward continuity):
///   u(after) = u* - theta g tau R grad(deta),     (M + K) deta = -div(H U*) / (g theta tau),
///       M = areaT / (g theta tau^2),  K = -areaT div H R grad,
///       R = (I + phi k x)^-1 = (I - phi k x) / (1 + phi^2),   phi = theta f tau
/// R turns the correction as the implicit Coriolis term turns all other forces. Without it (R = I)
/// the increment's slope is not balanced, and Rossby waves travel 1 + phi^2 times too slowly.
/// The solver's deta is used for the gradient only: the new height follows from the transports that
/// carry the tracers, so that volume and tracers are conserved for any tolerance of the solver.
///
/// The solver has H at rest. Where layers follow the surface, u is corrected by H / (H + eta) times
/// the gradient, so that the transport is corrected by what the solver knows: K is some
/// (c tau / dx)^2 of M, 1000 in deep water, and another depth by 0.1 % would double the increment.
///
/// The four-point gradient does not see a height that alternates from cell to cell. So a share e,
/// the compactness, of the transports that the slope of the height causes through faces in a step
/// is computed from the cells next to the face and not from the corners (Rhie & Chow 1983). At each
/// corner the difference is X = SE + NW - SW - NE, second order small in a smooth field:
///   Z = s (X(deta) + X(eta) - smooth X(eta)),
///       s = e theta g tau H/8 (dy/dx + dx/dy) / (1 + phi^2)  [m3 s-1],
///   -d(Z)/dy to the east, -d(Z)/dx to the north,
/// at all depths of the corner, with a K to match (solver/elliptic.hpp). The smooth part of X is
/// not changed: with r = sqrt(s), over the four corners n next to c, 0 where they are dry,
///   s (X - smooth X) = r_c/2 (r_c X_c - 1/4 sum of r_n X_n)
/// is of fourth order, removes potential energy from any height, and removes an alternating X
/// completely.
#pragma once
#include "base/constants.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// s per metre of depth.
struct CompactSlope {
    double step = 3600, implicitness = usual::implicitness, gravity = constants::gravity,
           compactness = usual::compactness, rotation = 1;
    static constexpr std::tuple parameters{
        Parameter{"step", &CompactSlope::step, "s", 0, 1e6, "time step"},
        Parameter{"implicitness", &CompactSlope::implicitness, "1", 0.5, 1,
                  "weight of the new height in the pressure gradient"},
        Parameter{"gravity", &CompactSlope::gravity, "m s-2", 0, 100, "acceleration of gravity"},
        Parameter{"compactness", &CompactSlope::compactness, "1", 0, 0.9,
                  "share of the slope between the cells next to a face in the flow through "
                  "the face"},
        Parameter{"rotation", &CompactSlope::rotation, "1", 0, 1, "1: the earth turns the flow"}};

    template <class Real> constexpr Real of(Real dx, Real dy, Real f) const {
        using T = typename Real::Number;
        const Real phi = f * T(rotation * implicitness * step);
        return T(0.125 * compactness * implicitness * gravity * step) * (dy / dx + dx / dy) /
               fma(phi, phi, T(1));
    }
    /// X at a corner, of the height in the cells round it.
    template <class Real> static constexpr Real alternating(const auto& height, Shift c) {
        return (height(c + east)[0] + height(c + north)[0]) -
               (height(c)[0] + height(c + northeast)[0]);
    }
};

/// The transport through faces due to the alternating part of the present height, Z / H.
struct AlternatingHeight : CompactSlope {
    static constexpr std::string_view summary =
        "flow through faces of cells, driven by the alternating part of the height";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_surface_height", place::center_column, "m", 2> eta,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "coriolis", place::corner_column, "s-1", 1> coriolis,
        Writes<Real, "alternating_flow", place::corner_column, "m2 s-1"> flow) const {
        auto root = [&](Shift c) {
            return sqrt(of(Real(dx(c)[0]), Real(dy(c)[0]), Real(coriolis(c)[0])) * depth(c)[0]);
        };
        auto part = [&](Shift c) { return root(c) * alternating<Real>(eta, c); };
        const Real beside = (part(east) + part(-east)) + (part(north) + part(-north)),
                   alternates = 0.5 * part(here) - 0.125 * beside;
        flow[0] = select(depth[0] > Real(0), root(here) * alternates / larger(depth[0], Real(1e-3)),
                         Real(0));
    }
};

/// H / (H + eta) at a corner; exactly 1 where both depths are one field, and on land.
template <class Real> constexpr Real rest_share(Real at_rest, Real now) {
    return larger(at_rest, Real(1e-3)) / larger(now, Real(1e-3));
}

/// Convergence of the predicted depth-mean transport and of the transport due to alternating
/// height: the right-hand side, before its division by g theta tau.
struct BarotropicDivergence {
    static constexpr std::string_view summary =
        "convergence of the predicted depth mean transport and of what alternates in the height";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "depth_mean_x_predicted", place::corner_vector_column, "m s-1", 1> u,
        Reads<Real, "depth_mean_y_predicted", place::corner_vector_column, "m s-1", 1> v,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "alternating_flow", place::corner_column, "m2 s-1", 1> flow,
        Writes<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        auto x = [&](Shift s) { return u(s)[0] * depth(s)[0] * dy(s)[0]; };
        auto y = [&](Shift s) { return v(s)[0] * depth(s)[0] * dx(s)[0]; };
        const Real xe = x(here) + x(-north), xw = x(-east) + x(-northeast), yn = y(here) + y(-east),
                   ys = y(-north) + y(-northeast);
        auto z = [&](Shift s) { return flow(s)[0] * depth(s)[0]; };
        const Real alternates = (z(here) + z(-northeast)) - (z(-east) + z(-north));
        convergence[0] = 2.0 * alternates - 0.5 * ((xe - xw) + (yn - ys));
    }
};

/// The gradient of the height's increment, the same at all depths.
struct BarotropicCorrection {
    double step = 3600, implicitness = usual::implicitness, gravity = constants::gravity,
           rotation = 1;
    static constexpr std::string_view summary =
        "corrects the velocity by the gradient of the new sea surface height";
    static constexpr std::tuple parameters{
        Parameter{"step", &BarotropicCorrection::step, "s", 0, 1e6, "time step"},
        Parameter{"implicitness", &BarotropicCorrection::implicitness, "1", 0.5, 1,
                  "weight of the new height in the pressure gradient"},
        Parameter{"gravity", &BarotropicCorrection::gravity, "m s-2", 0, 100,
                  "acceleration of gravity"},
        Parameter{"rotation", &BarotropicCorrection::rotation, "1", 0, 1,
                  "1: the earth turns the correction"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_surface_height_increment", place::center_column, "m", 1> increment,
        Reads<Real, "depth_corner", place::corner_column, "m"> depth,
        Reads<Real, "depth_corner_now", place::corner_column, "m"> depth_now,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        Reads<Real, "coriolis", place::corner_column, "s-1"> coriolis,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Updates<Real, "velocity_x_after", place::corner_vector_layer, "m s-1"> u,
        Updates<Real, "velocity_y_after", place::corner_vector_layer, "m s-1"> v,
        Levels each) const {
        using T = typename Real::Number;
        const Real sw = increment[0], se = increment(east)[0], nw = increment(north)[0],
                   ne = increment(northeast)[0];
        const Real phi = coriolis[0] * T(rotation * implicitness * step);
        const Real scale = rest_share(Real(depth[0]), Real(depth_now[0])) *
                           T(0.5 * implicitness * gravity * step) / fma(phi, phi, T(1));
        const Real slope_x = ((se - sw) + (ne - nw)) / dx[0] * scale,
                   slope_y = ((nw - sw) + (ne - se)) / dy[0] * scale;
        const Real cx = fma(phi, slope_y, slope_x), cy = slope_y - phi * slope_x;
        const Real bottom =
            smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
        for (int k = each.first; k < each.end; ++k) {
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
template <bool own> struct VolumeTransport : CompactSlope {
    static constexpr std::string_view summary =
        "volume transports through the faces of tracer cells, and the new sea surface height";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x_after", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y_after", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "coriolis", place::corner_column, "s-1", 1> coriolis,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Reads<Real, "depth_corner_now", place::corner_column, "m", 1> depth_now,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "alternating_flow", place::corner_column, "m2 s-1", 1> flow,
        Reads<Real, "sea_surface_height_increment", place::center_column, "m", 1> increment,
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
        auto alternates = [&](Shift c) {
            const Real bottom = smaller(smaller(wet(c)[0], wet(c + east)[0]),
                                        smaller(wet(c + north)[0], wet(c + northeast)[0]));
            const Real z = fma(of(Real(dx(c)[0]), Real(dy(c)[0]), Real(coriolis(c)[0])) *
                                   rest_share(Real(depth(c)[0]), Real(depth_now(c)[0])),
                               alternating<Real>(increment, c), flow(c)[0]);
            return [z, bottom](int k) { return select(Real(T(k)) < bottom, z, Real(0)); };
        };
        const auto z_0 = alternates(here), z_s = alternates(-north), z_w = alternates(-east),
                   z_sw = alternates(-northeast);
        Real W = 0;
        up[levels] = W;
        for (int k = levels - 1; k >= 0; --k) {
            // a face: half of the flow at each of its corners, and the alternating part
            auto through = [&](In<Real, 1> speed, Real width_a, Shift a, Real z_a, Real width_b,
                               Shift b, Real z_b) {
                if constexpr (own)
                    return fma(fma(speed(a)[k], width_a, -z_a), thickness(a)[k],
                               fma(speed(b)[k], width_b, z_b) * thickness(b)[k]);
                else
                    return thickness[k] *
                           (fma(speed(a)[k], width_a, speed(b)[k] * width_b) + (z_b - z_a));
            };
            const Real z = z_0(k), zs = z_s(k), zw = z_w(k), zsw = z_sw(k);
            const Real e = through(u, y_0, here, z, y_s, -north, zs),
                       w = through(u, y_w, -east, zw, y_sw, -northeast, zsw),
                       n = through(v, x_0, here, z, x_w, -east, zw),
                       s = through(v, x_s, -north, zs, x_sw, -northeast, zsw);
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
