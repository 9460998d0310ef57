/// What is below the air beside land, for TileState, TileExchange and TileDiffusion: a sea whose
/// temperature and ice others prescribe, or an ocean with ice that runs at the same time
/// (docs/coupled.md). Of the ocean the air gets means over the pieces p that a cell of air has in
/// common with cells of the sea, of share w_p, with the cover a_p of ice:
///
///   a = sum w_p a_p / sum w_p,   T = sum w_p (1 - a_p) T_p / sum w_p (1 - a_p),
///       the same for e, 0.98 times the vapour pressure of saturation over salt water, and of ice
///       with w_p a_p
///   emission = sum w_p [(1 - a_p) sigma T_p^4 + a_p sigma T_i,p^4] / sum w_p,   albedo likewise
///
/// With one K for open water and one for ice of a cell of air all fluxes are linear in T_p and e_p,
///
///   H_p = H + c_p K (T_p - T),   E_p = E + K dq/de (e_p - e),   tau_p = tau - D (u_p - u)
///
/// so the implicit sweep (DiffusionOver) needs these means alone, and gives H, E, K, K dq/de, D;
/// the sea makes its own fluxes of them, and the sums over p are those that the air has lost, to
/// round-off (fathom/coupled/between.py). Temperatures of the ocean are held during an interval.
#pragma once
#include "physics/land/lowest_air.hpp"
#include "physics/land/tiles.hpp"
#include "physics/turbulence/diffusion.hpp"

