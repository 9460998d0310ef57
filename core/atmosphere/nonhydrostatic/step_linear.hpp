/// Tangents and adjoints of the other parts of a step of compressible air
/// (equations.hpp). All of it is linear but the depth of a layer, by which the differences of w
/// are divided where they arrive:
///   d = (G_k - G_{k+1}) / depth + X - beta L_d,   dd = .. - (d + beta L_d - X) d(depth) / depth
#pragma once
#include "atmosphere/nonhydrostatic/equations.hpp"
#include "field/linear.hpp"

namespace fathom::compressible_linear {

/// Fields of the wind, temperature, ln(p / pi) and ln(p_s), in this order.
auto forces(const auto& f) {
    return std::array{f.template of<"eastward_wind_force">(),
                      f.template of<"northward_wind_force">(), f.template of<"adiabatic_heating">(),
                      f.template of<"log_pressure_departure_tendency">(),
                      f.template of<"log_pressure_ratio_tendency">()};
}
auto nonlinear(const auto& f) {
    return std::array{f.template of<"eastward_wind_nonlinear">(),
                      f.template of<"northward_wind_nonlinear">(),
                      f.template of<"temperature_nonlinear">(),
                      f.template of<"log_pressure_departure_nonlinear">(),
                      f.template of<"log_pressure_ratio_nonlinear">()};
}
auto carried(const auto& f) {
    return std::array{
        f.template of<"eastward_wind_carried">(), f.template of<"northward_wind_carried">(),
        f.template of<"temperature_carried">(), f.template of<"log_pressure_departure_carried">(),
        f.template of<"log_pressure_ratio_carried">()};
}
auto gradients(const auto& f) {
    return std::tuple{
        f.template of<"temperature_gradient_east">(), f.template of<"temperature_gradient_north">(),
        f.template of<"departure_gradient_east">(),   f.template of<"departure_gradient_north">(),
        f.template of<"pressure_gradient_east">(),    f.template of<"pressure_gradient_north">()};
}
auto slope(const auto& x) {
    return std::array{x.template of<"orography_gradient_east">(),
                      x.template of<"orography_gradient_north">()};
}

}  // namespace fathom::compressible_linear

