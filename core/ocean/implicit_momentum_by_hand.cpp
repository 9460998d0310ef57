/// The adjoint of the implicit step of momentum: both sweeps in reversed order.
#include "field/by_hand.hpp"
#include "ocean/momentum.hpp"

namespace fathom {

/// Of layers that are equally thick in all columns. x, y: what a level has gained towards both
/// directions; a prime of the forward equations is `to_`.
template <> struct ByHand<ocean::ImplicitMomentum<false>> {
    using Scheme = ocean::ImplicitMomentum<false>;
    static constexpr int columns = 7;

    /// What is the same at all levels of a column.
    template <class Real> struct Column {
        using T = typename Real::Number;
        Real bottom, f, phi, per, lost;
        Column(const Scheme& s, const auto& at) {
            const auto wet = at.template value<"wet_levels">();
            bottom =
                smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
            const T tau = T(s.step);
            f = at.template value<"coriolis">()[0], phi = f * (tau * s.implicitness);
            const Real turned = 1.0 / (1.0 + phi * phi);
            per = tau * turned, lost = phi * turned;
        }
    };
    /// Viscosity and drag of a level, and the shear of the interface below it.
    template <class Real> struct Level {
        using T = typename Real::Number;
        Real U, V, dU, dV, speed, to_below, friction;
        typename Real::Mask wet_below;
        T per_distance;
        Level(const Scheme& s, const auto& at, const Column<Real>& c, int k) {
            const auto u = at.template value<"velocity_x">(), v = at.template value<"velocity_y">();
            const auto nu = at.template value<"viscosity_at_center">();
            const auto dz = at.template value<"thickness">();
            const bool last = k + 1 == at.levels();
            U = u[k], V = v[k];
            dU = (last ? Real(0) : Real(u[k + 1])) - U, dV = (last ? Real(0) : Real(v[k + 1])) - V;
            per_distance = last ? T(0) : T(2) / (dz[k] + dz[k + 1]);
            wet_below = Real(T(k + 1)) < c.bottom;
            speed = sqrt(fma(U, U, V * V));
            const Real sum = nu[k + 1] + nu(east)[k + 1] + nu(north)[k + 1] + nu(northeast)[k + 1];
            to_below = select(wet_below, sum * (T(0.25) * T(s.step) * per_distance), Real(0));
            friction =
                select(wet_below, Real(0), T(s.step) * s.drag * (speed + s.background_speed));
        }
    };

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const Column<Real> c(s, at);
        const auto factor = at.memory(0), pivots = at.memory(1), x = at.memory(2), y = at.memory(3),
                   to_x = at.memory(4), to_y = at.memory(5), to_factor = at.memory(6);
        forward<Real>(s, at, c);
        upward<Real>(at, c);
        // the sweep down
        const int levels = at.levels();
        const auto dz = at.template value<"thickness">();
        const auto to_u = at.template adjoint<"velocity_x">(),
                   to_v = at.template adjoint<"velocity_y">(),
                   tendency_x = at.template adjoint<"velocity_tendency_x">(),
                   tendency_y = at.template adjoint<"velocity_tendency_y">(),
                   stress_x = at.template adjoint<"surface_stress_x">(),
                   stress_y = at.template adjoint<"surface_stress_y">();
        const auto viscosity = at.template adjoint<"viscosity_at_center">();
        // of the level below: to its x and y, of its friction, to its pivot and its `from_above`
        Real next_x = 0, next_y = 0, next_D_x = 0, next_D_y = 0, next_above = 0;
        for (int k = levels - 1; k >= 0; --k) {
            const Level<Real> l(s, at, c, k);
            const Real X = to_x[k] + next_x, Y = to_y[k] + next_y, pivot = pivots[k],
                       above = k > 0 ? Level<Real>(s, at, c, k - 1).to_below : Real(0),
                       factor_above = k > 0 ? Real(factor[k - 1]) : Real(0),
                       x_above = k > 0 ? Real(x[k - 1]) : Real(0),
                       y_above = k > 0 ? Real(y[k - 1]) : Real(0);
            const Real rhs_x = X * pivot, rhs_y = Y * pivot,
                       sum = -pivot * (X * x[k] + Y * y[k] + to_factor[k] * factor[k]);
            next_x = rhs_x * above, next_y = rhs_y * above;
            const Real D_x = -(c.lost * fma(c.phi, rhs_x, rhs_y)),
                       D_y = c.lost * (rhs_x - c.phi * rhs_y), shear_x = D_x - next_D_x,
                       shear_y = D_y - next_D_y;
            Real to_below =
                to_factor[k] * pivot + sum + next_above + shear_x * l.dU + shear_y * l.dV;
            to_below = select(l.wet_below, to_below, Real(0));
            const Real nu = to_below * (T(0.25) * T(s.step) * l.per_distance);
            for (const Shift corner : {here, east, north, northeast})
                viscosity(corner)[k + 1] += nu;
            const Real drag = select(l.wet_below, Real(0),
                                     (sum - D_x * l.U - D_y * l.V) * T(s.step * s.drag)),
                       per_speed = select(l.speed > Real(0), drag / l.speed, Real(0));
            const Real i_x = rhs_x * dz[k], i_y = rhs_y * dz[k], a = c.per * (i_x - c.phi * i_y),
                       b = c.per * fma(c.phi, i_x, i_y);
            to_u[k] += i_x - D_x * l.friction - shear_x * l.to_below + per_speed * l.U - c.f * b;
            to_v[k] += i_y - D_y * l.friction - shear_y * l.to_below + per_speed * l.V + c.f * a;
            if (k + 1 < levels) {
                to_u[k + 1] += shear_x * l.to_below;
                to_v[k + 1] += shear_y * l.to_below;
            }
            tendency_x[k] += a, tendency_y[k] += b;
            if (k == 0) {
                const T scale = T(1 / constants::sea_water_density) / dz[0];
                stress_x[0] += a * scale, stress_y[0] += b * scale;
            }
            next_above = fma(sum, 1.0 - factor_above, rhs_x * x_above + rhs_y * y_above);
            if (k > 0) to_factor[k - 1] -= sum * above;
            next_D_x = D_x, next_D_y = D_y;
        }
    }

private:
    /// As the scheme: factors, pivots, and x and y of its sweep down.
    template <class Real>
    static void forward(const Scheme& s, const auto& at, const Column<Real>& c) {
        using T = typename Real::Number;
        const auto factor = at.memory(0), pivots = at.memory(1), solved_x = at.memory(2),
                   solved_y = at.memory(3);
        const auto dz = at.template value<"thickness">();
        const auto tendency_x = at.template value<"velocity_tendency_x">(),
                   tendency_y = at.template value<"velocity_tendency_y">();
        const T per_density = T(1 / constants::sea_water_density);
        const Real tau_x = at.template value<"surface_stress_x">()[0] * per_density,
                   tau_y = at.template value<"surface_stress_y">()[0] * per_density;
        Real from_above = 0, factor_above = 0, x = 0, y = 0, flux_x = 0, flux_y = 0;
        for (int k = 0; k < at.levels(); ++k) {
            const Level<Real> l(s, at, c, k);
            Real a = fma(c.f, l.V, tendency_x[k]), b = tendency_y[k] - c.f * l.U;
            if (k == 0) a += tau_x * (T(1) / dz[0]), b += tau_y * (T(1) / dz[0]);
            const Real below_x = l.to_below * l.dU, below_y = l.to_below * l.dV,
                       D_x = below_x - flux_x - l.friction * l.U,
                       D_y = below_y - flux_y - l.friction * l.V;
            const Real rhs_x = fma(Real(dz[k]), fma(fma(c.phi, b, a), c.per, l.U),
                                   c.lost * (D_y - c.phi * D_x)),
                       rhs_y = fma(Real(dz[k]), fma(b - c.phi * a, c.per, l.V),
                                   -(c.lost * fma(c.phi, D_y, D_x)));
            const Real pivot =
                1.0 / (dz[k] + l.friction + l.to_below + from_above * (1.0 - factor_above));
            factor_above = l.to_below * pivot;
            x = fma(from_above, x, rhs_x) * pivot;
            y = fma(from_above, y, rhs_y) * pivot;
            factor[k] = factor_above, pivots[k] = pivot, solved_x[k] = x, solved_y[k] = y;
            from_above = l.to_below, flux_x = below_x, flux_y = below_y;
        }
    }

