/// Freezing of sea water: the minimum for an ocean without an ice model.
#pragma once
#include "base/constants.hpp"

namespace fathom::physics {

inline constexpr double freezing_slope = 0.0544;  ///< [K per 1e-3]

/// T_f = -0.0544 S [degC], at the surface.
template <class Real> constexpr Real freezing_temperature(Real salinity) {
    return -freezing_slope * salinity;
}

/// Thickness [m] of the ice that gave off the heat `frazil_heat` [J m-2], of 917 kg m-3.
template <class Real> constexpr Real ice_thickness(Real frazil_heat) {
    return frazil_heat * (1 / (constants::ice_density * constants::fusion_heat));
}

}  // namespace fathom::physics
