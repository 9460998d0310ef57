/// Tangent and adjoint of the primitive equations (primitive.hpp). With h = l S_k + alpha out_k,
/// S_k the sum of `out` above the layer, a = v . grad(pi), and the coefficients of a layer: s = 1 /
/// dp, l, alpha, g of ln p, e = dalpha/dpi + g, c = dl/dpi,
///   FT = kappa T (g a - s h),   out = D dp + p_s dB a
///   F  = -(R (m grad(pi) + alpha grad T + X_k)),   m = T e + G_k,
///       X_{k-1} = X_k + l grad T,   G_{k-1} = G_k + c T
/// Each coefficient is a function of the pressures a and b of the two interfaces and of p_s: with q
/// = p_s s, B_a and B_b those of the interfaces,
///   g = q w,   w = l B_a + alpha dB,   c = p_s (B_b / b - B_a / a)
///   dalpha/dpi = -(q (B_a - a s dB) l + a s c)
#pragma once
#include "atmosphere/hydrostatic/layer_slopes.hpp"
#include "atmosphere/hydrostatic/primitive.hpp"
#include "field/linear.hpp"

namespace fathom::atmosphere {

/// A coefficient with its derivatives by a, b and p_s.
template <class Real> struct Coefficient {
    Real value, by_above, by_below, by_surface;
    constexpr Coefficient() = default;
    constexpr Coefficient(OfLayer<Real> f, Real by_surface = Real(0))
        : value(f.value), by_above(f.by_above), by_below(f.by_below), by_surface(by_surface) {}
    constexpr Real change(Real above, Real below, Real surface) const {
        return fma(by_above, above, fma(by_below, below, by_surface * surface));
    }
};

template <class Real> struct PrimitiveLayer {
    using N = typename Real::Number;
    Coefficient<Real> s, l, alpha, g, e, c;
    constexpr PrimitiveLayer(Real above, Real below, Real ps, N B_above, N B_below) {
        const LayerSlopes<Real> layer(above, below);
        const N dB = B_below - B_above;
        const Real zero(0), one(1);
        const auto closed = above > zero;
        s = layer.per_thickness, l = layer.log_ratio, alpha = layer.alpha;
        OfLayer<Real> share = layer.above * layer.per_thickness,
                      w = Real(B_above) * layer.log_ratio + Real(dB) * layer.alpha,
                      q = ps * layer.per_thickness;
        const Real b = B_above * layer.per_above, d = B_below * layer.per_below;
        OfLayer<Real> log_slope{ps * (d - b), ps * b * layer.per_above, -ps * d * layer.per_below};
        Real of_log = d - b;
        log_slope.value = select(closed, log_slope.value, zero);
        log_slope.by_below = select(closed, log_slope.by_below, zero);
        of_log = select(closed, of_log, zero);
        c = {log_slope, of_log};
        const OfLayer<Real> gradient = q * w;
        g = {gradient, layer.per_thickness.value * w.value};
        OfLayer<Real> left = Real(-dB) * share;
        left.value += B_above;
        OfLayer<Real> slope = q * left * layer.log_ratio + share * log_slope;
        const Real by_surface = fma(layer.per_thickness.value * left.value, layer.log_ratio.value,
                                    share.value * of_log);
        const Real weight = select(closed, one, zero);
        e = {gradient + (-weight) * slope, g.by_surface - weight * by_surface};
    }
};

}  // namespace fathom::atmosphere

