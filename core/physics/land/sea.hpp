/// The sea below the air: as records give it, or a slab of water that the fluxes warm.
///
///   SeaOfRecords  T = max(T_given, T_f),   cover = min(max(a_given, 0), 1); not in lakes
///   HeatIntoSea   N = F / w    per area of water, F and w as in above_water.hpp
///   SlabOfSea     h = rho c d (T - T_f) - L_f M,   T_f = 271.35 K
///                 h > 0: no ice M; h < 0: T = T_f
///                 dh/dt = N + Q
///                 a = min(1, M / (rho_i z_0)),   thickness z = max(M / rho_i, z_0)
///
/// d is the depth of the slab, Q the heat that the sea brings to a place (q-flux). Ice covers the
/// sea with the thickness z_0 until it covers all, then thickens. Where the cover changes, the ice
/// has the heat of the ground tile (above_water.hpp). What a step adds is often less than the
/// temperature of 32 bits resolves; `slab_heat_rest` keeps what is left.
#pragma once
#include "physics/land/above_water.hpp"

namespace fathom::physics {

struct SeaOfRecords {
    static constexpr std::string_view summary =
        "Temperature, ice cover and ice thickness of the sea from records; lakes stay";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "given_sea_surface_temperature", place::center_column, "K"> given,
        Reads<Real, "given_sea_ice_fraction", place::center_column, "1"> given_cover,
        Reads<Real, "given_sea_ice_thickness", place::center_column, "m"> given_thickness,
        Reads<Real, "lake_depth", place::center_column, "m"> lake_depth,
        Updates<Real, "sea_surface_temperature", place::center_column, "K"> temperature,
        Updates<Real, "sea_ice_fraction", place::center_column, "1"> cover,
        Updates<Real, "sea_ice_thickness", place::center_column, "m"> thickness) const {
        const auto is_lake = lake_depth[0] > 0;
        temperature[0] = select(is_lake, temperature[0], larger(given[0], ground::sea_freezing));
        cover[0] = select(is_lake, cover[0], smaller(larger(given_cover[0], 0), 1));
        thickness[0] = select(is_lake, thickness[0], given_thickness[0]);
    }
};

struct HeatIntoSea {
    static constexpr std::string_view summary =
        "Heat into the sea and the ice on it, per area of water";

    template <class Real>
    constexpr void operator()(
        AboveWater<Real> above,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> temperature,
        Writes<Real, "sea_heat_flux", place::center_column, "W m-2"> heat) const {
        const Real water = above.water();
        heat[0] = select(water > 1e-6, above.heat(temperature[0]) / larger(water, 1e-6), 0);
    }
};

template <bool tiles> struct SlabUnder {
    double step = 1200, thinnest_ice = ground::usual_ice;

    static constexpr std::string_view summary =
        tiles ? "Temperature and ice of a sea of given depth, ice a tile"
              : "Temperature and ice of a sea of given depth";
    static constexpr std::tuple parameters{
        Parameter{"step", &SlabUnder::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"thinnest_ice", &SlabUnder::thinnest_ice, "m", 0.1, 10,
                  "thickness of the ice until it covers the sea"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        Reads<Real, "lake_depth", place::center_column, "m"> lake_depth,
        Reads<Real, "slab_depth", place::center_column, "m"> depth,
        Reads<Real, "q_flux", place::center_column, "W m-2"> q_flux,
        Reads<Real, "sea_heat_flux", place::center_column, "W m-2"> flux,
        IceOnWater<Real, tiles> on_water,
        Updates<Real, "sea_surface_temperature", place::center_column, "K"> temperature,
        Updates<Real, "sea_ice_fraction", place::center_column, "1"> cover,
        Updates<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Updates<Real, "slab_heat_rest", place::center_column, "J m-2"> rest) const {
        using namespace constants;
        const double of_ice = fusion_heat * ice_density, per_cover = of_ice * thinnest_ice;
        const Real T = temperature[0], a = cover[0], z = thickness[0];
        const Real capacity = larger(depth[0], 1) * (sea_water_density * sea_water_heat_capacity);
        const Real gained = fma(flux[0] + q_flux[0], step, rest[0]);
        const Real ice = of_ice * (a * z), before = capacity * (T - ground::sea_freezing) - ice,
                   to = before + gained;
        // h = to - (a' - a) X with a' = -h / per_cover, X the heat of the ice as ground
        const Real X = on_water.heat(ground::sea_freezing);
        const Real covered = smaller(larger(-fma(a, X, to) / (per_cover - X), 0), 1);
        const Real h = to - (covered - a) * X;
        // open water without ice before and after: by increments
        const Real clear = select(a > 0, Real(0), select(h > 0, Real(1), Real(0)));
        const Real warmed = T + gained / capacity,
                   from_ice = larger(h, 0) / capacity + ground::sea_freezing;
        const Real now = select(clear > 0, warmed, from_ice);
        const Real amount = larger(-h, 0) * (1 / of_ice);
        const Real water = 1 - smaller(larger(land_fraction[0], 0), 1),
                   sea = select(lake_depth[0] > 0, Real(0), water);
        const auto is_sea = sea > 1e-6;
        rest[0] =
            select(is_sea, select(clear > 0, gained - (now - T) * capacity, Real(0)), Real(0));
        temperature[0] = select(is_sea, now, T);
        cover[0] = select(is_sea, covered, a);
        thickness[0] = select(is_sea, larger(amount, thinnest_ice), z);
    }
};

}  // namespace fathom::physics
