/// The velocity with which a gas passes the surface of the sea, but for the share of ice
/// (Wanninkhof 2014, Limnol. Oceanogr. Methods 12, eq. 4):
///
///   (1 - a) c U^2 (Sc / 660)^(-1/2),   Sc = s0 + s1 t + s2 t^2 + s3 t^3 + s4 t^4,   t in degC
#pragma once
#include <array>
#include "base/elementary.hpp"

namespace fathom::physics {

/// [m s-1]; coefficient: c [cm h-1 (m s-1)-2].
template <class Real>
constexpr Real transfer_velocity(const std::array<double, 5>& s, Real t, Real wind, Real ice,
                                 double coefficient) {
    constexpr double of_hour = 1e-2 / 3600;
    const Real schmidt = fma(t, fma(t, fma(t, fma(t, s[4], s[3]), s[2]), s[1]), s[0]),
               open = 1.0 - smaller(larger(ice, 0), 1);
    return open * ((coefficient * of_hour) * (wind * wind) * sqrt(660 / schmidt));
}

/// Of the air of both hemispheres, north before south, blended where a place belongs to both.
template <class Real> constexpr Real of_hemispheres(const auto& in_air, Real northern) {
    const Real south = Real(in_air[1]);
    return fma(northern, Real(in_air[0]) - south, south);
}

}  // namespace fathom::physics