namespace fathom {

template <> struct Linear<atmosphere::PrimitiveEquations> {
    using PrimitiveEquations = atmosphere::PrimitiveEquations;
    static auto read(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(),
                          f.template of<"northward_wind">(),
                          f.template of<"virtual_temperature">(),
                          f.template of<"divergence">(),
                          f.template of<"temperature_gradient_east">(),
                          f.template of<"temperature_gradient_north">(),
                          f.template of<"pressure_gradient_east">(),
                          f.template of<"pressure_gradient_north">(),
                          f.template of<"pressure_interface">()};
    }
    static auto written(const auto& f) {
        return std::tuple{
            f.template of<"eastward_wind_force">(), f.template of<"northward_wind_force">(),
            f.template of<"adiabatic_heating">(), f.template of<"log_pressure_ratio_tendency">(),
            f.template of<"eta_velocity">()};
    }
    // long: one sweep down and one up the column, term by term as the kernel
    template <class Real>
    static void tangent(const PrimitiveEquations& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [u, v, T, D, Tx, Ty, px, py, p] = read(x);
        const auto [du, dv, dT, dD, dTx, dTy, dpx, dpy, dp] = read(d);
        const auto [dFu, dFv, dFT, dFp, deta_velocity] = written(d);
        const auto B = x.template of<"hybrid_b">(), eta = x.template of<"hybrid_eta">();
        const int levels = x.levels();
        const N R = N(s.gas_constant), kappa = N(s.gas_constant / s.heat_capacity);
        const Real ps = p[levels], dps = dp[levels], pi_x = px[0], pi_y = py[0], dpi_x = dpx[0],
                   dpi_y = dpy[0];
        struct Kept {
            Real l, alpha, e, c, s, flux, dl, dalpha, de, dc, ds, dflux;
        } at[atmosphere::most_layers];
        Real sum(0), dsum(0);
        for (int k = 0; k < levels; ++k) {
            const Real above = p[k], below = p[k + 1], da = dp[k], db = dp[k + 1];
            const atmosphere::PrimitiveLayer<Real> layer(above, below, ps, B[k], B[k + 1]);
            const auto change = [&](const auto& c) { return c.change(da, db, dps); };
            Kept& now = at[k];
            now.l = layer.l.value, now.alpha = layer.alpha.value, now.s = layer.s.value;
            now.e = layer.e.value, now.c = layer.c.value;
            now.dl = change(layer.l), now.dalpha = change(layer.alpha), now.ds = change(layer.s);
            now.de = change(layer.e), now.dc = change(layer.c);
            const Real g = layer.g.value, dg = change(layer.g), warm = T[k], out_D = D[k];
            const N dB = B[k + 1] - B[k];
            const Real along = fma(u[k], pi_x, v[k] * pi_y),
                       dalong = fma(du[k], pi_x, u[k] * dpi_x) + fma(dv[k], pi_y, v[k] * dpi_y);
            const Real out = fma(out_D, below - above, ps * dB * along),
                       dout = fma(dD[k], below - above, out_D * (db - da)) +
                              dB * fma(dps, along, ps * dalong);
            const Real h = fma(now.l, sum, now.alpha * out),
                       dh = fma(now.dl, sum, now.l * dsum) + fma(now.dalpha, out, now.alpha * dout);
            dFT[k] = kappa * fma(Real(dT[k]), fma(g, along, -(now.s * h)),
                                 warm * (fma(dg, along, g * dalong) - fma(now.ds, h, now.s * dh)));
            sum += out, dsum += dout;
            now.flux = sum, now.dflux = dsum;
        }
        const Real surface = -sum / ps, dsurface = -(dsum + surface * dps) / ps;
        Real dx(0), dy(0), G(0), dG(0), motion_below(0), dmotion_below(0);
        for (int k = levels - 1; k >= 0; --k) {
            const Kept& now = at[k];
            const Real tx = Tx[k], ty = Ty[k], dtx = dTx[k], dty = dTy[k], warm = T[k],
                       dwarm = dT[k];
            const Real m = fma(warm, now.e, G), dm = fma(dwarm, now.e, fma(warm, now.de, dG));
            dFu[k] = -R * (fma(dm, pi_x, m * dpi_x) + fma(now.dalpha, tx, now.alpha * dtx) + dx);
            dFv[k] = -R * (fma(dm, pi_y, m * dpi_y) + fma(now.dalpha, ty, now.alpha * dty) + dy);
            dx += fma(now.dl, tx, now.l * dtx);
            dy += fma(now.dl, ty, now.l * dty);
            G = fma(now.c, warm, G);
            dG += fma(now.dc, warm, now.c * dwarm);
            dFp[k] = fma(du[k], pi_x, u[k] * dpi_x) + fma(dv[k], pi_y, v[k] * dpi_y) + dsurface;
            const Real motion = k > 0 ? B[k] * sum - at[k - 1].flux : Real(0),
                       dmotion = k > 0 ? B[k] * dsum - at[k - 1].dflux : Real(0);
            deta_velocity[k] =
                N(0.5) * (eta[k + 1] - eta[k]) *
                fma(dmotion + dmotion_below, now.s, (motion + motion_below) * now.ds);
            motion_below = motion, dmotion_below = dmotion;
        }
    }

