/// Thermodynamics of one category of sea ice (energy as Bitz & Lipscomb 1999, J. Geophys. Res. 104,
/// 15669-15677; layers as Winton 2000, J. Atmos. Oceanic Technol. 17, 525-531): snow without heat
/// capacity over two layers of ice of equal thickness, with brine. For a unit of ice:
///
///   rho h/2 dq_1/dt = -(F_c - F_m),   F_c = K_c (T_s - T_1),  1 / K_c = h / 4k + h_s / k_s
///   rho h/2 dq_2/dt = -(F_m - F_b),   F_m = 2k/h (T_1 - T_2),  F_b = 4k/h (T_2 - T_f)
///   at the top     F(T_s) + (1 - albedo) / (1 - R A) S_0 = F_c + melt,
///       F(T) = F_0 + F' (T - T_0),   T_s <= T_m;   light: light.hpp
///   at the bottom  F_w + F_b: melts, or is taken from water that freezes
///
/// downward positive. Temperatures are backward in time: q(T') - q(T) = -(c - L T_m / T T')(T' - T)
/// is exact, and some iterations find T'. Then the fluxes change the heat: it is conserved for any
/// error of the iteration. At the top snow melts first, then upper, then lower ice; at the bottom
/// in the opposite order. Snow that presses ice below the water becomes ice. In warm water the
/// sides melt too. Of the snow that falls on ice, wind blows a share into leads, as water for the
/// sea: half of it or more around Antarctica (Leonard & Maksym 2011, Ann. Glaciol. 52, 271-278;
/// Dery & Tremblay 2004, J. Phys. Oceanogr. 34, 1083-1094).
///
/// The sea gets the rest of the fluxes: its heat, mass and salt are differences of the contents
/// before and after, so that budgets close to round-off.
#pragma once
#include "base/any.hpp"
#include "physics/sea_ice/category.hpp"

namespace fathom::physics {

/// Fluxes of an atmosphere over ice: without sunlight at the surface temperature T_0, and their
/// derivative with respect to it; sunlight that reaches a black surface, the share of reflected
/// light that the sky reflects down again; snow.
template <class Real> struct AirOverIce {
    Reads<Real, "ice_heat_flux", place::center_column, "W m-2"> heat;
    Reads<Real, "ice_heat_flux_slope", place::center_column, "W m-2 K-1"> slope;
    Reads<Real, "ice_surface_temperature", place::center_column, "degC"> at;
    Reads<Real, "ice_shortwave_flux", place::center_column, "W m-2"> sun;
    Reads<Real, "ice_sky_reflection", place::center_column, "1"> sky;
    Reads<Real, "snowfall_flux", place::center_column, "kg m-2 s-1"> snowfall;
    Reads<Real, "surface_albedo", place::center_column, "1"> albedo;
};

/// Values of OpenWater for all categories.
template <class Real> struct SeaUnderIce {
    Reads<Real, "ice_bottom_temperature", place::center_column, "degC"> freezing;
    Reads<Real, "ice_bottom_flux", place::center_column, "W m-2"> heat;
    Reads<Real, "ice_lateral_melt", place::center_column, "1"> lateral;
    Reads<Real, "ice_crowding", place::center_column, "1"> crowding;
};

/// For a unit of ice: thickness of its halves, of its snow, and their heat.
template <class Real> struct IceSlab {
    Real upper, lower, snow, upper_heat, lower_heat;

    /// Takes heat from a layer, and the mass that melts with it; the rest of the heat stays.
    static constexpr void melt(Real& thickness, Real& content, Real& heat) {
        const Real share = smaller(heat / larger(content, Real(1e-3)), Real(1));
        heat -= share * content;
        content -= share * content;
        thickness -= share * thickness;
    }
    constexpr void melt_snow(Real& heat) {
        const Real melted = smaller(heat * (1 / ice::snow_heat), snow);
        heat -= ice::snow_heat * melted;
        snow -= melted;
    }
    constexpr Real thickness() const { return upper + lower; }
    constexpr Real heat() const { return (upper_heat + lower_heat) + ice::snow_heat * snow; }
    /// Archimedes: snow whose weight presses ice below the water becomes ice.
    constexpr void flood() {
        constexpr double light = constants::sea_water_density - ice::density;
        const Real flooded = larger(
            Real(0), (ice::snow_density * snow - light * thickness()) *
                         (ice::density / (ice::snow_density * constants::sea_water_density)));
        snow -= flooded;
        upper += flooded * (ice::snow_density / ice::density);
        upper_heat += ice::snow_heat * flooded;
    }
    /// Makes the halves equally thick again.
    constexpr void even_out() {
        const Real surplus = 0.5 * (upper - lower);
        const Real moved = select(surplus > 0, surplus * upper_heat / larger(upper, Real(1e-12)),
                                  surplus * lower_heat / larger(lower, Real(1e-12)));
        upper_heat -= moved;
        lower_heat += moved;
        upper = lower = 0.5 * thickness();
    }
};

struct IceThermodynamics {
    double step = 3600, salinity = 4, least_thickness = 0.05, drifting_snow = 0.5;

