/// Hydrostatic primitive equations on hybrid levels, following the horizontal wind (T: virtual
/// temperature, pi = ln p_s):
///   dv_k/dt  = -f k x v_k - grad(phi_k) - R T_k (grad ln p)_k
///   dT_k/dt  = kappa T_k (omega / p)_k = -(kappa T_k / dp_k) (l_k sum_{j<k} D_j + alpha_k D_k)
///       + kappa T_k v_k . (grad ln p)_k
///   dpi/dt_k = -(1 / p_s) sum_j D_j + v_k . grad(pi),
///       D_j = div(v_j dp_j) = div(v_j) dp_j + p_s dB_j v_j . grad(pi)
///   (eta dot dp/deta)_{k+1/2} = B_{k+1/2} sum_j D_j - sum_{j<=k} D_j
/// In the pressure gradient everything but the gradients of T and of the orography is a multiple
/// G_k of grad(pi):
///   grad(phi_k) + R T_k (grad ln p)_k = grad(phi_s) + R [sum_{j>k} l_j grad T_j
///       + alpha_k grad T_k] + G_k grad(pi)
/// Time: semi-implicit two-time-level, N = total - L, L linear about rest at T_r and p_r, with
/// rotation (semi_implicit.hpp):
///   X(n+1) - dt/2 (1+e) L(n+1) = { X + dt P + dt/2 [(1-e) L + 2 N(n) - N(n-1)] }_D + dt/2 N(n)_A
/// P is the physics of time n, carried from the departure point, where it was computed. At the
/// arrival point a strong process (rain, filling) would act on another value, and wind that crosses
/// half a wave in a step would amplify this error. The carried value for
/// pi is pi + phi_s / (R T_r), smooth over mountains (Ritchie & Tanguay 1996); its layers are
/// averaged with weights dB. The carried value for T is T - T_s + v^2 / 2 c_p:
///   T_s(eta), the standard atmosphere's, 0 where energy is not kept
///   v^2 / 2 c_p of the carried wind: energy that it loses in interpolation becomes heat
/// Heat crosses levels with mass, M = eta dot dp/deta, and none is lost (Simmons & Burridge 1981):
///   V_k(T) = (1 / 2 dp_k) [M_k+1/2 (T_k+1 - T_k) + M_k-1/2 (T_k - T_k-1)]
/// Interpolation of T' = T - T_s makes a part of it, W_k = (M_k+1/2 + M_k-1/2) s_k / 2 dp_k, with
/// the slope s_k = a_k (T'_k - T'_k-1) + b_k (T'_k+1 - T'_k). The rest V - W is a
/// tendency: next to evenly spaced levels (M_k+1/2 - M_k-1/2) (T'_k+1 - 2 T'_k + T'_k-1) / 4 dp_k,
/// which is not 0 in the mean over the globe, since waves have divergence where T' is curved.
#pragma once
#include "atmosphere/hydrostatic/coriolis.hpp"
#include "atmosphere/hydrostatic/hybrid.hpp"
#include "base/usual.hpp"

