/// Land with four layers of soil (soil.hpp) under a surface store, which is snow where snow lies;
/// instead of GroundResponse and LandSurface (ground.hpp), with the same fields to air and sea.
///
///   SoilResponse   (C / dt) (T* - T) = R_short (1 - a_ground) / (1 - a) + R_long - sigma T^4
///       - land Lambda_1 (T* - T'_1) - ice Lambda_ice (T* - T_sea)
///   VerticalDiffusion finds T', implicitly with air above and soil below:
///       I (T' - T*) = -(H + L E),   I = C / dt + land Lambda_1 (1 - b_1) + ice Lambda_ice
///   SoilLayers     T = T' - L_f (E_snow + melt) / (I dt), then soil_heat.hpp, soil_water.hpp
///   soil_moisture = 150 kg m-2 times the availability of the layers (soil.hpp); from it
///       BulkExchange has its wetness
///   snow: 100 kg m-3 when it falls, towards 300 at 0.24 a day (Douville et al. 1995)
///
/// ice_base_flux: the flux through sea ice into the water; ice_melt_flux is part of it. C T + land
/// sum h_k - L_f S changes by the fluxes at surface and bottom and by calving alone; sum W + S by
/// rain, snow, evaporation, runoff and calving (ground.hpp). C is that of the upper 20 kg m-2 of
/// snow; deeper snow insulates.
#pragma once
#include "base/constants.hpp"
#include "physics/land/soil_heat.hpp"
#include "physics/land/soil_water.hpp"

namespace fathom::physics {

namespace soil {
inline constexpr double surface_capacity = 4e4;                // C [J m-2 K-1]
inline constexpr double fresh_snow = 100, settled_snow = 300;  // [kg m-3]
inline constexpr double settling = 0.24 / 86400;               // [s-1]
template <class Real> constexpr Real store(Real ice) {
    return surface_capacity + ice * (ground::ice_capacity - surface_capacity);
}
/// The temperature under ice: freezing sea water; colder where a lake is ice to its bottom.
template <class Real> constexpr Real below_ice(Real water_T) {
    return smaller(water_T, ground::sea_freezing);
}
}  // namespace soil

struct SoilResponse {
    double step = 1200, heat_from_below = 0;

    static constexpr std::string_view summary =
        "Temperature of the surface above soil without turbulent fluxes, its "
        "inertia, and the water that roots can draw on";
    static constexpr std::tuple parameters{
        Parameter{"step", &SoilResponse::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"heat_from_below", &SoilResponse::heat_from_below, "W m-2", 0, 1,
                  "heat that rises into the lowest layer of soil"}};

    template <class Real>
    constexpr void operator()(
        SoilState<Real> state,
        Reads<Real, "ground_temperature", place::center_column, "K"> temperature,
        Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Reads<Real, "snow_density", place::center_column, "kg m-3"> snow_density,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> plants,
        Reads<Real, "ice_share", place::center_column, "1"> ice_share,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "ground_absorption", place::center_column, "1"> absorption,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave,
        Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave,
        Writes<Real, "soil_moisture", place::center_column, "kg m-2"> moisture,
        Writes<Real, "ground_forcing", place::center_column, "K"> forcing,
        Writes<Real, "ground_inertia", place::center_column, "W m-2 K-1"> inertia) const {
        const Real T = temperature[0], ice = ice_share[0], land = 1 - ice, square = T * T;
        const SoilHeat<Real> soil(temperatures<Real>(state), waters<Real>(state), T, snow[0],
                                  snow_density[0], step, heat_from_below);
        const Real into_soil = soil.conductance[0] * (T - soil.T[0] - soil.a[0]);
        const Real response = soil::store(ice) * (1 / step) +
                              land * (soil.conductance[0] * (1 - soil.b[0])) +
                              ice * ground::ice_conducts<Real>(thickness[0]);
        const Real gain = absorption[0] * shortwave[0] + longwave[0] -
                          constants::stefan_boltzmann * (square * square) - land * into_soil -
                          ice * (ground::ice_conducts<Real>(thickness[0]) *
                                 (T - soil::below_ice(sea_temperature[0])));
        Real given = 0;
        for (int k = 0; k < soil::layers; ++k)
            given += soil::given(k, soil::available(k, soil.T[k], soil.water[k]), plants[0]);
        moisture[0] = ground::bucket * given;
        forcing[0] = T + gain / response;
        inertia[0] = response;
    }
};

struct SoilLayers {
    double step = 1200, heat_from_below = 0, most_snow = ground::no_limit;

