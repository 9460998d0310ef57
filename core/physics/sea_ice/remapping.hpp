/// Ice that grows or melts across the limits of its categories (linear remapping, Lipscomb 2001,
/// J. Geophys. Res. 106, 13989-14000). Within a category the area is spread over thickness along a
/// line,
///
///   g(h) = g_0 + g_1 (h - h_L) >= 0 in [h_L, h_R],   int g dh = a,   int h g dh = v,
///
/// [h_L, h_R] within the limits of the category. A step of growth f(h) carries a limit from H to
/// H* = H + f(H), with f along a line between the means of both categories. What lies between H and
/// H* has changed its category. Where the thinnest ice melts by d, what was thinner than d is gone:
///
///   da = int_0^d g dh   becomes open water.
///
/// Area and heat, snow and salt are kept: snow moves with area, ice and its heat with volume.
#pragma once
#include "base/any.hpp"
#include "physics/sea_ice/categories.hpp"

namespace fathom::physics {

inline constexpr double thickest = 1e3;  ///< above the thickest category is no limit [m]

/// g(h) of a category, between the limits L and R: in x = (h - h_L) / (h_R - h_L), with m the mean
/// of x,   g dh = a [4 - 6 m + (12 m - 6) x] dx.
template <class Real> struct ThicknessLine {
    Real area, left, width, mean;

    static constexpr ThicknessLine fit(Real area, Real h, Real L, Real R) {
        constexpr double narrow = 0.02;  // [m]
        h = smaller(larger(h, L + narrow), R - narrow);
        const Real left = larger(L, 3 * h - 2 * R),
                   width = larger(smaller(R, 3 * h - 2 * L) - left, Real(narrow));
        return {area, left, width, (h - left) / width};
    }
    /// Area and volume of the ice in this range of thickness.
    struct Part {
        Real area, volume;
    };
    constexpr Part between(Real from, Real to) const {
        const Real none(0), one(1), a = smaller(larger((from - left) / width, none), one),
                                    b = smaller(larger((to - left) / width, none), one);
        const Real squares = b * b - a * a, cubes = b * b * b - a * a * a;
        const Real share = larger((4 - 6 * mean) * (b - a) + (6 * mean - 3) * squares, none),
                   moment = (2 - 3 * mean) * squares + (4 * mean - 2) * cubes;
        return {area * share, area * larger(left * share + width * moment, none)};
    }
};

/// Mean thickness, 0 where there is none.
template <class Real> constexpr Real mean_thickness(Real volume, Real area) {
    return select(volume > ice::least_volume, volume / larger(area, Real(1e-12)), Real(0));
}

/// H*.
struct IceLimit {
    double limit = 1, below = 0, above = thickest;
    static constexpr std::string_view summary =
        "Where growth and melt have carried the limit between two categories of sea ice";
    static constexpr std::tuple parameters{
        Parameter{"limit", &IceLimit::limit, "m", 0.01, 100, "thickness between the categories"},
        Parameter{"below", &IceLimit::below, "m", 0, 100, "the limit below"},
        Parameter{"above", &IceLimit::above, "m", 0.01, thickest, "the limit above"}};

    template <class Real>
    constexpr void operator()(Reads<Real, "thinner_area", place::center_column, "1"> area_1,
                              Reads<Real, "thinner_volume", place::center_column, "m"> volume_1,
                              Reads<Real, "thinner_growth", place::center_column, "m"> growth_1,
                              Reads<Real, "thicker_area", place::center_column, "1"> area_2,
                              Reads<Real, "thicker_volume", place::center_column, "m"> volume_2,
                              Reads<Real, "thicker_growth", place::center_column, "m"> growth_2,
                              Writes<Real, "limit_after", place::center_column, "m"> after) const {
        const Real v1 = volume_1[0], v2 = volume_2[0], H(limit);
        if (!any(v1 + v2 > 0)) return;
        const Real h1 = mean_thickness(v1, Real(area_1[0])),
                   h2 = mean_thickness(v2, Real(area_2[0])), f1 = growth_1[0], f2 = growth_2[0];
        const auto thin = h1 > 0, thick = h2 > 0;
        const Real from = h1 - f1, share = (H - from) / larger(h2 - f2 - from, Real(1e-3)),
                   both = f1 + (f2 - f1) * smaller(larger(share, Real(0)), Real(1)),
                   one = select(thin, f1, select(thick, f2, Real(0)));
        const Real least = larger(Real(below), select(thin, h1, Real(0))),
                   most = smaller(Real(above), select(thick, h2, Real(above)));
        after[0] = larger(smaller(H + select(thin & thick, both, one), most), least);
    }
};

/// The ends of the range of thickness: thin ice that melts away, and the new thin end.
struct IceEnds {
    double limit = thickest;
    static constexpr std::string_view summary =
        "Open water where the thinnest sea ice has melted away";
    static constexpr std::tuple parameters{
        Parameter{"limit", &IceEnds::limit, "m", 0.01, thickest, "of the thinnest category"}};

