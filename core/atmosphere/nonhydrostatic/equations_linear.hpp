/// Tangent and adjoint of the equations of compressible air (equations.hpp). A layer has the
/// coefficients of hydrostatic air (hydrostatic/primitive_linear.hpp: s, l, alpha, g, c, and
/// dalpha/dpi = e - g), and its pressure p; l is its depth h, too, but 2 at an open top. With
/// W = exp(q), h' = l S_k + alpha out_k, push = (p_k (W_k - 1) - p_{k-1} (W_{k-1} - 1)) / (p_k -
/// p_{k-1}), and x the slope of the interface below:
///   omega = g a - s h',         depth = R T h / W,          X = shear / depth
///   t = R (grad T - T grad q) / W,    slope = alpha t + R T / W (e - g) grad(pi) + x
///   F = -(R T (g grad(pi) + grad q) + (1 + push) slope),    x' = x + l t + R T / W c grad(pi)
/// Products and quotients are differentiated as they stand; dW = W dq.
#pragma once
#include "atmosphere/hydrostatic/primitive_linear.hpp"
#include "atmosphere/nonhydrostatic/equations.hpp"
#include "atmosphere/nonhydrostatic/step_linear.hpp"

namespace fathom::atmosphere {

template <class Real> struct CompressibleLayer : PrimitiveLayer<Real> {
    using N = typename Real::Number;
    OfLayer<Real> p;
    Real depth;  ///< h
    constexpr CompressibleLayer(Real above, Real below, Real ps, N B_above, N B_below)
        : PrimitiveLayer<Real>(above, below, ps, B_above, B_below) {
        const auto& log_ratio = this->l;
        const Real value = pressure_of_layer(above, below, log_ratio.value);
        depth = (below - above) / value;
        const Real per_depth = 1.0 / depth;
        p = {value, -fma(value, log_ratio.by_above, Real(1)) * per_depth,
             fma(-value, log_ratio.by_below, Real(1)) * per_depth};
    }
};

}  // namespace fathom::atmosphere

namespace fathom {

template <> struct Linear<atmosphere::CompressibleEquations> {
    using CompressibleEquations = atmosphere::CompressibleEquations;
    static auto state(const auto& f) {
        return std::tuple{
            f.template of<"eastward_wind">(),       f.template of<"northward_wind">(),
            f.template of<"virtual_temperature">(), f.template of<"log_pressure_departure">(),
            f.template of<"divergence">(),          f.template of<"vertical_divergence">(),
            f.template of<"pressure_interface">()};
    }
    static auto forces(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_force">(),
                          f.template of<"northward_wind_force">(),
                          f.template of<"adiabatic_heating">(),
                          f.template of<"log_pressure_departure_tendency">(),
                          f.template of<"log_pressure_ratio_tendency">(),
                          f.template of<"upward_acceleration">()};
    }
    static auto of_motion(const auto& f) {
        return std::tuple{f.template of<"eta_velocity">(),
                          f.template of<"layer_geopotential_depth">(),
                          f.template of<"shear_divergence">()};
    }
    template <class Real> struct Constants {
        using N = typename Real::Number;
        N R, ratio, RT_cv;
        explicit Constants(const CompressibleEquations& s)
            : R(N(s.gas_constant)),
              ratio(N(s.heat_capacity / (s.heat_capacity - s.gas_constant))),
              RT_cv(N(s.gas_constant / (s.heat_capacity - s.gas_constant))) {}
    };

