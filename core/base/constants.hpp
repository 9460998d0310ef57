/// Physical constants of the ocean and the atmosphere, SI units.
#pragma once

namespace fathom::constants {
inline constexpr double gravity = 9.80616;                     ///< [m s-2]
inline constexpr double earth_radius = 6371220;                ///< [m]
inline constexpr double rotation = 7.292123516990375e-5;       ///< angular velocity of the Earth [s-1]
inline constexpr double sea_water_density = 1026;              ///< Boussinesq reference density [kg m-3]
inline constexpr double sea_water_heat_capacity = 3996;        ///< at constant pressure [J kg-1 K-1]
inline constexpr double fresh_water_density = 1000;            ///< [kg m-3]
inline constexpr double stefan_boltzmann = 5.670374419e-8;     ///< [W m-2 K-4]
inline constexpr double celsius = 273.15;                      ///< 0 degC [K]
}  // namespace fathom::constants
