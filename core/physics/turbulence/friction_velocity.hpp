/// Friction velocity of the sea at cell centers, from the mean stress at those of its four corners
/// that are wet:
///
///   u* = (|tau| / rho0)^(1/2)
///
/// Before the equation of state: a process that reads a neighbour's stress ends a group of
/// processes, and density should stay in cache after it.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct FrictionVelocity {
    static constexpr std::string_view summary =
        "Friction velocity of the sea from the stress at its surface";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_stress_x", place::corner_vector_column, "N m-2", 1> stress_x,
        Reads<Real, "surface_stress_y", place::corner_vector_column, "N m-2", 1> stress_y,
        Reads<Real, "depth_corner", place::corner_column, "m", 1> depth,
        Writes<Real, "friction_velocity", place::center_column, "m s-1"> friction) const {
        Real x = 0, y = 0, wet = 0;  // values at dry corners are undefined
        for (Shift corner : {here, -east, -north, -northeast}) {
            const auto water = depth(corner)[0] > 0;
            x += select(water, stress_x(corner)[0], 0), y += select(water, stress_y(corner)[0], 0),
                wet += select(water, Real(1), 0);
        }
        friction[0] =
            sqrt(sqrt(fma(x, x, y * y)) / larger(wet, 1) * (1 / constants::sea_water_density));
    }
};

}  // namespace fathom::physics
