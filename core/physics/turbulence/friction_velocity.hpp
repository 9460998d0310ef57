/// Friction velocity of the sea at cell centers, from the mean stress at the four corners:
///
///   u* = (|tau| / rho0)^(1/2)
///
/// Before the equation of state: whoever reads a neighbour's stress ends a group of processes, and density is to stay in cache after it.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/turbulence/shear.hpp"

namespace fathom::physics {

struct FrictionVelocity {
    static constexpr std::string_view summary = "Friction velocity of the sea from the stress at its surface";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("surface_stress_x",  place::corner_vector_column, "N m-2", 1),
        reads ("surface_stress_y",  place::corner_vector_column, "N m-2", 1),
        writes("friction_velocity", place::center_column,        "m s-1")};

    template <class Real> void operator()(In<Real, 1> stress_x, In<Real, 1> stress_y, Out<Real> friction) const {
        const Real x = mean_of_corners(stress_x), y = mean_of_corners(stress_y);
        friction[0] = sqrt(sqrt(fma(x, x, y * y)) * (1 / constants::sea_water_density));
    }
};

}  // namespace fathom::physics
