/// Compressible air on hybrid levels of hydrostatic pressure pi (Laprise 1992; Bubnova et al. 1995;
/// Benard et al. 2010), T the virtual temperature, q = ln(p / pi) with p the true pressure, s = ln
/// pi_s, theta = T exp(-q), m = dp/dpi - 1, following the wind:
///   dv/dt = -f k x v - R T (grad q + grad ln pi) - (1 + m) grad(phi)
///   dw/dt = g m between layers,        w_s = v_s . grad(phi_s) / g
///   dT/dt = -(R T / c_v) (D + d),        dq/dt = -(c_p / c_v) (D + d) - omega / pi
///   ds/dt as in hydrostatic air (hydrostatic/primitive.hpp)
///   phi_{k-1/2} = phi_{k+1/2} + R theta_k l_k,    phi_k = phi_{k+1/2} + alpha_k R theta_k
/// D + d is the divergence of the wind in three dimensions. With H_k = R theta_k h_k the depth of a
/// layer (h_k = l_k, but 2 where the top is p = 0) and X the part due to shear,
///   d_k = g (w_{k-1/2} - w_{k+1/2}) / H_k + X_k
///   X_k = [grad(phi)_{k+1/2} . (v_{k+1/2} - v_k) + grad(phi)_{k-1/2} . (v_k - v_{k-1/2})] / H_k
/// The pressure of a layer is pi_k = dpi_k / h_k, m_{k-1/2} the difference of p - pi over that of
/// pi of both layers, 0 = p - pi at the top; in a layer the mean of both interfaces, in the lowest
/// that above it. With q = d + D + (c_v / c_p) omega / pi = 0 all of this is hydrostatic air.
///
/// Time: L the linear terms (semi_implicit.hpp), N the rest; X(0) = X(n), i = 1 and 2 or more
/// (predictor, correctors; Benard 2003):
///   X(i) - dt/2 (1+e) L X(i) = { X(n) + dt P + dt/2 (1-e) (L + N)(n) }_D + dt/2 (1+e) N(i-1)_A
/// Carried of s is s + phi_s / (R T_m), which is smooth over mountains if T_m is the temperature of
/// the air (Ritchie & Tanguay 1996); with T_r, too warm, what remains would heat the air at every
/// height.
/// Trajectories and transported fields are computed only for the first i. w is transported instead
/// of d. At arrival it is converted to d, with the depth and the shear of i - 1. So w at the ground
/// follows from the wind and the slope (Benard et al. 2010, "gw in, d out").
#pragma once
#include "atmosphere/hydrostatic/primitive.hpp"
#include "base/usual.hpp"