namespace fathom {

template <> struct Linear<atmosphere::CompressibleNonlinear> {
    using CompressibleNonlinear = atmosphere::CompressibleNonlinear;
    static auto layers(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(),
                          f.template of<"northward_wind">(),
                          f.template of<"log_pressure_departure">(),
                          f.template of<"divergence">(),
                          f.template of<"vertical_divergence">(),
                          f.template of<"vertical_divergence_linear">()};
    }
    static auto profiles(const auto& x) {
        return std::tuple{x.template of<"reference_alpha">(),
                          x.template of<"reference_log_ratio">(),
                          x.template of<"reference_thickness">()};
    }
    template <class N> struct Constants {
        N R, RT, ratio, heating, acoustic, per_RT;
        explicit Constants(const CompressibleNonlinear& s)
            : R(N(s.gas_constant)),
              RT(N(s.gas_constant * s.reference_temperature)),
              ratio(N(s.heat_capacity / (s.heat_capacity - s.gas_constant))),
              heating(
                  N(s.gas_constant * s.reference_temperature / (s.heat_capacity - s.gas_constant))),
              acoustic(N(constants::gravity * constants::gravity /
                         (s.gas_constant * s.acoustic_temperature))),
              per_RT(N(1 / (s.gas_constant * atmosphere::mountain_temperature))) {}
    };
    template <class Real>
    static void tangent(const CompressibleNonlinear& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [du, dv, dq, dD, ddiv, dLd] = layers(d);
        const auto [dTx, dTy, dqx, dqy, dpx, dpy] = compressible_linear::gradients(d);
        const auto [dFu, dFv, dFT, dFq, dFp] = compressible_linear::forces(d);
        const auto [dNu, dNv, dNT, dNq, dNp] = compressible_linear::nonlinear(d);
        const auto [alpha, log_ratio, thickness] = profiles(x);
        const auto [sx, sy] = compressible_linear::slope(x);
        const Constants<N> c(s);
        const int levels = x.levels();
        Real sum(0), m_above(0), p_above(0);
        N per_depth(0);
        for (int k = 0; k < levels; ++k) {
            const atmosphere::ReferenceLayer<N> of(log_ratio, thickness, k);
            const Real D = dD[k], expansion = D + ddiv[k], p = of.pi * dq[k],
                       m = (p - p_above) * of.per_apart;
            if (k > 0) dLd[k - 1] = (m_above - m) * (c.acoustic * per_depth);
            per_depth = 1 / of.depth;
            if (k == levels - 1) dLd[k] = m * (c.acoustic * per_depth);
            dNT[k] = fma(Real(c.heating), expansion, dFT[k]);
            dNq[k] = fma(Real(c.ratio), expansion,
                         dFq[k] - fma(alpha[k], D, log_ratio[k] / thickness[k] * sum));
            sum = fma(thickness[k], D, sum);
            m_above = m, p_above = p;
        }
        const Real mountain_x = sx[0] * c.per_RT, mountain_y = sy[0] * c.per_RT;
        Real X = c.RT * dpx[0], Y = c.RT * dpy[0];
        for (int k = levels - 1; k >= 0; --k) {
            const Real qx = c.RT * dqx[k], qy = c.RT * dqy[k], tx = fma(c.R, Real(dTx[k]), -qx),
                       ty = fma(c.R, Real(dTy[k]), -qy);
            dNu[k] = dFu[k] + (fma(alpha[k], tx, X) + qx);
            dNv[k] = dFv[k] + (fma(alpha[k], ty, Y) + qy);
            dNp[k] = dFp[k] + fma(du[k], mountain_x, dv[k] * mountain_y) + sum;
            X = fma(log_ratio[k], tx, X);
            Y = fma(log_ratio[k], ty, Y);
        }
    }
    template <class Real>
    static void adjoint(const CompressibleNonlinear& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [au, av, aq, aD, adiv, aLd] = layers(a);
        const auto [aTx, aTy, aqx, aqy, apx, apy] = compressible_linear::gradients(a);
        const auto [aFu, aFv, aFT, aFq, aFp] = compressible_linear::forces(a);
        const auto [aNu, aNv, aNT, aNq, aNp] = compressible_linear::nonlinear(a);
        const auto [alpha, log_ratio, thickness] = profiles(x);
        const auto [sx, sy] = compressible_linear::slope(x);
        const Constants<N> c(s);
        const int levels = x.levels();
        const Real mountain_x = sx[0] * c.per_RT, mountain_y = sy[0] * c.per_RT;
        Real X(0), Y(0), sum(0), p_below(0);
        for (int k = 0; k < levels; ++k) {
            const Real east = aNu[k], north = aNv[k], mass = aNp[k],
                       tx = fma(alpha[k], east, log_ratio[k] * X),
                       ty = fma(alpha[k], north, log_ratio[k] * Y);
            aFu[k] += east, aFv[k] += north, aFp[k] += mass;
            aTx[k] += c.R * tx, aTy[k] += c.R * ty;
            aqx[k] += c.RT * (east - tx), aqy[k] += c.RT * (north - ty);
            au[k] += mass * mountain_x, av[k] += mass * mountain_y;
            X += east, Y += north, sum += mass;
        }
        apx[0] += c.RT * X, apy[0] += c.RT * Y;
        for (int k = levels - 1; k >= 0; --k) {
            const atmosphere::ReferenceLayer<N> of(log_ratio, thickness, k);
            Real m = c.acoustic / of.depth * aLd[k];
            if (k > 0)
                m -= c.acoustic / atmosphere::ReferenceLayer<N>(log_ratio, thickness, k - 1).depth *
                     aLd[k - 1];
            const Real p = m * of.per_apart, departs = aNq[k], warm = aNT[k],
                       expansion = fma(c.heating, warm, c.ratio * departs);
            aq[k] += of.pi * (p - p_below);
            p_below = p;
            aFT[k] += warm, aFq[k] += departs, adiv[k] += expansion;
            aD[k] += expansion + fma(thickness[k], sum, -alpha[k] * departs);
            sum -= log_ratio[k] / thickness[k] * departs;
        }
    }
};

