/// Conductances between each tile and the lowest layer of the air; replaces BulkExchange and uses
/// its formulas (exchange.hpp, louis.hpp) for each tile.
///
///   beta of plants = f + (1 - f) w / (1 + r C_H U),   f = min(1, water on leaves / their capacity)
///       r = r_s (1 + 100 W m-2 / R),   w the water for roots (TileResponse)
///   beta of bare ground: by the availability of its first layer (soil.hpp); of snow and ice 1
///   f and beta of snow are limited where a step would take more than there is
///   roughness: plants roughness_length, bare ground and snow their own, snow under trees that of
///       the trees
#pragma once
#include "physics/land/lowest_air.hpp"
#include "physics/land/ocean_below.hpp"
#include "physics/land/tile_response.hpp"

namespace fathom::physics {

template <class Real> struct TileConductances {
    Reads<Real, "plant_conductance", place::center_column, "kg m-2 s-1"> plants;
    Reads<Real, "bare_ground_conductance", place::center_column, "kg m-2 s-1"> bare;
    Reads<Real, "snow_conductance", place::center_column, "kg m-2 s-1"> snow;
    Reads<Real, "ice_conductance", place::center_column, "kg m-2 s-1"> ice;
    Reads<Real, "plant_wetness", place::center_column, "1"> plants_wet;
    Reads<Real, "bare_ground_wetness", place::center_column, "1"> bare_wet;
    Reads<Real, "snow_wetness", place::center_column, "1"> snow_wet;
};
template <class Real> struct TileConductancesOut {
    Writes<Real, "plant_conductance", place::center_column, "kg m-2 s-1"> plants;
    Writes<Real, "bare_ground_conductance", place::center_column, "kg m-2 s-1"> bare;
    Writes<Real, "snow_conductance", place::center_column, "kg m-2 s-1"> snow;
    Writes<Real, "ice_conductance", place::center_column, "kg m-2 s-1"> ice;
    Writes<Real, "plant_wetness", place::center_column, "1"> plants_wet;
    Writes<Real, "bare_ground_wetness", place::center_column, "1"> bare_wet;
    Writes<Real, "snow_wetness", place::center_column, "1"> snow_wet;
    Writes<Real, "wet_leaf_share", place::center_column, "1"> wet_leaves;
};

/// Sea: what is below the air beside land, prescribed or an ocean (ocean_below.hpp).
template <template <class> class Sea> struct TileExchangeOver {
    double step = 1200, gust = 2, ice_roughness = 1e-3, most_roughness = 5, canopy_resistance = 70,
           layer = 100, bare_roughness = 0.01, snow_roughness = 2e-3;

    static constexpr std::string_view summary =
        "Conductances for momentum, heat and vapour between each tile of the surface and the air";
    static constexpr std::tuple parameters{
        Parameter{"step", &TileExchangeOver::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"gust", &TileExchangeOver::gust, "m s-1", 0.1, 10,
                  "speed of gusts, added to the wind in squares"},
        Parameter{"ice_roughness", &TileExchangeOver::ice_roughness, "m", 1e-5, 1,
                  "roughness length of ice"},
        Parameter{"most_roughness", &TileExchangeOver::most_roughness, "m", 1e-3, 100,
                  "bound on the roughness length of land"},
        Parameter{"canopy_resistance", &TileExchangeOver::canopy_resistance, "s m-1", 0, 1e4,
                  "resistance of plants to evaporation in full light, r_s"},
        Parameter{"layer", &TileExchangeOver::layer, "m", 10, 1e4,
                  "greatest depth of the surface layer"},
        Parameter{"bare_roughness", &TileExchangeOver::bare_roughness, "m", 1e-5, 1,
                  "roughness length of bare ground, where the land's is not smaller"},
        Parameter{"snow_roughness", &TileExchangeOver::snow_roughness, "m", 1e-5, 1,
                  "roughness length of snow, where the land's is not smaller"}};

    // long: the properties of the tiles, one after another
    template <class Real>
    constexpr void operator()(
        LowestAir<Real> lowest, TileShares<Real> shares, TileWarmth<Real> warmth,
        Sea<Real> sea_below, Reads<Real, "soil_moisture", place::center_column, "kg m-2"> moisture,
        Reads<Real, "bare_ground_moisture", place::center_column, "1"> bare_moisture,
        Reads<Real, "canopy_water", place::center_column, "kg m-2"> canopy,
        Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> vegetation,
        Reads<Real, "snow_free_albedo", place::center_column, "1"> land_albedo,
        Reads<Real, "roughness_length", place::center_column, "m"> roughness,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> sunlight,
        TileConductancesOut<Real> out,
        Writes<Real, "ground_conductance", place::center_column, "kg m-2 s-1"> ground_conductance,
        Writes<Real, "ground_wetness", place::center_column, "1"> wetness,
        Writes<Real, "momentum_conductance", place::center_column, "kg m-2 s-1">
            momentum_conductance,
        Writes<Real, "sea_roughness", place::center_column, "m"> sea_roughness,
        Writes<Real, "ground_roughness", place::center_column, "m"> ground_roughness,
        Writes<Real, "friction_velocity", place::center_column, "m s-1"> friction_velocity,
        Writes<Real, "buoyancy_flux", place::center_column, "m2 s-3"> buoyancy_flux) const {
        const SurfaceLayer<Real> air(lowest, gust, layer);
        const auto share = each<Real>(shares), T = temperatures<Real>(warmth);
        const Real flow = air.density * air.speed, q = air.q, sea = shares.open_sea[0],
                   root = air.sea_drag_root();
        const SeaTransfer<Real> at_sea =
            sea_below(air, root, flow, air.bounded_roughness(Real(ice_roughness), most_roughness));

        const Real S = snow[0], a = land_albedo[0], z = roughness[0], cover = ground::snow_cover(S);
        const Real holds = tile::leaves_hold * larger((1 - cover) * vegetation[0], 1e-3);
        const Real on_snow = select(a < 0.17, z, smaller(z, snow_roughness));
        const tile::Each<Real> rough{z, smaller(z, bare_roughness), on_snow, Real(ice_roughness)};
        const Real drawn = ground::soil_wetness(moisture[0]), light = larger(sunlight[0], 1);
        // before stomata close: input of the Richardson number
        const Real filled = smaller(canopy[0] / holds, 1);
        tile::Each<Real> beta{fma(filled, 1 - drawn, drawn), larger(bare_moisture[0], 1e-6),
                              Real(1), Real(1)};
        tile::Each<Real> K;
        Real drag = sea * at_sea.momentum, buoyancy = sea * at_sea.buoyancy, all_K = 0, wet_K = 0,
             log_rough = 0, ground = 0, wet_leaves = 0;
        for (int i = 0; i < tile::number; ++i) {
            const Real saturated = Saturation<Real>(T[i], air.surface_pressure).humidity,
                       z_0 = air.bounded_roughness(rough[i], most_roughness);
            const Louis<Real> at =
                air.over_ground(z_0, air.above(T[i], fma(beta[i], saturated - q, q)));
            K[i] = flow * at.heat;
            // the most that a step could take of the present water
            const Real could = larger(step * K[i] * (saturated - q), 1e-12);
            if (i == tile::plants) {
                const Real stomata =
                    drawn * light /
                    fma(canopy_resistance * air.speed * at.heat, light + 100, light);
                const Real f = smaller(
                    filled, canopy[0] / (could * larger((1 - cover) * vegetation[0], 1e-3)));
                beta[i] = fma(f, 1 - stomata, stomata);
                wet_leaves = f / beta[i];
            }
            if (i == tile::snow) beta[i] = smaller(1, (S + ground::snow_half_cover) / could);
            drag = fma(share[i], at.momentum, drag);
            buoyancy =
                fma(share[i] * K[i], air.above(T[i], fma(beta[i], saturated - q, q)), buoyancy);
            const Real weight = larger(share[i], 1e-9);
            ground += weight;
            all_K = fma(weight, K[i], all_K);
            wet_K = fma(weight * beta[i], K[i], wet_K);
            log_rough = fma(weight, log(z_0), log_rough);
        }
        out.plants[0] = K[tile::plants];
        out.bare[0] = K[tile::bare];
        out.snow[0] = K[tile::snow];
        out.ice[0] = K[tile::ice];
        out.plants_wet[0] = beta[tile::plants];
        out.bare_wet[0] = beta[tile::bare];
        out.snow_wet[0] = beta[tile::snow];
        out.wet_leaves[0] = wet_leaves;
        ground_conductance[0] = all_K / ground;
        wetness[0] = wet_K / all_K;
        momentum_conductance[0] = flow * drag;
        sea_roughness[0] = 10 * exp(-air.karman / root);
        ground_roughness[0] = exp(log_rough / ground);
        friction_velocity[0] = air.speed * sqrt(drag);
        buoyancy_flux[0] = -(constants::gravity * air.per_energy) * buoyancy / air.density;
    }
};

using TileExchange = TileExchangeOver<PrescribedSeaExchange>;

}  // namespace fathom::physics