namespace fathom::atmosphere {

/// T_m [K]: of ln pi_s + phi_s / (R T_m), which is carried.
constexpr double mountain_temperature = 288.15;

/// e^q - 1, also where q is small against 1.
template <class Real> constexpr Real exponential_less_one(Real q) {
    const Real small =
        q * polynomial(q, 1., 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320);
    return select(abs(q) < Real(0.1), small, exp(q) - 1.0);
}

/// dpi / ln(below / above), also where a layer is thin, and half of dpi where above is 0:
///   (above + below) / 2 over artanh(r) / r,   r = dpi / (above + below)
template <class Real> constexpr Real pressure_of_layer(Real above, Real below, Real log_ratio) {
    const Real both = above + below, thickness = below - above, r = thickness / both, s = r * r;
    const Real thin =
        0.5 * both /
        polynomial(s, 1., 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17);
    const auto open = !(log_ratio > Real(0));
    return select(r < Real(0.2), thin, thickness / select(open, Real(2), log_ratio));
}

template <class Real> struct CompressibleGradients {
    Reads<Real, "temperature_gradient_east", place::center_layer, "K m-1"> Tx;
    Reads<Real, "temperature_gradient_north", place::center_layer, "K m-1"> Ty;
    Reads<Real, "departure_gradient_east", place::center_layer, "m-1"> qx;
    Reads<Real, "departure_gradient_north", place::center_layer, "m-1"> qy;
    Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> px;
    Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> py;
};

struct CompressibleEquations {
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity;
    static constexpr std::string_view summary =
        "forces, heating, continuity and vertical acceleration of compressible air on hybrid "
        "levels";
    static constexpr std::tuple parameters{
        Parameter{"gas_constant", &CompressibleEquations::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &CompressibleEquations::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"}};

    // long: two sweeps of a column, of which each line is an equation
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "log_pressure_departure", place::center_layer, "1"> q,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "vertical_divergence", place::center_layer, "s-1"> d,
        CompressibleGradients<Real> gradient,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> pi,
        ReadsProfile<Real, "hybrid_b", "1"> B, ReadsProfile<Real, "hybrid_eta", "1"> eta,
        Writes<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Writes<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Writes<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Writes<Real, "log_pressure_departure_tendency", place::center_layer, "s-1"> Fq,
        Writes<Real, "log_pressure_ratio_tendency", place::center_layer, "s-1"> Fp,
        Writes<Real, "upward_acceleration", place::center_interface, "m s-2"> Fw,
        Writes<Real, "eta_velocity", place::center_layer, "s-1"> eta_velocity,
        Writes<Real, "layer_geopotential_depth", place::center_layer, "m2 s-2"> depth,
        Writes<Real, "shear_divergence", place::center_layer, "s-1"> X,
        Keeps<Real, "compressible_equations", 9> own) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        const N R = N(gas_constant), ratio = N(heat_capacity / (heat_capacity - gas_constant)),
                RT_cv = N(gas_constant / (heat_capacity - gas_constant));
        const Real ps = pi[levels], s_x = gradient.px[0], s_y = gradient.py[0];
        const auto [log_ratio, alpha, of_theta, of_log, of_pi, per_thickness, flux, excess, m] =
            own.columns();
        // downward: continuity, omega, m above each layer
        Real sum(0), above = pi[0], per_above = 1.0 / above, b_above = B[0] * per_above * ps;
        b_above = select(above > Real(0), b_above, Real(0));
        Real p_above(0), e_above(0);  // pi_{k-1}, p - pi there
        for (int k = 0; k < levels; ++k) {
            const Real below = pi[k + 1], per_below = 1.0 / below,
                       b_below = Real(B[k + 1]) * per_below * ps;  // d ln pi / ds
            const Layer<Real> layer(above, below, per_above);
            const N dB = B[k + 1] - B[k];
            const Real share = above * layer.per_thickness, slope = ps * layer.per_thickness;
            const auto open = !(above > Real(0));
            const Real d_log = select(open, Real(0), b_below - b_above);
            const Real d_alpha = select(
                open, Real(0), -(slope * (B[k] - share * dB) * layer.log_ratio + share * d_log));
            const Real of_ln = slope * (layer.log_ratio * B[k] + layer.alpha * dB);
            const Real along = fma(u[k], s_x, v[k] * s_y),
                       out = fma(D[k], layer.thickness, ps * dB * along),
                       omega = of_ln * along -
                               layer.per_thickness * fma(layer.log_ratio, sum, layer.alpha * out),
                       expansion = D[k] + d[k];
            FT[k] = -RT_cv * T[k] * expansion;
            Fq[k] = -fma(Real(ratio), expansion, omega);
            sum = sum + out;
            const Real p = pressure_of_layer(above, below, layer.log_ratio),
                       h = layer.thickness / p, less = exponential_less_one(q[k]), e = p * less;
            const Real push = (e - e_above) / (k > 0 ? p - p_above : 0.5 * layer.thickness);
            Fw[k] = constants::gravity * push;
            m[k] = push;
            excess[k] = less;
            depth[k] = R * T[k] * h / (1.0 + less);
            log_ratio[k] = layer.log_ratio;
            alpha[k] = layer.alpha;
            of_theta[k] = d_alpha;
            of_log[k] = d_log;
            of_pi[k] = of_ln;
            per_thickness[k] = layer.per_thickness;
            flux[k] = sum;
            above = below, per_above = per_below, b_above = b_below;
            p_above = p, e_above = e;
        }
        Fw[levels] = Real(0);
        // upward: the slope of each interface, forces, the shear of what moves along it
        const Real total = sum, surface = -total / ps;
        Real x = sx[0], y = sy[0], motion_below(0), shear_below(0), m_below = m[levels - 1];
        for (int k = levels - 1; k >= 0; --k) {
            const Real t = T[k], whole = 1.0 + Real(excess[k]), part = 1.0 / whole,
                       theta = t * part, l = log_ratio[k], a = alpha[k], ln = of_pi[k],
                       m_here = m[k];
            const Real qx = gradient.qx[k], qy = gradient.qy[k],
                       tx = R * part * fma(-t, qx, gradient.Tx[k]),
                       ty = R * part * fma(-t, qy, gradient.Ty[k]), Rt = R * theta;
            const Real slope_x = fma(a, tx, fma(Rt * Real(of_theta[k]), s_x, x)),
                       slope_y = fma(a, ty, fma(Rt * Real(of_theta[k]), s_y, y)),
                       push = 0.5 * (m_here + m_below);
            Fu[k] = -fma(R * t, fma(ln, s_x, qx), fma(push, slope_x, slope_x));
            Fv[k] = -fma(R * t, fma(ln, s_y, qy), fma(push, slope_y, slope_y));
            x = fma(l, tx, fma(Rt * Real(of_log[k]), s_x, x));
            y = fma(l, ty, fma(Rt * Real(of_log[k]), s_y, y));
            Fp[k] = fma(u[k], s_x, v[k] * s_y) + surface;
            Real motion_above(0), shear_above(0);
            if (k > 0) {
                motion_above = B[k] * total - Real(flux[k - 1]);
                shear_above = 0.5 * fma(x, u[k] - u[k - 1], y * (v[k] - v[k - 1]));
            }
            X[k] = (shear_below + shear_above) * whole / (R * t * select(l > Real(0), l, Real(2)));
            eta_velocity[k] =
                0.5 * (motion_above + motion_below) * (eta[k + 1] - eta[k]) * per_thickness[k];
            motion_below = motion_above, shear_below = shear_above, m_below = m_here;
        }
    }
};

struct UpwardVelocity {
    static constexpr std::string_view summary =
        "vertical velocity of interfaces from the vertical divergence";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "vertical_divergence", place::center_layer, "s-1"> d,
        Reads<Real, "layer_geopotential_depth", place::center_layer, "m2 s-2"> depth,
        Reads<Real, "shear_divergence", place::center_layer, "s-1"> X,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Writes<Real, "upward_air_velocity", place::center_interface, "m s-1"> w) const {
        constexpr double per_gravity = 1 / constants::gravity;
        const int levels = u.levels();
        Real below = fma(u[levels - 1], sx[0], v[levels - 1] * sy[0]) * per_gravity;
        w[levels] = below;
        for (int k = levels - 1; k >= 0; --k) {
            below = fma((d[k] - X[k]) * per_gravity, depth[k], below);
            w[k] = below;
        }
    }
};