    // long: the sweeps of the kernel again, then each of them backwards
    template <class Real>
    static void adjoint(const PrimitiveEquations& scheme, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [u, v, T, D, Tx, Ty, px, py, p] = read(x);
        const auto [au, av, aT, aD, aTx, aTy, apx, apy, ap] = read(a);
        const auto [aFu, aFv, aFT, aFp, aeta_velocity] = written(a);
        const auto B = x.template of<"hybrid_b">(), eta = x.template of<"hybrid_eta">();
        const int levels = x.levels();
        const N R = N(scheme.gas_constant), kappa = N(scheme.gas_constant / scheme.heat_capacity);
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0];
        struct Kept {
            atmosphere::PrimitiveLayer<Real> layer;
            Real along, out, before, m, l, alpha, s, e, c, motion;  // adjoints from l on
            Kept() : layer(Real(1), Real(2), Real(1), N(0), N(1)) {}
        };
        alignas(64) std::byte memory[sizeof(Kept) * (atmosphere::most_layers + 1)];
        Kept* const at = (Kept*)memory;
        Real sum(0);
        for (int k = 0; k < levels; ++k) {
            Kept& now = at[k];
            now.layer = atmosphere::PrimitiveLayer<Real>(p[k], p[k + 1], ps, B[k], B[k + 1]);
            now.along = fma(u[k], pi_x, v[k] * pi_y);
            now.out = fma(D[k], p[k + 1] - p[k], ps * (B[k + 1] - B[k]) * now.along);
            now.before = sum;
            sum += now.out;
            now.motion = Real(0);
        }
        Real G(0);
        for (int k = levels - 1; k >= 0; --k) {
            at[k].m = fma(T[k], at[k].layer.e.value, G);
            G = fma(at[k].layer.c.value, T[k], G);
        }
        at[levels].motion = Real(0);
        const Real surface = -sum / ps;
        Real ax(0), ay(0), aG(0), api_x(0), api_y(0), asurface(0), atotal(0);
        for (int k = 0; k < levels; ++k) {
            Kept& now = at[k];
            const auto& [s, l, alpha, g, e, c] = now.layer;
            const Real tx = Tx[k], ty = Ty[k], warm = T[k], fu = -R * aFu[k], fv = -R * aFv[k];
            now.l = fma(ax, tx, ay * ty);
            now.c = aG * warm;
            now.alpha = fma(fu, tx, fv * ty);
            aTx[k] += fma(ax, l.value, fu * alpha.value);
            aTy[k] += fma(ay, l.value, fv * alpha.value);
            const Real am = fma(fu, pi_x, fv * pi_y);
            now.e = am * warm;
            aT[k] += fma(aG, c.value, am * e.value);
            api_x = fma(fu, now.m, api_x), api_y = fma(fv, now.m, api_y);
            ax += fu, ay += fv, aG += am;
            asurface += aFp[k];
            const Real half = N(0.5) * (eta[k + 1] - eta[k]) * aeta_velocity[k];
            const Real upper = k > 0 ? B[k] * sum - now.before : Real(0),
                       lower = k + 1 < levels ? B[k + 1] * sum - at[k + 1].before : Real(0);
            now.s = half * (upper + lower);
            now.motion = fma(half, s.value, now.motion);
            at[k + 1].motion = half * s.value;
            if (k > 0) atotal = fma(Real(B[k]), now.motion, atotal);
        }
        atotal -= asurface / ps;
        Real aps = -asurface * surface / ps, asum = atotal, of_below(0);
        for (int k = levels - 1; k >= 0; --k) {
            Kept& now = at[k];
            const auto& [s, l, alpha, g, e, c] = now.layer;
            const N dB = B[k + 1] - B[k];
            if (k + 1 < levels) asum -= at[k + 1].motion;
            const Real heat = kappa * aFT[k], q = heat * T[k],
                       h = fma(l.value, now.before, alpha.value * now.out);
            aT[k] += heat * fma(g.value, now.along, -(s.value * h));
            const Real qs = q * s.value, ag = q * now.along;
            now.s = fma(-q, h, now.s);
            now.l = fma(-qs, now.before, now.l);
            now.alpha = fma(-qs, now.out, now.alpha);
            const Real aout = fma(-qs, alpha.value, asum);
            asum = fma(-qs, l.value, asum);
            aD[k] += aout * (p[k + 1] - p[k]);
            const Real thickness = aout * D[k], of_along = aout * dB;
            aps = fma(of_along, now.along, aps);
            const Real aalong = fma(q, g.value, fma(of_along, ps, aFp[k]));
            au[k] += aalong * pi_x, av[k] += aalong * pi_y;
            api_x = fma(aalong, u[k], api_x), api_y = fma(aalong, v[k], api_y);
            const auto back = [&](auto by) {
                return fma(now.s, s.*by, now.l * l.*by) + fma(now.alpha, alpha.*by, ag * g.*by) +
                       fma(now.e, e.*by, now.c * c.*by);
            };
            using C = atmosphere::Coefficient<Real>;
            ap[k + 1] += of_below + thickness + back(&C::by_below);
            of_below = back(&C::by_above) - thickness;
            aps += back(&C::by_surface);
        }
        ap[0] += of_below;
        ap[levels] += aps;
        apx[0] += api_x, apy[0] += api_y;
    }
};

}  // namespace fathom
