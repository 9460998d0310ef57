/// Budgets of the physics: the change of a column by the tendencies so far, summed over steps. The
/// effect of a scheme is the difference of two such sums, after it and before it.
///
///   content   + sum_k dp_k / g x_k                       x a tendency
///   kinetic   + sum_k dp_k / g (v_k + dt/2 w_k) . w_k    w the tendency of the wind v:
///                                                        (|v + dt w|^2 - |v|^2) / 2 dt, exactly
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::atmosphere {

struct TendencyContent {
    static constexpr std::string_view summary =
        "contribution of a tendency to the column, summed over steps";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tendency", place::center_layer, "any s-1"> tendency,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Updates<Real, "tendency_content", place::center_column, "any kg m-2 s-1"> content) const {
        Real sum = 0;
        for (int k = 0; k < tendency.levels(); ++k) sum = fma(p[k + 1] - p[k], tendency[k], sum);
        content[0] += sum * (1 / constants::gravity);
    }
};

struct KineticContent {
    double step = 1800;
    static constexpr std::string_view summary =
        "contribution of the wind's tendency to the kinetic energy of the column, summed over "
        "steps";
    static constexpr std::tuple parameters{
        Parameter{"step", &KineticContent::step, "s", -1e6, 1e6, "time step"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> du,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2"> dv,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Updates<Real, "kinetic_content", place::center_column, "W m-2"> content) const {
        Real sum = 0;
        for (int k = 0; k < u.levels(); ++k) {
            const Real east = du[k], north = dv[k],
                       work = fma(fma(east, 0.5 * step, u[k]), east,
                                  fma(north, 0.5 * step, v[k]) * north);
            sum = fma(p[k + 1] - p[k], work, sum);
        }
        content[0] += sum * (1 / constants::gravity);
    }
};

struct MassFlow {
    static constexpr std::string_view summary = "flow of mass in the column, summed over steps";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Updates<Real, "eastward_mass_flow", place::center_column, "Pa m s-1"> east,
        Updates<Real, "northward_mass_flow", place::center_column, "Pa m s-1"> north) const {
        Real along = 0, across = 0;
        for (int k = 0; k < u.levels(); ++k) {
            const Real thickness = p[k + 1] - p[k];
            along = fma(thickness, u[k], along);
            across = fma(thickness, v[k], across);
        }
        east[0] += along;
        north[0] += across;
    }
};

}  // namespace fathom::atmosphere
