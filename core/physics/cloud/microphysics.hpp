/// Prognostic cloud and precipitation, one moment (mass) of each kind of water, at the end of a
/// step, from the top down:
///
///   1  negative contents (from advection) are filled from the vapour; water falling in is added
///   2  vapour and cloud in balance, part of the layer in cloud                 (adjustment.hpp)
///   3  conversions by the content that falls through, q' = q m / (m + dt rho V), scaled to the
///      total content of the step                                              (conversions.hpp)
///   4  fall: dt rho V q', implicit and upwind: m q' + dt rho V q' = m q + what falls in,
///      stable and positive for any distance of fall in a step
///
/// `warm`: vapour, cloud water, rain; `ice`: also cloud ice and snow; `graupel`: all six. For the
/// column c_p T + L_v q_v - L_f q_frozen changes by L_f times the frozen precipitation, water by
/// the precipitation.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "physics/cloud/adjustment.hpp"
#include "physics/cloud/conversions.hpp"

namespace fathom::physics {

/// Fields of the prognostic kinds, and the tendencies of a scheme. each(f): f(kind, content,
/// tendency).
template <class Real, Text name, Text tendency> struct CarriedWater {
    Reads<Real, name, place::center_layer, "kg kg-1"> content;
    Updates<Real, tendency, place::center_layer, "s-1"> change;
};
template <class Real> struct WarmWater {
    CarriedWater<Real, "cloud_liquid_water", "cloud_liquid_water_tendency"> cloud;
    CarriedWater<Real, "rain_water", "rain_water_tendency"> drops;
    template <class F> constexpr void each(F f) {
        f(droplets, cloud.content, cloud.change), f(rain, drops.content, drops.change);
    }
};
template <class Real> struct IceWater {
    WarmWater<Real> warm;
    CarriedWater<Real, "cloud_ice", "cloud_ice_tendency"> ice;
    CarriedWater<Real, "snow_water", "snow_water_tendency"> flakes;
    template <class F> constexpr void each(F f) {
        warm.each(f);
        f(crystals, ice.content, ice.change), f(snow, flakes.content, flakes.change);
    }
};
template <class Real> struct GraupelWater {
    IceWater<Real> others;
    CarriedWater<Real, "graupel_water", "graupel_water_tendency"> stones;
    template <class F> constexpr void each(F f) {
        others.each(f);
        f(graupel, stones.content, stones.change);
    }
};
template <Microphysical kind, class Real>
using Carried =
    std::conditional_t<kind == warm_rain, WarmWater<Real>,
                       std::conditional_t<kind == with_ice, IceWater<Real>, GraupelWater<Real>>>;

template <class Real> struct MoistColumn {
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure;
    Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface;
    Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency;
    Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency;
};

template <Microphysical kind> struct Microphysics {
    double step = 1200, critical_humidity = 0.9, cloud_rate = 1e-3, cloud_threshold = 5e-4,
           ice_rate = 1e-3, ice_threshold = 1e-4, all_ice = usual_all_ice, freezing_time = 0;

    static constexpr std::string_view summary =
        kind == warm_rain  ? "Prognostic cloud water and rain"
        : kind == with_ice ? "Prognostic cloud water, cloud ice, rain and snow"
                           : "Prognostic cloud water, cloud ice, rain, snow and graupel";
    static constexpr std::tuple parameters{
        Parameter{"step", &Microphysics::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"critical_humidity", &Microphysics::critical_humidity, "1", 0.3, 1,
                  "relative humidity at which a layer begins to be in cloud, H"},
        Parameter{"cloud_rate", &Microphysics::cloud_rate, "s-1", 0, 1,
                  "cloud water that becomes rain, k_c"},
        Parameter{"cloud_threshold", &Microphysics::cloud_threshold, "kg kg-1", 0, 0.01,
                  "cloud water in cloud that stays, c_0"},
        Parameter{"ice_rate", &Microphysics::ice_rate, "s-1", 0, 1,
                  "cloud ice that becomes snow, k_i"},
        Parameter{"ice_threshold", &Microphysics::ice_threshold, "kg kg-1", 0, 0.01,
                  "cloud ice that stays, i_0"},
        Parameter{"all_ice", &Microphysics::all_ice, "K", 200, 272,
                  "temperature below which what condenses is ice, T_ice"},
        Parameter{"freezing_time", &Microphysics::freezing_time, "s", 0, 1e7,
                  "in which the share of ice in cloud follows the temperature, tau; 0: at once"}};

    /// Vapour exchanged by drops, and by ice.
    template <class Real>
    constexpr void exchange_vapour(Conversions<Real>& all, const Layer<Real>& at, Real p,
                                   const Population<rain, Real>& drops,
                                   const Population<snow, Real>& flakes,
                                   const Population<graupel, Real>& stones) const {
        const Real none(0);
        const auto there = [&](Real q) { return select(q > particles::least, Real(1), none); };
        const Vapour<Real> water(at, Saturation<Real>::over_water(at.T, p),
                                 constants::evaporation_heat, step);
        const Real leaves = smaller(water.rate(drops.ventilation()), none) * there(at.q[rain]);
        all.template add<rain, vapour>(-(leaves * water.share(leaves)));
        if constexpr (kind != warm_rain) {
            const Vapour<Real> ice(at, Saturation<Real>::over_ice(at.T, p),
                                   constants::evaporation_heat + constants::fusion_heat, step);
            const Real cold = select(at.celsius < 0, Real(1), none);
            const Real to_snow = cold * ice.rate(flakes.ventilation()) * there(at.q[snow]);
            Real to_stones = none;
            if constexpr (kind == with_graupel)
                to_stones = cold * ice.rate(stones.ventilation()) * there(at.q[graupel]);
            const Real share = ice.share(to_snow + to_stones);
            grow_or_shrink<snow>(all, to_snow * share);
            if constexpr (kind == with_graupel) grow_or_shrink<graupel>(all, to_stones * share);
        }
    }
    template <int to, class Real>
    static constexpr void grow_or_shrink(Conversions<Real>& all, Real rate) {
        all.template add<vapour, to>(larger(rate, Real(0)));
        all.template add<to, vapour>(-smaller(rate, Real(0)));
    }

    template <class Real>
    constexpr void convert(Water<Real>& water, const Layer<Real>& at, Real& T, Real p,
                           Real cover) const {
        const Population<rain, Real> drops(at.q[rain], at.density);
        const Population<snow, Real> flakes(at.q[snow], at.density);
        const Population<graupel, Real> stones(at.q[graupel], at.density);
        const Thresholds limit{cloud_rate, cloud_threshold, ice_rate, ice_threshold};
        Conversions<Real> all;
        warm_conversions(all, at, cover, drops, limit);
        if constexpr (kind != warm_rain) {
            ice_conversions(all, at, flakes, limit);
            cold_conversions<kind == with_graupel>(all, at, drops, flakes, stones);
            all.template add<snow, rain>(melting(at, flakes.ventilation(), p));
        }
        if constexpr (kind == with_graupel)
            all.template add<graupel, rain>(melting(at, stones.ventilation(), p));
        exchange_vapour(all, at, p, drops, flakes, stones);
        all.carry_out(water, T, step);
    }

    /// Where there is, or can be, any condensate; after rounding, what falls may be below 0.
    template <class Real>
    constexpr auto wet(const Water<Real>& water, const Water<Real>& falling, Real T, Real p) const {
        Real q_s, all(0);
        if constexpr (kind == warm_rain)
            q_s = Saturation<Real>::over_water(T, p).humidity;
        else
            q_s = MixedSaturation<Real>(T, p, all_ice).humidity;
        for (int n = droplets; n < kinds; ++n) all += water[n] + abs(falling[n]);
        return (all > 0) | (water[vapour] > critical_humidity * q_s);
    }

    /// The share of each kind that stays in the layer, m / (m + dt rho V).
    template <class Real>
    constexpr Water<Real> staying(const Water<Real>& water, Real density, Real mass) const {
        Water<Real> share;
        for (Real& s : share.of) s = 1;
        const auto falls = [&](int which, auto&& speed) {
            const Real q = water[which];
            if (any(q > particles::least))
                share[which] = select(q > particles::least,
                                      mass / (mass + speed(q) * density * step), Real(1));
        };
        falls(rain, [&](Real q) { return Population<rain, Real>(q, density).speed(); });
        if constexpr (kind != warm_rain) {
            falls(snow, [&](Real q) { return Population<snow, Real>(q, density).speed(); });
            falls(crystals, [&](Real q) {  // Heymsfield & Donner (1990)
                return 3.29 * brief_exp(0.16 * log(larger(q, Real(particles::least)) * density));
            });
        }
        if constexpr (kind == with_graupel)
            falls(graupel, [&](Real q) { return Population<graupel, Real>(q, density).speed(); });
        return share;
    }

    /// A layer and the water that falls into it [kg m-2], which becomes the water that falls out.
    template <class Real>
    constexpr void pass(Water<Real>& water, Water<Real>& falling, Real& T, Real p, Real mass,
                        const Freezing<Real>& freezing) const {
        for (int n = droplets; n < kinds; ++n) water[n] += falling[n] / mass;
        const Real cover = adjust<kind == warm_rain>(water, T, p, critical_humidity, freezing);
        Layer<Real> at(water, T, p);
        const Water<Real> share = staying(at.q, at.density, mass);
        for (int n = droplets; n < kinds; ++n) at.q[n] *= share[n];
        convert(water, at, T, p, cover);
        for (int n = droplets; n < kinds; ++n) {
            const Real out = water[n] * (1 - share[n]);
            falling[n] = out * mass;
            water[n] -= out;
        }
    }

    template <class Real>
    constexpr void operator()(
        MoistColumn<Real> air, Carried<kind, Real> carried,
        Writes<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> precipitation,
        Writes<Real, "stratiform_snowfall", place::center_column, "kg m-2 s-1"> frozen) const {
        const int levels = air.temperature.levels();
        const double per_step = 1 / step;
        Freezing<Real> freezing{all_ice};
        if (freezing_time > 0) freezing.kept = brief_exp(Real(-step / freezing_time));
        Water<Real> falling{};
        Real upper = air.interface[0];
        for (int k = 0; k < levels; ++k) {
            const Real lower = air.interface[k + 1],
                       mass = (lower - upper) * (1 / constants::gravity), p = air.pressure[k],
                       T_given = fma(air.T_tendency[k], step, air.temperature[k]),
                       v_given = fma(air.q_tendency[k], step, air.humidity[k]);
            Real T = T_given;
            Water<Real> given{}, water;
            given[vapour] = v_given;
            carried.each([&](int n, auto& content, auto& change) {
                given[n] = fma(change[k], step, content[k]);
            });
            water = given;
            for (int n = droplets; n < kinds; ++n) {
                const Real lacks = smaller(water[n], Real(0));
                water[n] -= lacks;
                water[vapour] += lacks;
                T -= warming_of(n) * lacks;
            }
            if (any(wet(water, falling, T, p))) pass(water, falling, T, p, mass, freezing);
            air.T_tendency[k] += (T - T_given) * per_step;
            air.q_tendency[k] += (water[vapour] - v_given) * per_step;
            carried.each(
                [&](int n, auto&, auto& change) { change[k] += (water[n] - given[n]) * per_step; });
            upper = lower;
        }
        const Real as_ice = falling[crystals] + (falling[snow] + falling[graupel]);
        frozen[0] = as_ice * per_step;
        precipitation[0] = (as_ice + falling[rain]) * per_step;
    }
};

}  // namespace fathom::physics
