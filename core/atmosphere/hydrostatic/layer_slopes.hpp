/// How l and alpha of a layer between two interfaces (hybrid.hpp) change with the pressures a above
/// and b below it, s = 1 / (b - a):
///   dl = db / b - da / a,   ds = s^2 (da - db),   dalpha = -(s l da + a l ds + a s dl)
/// At an open top, a = 0, l and alpha are constant.
#pragma once
#include "atmosphere/hydrostatic/hybrid.hpp"

namespace fathom::atmosphere {

/// A value of a layer, and its derivatives by the pressures of the interfaces above and below.
template <class Real> struct OfLayer {
    Real value, by_above, by_below;
    constexpr Real change(Real above, Real below) const {
        return fma(by_above, above, by_below * below);
    }
    friend constexpr OfLayer operator*(OfLayer a, OfLayer b) {
        return {a.value * b.value, fma(a.by_above, b.value, a.value * b.by_above),
                fma(a.by_below, b.value, a.value * b.by_below)};
    }
    friend constexpr OfLayer operator+(OfLayer a, OfLayer b) {
        return {a.value + b.value, a.by_above + b.by_above, a.by_below + b.by_below};
    }
    friend constexpr OfLayer operator*(Real a, OfLayer b) {
        return {a * b.value, a * b.by_above, a * b.by_below};
    }
};

template <class Real> struct LayerSlopes {
    OfLayer<Real> above, per_thickness, log_ratio, alpha;
    Real per_above, per_below;  ///< 1 / a, 0 at an open top; 1 / b

    constexpr LayerSlopes(Real a, Real b) {
        const Real zero(0), one(1), none = select(a > zero, one, zero);
        const Real s = 1.0 / (b - a), square = s * s;
        per_above = none / select(a > zero, a, one);
        per_below = 1.0 / b;
        above = {a, one, zero};
        per_thickness = {s, square, -square};
        log_ratio = {log(select(a > zero, b * per_above, one)), -per_above, none * per_below};
        alpha = Real(-1) * (above * per_thickness * log_ratio);
        alpha.value += 1.0;
        alpha.by_above = select(a > zero, alpha.by_above, zero);
        alpha.by_below = select(a > zero, alpha.by_below, zero);
    }
};

}  // namespace fathom::atmosphere