    // long: one sweep down and one up the column, term by term as the kernel
    template <class Real>
    static void tangent(const CompressibleEquations& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [u, v, T, q, D, div, pi] = state(x);
        const auto [du, dv, dT, dq, dD, ddiv, dpi] = state(d);
        const auto [Tx, Ty, qx, qy, px, py] = compressible_linear::gradients(x);
        const auto [dTx, dTy, dqx, dqy, dpx, dpy] = compressible_linear::gradients(d);
        const auto [dFu, dFv, dFT, dFq, dFp, dFw] = forces(d);
        const auto [deta_velocity, ddepth, dX] = of_motion(d);
        const auto depth = x.template of<"layer_geopotential_depth">(),
                   X = x.template of<"shear_divergence">();
        const auto B = x.template of<"hybrid_b">(), eta = x.template of<"hybrid_eta">();
        const Constants<Real> c(s);
        const int levels = x.levels();
        const Real ps = pi[levels], dps = dpi[levels], s_x = px[0], s_y = py[0], ds_x = dpx[0],
                   ds_y = dpy[0];
        struct Kept {
            Real l, alpha, g, e, c, s, flux, m, part, along;
            Real dl, dalpha, dg, de, dc, ds, dflux, dm, dalong;
        } at[atmosphere::most_layers];
        Real sum(0), dsum(0), p_above(0), dp_above(0), e_above(0), de_above(0);
        for (int k = 0; k < levels; ++k) {
            const Real above = pi[k], below = pi[k + 1], da = dpi[k], db = dpi[k + 1];
            const atmosphere::CompressibleLayer<Real> layer(above, below, ps, B[k], B[k + 1]);
            const auto change = [&](const auto& of) { return of.change(da, db, dps); };
            Kept& now = at[k];
            now.l = layer.l.value, now.alpha = layer.alpha.value, now.s = layer.s.value;
            now.g = layer.g.value, now.e = layer.e.value - layer.g.value, now.c = layer.c.value;
            now.dl = change(layer.l), now.dalpha = change(layer.alpha), now.ds = change(layer.s);
            now.dg = change(layer.g), now.de = change(layer.e) - now.dg, now.dc = change(layer.c);
            now.along = fma(u[k], s_x, v[k] * s_y);
            now.dalong = fma(du[k], s_x, u[k] * ds_x) + fma(dv[k], s_y, v[k] * ds_y);
            const N dB = B[k + 1] - B[k];
            const Real out = fma(D[k], below - above, ps * dB * now.along),
                       dout = fma(dD[k], below - above, D[k] * (db - da)) +
                              dB * fma(dps, now.along, ps * now.dalong),
                       h = fma(now.l, sum, now.alpha * out),
                       dh = fma(now.dl, sum, now.l * dsum) + fma(now.dalpha, out, now.alpha * dout),
                       domega =
                           fma(now.dg, now.along, now.g * now.dalong) - fma(now.ds, h, now.s * dh),
                       expansion = D[k] + div[k], dexpansion = dD[k] + ddiv[k];
            dFT[k] = -c.RT_cv * fma(dT[k], expansion, T[k] * dexpansion);
            dFq[k] = -fma(Real(c.ratio), dexpansion, domega);
            sum += out, dsum += dout;
            now.flux = sum, now.dflux = dsum;
            const Real less = atmosphere::exponential_less_one(Real(q[k])), whole = 1.0 + less,
                       dp = layer.p.change(da, db), e = layer.p.value * less,
                       de = fma(dp, less, layer.p.value * whole * dq[k]),
                       apart = k > 0 ? layer.p.value - p_above : N(0.5) * (below - above),
                       dapart = k > 0 ? dp - dp_above : N(0.5) * (db - da);
            now.m = (e - e_above) / apart;
            now.dm = (de - de_above - now.m * dapart) / apart;
            now.part = 1.0 / whole;
            dFw[k] = constants::gravity * now.dm;
            ddepth[k] =
                fma(c.R * now.part, fma(layer.depth, dT[k], T[k] * now.dl), -(depth[k] * dq[k]));
            p_above = layer.p.value, dp_above = dp, e_above = e, de_above = de;
        }
        dFw[levels] = Real(0);
        const Real surface = -sum / ps, dsurface = -(dsum + surface * dps) / ps;
        const auto sx = x.template of<"orography_gradient_east">(),
                   sy = x.template of<"orography_gradient_north">();
        Real X_e = sx[0], X_n = sy[0], dX_e(0), dX_n(0), motion_below(0), dmotion_below(0),
             dshear_below(0), m_below = at[levels - 1].m, dm_below = at[levels - 1].dm;
        for (int k = levels - 1; k >= 0; --k) {
            const Kept& now = at[k];
            const Real warm = T[k], R_part = c.R * now.part, Rt = R_part * warm,
                       dRt = fma(R_part, dT[k], -(Rt * dq[k])), push = 0.5 * (now.m + m_below),
                       dpush = 0.5 * (now.dm + dm_below);
            /// One direction: its force, and the slope of the interface above.
            const auto force = [&](Real tilt, Real dtilt, Real warmer, Real dwarmer, Real departs,
                                   Real ddeparts, Real& slope, Real& dslope) {
                const Real t = R_part * fma(-warm, departs, warmer),
                           dt = fma(R_part, dwarmer - fma(dT[k], departs, warm * ddeparts),
                                    -(t * dq[k])),
                           here = fma(now.alpha, t, fma(Rt * now.e, tilt, slope)),
                           dhere = fma(now.dalpha, t, now.alpha * dt) +
                                   fma(fma(dRt, now.e, Rt * now.de), tilt,
                                       fma(Rt * now.e, dtilt, dslope)),
                           whole = fma(now.g, tilt, departs);
                slope = fma(now.l, t, fma(Rt * now.c, tilt, slope));
                dslope += fma(now.dl, t, now.l * dt) +
                          fma(fma(dRt, now.c, Rt * now.dc), tilt, Rt * now.c * dtilt);
                return -fma(c.R * dT[k], whole,
                            c.R * warm * (fma(now.dg, tilt, now.g * dtilt) + ddeparts)) -
                       fma(dpush, here, fma(push, dhere, dhere));
            };
            dFu[k] = force(s_x, ds_x, Tx[k], dTx[k], qx[k], dqx[k], X_e, dX_e);
            dFv[k] = force(s_y, ds_y, Ty[k], dTy[k], qy[k], dqy[k], X_n, dX_n);
            dFp[k] = now.dalong + dsurface;
            Real motion(0), dmotion(0), dshear(0);
            if (k > 0) {
                motion = B[k] * sum - at[k - 1].flux, dmotion = B[k] * dsum - at[k - 1].dflux;
                dshear = 0.5 * (fma(dX_e, u[k] - u[k - 1], X_e * (du[k] - du[k - 1])) +
                                fma(dX_n, v[k] - v[k - 1], X_n * (dv[k] - dv[k - 1])));
            }
            dX[k] = (dshear_below + dshear - X[k] * ddepth[k]) / depth[k];
            deta_velocity[k] =
                N(0.5) * (eta[k + 1] - eta[k]) *
                fma(dmotion + dmotion_below, now.s, (motion + motion_below) * now.ds);
            motion_below = motion, dmotion_below = dmotion, dshear_below = dshear;
            m_below = now.m, dm_below = now.dm;
        }
    }

