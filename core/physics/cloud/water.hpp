/// Water in a layer of air, in six kinds [kg kg-1]: vapour, cloud water and cloud ice, which float,
/// rain, snow and graupel, which fall.
///
/// Condensed water has released its latent heat: conversions between kinds warm the air by
///   c_p dT = L_v d(liquid) + (L_v + L_f) d(frozen)
/// so that c_p T + L_v q_vapour - L_f q_frozen is constant, to round-off.
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
