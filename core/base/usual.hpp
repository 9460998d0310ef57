/// Defaults that several schemes share, or schemes and a class in Python: each stands here once.
/// Python reads this text (fathom/base/constants.py): a line holds a name and a value.
#pragma once

namespace fathom::usual {

// eddies
inline constexpr double eddy_diffusivity = 800;  ///< [m2 s-1]
inline constexpr double maximum_slope = 0.01;    ///< at which tapering acts [1]
inline constexpr double taper_width = 0.001;     ///< range of slopes of a smooth taper [1]
inline constexpr double density_step = 0.03;     ///< limit of the mixed layer [kg m-3]

// free surface
inline constexpr double implicitness = 0.6;  ///< weight of the new time [1]
inline constexpr double compactness = 0.2;   ///< share of the compact operator [1]

// gases
inline constexpr double gas_transfer = 0.251;  ///< [cm h-1 (m s-1)-2] (Wanninkhof 2014)
inline constexpr double carbon_dioxide = 400;  ///< of dry air [1e-6 mol mol-1]

// dynamics of the air
inline constexpr double gridpoint_implicitness = 0.55;  ///< weight of the new time [1]
inline constexpr double reference_temperature = 350;    ///< of the linear equations [K]
inline constexpr double acoustic_temperature = 100;     ///< of their vertical part [K]
inline constexpr double reference_pressure = 1e5;       ///< [Pa]

}  // namespace fathom::usual
