/// Air with water in it: the temperature that gives its density, with water that is not vapour,
///   T_v = f T,   f = 1 + (1 / epsilon - 1) q - sum of droplets, crystals, rain, snow, ...
///   dT_v/dt = f dT/dt + T df/dt
/// One process for the vapour, one for each other kind.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::atmosphere {

struct FactorOfMoistAir {
    static constexpr std::string_view summary =
        "virtual temperature over temperature of air with vapour, 1 + 0.608 q";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> q,
        Writes<Real, "virtual_factor", place::center_layer, "1"> factor) const {
        for (int k = 0; k < factor.levels(); ++k) factor[k] = 1.0 + physics::virtual_factor * q[k];
    }
};

struct WeightOfWater {
    static constexpr std::string_view summary =
        "virtual temperature over temperature, less by the weight of a kind of water";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any"> water,
        Updates<Real, "virtual_factor", place::center_layer, "1"> factor) const {
        for (int k = 0; k < factor.levels(); ++k) factor[k] -= water[k];
    }
};

struct TemperatureByFactor {
    static constexpr std::string_view summary =
        "temperature from virtual temperature, of air with all its water";
    template <class Real>
    constexpr void operator()(Reads<Real, "virtual_temperature", place::center_layer, "K"> T_v,
                              Reads<Real, "virtual_factor", place::center_layer, "1"> factor,
                              Writes<Real, "air_temperature", place::center_layer, "K"> T) const {
        for (int k = 0; k < T.levels(); ++k) T[k] = T_v[k] / factor[k];
    }
};

struct VirtualTendencyOfMoistAir {
    static constexpr std::string_view summary =
        "tendency of virtual temperature from those of temperature and vapour";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> T,
        Reads<Real, "virtual_factor", place::center_layer, "1"> factor,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> heating,
        Reads<Real, "specific_humidity_tendency", place::center_layer, "s-1"> moistening,
        Writes<Real, "virtual_temperature_tendency", place::center_layer, "K s-1"> tendency) const {
        for (int k = 0; k < T.levels(); ++k)
            tendency[k] = factor[k] * heating[k] + physics::virtual_factor * (T[k] * moistening[k]);
    }
};

struct VirtualTendencyOfWater {
    static constexpr std::string_view summary =
        "tendency of virtual temperature, less by that of the weight of a kind of water";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> T,
        Reads<Real, "tracer_tendency", place::center_layer, "any s-1"> change,
        Updates<Real, "virtual_temperature_tendency", place::center_layer, "K s-1"> tendency)
        const {
        for (int k = 0; k < T.levels(); ++k) tendency[k] -= T[k] * change[k];
    }
};

}  // namespace fathom::atmosphere
