/// The pressure of levels along trajectories. Levels go up and down with the ground, so air that
/// flows level crosses them, and two errors of its trajectory have to cancel: that of the way
/// across levels, and that of the interpolation along them. What does not cancel heats and cools
/// the air at each height, and makes short waves where there are none. So the pressure of levels,
/// as it is now, is carried with its motion W along the same trajectory,
///   pi_A' = { pi + dt/2 W[2 V(n) - V(n-1)] }_D + dt/2 W[V(n)]_A,
///   W[V] = v . grad(pi) + eta dot dpi/deta
/// pi_A' - pi_A is the error of the place where the air comes from, as a pressure. Wind and
/// temperature get the values of the right place:
///   X_A = X_A' - (pi_A' - pi_A) dX/dpi
/// pi of a layer is the mean of its interfaces. Where air flows level, W is 0.
#pragma once
#include "field/process.hpp"

namespace fathom::atmosphere {

/// dt/2 W of layer k, with b its share of p_s. slope: of ln p_s; thick: dpi.
template <class Real> struct MotionAcrossLevels {
    using N = typename Real::Number;
    N share, per_eta;  ///< dt/2 b; dt/2 / d(eta)
    constexpr MotionAcrossLevels(double step, const auto& B, const auto& eta, int k)
        : share(N(0.25 * step) * (B[k] + B[k + 1])),
          per_eta(N(0.5 * step) / (eta[k + 1] - eta[k])) {}
    constexpr Real operator()(Real u, Real v, Real w, Real slope_x, Real slope_y, Real surface,
                              Real thick) const {
        return fma(share * surface, fma(u, slope_x, v * slope_y), per_eta * w * thick);
    }
};

struct LevelPressureCarried {
    double step = 60;
    static constexpr std::string_view summary =
        "pressure of levels and half of its motion, to be carried to the arrival point";
    static constexpr std::tuple parameters{Parameter{"step", &LevelPressureCarried::step, "s", -1e6,
                                                     1e6, "time step; negative: backward"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_extrapolated", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind_extrapolated", place::center_layer, "m s-1"> v,
        Reads<Real, "eta_velocity_extrapolated", place::center_layer, "s-1"> w,
        Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> slope_x,
        Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> slope_y,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> pi,
        ReadsProfile<Real, "hybrid_b", "1"> B, ReadsProfile<Real, "hybrid_eta", "1"> eta,
        Writes<Real, "level_pressure_carried", place::center_layer, "Pa"> carried) const {
        using N = typename Real::Number;
        const int levels = u.levels();
        for (int k = 0; k < levels; ++k) {
            const MotionAcrossLevels<Real> motion(step, B, eta, k);
            carried[k] =
                N(0.5) * (pi[k] + pi[k + 1]) +
                motion(u[k], v[k], w[k], slope_x[0], slope_y[0], pi[levels], pi[k + 1] - pi[k]);
        }
    }
};

struct ArrivalOnLevels {
    double step = 60;
    static constexpr std::string_view summary =
        "carried wind and temperature of the place that the carried pressure of levels tells";
    static constexpr std::tuple parameters{
        Parameter{"step", &ArrivalOnLevels::step, "s", -1e6, 1e6, "time step; negative: backward"}};

    /// Twice the error over the distance of the layers above and below, and this distance.
    template <class Real> struct Share {
        Real value, apart;
        constexpr Share(Real arrives, const auto& pi, int k, int last)
            : apart(pi[k < last ? k + 1 : last] + pi[k < last ? k + 2 : last + 1] -
                    (pi[k > 0 ? k - 1 : 0] + pi[k > 0 ? k : 1])) {
            value = (2.0 * arrives - (pi[k] + pi[k + 1])) / apart;
        }
    };

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "eta_velocity", place::center_layer, "s-1"> w,
        Reads<Real, "pressure_gradient_east", place::center_column, "m-1"> slope_x,
        Reads<Real, "pressure_gradient_north", place::center_column, "m-1"> slope_y,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> pi,
        ReadsProfile<Real, "hybrid_b", "1"> B, ReadsProfile<Real, "hybrid_eta", "1"> eta,
        Reads<Real, "level_pressure_carried", place::center_layer, "Pa"> carried,
        Updates<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Updates<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Updates<Real, "temperature_carried", place::center_layer, "K"> cT) const {
        const int levels = u.levels(), last = levels - 1;
        Real u_above = cu[0], v_above = cv[0], T_above = cT[0];
        for (int k = 0; k < levels; ++k) {
            const MotionAcrossLevels<Real> motion(step, B, eta, k);
            const Real arrives = carried[k] + motion(u[k], v[k], w[k], slope_x[0], slope_y[0],
                                                     pi[levels], pi[k + 1] - pi[k]);
            const Real share = Share<Real>(arrives, pi, k, last).value;
            const auto move = [&](auto X, Real& above) {
                const Real here = X[k], below = k < last ? X[k + 1] : X[k];
                X[k] = fma(-share, below - above, here);
                above = here;
            };
            move(cu, u_above), move(cv, v_above), move(cT, T_above);
        }
    }
};

}  // namespace fathom::atmosphere