    /// What the adjoint needs of a layer: values, then adjoints.
    template <class Real> struct Kept {
        atmosphere::CompressibleLayer<Real> layer;
        Real along, out, before, less, apart, push, slope_e, slope_n;
        Real s, l, alpha, g, e, c, of_along, of_push, motion, of_q;
    };
    /// The sweeps of the kernel again; the slopes are those of the interface below.
    template <class Real>
    static Real sweep(const CompressibleEquations& scheme, const auto& x, Kept<Real>* at) {
        using N = typename Real::Number;
        const auto [u, v, T, q, D, div, pi] = state(x);
        const auto [Tx, Ty, qx, qy, px, py] = compressible_linear::gradients(x);
        const auto B = x.template of<"hybrid_b">();
        const int levels = x.levels();
        const N R = N(scheme.gas_constant);
        const Real ps = pi[levels], s_x = px[0], s_y = py[0];
        Real sum(0), p_above(0), e_above(0);
        for (int k = 0; k < levels; ++k) {
            const Real above = pi[k], below = pi[k + 1];
            Kept<Real>& now = at[k];
            now.layer = atmosphere::CompressibleLayer<Real>(above, below, ps, B[k], B[k + 1]);
            now.along = fma(u[k], s_x, v[k] * s_y);
            now.out = fma(D[k], below - above, ps * (B[k + 1] - B[k]) * now.along);
            now.before = sum;
            sum += now.out;
            now.less = atmosphere::exponential_less_one(Real(q[k]));
            const Real p = now.layer.p.value, e = p * now.less;
            now.apart = k > 0 ? p - p_above : N(0.5) * (below - above);
            now.push = (e - e_above) / now.apart;
            now.of_push = now.motion = Real(0);
            p_above = p, e_above = e;
        }
        Real slope_e = x.template of<"orography_gradient_east">()[0],
             slope_n = x.template of<"orography_gradient_north">()[0];
        for (int k = levels - 1; k >= 0; --k) {
            Kept<Real>& now = at[k];
            now.slope_e = slope_e, now.slope_n = slope_n;
            const Real R_part = R / (1.0 + now.less), l = now.layer.l.value,
                       step = R_part * T[k] * now.layer.c.value;
            slope_e += fma(l * R_part, fma(-T[k], qx[k], Real(Tx[k])), step * s_x);
            slope_n += fma(l * R_part, fma(-T[k], qy[k], Real(Ty[k])), step * s_y);
        }
        return sum;
    }

