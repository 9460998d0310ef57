/// Adjoints of advection of momentum and of the gradient of pressure.
#include "field/by_hand.hpp"
#include "ocean/momentum.hpp"

namespace fathom {

/// Of layers that are equally thick in all columns. From the bottom to the top: what depends on the
/// vertical velocity w of an interface lies above it.
template <> struct ByHand<ocean::MomentumAdvection<false>> {
    using Scheme = ocean::MomentumAdvection<false>;
    static constexpr int columns = 1;
    /// The cells round a corner, from the south-west to the north-east.
    static constexpr Shift round(int n) { return {n % 3 - 1, n / 3 - 1}; }

    /// Transports through the faces of the velocity cell, with what they carry.
    template <class Real> struct Flow {
        Real west, east, south, north;
        Flow(const Real* u, const Real* v, const Real* x, const Real* y) {
            const auto column = [&](int i) {  // of transports eastward
                return fma(u[i], y[i], fma(u[6 + i], y[6 + i], 2.0 * (u[3 + i] * y[3 + i])));
            };
            const auto row = [&](int j) {
                return fma(v[3 * j], x[3 * j],
                           fma(v[3 * j + 2], x[3 * j + 2], 2.0 * (v[3 * j + 1] * x[3 * j + 1])));
            };
            const Real middle_x = column(1), middle_y = row(1);
            west = column(0) + middle_x, east = middle_x + column(2);
            south = row(0) + middle_y, north = middle_y + row(2);
        }
        Real divergence() const { return east - west + north - south; }
    };
    template <class Real> struct Around {
        Real u[9], v[9];
        Around(const auto& of_u, const auto& of_v, int k) {
            for (int n = 0; n < 9; ++n) u[n] = of_u(round(n))[k], v[n] = of_v(round(n))[k];
        }
    };

    /// Half the spacings round a corner, by its area and the factors of means.
    template <class Real> struct Widths {
        Real x[9], y[9];
        explicit Widths(const auto& at) {
            const auto dx = at.template value<"dx_corner">(), dy = at.template value<"dy_corner">();
            const Real scale = if_finite(typename Real::Number(1. / 16) / (dx[0] * dy[0]));
            for (int n = 0; n < 9; ++n)
                x[n] = dx(round(n))[0] * scale, y[n] = dy(round(n))[0] * scale;
        }
    };

    /// As the scheme: half the vertical velocity at each interface.
    template <class Real> static void sweep_down(const auto& at, const Widths<Real>& widths) {
        const auto u = at.template value<"velocity_x">(), v = at.template value<"velocity_y">();
        const auto thickness = at.template value<"thickness">();
        const auto w = at.memory(0);
        w[0] = Real(0);
        for (int k = 0; k < at.levels(); ++k) {
            const Around<Real> c(u, v, k);
            const Flow<Real> F(c.u, c.v, widths.x, widths.y);
            w[k + 1] = fma(F.divergence(), Real(thickness[k]), w[k]);
        }
    }

    template <class Real> static void adjoint(const Scheme&, const auto& at) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto of_u = at.template value<"velocity_x">(),
                   of_v = at.template value<"velocity_y">();
        const auto thickness = at.template value<"thickness">(),
                   weights = at.template value<"time_weights">();
        const auto w = at.memory(0);
        const Widths<Real> widths(at);
        const auto& [x, y] = widths;
        sweep_down<Real>(at, widths);
        const T now = weights[0], before = weights[1];
        const auto [tendency_x, tendency_y, advection_x, advection_y] =
            at.template several<"velocity_tendency_x", "velocity_tendency_y",
                                "momentum_advection_x", "momentum_advection_y">();
        const Real Kx = if_finite(Real(at.template value<"curvature_x">()[0])),
                   Ky = if_finite(Real(at.template value<"curvature_y">()[0]));
        const auto to_u = at.template adjoint<"velocity_x">();
        const auto to_v = at.template adjoint<"velocity_y">();
        Real to_w = 0, u_below = 0, v_below = 0;
        for (int k = levels - 1; k >= 0; --k) {
            const Around<Real> c(of_u, of_v, k);
            const Flow<Real> F(c.u, c.v, x, y);
            const Real U = c.u[4], V = c.v[4], gx = fma(Real(now), tendency_x[k], advection_x[k]),
                       gy = fma(Real(now), tendency_y[k], advection_y[k]);
            advection_x[k] = before * Real(tendency_x[k]);
            advection_y[k] = before * Real(tendency_y[k]);
            Real u[9]{}, v[9]{};  // adjoints
            // what the interfaces carry
            const T per_dz = 1 / thickness[k];
            const Real vx = gx * per_dz, vy = gy * per_dz, below = w[k + 1], above = w[k],
                       u_above = k > 0 ? Real(of_u[k - 1]) : Real(0),
                       v_above = k > 0 ? Real(of_v[k - 1]) : Real(0);
            to_w += vx * (U + u_below) + vy * (V + v_below);
            u[4] = vx * (below - above), v[4] = vy * (below - above);
            if (k + 1 < levels) to_u[k + 1] += vx * below, to_v[k + 1] += vy * below;
            if (k > 0) to_u[k - 1] -= vx * above, to_v[k - 1] -= vy * above;
            // what the sides carry
            const Real through = to_w * thickness[k];
            const Real west = gx * (c.u[3] + U) + gy * (c.v[3] + V) - through,
                       east_ = through - gx * (U + c.u[5]) - gy * (V + c.v[5]),
                       south = gx * (c.u[1] + U) + gy * (c.v[1] + V) - through,
                       north_ = through - gx * (U + c.u[7]) - gy * (V + c.v[7]);
            to_w -= vx * (u_above + U) + vy * (v_above + V);
            const Real out = F.west - F.east + F.south - F.north;
            u[3] += gx * F.west, u[5] -= gx * F.east, u[1] += gx * F.south, u[7] -= gx * F.north;
            v[3] += gy * F.west, v[5] -= gy * F.east, v[1] += gy * F.south, v[7] -= gy * F.north;
            const Real turn = V * Kx - U * Ky, to_turn = gx * V - gy * U;
            u[4] += gx * out - gy * turn - to_turn * Ky;
            v[4] += gy * out + gx * turn + to_turn * Kx;
            const Real to_x[3] = {west, west + east_, east_},
                       to_y[3] = {south, south + north_, north_};
            for (int n = 0; n < 9; ++n) {
                to_u(round(n))[k] += u[n] + to_x[n % 3] * y[n] * T(n / 3 == 1 ? 2 : 1);
                to_v(round(n))[k] += v[n] + to_y[n / 3] * x[n] * T(n % 3 == 1 ? 2 : 1);
            }
            u_below = U, v_below = V;
        }
    }
};
template struct AdjointByHand<ocean::MomentumAdvection<false>>;

