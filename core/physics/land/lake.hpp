/// Lakes: the open water of a column that has `lake_depth` d, well mixed, with ice on it.
///
///   h = rho c d (T - T_f) - L_f M,   T_f = 0 degC;   h > 0: no ice M; h < 0: T = T_f until all is
///       ice, M = rho d, which then cools, with the c of ice
///   w dh/dt = F    (above_water.hpp)
///   cover a = min(1, M / 92 kg m-2)
///
/// w = 1 - land is the share of water. The depth is constant: rain and evaporation do not change
/// it.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/land/above_water.hpp"

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
    constexpr void operator()(
        AboveWater<Real> above_water, IceOnWater<Real, tiles> on_water,
        Reads<Real, "lake_depth", place::center_column, "m"> depth,
        Updates<Real, "sea_surface_temperature", place::center_column, "K"> temperature,
        Updates<Real, "sea_ice_fraction", place::center_column, "1"> cover,
        Updates<Real, "lake_ice_amount", place::center_column, "kg m-2"> lake_ice) const {
        using namespace constants;
        constexpr double water_heat = fresh_water_density * 4190,
                         ice_heat = fresh_water_density * 2100;  // rho c [J m-3 K-1]
        const Real T = temperature[0], a = cover[0], ice = lake_ice[0], d = depth[0];
        const Real water = above_water.water(), deep = larger(d, 0.5), above = T - ground::melting;
        const Real flux = above_water.heat(T);
        const Real before = deep * (select(above > 0, water_heat, Real(ice_heat)) * above),
                   gained = before - fusion_heat * ice + step * flux / larger(water, 1e-6);
        const Real covered = smaller(larger(gained * (-1 / (fusion_heat * full_cover)), 0), 1);
        const Real h = gained - (covered - a) * on_water.heat(ground::melting);
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
