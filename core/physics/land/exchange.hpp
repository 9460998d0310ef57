/// Conductances between the surface and the lowest layer of the air, for the open sea and for the
/// ground (land and sea ice):
///
///   K = rho C_H U,   D = rho C_D U            [kg m-2 s-1],   U^2 = u^2 + v^2 + gust^2
///   Ri = g z (s_v,air - s_v,surface) / (c_p T_v U^2),   s_v = c_p T (1 + 0.608 q) + phi
///       C_D, C_H: louis.hpp, over the sea over_sea.hpp
///   wetness of soil   w = min(1, W / (0.75 W_max)) / (1 + r C_H U),   r = r_s (1 + 100 W m-2 / R),
///       R the net short wave
///   sea: z_0 from the neutral coefficients at 10 m of Large & Yeager (2009), as in BulkForcing;
///       ground: roughness_length, ice 1 mm, z_0h = z_0 / 10
///
/// Plants transpire through stomata, which open with light (Jarvis 1976, Phil. Trans. R. Soc. B
/// 273, 593-610; Stewart 1988): r_s is the resistance of a canopy in full light. Without it, a
/// bucket evaporates twice as much as land does (Milly 1992, J. Climate 5, 209-226). z is the
/// height of the lowest layer, or of the top of the surface layer below it: above that air is
/// mixed, and has no logarithmic profile. VerticalDiffusion computes the flux itself, with the
/// values of both sides. u*^2 = D U / rho and the flux of buoyancy B = g / (c_p T_v) (K / rho)
/// (s_v,surface - s_v,air), at the start of the step, drive the boundary layer above.
#pragma once
#include "field/process.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/lowest_air.hpp"

namespace fathom::physics {

struct BulkExchange {
    double gust = 2, ice_roughness = 1e-3, most_roughness = 5, canopy_resistance = 70, layer = 100;

    static constexpr std::string_view summary =
        "Conductances for momentum, heat and vapour between surface and air";
    static constexpr std::tuple parameters{
        Parameter{"gust", &BulkExchange::gust, "m s-1", 0.1, 10,
                  "speed of gusts, added to the wind in squares"},
        Parameter{"ice_roughness", &BulkExchange::ice_roughness, "m", 1e-5, 1,
                  "roughness length of sea ice"},
        Parameter{"most_roughness", &BulkExchange::most_roughness, "m", 1e-3, 100,
                  "bound on the roughness length of land"},
        Parameter{"canopy_resistance", &BulkExchange::canopy_resistance, "s m-1", 0, 1e4,
                  "resistance of plants to evaporation in full light, r_s"},
        Parameter{"layer", &BulkExchange::layer, "m", 10, 1e4,
                  "greatest depth of the surface layer"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        LowestAir<Real> lowest, Reads<Real, "open_sea", place::center_column, "1"> open_sea,
        Reads<Real, "ice_share", place::center_column, "1"> ice_share,
        Reads<Real, "soil_moisture", place::center_column, "kg m-2"> soil_water,
        Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> sunlight,
        Reads<Real, "roughness_length", place::center_column, "m"> roughness,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "ground_temperature", place::center_column, "K"> ground_temperature,
        Writes<Real, "sea_conductance", place::center_column, "kg m-2 s-1"> sea_conductance,
        Writes<Real, "ground_conductance", place::center_column, "kg m-2 s-1"> ground_conductance,
        Writes<Real, "soil_wetness", place::center_column, "1"> soil_wetness,
        Writes<Real, "ground_wetness", place::center_column, "1"> wetness,
        Writes<Real, "momentum_conductance", place::center_column, "kg m-2 s-1">
            momentum_conductance,
        Writes<Real, "sea_roughness", place::center_column, "m"> sea_roughness,
        Writes<Real, "ground_roughness", place::center_column, "m"> ground_roughness,
        Writes<Real, "friction_velocity", place::center_column, "m s-1"> friction_velocity,
        Writes<Real, "buoyancy_flux", place::center_column, "m2 s-3"> buoyancy_flux) const {
        using namespace constants;
        const SurfaceLayer<Real> air(lowest, gust, layer);
        const Real speed = air.speed, q = air.q, surface_pressure = air.surface_pressure;

        const Real sea_T = sea_temperature[0], ground_T = ground_temperature[0],
                   ground = 1 - open_sea[0];
        const Real sea_q = 0.98 * Saturation<Real>(sea_T, surface_pressure).humidity,
                   ground_q = Saturation<Real>(ground_T, surface_pressure).humidity;
        const Real over_sea = air.above(sea_T, sea_q), moist = ground::soil_wetness(soil_water[0]);
        const Real cover = ground::snow_cover(snow[0]), ice = ice_share[0];
        const auto over_ground = [&](Real soil) -> Real {
            return air.above(ground_T,
                             fma(cover + (1 - cover) * fma(ice, 1 - soil, soil), ground_q - q, q));
        };
        const Real root = air.sea_drag_root();
        const OverSea<Real> at_sea = air.over_sea(root, over_sea);
        const Real z_0 = air.bounded_roughness(
            fma(ice_share[0], ice_roughness - roughness[0], roughness[0]), most_roughness);
        const Louis<Real> at_ground = air.over_ground(z_0, over_ground(moist));

        const Real flow = air.density * speed, sea_K = flow * at_sea.heat,
                   ground_K = flow * at_ground.heat;
        const Real light = larger(sunlight[0], 1),
                   soil = moist * light /
                          fma(canopy_resistance * speed * at_ground.heat, light + 100, light);
        const Real drag = open_sea[0] * at_sea.momentum + ground * at_ground.momentum;
        sea_conductance[0] = sea_K;
        ground_conductance[0] = ground_K;
        soil_wetness[0] = soil;
        wetness[0] = cover + (1 - cover) * fma(ice, 1 - soil, soil);
        momentum_conductance[0] = flow * drag;
        sea_roughness[0] =
            10 * exp(-air.karman / root);  // of the wind's neutral profile through 10 m
        ground_roughness[0] = z_0;
        friction_velocity[0] = speed * sqrt(drag);
        buoyancy_flux[0] =
            -(gravity * air.per_energy) *
            (open_sea[0] * (sea_K * over_sea) + ground * (ground_K * over_ground(soil))) /
            air.density;
    }
};

}  // namespace fathom::physics