namespace fathom::atmosphere {

struct PrimitiveEquations {
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity;
    static constexpr std::string_view summary =
        "pressure gradient, adiabatic heating, continuity and vertical motion on hybrid levels";
    static constexpr std::tuple parameters{
        Parameter{"gas_constant", &PrimitiveEquations::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &PrimitiveEquations::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "temperature_gradient_east", place::center_layer, "K m-1"> Tx,
        Reads<Real, "temperature_gradient_north", place::center_layer, "K m-1"> Ty,
        Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> px,
        Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> py,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        ReadsProfile<Real, "hybrid_b", "1"> B, ReadsProfile<Real, "hybrid_eta", "1"> eta,
        Writes<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Writes<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Writes<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Writes<Real, "log_pressure_ratio_tendency", place::center_layer, "s-1"> Fp,
        Writes<Real, "eta_velocity", place::center_layer, "s-1"> eta_velocity,
        Keeps<Real, "primitive_equations", 6> own) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        const N R = N(gas_constant), kappa = N(gas_constant / heat_capacity);
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0];
        const auto [log_ratio, alpha, of_temperature, of_log, per_thickness, flux] = own.columns();
        Real sum(0), above = p[0], per_above = 1.0 / above, b_above = B[0] * per_above * ps;
        b_above = select(above > Real(0), b_above, Real(0));
        for (int k = 0; k < levels; ++k) {
            const Real below = p[k + 1], per_below = 1.0 / below,
                       b_below = Real(B[k + 1]) * per_below * ps;  // d ln p / d pi
            const Layer<Real> layer(above, below, per_above);
            const N dB = B[k + 1] - B[k];
            const Real share = above * layer.per_thickness, slope = ps * layer.per_thickness;
            const auto open = !(above > Real(0));
            const Real d_log = select(open, Real(0), b_below - b_above);
            const Real d_alpha = select(
                open, Real(0), -(slope * (B[k] - share * dB) * layer.log_ratio + share * d_log));
            const Real gradient =
                slope * (layer.log_ratio * B[k] + layer.alpha * dB);  // of ln p in the layer
            const Real along = u[k] * pi_x + v[k] * pi_y,
                       out = D[k] * layer.thickness + ps * dB * along;
            FT[k] = kappa * T[k] *
                    (gradient * along -
                     layer.per_thickness * (layer.log_ratio * sum + layer.alpha * out));
            sum = sum + out;
            log_ratio[k] = layer.log_ratio;
            alpha[k] = layer.alpha;
            of_temperature[k] = d_alpha + gradient;
            of_log[k] = d_log;
            per_thickness[k] = layer.per_thickness;
            flux[k] = sum;
            above = below;
            per_above = per_below;
            b_above = b_below;
        }
        const Real total = sum, surface = -total / ps, x0 = sx[0], y0 = sy[0];
        Real x(0), y(0), G(0), motion_below(0);
        for (int k = levels - 1; k >= 0; --k) {
            const Real tx = Tx[k], ty = Ty[k], t = T[k], multiple = fma(t, of_temperature[k], G);
            Fu[k] = -(x0 + R * fma(multiple, pi_x, fma(alpha[k], tx, x)));
            Fv[k] = -(y0 + R * fma(multiple, pi_y, fma(alpha[k], ty, y)));
            x = fma(log_ratio[k], tx, x);
            y = fma(log_ratio[k], ty, y);
            G = fma(of_log[k], t, G);
            Fp[k] = fma(u[k], pi_x, v[k] * pi_y) + surface;
            const Real motion_above = k > 0 ? B[k] * total - flux[k - 1] : Real(0);
            eta_velocity[k] =
                0.5 * (motion_above + motion_below) * (eta[k + 1] - eta[k]) * per_thickness[k];
            motion_below = motion_above;
        }
    }
};

/// The part V - W of heat that crosses levels, layer by layer downward.
template <class Real> struct CrossingHeat {
    using N = typename Real::Number;
    Real step_above = Real(N(0)),
         M_above = Real(N(0));                    ///< T_k - T_k-1 and M of the interface above
    N standard_above = 0;                         ///< T_s,k - T_s,k-1
    Real above = Real(N(0)), below = Real(N(0));  ///< steps of T less the slope of T'

    /// (V - W) dp, from the steps of T and T_s and M at the interface below, and a and b.
    constexpr Real of_layer(Real step, N standard, Real M, N a, N b) {
        const Real slope = fma(a, step_above - standard_above, b * (step - standard));
        above = step_above - slope, below = step - slope;
        const Real twice = fma(M, below, M_above * above);
        step_above = step, standard_above = standard, M_above = M;
        return N(0.5) * twice;
    }
};

