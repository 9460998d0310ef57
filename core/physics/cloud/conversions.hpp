/// From kind to kind of water, per second (Lin, Farley & Orville 1983; Rutledge & Hobbs 1984, J.
/// Atmos. Sci. 41, 2949-2972): what meets, grows, melts and freezes in one layer.
///
///   cloud -> rain        a k_c max(0, q_c / a - c_0) within the cover a;  q_c sweep_rain
///   cloud ice -> snow    k_i e^(0.025 T_c) max(0, q_i - i_0);  e^(0.025 T_c) q_i sweep_snow
///   riming               q_c sweep_snow: snow, in much cloud (q_c > 5e-4) graupel;  q_c sweep_graupel
///   cold                 q_i sweep_rain -> graupel;  q_r sweep_graupel, q_s sweep_graupel / 10;
///       heavy snow -> graupel: 1e-3 e^(0.09 T_c) max(0, q_s - 6e-4);
///       rain freezes: 20 pi^2 B N_0 rho_w / rho (e^(-0.66 T_c) - 1) lambda^-7  (Bigg 1953)
///   warm                 snow and graupel melt: vent [K_a T_c - L_v psi rho (q_0 - q)] / (rho L_f)
///   vapour               vent (q / q_s - 1) / (rho (A + B)),   A = L^2 / (K_a R_v T^2),
///       B = 1 / (rho q_s psi):  rain evaporates, snow and graupel grow or shrink
///
/// T_c = T - 273.15. Each rate is cut in the proportion in which all that take from a kind would take
/// more than is there in a step; vapour in that in which they would pass saturation.
#pragma once
#include "physics/cloud/particles.hpp"
#include "physics/cloud/water.hpp"

namespace fathom::physics {

enum Microphysical { warm_rain, with_ice, with_graupel };

struct Thresholds {
    double cloud_rate = 1e-3, cloud = 5e-4, ice_rate = 1e-3, ice = 1e-4;  ///< k_c, c_0, k_i, i_0
};

/// A layer: what all rates need of it.
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

/// Rates [s-1], by the two kinds.
template <class Real> class Conversions {
public:
    constexpr void add(int from, int to, Real rate) { all[count++] = {rate, from, to}; }
    /// Cuts them to what is there in a step, then moves the water and its heat.
    constexpr void carry_out(Water<Real>& water, Real& T, double step) const {
        Water<Real> share;
        for (int kind = 0; kind < kinds; ++kind) {
            Real taken = 1e-20;
            for (int n = 0; n < count; ++n)
                if (all[n].from == kind) taken += all[n].rate * step;
            share[kind] = smaller(larger(water[kind], Real(0)) / taken, Real(1));
        }
        for (int n = 0; n < count; ++n) {
            const auto& [rate, from, to] = all[n];
            const Real moved = rate * step * share[from];
            water[from] -= moved;
            water[to] += moved;
            T += (warming_of[to] - warming_of[from]) * moved;
        }
    }

private:
    struct Conversion {
        Real rate;
        int from, to;
    };
    Conversion all[20];
    int count = 0;
};

/// What condenses on drops and crystals (negative: leaves them) [kg kg-1 s-1]: limited to what
/// brings the layer to saturation in a step.
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
                                const Population<Real>& drops, const Thresholds& limit) {
    const Real a = larger(cover, Real(0.01));
    all.add(liquid, rain,
            limit.cloud_rate * larger(at.q[liquid] - a * limit.cloud, Real(0)) +
                at.q[liquid] * drops.sweep());
}

template <class Real>
constexpr void ice_conversions(Conversions<Real>& all, const Layer<Real>& at,
                               const Population<Real>& flakes, const Thresholds& limit) {
    const Real sticky = brief_exp(0.025 * smaller(larger(at.celsius, Real(-80)), Real(0)));
    all.add(ice_, snow,
            sticky * (limit.ice_rate * larger(at.q[ice_] - limit.ice, Real(0)) +
                      at.q[ice_] * flakes.sweep()));
}

/// Where there is no graupel, what freezes and rimes is snow.
template <bool graupel_too, class Real>
constexpr void cold_conversions(Conversions<Real>& all, const Layer<Real>& at,
                                const Population<Real>& drops, const Population<Real>& flakes,
                                const Population<Real>& stones) {
    constexpr int heavy = graupel_too ? int(graupel) : int(snow);
    const Real none(0), one(1), cold = select(at.celsius < 0, one, none),
                                below = smaller(larger(-at.celsius, none), Real(40));
    const Real rimed = at.q[liquid] * flakes.sweep();
    const Real much = cold * select(at.q[liquid] > 5e-4, one, none);
    all.add(liquid, snow, cold * (1 - much) * rimed);
    all.add(liquid, heavy, much * rimed);
    all.add(liquid, rain, (1 - cold) * rimed);
    all.add(ice_, heavy, cold * at.q[ice_] * drops.sweep());
    const Real bigg = brief_exp(0.66 * below) - 1;
    const Real drops_there = select(at.q[rain] > particles::least, one, none);
    Real freezes = drops_there * (20 * particles::pi * particles::pi * 100 * 8e6) *
                   (1000 / at.density) * bigg * drops.to(-7);
    if constexpr (graupel_too) {
        const Real swept = stones.sweep();
        all.add(liquid, graupel, cold * at.q[liquid] * swept);
        all.add(liquid, rain, (1 - cold) * at.q[liquid] * swept);
        all.add(snow, graupel,
                cold * (1e-3 * brief_exp(-0.09 * below) * larger(at.q[snow] - 6e-4, none) +
                        0.1 * at.q[snow] * swept));
        freezes += cold * at.q[rain] * swept;
    } else
        freezes += cold * at.q[rain] * flakes.sweep();
    all.add(rain, heavy, freezes);
}

/// Of particles of ice in air above 0 degC.
template <class Real> constexpr Real melting(const Layer<Real>& at, Real ventilation, Real p) {
    constexpr double conduction = 0.0243, diffusion = 2.26e-5;
    const Real at_zero = Saturation<Real>(Real(constants::celsius), p, over_water).humidity;
    const Real heat = conduction * at.celsius - constants::evaporation_heat * diffusion *
                                                    at.density * (at_zero - at.q[vapour]);
    return select(at.celsius > 0,
                  larger(ventilation * heat * (1 / constants::fusion_heat) / at.density, Real(0)),
                  Real(0));
}

}  // namespace fathom::physics
