/// The sea between the ice, and its fluxes to the ice and to new ice. T_f is its freezing point, h
/// the thickness of its top layer, A the share of ice:
///
///   bottom   F_w = rho0 c_p u_h (T - T_f),   u_h <= h / tau;   below freezing the whole deficit,
///       rho0 c_p h (T - T_f) / tau < 0: present ice grows, and new ice forms between
///   sides    dA/dt = -A pi w / (0.66 l),   w = 1.6e-6 m s-1 (T - T_f)^1.36
///       (Maykut & Perovich 1987, J. Geophys. Res. 92, 7032-7044), l the diameter of floes:
///       1/l = (1 - A) / l_loose + A / l_pack   (Luepkes et al. 2012, J. Geophys. Res. 117, D13112)
///   sea      (1 - A) of the fluxes of air and sun; rain and evaporation reach it through cracks,
///       and so does snow, of which the ice then takes its part
///
/// Where ice was compressed to more than the cell, the area of each category is divided by sum A,
/// and its thickness grows to match. New ice has the least thickness allowed, in the thinnest
/// category.
#pragma once
#include "base/any.hpp"
#include "base/elementary.hpp"
#include "field/thickness.hpp"
#include "physics/sea_ice/category.hpp"

namespace fathom::physics {

template <bool own> struct OpenWater {
    double step = 3600, exchange = 6e-5, floe_diameter = 300, loose_floe_diameter = 8;
    static constexpr std::string_view summary =
        "Fluxes into the sea between the ice, and of the sea into the ice";
    static constexpr std::tuple parameters{
        Parameter{"step", &OpenWater::step, "s", 0, 1e6, "time step"},
        Parameter{"exchange", &OpenWater::exchange, "m s-1", 0, 1,
                  "speed of the heat transfer from water to ice"},
        Parameter{"floe_diameter", &OpenWater::floe_diameter, "m", 1, 1e6,
                  "of floes of a closed pack (for the melting of their sides)"},
        Parameter{"loose_floe_diameter", &OpenWater::loose_floe_diameter, "m", 1, 1e6,
                  "of the last floes"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_ice_area", place::center_column, "1"> ice,
        Reads<Real, "sea_ice_heat", place::center_column, "J m-2"> ice_heat,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "sea_surface_height", place::center_column, "m"> height,
        CellThickness<Real, own> thickness,
        Reads<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall,
        Reads<Real, "ice_freshwater_flux", place::center_column, "kg m-2 s-1"> rain,
        Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat,
        Updates<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun,
        Updates<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water,
        Writes<Real, "air_heat_flux", place::center_column, "W m-2"> air_heat,
        Writes<Real, "air_water_flux", place::center_column, "kg m-2 s-1"> air_water,
        Writes<Real, "ice_salt_flux", place::center_column, "1e-3 m s-1"> salt,
        Writes<Real, "new_ice_heat", place::center_column, "J m-2"> new_ice,
        Writes<Real, "ice_bottom_temperature", place::center_column, "degC"> freezing,
        Writes<Real, "ice_bottom_flux", place::center_column, "W m-2"> bottom_flux,
        Writes<Real, "ice_lateral_melt", place::center_column, "1"> lateral,
        Writes<Real, "ice_crowding", place::center_column, "1"> crowding) const {
        constexpr double capacity =
            constants::sea_water_density * constants::sea_water_heat_capacity;
        const Real zero(0), one(1), sum = ice[0], covered = smaller(sum, one), open = one - covered;
        const Real h = height[0] + thickness[0], T_f = freezing_temperature(Real(salinity[0])),
                   excess = temperature[0] - T_f, whole = h * (capacity / step);
        const Real warm = larger(excess, zero),
                   F_w = smaller(capacity * exchange * warm, whole * warm) +
                         whole * smaller(excess, zero);
        Real sides = zero;
        if (any(ice_heat[0] > 0)) {
            const Real per_diameter =
                           open * (1 / loose_floe_diameter) + covered * (1 / floe_diameter),
                       retreat = (1.6e-6 * 3.14159265358979324 / 0.66) * step * per_diameter *
                                 pow(larger(warm, Real(1e-30)), Real(1.36)),
                       left = larger(whole * warm - covered * F_w, zero) * step;
            sides = smaller(smaller(retreat, one), left / larger(Real(ice_heat[0]), one));
        }
        lateral[0] = sides;
        freezing[0] = T_f;
        bottom_flux[0] = F_w;
        crowding[0] = one / larger(sum, one);

        const Real freezes = open * larger(-F_w, zero), from_air = open * heat[0],
                   fresh = open * water[0] + covered * (rain[0] + snowfall[0]);
        new_ice[0] = freezes * step;
        heat[0] = from_air + freezes;
        sun[0] = open * sun[0];
        water[0] = fresh;
        air_heat[0] = from_air;
        air_water[0] = fresh;
        salt[0] = zero;
    }
};

struct NewIce {
    double step = 3600, salinity = 4, thickness = 0.1;
    static constexpr std::string_view summary = "Ice that forms in open water below freezing";
    static constexpr std::tuple parameters{
        Parameter{"step", &NewIce::step, "s", 0, 1e6, "time step"},
        Parameter{"salinity", &NewIce::salinity, "1e-3", 0.1, 20, "salinity of the ice"},
        Parameter{"thickness", &NewIce::thickness, "m", 0.01, 2,
                  "of new ice, while there is open water"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "new_ice_heat", place::center_column, "J m-2"> new_ice,
        Reads<Real, "ice_bottom_temperature", place::center_column, "degC"> freezing,
        Reads<Real, "sea_ice_area", place::center_column, "1"> ice, IceCategory<Real> category,
        Updates<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water,
        Updates<Real, "ice_salt_flux", place::center_column, "1e-3 m s-1"> salt) const {
        const ice::MeltingPoints melting(salinity);
        const Real heat = new_ice[0], T_f = melting.bottom(Real(freezing[0])),
                   q_1 = ice::heat_at(T_f, Real(melting.upper)),
                   q_2 = ice::heat_at(T_f, Real(melting.lower)), upper = heat * (q_1 / (q_1 + q_2)),
                   volume = heat * (2 / ice::density) / (q_1 + q_2),
                   open = larger(1 - ice[0], Real(0));
        category.area[0] += smaller(volume * (1 / thickness), open);
        category.volume[0] += volume;
        category.upper[0] += upper;
        category.lower[0] += heat - upper;
        water[0] -= volume * (ice::density / step);
        salt[0] -= volume * (salinity * ice::density / constants::fresh_water_density / step);
    }
};

}  // namespace fathom::physics
