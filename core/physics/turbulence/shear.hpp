/// Values at the four corners of a cell, and differences of the velocity there; corners on land
/// count with zero velocity.
#pragma once
#include <array>
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

template <class Real> constexpr Real mean_of_corners(In<Real, 1> f) {
    return ((f[0] + f(-east)[0]) + (f(-north)[0] + f(-northeast)[0])) * 0.25;
}

template <class Real> struct Corners {
    std::array<In<Real, 1>, 4> u, v;
    constexpr Corners(In<Real, 1> u, In<Real, 1> v)
        : u{u, u(-east), u(-north), u(-northeast)}, v{v, v(-east), v(-north), v(-northeast)} {}
};

/// start + sum over corners of |u_k-1 - u_k|^2, for k = first, first + 1 ... in this order.
template <class Real> struct Shear : Corners<Real> {
    Real u_above[4], v_above[4];
    constexpr Shear(In<Real, 1> u, In<Real, 1> v, int first = 1) : Corners<Real>(u, v) {
        for (int c = 0; c < 4; ++c)
            u_above[c] = this->u[c][first - 1], v_above[c] = this->v[c][first - 1];
    }
    constexpr Real operator()(int k, Real start) {
        for (int c = 0; c < 4; ++c) {
            const Real u_here = this->u[c][k], v_here = this->v[c][k], du = u_above[c] - u_here,
                       dv = v_above[c] - v_here;
            start = fma(du, du, fma(dv, dv, start));
            u_above[c] = u_here;
            v_above[c] = v_here;
        }
        return start;
    }
};

/// N^2 for the shear of the corners: the mean over the four corners of a cell of the mean over the
/// four cells about each. Where alternating cells share a shear, it mixes the weakly stratified
/// ones, and the others stratify: two-cell waves grow and stay. This mean removes them. Not less
/// than a fourth of the cell's N^2: N^2 < 0 counts as 0, a neighbour without this
/// interface as the cell itself.
template <class Real> struct StratificationAboutCorners {
    static constexpr Shift beside(int n) {
        constexpr Shift all[]{east, -east, north, -north};
        return all[n];
    }
    static constexpr Shift across(int n) {
        constexpr Shift all[]{northeast, -northeast, northwest, -northwest};
        return all[n];
    }
    In<Real, 1> N2;
    std::array<Real, 4> bottom_beside, bottom_across;
    constexpr StratificationAboutCorners(In<Real, 1> N2, In<Real, 1> wet_levels) : N2(N2) {
        for (int n = 0; n < 4; ++n)
            bottom_beside[n] = wet_levels(beside(n))[0],
            bottom_across[n] = wet_levels(across(n))[0];
    }
    constexpr Real own(int k) const { return larger(N2[k], 0); }
    constexpr Real operator()(int k) const {
        const Real here = own(k);
        Real sum = 4 * here;
        for (int n = 0; n < 4; ++n) {
            sum = fma(select(k < bottom_beside[n], larger(N2(beside(n))[k], 0), here), 2, sum);
            sum += select(k < bottom_across[n], larger(N2(across(n))[k], 0), here);
        }
        return sum * 0.0625;
    }
};

}  // namespace fathom::physics
