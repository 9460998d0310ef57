/// The mass that transport gives a tracer too much or too little is returned in shares:
///
///   q += c w,   w = q^2 / (|q| + Q),   c = (mass before - mass) / mass of w,  at least -1,
///
/// with Q the mean of q over the atmosphere. Where q is large this multiplies it by one number;
/// small values, as vapour of the stratosphere, hardly change: the error is not theirs.
#pragma once
#include <algorithm>

namespace fathom::atmosphere {

template <class T> struct TracerShare {
    T mean;
    constexpr T operator()(T q) const { return q == 0 ? T(0) : q * q / ((q < 0 ? -q : q) + mean); }
};

/// c; 0: there is nothing to return, or nothing that could take it.
constexpr double share_to_return(double before, double mass, double mass_of_shares) {
    if (!(mass_of_shares > 0)) return 0;
    return std::max((before - mass) / mass_of_shares, -1.0);
}

}  // namespace fathom::atmosphere