    static constexpr std::string_view summary =
        "Growth and melt of one category of sea ice and its snow";
    static constexpr std::tuple parameters{
        Parameter{"step", &IceThermodynamics::step, "s", 0, 1e6, "time step"},
        Parameter{"salinity", &IceThermodynamics::salinity, "1e-3", 0.1, 20, "salinity of the ice"},
        Parameter{"least_thickness", &IceThermodynamics::least_thickness, "m", 1e-3, 1,
                  "thinner ice covers less instead"},
        Parameter{"drifting_snow", &IceThermodynamics::drifting_snow, "1", 0, 1,
                  "share of the snow on ice that wind blows into leads"}};

    /// Fluxes through the ice, and the flux from the air that its surface absorbs.
    template <class Real> struct Fluxes {
        Real top, middle, bottom, air, surface;
    };
    template <class Real>
    constexpr Fluxes<Real> conduct(const IceSlab<Real>& slab, Real drive, Real slope, Real bottom,
                                   Real melting) const {
        const double T_per_step = 1 / step;
        const Real h = slab.thickness(), mass = h * (0.5 * ice::density);
        const Real middle = 2 * ice::conductivity / h, at_bottom = 2 * middle,
                   at_top = 1 / (h * (0.25 / ice::conductivity) + slab.snow * (1 / ice::of_snow));
        const Real T1 = smaller(ice::temperature_of(slab.upper_heat / mass, melting), melting),
                   T2 = smaller(ice::temperature_of(slab.lower_heat / mass, melting), melting);
        const auto surface = [&](Real upper) {
            return smaller((drive + at_top * upper) / (at_top - slope), melting);
        };
        Real upper = T1, lower = T2;
        for (int n = 0; n < 4; ++n) {
            const auto inertia = [&](Real before, Real after) {
                return mass * T_per_step *
                       (ice::heat_capacity -
                        ice::fusion * melting / (before * smaller(after, melting)));
            };
            const Real c1 = inertia(T1, upper), c2 = inertia(T2, lower);
            const auto melts = (drive + at_top * upper) > melting * (at_top - slope);
            const Real share = at_top / (at_top - slope),
                       pull = select(melts, at_top, -share * slope),
                       push = select(melts, at_top * melting, share * drive);
            const Real a = c1 + pull + middle, b = c2 + middle + at_bottom, r1 = c1 * T1 + push,
                       r2 = c2 * T2 + at_bottom * bottom;
            const Real determinant = 1 / (a * b - middle * middle);
            upper = (b * r1 + middle * r2) * determinant;
            lower = (a * r2 + middle * r1) * determinant;
        }
        const Real T_s = surface(upper), top = at_top * (T_s - upper);
        return {top, middle * (upper - lower), at_bottom * (lower - bottom),
                larger(top, select(T_s < melting, top, drive + slope * T_s)), T_s};
    }

