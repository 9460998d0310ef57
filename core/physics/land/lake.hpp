/// Lakes: the open water of a column that has `lake_depth` d, well mixed, with ice on it.
///
///   h = rho c d (T - T_f) - L_f M,   T_f = 0 degC;   h > 0: no ice M; h < 0: T = T_f until all is
///       ice, M = rho d, which then cools, with the c of ice
///   w dh/dt = (1 - (1 - o) a_ground) R_short + o (R_long - sigma T^4 - H - L E - L_f snow)
///       + (1 - o) G
///   cover a = min(1, M / 92 kg m-2)
///
/// w = 1 - land, o = w (1 - a): shares of water and of open water. G is the flux through ice, plus
/// the heat that would warm the ice beyond melting (soil_layers.hpp, tiled_land.hpp). Where the
/// cover changes, ice that forms or melts has the heat of the ground tile, C (T_ground - T_f) - L_f
/// S, which the lake gives or takes: heat closes. The depth is constant: rain and evaporation do
/// not change it.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/land/ground.hpp"

namespace fathom::physics {

template <bool tiles> struct LakeUnder {
    double step = 1200, full_cover = 92;

    static constexpr std::string_view summary =
        tiles ? "Temperature and ice of lakes, well mixed, at the end of the step, ice a tile"
              : "Temperature and ice of lakes, well mixed, at the end of the step";
    static constexpr std::tuple parameters{
        Parameter{"step", &LakeUnder::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"full_cover", &LakeUnder::full_cover, "kg m-2", 1, 1e3,
                  "ice at which a lake is covered completely"}};

    template <class Real>
    using IceTemperature =
        std::conditional_t<tiles, Reads<Real, "ice_temperature", place::center_column, "K">,
                           Reads<Real, "ground_temperature", place::center_column, "K">>;
    template <class Real>
    using IceSnow =
        std::conditional_t<tiles, Reads<Real, "snow_on_ice", place::center_column, "kg m-2">,
                           Reads<Real, "snow_amount", place::center_column, "kg m-2">>;

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        Reads<Real, "lake_depth", place::center_column, "m"> depth,
        Reads<Real, "open_sea", place::center_column, "1"> open_sea,
        Reads<Real, "ground_absorption", place::center_column, "1"> absorption,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave,
        Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave,
        Reads<Real, "sea_turbulent_flux", place::center_column, "W m-2"> turbulent,
        Reads<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall,
        Reads<Real, "ice_base_flux", place::center_column, "W m-2"> through_ice,
        IceTemperature<Real> ice_temperature, IceSnow<Real> snow,
        Updates<Real, "sea_surface_temperature", place::center_column, "K"> temperature,
        Updates<Real, "sea_ice_fraction", place::center_column, "1"> cover,
        Updates<Real, "lake_ice_amount", place::center_column, "kg m-2"> lake_ice) const {
        using namespace constants;
        constexpr double water_heat = fresh_water_density * 4190,
                         ice_heat = fresh_water_density * 2100;  // rho c [J m-3 K-1]
        const Real T = temperature[0], a = cover[0], ice = lake_ice[0], d = depth[0];
        const Real open = open_sea[0], water = 1 - smaller(larger(land_fraction[0], 0), 1);
        const Real square = T * T, deep = larger(d, 0.5), above = T - ground::melting;
        const Real flux = (1 - (1 - open) * absorption[0]) * shortwave[0] +
                          open * (longwave[0] - stefan_boltzmann * (square * square) -
                                  turbulent[0] - fusion_heat * snowfall[0]) +
                          (1 - open) * through_ice[0];
        const Real before = deep * (select(above > 0, water_heat, Real(ice_heat)) * above),
                   gained = before - fusion_heat * ice + step * flux / larger(water, 1e-6);
        const Real covered = smaller(larger(gained * (-1 / (fusion_heat * full_cover)), 0), 1);
        const Real of_cover =
            ground::ice_capacity * (ice_temperature[0] - ground::melting) - fusion_heat * snow[0];
        const Real h = gained - (covered - a) * of_cover;
        const auto is_lake = select(water > 1e-6, d, 0) > 0;
        const Real most = fresh_water_density * deep,
                   solid = smaller(fma(fusion_heat, most, h), 0) * (1 / ice_heat),
                   liquid = larger(h, 0) * (1 / water_heat);
        temperature[0] = select(is_lake, ground::melting + (liquid + solid) / deep, T);
        lake_ice[0] = select(is_lake, smaller(larger(h * (-1 / fusion_heat), 0), most), ice);
        cover[0] = select(is_lake, covered, a);
    }
};

}  // namespace fathom::physics
