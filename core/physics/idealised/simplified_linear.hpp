/// Tangent and adjoint of the smooth physics (simplified.hpp). The mixing is S X+ = dp X with a
/// symmetric matrix S, so its adjoint solves with the same one: S y = (X+)',
///   dX+ = S^-1 [dp dX + d(dp) (X - X+) + ds (differences of X+)]
///   X' += dp y,   dp'_k += y_k (X - X+)_k,   d' -= y_n X+_n,
///   s'_k -= (y_{k-1} - y_k) (X+_{k-1} - X+_k)
/// Derivatives of the exchange and of the condensation, functions of three numbers, are taken by
/// dual numbers.
#pragma once
#include "field/linear.hpp"
#include "physics/idealised/simplified.hpp"

namespace fathom {

namespace linear_detail {
/// The derivatives of f(a, b, c) by each of them.
template <class Real> struct Slopes {
    Real by[3];
    template <class F> Slopes(F f, Real a, Real b, Real c) {
        using D = Dual<typename Real::Number, Real::width>;
        const Real zero(0), one(1);
        by[0] = f(D(a, one), D(b, zero), D(c, zero)).tangent;
        by[1] = f(D(a, zero), D(b, one), D(c, zero)).tangent;
        by[2] = f(D(a, zero), D(b, zero), D(c, one)).tangent;
    }
};
}  // namespace linear_detail

template <> struct Linear<physics::SmoothMixing> {
    using SmoothMixing = physics::SmoothMixing;
    static constexpr int most = 160;
    static auto read(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"air_pressure">(), f.template of<"pressure_interface">()};
    }
    static auto tendencies(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_tendency">(),
                          f.template of<"northward_wind_tendency">()};
    }
    /// S of a column, eliminated: pivots, shares of the next row; s of the interfaces below.
    template <class Real> struct Matrix {
        Real s[most], pivot[most], share[most];
        int levels;
        Matrix(const SmoothMixing& m, const auto& pressure, const auto& interface, int levels)
            : levels(levels) {
            const Real surface = interface[levels];
            for (int k = 0; k < levels; ++k) {
                s[k] = k + 1 < levels ? m.exchange(Real(interface[k + 1]), surface,
                                                   pressure[k + 1] - pressure[k])
                                      : m.of_ground() * surface;
                const Real above = k > 0 ? s[k - 1] * (1.0 - share[k - 1]) : Real(0);
                pivot[k] = 1.0 / (interface[k + 1] - interface[k] + s[k] + above);
                share[k] = s[k] * pivot[k];
            }
        }
        /// x <- S^-1 x
        void solve(Real* x) const {
            for (int k = 0; k < levels; ++k)
                x[k] = (k > 0 ? fma(s[k - 1], x[k - 1], x[k]) : x[k]) * pivot[k];
            for (int k = levels - 2; k >= 0; --k) x[k] = fma(share[k], x[k + 1], x[k]);
        }
    };
    template <class Real>
    static linear_detail::Slopes<Real> slopes(const SmoothMixing& m, const auto& pressure,
                                              const auto& interface, int k, int levels) {
        return {[&](auto p, auto surface, auto apart) { return m.exchange(p, surface, apart); },
                interface[k + 1], interface[levels], pressure[k + 1] - pressure[k]};
    }
    template <class Real> static void tangent(const SmoothMixing& m, const auto& x, const auto& d) {
        const auto [u, v, pressure, interface] = read(x);
        const auto [du, dv, dpressure, dinterface] = read(d);
        const auto [east, north] = tendencies(d);
        const int levels = x.levels();
        const Matrix<Real> S(m, pressure, interface, levels);
        Real U[most], V[most], dU[most], dV[most];
        for (int k = 0; k < levels; ++k) {
            const Real thickness = interface[k + 1] - interface[k];
            U[k] = thickness * u[k], V[k] = thickness * v[k];
        }
        S.solve(U), S.solve(V);
        Real flow_U(0), flow_V(0);  // by the change of s above
        for (int k = 0; k < levels; ++k) {
            const Real thickness = interface[k + 1] - interface[k],
                       change = dinterface[k + 1] - dinterface[k];
            dU[k] = fma(thickness, du[k], change * (u[k] - U[k])) + flow_U;
            dV[k] = fma(thickness, dv[k], change * (v[k] - V[k])) + flow_V;
            Real ds = m.of_ground() * dinterface[levels], below_U(0), below_V(0);
            if (k + 1 < levels) {
                const auto of = slopes<Real>(m, pressure, interface, k, levels);
                const auto& by = of.by;
                ds = fma(by[0], dinterface[k + 1],
                         fma(by[1], dinterface[levels], by[2] * (dpressure[k + 1] - dpressure[k])));
                below_U = U[k + 1], below_V = V[k + 1];
            }
            flow_U = ds * (U[k] - below_U), flow_V = ds * (V[k] - below_V);
            dU[k] -= flow_U, dV[k] -= flow_V;
        }
        S.solve(dU), S.solve(dV);
        for (int k = 0; k < levels; ++k) {
            east[k] += (dU[k] - du[k]) * (1 / m.step);
            north[k] += (dV[k] - dv[k]) * (1 / m.step);
        }
    }
    template <class Real> static void adjoint(const SmoothMixing& m, const auto& x, const auto& a) {
        const auto [u, v, pressure, interface] = read(x);
        const auto [au, av, apressure, ainterface] = read(a);
        const auto [east, north] = tendencies(a);
        const int levels = x.levels();
        const Matrix<Real> S(m, pressure, interface, levels);
        Real U[most], V[most], aU[most], aV[most], asurface(0);
        for (int k = 0; k < levels; ++k) {
            const Real thickness = interface[k + 1] - interface[k];
            U[k] = thickness * u[k], V[k] = thickness * v[k];
            aU[k] = east[k] * (1 / m.step), aV[k] = north[k] * (1 / m.step);
            au[k] -= aU[k], av[k] -= aV[k];
        }
        S.solve(U), S.solve(V), S.solve(aU), S.solve(aV);
        for (int k = 0; k < levels; ++k) {
            const Real thickness = interface[k + 1] - interface[k],
                       change = fma(aU[k], u[k] - U[k], aV[k] * (v[k] - V[k]));
            au[k] += thickness * aU[k], av[k] += thickness * aV[k];
            ainterface[k + 1] += change, ainterface[k] -= change;
            if (k + 1 == levels) {
                asurface -= m.of_ground() * fma(aU[k], U[k], aV[k] * V[k]);
                continue;
            }
            const Real s =
                -fma(aU[k] - aU[k + 1], U[k] - U[k + 1], (aV[k] - aV[k + 1]) * (V[k] - V[k + 1]));
            const auto of = slopes<Real>(m, pressure, interface, k, levels);
            const auto& by = of.by;
            ainterface[k + 1] += s * by[0];
            asurface = fma(s, by[1], asurface);
            apressure[k + 1] += s * by[2], apressure[k] -= s * by[2];
        }
        ainterface[levels] += asurface;
    }
};

