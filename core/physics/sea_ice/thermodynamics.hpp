/// Thermodynamics of one category of sea ice (energy as Bitz & Lipscomb 1999, J. Geophys. Res. 104,
/// 15669-15677; layers as Winton 2000, J. Atmos. Oceanic Technol. 17, 525-531): snow without heat
/// capacity over two layers of ice of equal thickness, with brine. For a unit of ice:
///
///   rho h/2 dq_1/dt = -(F_c - F_m + I_1),   F_c = K_c (T_s - T_1),  1 / K_c = h / 4k_1 + h_s / k_s
///   rho h/2 dq_2/dt = -(F_m - F_b + I_2),   F_m = K_m (T_1 - T_2),  1 / K_m = h / 4k_1 + h / 4k_2
///                                           F_b = 4k_2/h (T_2 - T_f)
///   light          I_0 = passing / (1 - R A) S_0 passes the surface (light.hpp), I_0 exp(-kappa z)
///       the depth z: I_1 + I_2 stay, the rest reaches the sea
///   at the top     F(T_s) + (1 - albedo) / (1 - R A) S_0 - I_0 = F_c + melt,
///       F(T) = F_0 + F' (T - T_0),   T_s <= 0
///   at the bottom  F_w + F_b: melts, or is taken from water that freezes
///
/// downward positive. Temperatures are backward in time: q(T') - q(T) = -(c - L T_m / T T')(T' - T)
/// is exact, and some iterations find T'. Then the fluxes change the heat: it is conserved for any
/// error of the iteration. Light melts the walls of brine pockets: q falls while T nears T_m; a
/// half without any heat left is water. At the top snow melts first, then upper, then lower ice; at
/// the bottom in the opposite order. Snow that presses ice below the water becomes ice. In warm
/// water the sides melt too. Of the snow that falls on ice, wind blows a share into leads, as water
/// for the sea: half of it or more around Antarctica (Leonard & Maksym 2011, Ann. Glaciol. 52,
/// 271-278; Dery & Tremblay 2004, J. Phys. Oceanogr. 34, 1083-1094).
///
/// The sea gets the rest of the fluxes: its heat, mass and salt are differences of the contents
/// before and after, so that budgets close to round-off.
#pragma once
#include "base/any.hpp"
#include "physics/sea_ice/category.hpp"
#include "physics/sea_ice/ponds.hpp"

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

