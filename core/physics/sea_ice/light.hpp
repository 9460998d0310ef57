/// Sunlight on a cell of floes and leads. Clouds are several floe sizes high: light reflected
/// between surface and sky spreads over floes and leads, so that all of a cell gets
///
///   S_0 / (1 - R A),   A = sum_n a_n albedo_n + (1 - a) 0.066,
///
/// S_0 what would reach a black surface, R the cloud-base albedo for multiple reflection (Shine
/// 1984, Q. J. R. Meteorol. Soc. 110, 747-764).
///
/// Snow covers the share c = h_s / (h_s + 0.02 m) of the ice. What it leaves bare is darker where
/// it is thin, and where it has ponds (ponds.hpp):
///
///   albedo = c albedo_snow + (1 - c) albedo_bare
///   without ponds   albedo_bare = 0.066 + (albedo_ice - 0.066) (1 - exp(-h / 0.4 m))
///
/// Of the light that bare ice absorbs, the share i_0 passes its surface; the rest stays there. i_0
/// is 0.18 under clear sky and 0.35 under cloud (Grenfell & Maykut 1977, J. Glaciol. 18,
/// 445-463), with the cloud cover 0.9 of the Arctic in summer 0.33. Snow lets none pass.
#pragma once
#include "base/any.hpp"
#include "base/brief.hpp"
#include "physics/sea_ice/category.hpp"
#include "physics/sea_ice/open_water.hpp"
#include "physics/sea_ice/ponds.hpp"
#include "physics/sea_surface/bulk.hpp"

namespace fathom::physics {

/// first: the mean over the cell begins with this category and open water.
template <bool first> struct IceAlbedo {
    double snow_albedo = 0.846, melting_snow_albedo = 0.77, ice_albedo = 0.68, passing_light = 0.33;
    static constexpr std::string_view summary =
        first ? "Albedo of a category of sea ice; begins that of the cell"
              : "Albedo of a category of sea ice, added to that of the cell";
    static constexpr std::tuple parameters{
        Parameter{"snow_albedo", &IceAlbedo::snow_albedo, "1", 0, 1, "albedo of cold snow"},
        Parameter{"melting_snow_albedo", &IceAlbedo::melting_snow_albedo, "1", 0, 1,
                  "albedo of melting snow"},
        Parameter{"ice_albedo", &IceAlbedo::ice_albedo, "1", 0, 1,
                  "albedo of thick ice without snow and ponds"},
        Parameter{"passing_light", &IceAlbedo::passing_light, "1", 0, 1,
                  "share of the light absorbed by bare ice that passes its surface"}};

    /// Of a unit of ice: albedo, and the share of the light that passes the surface. Snow gets dark
    /// within the last degree before it melts.
    template <class Real> struct OfIce {
        Real albedo, passing;
    };
    template <class Real>
    constexpr OfIce<Real> of(Real h, Real snow, Real pond, Real surface) const {
        constexpr double opaque = 0.4, covering = 0.02, of_sea = sea_air::albedo;
        const Real warm = smaller(larger(surface + 1, Real(0)), Real(1)),
                   white = snow_albedo + warm * (melting_snow_albedo - snow_albedo),
                   covered = snow / (snow + covering);
        const Real ice = of_sea + (ice_albedo - of_sea) *
                                      (1 - brief_exp(-smaller(h * (1 / opaque), Real(80)))),
                   bare = ponds::albedo(ponds::share(pond), ice);
        return {bare + (white - bare) * covered, passing_light * (1 - covered) * (1 - bare)};
    }

    template <class Real>
    using Mean =
        std::conditional_t<first, Writes<Real, "surface_albedo", place::center_column, "1">,
                           Updates<Real, "surface_albedo", place::center_column, "1">>;
    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_ice_area", place::center_column, "1"> all,
        Reads<Real, "category_area", place::center_column, "1"> area,
        Reads<Real, "category_volume", place::center_column, "m"> volume,
        Reads<Real, "category_snow", place::center_column, "m"> snow,
        Reads<Real, "category_ponds", place::center_column, "m"> pond,
        Reads<Real, "category_surface_temperature", place::center_column, "degC"> temperature,
        Writes<Real, "category_albedo", place::center_column, "1"> of_ice,
        Writes<Real, "category_passing_light", place::center_column, "1"> passing,
        Mean<Real> mean) const {
        const Real one(1), sum = all[0], a = area[0], v = volume[0],
                           water = sea_air::albedo * (1 - smaller(sum, one));
        if (!any(a + v > 0)) {
            if constexpr (first) mean[0] = water;
            return;
        }
        const Real per_area = 1 / larger(a, Real(1e-9));
        const auto found =
            of(v * per_area, snow[0] * per_area, pond[0] * per_area, Real(temperature[0]));
        of_ice[0] = found.albedo;
        passing[0] = found.passing;
        const Real share = a / larger(sum, one) * found.albedo;
        if constexpr (first)
            mean[0] = water + share;
        else
            mean[0] += share;
    }
};

/// Open water, whose sunlight is known as if there was no ice around it: S, with
/// S_0 = S (1 - 0.066 R).
struct LightInLeads {
    static constexpr std::string_view summary =
        "Sunlight that ice reflects and the sky sends down again, into the water between the ice";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_albedo", place::center_column, "1"> albedo,
        Reads<Real, "ice_sky_reflection", place::center_column, "1"> sky,
        Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat,
        Updates<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun) const {
        const Real R = sky[0], more = (1 - sea_air::albedo * R) / (1 - R * albedo[0]),
                   dark = sun[0];
        sun[0] = more * dark;
        heat[0] += (more - 1) * dark;
    }
};

}  // namespace fathom::physics