    // long: each sweep of the kernel backwards
    template <class Real>
    static void adjoint(const CompressibleEquations& scheme, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [u, v, T, q, D, div, pi] = state(x);
        const auto [au, av, aT, aq, aD, adiv, api] = state(a);
        const auto [Tx, Ty, qx, qy, px, py] = compressible_linear::gradients(x);
        const auto [aTx, aTy, aqx, aqy, apx, apy] = compressible_linear::gradients(a);
        const auto [aFu, aFv, aFT, aFq, aFp, aFw] = forces(a);
        const auto [aeta_velocity, adepth, aX] = of_motion(a);
        const auto depth = x.template of<"layer_geopotential_depth">(),
                   X = x.template of<"shear_divergence">();
        const auto B = x.template of<"hybrid_b">(), eta = x.template of<"hybrid_eta">();
        const Constants<Real> c(scheme);
        const int levels = x.levels();
        const Real ps = pi[levels], s_x = px[0], s_y = py[0];
        alignas(64) std::byte memory[sizeof(Kept<Real>) * (atmosphere::most_layers + 1)];
        Kept<Real>* const at = (Kept<Real>*)memory;
        const Real sum = sweep<Real>(scheme, x, at), surface = -sum / ps;
        at[levels].motion = Real(0);
        Real a_e(0), a_n(0), as_x(0), as_y(0), asurface(0), atotal(0), of_shear(0);
        for (int k = 0; k < levels; ++k) {
            Kept<Real>& now = at[k];
            const auto& layer = now.layer;
            const Real warm = T[k], part = 1.0 / (1.0 + now.less), R_part = c.R * part,
                       Rt = R_part * warm, l = layer.l.value,
                       dalpha = layer.e.value - layer.g.value,
                       push = 0.5 * (now.push + at[std::min(k + 1, levels - 1)].push);
            const Real above = of_shear;
            of_shear = 0.5 * aX[k] / depth[k];
            if (k > 0) {
                const Real shear = above + of_shear, east = shear * at[k - 1].slope_e,
                           north = shear * at[k - 1].slope_n;
                a_e = fma(shear, u[k] - u[k - 1], a_e), a_n = fma(shear, v[k] - v[k - 1], a_n);
                au[k] += east, au[k - 1] -= east, av[k] += north, av[k - 1] -= north;
            }
            Real aRt(0), aforce(0), awarm(0);
            now.l = now.alpha = now.g = now.e = now.c = now.of_q = Real(0);
            /// One direction, as in the tangent; `beside`: adjoint of its slope.
            const auto force = [&](Real tilt, Real warmer, Real departs, Real slope, Real F,
                                   Real& beside, Real& atilt, auto awarmer, auto adeparts) {
                const Real t = R_part * fma(-warm, departs, warmer),
                           here = fma(layer.alpha.value, t, fma(Rt * dalpha, tilt, slope)),
                           of_here = -fma(push, F, F),
                           of_t = fma(l, beside, layer.alpha.value * of_here), heat = -c.R * F;
                now.l = fma(beside, t, now.l), now.alpha = fma(of_here, t, now.alpha);
                now.c = fma(Rt * tilt, beside, now.c), now.e = fma(Rt * tilt, of_here, now.e);
                now.g = fma(heat * warm, tilt, now.g);
                aRt = fma(tilt, fma(layer.c.value, beside, dalpha * of_here), aRt);
                atilt += fma(Rt, fma(layer.c.value, beside, dalpha * of_here),
                             heat * warm * layer.g.value);
                awarm += fma(heat, fma(layer.g.value, tilt, departs), -(R_part * departs * of_t));
                aforce = fma(-F, here, aforce);
                awarmer[k] += R_part * of_t;
                adeparts[k] += fma(heat, warm, -(Rt * of_t));
                now.of_q = fma(-t, of_t, now.of_q);
                beside += of_here;
            };
            force(s_x, Tx[k], qx[k], now.slope_e, aFu[k], a_e, as_x, aTx, aqx);
            force(s_y, Ty[k], qy[k], now.slope_n, aFv[k], a_n, as_y, aTy, aqy);
            now.of_push += 0.5 * aforce, at[std::min(k + 1, levels - 1)].of_push += 0.5 * aforce;
            const Real adeep = adepth[k] - X[k] * aX[k] / depth[k];
            now.l = fma(Rt, adeep, now.l);
            aT[k] += awarm + R_part * fma(layer.depth, adeep, aRt);
            now.of_q -= fma(depth[k], adeep, Rt * aRt);
            now.of_along = aFp[k];
            asurface += aFp[k];
            const Real half = N(0.5) * (eta[k + 1] - eta[k]) * aeta_velocity[k],
                       upper = k > 0 ? B[k] * sum - now.before : Real(0),
                       lower = k + 1 < levels ? B[k + 1] * sum - at[k + 1].before : Real(0);
            now.s = half * (upper + lower);
            now.motion = fma(half, layer.s.value, now.motion);
            at[k + 1].motion = half * layer.s.value;
            if (k > 0) atotal = fma(Real(B[k]), now.motion, atotal);
        }
        atotal -= asurface / ps;
        Real aps = -asurface * surface / ps, asum = atotal, of_below(0), ae(0), ap(0);
        for (int k = levels - 1; k >= 0; --k) {
            Kept<Real>& now = at[k];
            const auto& layer = now.layer;
            const Real thick = pi[k + 1] - pi[k], p = layer.p.value;
            if (k + 1 < levels) asum -= at[k + 1].motion;
            // m above the layer, and its e and p
            const Real w = fma(constants::gravity, Real(aFw[k]), now.of_push) / now.apart,
                       apart = -now.push * w;
            ae += w;
            if (k > 0) ap += apart;
            ap = fma(ae, now.less, ap);
            aq[k] += fma(ae * p, 1.0 + now.less, now.of_q);
            // continuity and omega
            const Real omega = -aFq[k], heat = -c.RT_cv * aFT[k], expansion = D[k] + div[k],
                       of_expansion = fma(Real(c.ratio), omega, heat * T[k]),
                       h = fma(layer.l.value, now.before, layer.alpha.value * now.out),
                       qs = omega * layer.s.value;
            aT[k] += heat * expansion;
            now.g = fma(omega, now.along, now.g - now.e), now.s = fma(-omega, h, now.s);
            now.l = fma(-qs, now.before, now.l), now.alpha = fma(-qs, now.out, now.alpha);
            const Real aout = fma(-qs, layer.alpha.value, asum);
            asum = fma(-qs, layer.l.value, asum);
            adiv[k] += of_expansion;
            aD[k] += fma(aout, thick, of_expansion);
            const Real of_along = aout * (B[k + 1] - B[k]),
                       along = fma(omega, layer.g.value, fma(of_along, ps, now.of_along)),
                       of_thick = fma(aout, D[k], k > 0 ? Real(0) : N(0.5) * apart);
            aps = fma(of_along, now.along, aps);
            au[k] += along * s_x, av[k] += along * s_y;
            as_x = fma(along, u[k], as_x), as_y = fma(along, v[k], as_y);
            const auto back = [&](auto by) {
                return fma(now.s, layer.s.*by, now.l * layer.l.*by) +
                       fma(now.alpha, layer.alpha.*by, now.g * layer.g.*by) +
                       fma(now.e, layer.e.*by, now.c * layer.c.*by);
            };
            using C = atmosphere::Coefficient<Real>;
            api[k + 1] += of_below + of_thick + fma(ap, layer.p.by_below, back(&C::by_below));
            of_below = fma(ap, layer.p.by_above, back(&C::by_above)) - of_thick;
            aps += back(&C::by_surface);
            ae = -w, ap = k > 0 ? -apart : Real(0);
        }
        api[0] += of_below;
        api[levels] += aps;
        apx[0] += as_x, apy[0] += as_y;
    }
};

