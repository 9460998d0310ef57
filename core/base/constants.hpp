/// Physical constants, SI units: each number of the earth and of its water and air has its home
/// here. Python reads this text (fathom/base/constants.py): a line holds a name and a value.
#pragma once

namespace fathom::constants {

// the earth
inline constexpr double earth_radius = 6371220;           ///< [m]
inline constexpr double rotation = 7.292123516990375e-5;  ///< angular velocity [s-1]
/// Of the equations, at 45 degrees (Williamson et al. 1992) [m s-2].
inline constexpr double gravity = 9.80616;
/// Of geopotential height (WMO) [m s-2].
inline constexpr double standard_gravity = 9.80665;

// the sea
inline constexpr double sea_water_density = 1026;        ///< of the Boussinesq equations [kg m-3]
inline constexpr double sea_water_heat_capacity = 3996;  ///< at constant pressure [J kg-1 K-1]
inline constexpr double fresh_water_density = 1000;      ///< [kg m-3]
inline constexpr double ice_density = 917;               ///< [kg m-3]
inline constexpr double ice_heat_capacity = 2106;        ///< [J kg-1 K-1]

// the air
inline constexpr double dry_air_gas_constant = 287.0597;  ///< [J kg-1 K-1]
/// At constant pressure [J kg-1 K-1].
inline constexpr double dry_air_heat_capacity = 3.5 * dry_air_gas_constant;
inline constexpr double water_vapour_gas_constant = 461.525;  ///< [J kg-1 K-1]
inline constexpr double lapse_rate = 0.0065;                  ///< standard atmosphere [K m-1]

// phases of water: the same heats everywhere, so that budgets close
inline constexpr double evaporation_heat = 2.5008e6;  ///< [J kg-1]
inline constexpr double fusion_heat = 3.337e5;        ///< [J kg-1]
inline constexpr double celsius = 273.15;             ///< 0 degC [K]
inline constexpr double triple_point = 273.16;        ///< [K]

// radiation
inline constexpr double stefan_boltzmann = 5.670374419e-8;  ///< [W m-2 K-4]
inline constexpr double planck = 6.62607015e-34;            ///< [J s]
inline constexpr double boltzmann = 1.380649e-23;           ///< [J K-1]
inline constexpr double avogadro = 6.02214076e23;           ///< [mol-1]
inline constexpr double cosmic_background = 2.728;          ///< [K]

// Other values of the same, each of the source or for the use that its name says.
// air in the bulk formulae over the sea (Large & Yeager 2004)
inline constexpr double bulk_heat_capacity = 1000.5;    ///< [J kg-1 K-1]
inline constexpr double bulk_gas_constant = 287.05;     ///< [J kg-1 K-1]
inline constexpr double bulk_evaporation_heat = 2.5e6;  ///< [J kg-1]
// the sky over the sea (fathom/data/sky.py)
inline constexpr double sky_stefan_boltzmann = 5.67e-8;  ///< [W m-2 K-4]
// distances of cloud layers (rrtmgp/clouds.hpp)
inline constexpr double cloud_gas_constant = 287.04;  ///< [J kg-1 K-1]
// the dynamics of spectral models: 3.5 R, written in decimals
inline constexpr double spectral_heat_capacity = 1004.70895;  ///< [J kg-1 K-1]
// temperature at 2 m
inline constexpr double screen_heat_capacity = 1004.7;  ///< [J kg-1 K-1]
// errors of an analysis by their energy
inline constexpr double norm_heat_capacity = 1004.7;  ///< [J kg-1 K-1]
inline constexpr double norm_gas_constant = 287.06;   ///< [J kg-1 K-1]
// the balance of errors of a background (fathom/assimilation/balance.py)
inline constexpr double balance_gas_constant = 287;      ///< [J kg-1 K-1]
inline constexpr double balance_heat_capacity = 1004.5;  ///< [J kg-1 K-1]
// the analysis of the surface
inline constexpr double analysis_heat_capacity = 1004.7;      ///< [J kg-1 K-1]
inline constexpr double analysis_evaporation_heat = 2.501e6;  ///< [J kg-1]

}  // namespace fathom::constants
