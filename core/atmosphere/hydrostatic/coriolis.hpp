/// Implicit rotation for a Coriolis parameter that is any function of the place, on a stretched or
/// rotated sphere: alternating directions (Douglas & Gunn 1964). With F the rotation, G gravity
/// waves, both linear, dX/dt = -(F + G) X + N,
///   (1 + beta F)(1 + beta G) X+ = { X - beta' (F + G) X + beta^2 F G X + ... }_D + ...,
///       beta, beta' = dt/2 (1 +- e)
/// F is inverted at each grid point, then G in spectral space. Steady flow stays steady at any
/// step, waves do not grow (F and G are antisymmetric), and the factorisation error, beta^2 F G (X+
/// - X), is of second order: slow motion is slowed by (f dt / 2)^2. The present terms have
///   -beta' f k x (v - (beta^2 / beta') grad(phi))   instead of   -beta' f k x v
/// On an ordinary sphere F and G are inverted together instead (semi_implicit.hpp).
#pragma once
#include "field/process.hpp"

namespace fathom::atmosphere {

/// beta^2 / beta' of the present terms; 0 where rotation is not split off.
constexpr double of_gradient(double splitting, double step, double off_centring) {
    return splitting > 0 ? 0.5 * step * (1 + off_centring) * (1 + off_centring) / (1 - off_centring)
                         : 0;
}

struct ImplicitCoriolis {
    double step = 1800, off_centring = 0;
    static constexpr std::string_view summary =
        "rotation at the new time: the wind turned by the Coriolis force, implicitly, at each "
        "point";
    static constexpr std::tuple parameters{
        Parameter{"step", &ImplicitCoriolis::step, "s", -1e6, 1e6, "time step; negative: backward"},
        Parameter{"off_centring", &ImplicitCoriolis::off_centring, "1", 0, 0.99,
                  "e: weight of the linear terms moved to the new time"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "coriolis", place::center_column, "s-1"> coriolis,
        Updates<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Updates<Real, "northward_wind", place::center_layer, "m s-1"> v) const {
        const Real turn = coriolis[0] * (0.5 * step * (1 + off_centring)),
                   less = 1.0 / fma(turn, turn, Real(1));
        for (int k = 0; k < u.levels(); ++k) {
            const Real U = u[k], V = v[k];
            u[k] = fma(turn, V, U) * less;
            v[k] = fma(-turn, U, V) * less;
        }
    }
};

}  // namespace fathom::atmosphere
