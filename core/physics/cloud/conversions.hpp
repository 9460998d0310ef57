/// Conversions between kinds of water, per second (Lin, Farley & Orville 1983; Rutledge & Hobbs
/// 1984, J. Atmos. Sci. 41, 2949-2972): collection, growth, melting and freezing in one layer.
///
///   cloud -> rain        a k_c max(0, q_c / a - c_0) within the cover a;  q_c sweep_rain
///   cloud ice -> snow    k_i e^(0.025 T_c) max(0, q_i - i_0);  e^(0.025 T_c) q_i sweep_snow
///   riming               q_c sweep_snow: snow, in much cloud (q_c > 5e-4) graupel;
///       q_c sweep_graupel
///   cold                 q_i sweep_rain -> graupel;  q_r sweep_graupel, q_s sweep_graupel / 10;
///       heavy snow -> graupel: 1e-3 e^(0.09 T_c) max(0, q_s - 6e-4);
///       rain freezes: 20 pi^2 B N_0 rho_w / rho (e^(-0.66 T_c) - 1) lambda^-7  (Bigg 1953)
///   warm                 snow and graupel melt: vent [K_a T_c - L_v psi rho (q_0 - q)] / (rho L_f)
///   vapour               vent (q / q_s - 1) / (rho (A + B)),   A = L^2 / (K_a R_v T^2),
///       B = 1 / (rho q_s psi):  rain evaporates, snow and graupel grow or shrink
///
/// T_c = T - 273.15. If all rates that reduce a kind would together take more than its content in a
/// step, they are scaled down by the same factor; those of vapour if they would pass saturation.
#pragma once
#include <utility>
#include "physics/cloud/particles.hpp"
#include "physics/cloud/water.hpp"

