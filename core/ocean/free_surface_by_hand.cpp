/// Adjoints of what the free surface does to the velocity, and of the volume transports.
#include "field/by_hand.hpp"
#include "ocean/free_surface.hpp"

namespace fathom {

namespace ocean {

/// Wet levels at a corner.
template <class Real> Real corner_levels(const auto& wet, Shift c) {
    return smaller(smaller(wet(c)[0], wet(c + east)[0]),
                   smaller(wet(c + north)[0], wet(c + northeast)[0]));
}
/// d(rest_share) / d(now), by rest_share.
template <class Real> Real slope_of_rest_share(Real now) {
    return select(now > Real(1e-3), -1.0 / now, Real(0));
}

}  // namespace ocean

template <> struct ByHand<ocean::AlternatingHeight> {
    template <class Real> static void adjoint(const ocean::AlternatingHeight& s, const auto& at) {
        const auto depth = at.template value<"depth_corner">(),
                   dx = at.template value<"dx_corner">(), dy = at.template value<"dy_corner">(),
                   coriolis = at.template value<"coriolis">();
        const auto eta = at.template adjoint<"sea_surface_height">();
        const auto root = [&](Shift c) {
            return if_finite(
                sqrt(s.of(Real(dx(c)[0]), Real(dy(c)[0]), Real(coriolis(c)[0])) * depth(c)[0]));
        };
        const Real share = root(here) / larger(depth[0], Real(1e-3)),
                   flow = at.template adjoint<"alternating_flow">()[0],
                   to = select(depth[0] > Real(0), share * flow, Real(0));
        for (const Shift c : {here, east, -east, north, -north}) {
            const Real x = to * (c.i == 0 && c.j == 0 ? 0.5 : -0.125) * root(c);
            eta(c + east)[0] += x, eta(c + north)[0] += x;
            eta(c)[0] -= x, eta(c + northeast)[0] -= x;
        }
    }
};
template struct AdjointByHand<ocean::AlternatingHeight>;

template <> struct ByHand<ocean::BarotropicDivergence> {
    template <class Real> static void adjoint(const ocean::BarotropicDivergence&, const auto& at) {
        const auto depth = at.template value<"depth_corner">(),
                   dx = at.template value<"dx_corner">(), dy = at.template value<"dy_corner">();
        const auto u = at.template adjoint<"depth_mean_x_predicted">(),
                   v = at.template adjoint<"depth_mean_y_predicted">();
        const auto flow = at.template adjoint<"alternating_flow">();
        const Real to = at.template adjoint<"barotropic_convergence">()[0];
        for (const Shift c : {here, -east, -north, -northeast}) {
            const double from_west = c.i < 0 ? 1 : -1, from_south = c.j < 0 ? 1 : -1;
            const Real volume = to * depth(c)[0];
            u(c)[0] += 0.5 * from_west * volume * dy(c)[0];
            v(c)[0] += 0.5 * from_south * volume * dx(c)[0];
            flow(c)[0] += 2.0 * from_west * from_south * volume;
        }
    }
};
template struct AdjointByHand<ocean::BarotropicDivergence>;

template <> struct ByHand<ocean::BarotropicCorrection> {
    template <class Real>
    static void adjoint(const ocean::BarotropicCorrection& s, const auto& at) {
        using T = typename Real::Number;
        const auto wet = at.template value<"wet_levels">();
        const auto u = at.template adjoint<"velocity_x_after">(),
                   v = at.template adjoint<"velocity_y_after">();
        const Real bottom = ocean::corner_levels<Real>(wet, here);
        Real x = 0, y = 0;
        for (int k = 0; k < at.levels(); ++k) {
            const auto water = Real(T(k)) < bottom;
            x -= select(water, Real(u[k]), Real(0));
            y -= select(water, Real(v[k]), Real(0));
        }
        const Real phi =
                       at.template value<"coriolis">()[0] * T(s.rotation * s.implicitness * s.step),
                   now = at.template value<"depth_corner_now">()[0];
        const Real scale = ocean::rest_share(Real(at.template value<"depth_corner">()[0]), now) *
                           T(0.5 * s.implicitness * s.gravity * s.step) / fma(phi, phi, T(1));
        const Real along_x = (x - phi * y) * if_finite(scale / at.template value<"dx_corner">()[0]),
                   along_y =
                       fma(phi, x, y) * if_finite(scale / at.template value<"dy_corner">()[0]);
        const auto of = at.template value<"sea_surface_height_increment">();
        const Real sw = of[0], se = of(east)[0], nw = of(north)[0], ne = of(northeast)[0];
        at.template adjoint<"depth_corner_now">()[0] +=
            (along_x * ((se - sw) + (ne - nw)) + along_y * ((nw - sw) + (ne - se))) *
            ocean::slope_of_rest_share(now);
        const auto to = at.template adjoint<"sea_surface_height_increment">();
        to[0] -= along_x + along_y;
        to(east)[0] += along_x - along_y;
        to(north)[0] += along_y - along_x;
        to(northeast)[0] += along_x + along_y;
    }
};
template struct AdjointByHand<ocean::BarotropicCorrection>;

/// From the top to the bottom: what is above an interface has come through it.
template <> struct ByHand<ocean::VolumeTransport<false>> {
    using Scheme = ocean::VolumeTransport<false>;
    static constexpr Shift corners[4] = {here, -north, -east, -northeast};

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const auto dx = at.template value<"dx_corner">(), dy = at.template value<"dy_corner">();
        const auto wet = at.template value<"wet_levels">();
        const auto thickness = at.template value<"thickness">();
        const auto u = at.template adjoint<"velocity_x_after">();
        const auto v = at.template adjoint<"velocity_y_after">();
        const auto to_east = at.template adjoint<"transport_east">(),
                   from_west = at.template adjoint<"transport_west">(),
                   to_north = at.template adjoint<"transport_north">(),
                   from_south = at.template adjoint<"transport_south">(),
                   up = at.template adjoint<"transport_up">();
        Real x[4], y[4], bottom[4], z[4];
        for (int c = 0; c < 4; ++c) {
            x[c] = 0.5 * dx(corners[c])[0], y[c] = 0.5 * dy(corners[c])[0], z[c] = 0;
            bottom[c] = ocean::corner_levels<Real>(wet, corners[c]);
        }
        const Real of_eta = at.template adjoint<"sea_surface_height_after">()[0];
        at.template adjoint<"sea_surface_height">()[0] += of_eta;
        Real W = of_eta * if_finite(s.step / at.template value<"area_center">()[0]);
        for (int k = 0; k < at.levels(); ++k) {
            const Real dz = thickness[k];
            W += Real(up[k]);
            const Real e = (to_east[k] - W) * dz, w = (from_west[k] + W) * dz,
                       n = (to_north[k] - W) * dz, q = (from_south[k] + W) * dz;
            const Real to_u[4] = {e, e, w, w}, to_v[4] = {n, q, n, q},
                       to_z[4] = {-e - n, e - q, n - w, w + q};
            for (int c = 0; c < 4; ++c) {
                u(corners[c])[k] += to_u[c] * y[c];
                v(corners[c])[k] += to_v[c] * x[c];
                z[c] += select(Real(T(k)) < bottom[c], to_z[c], Real(0));
            }
        }
        for (int c = 0; c < 4; ++c) alternating<Real>(s, at, corners[c], z[c]);
    }

private:
    /// To what the alternating flow at a corner depends on.
    template <class Real>
    static void alternating(const Scheme& s, const auto& at, Shift c, Real to_z) {
        const auto increment = at.template value<"sea_surface_height_increment">();
        const auto to = at.template adjoint<"sea_surface_height_increment">();
        const Real now = at.template value<"depth_corner_now">()(c)[0];
        const Real by = if_finite(s.of(Real(at.template value<"dx_corner">()(c)[0]),
                                       Real(at.template value<"dy_corner">()(c)[0]),
                                       Real(at.template value<"coriolis">()(c)[0]))) *
                        ocean::rest_share(Real(at.template value<"depth_corner">()(c)[0]), now);
        at.template adjoint<"alternating_flow">()(c)[0] += to_z;
        at.template adjoint<"depth_corner_now">()(c)[0] +=
            to_z * by * Scheme::alternating<Real>(increment, c) * ocean::slope_of_rest_share(now);
        const Real x = to_z * by;
        to(c + east)[0] += x, to(c + north)[0] += x;
        to(c)[0] -= x, to(c + northeast)[0] -= x;
    }
};
template struct AdjointByHand<ocean::VolumeTransport<false>>;

}  // namespace fathom