    /// Effects of the fluxes on the slab: heat of its halves, melt at the top, melt or growth at
    /// the bottom, snow below the water.
    template <class Real>
    constexpr void change(IceSlab<Real>& slab, const Fluxes<Real>& f, Real of_sea, Real bottom,
                          Real melting) const {
        const double tau = step;
        slab.upper_heat -= tau * (f.top - f.middle);
        slab.lower_heat -= tau * (f.middle - f.bottom);
        Real above = tau * (f.air - f.top);
        slab.melt_snow(above);
        slab.melt(slab.upper, slab.upper_heat, above);
        slab.melt(slab.lower, slab.lower_heat, above);
        const Real gained = tau * (of_sea + f.bottom), frozen = larger(-gained, Real(0));
        Real below = larger(gained, Real(0));
        slab.melt(slab.lower, slab.lower_heat, below);
        slab.melt(slab.upper, slab.upper_heat, below);
        slab.melt_snow(below);
        slab.lower_heat += frozen;
        slab.lower += frozen / (ice::density * ice::heat_at(bottom, melting));
        slab.flood();
        slab.even_out();
    }

    template <class Real>
    constexpr void operator()(
        AirOverIce<Real> air, SeaUnderIce<Real> sea, IceCategory<Real> category,
        Reads<Real, "category_albedo", place::center_column, "1"> albedo,
        Updates<Real, "category_surface_temperature", place::center_column, "degC"> temperature,
        Writes<Real, "category_growth", place::center_column, "m"> growth,
        IceFluxes<Real> fluxes) const {
        const Real volume = category.volume[0], none(0), snow = category.snow[0];
        const auto present = volume > ice::least_volume;
        growth[0] = none;
        if (!any(volume + snow > 0)) return;
        const double tau = step, per_step = 1 / step,
                     melting_point = freezing_temperature(salinity);
        const Real melting(melting_point), bottom = sea.freezing[0];

        // of a unit of ice
        const Real area =
                       select(present,
                              smaller(larger(Real(category.area[0]) * sea.crowding[0], Real(1e-9)),
                                      volume * (1 / least_thickness)),
                              Real(1)),
                   per_area = 1 / area;
        IceSlab<Real> slab{0.5 * volume * per_area, 0.5 * volume * per_area, snow * per_area,
                           category.upper[0] * per_area, category.lower[0] * per_area};
        slab.upper = slab.lower = select(present, slab.upper, Real(0.5));
        const Real before = select(present, area * slab.heat(),
                                   (category.upper[0] + category.lower[0]) + ice::snow_heat * snow);
        const Real snowfall = (1 - drifting_snow) * air.snowfall[0];
        slab.snow += snowfall * (tau / ice::snow_density);

        const Real slope = air.slope[0], thick = slab.thickness(),
                   sun = (1 - albedo[0]) / (1 - air.sky[0] * air.albedo[0]) * air.sun[0];
        const Fluxes<Real> f =
            conduct(slab, air.heat[0] + sun - slope * air.at[0], slope, bottom, melting);
        change(slab, f, Real(sea.heat[0]), bottom, melting);

        const Real left = area * (1 - sea.lateral[0]), ice_left = left * slab.thickness();
        const auto stays = (ice_left > ice::least_volume) & present;
        const auto put = [&](auto& content, Real value) {
            content[0] = select(stays, value, none);
        };
        put(category.area, smaller(left, ice_left * (1 / least_thickness)));
        put(category.volume, ice_left);
        put(category.snow, left * slab.snow);
        put(category.upper, left * slab.upper_heat);
        put(category.lower, left * slab.lower_heat);
        temperature[0] = select(stays, f.surface, Real(temperature[0]));
        growth[0] = select(stays, slab.thickness() - thick, none);

        // the sea gets the rest
        const Real covered = select(present, area, none),
                   from_air = covered * (f.air - ice::fusion * snowfall),
                   after = select(stays, left * slab.heat(), none);
        const Real lost_ice = volume - select(stays, ice_left, none),
                   lost_snow = snow - select(stays, left * slab.snow, none);
        fluxes.air_heat[0] += from_air;
        fluxes.heat[0] += from_air + (after - before) * per_step;
        fluxes.water[0] += (ice::density * lost_ice + ice::snow_density * lost_snow) * per_step;
        fluxes.salt[0] +=
            lost_ice * (salinity * ice::density / constants::fresh_water_density * per_step);
    }
};

}  // namespace fathom::physics
