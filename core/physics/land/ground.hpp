/// Land and sea ice as a slab over a slower one, with a bucket of water and snow; the sea keeps its
/// prescribed temperature. A column has a share of open sea and a share of ground; of the ground,
/// `ice_share` is sea ice, the rest land.
///
///   SurfaceState     albedo, emission sigma T^4 (emissivity 1)
///   BulkExchange     wetness beta = s + (1 - s) (land w + ice),   s = S / (S + 10 kg m-2),
///       w = min(1, W / (0.75 W_max)) / (1 + r C_H U)
///   GroundResponse   T* = T + dt / C [R_short (1 - a_ground) / (1 - a) + R_long - sigma T^4 - G],
///       G = Lambda (T - T_below)
///   VerticalDiffusion finds T', implicitly with the air above:   C (T' - T*) / dt = -(H + L E)
///   LandSurface      T = T' - L_f (E_snow + melt) / C,   dT_deep/dt = G / C_deep,
///       dW/dt = rain + melt - E,   dS/dt = snow - melt - E_snow
///
/// Where there is land, snow beyond `most_snow` is ice that flows to the sea, calving_flux, with
/// the heat -L_f that it takes along, calving_heat_flux. Where there is none, nothing runs off.
///
/// C T + C_deep T_deep - L_f S changes by the fluxes through the surface and by calving alone,
/// W + S of land by rain, snow, evaporation, runoff and calving (W per area of land, the rest per
/// area of ground; water that melts on sea ice goes to the sea). Under sea ice T_below is the
/// freezing point of the sea; heat that would warm ice beyond melting leaves as ice_melt_flux,
/// which is part of ice_base_flux, all that passes the ice into the water. C and Lambda of land are
/// those of force-restore for the day, sqrt(lambda rho c / (2 omega)) and C omega (Deardorff 1978,
/// J. Geophys. Res. 83, 1889-1903).
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

namespace ground {
inline constexpr double snow_half_cover =
    10;  // water of the snow that hides half of the ground [kg m-2]
inline constexpr double
    bucket = 150,
    moist = 0.75 * bucket;  // water capacity of the soil; above which it evaporates freely [kg m-2]
inline constexpr double no_limit = 1e9;  // of snow [kg m-2]
inline constexpr std::string_view of_most_snow = "snow beyond it flows to the sea as ice";
inline constexpr double sea_freezing = 271.35, melting = constants::celsius;  // [K]
inline constexpr double land_capacity = 1.2e5, ice_capacity = 4e5,
                        deep_capacity = 3e6;  // [J m-2 K-1]
inline constexpr double land_conductance = 8.7,
                        ice_conductance = 1.4,  // [W m-2 K-1]; of ice that is so thick:
    usual_ice = 1.5, thinnest_ice = 0.1;        // [m]
template <class Real> constexpr Real snow_cover(Real snow) {
    return snow / (snow + snow_half_cover);
}
template <class Real> constexpr Real soil_wetness(Real water) {
    return larger(smaller(water * (1 / moist), 1), 1e-6);
}
/// Of sea ice, by its thickness [W m-2 K-1].
template <class Real> constexpr Real ice_conducts(Real thickness) {
    return ice_conductance * (usual_ice / larger(thickness, thinnest_ice));
}
template <class Real> constexpr Real capacity(Real ice) {
    return land_capacity + ice * (ice_capacity - land_capacity);
}
}  // namespace ground

/// Ice that leaves the land, and the heat in it, counted from water at melting.
template <class Real> struct Calving {
    Writes<Real, "calving_flux", place::center_column, "kg m-2 s-1"> ice;
    Writes<Real, "calving_heat_flux", place::center_column, "W m-2"> heat;
    constexpr void put(Real mass, Real of_mass, double step) const {
        ice[0] = mass * (1 / step);
        heat[0] = of_mass * (1 / step);
    }
};

struct SurfaceState {
    double sea_albedo = 0.065, ice_albedo = 0.6, snow_albedo = 0.75, forest_snow_albedo = 0.45;