    template <class Real>
    constexpr void operator()(
        Updates<Real, "category_area", place::center_column, "1"> area,
        Reads<Real, "category_volume", place::center_column, "m"> volume,
        Reads<Real, "category_growth", place::center_column, "m"> growth,
        Writes<Real, "lowest_limit", place::center_column, "m"> lowest,
        Writes<Real, "highest_limit", place::center_column, "m"> highest) const {
        const Real none(0), a = area[0], h = mean_thickness(Real(volume[0]), a), f = growth[0],
                            grown = select(h > 0, f, none);
        lowest[0] = larger(grown, none);
        highest[0] = Real(thickest);
        if (!any(grown < 0)) return;
        const auto before = ThicknessLine<Real>::fit(a, h - grown, none, Real(limit));
        const Real gone = before.between(none, larger(-grown, none)).area;
        area[0] = select(grown < 0, larger(a - gone, a * smaller(h * (1 / limit), Real(1))), a);
    }
};

/// What lies between H and H*, upward where the limit has grown.
struct IceShift {
    double limit = 1;
    static constexpr std::string_view summary =
        "Sea ice that growth or melt has carried across the limit between two categories";
    static constexpr std::tuple parameters{
        Parameter{"limit", &IceShift::limit, "m", 0.01, 100, "thickness between the categories"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "thinner_area", place::center_column, "1"> area_1,
        Reads<Real, "thinner_volume", place::center_column, "m"> volume_1,
        Reads<Real, "thicker_area", place::center_column, "1"> area_2,
        Reads<Real, "thicker_volume", place::center_column, "m"> volume_2,
        Reads<Real, "limit_below_after", place::center_column, "m"> below,
        Reads<Real, "limit_after", place::center_column, "m"> after,
        Reads<Real, "limit_above_after", place::center_column, "m"> above,
        Writes<Real, "shifted_area", place::center_column, "1"> shifted_area,
        Writes<Real, "shifted_volume", place::center_column, "m"> shifted_volume) const {
        const Real none(0), v1 = volume_1[0], v2 = volume_2[0], H(limit), now = after[0];
        shifted_area[0] = none, shifted_volume[0] = none;
        if (!any(v1 + v2 > 0)) return;
        const Real a1 = area_1[0], a2 = area_2[0], h1 = mean_thickness(v1, a1),
                   h2 = mean_thickness(v2, a2);
        const auto thinner = ThicknessLine<Real>::fit(a1, h1, Real(below[0]), now).between(H, now),
                   thicker = ThicknessLine<Real>::fit(a2, h2, now, Real(above[0])).between(now, H);
        const auto up = (h1 > 0) & (now > H), down = (h2 > 0) & (now < H);
        const auto either = [&](Real grown, Real melted) {
            return select(up, grown, select(down, -melted, none));
        };
        shifted_area[0] = either(smaller(thinner.area, a1), smaller(thicker.area, a2));
        shifted_volume[0] = either(smaller(thinner.volume, v1), smaller(thicker.volume, v2));
    }
};

/// Moves this ice to the other category.
struct IceCarry {
    static constexpr std::string_view summary =
        "Carries sea ice across the limit between two categories";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "shifted_area", place::center_column, "1"> shifted_area,
        Reads<Real, "shifted_volume", place::center_column, "m"> shifted_volume,
        TwoCategories<Real> ice) const {
        if (!any(ice.volume_1[0] + ice.volume_2[0] > 0)) return;
        const Real none(0), one(1), da = shifted_area[0], dv = shifted_volume[0];
        const auto up = dv > 0, down = dv < 0;
        if (!any(up | down)) return;
        const auto share = [&](Real shift, Real thinner, Real thicker) {
            const Real donor = select(up, thinner, thicker);
            return smaller(abs(shift) / larger(donor, Real(1e-30)), one);
        };
        const Real of_area = share(da, Real(ice.area_1[0]), Real(ice.area_2[0])),
                   of_volume = share(dv, Real(ice.volume_1[0]), Real(ice.volume_2[0]));
        const auto move = [&](auto& thinner, auto& thicker, Real part) {
            const Real a = thinner[0], b = thicker[0],
                       moved = select(up, part * a, select(down, -part * b, none));
            thinner[0] = a - moved;
            thicker[0] = b + moved;
        };
        move(ice.area_1, ice.area_2, of_area);
        move(ice.volume_1, ice.volume_2, of_volume);
        move(ice.snow_1, ice.snow_2, of_area);
        move(ice.upper_1, ice.upper_2, of_volume);
        move(ice.lower_1, ice.lower_2, of_volume);
        move(ice.ponds_1, ice.ponds_2, of_area);
    }
};

}  // namespace fathom::physics
