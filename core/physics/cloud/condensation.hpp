/// Large-scale condensation: water beyond saturation falls at once, and evaporates in the layers
/// below:
///
///   c = max(0, q - H q_s) / (1 + H L/c_p dq_s/dT),   q -= c,   T += L/c_p c
///       (one Newton step towards q = H q_s)
///   e = k_E (1 - q / q_s) sqrt(P)
///       (Sundqvist 1988), P the flux of rain
///
/// at the end of the step: q and T with all tendencies so far. e is limited to the rain and to what
/// saturates the layer. c_p T + L q of the column does not change, q changes by the precipitation.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct LargeScaleCondensation {
    double step = 1200, saturation = 1, evaporation = 2e-5;

    static constexpr std::string_view summary =
        "Large-scale condensation, with evaporation of the rain on its way";
    static constexpr std::tuple parameters{
        Parameter{"step", &LargeScaleCondensation::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"saturation", &LargeScaleCondensation::saturation, "1", 0.5, 1,
                  "relative humidity that a layer keeps, H"},
        Parameter{"evaporation", &LargeScaleCondensation::evaporation, "kg-1/2 m s-1/2", 0, 1e-2,
                  "rate of evaporation, k_E"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Writes<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> precipitation)
        const {
        const int levels = temperature.levels();
        Real rain = 0, upper = interface[0];
        for (int k = 0; k < levels; ++k) {
            const Real lower = interface[k + 1], mass = (lower - upper) * (1 / constants::gravity),
                       dT = T_tendency[k], dq = q_tendency[k];
            const Real T = fma(dT, step, temperature[k]), q = fma(dq, step, humidity[k]);
            const Saturation<Real> at(T, pressure[k]);
            const Real bend = 1 + saturation * latent_warming * at.slope,
                       inverse = 1 / (bend * at.humidity * mass);  // one division for three
            const Real per_bend = inverse * (at.humidity * mass),
                       relative = q * (inverse * (bend * mass)),
                       excess = q - saturation * at.humidity;
            const Real condensed = larger(excess, 0) * per_bend,
                       fallen = rain * (step * inverse *
                                        (bend * at.humidity));  // the most that the rain could give
            const Real evaporated =
                larger(0, smaller(smaller(evaporation * step * (1 - relative) * sqrt(rain),
                                          -excess * per_bend),
                                  fallen));
            const Real net = (condensed - evaporated) * (1 / step);
            rain = larger(fma(net, mass, rain), 0);
            T_tendency[k] = dT + latent_warming * net;
            q_tendency[k] = dq - net;
            upper = lower;
        }
        precipitation[0] = rain;
    }
};

}  // namespace fathom::physics
