/// Deep convection: simplified Betts-Miller (Frierson 2007, J. Atmos. Sci. 64, 1959-1976). A parcel
/// of the lowest layer rises, dry and then saturated, to its level of neutral buoyancy; temperature
/// and humidity relax towards it:
///
///   dT = (T_p - Delta - T) / tau,   dq = (RH q_p - q) / tau,   P_q = -int dq dp/g,
///       P_T = (c_p / L) int (T_p - T) / tau dp/g
///   P_T > 0, P_q > 0   deep: rain P_q, and Delta, the same in all cloudy layers,
///       makes int (c_p dT + L dq) dp = 0
///   P_T > 0, P_q <= 0  shallow: no rain; the top is lowered to where int dq = 0,
///       and Delta makes int dT = 0
///
/// The parcel keeps its moist static energy h = c_p T + phi + L q: T_p is the larger of the dry
/// adiabat's temperature and of that where q_s gives h, found in each layer separately from the
/// layer's own temperature by a step of Halley and one of Newton: the error is 0.02 K where they
/// differ by 10 K, and always on the right side. What the parcel condenses below 0 C freezes, the
/// part 1 - w of it (moist.hpp), and falls out: with q_i the sum of (1 - w) times the losses of q_s
/// from below, T_p grows by L_f q_i / (c_p + L dq_s/dT), 1 K at 300 hPa over a warm sea. No
/// temperature is virtual, as in the paper. tau is at least a step, so that the end of the step
/// lies between the state and the reference. Layers below the cloud, where the parcel is dry, give
/// water but keep their temperature: Frierson shifts them too, which heats the mixed layer by the
/// amount that balances the column, and the sea then gives no sensible heat.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct BettsMiller {
    double step = 1200, relaxation = 7200, relative_humidity = 0.7;

    static constexpr std::string_view summary =
        "Deep and shallow convection: simplified Betts-Miller scheme of Frierson (2007)";
    static constexpr std::tuple parameters{
        Parameter{"step", &BettsMiller::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"relaxation", &BettsMiller::relaxation, "s", 60, 1e7,
                  "time scale of convection, tau"},
        Parameter{"relative_humidity", &BettsMiller::relative_humidity, "1", 0.1, 1,
                  "humidity of the reference over that of the parcel, RH"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> T_tendency,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> q_tendency,
        Writes<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> precipitation,
        Keeps<Real, "betts_miller", 5> own) const {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        const int levels = temperature.levels();
        // T_p - T, q - RH q_p, and the part of a layer that convects
        const auto [warmer, drier, cloudy, deep_share, shallow_share] = own.columns();
        const auto slope = deep_share, vapour = shallow_share;  // of the parcel, before the shares
        const int last = levels - 1;
        const Real start_T = fma(T_tendency[last], step, temperature[last]),
                   start_q = larger(fma(q_tendency[last], step, humidity[last]), 0),
                   ground = geopotential[last];
        const auto at =
            [&](int k, Real T, Real& f,
                Real& f1) -> Saturation<Real> {  // f: excess of h over that of T, by differences
            const Saturation<Real> saturated(T, pressure[k]);
            f = fma(cp, start_T - T,
                    fma(L, start_q - saturated.humidity, ground - geopotential[k]));
            f1 = fma(L, saturated.slope, cp);
            return saturated;
        };
        // a loop for each step: the processor works at several layers at once
        for (int k = 0; k < levels; ++k) {
            Real f, f1;
            const Real here = fma(T_tendency[k], step, temperature[k]),
                       bend = L * at(k, here, f, f1).bend;
            warmer[k] =
                2 * f * f1 / larger(fma(f1, 2 * f1, f * bend), f1 * f1);  // at most twice Newton's
        }
        for (int k = 0; k < levels; ++k) {
            const Real here = fma(T_tendency[k], step, temperature[k]),
                       rise = geopotential[k] - ground;
            Real f, f1;
            at(k, here + warmer[k], f, f1);
            const Real moist = warmer[k] + f / f1, dry = start_T - here - rise * (1 / cp),
                       difference = larger(moist, dry);
            cloudy[k] = select(moist > dry, 1, Real(0));
            warmer[k] = difference;
            slope[k] = select(moist > dry, (f1 - cp) * (1 / L), Real(0));
            vapour[k] = start_q + (1 / L) * fma(cp, start_T - here - difference, -rise);
        }
        Real frozen = 0, below = start_q;
        for (int k = last; k >= 0; --k) {
            const Real here = fma(T_tendency[k], step, temperature[k]),
                       lost = larger(below - vapour[k], Real(0)),
                       warm =
                           smaller(larger((here + warmer[k] - usual_all_ice) * (1 / 23.0), Real(0)),
                                   Real(1)),
                       ice = 1 - warm * warm;
            below = vapour[k];
            frozen = fma(ice, lost, frozen);
            const Real warming = latent_freezing * frozen / fma(latent_warming, slope[k], 1);
            warmer[k] += warming;
            drier[k] = fma(q_tendency[k], step, humidity[k]) -
                       relative_humidity * fma(slope[k], warming, vapour[k]);
        }
        // upward: sums over the layers that the parcel passes
        Real rises = 1, buoyant = 0, lower = interface[levels], all_mass = 0, all_warmer = 0,
             all_drier = 0, room = 0, open = 1, shallow_mass = 0, shallow_warmer = 0;
        for (int k = last; k >= 0; --k) {
            const Real upper = interface[k], m = (lower - upper) * (1 / gravity),
                       difference = warmer[k], excess = drier[k];
            lower = upper;
            // warmer than the layer: buoyant (1e-3 K, as the parcel of a neutral layer may be);
            // cooler after that: the end
            rises = select(difference < 0, rises * (1 - buoyant), rises);
            if (k < last) buoyant = select((difference > 1e-3) & (rises > 0.5), 1, buoyant);
            deep_share[k] = rises;
            const Real inside = rises * m;
            const Real in_cloud = inside * cloudy[k];
            all_mass += in_cloud;
            all_warmer = fma(difference, in_cloud, all_warmer);
            all_drier = fma(excess, inside, all_drier);
            // shallow: layers from below until they give the vapour that the upper ones need
            const Real given = fma(excess, inside, room),
                       part = select(given >= 0, open,
                                     open * (room / larger(-excess * inside, 1e-30))) *
                              rises;
            open = select(given >= 0, open, 0);
            room = larger(given, 0) * open;
            shallow_share[k] = part;
            const Real shallow = part * m * cloudy[k];
            shallow_mass += shallow;
            shallow_warmer = fma(difference, shallow, shallow_warmer);
        }
        const double rate = 1 / (relaxation > step ? relaxation : step);
        const auto happens = (buoyant > 0.5) & (all_warmer > 0);
        const auto deep = all_drier > 0;
        const Real strength = select(happens, rate, Real(0));
        const Real shift =
            select(deep, (all_warmer - latent_warming * all_drier) / larger(all_mass, 1e-6),
                   shallow_warmer / larger(shallow_mass, 1e-6));
        for (int k = 0; k < levels; ++k) {
            const Real weight =
                select(deep, Real(deep_share[k]), Real(shallow_share[k])) * strength;
            T_tendency[k] += weight * cloudy[k] * (warmer[k] - shift);
            q_tendency[k] += -(weight * drier[k]);
        }
        precipitation[0] = select(deep, strength * all_drier, 0);
    }
};

}  // namespace fathom::physics
