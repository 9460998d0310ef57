/// The surface as tiles, each with a separate temperature: the open sea (or lake), whose
/// temperature others give, and on the ground
///
///   plants        v (1 - c) of the land      skin of C = 2e4 J m-2 K-1 over the soil, with water
///       on leaves
///   bare ground   (1 - v) (1 - c)            skin of the same C
///   snow          c = S / (S + 10 kg m-2)    three layers (snow_pack.hpp) over the soil
///   ice           of sea and lakes           slab of C = 4e5 J m-2 K-1, with snow
///
/// Plants, bare ground and snow share the soil below (soil.hpp). A temperature is stored as its
/// departure from ground_temperature, the mean of the tiles by area: a user or an analysis that
/// sets this mean sets all of them. Snow is not warmer than melting, and at melting where it is
/// wet.
///
///   TileState       shares, albedo and emission          instead of SurfaceState (ground.hpp)
///   TileResponse    of each tile and the soil to the fluxes to the air       SoilResponse
///   TileExchange    conductances                                             BulkExchange
///   TileDiffusion   all temperatures and the air at once                     VerticalDiffusion
///   TiledLand       stores at the end of the step                            SoilLayers
#pragma once
#include "physics/land/ground.hpp"
#include "physics/land/soil.hpp"

namespace fathom::physics {

namespace tile {
inline constexpr int plants = 0, bare = 1, snow = 2, ice = 3, number = 4, of_land = 3;
inline constexpr double skin_capacity = 2e4;  // [J m-2 K-1]
inline constexpr double plants_conduct = 10;  // from leaves to the soil [W m-2 K-1]
inline constexpr double leaves_hold = 0.5;    // water on plants [kg m-2]
inline constexpr double melting = constants::celsius;

template <class Real> using Each = std::array<Real, number>;

/// Of ice and the snow on it [W m-2 K-1].
template <class Real> constexpr Real ice_conducts(Real thickness, Real snow) {
    constexpr double density = 300, conductivity = 0.2715;  // 2.22 (300 / 917)^1.88
    const Real thick = larger(thickness, ground::thinnest_ice) / ground::usual_ice;
    return 1 / ((1 / ground::ice_conductance) * thick + snow * (1 / (density * conductivity)));
}
template <class Real> constexpr Real ice_inertia(Real thickness, Real snow, double step) {
    return ground::ice_capacity / step + ice_conducts(thickness, snow);
}
}  // namespace tile

/// The share of each tile in a column.
template <class Real> struct TileShares {
    Reads<Real, "plant_share", place::center_column, "1"> plants;
    Reads<Real, "bare_ground_share", place::center_column, "1"> bare;
    Reads<Real, "snow_share", place::center_column, "1"> snow;
    Reads<Real, "icy_share", place::center_column, "1"> ice;
    Reads<Real, "open_sea", place::center_column, "1"> open_sea;
};
template <class Real> constexpr tile::Each<Real> each(const TileShares<Real>& of) {
    return {Real(of.plants[0]), Real(of.bare[0]), Real(of.snow[0]), Real(of.ice[0])};
}
/// Of the land, which may be none: the tiles that the soil below is coupled to.
template <class Real> struct LandShares {
    Real plants, bare, snow;
    constexpr LandShares(Real cover, Real vegetation)
        : plants((1 - cover) * vegetation), bare((1 - cover) * (1 - vegetation)), snow(cover) {}
};

/// The state of the tiles at the start of a step.
template <class Real> struct TileWarmth {
    Reads<Real, "ground_temperature", place::center_column, "K"> mean;
    Reads<Real, "plant_departure", place::center_column, "K"> plants;
    Reads<Real, "bare_ground_departure", place::center_column, "K"> bare;
    Reads<Real, "snow_departure_1", place::center_column, "K"> snow;
    Reads<Real, "ice_departure", place::center_column, "K"> ice;
    Reads<Real, "snow_liquid_1", place::center_column, "kg m-2"> liquid;
};
/// Snow's temperature from its stored departure.
template <class Real> constexpr Real snow_temperature(Real mean, Real departure, Real liquid) {
    return select(liquid > 0, Real(tile::melting), smaller(mean + departure, tile::melting));
}
template <class Real> constexpr tile::Each<Real> temperatures(const TileWarmth<Real>& of) {
    const Real mean = of.mean[0];
    return {mean + of.plants[0], mean + of.bare[0],
            snow_temperature<Real>(mean, of.snow[0], of.liquid[0]), mean + of.ice[0]};
}

/// Each tile without the fluxes to the air: dT = forcing + (coupling dT_soil - H - L E) /
/// inertia, of ice with tile::ice_inertia; and the soil: inertia (dT_soil - forcing) = sum over
/// land of shares coupling dT.
template <class Real> struct TileForcing {
    Reads<Real, "plant_forcing", place::center_column, "K"> plants;
    Reads<Real, "bare_ground_forcing", place::center_column, "K"> bare;
    Reads<Real, "snow_forcing", place::center_column, "K"> snow;
    Reads<Real, "ice_forcing", place::center_column, "K"> ice;
    Reads<Real, "plant_inertia", place::center_column, "W m-2 K-1"> plants_inertia;
    Reads<Real, "bare_ground_inertia", place::center_column, "W m-2 K-1"> bare_inertia;
    Reads<Real, "snow_inertia", place::center_column, "W m-2 K-1"> snow_inertia;
    Reads<Real, "plant_coupling", place::center_column, "W m-2 K-1"> plants_coupling;
    Reads<Real, "bare_ground_coupling", place::center_column, "W m-2 K-1"> bare_coupling;
    Reads<Real, "snow_coupling", place::center_column, "W m-2 K-1"> snow_coupling;
};
template <class Real> struct TileForcingOut {
    Writes<Real, "plant_forcing", place::center_column, "K"> plants;
    Writes<Real, "bare_ground_forcing", place::center_column, "K"> bare;
    Writes<Real, "snow_forcing", place::center_column, "K"> snow;
    Writes<Real, "ice_forcing", place::center_column, "K"> ice;
    Writes<Real, "plant_inertia", place::center_column, "W m-2 K-1"> plants_inertia;
    Writes<Real, "bare_ground_inertia", place::center_column, "W m-2 K-1"> bare_inertia;
    Writes<Real, "snow_inertia", place::center_column, "W m-2 K-1"> snow_inertia;
    Writes<Real, "plant_coupling", place::center_column, "W m-2 K-1"> plants_coupling;
    Writes<Real, "bare_ground_coupling", place::center_column, "W m-2 K-1"> bare_coupling;
    Writes<Real, "snow_coupling", place::center_column, "W m-2 K-1"> snow_coupling;
};

template <class Real> struct SoilForcing {
    Reads<Real, "soil_forcing", place::center_column, "K"> forcing;
    Reads<Real, "soil_inertia", place::center_column, "W m-2 K-1"> inertia;
};

/// Fluxes from each tile to the air: heat with the latent heat of evaporation, and water.
template <class Real> struct TileFluxes {
    Reads<Real, "plant_turbulent_flux", place::center_column, "W m-2"> plants;
    Reads<Real, "bare_ground_turbulent_flux", place::center_column, "W m-2"> bare;
    Reads<Real, "snow_turbulent_flux", place::center_column, "W m-2"> snow;
    Reads<Real, "ice_turbulent_flux", place::center_column, "W m-2"> ice;
    Reads<Real, "plant_evaporation", place::center_column, "kg m-2 s-1"> plants_water;
    Reads<Real, "bare_ground_evaporation", place::center_column, "kg m-2 s-1"> bare_water;
    Reads<Real, "snow_evaporation", place::center_column, "kg m-2 s-1"> snow_water;
    Reads<Real, "ice_evaporation", place::center_column, "kg m-2 s-1"> ice_water;
    Reads<Real, "soil_warming", place::center_column, "K"> soil_warming;
};
template <class Real> struct TileFluxesOut {
    Writes<Real, "plant_turbulent_flux", place::center_column, "W m-2"> plants;
    Writes<Real, "bare_ground_turbulent_flux", place::center_column, "W m-2"> bare;
    Writes<Real, "snow_turbulent_flux", place::center_column, "W m-2"> snow;
    Writes<Real, "ice_turbulent_flux", place::center_column, "W m-2"> ice;
    Writes<Real, "plant_evaporation", place::center_column, "kg m-2 s-1"> plants_water;
    Writes<Real, "bare_ground_evaporation", place::center_column, "kg m-2 s-1"> bare_water;
    Writes<Real, "snow_evaporation", place::center_column, "kg m-2 s-1"> snow_water;
    Writes<Real, "ice_evaporation", place::center_column, "kg m-2 s-1"> ice_water;
    Writes<Real, "soil_warming", place::center_column, "K"> soil_warming;
};

}  // namespace fathom::physics