    static constexpr std::string_view summary =
        "Temperature and water of four layers of soil, snow and runoff at the end of the step";
    static constexpr std::tuple parameters{
        Parameter{"step", &SoilLayers::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"heat_from_below", &SoilLayers::heat_from_below, "W m-2", 0, 1,
                  "heat that rises into the lowest layer of soil"},
        Parameter{"most_snow", &SoilLayers::most_snow, "kg m-2", 1, ground::no_limit,
                  ground::of_most_snow}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> plants,
        Reads<Real, "ice_share", place::center_column, "1"> ice_share,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "soil_wetness", place::center_column, "1"> soil_wetness,
        Reads<Real, "ground_forcing", place::center_column, "K"> forcing,
        Reads<Real, "ground_inertia", place::center_column, "W m-2 K-1"> inertia,
        Reads<Real, "ground_turbulent_flux", place::center_column, "W m-2"> turbulent,
        Reads<Real, "ground_evaporation", place::center_column, "kg m-2 s-1"> evaporation,
        Reads<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> convective,
        Reads<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> stratiform,
        Reads<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall,
        SoilUpdate<Real> state,
        Updates<Real, "ground_temperature", place::center_column, "K"> temperature,
        Updates<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Updates<Real, "snow_density", place::center_column, "kg m-3"> snow_density,
        Writes<Real, "surface_runoff", place::center_column, "kg m-2 s-1"> surface_runoff,
        Writes<Real, "runoff", place::center_column, "kg m-2 s-1"> runoff, Calving<Real> calving,
        Writes<Real, "ice_melt_flux", place::center_column, "W m-2"> ice_melt,
        Writes<Real, "ice_base_flux", place::center_column, "W m-2"> into_water) const {
        const Real ice = ice_share[0], before = temperature[0], S = snow[0], E = evaporation[0],
                   I = inertia[0], fallen = snowfall[0] * step,
                   fusion = constants::fusion_heat / (I * step);
        const SoilHeat<Real> heat(temperatures<Real>(state), waters<Real>(state), before, S,
                                  snow_density[0], step, heat_from_below);
        // snow: evaporation and melting
        const Real cover = ground::snow_cover(S), wet = (1 - cover) * soil_wetness[0],
                   per_wetness = step / (cover + (1 - ice) * wet + ice * (1 - cover));
        const Real share = E * cover * per_wetness, from_snow = smaller(share, S + fallen),
                   left = S + fallen - from_snow;
        const Real T = forcing[0] - turbulent[0] / I - fusion * from_snow;
        const Real melt = larger(smaller(left, (T - ground::melting) / fusion), 0),
                   warm = T - fusion * melt;
        const Real over = select(ice > 0.5, larger(warm - ground::melting, 0), 0);
        // soil
        const auto h = heat.after(before, warm - over - before, step, heat_from_below);
        const Real rain = (convective[0] + stratiform[0] - snowfall[0]) * step + melt;
        const SoilWater<Real> water(heat.T, heat.water, plants[0], rain,
                                    E * wet * per_wetness + share - from_snow, step);
        temperature[0] = warm - over;
        const auto on_land = land_fraction[0] > 0;
        const Real calved = select(on_land, larger(left - melt - most_snow, 0), 0);
        snow[0] = left - melt - calved;
        calving.put(calved, -constants::fusion_heat * calved, step);
        const Real mixed =
            (snow_density[0] * S + soil::fresh_snow * fallen) / larger(S + fallen, 1e-6);
        const double settled = soil::settling * step / (1 + soil::settling * step);
        const Real loose = larger(soil::settled_snow - mixed, 0);
        snow_density[0] = select(
            S + fallen > 1e-6,
            smaller(larger(mixed + loose * settled, soil::fresh_snow), constants::ice_density),
            soil::fresh_snow);
        surface_runoff[0] = select(on_land, water.surface_runoff * (1 / step), 0);
        runoff[0] = select(on_land, (water.surface_runoff + water.drainage) * (1 / step), 0);
        ice_melt[0] = over * I;
        into_water[0] = fma(ice,
                            ground::ice_conducts<Real>(thickness[0]) *
                                (warm - over - soil::below_ice(sea_temperature[0])),
                            over * I);
        put(state, h, water.W);
    }
};

}  // namespace fathom::physics
