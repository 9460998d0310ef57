/// Rising or sinking air keeps its moist static energy h = c_p T + phi + L q and its water q_t: its
/// temperature at a place, and how much of the water is vapour.
///
///   T = max((h - phi - L q_t) / c_p,  T with c_p T + L q_s(T, p) = h - phi)
///   q = (h - phi - c_p T) / L
///
/// The second T is found from a guess by a step of Halley and one of Newton: the error is 0.02 K
/// where the guess is 10 K away, and always on the right side. q follows from h, so that h is kept
/// to round-off.
#pragma once
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct Parcel {
    Real temperature, vapour, condensate, virtual_temperature;

    constexpr Parcel(Real h, Real water, Real phi, Real p, Real guess) {
        constexpr double cp = constants::dry_air_heat_capacity, L = constants::evaporation_heat;
        const Real energy = h - phi, dry = (energy - L * water) * (1 / cp);
        const Saturation<Real> first(guess, p);
        const Real f = fma(-cp, guess, fma(-L, first.humidity, energy)),
                   f1 = fma(L, first.slope, cp), bend = L * first.bend;
        const Real near =
            guess + 2 * f * f1 / larger(fma(f1, 2 * f1, f * bend), f1 * f1);  // at most 2 Newton's
        const Saturation<Real> second(near, p);
        const Real moist =
            near + fma(-cp, near, fma(-L, second.humidity, energy)) / fma(L, second.slope, cp);
        temperature = larger(moist, dry);
        vapour = select(moist > dry, fma(-cp, temperature, energy) * (1 / L), water);
        condensate = larger(water - vapour, 0);
        virtual_temperature = temperature * (1 + virtual_factor * vapour - condensate);
    }
};

}  // namespace fathom::physics
