/// Drag of the air that sub-grid mountains block: air without the energy to rise over them flows
/// around them and leaves a wake (Lott & Miller 1997, Q. J. R. Meteorol. Soc. 123, 101-127), for
/// isotropic mountains:
///
///   blocked below z_b:   int_z_b^3 sigma N / |v| dz = H_c
///   dv/dt = -C |v| v,    C = C_d B / 2  s / 2  ((z_b - z) / (z + sigma))^1/2,   B = 0.78
///   v' = v / (1 + dt C |v'|),  which never turns the wind;   kinetic energy lost warms the layer
///
/// sigma is the standard deviation of the sub-grid orography, s its mean slope over sigma, z the
/// height above the mean ground. v is the wind at the end of the step with the tendencies so far.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct OrographicBlocking {
    double step = 1200, drag = 2, steepness = 1e-4, critical = 0.5, largest_height = 750;

    static constexpr std::string_view summary = "Drag of air that sub-grid orography blocks";
    static constexpr std::tuple parameters{
        Parameter{"step", &OrographicBlocking::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"drag", &OrographicBlocking::drag, "1", 0, 10, "drag coefficient C_d"},
        Parameter{"steepness", &OrographicBlocking::steepness, "m-1", 0, 1e-2,
                  "mean slope of the orography over its standard deviation, s"},
        Parameter{"critical", &OrographicBlocking::critical, "1", 0.1, 5,
                  "N h / U that air can climb, H_c"},
        Parameter{"largest_height", &OrographicBlocking::largest_height, "m", 0, 5000,
                  "bound on the standard deviation of the orography"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface_geopotential,
        Reads<Real, "orography_deviation", place::center_column, "m"> deviation,
        Updates<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> u_tendency,
        Updates<Real, "northward_wind_tendency", place::center_layer, "m s-2"> v_tendency,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Writes<Real, "blocking_height", place::center_column, "m"> blocking_height,
        Writes<Real, "blocking_stress_eastward", place::center_column, "N m-2"> stress_east,
        Writes<Real, "blocking_stress_northward", place::center_column, "N m-2"> stress_north)
        const {
        using namespace constants;
        const int levels = u.levels(), last = levels - 1;
        const Real sigma = smaller(larger(deviation[0], 0), largest_height);
        const auto height = [&](int k) -> Real {
            return (geopotential[k] - surface_geopotential[0]) * (1 / gravity);
        };
        const auto wind = [&](int k) -> std::pair<Real, Real> {
            return {fma(u_tendency[k], step, u[k]), fma(v_tendency[k], step, v[k])};
        };
        const auto speed = [&](int k) -> Real {
            const auto [east, north] = wind(k);
            return sqrt(fma(east, east, north * north));
        };

        // Downward from the tops of the mountains, until air cannot climb as far.
        Real climbed = 0, blocked = 0;
        for (int k = 1; k <= levels; ++k) {
            const int below = k < levels ? k : last;
            const Real top = smaller(height(k - 1), 3 * sigma),
                       foot = k < levels ? height(k) : Real(0), deep = larger(top - foot, 0);
            const int above = k < levels ? k - 1 : last - 1, under = k < levels ? k : last;
            const Real rise = geopotential[above] - geopotential[under],
                       warming = temperature[above] - temperature[under],
                       N2 = 2 * gravity * gravity * fma(warming, dry_air_heat_capacity, rise) /
                            (dry_air_heat_capacity * (temperature[above] + temperature[under]) *
                             rise);
            const Real flow = larger(0.5 * (speed(k - 1) + speed(below)), 0.1),
                       rate = sqrt(larger(N2, 1e-9)) / flow, needed = critical - climbed;
            const auto here = (needed > 0) & (rate * deep >= needed);
            blocked = select(here, top - needed / rate, blocked);
            climbed = fma(rate, deep, climbed);
        }
        blocking_height[0] = blocked;

        Real east_lost = 0, north_lost = 0;
        for (int k = last; k >= 0; --k) {
            const Real z = height(k), deep = larger(blocked - z, 0),
                       C = (0.5 * 0.78 * 0.5 * drag * steepness) *
                           sqrt(deep / (z + larger(sigma, 1)));
            const auto [east, north] = wind(k);
            const Real before = sqrt(fma(east, east, north * north)), strength = C * step,
                       // |v'|: the positive root of strength x^2 + x - |v| = 0
                root = 1 + sqrt(1 + 4 * strength * before), kept = 2 / root, du = (kept - 1) * east,
                       dv = (kept - 1) * north;
            const Real warmed = -(du * fma(0.5, du, east) + dv * fma(0.5, dv, north));
            u_tendency[k] += du * (1 / step);
            v_tendency[k] += dv * (1 / step);
            T_tendency[k] += warmed * (1 / (dry_air_heat_capacity * step));
            const Real mass = (interface[k + 1] - interface[k]) * (1 / (gravity * step));
            east_lost = fma(mass, -du, east_lost), north_lost = fma(mass, -dv, north_lost);
        }
        stress_east[0] = east_lost;
        stress_north[0] = north_lost;
    }
};

}  // namespace fathom::physics