    /// The sweep up: to what the sweep down has solved, and to its factors.
    template <class Real> static void upward(const auto& at, const Column<Real>& c) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto factor = at.memory(0), solved_x = at.memory(2), solved_y = at.memory(3),
                   to_x = at.memory(4), to_y = at.memory(5), to_factor = at.memory(6);
        const auto dz = at.template value<"thickness">();
        Real x = 0, y = 0, depth = 0;
        for (int k = levels - 1; k >= 0; --k) {
            const auto wet = Real(T(k)) < c.bottom;
            to_x[k] = x, to_y[k] = y;  // of the level below
            x = select(wet, fma(factor[k], x, solved_x[k]), Real(0));
            y = select(wet, fma(factor[k], y, solved_y[k]), Real(0));
            depth += select(wet, Real(dz[k]), Real(0));
        }
        const auto u = at.template adjoint<"velocity_x_after">(),
                   v = at.template adjoint<"velocity_y_after">();
        const Real per_depth = 1.0 / larger(depth, Real(dz[0])),
                   mean_x = at.template adjoint<"depth_mean_x_predicted">()[0] * per_depth,
                   mean_y = at.template adjoint<"depth_mean_y_predicted">()[0] * per_depth;
        Real above_x = 0, above_y = 0;
        for (int k = 0; k < levels; ++k) {
            const auto wet = Real(T(k)) < c.bottom;
            const Real X = select(wet, u[k] + fma(mean_x, Real(dz[k]), above_x), Real(0)),
                       Y = select(wet, v[k] + fma(mean_y, Real(dz[k]), above_y), Real(0));
            to_factor[k] = X * to_x[k] + Y * to_y[k];
            to_x[k] = X, to_y[k] = Y;
            above_x = factor[k] * X, above_y = factor[k] * Y;
        }
    }
};
template struct AdjointByHand<ocean::ImplicitMomentum<false>>;

}  // namespace fathom
