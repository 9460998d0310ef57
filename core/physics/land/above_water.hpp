/// The heat that reaches open water and the water under ice, per area of a column:
///
///   F = (1 - (1 - o) a_ground) R_short + o (R_long - sigma T^4 - H - L E - L_f snow) + (1 - o) G
///
/// o the share of open water, G the flux through ice, plus the heat that would warm the ice beyond
/// melting (ground.hpp, soil_layers.hpp, tiled_land.hpp). Where the cover changes by da, ice that
/// forms or melts has the heat of the ground tile, C (T_ground - T_f) - L_f S, which the water
/// gives or takes.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/land/ground.hpp"

namespace fathom::physics {

template <class Real> struct AboveWater {
    Reads<Real, "land_fraction", place::center_column, "1"> land_fraction;
    Reads<Real, "open_sea", place::center_column, "1"> open_sea;
    Reads<Real, "ground_absorption", place::center_column, "1"> absorption;
    Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave;
    Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave;
    Reads<Real, "sea_turbulent_flux", place::center_column, "W m-2"> turbulent;
    Reads<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall;
    Reads<Real, "ice_base_flux", place::center_column, "W m-2"> through_ice;

    /// The share of water in the column.
    constexpr Real water() const { return 1 - smaller(larger(land_fraction[0], 0), 1); }
    /// F, over water of that temperature.
    constexpr Real heat(Real T) const {
        const Real open = open_sea[0], square = T * T;
        return (1 - (1 - open) * absorption[0]) * shortwave[0] +
               open * (longwave[0] - constants::stefan_boltzmann * (square * square) -
                       turbulent[0] - constants::fusion_heat * snowfall[0]) +
               (1 - open) * through_ice[0];
    }
};

template <class Real, bool tiles> struct IceOnWater {
    std::conditional_t<tiles, Reads<Real, "ice_temperature", place::center_column, "K">,
                       Reads<Real, "ground_temperature", place::center_column, "K">>
        temperature;
    std::conditional_t<tiles, Reads<Real, "snow_on_ice", place::center_column, "kg m-2">,
                       Reads<Real, "snow_amount", place::center_column, "kg m-2">>
        snow;

    /// The heat of the ground tile per area of new ice, over water that freezes at T_f [J m-2].
    constexpr Real heat(double freezing) const {
        return ground::ice_capacity * (temperature[0] - freezing) -
               constants::fusion_heat * snow[0];
    }
};

}  // namespace fathom::physics