namespace fathom::physics {

// ---- what surface radiation sees (TileState) ----------------------------------------------------

template <class Real> struct PrescribedSeaState {
    Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice;
    Reads<Real, "sea_surface_temperature", place::center_column, "K"> temperature;
    constexpr Real ice_share() const { return smaller(larger(ice[0], 0), 1); }
    constexpr Real land_ice() const { return Real(0); }
    constexpr Real absorbs(double albedo) const { return Real(1 - albedo); }
    constexpr Real fourth_power() const {
        const Real square = temperature[0] * temperature[0];
        return square * square;
    }
};

/// The ice is part of the sea, and no tile of the land.
template <class Real> struct OceanState {
    Reads<Real, "sea_surface_albedo", place::center_column, "1"> albedo;
    Reads<Real, "sea_surface_emission", place::center_column, "W m-2"> emission;
    Reads<Real, "land_ice_fraction", place::center_column, "1"> of_land;
    constexpr Real ice_share() const { return Real(0); }
    constexpr Real land_ice() const { return of_land[0]; }
    constexpr Real absorbs(double) const { return 1 - albedo[0]; }
    constexpr Real fourth_power() const { return emission[0] * (1 / constants::stefan_boltzmann); }
};

// ---- conductances (TileExchange) ----------------------------------------------------------------

/// Of a unit of sea: C_D, and K (s_v of the air minus that of the sea).
template <class Real> struct SeaTransfer {
    Real momentum, buoyancy;
};

template <class Real> struct PrescribedSeaExchange {
    Reads<Real, "sea_surface_temperature", place::center_column, "K"> temperature;
    Writes<Real, "sea_conductance", place::center_column, "kg m-2 s-1"> conductance;
    constexpr SeaTransfer<Real> operator()(const SurfaceLayer<Real>& air, Real root, Real flow,
                                           Real) const {
        const Real T = temperature[0],
                   q = 0.98 * Saturation<Real>(T, air.surface_pressure).humidity;
        const Real over_sea = air.above(T, q);
        const OverSea<Real> at_sea = air.over_sea(root, over_sea);
        const Real K = flow * at_sea.heat;
        conductance[0] = K;
        return {at_sea.momentum, K * over_sea};
    }
};

/// q of a vapour pressure e.
template <class Real> constexpr Real humidity_of(Real e, Real p) {
    return molar_ratio * e / (p - (1 - molar_ratio) * e);
}

/// Its derivative in e.
template <class Real> constexpr Real humidity_slope(Real e, Real p) {
    const Real dry = p - (1 - molar_ratio) * e;
    return molar_ratio * p / (dry * dry);
}

/// Means over the open water, and over the ice, of the ocean's cells.
template <class Real> struct OceanMeans {
    Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice;
    Reads<Real, "sea_surface_temperature", place::center_column, "K"> water_T;
    Reads<Real, "sea_surface_vapour_pressure", place::center_column, "Pa"> water_e;
    Reads<Real, "sea_ice_surface_temperature", place::center_column, "K"> ice_T;
    Reads<Real, "sea_ice_vapour_pressure", place::center_column, "Pa"> ice_e;
};
template <class Real> struct OceanConductances {
    Writes<Real, "open_water_conductance", place::center_column, "kg m-2 s-1"> water;
    Writes<Real, "sea_ice_conductance", place::center_column, "kg m-2 s-1"> ice;
    Writes<Real, "open_water_momentum_conductance", place::center_column, "kg m-2 s-1"> water_drag;
    Writes<Real, "sea_ice_momentum_conductance", place::center_column, "kg m-2 s-1"> ice_drag;
    Writes<Real, "sea_conductance", place::center_column, "kg m-2 s-1"> mean;
    Writes<Real, "open_water_vapour_conductance", place::center_column, "kg m-2 s-1 Pa-1">
        water_slope;
    Writes<Real, "sea_ice_vapour_conductance", place::center_column, "kg m-2 s-1 Pa-1"> ice_slope;
};

template <class Real> struct OceanExchange {
    OceanMeans<Real> ocean;
    OceanConductances<Real> out;
    constexpr SeaTransfer<Real> operator()(const SurfaceLayer<Real>& air, Real root, Real flow,
                                           Real ice_roughness) const {
        const Real p = air.surface_pressure, a = ocean.ice[0];
        const Real over_water =
                       air.above(Real(ocean.water_T[0]), humidity_of<Real>(ocean.water_e[0], p)),
                   over_ice = air.above(Real(ocean.ice_T[0]), humidity_of<Real>(ocean.ice_e[0], p));
        const OverSea<Real> at_water = air.over_sea(root, over_water);
        const Louis<Real> at_ice = air.over_ground(ice_roughness, over_ice);
        const Real K = flow * at_water.heat, K_ice = flow * at_ice.heat;
        out.water[0] = K;
        out.ice[0] = K_ice;
        out.water_drag[0] = flow * at_water.momentum;
        out.ice_drag[0] = flow * at_ice.momentum;
        out.mean[0] = fma(a, K_ice - K, K);
        out.water_slope[0] = K * humidity_slope<Real>(ocean.water_e[0], p);
        out.ice_slope[0] = K_ice * humidity_slope<Real>(ocean.ice_e[0], p);
        return {fma(a, at_ice.momentum - at_water.momentum, at_water.momentum),
                fma(a, K_ice * over_ice - K * over_water, K * over_water)};
    }
};

// ---- the implicit sweep (TileDiffusion) ---------------------------------------------------------

/// K of a unit of sea, and its s and q above those of the lowest layer before the step.
template <class Real> struct SeaRow {
    Real K, s, q;
};

template <class Real> struct PrescribedSea {
    Reads<Real, "sea_surface_temperature", place::center_column, "K"> temperature;
    Reads<Real, "sea_conductance", place::center_column, "kg m-2 s-1"> conductance;
    Writes<Real, "sea_turbulent_flux", place::center_column, "W m-2"> flux;
    constexpr SeaRow<Real> row(const LowestRow<Real>& air) const {
        return {
            Real(conductance[0]), air.above_s(temperature[0]),
            0.98 * Saturation<Real>(Real(temperature[0]), air.surface_pressure).humidity - air.q};
    }
    constexpr void put(const LowestRow<Real>&, Real, Real, Real all) const { flux[0] = all; }
};

/// Fluxes from a unit of open water and of ice.
template <class Real> struct OceanFluxes {
    Writes<Real, "open_water_sensible_heat_flux", place::center_column, "W m-2"> water_heat;
    Writes<Real, "open_water_evaporation", place::center_column, "kg m-2 s-1"> water_vapour;
    Writes<Real, "sea_ice_sensible_heat_flux", place::center_column, "W m-2"> ice_heat;
    Writes<Real, "sea_ice_evaporation", place::center_column, "kg m-2 s-1"> ice_vapour;
};
template <class Real> struct OceanStress {
    Reads<Real, "sea_surface_eastward_velocity", place::center_column, "m s-1"> u;
    Reads<Real, "sea_surface_northward_velocity", place::center_column, "m s-1"> v;
    Reads<Real, "open_water_momentum_conductance", place::center_column, "kg m-2 s-1"> water_drag;
    Reads<Real, "sea_ice_momentum_conductance", place::center_column, "kg m-2 s-1"> ice_drag;
    Writes<Real, "open_water_stress_eastward", place::center_column, "N m-2"> water_east;
    Writes<Real, "open_water_stress_northward", place::center_column, "N m-2"> water_north;
    Writes<Real, "sea_ice_stress_eastward", place::center_column, "N m-2"> ice_east;
    Writes<Real, "sea_ice_stress_northward", place::center_column, "N m-2"> ice_north;
};

template <class Real> struct OceanBelow {
    OceanMeans<Real> ocean;
    Reads<Real, "open_water_conductance", place::center_column, "kg m-2 s-1"> water_K;
    Reads<Real, "sea_ice_conductance", place::center_column, "kg m-2 s-1"> ice_K;
    OceanFluxes<Real> out;
    OceanStress<Real> stress;

    /// Open water and ice together, whose fluxes are linear in s' and q'.
    constexpr SeaRow<Real> row(const LowestRow<Real>& air) const {
        const Real p = air.surface_pressure, of_ice = ocean.ice[0] * ice_K[0],
                   of_water = (1 - ocean.ice[0]) * water_K[0], K = of_ice + of_water,
                   share = of_ice / larger(K, Real(1e-30));
        const Real s = air.above_s(ocean.water_T[0]), s_ice = air.above_s(ocean.ice_T[0]),
                   q = humidity_of<Real>(ocean.water_e[0], p),
                   q_ice = humidity_of<Real>(ocean.ice_e[0], p);
        return {K, fma(share, s_ice - s, s), fma(share, q_ice - q, q) - air.q};
    }
    constexpr void put(const LowestRow<Real>& air, Real ds, Real dq, Real) const {
        const Real p = air.surface_pressure, e = ocean.water_e[0], e_ice = ocean.ice_e[0];
        out.water_heat[0] = water_K[0] * (air.above_s(ocean.water_T[0]) - ds);
        out.water_vapour[0] = water_K[0] * ((humidity_of<Real>(e, p) - air.q) - dq);
        out.ice_heat[0] = ice_K[0] * (air.above_s(ocean.ice_T[0]) - ds);
        out.ice_vapour[0] = ice_K[0] * ((humidity_of<Real>(e_ice, p) - air.q) - dq);
    }
    constexpr Drift<Real> drift(Real sea) const {
        const Real D = sea * (1 - ocean.ice[0]) * stress.water_drag[0];
        return {D * stress.u[0], D * stress.v[0]};
    }
    constexpr void take_stress(Real u, Real v) const {
        stress.water_east[0] = stress.water_drag[0] * (u - stress.u[0]);
        stress.water_north[0] = stress.water_drag[0] * (v - stress.v[0]);
        stress.ice_east[0] = stress.ice_drag[0] * u;
        stress.ice_north[0] = stress.ice_drag[0] * v;
    }
};

/// Sunlight that would reach a black surface, of which each surface absorbs 1 - albedo: the net
/// short wave of a cell of air over its mean absorption now, so that the shares sum to it.
struct SurfaceSunlight {
    static constexpr std::string_view summary =
        "Sunlight at the surface, of which each kind of surface absorbs its part";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_net_shortwave", place::center_column, "W m-2"> net,
        Reads<Real, "albedo", place::center_column, "1"> albedo,
        Writes<Real, "surface_sunlight", place::center_column, "W m-2"> sunlight) const {
        sunlight[0] = net[0] / (1 - albedo[0]);
    }
};

/// Heat that the sea has not taken of what the air gave it, or has taken in addition, because its
/// ice became warmer or colder, or covered less or more, in the interval before: the lowest layer
/// gets it back.
struct HeatReturned {
    static constexpr std::string_view summary =
        "Warms the lowest layer by what sea and ice did not take of the heat of the air";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "heat_returned", place::center_column, "W m-2"> heat,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> tendency) const {
        const int last = tendency.levels() - 1;
        tendency[last] += heat[0] * (constants::gravity / constants::dry_air_heat_capacity) /
                          (interface[last + 1] - interface[last]);
    }
};

}  // namespace fathom::physics
