/// The effect of a plume on the air around it. The plume carries mass M up and x_u with it; the air
/// around sinks by the same mass and brings air from above. Backward in time and upwind, so that
/// any mass flux is stable and no new extreme appears where the air sinks:
///
///   m_k (x'_k - x_k) / dt = M_k+1 (x_u,k+1 - x'_k) - M_k (x_u,k - x'_k-1) + S_k
///
/// k counts downward, M_k is at the upper interface of layer k, M_0 = M_levels = 0. Written for
/// increments, with the flux relative to the air around, F_k = M_k (x_u,k - x_k-1):
///
///   d_k (m_k / dt + M_k+1) = F_k+1 - F_k + S_k + M_k d_k-1
///
/// The column's sum of m d is dt times that of S, to round-off.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"

namespace fathom::physics {

/// interface: pressures; mass_flux, flux: M_k and F_k for a unit of `strength`; source(k): S_k for
/// a unit; take(k, d): gets the increments, from the top down.
template <class Real, class Interface, class MassFlux, class Flux, class Source, class Take>
constexpr void subside(int levels, double step, const Interface& interface, Real strength,
                       const MassFlux& mass_flux, const Flux& flux, Source source, Take take) {
    Real d = 0, upper = interface[0], M = 0, F = 0;
    for (int k = 0; k < levels; ++k) {
        const Real lower = interface[k + 1];
        Real next_M = 0, next_F = 0;
        if (k + 1 < levels) next_M = strength * mass_flux[k + 1], next_F = strength * flux[k + 1];
        const Real mass = (lower - upper) * (1 / (constants::gravity * step));
        d = (next_F - F + strength * source(k) + M * d) / (mass + next_M);
        take(k, d);
        upper = lower, M = next_M, F = next_F;
    }
}

}  // namespace fathom::physics
