/// SETTLS of compressible air (Hortal 2002): at the departure point nonlinear terms are those of
/// the new time, extrapolated from now and before,
///
///   X+ = [X + dt/2 (1-e) (L + 2 N - N_before)]_departure + dt/2 (1+e) (N + L+)_arrival,
///
/// instead of N of one time at both ends (NESC), which needs a correction of the step.
#pragma once
#include "atmosphere/nonhydrostatic/equations.hpp"
#include "base/usual.hpp"

namespace fathom::atmosphere {

/// N of w on interfaces, m the slope of the departure of pressure by the reference pressure:
///   N_w = F_w - g m T / T_a
struct CompressibleExtrapolation {
    double step = 60, off_centring = 0, acoustic_temperature = usual::acoustic_temperature;
    static constexpr std::string_view summary =
        "nonlinear terms of compressible air extrapolated to the new time, where it departs";
    static constexpr std::tuple parameters{
        Parameter{"step", &CompressibleExtrapolation::step, "s", -1e6, 1e6,
                  "time step; negative: backward"},
        Parameter{"off_centring", &CompressibleExtrapolation::off_centring, "1", 0, 0.99,
                  "e: weight of the terms moved to the new time"},
        Parameter{"acoustic_temperature", &CompressibleExtrapolation::acoustic_temperature, "K", 1,
                  1000, "T_a of the linear terms of sound"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind_nonlinear", place::center_layer, "m s-2"> Nu,
        Reads<Real, "northward_wind_nonlinear", place::center_layer, "m s-2"> Nv,
        Reads<Real, "temperature_nonlinear", place::center_layer, "K s-1"> NT,
        Reads<Real, "log_pressure_departure_nonlinear", place::center_layer, "s-1"> Nq,
        Reads<Real, "log_pressure_ratio_nonlinear", place::center_layer, "s-1"> Np,
        Reads<Real, "upward_acceleration", place::center_interface, "m s-2"> Fw,
        Reads<Real, "log_pressure_departure", place::center_layer, "1"> q,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        ReadsProfile<Real, "reference_log_ratio", "1"> log_ratio,
        ReadsProfile<Real, "reference_thickness", "1"> thickness,
        ReadsProfile<Real, "time_weights", "1"> weights,
        Updates<Real, "eastward_wind_nonlinear_before", place::center_layer, "m s-2"> ub,
        Updates<Real, "northward_wind_nonlinear_before", place::center_layer, "m s-2"> vb,
        Updates<Real, "temperature_nonlinear_before", place::center_layer, "K s-1"> Tb,
        Updates<Real, "log_pressure_departure_nonlinear_before", place::center_layer, "s-1"> qb,
        Updates<Real, "log_pressure_ratio_nonlinear_before", place::center_layer, "s-1"> pb,
        Updates<Real, "upward_acceleration_before", place::center_interface, "m s-2"> wb,
        Updates<Real, "eastward_wind_carried", place::center_layer, "m s-1"> cu,
        Updates<Real, "northward_wind_carried", place::center_layer, "m s-1"> cv,
        Updates<Real, "temperature_carried", place::center_layer, "K"> cT,
        Updates<Real, "log_pressure_departure_carried", place::center_layer, "1"> cq,
        Updates<Real, "log_pressure_ratio_carried", place::center_layer, "1"> cp,
        Updates<Real, "upward_air_velocity_carried", place::center_interface, "m s-1"> cw) const {
        using N = typename Real::Number;
        const N half = N(0.5 * step * (1 - off_centring)), now = half * (N(weights[0]) - 1),
                before = half * N(weights[1]),
                linear = N(constants::gravity / acoustic_temperature);
        const auto add = [&](Real n, auto last, auto carried) {
            carried = fma(now, n, fma(before, Real(last), Real(carried)));
            last = n;
        };
        Real p_above(0), T_above = T[0];
        for (int k = 0; k < Nu.levels(); ++k) {
            const ReferenceLayer<N> of(log_ratio, thickness, k);
            const Real p = of.pi * q[k], m = (p - p_above) * of.per_apart;
            add(Fw[k] - linear * (N(0.5) * (T_above + T[k])) * m, wb[k], cw[k]);
            add(Nu[k], ub[k], cu[k]), add(Nv[k], vb[k], cv[k]);
            add(NT[k], Tb[k], cT[k]), add(Nq[k], qb[k], cq[k]), add(Np[k], pb[k], cp[k]);
            p_above = p, T_above = T[k];
        }
    }
};

}  // namespace fathom::atmosphere