template <> struct Linear<atmosphere::CompressibleCarried> {
    static auto values(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(),
                          f.template of<"northward_wind">(),
                          f.template of<"virtual_temperature">(),
                          f.template of<"log_pressure_departure">(),
                          f.template of<"log_pressure_ratio">(),
                          f.template of<"eastward_wind_tendency">(),
                          f.template of<"northward_wind_tendency">(),
                          f.template of<"air_temperature_tendency">()};
    }
    static auto upward(const auto& f) {
        return std::tuple{f.template of<"upward_air_velocity">(),
                          f.template of<"upward_acceleration">(),
                          f.template of<"upward_air_velocity_carried">()};
    }
    static auto nonlinear(const auto& f) {
        return std::array{f.template of<"eastward_wind_nonlinear">(),
                          f.template of<"northward_wind_nonlinear">()};
    }
    template <class N> struct Constants {
        N half, whole, beyond, per_RT;
        explicit Constants(const atmosphere::CompressibleCarried& s)
            : half(N(0.5 * s.step * (1 - s.off_centring))),
              whole(N(s.step)),
              beyond(N(atmosphere::of_gradient(1, s.step, s.off_centring))),
              per_RT(N(1 / (s.gas_constant * atmosphere::mountain_temperature))) {}
    };
    template <class Real>
    static void tangent(const atmosphere::CompressibleCarried& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [du, dv, dT, dq, dlog_ps, dPu, dPv, dPT] = values(d);
        const auto [dFu, dFv, dFT, dFq, dFp] = compressible_linear::forces(d);
        const auto dN = nonlinear(d);
        const auto [dcu, dcv, dcT, dcq, dcp] = compressible_linear::carried(d);
        const auto [dw, dFw, dcw] = upward(d);
        const auto [sx, sy] = compressible_linear::slope(x);
        const Constants<N> c(s);
        const Real turn = c.half * x.template of<"coriolis">()[0];
        for (int k = 0; k < x.levels(); ++k) {
            const Real U = du[k], V = dv[k], Lu = dFu[k] - dN[0][k], Lv = dFv[k] - dN[1][k];
            dcu[k] = fma(c.whole, dPu[k], U) + c.half * dFu[k] + turn * fma(c.beyond, Lv, V);
            dcv[k] = fma(c.whole, dPv[k], V) + c.half * dFv[k] - turn * fma(c.beyond, Lu, U);
            dcT[k] = fma(c.whole, dPT[k], Real(dT[k])) + c.half * dFT[k];
            dcq[k] = dq[k] + c.half * dFq[k];
            dcp[k] = dlog_ps[0] + c.half * (dFp[k] + fma(U, sx[0], V * sy[0]) * c.per_RT);
            dcw[k] = fma(c.half, Real(dFw[k]), Real(dw[k]));
        }
        dcw[x.levels()] = Real(dw[x.levels()]);
    }
    template <class Real>
    static void adjoint(const atmosphere::CompressibleCarried& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [au, av, aT, aq, alog_ps, aPu, aPv, aPT] = values(a);
        const auto F = compressible_linear::forces(a), n = nonlinear(a),
                   carried = compressible_linear::carried(a);
        const auto [aw, aFw, acw] = upward(a);
        const auto [sx, sy] = compressible_linear::slope(x);
        const Constants<N> c(s);
        const Real turn = c.half * x.template of<"coriolis">()[0];
        for (int k = 0; k < x.levels(); ++k) {
            for (int i = 0; i < 5; ++i) F[i][k] += c.half * carried[i][k];
            const Real east = carried[0][k], north = carried[1][k], warm = carried[2][k],
                       mass = carried[4][k], turned = turn * north, turned_back = turn * east,
                       mountain = c.half * c.per_RT * mass, Lu = -c.beyond * turned,
                       Lv = c.beyond * turned_back;
            F[0][k] += Lu, n[0][k] -= Lu, F[1][k] += Lv, n[1][k] -= Lv;
            au[k] += fma(mountain, sx[0], east - turned);
            av[k] += fma(mountain, sy[0], north + turned_back);
            aPu[k] += c.whole * east, aPv[k] += c.whole * north, aPT[k] += c.whole * warm;
            aT[k] += warm, aq[k] += carried[3][k];
            alog_ps[0] += mass;
            aw[k] += acw[k], aFw[k] += c.half * acw[k];
        }
        aw[x.levels()] += acw[x.levels()];
    }
};

