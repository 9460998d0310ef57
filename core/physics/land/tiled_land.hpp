/// The stores of the tiles and of the soil below at the end of the step, from the fluxes to the
/// air; replaces SoilLayers, with its soil.
///
///   skin   T' from its equation (tile_response.hpp)
///   leaves dW/dt = rain on plants - evaporation of wet leaves, at most 0.5 kg m-2 of plants
///   snow   M and q of its layers by the fluxes through their ends (snow_pack.hpp); rain on snow is
///       water in it; albedo: 0.85 where 10 kg m-2 have fallen, 0.008 a day less while it is cold,
///       0.24 a day towards 0.5 where it melts (Douville et al. 1995)
///   ice    snow on it melts first; heat beyond melting of the ice is ice_melt_flux
///   soil   heat from each tile on land, water from leaves, snow and rain; roots draw for plants,
///       the first layer gives to bare ground
///
/// Ground that snow covers or uncovers has the heat of its skin, which the first layer of soil
/// gives or takes. Closed: sum over tiles of heat, q - L_f M of snow and h of soil gain the fluxes
/// at the surface and the bottom, and lose calving_heat_flux; W of soil, leaves and snow gain rain
/// and snow and lose evaporation, runoff and calving_flux (ground.hpp).
#pragma once
#include "physics/land/soil_water.hpp"
#include "physics/land/tile_response.hpp"

namespace fathom::physics {

/// Fluxes that reach the surface of a column.
template <class Real> struct SurfaceArrivals {
    Reads<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> convective;
    Reads<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> stratiform;
    Reads<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall;
    Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave;
    Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave;
    Reads<Real, "snow_absorption", place::center_column, "1"> snow_absorption;
};
template <class Real> struct TileUpdate {
    Updates<Real, "ground_temperature", place::center_column, "K"> mean;
    Updates<Real, "plant_departure", place::center_column, "K"> plants;
    Updates<Real, "bare_ground_departure", place::center_column, "K"> bare;
    Updates<Real, "ice_departure", place::center_column, "K"> ice;
    Updates<Real, "canopy_water", place::center_column, "kg m-2"> canopy;
    Updates<Real, "snow_on_ice", place::center_column, "kg m-2"> on_ice;
    SnowUpdate<Real> snow;
    SoilUpdate<Real> soil;
};
template <class Real> struct TileTemperatures {
    Writes<Real, "plant_temperature", place::center_column, "K"> plants;
    Writes<Real, "bare_ground_temperature", place::center_column, "K"> bare;
    Writes<Real, "snow_temperature", place::center_column, "K"> snow;
    Writes<Real, "ice_temperature", place::center_column, "K"> ice;
};
template <class Real> struct LandOutflow {
    Writes<Real, "surface_runoff", place::center_column, "kg m-2 s-1"> surface_runoff;
    Writes<Real, "runoff", place::center_column, "kg m-2 s-1"> runoff;
    Calving<Real> calving;
    Writes<Real, "ice_melt_flux", place::center_column, "W m-2"> ice_melt;
    Writes<Real, "ice_base_flux", place::center_column, "W m-2"> into_water;
};

struct TiledLand {
    double step = 1200, heat_from_below = 0, most_snow = ground::no_limit;

    static constexpr std::string_view summary =
        "Temperatures of plants, bare ground, snow layers and ice, and soil below, at the end of "
        "the step";
    static constexpr std::tuple parameters{
        Parameter{"step", &TiledLand::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"heat_from_below", &TiledLand::heat_from_below, "W m-2", 0, 1,
                  "heat that rises into the lowest layer of soil"},
        Parameter{"most_snow", &TiledLand::most_snow, "kg m-2", 1, ground::no_limit,
                  ground::of_most_snow}};

