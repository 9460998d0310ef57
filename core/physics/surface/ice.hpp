/// Freezing of sea water, in the least that an ocean without an ice model needs.
#pragma once

namespace fathom::physics {

/// T_f = -0.0544 S [degC], at the surface.
template <class Real> Real freezing_temperature(Real salinity) { return -0.0544 * salinity; }

/// Thickness [m] of the ice that gave off the heat `frazil_heat` [J m-2]: 917 kg m-3, 334 kJ kg-1.
template <class Real> Real ice_thickness(Real frazil_heat) { return frazil_heat * (1 / (917 * 334e3)); }

}  // namespace fathom::physics