/// A reference layer: its depth, ln of its pressures, 2 at an open top; its pressure, over p_r; and
/// 1 over the difference to that of the layer above, with which m = d(p - pi) / d(pi).
template <class N> struct ReferenceLayer {
    N depth, pi, per_apart;
    constexpr ReferenceLayer(const auto& log_ratio, const auto& thickness, int k)
        : depth(depth_of(log_ratio[k])), pi(thickness[k] / depth) {
        per_apart = 1 / (k > 0 ? pi - thickness[k - 1] / depth_of(log_ratio[k - 1])
                               : N(0.5) * thickness[0]);
    }

private:
    static constexpr N depth_of(N log_ratio) { return log_ratio > 0 ? log_ratio : N(2); }
};

/// N = F - L; for d only -L, because w is carried with its whole force.
struct CompressibleNonlinear {
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_temperature = usual::reference_temperature,
           acoustic_temperature = usual::acoustic_temperature;
    static constexpr std::string_view summary =
        "tendencies of compressible air without its linear terms";
    static constexpr std::tuple parameters{
        Parameter{"gas_constant", &CompressibleNonlinear::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &CompressibleNonlinear::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"reference_temperature", &CompressibleNonlinear::reference_temperature, "K", 100,
                  1000, "T_r of the linear terms: warmer than the atmosphere"},
        Parameter{"acoustic_temperature", &CompressibleNonlinear::acoustic_temperature, "K", 1,
                  1000, "T_a of the linear terms of sound: colder than the atmosphere"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "log_pressure_departure", place::center_layer, "1"> q,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "vertical_divergence", place::center_layer, "s-1"> d,
        CompressibleGradients<Real> gradient,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Reads<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Reads<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Reads<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Reads<Real, "log_pressure_departure_tendency", place::center_layer, "s-1"> Fq,
        Reads<Real, "log_pressure_ratio_tendency", place::center_layer, "s-1"> Fp,
        ReadsProfile<Real, "reference_alpha", "1"> alpha,
        ReadsProfile<Real, "reference_log_ratio", "1"> log_ratio,
        ReadsProfile<Real, "reference_thickness", "1"> thickness,
        Writes<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Writes<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Writes<Real, "temperature_nonlinear", place::center_layer, "K s-1"> NT,
        Writes<Real, "log_pressure_departure_nonlinear", place::center_layer, "s-1"> Nq,
        Writes<Real, "log_pressure_ratio_nonlinear", place::center_layer, "s-1"> Np,
        Writes<Real, "vertical_divergence_linear", place::center_layer, "s-2"> Ld) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        const N R = N(gas_constant), RT = N(gas_constant * reference_temperature),
                ratio = N(heat_capacity / (heat_capacity - gas_constant)),
                heating = N(gas_constant * reference_temperature / (heat_capacity - gas_constant)),
                acoustic = N(constants::gravity * constants::gravity /
                             (gas_constant * acoustic_temperature));
        // downward; L of q from m above and below each layer, of pressures over p_r
        Real sum(0), m_above(0), p_above(0);
        N depth_above(0);
        for (int k = 0; k < levels; ++k) {
            const ReferenceLayer<N> of(log_ratio, thickness, k);
            const Real D_k = D[k], expansion = D_k + d[k], p = of.pi * q[k],
                       m = (p - p_above) * of.per_apart;
            if (k > 0) Ld[k - 1] = (m_above - m) * N(acoustic / depth_above);
            if (k == levels - 1) Ld[k] = m * N(acoustic / of.depth);
            NT[k] = fma(Real(heating), expansion, FT[k]);
            Nq[k] = fma(Real(ratio), expansion,
                        Fq[k] - fma(alpha[k], D_k, N(log_ratio[k] / thickness[k]) * sum));
            sum = fma(thickness[k], D_k, sum);
            m_above = m, p_above = p, depth_above = of.depth;
        }
        const N per_RT = N(1 / (gas_constant * mountain_temperature));
        const Real mountain_x = sx[0] * per_RT, mountain_y = sy[0] * per_RT;
        Real x = RT * gradient.px[0], y = RT * gradient.py[0];
        for (int k = levels - 1; k >= 0; --k) {
            const Real qx = RT * gradient.qx[k], qy = RT * gradient.qy[k],
                       tx = fma(R, gradient.Tx[k], -qx), ty = fma(R, gradient.Ty[k], -qy);
            Nu[k] = Fu[k] + (fma(alpha[k], tx, x) + qx);
            Nv[k] = Fv[k] + (fma(alpha[k], ty, y) + qy);
            Np[k] = Fp[k] + fma(u[k], mountain_x, v[k] * mountain_y) + sum;
            x = fma(log_ratio[k], tx, x);
            y = fma(log_ratio[k], ty, y);
        }
    }
};

