/// Vapour and droplets in balance only: no rain, no ice. Condensation is reversible
/// (adjustment.hpp); for published cases of cloudy thermals.
#pragma once
#include "field/process.hpp"
#include "physics/cloud/adjustment.hpp"

namespace fathom::physics {

struct SaturationAdjustment {
    double step = 1200, critical_humidity = 1;

    static constexpr std::string_view summary =
        "Vapour and cloud water in balance, without rain and ice";
    static constexpr std::tuple parameters{
        Parameter{"step", &SaturationAdjustment::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"critical_humidity", &SaturationAdjustment::critical_humidity, "1", 0.3, 1,
                  "relative humidity at which cloud begins, H"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "cloud_liquid_water", place::center_layer, "kg kg-1"> cloud,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Updates<Real, "cloud_liquid_water_tendency", place::center_layer, "s-1"> c_tendency) const {
        const double per_step = 1 / step;
        for (int k = 0; k < temperature.levels(); ++k) {
            const Real T_given = fma(T_tendency[k], step, temperature[k]),
                       q_given = fma(q_tendency[k], step, humidity[k]),
                       c_given = fma(c_tendency[k], step, cloud[k]);
            Water<Real> water{};
            water[vapour] = q_given, water[droplets] = c_given;
            Real T = T_given;
            adjust<true>(water, T, Real(pressure[k]), critical_humidity);
            T_tendency[k] += (T - T_given) * per_step;
            q_tendency[k] += (water[vapour] - q_given) * per_step;
            c_tendency[k] += (water[droplets] - c_given) * per_step;
        }
    }
};

}  // namespace fathom::physics