/// d(w_k) = d(w_{k+1}) + d((d - X) depth) / g
template <> struct Linear<atmosphere::UpwardVelocity> {
    static constexpr double per_gravity = 1 / constants::gravity;
    static auto layers(const auto& f) {
        return std::tuple{f.template of<"vertical_divergence">(),
                          f.template of<"layer_geopotential_depth">(),
                          f.template of<"shear_divergence">()};
    }
    static auto wind(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(), f.template of<"northward_wind">()};
    }
    static auto slope(const auto& x) {
        return std::tuple{x.template of<"orography_gradient_east">(),
                          x.template of<"orography_gradient_north">()};
    }
    template <class Real>
    static void tangent(const atmosphere::UpwardVelocity&, const auto& x, const auto& change) {
        const auto [d, depth, X] = layers(x);
        const auto [dd, ddepth, dX] = layers(change);
        const auto [du, dv] = wind(change);
        const auto [sx, sy] = slope(x);
        const auto dw = change.template of<"upward_air_velocity">();
        const int ground = x.levels();
        Real below = fma(du[ground - 1], sx[0], dv[ground - 1] * sy[0]) * per_gravity;
        dw[ground] = below;
        for (int k = ground - 1; k >= 0; --k) {
            below += per_gravity * fma(dd[k] - dX[k], depth[k], (d[k] - X[k]) * ddepth[k]);
            dw[k] = below;
        }
    }
    template <class Real>
    static void adjoint(const atmosphere::UpwardVelocity&, const auto& x, const auto& a) {
        const auto [d, depth, X] = layers(x);
        const auto [ad, adepth, aX] = layers(a);
        const auto [au, av] = wind(a);
        const auto [sx, sy] = slope(x);
        const auto aw = a.template of<"upward_air_velocity">();
        const int ground = x.levels();
        Real above(0);
        for (int k = 0; k < ground; ++k) {
            above = fma(per_gravity, Real(aw[k]), above);
            const Real deep = above * depth[k];
            ad[k] += deep, aX[k] -= deep;
            adepth[k] += above * (d[k] - X[k]);
        }
        above = fma(per_gravity, Real(aw[ground]), above);
        au[ground - 1] += above * sx[0], av[ground - 1] += above * sy[0];
    }
};

}  // namespace fathom