/// What trajectories carry.
struct CompressibleCarried {
    double step = 60, gas_constant = constants::dry_air_gas_constant, off_centring = 0;
    static constexpr std::string_view summary =
        "values of compressible air to be carried to the arrival point";
    static constexpr std::tuple parameters{
        Parameter{"step", &CompressibleCarried::step, "s", -1e6, 1e6,
                  "time step; negative: backward"},
        Parameter{"gas_constant", &CompressibleCarried::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"off_centring", &CompressibleCarried::off_centring, "1", 0, 0.99,
                  "e: weight of the linear terms moved to the new time"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "log_pressure_departure", place::center_layer, "1"> q,
        Reads<Real, "log_pressure_ratio", place::center_column, "1"> log_ps,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> orography,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Reads<Real, "coriolis", place::center_column, "s-1"> coriolis,
        Reads<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Reads<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Reads<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Reads<Real, "log_pressure_departure_tendency", place::center_layer, "s-1"> Fq,
        Reads<Real, "log_pressure_ratio_tendency", place::center_layer, "s-1"> Fp,
        Reads<Real, "upward_acceleration", place::center_interface, "m s-2"> Fw,
        Reads<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Reads<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> Pu,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2"> Pv,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> PT,
        Writes<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Writes<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Writes<Real, "temperature_carried", place::center_layer, "K"> cT,
        Writes<Real, "log_pressure_departure_carried", place::center_layer, "1"> cq,
        Writes<Real, "log_pressure_ratio_carried", place::center_layer, "1"> cp,
        Writes<Real, "upward_air_velocity_carried", place::center_interface, "m s-1"> cw) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        const N half = N(0.5 * step * (1 - off_centring)), whole = N(step),
                beyond = N(of_gradient(1, step, off_centring));
        const Real f = coriolis[0],
                   over_mountain =
                       log_ps[0] + orography[0] * N(1 / (gas_constant * mountain_temperature));
        for (int k = 0; k < levels; ++k) {
            const Real U = u[k], V = v[k], Lu = Fu[k] - Nu[k], Lv = Fv[k] - Nv[k];
            cu[k] = fma(half, fma(f, fma(beyond, Lv, V), Fu[k]), fma(whole, Pu[k], U));
            cv[k] = fma(half, fma(-f, fma(beyond, Lu, U), Fv[k]), fma(whole, Pv[k], V));
            cT[k] = fma(half, FT[k], fma(whole, PT[k], T[k]));
            cq[k] = fma(half, Fq[k], q[k]);
            cp[k] = fma(half,
                        Fp[k] + fma(u[k], sx[0], v[k] * sy[0]) *
                                    N(1 / (gas_constant * mountain_temperature)),
                        over_mountain);
            cw[k] = fma(half, Fw[k], w[k]);
        }
        cw[levels] = w[levels];
    }
};

