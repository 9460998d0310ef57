/// Tangent and adjoint of shallow water (terms.hpp): linear except phi div v,
///   d(phi div v) = dphi div v + phi d(div v)
#pragma once
#include "atmosphere/shallow_water/terms.hpp"
#include "field/linear.hpp"

namespace fathom {

template <> struct Linear<atmosphere::ShallowWaterTerms> {
    using ShallowWaterTerms = atmosphere::ShallowWaterTerms;
    static auto read(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(),
                          f.template of<"northward_wind">(),
                          f.template of<"fluid_geopotential">(),
                          f.template of<"divergence">(),
                          f.template of<"geopotential_gradient_east">(),
                          f.template of<"geopotential_gradient_north">()};
    }
    static auto updated(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_nonlinear">(),
                          f.template of<"northward_wind_nonlinear">(),
                          f.template of<"geopotential_nonlinear">()};
    }
    static auto carried(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_carried">(),
                          f.template of<"northward_wind_carried">(),
                          f.template of<"geopotential_carried">()};
    }
    static auto ground(const auto& x) {
        return std::tuple{x.template of<"orography_gradient_east">(),
                          x.template of<"orography_gradient_north">(), x.template of<"coriolis">()};
    }
    template <class Real>
    static void tangent(const ShallowWaterTerms& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto phi = x.template of<"fluid_geopotential">(), D = x.template of<"divergence">();
        const auto [gx, gy, coriolis] = ground(x);
        const auto weights = x.template of<"time_weights">();
        const auto [du, dv, dphi, dD, dphi_x, dphi_y] = read(d);
        const auto [dNu, dNv, dNp] = updated(d);
        const auto [dcu, dcv, dcp] = carried(d);
        const N half = N(0.5 * s.step), old = N(1 - s.off_centring), mean = N(s.mean_geopotential),
                beyond = N(atmosphere::of_gradient(s.splitting, s.step, s.off_centring));
        const auto split = [&](Real X, Real n, Real L, auto of_N, auto to) {
            const Real last = of_N;
            to = fma(half, fma(old, L, fma(Real(weights[0]), n, weights[1] * last)), X);
            of_N = n;
        };
        const Real U = du[0], V = dv[0], f = coriolis[0], Lu = -dphi_x[0], Lv = -dphi_y[0];
        split(U, Real(0), f * fma(beyond, Lv, V) + Lu, dNu[0], dcu[0]);
        split(V, Real(0), -f * fma(beyond, Lu, U) + Lv, dNv[0], dcv[0]);
        split(dphi[0], fma(U, gx[0], V * gy[0]) - fma(dphi[0], D[0], (phi[0] - mean) * dD[0]),
              -mean * dD[0], dNp[0], dcp[0]);
        d.template of<"eta_velocity">()[0] = Real(0);
    }
    template <class Real>
    static void adjoint(const ShallowWaterTerms& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto phi = x.template of<"fluid_geopotential">(), D = x.template of<"divergence">();
        const auto [gx, gy, coriolis] = ground(x);
        const auto weights = x.template of<"time_weights">();
        const auto [au, av, aphi, aD, aphi_x, aphi_y] = read(a);
        const auto [aNu, aNv, aNp] = updated(a);
        const auto [acu, acv, acp] = carried(a);
        const N half = N(0.5 * s.step), old = N(1 - s.off_centring), mean = N(s.mean_geopotential),
                beyond = N(atmosphere::of_gradient(s.splitting, s.step, s.off_centring));
        const auto split = [&](Real carried, auto of_N) {  // adjoints of N and L
            const Real part = half * carried, n = of_N + weights[0] * part;
            of_N = weights[1] * part;
            return std::pair(n, Real(old * part));
        };
        const Real east = acu[0], north = acv[0], mass = acp[0], f = coriolis[0];
        const Real Lu = split(east, aNu[0]).second, Lv = split(north, aNv[0]).second;
        const auto [n, Lp] = split(mass, aNp[0]);
        const Real turned = f * Lu, turned_back = -f * Lv;
        au[0] += east + fma(n, gx[0], turned_back);
        av[0] += north + fma(n, gy[0], turned);
        aphi_x[0] -= fma(beyond, turned_back, Lu);
        aphi_y[0] -= fma(beyond, turned, Lv);
        aphi[0] += mass - n * D[0];
        aD[0] -= fma(phi[0] - mean, n, mean * Lp);
    }
};

template <> struct Linear<atmosphere::ShallowWaterArrival> {
    static auto carried(const auto& f) { return Linear<atmosphere::ShallowWaterTerms>::carried(f); }
    static auto nonlinear(const auto& f) {
        return Linear<atmosphere::ShallowWaterTerms>::updated(f);
    }
    static auto written(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"fluid_geopotential">()};
    }
    template <class Real>
    static void tangent(const atmosphere::ShallowWaterArrival& s, const auto&, const auto& d) {
        const auto [cu, cv, cp] = carried(d);
        const auto [Nu, Nv, Np] = nonlinear(d);
        const auto [u, v, phi] = written(d);
        const auto half = typename Real::Number(0.5 * s.step);
        u[0] = fma(half, Nu[0], Real(cu[0]));
        v[0] = fma(half, Nv[0], Real(cv[0]));
        phi[0] = fma(half, Np[0], Real(cp[0]));
    }
    template <class Real>
    static void adjoint(const atmosphere::ShallowWaterArrival& s, const auto&, const auto& a) {
        const auto [cu, cv, cp] = carried(a);
        const auto [Nu, Nv, Np] = nonlinear(a);
        const auto [u, v, phi] = written(a);
        const auto half = typename Real::Number(0.5 * s.step);
        cu[0] += Real(u[0]), cv[0] += Real(v[0]), cp[0] += Real(phi[0]);
        Nu[0] += half * u[0], Nv[0] += half * v[0], Np[0] += half * phi[0];
    }
};

}  // namespace fathom