template <> struct Linear<physics::SmoothCondensation> {
    using SmoothCondensation = physics::SmoothCondensation;
    static auto read(const auto& f) {
        return std::tuple{f.template of<"air_temperature">(), f.template of<"specific_humidity">(),
                          f.template of<"air_pressure">()};
    }
    static auto tendencies(const auto& f) {
        return std::tuple{f.template of<"air_temperature_tendency">(),
                          f.template of<"specific_humidity_tendency">()};
    }
    template <class Real>
    static linear_detail::Slopes<Real> slopes(const SmoothCondensation& s, Real T, Real q, Real p) {
        return {[&](auto T, auto q, auto p) { return s.rate(T, q, p); }, T, q, p};
    }
    template <class Real>
    static void tangent(const SmoothCondensation& s, const auto& x, const auto& d) {
        const auto [T, q, p] = read(x);
        const auto [dT, dq, dp] = read(d);
        const auto [heating, moistening] = tendencies(d);
        for (int k = 0; k < x.levels(); ++k) {
            const auto of = slopes<Real>(s, T[k], q[k], p[k]);
            const auto& by = of.by;
            const Real c = fma(by[0], dT[k], fma(by[1], dq[k], by[2] * dp[k]));
            heating[k] += physics::latent_warming * c, moistening[k] -= c;
        }
    }
    template <class Real>
    static void adjoint(const SmoothCondensation& s, const auto& x, const auto& a) {
        const auto [T, q, p] = read(x);
        const auto [aT, aq, ap] = read(a);
        const auto [heating, moistening] = tendencies(a);
        for (int k = 0; k < x.levels(); ++k) {
            const auto of = slopes<Real>(s, T[k], q[k], p[k]);
            const auto& by = of.by;
            const Real c = physics::latent_warming * heating[k] - moistening[k];
            aT[k] += by[0] * c, aq[k] += by[1] * c, ap[k] += by[2] * c;
        }
    }
};

}  // namespace fathom
