/// Drag of gravity waves from sub-grid mountains (Palmer, Shutts & Swinbank 1986; saturation after
/// Lindzen 1981, as in McFarlane 1987):
///
///   tau_0 = rho_0 N_0 U_0 k h^2 / 2,   h = min(2 sigma, Fr U_0 / N_0)
///       along the wind U_0 of the source  [N m-2]
///   above it tau <= Fr^2 rho U^3 k / (2 N),
///       U the component of the wind along U_0, 0 where it turns against it
///   dU/dt = -g dtau/dp,   at most half of U in a step;   kinetic energy lost warms the layer
///
/// sigma is the standard deviation of the sub-grid orography, k its effective wave number. Wind,
/// density and N of the source are means of the layers below 2 sigma (at least the two lowest).
/// Nothing carries stress at the top of the model: waves that have not broken below do so in the
/// uppermost layer, or a part of their momentum would be lost (Shaw & Shepherd 2007, J. Atmos. Sci.
/// 64, 2767-2784). gravity_wave_stress is the sum that the layers get.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct OrographicDrag {
    double step = 1200, wave_number = 1.2e-5, froude = 0.7, largest_height = 750;

    static constexpr std::string_view summary =
        "Gravity-wave drag of sub-grid orography with saturation";
    static constexpr std::tuple parameters{
        Parameter{"step", &OrographicDrag::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"wave_number", &OrographicDrag::wave_number, "m-1", 0, 1e-3,
                  "effective wave number of the mountains, k"},
        Parameter{"froude", &OrographicDrag::froude, "1", 0.1, 5,
                  "N h / U at which waves break, Fr"},
        Parameter{"largest_height", &OrographicDrag::largest_height, "m", 0, 5000,
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
        Writes<Real, "gravity_wave_stress", place::center_column, "N m-2"> stress) const {
        using namespace constants;
        const int levels = u.levels(), last = levels - 1;
        const Real sigma = smaller(larger(deviation[0], 0), largest_height),
                   source = surface_geopotential[0] + 2 * gravity * sigma;
        const auto stability = [&](int k) -> Real {  // N^2 between layers k - 1 and k
            const Real warming = temperature[k - 1] - temperature[k],
                       rise = geopotential[k - 1] - geopotential[k];
            return larger(
                2 * gravity * gravity * fma(warming, dry_air_heat_capacity, rise) /
                    (dry_air_heat_capacity * (temperature[k - 1] + temperature[k]) * rise),
                1e-6);
        };
        Real mass = interface[levels] - interface[last], mean_u = mass * u[last],
             mean_v = mass * v[last], mean_T = mass * temperature[last],
             mean_N2 = mass * stability(last);
        for (int k = last - 1; k > 0; --k) {
            const Real weight = select((geopotential[k] < source) | (Real(k) > last - 1.5),
                                       interface[k + 1] - interface[k], Real(0));
            mass += weight;
            mean_u = fma(weight, u[k], mean_u);
            mean_v = fma(weight, v[k], mean_v);
            mean_T = fma(weight, temperature[k], mean_T);
            mean_N2 = fma(weight, stability(k), mean_N2);
        }
        const Real per_mass = 1 / mass, E = mean_u * per_mass, N_wind = mean_v * per_mass;
        const Real speed = sqrt(fma(E, E, fma(N_wind, N_wind, 1e-4))), along_E = E / speed,
                   along_N = N_wind / speed, frequency = sqrt(mean_N2 * per_mass);
        const Real height = smaller(2 * sigma, froude * speed / frequency),
                   density = interface[levels] / (dry_air_gas_constant * (mean_T * per_mass));
        const Real launched = 0.5 * wave_number * density * frequency * speed * (height * height);
        Real tau = launched;
        const auto slow = [&](int k, Real along, Real above) {
            const Real thickness = interface[k + 1] - interface[k],
                       given = smaller(tau - above, along * thickness * (0.5 / (gravity * step))),
                       rate = gravity * given / thickness;
            u_tendency[k] += -(rate * along_E);
            v_tendency[k] += -(rate * along_N);
            // wind at the end of the step: its mean is half a change before
            const Real wind_E = fma(u_tendency[k], step, u[k]),
                       wind_N = fma(v_tendency[k], step, v[k]);
            T_tendency[k] += rate * (fma(along_E, wind_E, along_N * wind_N) + (0.5 * step) * rate) *
                             (1 / dry_air_heat_capacity);
            tau -= given;
        };
        const auto wind_along = [&](int k) -> Real { return fma(along_E, u[k], along_N * v[k]); };
        for (int k = last; k > 0; --k) {
            const Real T = 0.5 * (temperature[k] + temperature[k - 1]),
                       along = larger(wind_along(k), 0),
                       U = larger(0.5 * (along + wind_along(k - 1)), 0);
            const Real carried = (0.5 * wave_number * froude * froude) * interface[k] /
                                 (dry_air_gas_constant * T) * (U * U * U) / sqrt(stability(k));
            slow(k, along, select(geopotential[k - 1] < source, tau, smaller(tau, carried)));
        }
        slow(0, larger(wind_along(0), 0), 0);
        tau = launched - tau;
        stress[0] = tau;
    }
};

}  // namespace fathom::physics
