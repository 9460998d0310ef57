/// Angles without tables, on packs: atan2 in one division, and the cosine and the cardinal sine of
/// a short arc by their series.
///   atan2(y, x):   t = min / max of |x|, |y|, or (min - max) / (min + max) + pi/4 beyond
///                  tan(pi/8);   atan t = t P(t^2), P Chebyshev
/// Error below 2e-16 (fp64), 2e-8 (fp32); atan2(0, x > 0) is exactly 0.
#pragma once
#include <numbers>
#include "base/dual.hpp"
#include "base/pack.hpp"

namespace fathom {

template <class Real> constexpr Real atan2(Real y, Real x) {
    using T = typename Real::Number;
    constexpr double pi = std::numbers::pi;
    const Real ax = abs(x), ay = abs(y), most = larger(ax, ay), least = smaller(ax, ay);
    const auto beyond = least > most * T(0.41421356237309503);
    const Real t = select(beyond, least - most, least) /
                   larger(select(beyond, least + most, most), Real(T(1e-30)));
    const Real s = t * t;
    Real angle;
    if constexpr (sizeof(T) == 8)
        angle = t * polynomial(s, 1.0, -0.3333333333333312, 0.19999999999940837,
                               -0.14285714279244968, 0.11111110744657099, -0.09090896801472813,
                               0.07692045194561481, -0.06662950246036792, 0.05846866752275139,
                               -0.05035049795312439, 0.03796390316111083, -0.017803896394812564);
    else
        angle = t * polynomial(s, T(1), T(-0.33333306880874064), T(0.19998182384330435),
                               T(-0.14239520496655997), T(0.10569738024915738),
                               T(-0.06026070970504976));
    angle = select(beyond, angle + Real(T(pi / 4)), angle);
    angle = select(ay > ax, Real(T(pi / 2)) - angle, angle);
    angle = select(x < Real(T(0)), Real(T(pi)) - angle, angle);
    return select(y < Real(T(0)), -angle, angle);
}

/// Its derivative is known: (x dy - y dx) / (x^2 + y^2); that at the origin is taken as 0.
template <class T, int lanes> Dual<T, lanes> atan2(Dual<T, lanes> y, Dual<T, lanes> x) {
    using Lanes = Pack<T, lanes>;
    const Lanes square = x.value * x.value + y.value * y.value, none(T(0));
    return {atan2(y.value, x.value),
            select(square > none, (x.value * y.tangent - y.value * x.tangent) / square, none)};
}

/// Of the square of an arc below 1 rad: cos(arc) and sin(arc) / arc, to round-off.
template <class Real> constexpr Real cosine_of_square(Real s) {
    return polynomial(s, 1.0, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800,
                      1. / 479001600, -1. / 87178291200.);
}
template <class Real> constexpr Real cardinal_sine_of_square(Real s) {
    return polynomial(s, 1.0, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800,
                      1. / 6227020800.);
}

}  // namespace fathom
