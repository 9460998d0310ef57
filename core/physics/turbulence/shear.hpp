/// What stands at the four corners of a cell, and differences of the velocity there; corners on land count with their zero velocity.
#pragma once
#include "base/pack.hpp"
#include "field/field.hpp"
#include <array>

namespace fathom::physics {

template <class Real> Real mean_of_corners(In<Real, 1> f) { return ((f[0] + f(-east)[0]) + (f(-north)[0] + f(-northeast)[0])) * 0.25; }

template <class Real> struct Corners {
    std::array<In<Real, 1>, 4> u, v;
    Corners(In<Real, 1> u, In<Real, 1> v) : u{u, u(-east), u(-north), u(-northeast)}, v{v, v(-east), v(-north), v(-northeast)} {}
};

/// start + sum over corners of |u_k-1 - u_k|^2, for k = 1, 2 ... in this order.
template <class Real> struct Shear : Corners<Real> {
    Real u_above[4], v_above[4];
    Shear(In<Real, 1> u, In<Real, 1> v) : Corners<Real>(u, v) {
        for (int c = 0; c < 4; ++c) u_above[c] = this->u[c][0], v_above[c] = this->v[c][0];
    }
    Real operator()(int k, Real start) {
        for (int c = 0; c < 4; ++c) {
            const Real u_here = this->u[c][k], v_here = this->v[c][k], du = u_above[c] - u_here, dv = v_above[c] - v_here;
            start = fma(du, du, fma(dv, dv, start));
            u_above[c] = u_here; v_above[c] = v_here;
        }
        return start;
    }
};

}  // namespace fathom::physics
