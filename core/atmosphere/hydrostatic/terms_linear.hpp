/// Tangent and adjoint of the semi-implicit terms (primitive.hpp). What splits a tendency F into L
/// and N is linear:
///   N = F - L,   carried = X + dt/2 [(1-e) (L + rotation) + w_0 N + w_1 N_before]
/// Products are left in
///   out = D dp + p_s dB v . grad(pi),   v^2 / 2 c_p of the wind that is carried,
///   o = [M_k+1/2 x_below + M_k-1/2 x_above] / 2 dp, x of CrossingHeat and linear in T:
///       do = d[M_k+1/2 x_below + M_k-1/2 x_above] / 2 dp - o d(dp) / dp
#pragma once
#include "atmosphere/hydrostatic/primitive.hpp"
#include "field/linear.hpp"

namespace fathom {

template <> struct Linear<atmosphere::SemiImplicitTerms> {
    using SemiImplicitTerms = atmosphere::SemiImplicitTerms;
    static auto state(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(),
                          f.template of<"northward_wind">(),
                          f.template of<"divergence">(),
                          f.template of<"pressure_gradient_east">(),
                          f.template of<"pressure_gradient_north">(),
                          f.template of<"pressure_interface">(),
                          f.template of<"eastward_wind_carried">(),
                          f.template of<"northward_wind_carried">()};
    }
    static auto linear(const auto& f) {
        return std::tuple{f.template of<"virtual_temperature">(),
                          f.template of<"temperature_gradient_east">(),
                          f.template of<"temperature_gradient_north">(),
                          f.template of<"log_pressure_ratio">(),
                          f.template of<"temperature_carried">(),
                          f.template of<"log_pressure_ratio_carried">()};
    }
    static auto forces(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_force">(),
                          f.template of<"northward_wind_force">(),
                          f.template of<"adiabatic_heating">(),
                          f.template of<"log_pressure_ratio_tendency">(),
                          f.template of<"eastward_wind_tendency">(),
                          f.template of<"northward_wind_tendency">(),
                          f.template of<"air_temperature_tendency">()};
    }
    static auto nonlinear(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_nonlinear">(),
                          f.template of<"northward_wind_nonlinear">(),
                          f.template of<"temperature_nonlinear">(),
                          f.template of<"log_pressure_ratio_nonlinear">()};
    }
    static auto profiles(const auto& x) {
        return std::tuple{x.template of<"time_weights">(),
                          x.template of<"reference_alpha">(),
                          x.template of<"reference_log_ratio">(),
                          x.template of<"reference_thickness">(),
                          x.template of<"hybrid_b">(),
                          x.template of<"standard_temperature">(),
                          x.template of<"slope_above">(),
                          x.template of<"slope_below">()};
    }
    static auto fixed(const auto& x) {
        return std::tuple{x.template of<"orography_gradient_east">(),
                          x.template of<"orography_gradient_north">(), x.template of<"coriolis">()};
    }
    template <class Real> struct Constants {
        using N = typename Real::Number;
        N R, RT, whole, half, old, beyond, kappa_T, per_cp;
        explicit Constants(const SemiImplicitTerms& s)
            : R(N(s.gas_constant)),
              RT(N(s.gas_constant * s.reference_temperature)),
              whole(N(s.step)),
              half(N(0.5 * s.step)),
              old(N(1 - s.off_centring)),
              beyond(N(atmosphere::of_gradient(s.splitting, s.step, s.off_centring))),
              kappa_T(N(s.gas_constant / s.heat_capacity * s.reference_temperature)),
              per_cp(N(1 / s.heat_capacity)) {}
    };
    /// Heat that crosses interfaces: o and x of each layer, M of the interface below, `out` of all.
    template <class Real> struct Crossing {
        static constexpr int most = atmosphere::most_layers;
        Real of[most], M[most], x_above[most], x_below[most], total;
        Real M_above(int k) const { return k > 0 ? M[k - 1] : Real(0); }
    };
    template <class Real> static Crossing<Real> crossing(const auto& x) {
        using N = typename Real::Number;
        const auto [u, v, D, px, py, p, cu, cv] = state(x);
        const auto T = x.template of<"virtual_temperature">();
        const auto [weights, alpha, log_ratio, thickness, B, ground, a, b] = profiles(x);
        Crossing<Real> made;
        Real flux(0);
        const int levels = x.levels();
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0];
        for (int k = 0; k < levels; ++k) {
            flux += fma(D[k], p[k + 1] - p[k],
                        ps * (N(B[k + 1] - B[k]) * fma(u[k], pi_x, v[k] * pi_y)));
            made.M[k] = flux;
        }
        made.total = flux;
        atmosphere::CrossingHeat<Real> heat;
        for (int k = 0; k < levels; ++k) {
            const bool last = k + 1 == levels;
            made.M[k] = last ? Real(0) : fma(Real(B[k + 1]), flux, -made.M[k]);
            made.of[k] =
                heat.of_layer(last ? Real(0) : T[k + 1] - T[k],
                              last ? N(0) : ground[k + 1] - ground[k], made.M[k], a[k], b[k]) /
                (p[k + 1] - p[k]);
            made.x_above[k] = heat.above, made.x_below[k] = heat.below;
        }
        return made;
    }

    // long: the two sweeps of the kernel, term by term
    template <class Real>
    static void tangent(const SemiImplicitTerms& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [u, v, D, px, py, p, cu, cv] = state(x);
        const auto [du, dv, dD, dpx, dpy, dp, dcu, dcv] = state(d);
        const auto [dT, dTx, dTy, dlog_ps, dcT, dcp] = linear(d);
        const auto [dFu, dFv, dFT, dFp, dPu, dPv, dPT] = forces(d);
        const auto [dNu, dNv, dNT, dNp] = nonlinear(d);
        const auto [weights, alpha, log_ratio, thickness, B, ground, a_of, b_of] = profiles(x);
        const auto [sx, sy, coriolis] = fixed(x);
        const Constants<Real> c(s);
        const int levels = x.levels();
        const N now = weights[0], before = weights[1];
        const auto split = [&](Real X, Real F, Real L, Real rotation, auto of_N) {
            const Real n = F - L, last = of_N;
            of_N = n;
            return fma(c.half, fma(c.old, L + rotation, fma(now, n, before * last)), X);
        };
        const Real ps = p[levels], dps = dp[levels], pi_x = px[0], pi_y = py[0], dpi_x = dpx[0],
                   dpi_y = dpy[0];
        Real dout[atmosphere::most_layers], denergy[atmosphere::most_layers], dtotal(0), dlinear(0);
        for (int k = 0; k < levels; ++k) {
            const Real along = fma(u[k], pi_x, v[k] * pi_y),
                       dalong = fma(du[k], pi_x, u[k] * dpi_x) + fma(dv[k], pi_y, v[k] * dpi_y);
            dout[k] = fma(dD[k], p[k + 1] - p[k], D[k] * (dp[k + 1] - dp[k])) +
                      N(B[k + 1] - B[k]) * fma(dps, along, ps * dalong);
            dtotal += dout[k];
            dlinear = fma(thickness[k], dD[k], dlinear);
        }
        const Real f = coriolis[0], mountain_x = sx[0] * (1 / c.RT),
                   mountain_y = sy[0] * (1 / c.RT);
        Real dx = c.RT * dpi_x, dy = c.RT * dpi_y;
        for (int k = levels - 1; k >= 0; --k) {
            const Real tx = dTx[k], ty = dTy[k], U = du[k], V = dv[k];
            const Real Lu = -fma(c.R * alpha[k], tx, dx), Lv = -fma(c.R * alpha[k], ty, dy);
            const Real east = split(fma(c.whole, dPu[k], U), dFu[k], Lu, f * fma(c.beyond, Lv, V),
                                    dNu[k]),
                       north = split(fma(c.whole, dPv[k], V), dFv[k], Lv, -f * fma(c.beyond, Lu, U),
                                     dNv[k]);
            dcu[k] = east, dcv[k] = north;
            denergy[k] = c.per_cp * fma(cu[k], east, cv[k] * north);
            dcp[k] = split(dlog_ps[0], dFp[k] + fma(U, mountain_x, V * mountain_y), -dlinear,
                           Real(0), dNp[k]);
            dx = fma(c.R * log_ratio[k], tx, dx);
            dy = fma(c.R * log_ratio[k], ty, dy);
        }
        const auto of = crossing<Real>(x);
        atmosphere::CrossingHeat<Real> dheat;
        Real dflux(0), dM_above(0), dsum(0);
        for (int k = 0; k < levels; ++k) {
            const bool last = k + 1 == levels;
            dflux += dout[k];
            const Real dM = last ? Real(0) : fma(Real(B[k + 1]), dtotal, -dflux),
                       of_T = dheat.of_layer(last ? Real(0) : dT[k + 1] - dT[k], N(0), of.M[k],
                                             a_of[k], b_of[k]),
                       of_M = N(0.5) * fma(dM, of.x_below[k], dM_above * of.x_above[k]);
            const Real crossing =
                (of_T + of_M - of.of[k] * (dp[k + 1] - dp[k])) / (p[k + 1] - p[k]);
            dcT[k] = split(fma(c.whole, dPT[k], dT[k]) + denergy[k], dFT[k] - crossing,
                           -c.kappa_T * fma(alpha[k], dD[k], log_ratio[k] / thickness[k] * dsum),
                           Real(0), dNT[k]);
            dsum = fma(thickness[k], dD[k], dsum);
            dM_above = dM;
        }
    }

    // long: the sweeps of the tangent backwards
    template <class Real>
    static void adjoint(const SemiImplicitTerms& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [u, v, D, px, py, p, cu, cv] = state(x);
        const auto [au, av, aD, apx, apy, ap, acu, acv] = state(a);
        const auto [aT, aTx, aTy, alog_ps, acT, acp] = linear(a);
        const auto [aFu, aFv, aFT, aFp, aPu, aPv, aPT] = forces(a);
        const auto [aNu, aNv, aNT, aNp] = nonlinear(a);
        const auto [weights, alpha, log_ratio, thickness, B, ground, a_of, b_of] = profiles(x);
        const auto [sx, sy, coriolis] = fixed(x);
        const Constants<Real> c(s);
        const int levels = x.levels();
        const N now = weights[0], before = weights[1];
        struct Split {
            Real F, L, rotation;
        };
        const auto split = [&](Real carried, auto of_N) {
            const Real half = c.half * carried, n = of_N + now * half;
            of_N = before * half;
            return Split{n, fma(c.old, half, -n), c.old * half};
        };
        const auto of = crossing<Real>(x);
        Real aout[atmosphere::most_layers], aflux(0), of_below(0), asum(0), atotal(0);
        Real aM_below(0), abelow(0);  // of the interface below: from the layer below it
        for (int k = levels - 1; k >= 0; --k) {
            const Real carried = acT[k];
            const Split T = split(carried, aNT[k]);
            aT[k] += carried, aPT[k] += c.whole * carried, aFT[k] += T.F;
            const Real aL = -c.kappa_T * T.L;
            aD[k] += fma(thickness[k], asum, alpha[k] * aL);
            asum = fma(log_ratio[k] / thickness[k], aL, asum);
            const Real ao = -T.F / (p[k + 1] - p[k]), half = N(0.5) * ao, thin = ao * of.of[k];
            const Real ax_below = half * of.M[k], ax_above = half * of.M_above(k),
                       aslope = -(ax_below + ax_above);
            if (k + 1 < levels) {
                const Real aM = fma(half, of.x_below[k], aM_below),
                           step = fma(N(b_of[k]), aslope, ax_below) + abelow;
                atotal = fma(Real(B[k + 1]), aM, atotal);
                aflux -= aM;
                aT[k + 1] += step, aT[k] -= step;
            }
            aM_below = half * of.x_above[k];
            abelow = fma(N(a_of[k]), aslope, ax_above);
            aout[k] = aflux;
            ap[k + 1] += of_below - thin;
            of_below = thin;
        }
        ap[0] += of_below;
        const Real f = coriolis[0], mountain_x = sx[0] * (1 / c.RT),
                   mountain_y = sy[0] * (1 / c.RT);
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0];
        Real ax(0), ay(0), alinear(0), aps(0), asurface(0), api_x(0), api_y(0);
        for (int k = 0; k < levels; ++k) {
            const Real energy = c.per_cp * acT[k], surface = acp[k];
            const Real east = fma(energy, cu[k], Real(acu[k])),
                       north = fma(energy, cv[k], Real(acv[k]));
            const Split P = split(surface, aNp[k]), U = split(east, aNu[k]),
                        V = split(north, aNv[k]);
            aFp[k] += P.F, aFu[k] += U.F, aFv[k] += V.F;
            aPu[k] += c.whole * east, aPv[k] += c.whole * north;
            asurface += surface, alinear -= P.L;
            const Real turned = f * U.rotation, turned_back = -f * V.rotation;
            const Real Lu = fma(c.beyond, turned_back, U.L), Lv = fma(c.beyond, turned, V.L);
            aTx[k] += c.R * fma(log_ratio[k], ax, -alpha[k] * Lu);
            aTy[k] += c.R * fma(log_ratio[k], ay, -alpha[k] * Lv);
            ax -= Lu, ay -= Lv;
            const Real out = aout[k] + atotal, thick = out * D[k],
                       of_along = N(B[k + 1] - B[k]) * out, along = ps * of_along;
            ap[k + 1] += thick, ap[k] -= thick;
            aD[k] += out * (p[k + 1] - p[k]);
            aps = fma(of_along, fma(u[k], pi_x, v[k] * pi_y), aps);
            api_x = fma(along, u[k], api_x), api_y = fma(along, v[k], api_y);
            au[k] += fma(along, pi_x, fma(P.F, mountain_x, east + turned_back));
            av[k] += fma(along, pi_y, fma(P.F, mountain_y, north + turned));
        }
        for (int k = 0; k < levels; ++k) aD[k] += thickness[k] * alinear;
        apx[0] += fma(c.RT, ax, api_x), apy[0] += fma(c.RT, ay, api_y);
        alog_ps[0] += asurface, ap[levels] += aps;
    }
};

}  // namespace fathom
