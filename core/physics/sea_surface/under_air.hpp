/// Sea and ice under an atmosphere that runs at the same time (docs/coupled.md). It gives, by
/// fathom/coupled/between.py, as means over a step of the sea:
///
///   heat_into_open_water        without sunlight, for a unit of open water,   sunlight likewise
///   heat_into_ice_at_melting    F_0 - F' T_0, without sunlight, for a unit of ice whose surface
///       was at T_0 [degC], and ice_heat_flux_slope F'
///   water_from_air              rain - evaporation, and snowfall_flux, for the whole cell
///   heat_from_air               all heat that the air has lost, with that of snow (-L_f), for the
///       whole cell, from the cover of ice then
///
/// Ice becomes warmer or colder while the air is held, and its cover changes: what sea and ice take
/// is not quite what the air gave. The rest goes back to its lowest layer (HeatReturned), so that
/// nothing is lost:   heat_not_taken = heat_from_air - air_heat_flux
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

template <class Real> struct FluxesOfAir {
    Reads<Real, "heat_into_open_water", place::center_column, "W m-2"> heat;
    Reads<Real, "sunlight_into_open_water", place::center_column, "W m-2"> sun;
    Reads<Real, "water_from_air", place::center_column, "kg m-2 s-1"> water;
    Reads<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall;
};
template <class Real> struct FluxesIntoSea {
    Writes<Real, "surface_heat_flux", place::center_column, "W m-2"> heat;
    Writes<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun;
    Writes<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water;
};

/// The open water of a sea with ice; its snow: HeatNotTaken.
struct WaterUnderAir {
    static constexpr std::string_view summary =
        "Fluxes of an atmosphere that runs at the same time into open water between ice";
    template <class Real>
    constexpr void operator()(FluxesOfAir<Real> air, FluxesIntoSea<Real> sea) const {
        sea.heat[0] = air.heat[0] + air.sun[0];
        sea.sun[0] = Real(air.sun[0]);
        sea.water[0] = air.water[0] + air.snowfall[0];
    }
};

/// A sea without ice, which melts the snow.
struct SeaUnderAir {
    static constexpr std::string_view summary =
        "Fluxes of an atmosphere that runs at the same time into a sea without ice";
    template <class Real>
    constexpr void operator()(
        FluxesOfAir<Real> air, Reads<Real, "heat_from_air", place::center_column, "W m-2"> given,
        FluxesIntoSea<Real> sea,
        Writes<Real, "heat_not_taken", place::center_column, "W m-2"> not_taken) const {
        const Real taken = air.heat[0] + air.sun[0] - constants::fusion_heat * air.snowfall[0];
        sea.heat[0] = taken;
        sea.sun[0] = Real(air.sun[0]);
        sea.water[0] = air.water[0] + air.snowfall[0];
        not_taken[0] = given[0] - taken;
    }
};

/// Ice, at its present temperature; rain and evaporation pass it through cracks.
struct IceUnderAir {
    static constexpr std::string_view summary =
        "Fluxes of an atmosphere that runs at the same time over ice";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "heat_into_ice_at_melting", place::center_column, "W m-2"> at_melting,
        Reads<Real, "ice_heat_flux_slope", place::center_column, "W m-2 K-1"> slope,
        Reads<Real, "ice_surface_temperature", place::center_column, "degC"> temperature,
        Reads<Real, "water_from_air", place::center_column, "kg m-2 s-1"> water,
        Writes<Real, "ice_heat_flux", place::center_column, "W m-2"> heat,
        Writes<Real, "ice_sky_reflection", place::center_column, "1"> sky,
        Writes<Real, "ice_freshwater_flux", place::center_column, "kg m-2 s-1"> rain) const {
        heat[0] = fma(slope[0], temperature[0], at_melting[0]);
        sky[0] = Real(0);
        rain[0] = Real(water[0]);
    }
};

struct IceCoverOfStep {
    static constexpr std::string_view summary = "Share of the sea that ice covers in this step";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_ice_area", place::center_column, "1"> area,
        Writes<Real, "covered_share", place::center_column, "1"> covered) const {
        covered[0] = smaller(larger(area[0], 0), 1);
    }
};

/// Snow that ice does not keep melts in the sea.
struct HeatNotTaken {
    double drifting_snow = 0.5;
    static constexpr std::string_view summary =
        "Heat of snow in the sea; what sea and ice have not taken of the heat of the air";
    static constexpr std::tuple parameters{
        Parameter{"drifting_snow", &HeatNotTaken::drifting_snow, "1", 0, 1,
                  "share of the snow on ice that wind blows into leads"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "covered_share", place::center_column, "1"> covered,
        Reads<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall,
        Reads<Real, "heat_from_air", place::center_column, "W m-2"> given,
        Updates<Real, "air_heat_flux", place::center_column, "W m-2"> air_heat,
        Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat,
        Writes<Real, "heat_not_taken", place::center_column, "W m-2"> not_taken) const {
        const Real melts = constants::fusion_heat * snowfall[0] *
                           fma(drifting_snow - 1, covered[0], Real(1)),
                   taken = air_heat[0] - melts;
        air_heat[0] = taken;
        heat[0] -= melts;
        not_taken[0] = given[0] - taken;
    }
};

/// Ice that flows from land melts in the sea.
struct HeatOfIcebergs {
    static constexpr std::string_view summary = "Heat that icebergs take from the sea";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "iceberg_heat_flux", place::center_column, "W m-2"> icebergs,
        Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat) const {
        heat[0] += icebergs[0];
    }
};

/// Water that enters as volume has the temperature of the surface (core/ocean/freshwater.hpp), and
/// in the air it has none: this heat is counted from 0 degC.
struct HeatOfWater {
    static constexpr std::string_view summary =
        "Heat that fresh water brings into the sea where it enters as volume";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Writes<Real, "heat_of_water", place::center_column, "W m-2"> heat) const {
        constexpr double capacity = constants::sea_water_density *
                                    constants::sea_water_heat_capacity /
                                    constants::fresh_water_density;
        heat[0] = capacity * water[0] * temperature[0];
    }
};

}  // namespace fathom::physics
