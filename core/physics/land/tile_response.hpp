/// The state of each tile at the end of the step without the fluxes to the air, and the coupling of
/// soil and tiles; instead of SoilResponse.
///
///   skin   (C / dt + Lambda) (dT - forcing) = Lambda dT_soil - (H + L E),
///       (C / dt + Lambda) forcing = R_short share + R_long - sigma T^4 - Lambda (T - T_soil)
///       Lambda: plants 1 / (1 / 10 + r), bare 1 / r, r of half of the first layer of soil
///   snow   the same with inertia and coupling of its pack (snow_pack.hpp)
///   ice    (C / dt + Lambda) (dT - forcing) = -(H + L E),   over water at its freezing point,
///       Lambda of the ice and of the snow on it
///   soil   inertia (dT_soil - forcing) = sum over land of shares coupling dT
#pragma once
#include "physics/land/snow_pack.hpp"
#include "physics/land/soil_heat.hpp"

namespace fathom::physics {

namespace tile {
template <class Real> constexpr Real below_ice(Real water_T) {
    return smaller(water_T, ground::sea_freezing);
}
template <class Real> constexpr Real emitted(Real T) {
    const Real square = T * T;
    return constants::stefan_boltzmann * (square * square);
}
}  // namespace tile

struct TileResponse {
    double step = 1200, heat_from_below = 0;

    static constexpr std::string_view summary =
        "State of tiles and soil without turbulent fluxes, their inertia, and the water "
        "that plants and bare ground can give";
    static constexpr std::tuple parameters{
        Parameter{"step", &TileResponse::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"heat_from_below", &TileResponse::heat_from_below, "W m-2", 0, 1,
                  "heat that rises into the lowest layer of soil"}};

    template <class Real>
    constexpr void operator()(
        TileWarmth<Real> warmth, SnowState<Real> pack, SoilState<Real> state,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Reads<Real, "snow_on_ice", place::center_column, "kg m-2"> on_ice,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> vegetation,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "land_absorption", place::center_column, "1"> land_absorption,
        Reads<Real, "snow_absorption", place::center_column, "1"> snow_absorption,
        Reads<Real, "ice_absorption", place::center_column, "1"> ice_absorption,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave,
        Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave,
        TileForcingOut<Real> out,
        Writes<Real, "soil_forcing", place::center_column, "K"> soil_forcing,
        Writes<Real, "soil_inertia", place::center_column, "W m-2 K-1"> soil_inertia,
        Writes<Real, "soil_moisture", place::center_column, "kg m-2"> moisture,
        Writes<Real, "bare_ground_moisture", place::center_column, "1"> bare_moisture) const {
        const auto T = temperatures<Real>(warmth);
        const SoilHeat<Real> soil(temperatures<Real>(state), waters<Real>(state), step,
                                  heat_from_below);
        const Real soil_T = soil.T[0], r = soil.first_resistance;
        const SnowHeat<Real> heat(layers<Real>(warmth, pack), liquids<Real>(warmth, pack),
                                  Real(pack.amount[0]), Real(pack.density[0]), soil_T, r, step);
        const Real light = shortwave[0], dark = longwave[0];
        const auto radiation = [&](int i, Real share) -> Real {
            return fma(share, light, dark) - tile::emitted(T[i]);
        };
        const Real skin = tile::skin_capacity / step,
                   to_plants = 1 / (r + 1 / tile::plants_conduct), to_bare = 1 / r,
                   through_ice = tile::ice_conducts<Real>(thickness[0], on_ice[0]);
        const Real from_plants = to_plants * (T[tile::plants] - soil_T),
                   from_bare = to_bare * (T[tile::bare] - soil_T);
        const Real of_ice = tile::ice_inertia<Real>(thickness[0], on_ice[0], step);
        out.plants_inertia[0] = skin + to_plants;
        out.bare_inertia[0] = skin + to_bare;
        out.snow_inertia[0] = heat.inertia;
        out.plants_coupling[0] = to_plants;
        out.bare_coupling[0] = to_bare;
        out.snow_coupling[0] = heat.coupling;
        const Real on_land = land_absorption[0];
        out.plants[0] = (radiation(tile::plants, on_land) - from_plants) / (skin + to_plants);
        out.bare[0] = (radiation(tile::bare, on_land) - from_bare) / (skin + to_bare);
        out.snow[0] = (radiation(tile::snow, snow_absorption[0]) + heat.rest) / heat.inertia;
        const Real into_water =
            through_ice * (T[tile::ice] - tile::below_ice<Real>(sea_temperature[0]));
        out.ice[0] = (radiation(tile::ice, ice_absorption[0]) - into_water) / of_ice;

        const Real v = vegetation[0];
        const LandShares<Real> of(ground::snow_cover(pack.amount[0]), v);
        const Real given = of.plants * from_plants + of.bare * from_bare + of.snow * heat.into_soil;
        const Real all =
            soil.first_inertia + of.plants * to_plants + of.bare * to_bare + of.snow * heat.held;
        soil_inertia[0] = all;
        soil_forcing[0] = (soil.first_inertia * soil.a[0] + given) / all;
        Real roots = 0;
        for (int k = 0; k < soil::layers; ++k)
            roots += soil::roots::at(k) * soil::available(k, soil.T[k], soil.water[k]);
        const Real top = soil::available(0, soil.T[0], soil.water[0]);
        moisture[0] = ground::bucket * roots;
        bare_moisture[0] = top * top;
    }

    template <class Real>
    static constexpr snow::Profile<Real> layers(const TileWarmth<Real>& of,
                                                const SnowState<Real>& pack) {
        const Real mean = of.mean[0];
        return {snow_temperature<Real>(mean, of.snow[0], of.liquid[0]),
                snow_temperature<Real>(mean, pack.departure_2[0], pack.liquid_2[0]),
                snow_temperature<Real>(mean, pack.departure_3[0], pack.liquid_3[0])};
    }
    template <class Real>
    static constexpr snow::Profile<Real> liquids(const TileWarmth<Real>& of,
                                                 const SnowState<Real>& pack) {
        return {Real(of.liquid[0]), Real(pack.liquid_2[0]), Real(pack.liquid_3[0])};
    }
};

}  // namespace fathom::physics
