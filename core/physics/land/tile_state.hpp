/// Shares of the tiles, their reflection and emission; instead of SurfaceState.
///
///   share of plants l (1 - c) v,   bare ground l (1 - c) (1 - v),   snow l c,   c = S / (S + 10)
///   albedo: land snow_free_albedo; snow by its age, less under trees; ice and its snow as in
///       SurfaceState; over an ocean the share g of the land that is an ice sheet has its own,
///           bare  a + g (a_ice - a),    under snow  a_s + g (max(a_s, a_firn) - a_s)
///   emission = sum share sigma T^4
#pragma once
#include "physics/land/ocean_below.hpp"
#include "physics/land/snow_pack.hpp"

namespace fathom::physics {

/// The shares of a column, and the part of the surface's short-wave absorption of each tile.
template <class Real> struct TileSharesOut {
    Writes<Real, "plant_share", place::center_column, "1"> plants;
    Writes<Real, "bare_ground_share", place::center_column, "1"> bare;
    Writes<Real, "snow_share", place::center_column, "1"> snow;
    Writes<Real, "icy_share", place::center_column, "1"> ice;
    Writes<Real, "open_sea", place::center_column, "1"> open_sea;
    Writes<Real, "land_absorption", place::center_column, "1"> land_absorption;
    Writes<Real, "snow_absorption", place::center_column, "1"> snow_absorption;
    Writes<Real, "ice_absorption", place::center_column, "1"> ice_absorption;
    Writes<Real, "ground_absorption", place::center_column, "1"> ground_absorption;
};

/// Sea: what is below the air beside land, prescribed or an ocean (ocean_below.hpp).
template <template <class> class Sea> struct TileStateOver {
    double sea_albedo = 0.065, ice_albedo = 0.6, snow_on_ice_albedo = 0.75,
           forest_snow_albedo = 0.45, land_ice_albedo = 0.6, firn_albedo = 0.77;

    static constexpr std::string_view summary =
        "Shares of sea, plants, bare ground, snow and ice, their albedo and emission";
    static constexpr std::tuple parameters{
        Parameter{"sea_albedo", &TileStateOver::sea_albedo, "1", 0, 0.99, "albedo of the open sea"},
        Parameter{"ice_albedo", &TileStateOver::ice_albedo, "1", 0, 0.99,
                  "albedo of ice without snow"},
        Parameter{"snow_on_ice_albedo", &TileStateOver::snow_on_ice_albedo, "1", 0, 0.99,
                  "albedo of snow on ice"},
        Parameter{"forest_snow_albedo", &TileStateOver::forest_snow_albedo, "1", 0, 0.99,
                  "largest albedo of snow on land that is dark without snow, as forests are"},
        Parameter{"land_ice_albedo", &TileStateOver::land_ice_albedo, "1", 0, 0.99,
                  "albedo of an ice sheet without snow, over an ocean"},
        Parameter{"firn_albedo", &TileStateOver::firn_albedo, "1", 0, 0.99,
                  "least albedo of snow on an ice sheet, over an ocean"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction, Sea<Real> sea_below,
        TileWarmth<Real> warmth, Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Reads<Real, "snow_albedo", place::center_column, "1"> snow_albedo,
        Reads<Real, "snow_on_ice", place::center_column, "kg m-2"> on_ice,
        Reads<Real, "snow_free_albedo", place::center_column, "1"> land_albedo,
        Reads<Real, "vegetation_fraction", place::center_column, "1"> vegetation,
        TileSharesOut<Real> out, Writes<Real, "albedo", place::center_column, "1"> albedo,
        Writes<Real, "surface_emission", place::center_column, "W m-2"> emission,
        Writes<Real, "surface_temperature", place::center_column, "K"> temperature) const {
        const Real land = smaller(larger(land_fraction[0], 0), 1),
                   ice = (1 - land) * sea_below.ice_share(), sea = 1 - land - ice;
        const LandShares<Real> of(ground::snow_cover(snow[0]), vegetation[0]);
        const Real g = sea_below.land_ice(), without = land_albedo[0],
                   a = fma(g, Real(land_ice_albedo) - without, without), fresh = snow_albedo[0],
                   aged = select(without < 0.17, smaller(fresh, forest_snow_albedo), fresh),
                   of_snow = fma(g, larger(aged, firn_albedo) - aged, aged);
        const Real of_ice =
            fma(ground::snow_cover(on_ice[0]), snow_on_ice_albedo - ice_albedo, ice_albedo);
        const Real dark = sea_below.absorbs(sea_albedo), on_land = 1 - a, on_snow = 1 - of_snow,
                   through_ice = 1 - of_ice;
        const Real ground_takes =
            land * ((1 - of.snow) * on_land + of.snow * on_snow) + ice * through_ice;
        const Real taken = sea * dark + ground_takes, per_taken = 1 / taken;
        out.plants[0] = land * of.plants;
        out.bare[0] = land * of.bare;
        out.snow[0] = land * of.snow;
        out.ice[0] = ice;
        out.open_sea[0] = sea;
        out.land_absorption[0] = on_land * per_taken;
        out.snow_absorption[0] = on_snow * per_taken;
        out.ice_absorption[0] = through_ice * per_taken;
        out.ground_absorption[0] = ground_takes * per_taken / larger(land + ice, 1e-6);
        albedo[0] = 1 - taken;
        const auto T = temperatures<Real>(warmth);
        const tile::Each<Real> share{land * of.plants, land * of.bare, land * of.snow, ice};
        Real fourth = sea * sea_below.fourth_power();
        for (int i = 0; i < tile::number; ++i) {
            const Real square = T[i] * T[i];
            fourth = fma(share[i], square * square, fourth);
        }
        emission[0] = constants::stefan_boltzmann * fourth;
        temperature[0] = sqrt(sqrt(fourth));
    }
};

using TileState = TileStateOver<PrescribedSeaState>;

}  // namespace fathom::physics