namespace fathom::physics {

enum Microphysical { warm_rain, with_ice, with_graupel };

struct Thresholds {
    double cloud_rate = 1e-3, cloud = 5e-4, ice_rate = 1e-3, ice = 1e-4;  ///< k_c, c_0, k_i, i_0
};

/// Properties of a layer that all rates need.
template <class Real> struct Layer {
    Real T, celsius, density;
    Water<Real> q;
    constexpr Layer(const Water<Real>& water, Real T, Real p)
        : T(T),
          celsius(T - constants::celsius),
          density(p / (constants::dry_air_gas_constant * T *
                       (1 + virtual_factor * larger(water[vapour], Real(0))))),
          q(water) {
        for (auto& kind : q.of) kind = larger(kind, Real(0));
    }
};

/// Conversions from kind to kind: their list is known when this is compiled.
struct Way {
    int from, to;
};
inline constexpr Way ways[] = {
    {droplets, rain}, {droplets, snow}, {droplets, graupel}, {crystals, snow}, {crystals, graupel},
    {rain, snow},     {rain, graupel},  {snow, graupel},     {snow, rain},     {graupel, rain},
    {rain, vapour},   {snow, vapour},   {graupel, vapour},   {vapour, snow},   {vapour, graupel}};

/// Rates of all conversions [s-1].
template <class Real> class Conversions {
public:
    template <int from, int to> constexpr void add(Real rate) {
        constexpr int n = [] {
            int way = 0;
            while (ways[way].from != from || ways[way].to != to) ++way;
            return way;
        }();
        rates[n] += rate;
    }
    /// Limits them to the contents of a step, then moves the water and its heat.
    constexpr void carry_out(Water<Real>& water, Real& T, double step) const {
        Water<Real> taken{};
        for_each_way([&](auto way) {
            constexpr int n = way;
            taken[ways[n].from] += rates[n] * step;
        });
        Water<Real> share;
        for (int kind = 0; kind < kinds; ++kind)
            share[kind] =
                smaller(larger(water[kind], Real(0)) / larger(taken[kind], Real(1e-20)), Real(1));
        for_each_way([&](auto way) {
            constexpr int n = way, from = ways[n].from, to = ways[n].to;
            const Real moved = rates[n] * step * share[from];
            water[from] -= moved;
            water[to] += moved;
            T += (warming_of(to) - warming_of(from)) * moved;
        });
    }

private:
    static constexpr int count = sizeof ways / sizeof *ways;
    Real rates[count]{};
    template <class F> static constexpr void for_each_way(F f) {
        [&]<std::size_t... n>(std::index_sequence<n...>) {
            (f(std::integral_constant<int, int(n)>()), ...);
        }(std::make_index_sequence<count>());
    }
};

/// Condensation on drops and crystals (negative: evaporation) [kg kg-1 s-1]: limited to the amount
/// that brings the layer to saturation in a step.
template <class Real> struct Vapour {
    Real per_supply, deficit;  ///< 1 / (rho (A + B)), q / q_s - 1
    Real most;                 ///< of all kinds together, away from and towards saturation
    constexpr Vapour(const Layer<Real>& at, const Saturation<Real>& saturated, double heat,
                     double step) {
        constexpr double conduction = 0.0243, diffusion = 2.26e-5;  // K_a, psi
        const Real A = (heat * heat / (conduction * constants::water_vapour_gas_constant)) /
                       (at.T * at.T),
                   B = 1 / (at.density * saturated.humidity * diffusion);
        per_supply = 1 / (at.density * (A + B));
        deficit = at.q[vapour] / saturated.humidity - 1;
        most = (at.q[vapour] - saturated.humidity) /
               ((1 + heat / constants::dry_air_heat_capacity * saturated.slope) * step);
    }
    constexpr Real rate(Real ventilation) const { return ventilation * deficit * per_supply; }
    /// The factor that keeps a sum of rates from passing saturation.
    constexpr Real share(Real together) const {
        const Real ratio = most / select(together < 0, smaller(together, Real(-1e-20)),
                                         larger(together, Real(1e-20)));
        return smaller(larger(ratio, Real(0)), Real(1));
    }
};

template <class Real>
constexpr void warm_conversions(Conversions<Real>& all, const Layer<Real>& at, Real cover,
                                const Population<rain, Real>& drops, const Thresholds& limit) {
    const Real a = larger(cover, Real(0.01));
    all.template add<droplets, rain>(limit.cloud_rate *
                                         larger(at.q[droplets] - a * limit.cloud, Real(0)) +
                                     at.q[droplets] * drops.sweep());
}

template <class Real>
constexpr void ice_conversions(Conversions<Real>& all, const Layer<Real>& at,
                               const Population<snow, Real>& flakes, const Thresholds& limit) {
    const Real sticky = brief_exp(0.025 * smaller(larger(at.celsius, Real(-80)), Real(0)));
    all.template add<crystals, snow>(sticky *
                                     (limit.ice_rate * larger(at.q[crystals] - limit.ice, Real(0)) +
                                      at.q[crystals] * flakes.sweep()));
}

/// Where there is no graupel, frozen and rimed water becomes snow.
template <bool graupel_too, class Real>
constexpr void cold_conversions(Conversions<Real>& all, const Layer<Real>& at,
                                const Population<rain, Real>& drops,
                                const Population<snow, Real>& flakes,
                                const Population<graupel, Real>& stones) {
    constexpr int heavy = graupel_too ? int(graupel) : int(snow);
    const Real none(0), one(1), cold = select(at.celsius < 0, one, none),
                                below = smaller(larger(-at.celsius, none), Real(40));
    const Real rimed = at.q[droplets] * flakes.sweep();
    const Real much = cold * select(at.q[droplets] > 5e-4, one, none);
    all.template add<droplets, snow>(cold * (1 - much) * rimed);
    all.template add<droplets, heavy>(much * rimed);
    all.template add<droplets, rain>((1 - cold) * rimed);
    all.template add<crystals, heavy>(cold * at.q[crystals] * drops.sweep());
    const Real bigg = brief_exp(0.66 * below) - 1;
    const Real drops_there = select(at.q[rain] > particles::least, one, none);
    Real freezes = drops_there * (20 * particles::pi * particles::pi * 100 * 8e6) *
                   (1000 / at.density) * bigg * drops.to(-7);
    if constexpr (graupel_too) {
        const Real swept = stones.sweep();
        all.template add<droplets, graupel>(cold * at.q[droplets] * swept);
        all.template add<droplets, rain>((1 - cold) * at.q[droplets] * swept);
        all.template add<snow, graupel>(
            cold * (1e-3 * brief_exp(-0.09 * below) * larger(at.q[snow] - 6e-4, none) +
                    0.1 * at.q[snow] * swept));
        freezes += cold * at.q[rain] * swept;
    } else
        freezes += cold * at.q[rain] * flakes.sweep();
    all.template add<rain, heavy>(freezes);
}

/// Melting of ice particles in air above 0 degC.
template <class Real> constexpr Real melting(const Layer<Real>& at, Real ventilation, Real p) {
    constexpr double conduction = 0.0243, diffusion = 2.26e-5;
    const Real at_zero = Saturation<Real>::over_water(Real(constants::celsius), p).humidity;
    const Real heat = conduction * at.celsius - constants::evaporation_heat * diffusion *
                                                    at.density * (at_zero - at.q[vapour]);
    return select(at.celsius > 0,
                  larger(ventilation * heat * (1 / constants::fusion_heat) / at.density, Real(0)),
                  Real(0));
}

}  // namespace fathom::physics
