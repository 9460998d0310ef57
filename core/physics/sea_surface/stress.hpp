/// Rotates between true directions at cell centers and grid directions at corners. grid_angle, at
/// corners, is counterclockwise from true east to the grid's x:
///
///   surface_stress_x =  tau_E cos + tau_N sin        current_E = u cos - v sin
///   surface_stress_y = -tau_E sin + tau_N cos        current_N = u sin + v cos
#pragma once
#include <array>
#include <tuple>
#include "base/elementary.hpp"
#include "field/field.hpp"

namespace fathom::physics {

/// A corner gets the mean of its four cells; where a corner is wet, all four are.
struct StressToGrid {
    static constexpr std::string_view summary =
        "Wind stress from cell centers to corners and to the directions of the grid";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "stress_eastward", place::center_column, "N m-2", 1> eastward,
        Reads<Real, "stress_northward", place::center_column, "N m-2", 1> northward,
        Reads<Real, "grid_angle", place::corner_column, "rad"> angle,
        Writes<Real, "surface_stress_x", place::corner_vector_column, "N m-2"> x,
        Writes<Real, "surface_stress_y", place::corner_vector_column, "N m-2"> y) const {
        auto mean = [](In<Real, 1> f) -> Real {
            return ((f[0] + f(east)[0]) + (f(north)[0] + f(northeast)[0])) * 0.25;
        };
        const Real E = mean(eastward), N = mean(northward);
        const auto [sine, cosine] = sine_cosine(angle[0]);
        x[0] = E * cosine + N * sine;
        y[0] = N * cosine - E * sine;
    }
};

/// Surface current at cell centers, the mean of the four corners (0 on land). BulkForcing subtracts
/// it from the wind: without this process the fields stay 0, and winds are absolute.
struct SurfaceCurrent {
    static constexpr std::string_view summary =
        "Surface current at cell centers in true directions: makes the wind relative to it";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "grid_angle", place::corner_column, "rad", 1> angle,
        Writes<Real, "surface_current_eastward", place::center_column, "m s-1"> eastward,
        Writes<Real, "surface_current_northward", place::center_column, "m s-1"> northward) const {
        Real E = 0, N = 0;
        for (Shift corner : {here, -east, -north, -northeast}) {
            const auto [sine, cosine] = sine_cosine(angle(corner)[0]);
            const Real x = u(corner)[0], y = v(corner)[0];
            E += x * cosine - y * sine;
            N += x * sine + y * cosine;
        }
        eastward[0] = E * 0.25;
        northward[0] = N * 0.25;
    }
};

}  // namespace fathom::physics
