/// exp with half the digits and half the work, for fits and formulas that are known to a few
/// digits:
///
///   brief_exp(x) = exp(x) (1 + e),   |e| < 4e-9 in 64 bits, 2e-7 in 32,   for |x| <= 80
///
/// Reduction as in elementary.hpp; a minimax polynomial of the relative error. The range is not
/// checked: the caller ensures |x| <= 80.
#pragma once
#include "base/elementary.hpp"

namespace fathom {

template <class T, int width> constexpr Pack<T, width> brief_exp(Pack<T, width> x) {
    using namespace elementary_detail;
    const Whole<T, width> n(x * T(1.4426950408889634));
    const Pack<T, width> r = fma(n.number, -Format<T>::ln2, x);
    Pack<T, width> p;
    if constexpr (sizeof(T) == 8)
        p = polynomial(r, 0.4999999345173351, 0.16666520679689395, 0.04166838735503443,
                       0.008368709840059673, 0.0013814613628922883);
    else
        p = polynomial(r, 0.4999923179044062, 0.1666711446456754, 0.04189011329027641,
                       0.008312524966169427);
    return (1 + fma(r * r, p, r)) * power_of_two<T, width>(n.integer);
}

/// y^(1/3), y > 0, to the same number of digits.
template <class T, int width> constexpr Pack<T, width> cube_root(Pack<T, width> y) {
    return brief_exp(log(y) * T(1. / 3));
}

}  // namespace fathom
