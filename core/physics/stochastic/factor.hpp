/// Physics with random errors: tendencies times 1 + mu r (Buizza et al. 1999; Palmer et al. 2009,
/// ECMWF Technical Memorandum 598), and accelerations of a random wind (Berner et al. 2009).
///
///   mu = ramp(sigma, near, far) ramp(p, above, below),   r cut at -1 and 1
///
/// ramp is 0 at its first value, 1 at its second one, linear between: no errors next to the ground,
/// where fluxes balance each other, nor in the stratosphere, whose radiation is known well.
#pragma once
#include "base/elementary.hpp"
#include "field/process.hpp"

namespace fathom::physics {

template <class Real> constexpr Real ramp(Real x, double zero, double one) {
    return larger(0, smaller(1, (x - zero) * (1 / (one - zero))));
}

struct TendencyFactor {
    double near = 0.96, far = 0.86, above = 5000, below = 10000;

    static constexpr std::string_view summary =
        "tendencies of wind and temperature with random errors";
    static constexpr std::tuple parameters{
        Parameter{"near", &TendencyFactor::near, "1", 0.5, 1.01,
                  "sigma from which on to the ground there are no errors"},
        Parameter{"far", &TendencyFactor::far, "1", 0.1, 1, "sigma from which on upwards all are"},
        Parameter{"above", &TendencyFactor::above, "Pa", 0, 5e4, "pressure above which are none"},
        Parameter{"below", &TendencyFactor::below, "Pa", 1, 6e4, "pressure below which all are"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tendency_pattern", place::center_column, "1"> pattern,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Writes<Real, "tendency_factor", place::center_layer, "1"> factor,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T) const {
        const int levels = u.levels();
        const Real r = larger(-1, smaller(1, pattern[0])), per_surface = 1 / interface[levels];
        for (int k = 0; k < levels; ++k) {
            const Real p = pressure[k];
            const Real f = 1 + r * (ramp(p * per_surface, near, far) * ramp(p, above, below));
            factor[k] = f;
            u[k] = u[k] * f;
            v[k] = v[k] * f;
            T[k] = T[k] * f;
        }
    }
};

struct TracerFactor {
    static constexpr std::string_view summary = "the tendency of a tracer with random errors";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tendency_factor", place::center_layer, "1"> factor,
        Updates<Real, "tracer_tendency", place::center_layer, "any s-1"> tendency) const {
        for (int k = 0; k < tendency.levels(); ++k) tendency[k] = tendency[k] * factor[k];
    }
};

struct BackscatterWind {
    static constexpr std::string_view summary = "acceleration by motion that is not resolved";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_backscatter", place::center_column, "m s-2"> east,
        Reads<Real, "northward_backscatter", place::center_column, "m s-2"> north,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v) const {
        for (int k = 0; k < u.levels(); ++k) u[k] += east[0], v[k] += north[0];
    }
};

}  // namespace fathom::physics
