/// Every term of the momentum equation in a step, by difference:
///   explicit      the tendency after a process less that before it
///   Coriolis      f (theta v* + (1 - theta) v),  -f (theta u* + (1 - theta) u)
///   others        (u_now made - u) / step less all terms before
/// so the terms add up to (u_after - u) / step. Of vorticity: the circulation of a term along the
/// four corners of a cell, an area.
#pragma once
#include "base/usual.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

template <bool first> struct MomentumShare {
    static constexpr std::string_view summary =
        "contribution of the previous process to the tendency of momentum";
    template <class Real, Text name>
    using Total = std::conditional_t<first, Writes<Real, name, place::corner_vector_layer, "m s-2">,
                                     Updates<Real, name, place::corner_vector_layer, "m s-2">>;

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Reads<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Total<Real, "momentum_budget_total_x"> total_x,
        Total<Real, "momentum_budget_total_y"> total_y,
        Writes<Real, "momentum_share_x", place::corner_vector_layer, "m s-2"> share_x,
        Writes<Real, "momentum_share_y", place::corner_vector_layer, "m s-2"> share_y) const {
        for (int k = 0; k < share_x.levels(); ++k) {
            const Real x = tendency_x[k], y = tendency_y[k];
            if constexpr (first) {
                share_x[k] = x, share_y[k] = y;
            } else {
                share_x[k] = x - Real(total_x[k]), share_y[k] = y - Real(total_y[k]);
            }
            total_x[k] = x, total_y[k] = y;
        }
    }
};

struct CoriolisShare {
    double implicitness = usual::implicitness;
    static constexpr std::string_view summary = "the Coriolis force in the budget of momentum";
    static constexpr std::tuple parameters{
        Parameter{"implicitness", &CoriolisShare::implicitness, "1", 0.5, 1,
                  "weight of the new time in the Coriolis term"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1"> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1"> v,
        Reads<Real, "velocity_x_after", place::corner_vector_layer, "m s-1"> u_after,
        Reads<Real, "velocity_y_after", place::corner_vector_layer, "m s-1"> v_after,
        Reads<Real, "coriolis", place::corner_column, "s-1"> coriolis,
        Updates<Real, "momentum_budget_total_x", place::corner_vector_layer, "m s-2"> total_x,
        Updates<Real, "momentum_budget_total_y", place::corner_vector_layer, "m s-2"> total_y,
        Writes<Real, "momentum_share_x", place::corner_vector_layer, "m s-2"> share_x,
        Writes<Real, "momentum_share_y", place::corner_vector_layer, "m s-2"> share_y) const {
        const Real f = coriolis[0];
        for (int k = 0; k < share_x.levels(); ++k) {
            const Real U = u[k] + implicitness * (u_after[k] - u[k]),
                       V = v[k] + implicitness * (v_after[k] - v[k]), x = f * V, y = -(f * U);
            share_x[k] = x, share_y[k] = y;
            total_x[k] = Real(total_x[k]) + x, total_y[k] = Real(total_y[k]) + y;
        }
    }
};

/// What the velocity that is made has besides the terms so far.
struct MomentumRest {
    double step = 3600;
    static constexpr std::string_view summary =
        "what a process changes of the new velocity, besides the terms before, as a tendency";
    static constexpr std::tuple parameters{
        Parameter{"step", &MomentumRest::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1"> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1"> v,
        Reads<Real, "velocity_x_after", place::corner_vector_layer, "m s-1"> u_after,
        Reads<Real, "velocity_y_after", place::corner_vector_layer, "m s-1"> v_after,
        Updates<Real, "momentum_budget_total_x", place::corner_vector_layer, "m s-2"> total_x,
        Updates<Real, "momentum_budget_total_y", place::corner_vector_layer, "m s-2"> total_y,
        Writes<Real, "momentum_share_x", place::corner_vector_layer, "m s-2"> share_x,
        Writes<Real, "momentum_share_y", place::corner_vector_layer, "m s-2"> share_y) const {
        for (int k = 0; k < share_x.levels(); ++k) {
            const Real x = (u_after[k] - u[k]) * (1.0 / step),
                       y = (v_after[k] - v[k]) * (1.0 / step);
            share_x[k] = x - Real(total_x[k]), share_y[k] = y - Real(total_y[k]);
            total_x[k] = x, total_y[k] = y;
        }
    }
};

struct VorticityShare {
    static constexpr std::string_view summary =
        "a term of the budget of vorticity: the circulation of one of momentum around a cell";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "momentum_share_x", place::corner_vector_layer, "m s-2", 1> x,
        Reads<Real, "momentum_share_y", place::corner_vector_layer, "m s-2", 1> y,
        Reads<Real, "dx_corner", place::corner_column, "m", 1> dx,
        Reads<Real, "dy_corner", place::corner_column, "m", 1> dy,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Writes<Real, "vorticity_share", place::center_layer, "s-2"> share) const {
        const Real per_area = 0.5 / area[0];
        for (int k = 0; k < share.levels(); ++k) {
            const auto along_x = [&](Shift at) { return x(at)[k] * dx(at)[0]; };
            const auto along_y = [&](Shift at) { return y(at)[k] * dy(at)[0]; };
            share[k] =
                per_area *
                (((along_y(here) + along_y(-north)) - (along_y(-east) + along_y(-northeast))) -
                 ((along_x(here) + along_x(-east)) - (along_x(-north) + along_x(-northeast))));
        }
    }
};

}  // namespace fathom::ocean
