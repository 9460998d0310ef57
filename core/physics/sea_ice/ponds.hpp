/// Melt water on ice, of volume V for a unit of ice. Ponds of level ice (Holland et al. 2012, J.
/// Climate 25, 1413-1430) get wider as they get deeper:
///
///   f = sqrt(V / 0.8 m) <= 1  share of the ice,   d = 0.8 m f  depth
///   dV/dt = 0.7 w - V / t_d - V / 100 h max(0, T_p - T_s) / |T_p|,   T_p = -2 degC
///
/// w the melt at the top: 0.7 of it gathers there, the rest runs off. Ponds drain through the ice
/// in the time t_d, and freeze under a cold surface T_s. They are dark: light comes back from the
/// ice below them,
///
///   albedo = of the sea + (of the ice - of the sea) exp(-d / 0.25 m)
///
/// The water is only lent: it belongs to the sea from when it melts.
#pragma once
#include "base/brief.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/bulk.hpp"

namespace fathom::physics {

namespace ponds {
inline constexpr double aspect = 0.8;  ///< depth over share [m]

template <class Real> constexpr Real share(Real volume) {
    return smaller(sqrt(larger(volume, Real(0)) * (1 / aspect)), Real(1));
}
/// Albedo of ice with ponds in the share f.
template <class Real> constexpr Real albedo(Real f, Real of_ice) {
    constexpr double of_sea = sea_air::albedo;
    const Real of_pond = of_sea + (of_ice - of_sea) * brief_exp(-(aspect / 0.25) * f);
    return of_ice + f * (of_pond - of_ice);
}
/// V after a step, backward in time.
template <class Real>
constexpr Real after(Real volume, Real melted, Real surface, double step, double drainage) {
    constexpr double freezes_below = -2, freezing_time = 3.6e5;
    const Real cold = larger(freezes_below - surface, Real(0));
    return (volume + 0.7 * melted) /
           (1 + step / drainage + cold * (step / (freezing_time * -freezes_below)));
}
}  // namespace ponds

}  // namespace fathom::physics