    static constexpr std::string_view summary =
        "What surface radiation and air see: albedo, emission, wetness, shares of open sea and ice";
    static constexpr std::tuple parameters{
        Parameter{"sea_albedo", &SurfaceState::sea_albedo, "1", 0, 0.99, "albedo of the open sea"},
        Parameter{"ice_albedo", &SurfaceState::ice_albedo, "1", 0, 0.99,
                  "albedo of sea ice without snow"},
        Parameter{"snow_albedo", &SurfaceState::snow_albedo, "1", 0, 0.99,
                  "albedo of snow on open ground and ice"},
        Parameter{"forest_snow_albedo", &SurfaceState::forest_snow_albedo, "1", 0, 0.99,
                  "albedo of land under snow that is dark without, as forests are"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice_fraction,
        Reads<Real, "sea_surface_temperature", place::center_column, "K"> sea_temperature,
        Reads<Real, "ground_temperature", place::center_column, "K"> ground_temperature,
        Reads<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Reads<Real, "snow_free_albedo", place::center_column, "1"> land_albedo,
        Writes<Real, "open_sea", place::center_column, "1"> open_sea,
        Writes<Real, "ice_share", place::center_column, "1"> ice_share,
        Writes<Real, "albedo", place::center_column, "1"> albedo,
        Writes<Real, "ground_absorption", place::center_column, "1"> absorption,
        Writes<Real, "surface_emission", place::center_column, "W m-2"> emission,
        Writes<Real, "surface_temperature", place::center_column, "K"> temperature) const {
        const Real land = smaller(larger(land_fraction[0], 0), 1),
                   ice = (1 - land) * smaller(larger(ice_fraction[0], 0), 1), all = land + ice;
        const Real share = ice / larger(all, 1e-6), cover = ground::snow_cover(snow[0]);
        const Real a = land_albedo[0],
                   of_land =
                       fma(cover, select(a < 0.17, forest_snow_albedo, Real(snow_albedo)) - a, a);
        const Real of_ice = fma(cover, snow_albedo - ice_albedo, ice_albedo),
                   of_ground = fma(share, of_ice - of_land, of_land);
        const Real mean = fma(all, of_ground - sea_albedo, sea_albedo);
        const Real sea_square = sea_temperature[0] * sea_temperature[0],
                   ground_square = ground_temperature[0] * ground_temperature[0];
        const Real fourth =
            (1 - all) * (sea_square * sea_square) + all * (ground_square * ground_square);
        open_sea[0] = 1 - all;
        ice_share[0] = share;
        albedo[0] = mean;
        absorption[0] = (1 - of_ground) / (1 - mean);
        emission[0] = constants::stefan_boltzmann * fourth;
        temperature[0] = sqrt(sqrt(fourth));
    }
};

struct GroundResponse {
    double step = 1200;

    static constexpr std::string_view summary =
        "Ground temperature at the end of the step without turbulent fluxes, and its inertia";
    static constexpr std::tuple parameters{
        Parameter{"step", &GroundResponse::step, "s", 1e-3, 1e5, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "ground_temperature", place::center_column, "K"> temperature,
        Reads<Real, "deep_ground_temperature", place::center_column, "K"> deep,
        Reads<Real, "ice_share", place::center_column, "1"> ice_share,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Reads<Real, "ground_absorption", place::center_column, "1"> absorption,
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> shortwave,
        Reads<Real, "surface_downward_longwave", place::center_column, "W m-2"> longwave,
        Writes<Real, "ground_forcing", place::center_column, "K"> forcing,
        Writes<Real, "ground_inertia", place::center_column, "W m-2 K-1"> inertia) const {
        const Real T = temperature[0], ice = ice_share[0], land = 1 - ice,
                   response = ground::capacity(ice) * (1 / step), square = T * T;
        const Real below =
            land * (ground::land_conductance * (T - deep[0])) +
            ice * (ground::ice_conducts<Real>(thickness[0]) * (T - ground::sea_freezing));
        const Real gain = absorption[0] * shortwave[0] + longwave[0] -
                          constants::stefan_boltzmann * (square * square) - below;
        forcing[0] = T + gain / response;
        inertia[0] = response;
    }
};

struct LandSurface {
    double step = 1200, most_snow = ground::no_limit;

