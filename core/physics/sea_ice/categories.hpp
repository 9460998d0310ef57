/// All categories of thickness: their sums, and the transfer from one to the next.
///
/// A category holds ice between two thicknesses. Growth and melt carry a part of it across the
/// limit (remapping.hpp). Where the mean itself lies beyond it - new ice, ice that was pressed
/// together or has come from elsewhere - all of the category goes to the other. Contents move
/// together, so that area, volume, snow and heat are kept.
#pragma once
#include "base/any.hpp"
#include "physics/sea_ice/category.hpp"

namespace fathom::physics {

/// first: the sum begins with this category.
template <bool first> struct IceSum {
    static constexpr std::string_view summary =
        first ? "Begins the sums over categories of sea ice"
              : "Adds a category of sea ice to the sums over categories";
    template <class Real, Text name, Text units>
    using Sum = std::conditional_t<first, Writes<Real, name, place::center_column, units>,
                                   Updates<Real, name, place::center_column, units>>;
    template <class Real>
    constexpr void operator()(
        Reads<Real, "category_area", place::center_column, "1"> area,
        Reads<Real, "category_volume", place::center_column, "m"> volume,
        Reads<Real, "category_snow", place::center_column, "m"> snow,
        Reads<Real, "category_upper_heat", place::center_column, "J m-2"> upper,
        Reads<Real, "category_lower_heat", place::center_column, "J m-2"> lower,
        Reads<Real, "category_surface_temperature", place::center_column, "degC"> temperature,
        Sum<Real, "sea_ice_area", "1"> all_area, Sum<Real, "sea_ice_volume", "m"> all_volume,
        Sum<Real, "sea_ice_snow", "m"> all_snow, Sum<Real, "sea_ice_heat", "J m-2"> all_heat,
        Sum<Real, "sea_ice_warmth", "degC"> warmth) const {
        if constexpr (!first)
            if (!any(area[0] + volume[0] > 0)) return;
        const auto add = [](auto& sum, Real value) {
            if constexpr (first)
                sum[0] = value;
            else
                sum[0] += value;
        };
        add(all_area, area[0]);
        add(all_volume, volume[0]);
        add(all_snow, snow[0]);
        add(all_heat, (upper[0] + lower[0]) + ice::snow_heat * snow[0]);
        add(warmth, area[0] * temperature[0]);
    }
};

/// Both categories of a limit: thinner_ and thicker_ contents.
template <class Real> struct TwoCategories {
    Updates<Real, "thinner_area", place::center_column, "1"> area_1;
    Updates<Real, "thinner_volume", place::center_column, "m"> volume_1;
    Updates<Real, "thinner_snow", place::center_column, "m"> snow_1;
    Updates<Real, "thinner_upper_heat", place::center_column, "J m-2"> upper_1;
    Updates<Real, "thinner_lower_heat", place::center_column, "J m-2"> lower_1;
    Updates<Real, "thinner_ponds", place::center_column, "m"> ponds_1;
    Updates<Real, "thicker_area", place::center_column, "1"> area_2;
    Updates<Real, "thicker_volume", place::center_column, "m"> volume_2;
    Updates<Real, "thicker_snow", place::center_column, "m"> snow_2;
    Updates<Real, "thicker_upper_heat", place::center_column, "J m-2"> upper_2;
    Updates<Real, "thicker_lower_heat", place::center_column, "J m-2"> lower_2;
    Updates<Real, "thicker_ponds", place::center_column, "m"> ponds_2;
};

struct IceTransfer {
    double limit = 1;
    static constexpr std::string_view summary =
        "Sea ice that has grown or melted across the limit between two categories";
    static constexpr std::tuple parameters{Parameter{"limit", &IceTransfer::limit, "m", 0.01, 100,
                                                     "thickness between the two categories"}};
    template <class Real> constexpr void operator()(TwoCategories<Real> ice) const {
        const Real v1 = ice.volume_1[0], v2 = ice.volume_2[0], none(0);
        if (!any(v1 + v2 > 0)) return;
        const auto grown = v1 > limit * ice.area_1[0], melted = v2 < limit * ice.area_2[0];
        if (!any(grown | melted)) return;
        const auto move = [&](auto& from, auto& to) {
            const Real a = from[0], b = to[0], up = select(grown, a, none),
                       down = select(melted, b, none);
            from[0] = (a - up) + down;
            to[0] = (b - down) + up;
        };
        move(ice.area_1, ice.area_2);
        move(ice.volume_1, ice.volume_2);
        move(ice.snow_1, ice.snow_2);
        move(ice.upper_1, ice.upper_2);
        move(ice.lower_1, ice.lower_2);
        move(ice.ponds_1, ice.ponds_2);
    }
};

/// Mean temperature of the ice surface, at which the air computes its fluxes in the next step.
struct IceSurfaceTemperature {
    static constexpr std::string_view summary = "Mean surface temperature of sea ice";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_ice_area", place::center_column, "1"> area,
        Reads<Real, "sea_ice_warmth", place::center_column, "degC"> warmth,
        Writes<Real, "ice_surface_temperature", place::center_column, "degC"> temperature) const {
        const Real a = area[0];
        temperature[0] = select(a > 0, warmth[0] / larger(a, Real(1e-30)), Real(-1.8));
    }
};

}  // namespace fathom::physics