template <> struct Linear<atmosphere::CompressibleArrival> {
    static auto upward(const auto& f) {
        return std::tuple{f.template of<"upward_air_velocity_carried">(),
                          f.template of<"upward_acceleration">(),
                          f.template of<"vertical_divergence_linear">(),
                          f.template of<"layer_geopotential_depth">(),
                          f.template of<"shear_divergence">(),
                          f.template of<"vertical_divergence">()};
    }
    static auto made(const auto& f) {
        return std::array{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"virtual_temperature">(),
                          f.template of<"log_pressure_departure">()};
    }
    /// (G_k - G_{k+1}) / depth_k of the state, from its d after the step.
    template <class Real> static Real falls(const auto& x, Real beta, int k) {
        return fma(
            beta, Real(x.template of<"vertical_divergence_linear">()[k]),
            x.template of<"vertical_divergence">()[k] - x.template of<"shear_divergence">()[k]);
    }
    template <class Real>
    static void tangent(const atmosphere::CompressibleArrival& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto [dcw, dFw, dLd, ddepth, dX, ddiv] = upward(d);
        const auto carried = compressible_linear::carried(d), n = compressible_linear::nonlinear(d);
        const auto after = made(d);
        const auto [sx, sy] = compressible_linear::slope(x);
        const auto depth = x.template of<"layer_geopotential_depth">();
        const auto B = x.template of<"hybrid_b">();
        const N beta = N(0.5 * s.step * (1 + s.off_centring)), gravity = N(constants::gravity);
        const int levels = x.levels();
        const Real ground = fma(after[0][levels - 1], sx[0], after[1][levels - 1] * sy[0]);
        const auto lift = [&](int k) {
            return k < levels ? gravity * fma(beta, Real(dFw[k]), Real(dcw[k])) : ground;
        };
        Real surface(0), above = lift(0);
        for (int k = 0; k < levels; ++k) {
            const Real below = lift(k + 1);
            ddiv[k] = fma(-beta, Real(dLd[k]),
                          (above - below - falls<Real>(x, beta, k) * ddepth[k]) / depth[k] + dX[k]);
            above = below;
            for (int i = 0; i < 4; ++i) after[i][k] = fma(beta, Real(n[i][k]), Real(carried[i][k]));
            surface = fma(B[k + 1] - B[k], fma(beta, Real(n[4][k]), Real(carried[4][k])), surface);
        }
        d.template of<"log_pressure_ratio">()[0] = surface;
    }
    template <class Real>
    static void adjoint(const atmosphere::CompressibleArrival& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto [acw, aFw, aLd, adepth, aX, adiv] = upward(a);
        const auto carried = compressible_linear::carried(a), n = compressible_linear::nonlinear(a);
        const auto after = made(a);
        const auto [sx, sy] = compressible_linear::slope(x);
        const auto depth = x.template of<"layer_geopotential_depth">();
        const auto B = x.template of<"hybrid_b">();
        const N beta = N(0.5 * s.step * (1 + s.off_centring)), gravity = N(constants::gravity);
        const int levels = x.levels();
        const Real surface = a.template of<"log_pressure_ratio">()[0];
        Real of_above(0);  // of the layer above, by its depth
        for (int k = 0; k < levels; ++k) {
            const Real falls_by = adiv[k] / depth[k], lift = gravity * (falls_by - of_above);
            aLd[k] -= beta * adiv[k];
            aX[k] += adiv[k];
            adepth[k] -= falls_by * falls<Real>(x, beta, k);
            acw[k] += lift, aFw[k] += beta * lift;
            of_above = falls_by;
            for (int i = 0; i < 4; ++i) {
                const Real value = after[i][k];
                carried[i][k] += value, n[i][k] += beta * value;
                if (i < 2) after[i][k] = Real(0);
            }
            const Real mass = N(B[k + 1] - B[k]) * surface;
            carried[4][k] += mass, n[4][k] += beta * mass;
        }
        after[0][levels - 1] = -of_above * sx[0], after[1][levels - 1] = -of_above * sy[0];
    }
};

}  // namespace fathom
