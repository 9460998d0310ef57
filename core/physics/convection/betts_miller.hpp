/// Deep convection: simplified Betts-Miller (Frierson 2007, J. Atmos. Sci. 64, 1959-1976). A parcel of the lowest layer rises, dry and
/// then saturated, to its level of neutral buoyancy; temperature and humidity relax towards it:
///
///   dT = (T_p - Delta - T) / tau,   dq = (RH q_p - q) / tau,   P_q = -int dq dp/g,   P_T = (c_p / L) int (T_p - T) / tau dp/g
///   P_T > 0, P_q > 0   deep: rain P_q, and Delta, the same in all layers, makes int (c_p dT + L dq) dp = 0
///   P_T > 0, P_q <= 0  shallow: no rain; the top is lowered to where int dq = 0, and Delta makes int dT = 0
///
/// The parcel keeps its moist static energy c_p T + phi + L q: two Newton steps a layer from a guess along the moist adiabat. Temperature
/// is virtual nowhere, as in the paper. tau is at least a step, so that the end of the step lies between the state and the reference.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct BettsMiller {
    double step = 1200, relaxation = 7200, relative_humidity = 0.8;

    static constexpr std::string_view summary = "Deep and shallow convection: simplified Betts-Miller scheme of Frierson (2007)";
    static constexpr std::tuple parameters{
        Parameter<BettsMiller>{"step",              &BettsMiller::step,              "s", 1e-3, 1e5, "time step"},
        Parameter<BettsMiller>{"relaxation",        &BettsMiller::relaxation,        "s", 60,   1e7, "time scale of convection, tau"},
        Parameter<BettsMiller>{"relative_humidity", &BettsMiller::relative_humidity, "1", 0.1,  1,   "humidity of the reference over that of the parcel, RH"}};
    static constexpr std::array fields{
        reads  ("air_temperature",            place::center_layer,     "K"),
        reads  ("specific_humidity",          place::center_layer,     "kg kg-1"),
        reads  ("air_pressure",               place::center_layer,     "Pa"),
        reads  ("pressure_interface",         place::center_interface, "Pa"),
        reads  ("geopotential",               place::center_layer,     "m2 s-2"),
        updates("air_temperature_tendency",   place::center_layer,     "K s-1"),
        updates("specific_humidity_tendency", place::center_layer,     "s-1"),
        writes ("convective_precipitation",   place::center_column,    "kg m-2 s-1")};

    template <class Real> void operator()(In<Real> temperature, In<Real> humidity, In<Real> pressure, In<Real> interface, In<Real> geopotential,
                                          InOut<Real> T_tendency, InOut<Real> q_tendency, Out<Real> precipitation) const {
        using namespace constants;
        constexpr int most = 160;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        const int levels = temperature.levels();
        Real warmer[most], drier[most], deep_share[most], shallow_share[most];     // T_p - T, q - RH q_p, and which part of a layer convects
        // the parcel, upward; sums over the layers it passes
        const Real start_T = fma(T_tendency[levels - 1], step, temperature[levels - 1]), start_q = larger(fma(q_tendency[levels - 1], step, humidity[levels - 1]), 0);
        const Real energy = cp * start_T + geopotential[levels - 1] + L * start_q;
        Real T = start_T, rises = 1, buoyant = 0, saturated = 0, lapse = 0, phi_below = geopotential[levels - 1], lower = interface[levels];
        Real all_mass = 0, all_warmer = 0, all_drier = 0, room = 0, open = 1, shallow_mass = 0, shallow_warmer = 0;
        for (int k = levels - 1; k >= 0; --k) {
            const Real upper = interface[k], phi = geopotential[k], p = pressure[k], m = (lower - upper) * (1 / gravity);
            const Real here_T = fma(T_tendency[k], step, temperature[k]), here_q = fma(q_tendency[k], step, humidity[k]);
            const Real dry = start_T + (geopotential[levels - 1] - phi) * (1 / cp);
            const Real guess = select(saturated > 0.5, larger(dry, T - lapse * (phi - phi_below)), dry);
            const Saturation<Real> first(guess, p);
            const auto wet = (first.humidity < start_q) | (saturated > 0.5);
            const Real once = guess + (energy - phi - cp * guess - L * first.humidity) / (cp + L * first.slope);
            const Saturation<Real> second(once, p);
            const Real per = 1 / (cp + L * second.slope), change = (energy - phi - cp * once - L * second.humidity) * per;
            T = select(wet, once + change, dry);
            const Real q = select(wet, fma(second.slope, change, second.humidity), start_q);
            saturated = select(wet, 1, Real(0));
            lapse = fma(L * (1 / dry_air_gas_constant) * q, 1 / T, 1) * per;
            phi_below = phi; lower = upper;
            // warmer than the layer: buoyant (1e-3 K, as the parcel of a neutral layer may be); cooler after having been so: the end
            const Real difference = T - here_T, excess = here_q - relative_humidity * q;
            rises = select(difference < 0, rises * (1 - buoyant), rises);
            if (k < levels - 1) buoyant = select((difference > 1e-3) & (rises > 0.5), 1, buoyant);
            warmer[k] = difference; drier[k] = excess; deep_share[k] = rises;
            const Real inside = rises * m;
            all_mass += inside;
            all_warmer = fma(difference, inside, all_warmer);
            all_drier = fma(excess, inside, all_drier);
            // shallow: as many layers from below as bring the vapour that the upper ones take
            const Real given = fma(excess, inside, room), part = select(given >= 0, open, open * (room / larger(-excess * inside, 1e-30))) * rises;
            open = select(given >= 0, open, 0);
            room = larger(given, 0) * open;
            shallow_share[k] = part;
            shallow_mass = fma(part, m, shallow_mass);
            shallow_warmer = fma(difference * part, m, shallow_warmer);
        }
        const double rate = 1 / (relaxation > step ? relaxation : step);
        const auto happens = (buoyant > 0.5) & (all_warmer > 0), deep = all_drier > 0;
        const Real strength = select(happens, rate, Real(0));
        const Real shift = select(deep, (all_warmer - latent_warming * all_drier) / all_mass, shallow_warmer / larger(shallow_mass, 1e-6));
        for (int k = 0; k < levels; ++k) {
            const Real weight = select(deep, deep_share[k], shallow_share[k]) * strength;
            T_tendency[k] += weight * (warmer[k] - shift);
            q_tendency[k] += -(weight * drier[k]);
        }
        precipitation[0] = select(deep, strength * all_drier, 0);
    }
};

}  // namespace fathom::physics
