/// Prognostic cloud and precipitation, one moment (mass) of each kind of water, at the end of a step:
///
///   1  what a kind lacks (advection) comes from the vapour
///   2  vapour and cloud in balance, part of the layer in cloud      (adjustment.hpp)
///   3  conversions, cut in proportion to what is there               (conversions.hpp)
///   4  what falls: m q' + dt rho V q' = m q + what falls in, from the top down: implicit, upwind,
///      stable and positive however far it falls in a step; V at m q + what falls in
///
/// `warm`: vapour, cloud water, rain; `ice`: cloud ice and snow too; `graupel`: all six. Of the
/// column c_p T + L_v q_v - L_f q_frozen changes by L_f times what falls out frozen, water by what
/// falls out.
#pragma once
#include "field/process.hpp"
#include "physics/cloud/adjustment.hpp"
#include "physics/cloud/conversions.hpp"

namespace fathom::physics {

/// Fields of the kinds that are carried, and what a scheme adds to them. each(f): f(kind, content,
/// tendency).
template <class Real, Text name, Text tendency> struct CarriedWater {
    Reads<Real, name, place::center_layer, "kg kg-1"> content;
    Updates<Real, tendency, place::center_layer, "s-1"> change;
};
template <class Real> struct WarmWater {
    CarriedWater<Real, "cloud_liquid_water", "cloud_liquid_water_tendency"> cloud;
    CarriedWater<Real, "rain_water", "rain_water_tendency"> drops;
    template <class F> constexpr void each(F f) {
        f(liquid, cloud.content, cloud.change), f(rain, drops.content, drops.change);
    }
};
template <class Real> struct IceWater {
    WarmWater<Real> warm;
    CarriedWater<Real, "cloud_ice", "cloud_ice_tendency"> crystals;
    CarriedWater<Real, "snow_water", "snow_water_tendency"> flakes;
    template <class F> constexpr void each(F f) {
        warm.each(f);
        f(ice_, crystals.content, crystals.change), f(snow, flakes.content, flakes.change);
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
           ice_rate = 1e-3, ice_threshold = 1e-4;

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
                  "cloud ice that stays, i_0"}};

    /// Vapour that drops take or give, and that ice does.
    template <class Real>
    constexpr void exchange_vapour(Conversions<Real>& all, const Layer<Real>& at, Real p,
                                   const Population<Real>& drops, const Population<Real>& flakes,
                                   const Population<Real>& stones) const {
        const Real none(0);
        const auto there = [&](Real q) { return select(q > particles::least, Real(1), none); };
        const Vapour<Real> water(at, Saturation<Real>(at.T, p, over_water),
                                 constants::evaporation_heat, step);
        const Real leaves = smaller(water.rate(drops.ventilation()), none) * there(at.q[rain]);
        all.add(rain, vapour, -(leaves * water.share(leaves)));
        if constexpr (kind != warm_rain) {
            const Vapour<Real> ice(at, Saturation<Real>(at.T, p, over_ice),
                                   constants::evaporation_heat + constants::fusion_heat, step);
            const Real cold = select(at.celsius < 0, Real(1), none);
            const Real to_snow = cold * ice.rate(flakes.ventilation()) * there(at.q[snow]);
            Real to_stones = none;
            if constexpr (kind == with_graupel)
                to_stones = cold * ice.rate(stones.ventilation()) * there(at.q[graupel]);
            const Real share = ice.share(to_snow + to_stones);
            const auto both_ways = [&](int to, Real rate) {
                all.add(vapour, to, larger(rate, none) * share);
                all.add(to, vapour, -(smaller(rate, none) * share));
            };
            both_ways(snow, to_snow);
            if constexpr (kind == with_graupel) both_ways(graupel, to_stones);
        }
    }

    template <class Real>
    constexpr void convert(Water<Real>& water, Real& T, Real p, Real cover) const {
        const Layer<Real> at(water, T, p);
        const Population<Real> drops(particles::of_rain, at.q[rain], at.density),
            flakes(particles::of_snow, at.q[snow], at.density),
            stones(particles::of_graupel, at.q[graupel], at.density);
        const Thresholds limit{cloud_rate, cloud_threshold, ice_rate, ice_threshold};
        Conversions<Real> all;
        warm_conversions(all, at, cover, drops, limit);
        if constexpr (kind != warm_rain) {
            ice_conversions(all, at, flakes, limit);
            cold_conversions<kind == with_graupel>(all, at, drops, flakes, stones);
            all.add(snow, rain, melting(at, flakes.ventilation(), p));
        }
        if constexpr (kind == with_graupel)
            all.add(graupel, rain, melting(at, stones.ventilation(), p));
        exchange_vapour(all, at, p, drops, flakes, stones);
        all.carry_out(water, T, step);
    }

    /// What falls into a layer and out of it [kg m-2].
    template <class Real>
    constexpr void fall(Water<Real>& water, Water<Real>& falling, Real density, Real mass) const {
        const auto through = [&](int which, auto&& speed) {
            const Real there = fma(water[which], mass, falling[which]);
            const Real passes = speed(there / mass) * density * step,
                       stays = there * mass / (mass + passes);
            falling[which] = there - stays;
            water[which] = stays / mass;
        };
        const auto of = [&](Particles kind_of) {
            return [=](Real q) {
                return select(q > particles::least, Population<Real>(kind_of, q, density).speed(),
                              Real(0));
            };
        };
        through(rain, of(particles::of_rain));
        if constexpr (kind != warm_rain) {
            through(snow, of(particles::of_snow));
            through(ice_, [=](Real q) {  // Heymsfield & Donner (1990)
                const Real content = larger(q, Real(particles::least)) * density;
                return select(q > particles::least, 3.29 * brief_exp(0.16 * log(content)), Real(0));
            });
        }
        if constexpr (kind == with_graupel) through(graupel, of(particles::of_graupel));
    }

    template <class Real>
    constexpr void operator()(
        MoistColumn<Real> air, Carried<kind, Real> carried,
        Writes<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> precipitation,
        Writes<Real, "stratiform_snowfall", place::center_column, "kg m-2 s-1"> frozen) const {
        const int levels = air.temperature.levels();
        const double per_step = 1 / step;
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
            for (int n = liquid; n < kinds; ++n) {
                const Real lacks = smaller(water[n], Real(0));
                water[n] -= lacks;
                water[vapour] += lacks;
                T -= warming_of[n] * lacks;
            }
            const Real cover = adjust<kind == warm_rain>(water, T, p, critical_humidity);
            convert(water, T, p, cover);
            fall(water, falling, Layer<Real>(water, T, p).density, mass);
            air.T_tendency[k] += (T - T_given) * per_step;
            air.q_tendency[k] += (water[vapour] - v_given) * per_step;
            carried.each(
                [&](int n, auto&, auto& change) { change[k] += (water[n] - given[n]) * per_step; });
            upper = lower;
        }
        const Real as_ice = falling[ice_] + (falling[snow] + falling[graupel]);
        frozen[0] = as_ice * per_step;
        precipitation[0] = (as_ice + falling[rain]) * per_step;
    }
};

}  // namespace fathom::physics
