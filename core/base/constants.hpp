/// Physical constants of the ocean and the atmosphere, SI units.
#pragma once

namespace fathom::constants {
inline constexpr double gravity = 9.80616;                ///< [m s-2]
inline constexpr double earth_radius = 6371220;           ///< [m]
inline constexpr double rotation = 7.292123516990375e-5;  ///< angular velocity of the Earth [s-1]
inline constexpr double sea_water_density = 1026;         ///< Boussinesq reference density [kg m-3]
inline constexpr double sea_water_heat_capacity = 3996;   ///< at constant pressure [J kg-1 K-1]
inline constexpr double fresh_water_density = 1000;       ///< [kg m-3]
inline constexpr double stefan_boltzmann = 5.670374419e-8;  ///< [W m-2 K-4]
inline constexpr double dry_air_gas_constant = 287.0597;    ///< [J kg-1 K-1]
inline constexpr double dry_air_heat_capacity =
    3.5 * dry_air_gas_constant;                               ///< at constant pressure [J kg-1 K-1]
inline constexpr double water_vapour_gas_constant = 461.525;  ///< [J kg-1 K-1]
inline constexpr double evaporation_heat =
    2.5008e6;  ///< latent heat of evaporation, the same constant everywhere: budgets close [J kg-1]
inline constexpr double fusion_heat = 3.337e5;  ///< latent heat of fusion [J kg-1]
inline constexpr double celsius = 273.15;       ///< 0 degC [K]
}  // namespace fathom::constants