    static constexpr std::string_view summary =
        "Ground temperature, soil water, snow and runoff at the end of the step";
    static constexpr std::tuple parameters{
        Parameter{"step", &LandSurface::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"most_snow", &LandSurface::most_snow, "kg m-2", 1, ground::no_limit,
                  ground::of_most_snow}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "land_fraction", place::center_column, "1"> land_fraction,
        Reads<Real, "ice_share", place::center_column, "1"> ice_share,
        Reads<Real, "sea_ice_thickness", place::center_column, "m"> thickness,
        Reads<Real, "soil_wetness", place::center_column, "1"> soil_wetness,
        Reads<Real, "ground_forcing", place::center_column, "K"> forcing,
        Reads<Real, "ground_inertia", place::center_column, "W m-2 K-1"> inertia,
        Reads<Real, "ground_turbulent_flux", place::center_column, "W m-2"> turbulent,
        Reads<Real, "ground_evaporation", place::center_column, "kg m-2 s-1"> evaporation,
        Reads<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> convective,
        Reads<Real, "stratiform_precipitation", place::center_column, "kg m-2 s-1"> stratiform,
        Reads<Real, "snowfall", place::center_column, "kg m-2 s-1"> snowfall,
        Updates<Real, "ground_temperature", place::center_column, "K"> temperature,
        Updates<Real, "deep_ground_temperature", place::center_column, "K"> deep,
        Updates<Real, "soil_moisture", place::center_column, "kg m-2"> water,
        Updates<Real, "snow_amount", place::center_column, "kg m-2"> snow,
        Writes<Real, "runoff", place::center_column, "kg m-2 s-1"> runoff, Calving<Real> calving,
        Writes<Real, "ice_melt_flux", place::center_column, "W m-2"> ice_melt,
        Writes<Real, "ice_base_flux", place::center_column, "W m-2"> into_water) const {
        constexpr double fusion = constants::fusion_heat;
        const Real ice = ice_share[0], land = 1 - ice, before = temperature[0], S = snow[0],
                   W = water[0], T_deep = deep[0];
        const Real cover = ground::snow_cover(S), soil = soil_wetness[0],
                   per_wetness = 1 / (cover + (1 - cover) * (land * soil + ice));
        const Real E = evaporation[0], per_capacity = 1 / (inertia[0] * step);
        // evaporation uses the snow that there is; the rest of snow's share is taken where no snow
        // lies
        const Real supply = fma(snowfall[0], step, S),
                   from_snow = smaller(E * step * (cover * per_wetness), supply);
        const Real short_of = E * step * (cover * per_wetness) - from_snow;
        const Real from_soil = E * step * ((1 - cover) * soil * per_wetness) + short_of;
        const Real left = supply - from_snow,
                   T = forcing[0] - turbulent[0] / inertia[0] - (fusion * per_capacity) * from_snow;
        const Real melt = larger(smaller(left, (T - ground::melting) / (fusion * per_capacity)), 0),
                   warm = T - (fusion * per_capacity) * melt;
        const Real over = select(ice > 0.5, larger(warm - ground::melting, 0),
                                 0);  // ice does not get warmer than melting
        const Real content =
                       W + (convective[0] + stratiform[0] - snowfall[0]) * step + melt - from_soil,
                   kept = smaller(larger(content, 0), ground::bucket);
        temperature[0] = warm - over;
        deep[0] = T_deep + land * (ground::land_conductance * step / ground::deep_capacity) *
                               (before - T_deep);
        water[0] = kept;
        const auto on_land = land_fraction[0] > 0;
        const Real calved = select(on_land, larger(left - melt - most_snow, 0), 0);
        snow[0] = left - melt - calved;
        calving.put(calved, -fusion * calved, step);
        runoff[0] = select(on_land, (content - kept) * (1 / step), 0);
        ice_melt[0] = over * inertia[0];
        into_water[0] =
            fma(ice, ground::ice_conducts<Real>(thickness[0]) * (before - ground::sea_freezing),
                over * inertia[0]);
    }
};

}  // namespace fathom::physics