/// What trajectories carry, and the nonlinear terms that the arrival point gets.
struct SemiImplicitTerms {
    double step = 1800, gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_temperature = usual::reference_temperature, off_centring = 0, splitting = 0;
    static constexpr std::string_view summary =
        "splits tendencies into linear and nonlinear terms; values to be carried to the arrival "
        "point";
    static constexpr std::tuple parameters{
        Parameter{"step", &SemiImplicitTerms::step, "s", -1e6, 1e6,
                  "time step; negative: backward"},
        Parameter{"gas_constant", &SemiImplicitTerms::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &SemiImplicitTerms::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"reference_temperature", &SemiImplicitTerms::reference_temperature, "K", 100,
                  1000, "T_r of the linear terms: warmer than the atmosphere"},
        Parameter{"off_centring", &SemiImplicitTerms::off_centring, "1", 0, 1,
                  "e: weight of the linear terms moved to the new time"},
        Parameter{"splitting", &SemiImplicitTerms::splitting, "1", 0, 1,
                  "1: rotation by itself (coriolis.hpp)"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "temperature_gradient_east", place::center_layer, "K m-1"> Tx,
        Reads<Real, "temperature_gradient_north", place::center_layer, "K m-1"> Ty,
        Reads<Real, "log_pressure_ratio", place::center_column, "1"> log_ps,
        Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> px,
        Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> py,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> orography,
        Reads<Real, "orography_gradient_east", place::center_column, "m s-2"> sx,
        Reads<Real, "orography_gradient_north", place::center_column, "m s-2"> sy,
        Reads<Real, "coriolis", place::center_column, "s-1"> coriolis,
        Reads<Real, "eastward_wind_force", place::center_layer, "m s-2"> Fu,
        Reads<Real, "northward_wind_force", place::center_layer, "m s-2"> Fv,
        Reads<Real, "adiabatic_heating", place::center_layer, "K s-1"> FT,
        Reads<Real, "log_pressure_ratio_tendency", place::center_layer, "s-1"> Fp,
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> Pu,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2"> Pv,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> PT,
        ReadsProfile<Real, "time_weights", "1"> weights,
        ReadsProfile<Real, "reference_alpha", "1"> alpha,
        ReadsProfile<Real, "reference_log_ratio", "1"> log_ratio,
        ReadsProfile<Real, "reference_thickness", "1"> thickness,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        ReadsProfile<Real, "hybrid_b", "1"> B,
        ReadsProfile<Real, "standard_temperature", "K"> standard,
        ReadsProfile<Real, "slope_above", "1"> slope_above,
        ReadsProfile<Real, "slope_below", "1"> slope_below,
        Updates<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Updates<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Updates<Real, "temperature_nonlinear", place::center_layer, "K s-1"> NT,
        Updates<Real, "log_pressure_ratio_nonlinear", place::center_layer, "s-1"> Np,
        Writes<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Writes<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Writes<Real, "temperature_carried", place::center_layer, "K"> cT,
        Writes<Real, "log_pressure_ratio_carried", place::center_layer, "1"> cp,
        Keeps<Real, "semi_implicit_terms", 1> own) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        const N R = N(gas_constant), RT = N(gas_constant * reference_temperature), whole = N(step),
                half = N(0.5 * step), old = N(1 - off_centring), now = weights[0],
                before = weights[1];
        const N kappa_T = N(gas_constant / heat_capacity * reference_temperature);
        // nonlinear terms F - L replace those of the last step; the carried value
        auto split = [&](Real X, Real F, Real L, Real rotation, auto nonlinear) {
            const Real n = F - L, last = nonlinear;
            nonlinear = n;
            return fma(half, fma(old, L + rotation, fma(now, n, before * last)), X);
        };
        const auto [energy] = own.columns();  // v^2 / 2 c_p of the carried wind
        const Real ps = p[levels], pi_x = px[0], pi_y = py[0];
        const auto out = [&](int k) {  // div(v_k dp_k)
            return fma(D[k], p[k + 1] - p[k],
                       ps * (N(B[k + 1] - B[k]) * fma(u[k], pi_x, v[k] * pi_y)));
        };
        Real total(0), linear(0);
        for (int k = 0; k < levels; ++k) {
            total += out(k);
            linear = fma(thickness[k], D[k], linear);
        }
        const Real Lp = -linear, over_mountain = orography[0] * (1 / RT),
                   mountain_x = sx[0] * (1 / RT), mountain_y = sy[0] * (1 / RT);
        const Real f = coriolis[0];
        const N beyond = N(of_gradient(splitting, step, off_centring));
        const N per_cp = N(0.5 / heat_capacity);
        Real x = RT * pi_x, y = RT * pi_y;
        for (int k = levels - 1; k >= 0; --k) {
            const Real tx = Tx[k], ty = Ty[k], U = u[k], V = v[k];
            const Real Lu = -fma(R * alpha[k], tx, x), Lv = -fma(R * alpha[k], ty, y);
            const Real east = split(fma(whole, Pu[k], U), Fu[k], Lu, f * fma(beyond, Lv, V), Nu[k]);
            const Real north =
                split(fma(whole, Pv[k], V), Fv[k], Lv, -f * fma(beyond, Lu, U), Nv[k]);
            cu[k] = east, cv[k] = north;
            energy[k] = per_cp * fma(east, east, north * north);
            cp[k] = split(log_ps[0] + over_mountain, Fp[k] + fma(U, mountain_x, V * mountain_y), Lp,
                          Real(0), Np[k]);
            x = fma(R * log_ratio[k], tx, x);
            y = fma(R * log_ratio[k], ty, y);
        }
        Real flux(0), sum(0);
        CrossingHeat<Real> heat;
        for (int k = 0; k < levels; ++k) {
            flux += out(k);
            const bool last = k + 1 == levels;
            const Real M = last ? Real(0) : fma(Real(B[k + 1]), total, -flux),
                       of_T = last ? Real(0) : T[k + 1] - T[k];
            const N of_standard = last ? N(0) : standard[k + 1] - standard[k];
            const Real crossing =
                heat.of_layer(of_T, of_standard, M, slope_above[k], slope_below[k]) /
                (p[k + 1] - p[k]);
            cT[k] = split(fma(whole, PT[k], T[k] - standard[k]) + energy[k], FT[k] - crossing,
                          -kappa_T * fma(alpha[k], D[k], log_ratio[k] / thickness[k] * sum),
                          Real(0), NT[k]);
            sum = fma(thickness[k], D[k], sum);
        }
    }
};

