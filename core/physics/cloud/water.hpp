/// Water in a layer of air, in six kinds [kg kg-1]: vapour, cloud water and cloud ice, which float,
/// rain, snow and graupel, which fall.
///
/// What is condensed has given off its heat: from kind to kind the air warms by
///   c_p dT = L_v d(liquid) + (L_v + L_f) d(frozen)
/// so that c_p T + L_v q_vapour - L_f q_frozen stays, to round-off.
#pragma once
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

enum Kind { vapour, droplets, crystals, rain, snow, graupel, kinds };

template <class Real> struct Water {
    Real of[kinds];
    constexpr Real& operator[](int kind) { return of[kind]; }
    constexpr const Real& operator[](int kind) const { return of[kind]; }
};

/// Warming of the air when a kilogram of vapour becomes this kind [K].
constexpr double warming_of(int kind) {
    return kind == vapour                     ? 0
           : kind == droplets || kind == rain ? latent_warming
                                              : latent_warming + latent_freezing;
}

}  // namespace fathom::physics
