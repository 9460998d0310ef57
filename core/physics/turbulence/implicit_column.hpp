/// Implicit vertical diffusion of any quantities of a column, layer by layer downward, for the
/// increments x' - x:
///
///   m_k (x' - x)_k = F_k+1 - F_k,     F_k+1 = b_k+1 (x'_k+1 - x'_k) into layer k from below,
///   b = dt rho K / dz,                rho / dz = p g / (R T_v dphi),
///   (x' - x)_k = r_k + c_k (x' - x)_k+1,      c_k = b_k+1 / d_k,
///       d_k = m_k + b_k+1 + b_k (1 - c_k-1),  r_k = [b_k r_k-1 + f_k+1 - f_k] / d_k,
///       f the flux of the values before
/// The factors belong to the column; any number of quantities is eliminated with them.
#pragma once
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct ImplicitColumn {
    Real b = 0, c = 0, diagonal = 0, pivot = 0;  // b: through the interface above

    /// b of an interface at pressure p; T, q: means of the layers on both sides, dphi > 0 their
    /// distance.
    static constexpr Real exchange(double step, Real K, Real p, Real T, Real q, Real dphi) {
        using namespace constants;
        return (step * gravity / dry_air_gas_constant) * K * p /
               (T * (1 + virtual_factor * q) * dphi);
    }
    /// The next layer down; below: b of the interface under it, 0 under the lowest.
    constexpr void enter(Real mass, Real below) {
        diagonal = fma(b, 1 - c, mass + below);
        pivot = 1 / diagonal;
    }
    /// d_k r_k from r_k-1 and f_k; change: f_k+1.
    constexpr Real right(Real r, Real flux, Real change) const { return fma(b, r, change - flux); }
    /// r and f of this layer replace those of the layer above.
    constexpr void eliminate(Real& r, Real& flux, Real change) const {
        r = right(r, flux, change) * pivot;
        flux = change;
    }
    /// c of the layer, before the next one is entered.
    constexpr Real leave(Real below) {
        c = below * pivot;
        b = below;
        return c;
    }
};

}  // namespace fathom::physics