/// 2 V(n) - V(n-1), by which trajectories are second-order accurate in time.
struct WindExtrapolation {
    static constexpr std::string_view summary = "wind extrapolated to the new time";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "eta_velocity", place::center_layer, "s-1"> w,
        ReadsProfile<Real, "time_weights", "1"> weights,
        Updates<Real, "eastward_wind_before", place::center_layer, "m s-1"> ub,
        Updates<Real, "northward_wind_before", place::center_layer, "m s-1"> vb,
        Updates<Real, "eta_velocity_before", place::center_layer, "s-1"> wb,
        Writes<Real, "eastward_wind_extrapolated", place::center_layer, "m s-1"> ue,
        Writes<Real, "northward_wind_extrapolated", place::center_layer, "m s-1"> ve,
        Writes<Real, "eta_velocity_extrapolated", place::center_layer, "s-1"> we) const {
        const auto now = weights[0], before = weights[1];
        auto extrapolate = [&](Real x, auto last, auto next) {
            next = fma(Real(now), x, before * Real(last));
            last = x;
        };
        for (int k = 0; k < u.levels(); ++k)
            extrapolate(u[k], ub[k], ue[k]), extrapolate(v[k], vb[k], ve[k]),
                extrapolate(w[k], wb[k], we[k]);
    }
};

/// Tendencies start at 0; physics adds to them.
struct TendencyStart {
    static constexpr std::string_view summary = "tendencies of wind and temperature begin at 0";
    template <class Real>
    constexpr void operator()(
        Writes<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u,
        Writes<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v,
        Writes<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T) const {
        for (int k = 0; k < u.levels(); ++k) u[k] = Real(0), v[k] = Real(0), T[k] = Real(0);
    }
};

/// Values at the arrival point before the implicit terms, which are found in spectral space.
struct Arrival {
    double step = 1800, gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_temperature = usual::reference_temperature;
    static constexpr std::string_view summary = "arrival point: carried values and nonlinear terms";
    static constexpr std::tuple parameters{
        Parameter{"step", &Arrival::step, "s", -1e6, 1e6, "time step; negative: backward"},
        Parameter{"gas_constant", &Arrival::gas_constant, "J kg-1 K-1", 100, 1e4, "of dry air"},
        Parameter{"heat_capacity", &Arrival::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"reference_temperature", &Arrival::reference_temperature, "K", 100, 1000,
                  "T_r of the linear terms"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Reads<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Reads<Real, "temperature_carried", place::center_layer, "K"> cT,
        Reads<Real, "log_pressure_ratio_carried", place::center_layer, "1"> cp,
        Reads<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Reads<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Reads<Real, "temperature_nonlinear", place::center_layer, "K s-1"> NT,
        Reads<Real, "log_pressure_ratio_nonlinear", place::center_layer, "s-1"> Np,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> orography,
        ReadsProfile<Real, "hybrid_b", "1"> B,
        ReadsProfile<Real, "standard_temperature", "K"> standard,
        Writes<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Writes<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Writes<Real, "virtual_temperature", place::center_layer, "K"> T,
        Writes<Real, "log_pressure_ratio", place::center_column, "1"> log_ps) const {
        using N = typename Real::Number;
        const N half = N(0.5 * step), heat = N(0.5 / heat_capacity);
        Real surface(0);
        for (int k = 0; k < cu.levels(); ++k) {
            const Real east = cu[k], north = cv[k];
            u[k] = fma(half, Nu[k], east);
            v[k] = fma(half, Nv[k], north);
            T[k] = fma(half, NT[k], cT[k] + (standard[k] - heat * fma(east, east, north * north)));
            surface = fma(B[k + 1] - B[k], fma(half, Np[k], cp[k]), surface);
        }
        log_ps[0] = surface - orography[0] * N(1 / (gas_constant * reference_temperature));
    }
};

struct TracerTendencyStart {
    static constexpr std::string_view summary = "the tendency of a tracer begins at 0";
    template <class Real>
    constexpr void operator()(
        Writes<Real, "tracer_tendency", place::center_layer, "any s-1"> tendency) const {
        for (int k = 0; k < tendency.levels(); ++k) tendency[k] = Real(0);
    }
};
struct TracerPhysics {
    double step = 1800;
    static constexpr std::string_view summary = "a tracer after its physics, before it is carried";
    static constexpr std::tuple parameters{
        Parameter{"step", &TracerPhysics::step, "s", -1e6, 1e6, "time step; negative: backward"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_tendency", place::center_layer, "any s-1"> tendency,
        Updates<Real, "tracer", place::center_layer, "any"> tracer) const {
        for (int k = 0; k < tendency.levels(); ++k)
            tracer[k] = fma(Real(step), tendency[k], tracer[k]);
    }
};

}  // namespace fathom::atmosphere
