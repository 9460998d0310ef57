/// The instantaneous wind from a mean wind U, its mean speed S and the weather between them:
///
///   wind = U + sigma e,    speed = |wind|,
///   sigma^2 = (S^2 - |U|^2) k,   k = 2/pi + (1 - 2/pi) (|U|/S)^4
///
/// e: a field in time with two independent normal components of variance 1. With this sigma the
/// mean speed is S: speeds have the distribution of Rice (1944), at |U| = 0 that of Rayleigh. k is
/// within 3 % of the exact one. Where the data are instantaneous winds, S = |U|, and nothing is
/// added.
///
/// The mean wind and the mean speed stay. Mean stress and the mean cube of the speed become those
/// of variable winds: with a coefficient like S they are 1.3 to 2 times the values from U and S
/// alone (Thompson, Marsden & Wright 1983; docs/forcing.md).
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct StormyWind {
    static constexpr std::string_view summary =
        "Adds storms to a mean wind, so strong that the mean speed is that of the data";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "storm_eastward", place::center_column, "1"> storm_eastward,
        Reads<Real, "storm_northward", place::center_column, "1"> storm_northward,
        Updates<Real, "eastward_wind", place::center_column, "m s-1"> eastward,
        Updates<Real, "northward_wind", place::center_column, "m s-1"> northward,
        Updates<Real, "wind_speed", place::center_column, "m s-1"> speed) const {
        constexpr double all_sides = 2 / 3.141592653589793, least = 1e-6;  // least: [m2 s-2]
        const Real mean_E = eastward[0], mean_N = northward[0], S = speed[0];
        const Real of_mean = mean_E * mean_E + mean_N * mean_N, square = larger(S * S, Real(least));
        const Real share = of_mean / square,
                   k = fma(share * share, Real(1 - all_sides), Real(all_sides));
        const Real sigma = sqrt(larger(square - of_mean, Real(0)) * k);
        const Real E = fma(sigma, storm_eastward[0], mean_E),
                   N = fma(sigma, storm_northward[0], mean_N);
        eastward[0] = E;
        northward[0] = N;
        speed[0] = sqrt(E * E + N * N);
    }
};

}  // namespace fathom::physics
