/// Tangents and adjoints of the small processes of a step (primitive.hpp, hybrid.hpp,
/// coriolis.hpp): most are linear, and their adjoint is a transposed sum.
#pragma once
#include "atmosphere/hydrostatic/layer_slopes.hpp"
#include "atmosphere/hydrostatic/primitive.hpp"
#include "field/linear.hpp"

namespace fathom {

/// d(p_s) = p_s dpi,   dp = B d(p_s)
template <> struct Linear<atmosphere::HybridPressure> {
    template <class Real>
    static void tangent(const atmosphere::HybridPressure&, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto B = x.template of<"hybrid_b">();
        const auto dp = d.template of<"pressure_interface">(),
                   dlayer = d.template of<"air_pressure">();
        const Real dps = atmosphere::unit_pressure * exp(x.template of<"log_pressure_ratio">()[0]) *
                         d.template of<"log_pressure_ratio">()[0];
        dp[0] = B[0] * dps;
        for (int k = 0; k < x.levels(); ++k) {
            dp[k + 1] = B[k + 1] * dps;
            dlayer[k] = N(0.5) * (B[k] + B[k + 1]) * dps;
        }
    }
    template <class Real>
    static void adjoint(const atmosphere::HybridPressure&, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto B = x.template of<"hybrid_b">();
        const auto ap = a.template of<"pressure_interface">(),
                   alayer = a.template of<"air_pressure">();
        Real aps = B[0] * ap[0];
        for (int k = 0; k < x.levels(); ++k)
            aps += fma(B[k + 1], ap[k + 1], N(0.5) * (B[k] + B[k + 1]) * alayer[k]);
        a.template of<"log_pressure_ratio">()[0] +=
            atmosphere::unit_pressure * exp(x.template of<"log_pressure_ratio">()[0]) * aps;
    }
};

/// d(phi_k) = d(phi_{k+1/2}) + R d(alpha_k T_k),   d(phi_{k-1/2}) = d(phi_{k+1/2}) + R d(l_k T_k)
template <> struct Linear<atmosphere::HydrostaticGeopotential> {
    template <class Real>
    static void tangent(const atmosphere::HydrostaticGeopotential& s, const auto& x,
                        const auto& d) {
        using N = typename Real::Number;
        const N R = N(s.gas_constant);
        const auto T = x.template of<"virtual_temperature">();
        const auto p = x.template of<"pressure_interface">();
        const auto dT = d.template of<"virtual_temperature">(),
                   dp = d.template of<"pressure_interface">(),
                   dphi = d.template of<"geopotential">();
        Real below(0);
        for (int k = x.levels() - 1; k >= 0; --k) {
            const atmosphere::LayerSlopes<Real> layer(p[k], p[k + 1]);
            const auto of = [&](const auto& c) {
                return R * fma(c.value, dT[k], T[k] * c.change(dp[k], dp[k + 1]));
            };
            dphi[k] = below + of(layer.alpha);
            below += of(layer.log_ratio);
        }
    }
    template <class Real>
    static void adjoint(const atmosphere::HydrostaticGeopotential& s, const auto& x,
                        const auto& a) {
        using N = typename Real::Number;
        const N R = N(s.gas_constant);
        const auto T = x.template of<"virtual_temperature">();
        const auto p = x.template of<"pressure_interface">();
        const auto aT = a.template of<"virtual_temperature">(),
                   ap = a.template of<"pressure_interface">(),
                   aphi = a.template of<"geopotential">();
        Real above(0);  // adjoint of the geopotential of the interface
        for (int k = 0; k < x.levels(); ++k) {
            const atmosphere::LayerSlopes<Real> layer(p[k], p[k + 1]);
            const Real phi = R * aphi[k], up = R * above;
            aT[k] += fma(layer.alpha.value, phi, layer.log_ratio.value * up);
            const Real alpha = phi * T[k], l = up * T[k];
            ap[k] += fma(alpha, layer.alpha.by_above, l * layer.log_ratio.by_above);
            ap[k + 1] += fma(alpha, layer.alpha.by_below, l * layer.log_ratio.by_below);
            above += aphi[k];
        }
    }
};

template <> struct Linear<atmosphere::LogSurfacePressure> {
    template <class Real>
    static void tangent(const atmosphere::LogSurfacePressure&, const auto&, const auto& d) {
        d.template of<"log_surface_pressure">()[0] = Real(d.template of<"log_pressure_ratio">()[0]);
    }
    template <class Real>
    static void adjoint(const atmosphere::LogSurfacePressure&, const auto&, const auto& a) {
        a.template of<"log_pressure_ratio">()[0] += a.template of<"log_surface_pressure">()[0];
    }
};

template <> struct Linear<atmosphere::WindExtrapolation> {
    static auto winds(const auto& f) {
        return std::array{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"eta_velocity">()};
    }
    static auto earlier(const auto& f) {
        return std::array{f.template of<"eastward_wind_before">(),
                          f.template of<"northward_wind_before">(),
                          f.template of<"eta_velocity_before">()};
    }
    static auto later(const auto& f) {
        return std::array{f.template of<"eastward_wind_extrapolated">(),
                          f.template of<"northward_wind_extrapolated">(),
                          f.template of<"eta_velocity_extrapolated">()};
    }
    template <class Real>
    static void tangent(const atmosphere::WindExtrapolation&, const auto& x, const auto& d) {
        const auto weights = x.template of<"time_weights">();
        const auto wind = winds(d), last = earlier(d), next = later(d);
        for (int n = 0; n < 3; ++n)
            for (int k = 0; k < x.levels(); ++k) {
                const Real now = wind[n][k];
                next[n][k] = fma(Real(weights[0]), now, weights[1] * last[n][k]);
                last[n][k] = now;
            }
    }
    template <class Real>
    static void adjoint(const atmosphere::WindExtrapolation&, const auto& x, const auto& a) {
        const auto weights = x.template of<"time_weights">();
        const auto wind = winds(a), last = earlier(a), next = later(a);
        for (int n = 0; n < 3; ++n)
            for (int k = 0; k < x.levels(); ++k) {
                const Real ahead = next[n][k];
                wind[n][k] += fma(Real(weights[0]), ahead, Real(last[n][k]));
                last[n][k] = weights[1] * ahead;
            }
    }
};

template <> struct Linear<atmosphere::TendencyStart> {
    template <class Real>
    static void tangent(const atmosphere::TendencyStart&, const auto& x, const auto& d) {
        const auto u = d.template of<"eastward_wind_tendency">(),
                   v = d.template of<"northward_wind_tendency">(),
                   T = d.template of<"air_temperature_tendency">();
        for (int k = 0; k < x.levels(); ++k) u[k] = Real(0), v[k] = Real(0), T[k] = Real(0);
    }
    template <class Real>
    static void adjoint(const atmosphere::TendencyStart&, const auto&, const auto&) {}
};

/// dT = dt/2 dN_T + d(carried) - v . dv / c_p of the wind that was carried
template <> struct Linear<atmosphere::Arrival> {
    static auto carried(const auto& f) {
        return std::tuple{
            f.template of<"eastward_wind_carried">(), f.template of<"northward_wind_carried">(),
            f.template of<"temperature_carried">(), f.template of<"log_pressure_ratio_carried">()};
    }
    static auto nonlinear(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_nonlinear">(),
                          f.template of<"northward_wind_nonlinear">(),
                          f.template of<"temperature_nonlinear">(),
                          f.template of<"log_pressure_ratio_nonlinear">()};
    }
    static auto written(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"virtual_temperature">(),
                          f.template of<"log_pressure_ratio">()};
    }
    template <class Real>
    static void tangent(const atmosphere::Arrival& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto east = x.template of<"eastward_wind_carried">(),
                   north = x.template of<"northward_wind_carried">();
        const auto B = x.template of<"hybrid_b">();
        const auto [cu, cv, cT, cp] = carried(d);
        const auto [Nu, Nv, NT, Np] = nonlinear(d);
        const auto [u, v, T, log_ps] = written(d);
        const N half = N(0.5 * s.step), per_cp = N(1 / s.heat_capacity);
        Real surface(0);
        for (int k = 0; k < x.levels(); ++k) {
            u[k] = fma(half, Nu[k], Real(cu[k]));
            v[k] = fma(half, Nv[k], Real(cv[k]));
            T[k] = fma(half, NT[k], cT[k] - per_cp * fma(east[k], cu[k], north[k] * cv[k]));
            surface = fma(B[k + 1] - B[k], fma(half, Np[k], Real(cp[k])), surface);
        }
        log_ps[0] = surface;
    }
    template <class Real>
    static void adjoint(const atmosphere::Arrival& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto east = x.template of<"eastward_wind_carried">(),
                   north = x.template of<"northward_wind_carried">();
        const auto B = x.template of<"hybrid_b">();
        const auto [cu, cv, cT, cp] = carried(a);
        const auto [Nu, Nv, NT, Np] = nonlinear(a);
        const auto [u, v, T, log_ps] = written(a);
        const N half = N(0.5 * s.step), per_cp = N(1 / s.heat_capacity);
        const Real surface = log_ps[0];
        for (int k = 0; k < x.levels(); ++k) {
            const Real warm = T[k], heat = -per_cp * warm, U = u[k], V = v[k],
                       mass = N(B[k + 1] - B[k]) * surface;
            cu[k] += fma(heat, east[k], U), cv[k] += fma(heat, north[k], V);
            cT[k] += warm, cp[k] += mass;
            Nu[k] += half * U, Nv[k] += half * V, NT[k] += half * warm, Np[k] += half * mass;
        }
    }
};

template <> struct Linear<atmosphere::ImplicitCoriolis> {
    /// forth = 1, its transpose: -1.
    template <class Real>
    static void turn(const atmosphere::ImplicitCoriolis& s, const auto& x, const auto& d,
                     int forth) {
        const auto u = d.template of<"eastward_wind">(), v = d.template of<"northward_wind">();
        const Real turn = forth *
                          (x.template of<"coriolis">()[0] * (0.5 * s.step * (1 + s.off_centring))),
                   less = 1.0 / fma(turn, turn, Real(1));
        for (int k = 0; k < x.levels(); ++k) {
            const Real U = u[k], V = v[k];
            u[k] = fma(turn, V, U) * less;
            v[k] = fma(-turn, U, V) * less;
        }
    }
    template <class Real>
    static void tangent(const atmosphere::ImplicitCoriolis& s, const auto& x, const auto& d) {
        turn<Real>(s, x, d, 1);
    }
    template <class Real>
    static void adjoint(const atmosphere::ImplicitCoriolis& s, const auto& x, const auto& a) {
        turn<Real>(s, x, a, -1);
    }
};

}  // namespace fathom