    // long: the stores of a column one by one, each from the results of the one before
    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        TileShares<Real> shares, TileForcing<Real> forcing, TileFluxes<Real> fluxes,
        SurfaceArrivals<Real> from_above,
        Reads<Real, "wet_leaf_share", place::center_column, "1"> wet_leaves,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> vegetation,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        TileUpdate<Real> state, TileTemperatures<Real> warm, LandOutflow<Real> out) const {
        constexpr double fusion = constants::fusion_heat;
        const auto& s = state.snow;
        const Real mean = state.mean[0], S = s.amount[0], v = vegetation[0];
        const Real cover = ground::snow_cover(S);
        const LandShares<Real> of(cover, v);
        const snow::Profile<Real> liquid{Real(s.liquid_1[0]), Real(s.liquid_2[0]),
                                         Real(s.liquid_3[0])};
        const snow::Profile<Real> snow_T{snow_temperature<Real>(mean, s.departure_1[0], liquid[0]),
                                         snow_temperature<Real>(mean, s.departure_2[0], liquid[1]),
                                         snow_temperature<Real>(mean, s.departure_3[0], liquid[2])};
        const SoilHeat<Real> soil(temperatures<Real>(state.soil), waters<Real>(state.soil), step,
                                  heat_from_below);
        const SnowHeat<Real> pack(snow_T, liquid, S, Real(s.density[0]), soil.T[0],
                                  soil.first_resistance, step);
        const Real dT_soil = fluxes.soil_warming[0], soil_T = soil.T[0] + dT_soil;

        // skins
        const Real plants = mean + state.plants[0] + forcing.plants[0] +
                            (forcing.plants_coupling[0] * dT_soil - fluxes.plants[0]) /
                                forcing.plants_inertia[0],
                   bare = mean + state.bare[0] + forcing.bare[0] +
                          (forcing.bare_coupling[0] * dT_soil - fluxes.bare[0]) /
                              forcing.bare_inertia[0];
        Real into_soil = of.plants * (forcing.plants_coupling[0] * (plants - soil_T)) +
                         of.bare * (forcing.bare_coupling[0] * (bare - soil_T));

        // snow: heat through the ends of its layers, what falls and what evaporates
        const Real E = fluxes.snow_water[0], fallen = from_above.snowfall[0] * step,
                   rain = (from_above.convective[0] + from_above.stratiform[0]) * step - fallen;
        const Real rise = smaller(
            forcing.snow[0] + (forcing.snow_coupling[0] * dT_soil - fluxes.snow[0] - fusion * E) /
                                  forcing.snow_inertia[0],
            larger(tile::melting - snow_T[0], 0));
        const auto through = pack.fluxes(rise, soil.T[0], dT_soil);
        const Real gain = from_above.snow_absorption[0] * from_above.shortwave[0] +
                          from_above.longwave[0] - tile::emitted(snow_T[0]) - fluxes.snow[0];
        SnowPack<Real> layers(snow_T, liquid, S);
        const double fresh = 0.85, old = 0.5;
        const Real on_snow = rain * cover, supply = S + fallen;
        layers.M[0] += fallen;
        const Real sublimated = layers.take(smaller(E * step * cover, supply)),
                   missing = E * step * cover - sublimated;
        layers.M[0] += on_snow;
        layers.q[0] += step * cover * (gain - through[0]) + fusion * (on_snow - sublimated);
        layers.q[1] += step * cover * (through[0] - through[1]);
        layers.q[2] += step * cover * (through[1] - through[2]);
        into_soil += of.snow * through[2];
        layers.settle();
        const auto on_land = land_fraction[0] > 0;
        const auto [calved, calved_heat] = layers.calve(select(on_land, Real(most_snow), 1e30));
        out.calving.put(calved, calved_heat - fusion * calved, step);
        const Real amount = layers.divide();
        const auto melts = layers.q[0] > 0;
        s.amount[0] = amount;
        const Real mixed = (s.density[0] * S + soil::fresh_snow * fallen) / larger(supply, 1e-6);
        const double settled = soil::settling * step / (1 + soil::settling * step);
        const Real loose = larger(soil::settled_snow - mixed, 0);
        s.density[0] = select(supply > 1e-6, mixed + loose * settled, Real(soil::fresh_snow));
        const double day = step / 86400, keeps = 1 / (1 + 0.24 * day);
        const Real aged = select(melts, old + (s.albedo[0] - old) * keeps,
                                 larger(s.albedo[0] - 0.008 * day, old));
        const Real renewed = smaller(larger(fresh - aged, 0), Real(fresh - old)) *
                             smaller(fallen * (1 / ground::snow_half_cover), 1);
        s.albedo[0] = select(supply > 1e-6, aged + renewed, Real(fresh));

        // water on leaves, and what reaches the soil
        const Real from_plants = fluxes.plants_water[0] * step * of.plants;
        const Real wanted = from_plants * select(from_plants < 0, Real(1), wet_leaves[0]);
        const Real held = state.canopy[0], on_leaves = held + rain * of.plants;
        const Real from_leaves = smaller(wanted, on_leaves), left = on_leaves - from_leaves;
        const Real kept = smaller(left, tile::leaves_hold * of.plants);
        state.canopy[0] = kept;
        const Real arrives = rain * of.bare + (left - kept) + layers.leaves;
        const SoilWater<Real> water(
            soil.T, soil.water, arrives,
            {from_plants - from_leaves, fluxes.bare_water[0] * step * of.bare + missing}, step);
        out.surface_runoff[0] = select(on_land, water.surface_runoff * (1 / step), 0);
        out.runoff[0] = select(on_land, (water.surface_runoff + water.drainage) * (1 / step), 0);

        // heat of the soil, with that of the skins that snow has covered or uncovered
        const Real bared = cover - ground::snow_cover(amount);
        const Real of_skins =
            tile::skin_capacity * (v * (plants - tile::melting) + (1 - v) * (bare - tile::melting));
        auto h = soil.after_first(dT_soil, into_soil, step, heat_from_below);
        h[0] += layers.heat_left - bared * of_skins;
        put(state.soil, h, water.W);

        // ice
        const Real ice_T = ice(forcing, fluxes, state, fallen, mean, shares.ice[0],
                               shares.open_sea[0], sea_temperature[0], thickness[0], out);
        keep(shares, LandShares<Real>(ground::snow_cover(amount), v), state, layers, plants, bare,
             ice_T, warm);
    }

private:
    template <class Real>
    constexpr Real ice(const TileForcing<Real>& forcing, const TileFluxes<Real>& fluxes,
                       const TileUpdate<Real>& state, Real fallen, Real mean, Real share, Real open,
                       Real sea_T, Real thickness, const LandOutflow<Real>& out) const {
        const Real S = state.on_ice[0], I = tile::ice_inertia(thickness, S, step),
                   per_heat = constants::fusion_heat / (I * step);
        const Real from_snow =
                       smaller(fluxes.ice_water[0] * step * ground::snow_cover(S), S + fallen),
                   left = S + fallen - from_snow;
        const Real T =
            mean + state.ice[0] + forcing.ice[0] - fluxes.ice[0] / I - per_heat * from_snow;
        const Real melt = larger(smaller(left, (T - tile::melting) / per_heat), 0),
                   after = T - per_heat * melt, over = larger(after - tile::melting, 0);
        const Real of_ground = share / larger(1 - open, 1e-6);
        state.on_ice[0] = left - melt;
        out.ice_melt[0] = of_ground * over * I;
        out.into_water[0] = of_ground * (over * I + tile::ice_conducts(thickness, S) *
                                                        (after - over - tile::below_ice(sea_T)));
        return after - over;
    }
    /// Temperatures, as departures from their mean over the ground.
    template <class Real>
    static constexpr void keep(const TileShares<Real>& shares, const LandShares<Real>& now,
                               const TileUpdate<Real>& state, const SnowPack<Real>& layers,
                               Real plants, Real bare, Real ice_T,
                               const TileTemperatures<Real>& warm) {
        const Real ice = shares.ice[0], land = larger(1 - shares.open_sea[0] - ice, 1e-6);
        const Real snow_T = layers.temperature(0);
        const Real mean =
            (land * (now.plants * plants + now.bare * bare + now.snow * snow_T) + ice * ice_T) /
            (land + ice);
        warm.plants[0] = plants;
        warm.bare[0] = bare;
        warm.snow[0] = snow_T;
        warm.ice[0] = ice_T;
        state.mean[0] = mean;
        state.plants[0] = plants - mean;
        state.bare[0] = bare - mean;
        state.ice[0] = ice_T - mean;
        state.snow.departure_1[0] = snow_T - mean;
        state.snow.departure_2[0] = layers.temperature(1) - mean;
        state.snow.departure_3[0] = layers.temperature(2) - mean;
        state.snow.liquid_1[0] = layers.liquid(0);
        state.snow.liquid_2[0] = layers.liquid(1);
        state.snow.liquid_3[0] = layers.liquid(2);
    }
};

}  // namespace fathom::physics