/// Values at the arrival point before the implicit terms, which are found in spectral space.
struct CompressibleArrival {
    double step = 60, gas_constant = constants::dry_air_gas_constant, off_centring = 0;
    static constexpr std::string_view summary =
        "arrival point of compressible air: carried values and nonlinear terms";
    static constexpr std::tuple parameters{
        Parameter{"step", &CompressibleArrival::step, "s", -1e6, 1e6,
                  "time step; negative: backward"},
        Parameter{"gas_constant", &CompressibleArrival::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"off_centring", &CompressibleArrival::off_centring, "1", 0, 0.99,
                  "e: weight of the linear terms moved to the new time"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Reads<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Reads<Real, "temperature_carried", place::center_layer, "K"> cT,
        Reads<Real, "log_pressure_departure_carried", place::center_layer, "1"> cq,
        Reads<Real, "log_pressure_ratio_carried", place::center_layer, "1"> cp,
        Reads<Real, "upward_air_velocity_carried", place::center_interface, "m s-1"> cw,
        Reads<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Reads<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Reads<Real, "temperature_nonlinear", place::center_layer, "K s-1"> NT,
        Reads<Real, "log_pressure_departure_nonlinear", place::center_layer, "s-1"> Nq,
        Reads<Real, "log_pressure_ratio_nonlinear", place::center_layer, "s-1"> Np,
        Reads<Real, "upward_acceleration", place::center_interface, "m s-2"> Fw,
        Reads<Real, "vertical_divergence_linear", place::center_layer, "s-2"> Ld,
        Reads<Real, "layer_geopotential_depth", place::center_layer, "m2 s-2"> depth,
        Reads<Real, "shear_divergence", place::center_layer, "s-1"> X,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> orography,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        ReadsProfile<Real, "hybrid_b", "1"> B,
        Updates<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Updates<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Writes<Real, "virtual_temperature", place::center_layer, "K"> T,
        Writes<Real, "log_pressure_departure", place::center_layer, "1"> q,
        Writes<Real, "vertical_divergence", place::center_layer, "s-1"> d,
        Writes<Real, "log_pressure_ratio", place::center_column, "1"> log_ps) const {
        using N = typename Real::Number;
        const int levels = cu.levels();
        const N beta = N(0.5 * step * (1 + off_centring)), gravity = N(constants::gravity);
        const Real U = u[levels - 1], V = v[levels - 1];
        Real surface(0), above = gravity * fma(beta, Fw[0], cw[0]);
        const Real ground = fma(U, sx[0], V * sy[0]);
        for (int k = 0; k < levels; ++k) {
            const Real below = k + 1 < levels ? gravity * fma(beta, Fw[k + 1], cw[k + 1]) : ground;
            d[k] = fma(-beta, Ld[k], (above - below) / depth[k] + X[k]);
            above = below;
            u[k] = fma(beta, Nu[k], cu[k]);
            v[k] = fma(beta, Nv[k], cv[k]);
            T[k] = fma(beta, NT[k], cT[k]);
            q[k] = fma(beta, Nq[k], cq[k]);
            surface = fma(B[k + 1] - B[k], fma(beta, Np[k], cp[k]), surface);
        }
        log_ps[0] = surface - orography[0] * N(1 / (gas_constant * mountain_temperature));
    }
};

}  // namespace fathom::atmosphere