template <> struct ByHand<ocean::PressureGradient> {
    template <class Real>
    static void adjoint(const ocean::PressureGradient& scheme, const auto& at) {
        const Real half_dx = if_finite(0.5 / Real(at.template value<"dx_corner">()[0])),
                   half_dy = if_finite(0.5 / Real(at.template value<"dy_corner">()[0]));
        const auto tendency_x = at.template adjoint<"velocity_tendency_x">(),
                   tendency_y = at.template adjoint<"velocity_tendency_y">();
        const auto p = at.template adjoint<"pressure">();
        const auto eta = at.template adjoint<"sea_surface_height">();
        const auto add = [](const auto& to, int k, Real x, Real y) {
            to[k] -= x + y;
            to(east)[k] += x - y;
            to(north)[k] += y - x;
            to(northeast)[k] += x + y;
        };
        Real sum_x = 0, sum_y = 0;
        for (int k = 0; k < at.levels(); ++k) {
            const Real x = -Real(tendency_x[k]) * half_dx, y = -Real(tendency_y[k]) * half_dy;
            add(p, k, x, y);
            sum_x += x, sum_y += y;
        }
        add(eta, 0, scheme.gravity * sum_x, scheme.gravity * sum_y);
    }
};
template struct AdjointByHand<ocean::PressureGradient>;

}  // namespace fathom