/// Light on one category.
template <class Real> struct LightOnIce {
    Reads<Real, "category_albedo", place::center_column, "1"> albedo;
    Reads<Real, "category_passing_light", place::center_column, "1"> passing;
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
    /// Halves that light has melted within become water; of heat beyond that the sea gets it.
    constexpr void empty() {
        const Real none(0);
        upper = select(upper_heat > 0, upper, none), upper_heat = larger(upper_heat, none);
        lower = select(lower_heat > 0, lower, none), lower_heat = larger(lower_heat, none);
    }
    constexpr Real thickness() const { return upper + lower; }
    constexpr Real mass() const { return ice::density * thickness() + ice::snow_density * snow; }
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
    double step = 3600, salinity = 4, least_thickness = 0.05, drifting_snow = 0.5, extinction = 1.5,
           pond_drainage = 3.456e5;

    static constexpr std::string_view summary =
        "Growth and melt of one category of sea ice and its snow";
    static constexpr std::tuple parameters{
        Parameter{"step", &IceThermodynamics::step, "s", 0, 1e6, "time step"},
        Parameter{"salinity", &IceThermodynamics::salinity, "1e-3", 0.1, 20,
                  "mean salinity of the ice"},
        Parameter{"least_thickness", &IceThermodynamics::least_thickness, "m", 1e-3, 1,
                  "thinner ice covers less instead"},
        Parameter{"drifting_snow", &IceThermodynamics::drifting_snow, "1", 0, 1,
                  "share of the snow on ice that wind blows into leads"},
        Parameter{"extinction", &IceThermodynamics::extinction, "m-1", 0.1, 100,
                  "of light in the ice"},
        Parameter{"pond_drainage", &IceThermodynamics::pond_drainage, "s", 1, 1e9,
                  "time in which ponds drain"}};

    /// Light that stays in both halves, and that passes both.
    template <class Real> struct Light {
        Real upper, lower, below;
    };
    template <class Real> constexpr Light<Real> absorb(Real passing, Real h) const {
        const Real half = brief_exp(-smaller(h * (0.5 * extinction), Real(40))),
                   at_middle = passing * half;
        return {passing - at_middle, at_middle * (1 - half), at_middle * half};
    }

    /// Fluxes through the ice, and the flux from the air that its surface absorbs.
    template <class Real> struct Fluxes {
        Real top, middle, bottom, air, surface;
    };
    template <class Real>
    constexpr Fluxes<Real> conduct(const IceSlab<Real>& slab, Real drive, Real slope, Real bottom,
                                   const Light<Real>& light,
                                   const ice::MeltingPoints& melting) const {
        const double T_per_step = 1 / step;
        const Real h = slab.thickness(), mass = h * (0.5 * ice::density), m1(melting.upper),
                   m2(melting.lower);
        const Real T1 = smaller(ice::temperature_of(slab.upper_heat / mass, m1), m1),
                   T2 = smaller(ice::temperature_of(slab.lower_heat / mass, m2), m2),
                   k1 = ice::conductivity(T1, m1), k2 = ice::conductivity(T2, m2);
        const Real middle = 4 * k1 * k2 / (h * (k1 + k2)), at_bottom = 4 * k2 / h,
                   at_top = 1 / (0.25 * h / k1 + slab.snow * (1 / ice::of_snow));
        const auto surface = [&](Real upper) {
            return smaller((drive + at_top * upper) / (at_top - slope), Real(0));
        };
        Real upper = T1, lower = T2;
        for (int n = 0; n < 4; ++n) {
            const auto inertia = [&](Real before, Real after, Real melts) {
                return mass * T_per_step *
                       (ice::heat_capacity -
                        ice::fusion * melts / (before * smaller(after, melts)));
            };
            const Real c1 = inertia(T1, upper, m1), c2 = inertia(T2, lower, m2);
            const auto melts = (drive + at_top * upper) > 0;
            const Real share = at_top / (at_top - slope),
                       pull = select(melts, at_top, -share * slope),
                       push = select(melts, Real(0), share * drive);
            const Real a = c1 + pull + middle, b = c2 + middle + at_bottom,
                       r1 = c1 * T1 + push + light.upper,
                       r2 = c2 * T2 + at_bottom * bottom + light.lower;
            const Real determinant = 1 / (a * b - middle * middle);
            upper = (b * r1 + middle * r2) * determinant;
            lower = (a * r2 + middle * r1) * determinant;
        }
        const Real T_s = surface(upper), top = at_top * (T_s - upper);
        return {top, middle * (upper - lower), at_bottom * (lower - bottom),
                larger(top, select(T_s < 0, top, drive + slope * T_s)), T_s};
    }

    /// Effects of the fluxes on the slab: heat of its halves, melt at the top, melt or growth at
    /// the bottom, snow below the water. Returns the water of the melt at the top [m].
    template <class Real>
    constexpr Real change(IceSlab<Real>& slab, const Fluxes<Real>& f, const Light<Real>& light,
                          Real of_sea, Real bottom, Real melting) const {
        const double tau = step;
        slab.upper_heat -= tau * (f.top - f.middle + light.upper);
        slab.lower_heat -= tau * (f.middle - f.bottom + light.lower);
        slab.empty();
        Real above = tau * (f.air - f.top);
        const Real mass_before = slab.mass();
        slab.melt_snow(above);
        slab.melt(slab.upper, slab.upper_heat, above);
        slab.melt(slab.lower, slab.lower_heat, above);
        const Real melted = (mass_before - slab.mass()) * (1 / constants::fresh_water_density);
        const Real gained = tau * (of_sea + f.bottom), frozen = larger(-gained, Real(0));
        Real below = larger(gained, Real(0));
        slab.melt(slab.lower, slab.lower_heat, below);
        slab.melt(slab.upper, slab.upper_heat, below);
        slab.melt_snow(below);
        slab.lower_heat += frozen;
        slab.lower += frozen / (ice::density * ice::heat_at(bottom, melting));
        slab.flood();
        slab.even_out();
        return melted;
    }

    template <class Real>
    constexpr void operator()(
        AirOverIce<Real> air, SeaUnderIce<Real> sea, IceCategory<Real> category,
        LightOnIce<Real> on_ice,
        Updates<Real, "category_surface_temperature", place::center_column, "degC"> temperature,
        Writes<Real, "category_growth", place::center_column, "m"> growth,
        IceFluxes<Real> fluxes) const {
        const Real volume = category.volume[0], none(0), snow = category.snow[0];
        const auto present = volume > ice::least_volume;
        growth[0] = none;
        if (!any(volume + snow > 0)) return;
        const double tau = step, per_step = 1 / step;
        const ice::MeltingPoints melting(salinity);
        const Real bottom = melting.bottom(Real(sea.freezing[0]));

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
                   sun = air.sun[0] / (1 - air.sky[0] * air.albedo[0]),
                   passing = on_ice.passing[0] * sun,
                   absorbed = (1 - on_ice.albedo[0]) * sun - passing;
        const auto light = absorb(passing, thick);
        const Fluxes<Real> f = conduct(slab, air.heat[0] + absorbed - slope * air.at[0], slope,
                                       bottom, light, melting);
        const Real melted = change(slab, f, light, Real(sea.heat[0]), bottom, Real(melting.lower));

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
        put(category.ponds, left * ponds::after(category.ponds[0] * per_area, melted, f.surface,
                                                step, pond_drainage));
        temperature[0] = select(stays, f.surface, Real(temperature[0]));
        growth[0] = select(stays, slab.thickness() - thick, none);

        // the sea gets the rest
        const Real covered = select(present, area, none),
                   from_air = covered * (f.air + passing - ice::fusion * snowfall),
                   after = select(stays, left * slab.heat(), none);
        const Real lost_ice = volume - select(stays, ice_left, none),
                   lost_snow = snow - select(stays, left * slab.snow, none);
        fluxes.air_heat[0] += from_air;
        fluxes.heat[0] += from_air + (after - before) * per_step;
        fluxes.sun[0] += covered * light.below;
        fluxes.water[0] += (ice::density * lost_ice + ice::snow_density * lost_snow) * per_step;
        fluxes.salt[0] +=
            lost_ice * (salinity * ice::density / constants::fresh_water_density * per_step);
    }
};

}  // namespace fathom::physics
