/// Forcing of Held & Suarez (1994, Bull. Amer. Meteor. Soc. 75, 1825-1830) instead of all physics,
/// for dry dynamical cores:
///
///   dv/dt = -k_v v,   dT/dt = -k_T (T - T_eq)
///   T_eq = max(T_min, [T_equator - dT_y sin^2(lat) - dtheta_z ln(p / p_0) cos^2(lat)]
///       (p / p_0)^kappa),   kappa = 2/7
///   k_v = k_f low,   k_T = k_a + (k_s - k_a) low cos^4(lat),
///       low = max(0, (sigma - sigma_b) / (1 - sigma_b)),   sigma = p / p_s
#pragma once
#include "base/elementary.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct HeldSuarez {
    double friction = 1, cooling = 40, surface_cooling = 4, boundary_layer = 0.7, equator = 315,
           pole_contrast = 60, stability = 10, stratosphere = 200,
           reference_pressure = usual::reference_pressure;

    static constexpr std::string_view summary =
        "Newtonian cooling and Rayleigh friction of Held & Suarez (1994)";
    static constexpr std::tuple parameters{
        Parameter{"friction", &HeldSuarez::friction, "day", 1e-2, 1e9,
                  "time scale of friction at the surface, 1 / k_f"},
        Parameter{"cooling", &HeldSuarez::cooling, "day", 1e-2, 1e9,
                  "time scale of cooling, 1 / k_a"},
        Parameter{"surface_cooling", &HeldSuarez::surface_cooling, "day", 1e-2, 1e9,
                  "time scale of cooling at the surface of the equator, 1 / k_s"},
        Parameter{"boundary_layer", &HeldSuarez::boundary_layer, "1", 0, 0.99,
                  "sigma of the top of the boundary layer, sigma_b"},
        Parameter{"equator", &HeldSuarez::equator, "K", 100, 500,
                  "equilibrium temperature at the surface of the equator"},
        Parameter{"pole_contrast", &HeldSuarez::pole_contrast, "K", -200, 200,
                  "equilibrium temperature of equator less pole, dT_y"},
        Parameter{"stability", &HeldSuarez::stability, "K", -100, 100,
                  "static stability at the equator, dtheta_z"},
        Parameter{"stratosphere", &HeldSuarez::stratosphere, "K", 50, 400,
                  "least equilibrium temperature, T_min"},
        Parameter{"reference_pressure", &HeldSuarez::reference_pressure, "Pa", 1e4, 1e6, "p_0"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_temperature", place::center_layer, "K"> T,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> p,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "latitude", place::center_column, "rad"> latitude,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency) const {
        constexpr double day = 86400, kappa = 2. / 7;
        const double k_f = 1 / (friction * day), k_a = 1 / (cooling * day),
                     k_s = 1 / (surface_cooling * day);
        const int levels = T.levels();
        const auto [sine, cosine] = sine_cosine(latitude[0]);
        const Real sine_square = sine * sine, cosine_square = cosine * cosine;
        const Real at_surface = equator - pole_contrast * sine_square,
                   with_height = -stability * cosine_square;
        const Real per_surface = 1 / ((1 - boundary_layer) * interface[levels]),
                   extra = (k_s - k_a) * (cosine_square * cosine_square);
        for (int k = 0; k < levels; ++k) {
            const Real P = p[k], depth = log(P * (1 / reference_pressure));
            const Real equilibrium =
                larger(stratosphere, fma(with_height, depth, at_surface) * exp(kappa * depth));
            const Real low = larger(0, fma(P, per_surface, -boundary_layer / (1 - boundary_layer)));
            u_tendency[k] += -k_f * low * u[k];
            v_tendency[k] += -k_f * low * v[k];
            T_tendency[k] += fma(extra, low, k_a) * (equilibrium - T[k]);
        }
    }
};

}  // namespace fathom::physics
