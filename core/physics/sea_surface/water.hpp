/// How deep sunlight goes, by type of water: input of transmission.hpp, I_1, I_2 and b_1, b_2.
#pragma once
#include <array>
#include "base/brief.hpp"
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::physics {

template <class Real> struct SunlightIntoWater {
    Writes<Real, "shortwave_flux_1", place::center_column, "degC m s-1"> flux_1;
    Writes<Real, "shortwave_flux_2", place::center_column, "degC m s-1"> flux_2;
    Writes<Real, "shortwave_extinction_1", place::center_column, "m-1"> extinction_1;
    Writes<Real, "shortwave_extinction_2", place::center_column, "m-1"> extinction_2;
};

inline constexpr double warming =
    1 / (constants::sea_water_density * constants::sea_water_heat_capacity);

/// Optical water types of Jerlov: I / I_0 = R exp(-z / d_1) + (1 - R) exp(-z / d_2)
///     (Paulson & Simpson 1977, J. Phys. Oceanogr. 7, 952-956, table 2)
struct JerlovWater {
    double water_type = 3;

    static constexpr std::string_view summary =
        "Absorption of sunlight by Jerlov's types of water (Paulson & Simpson 1977)";
    static constexpr std::tuple parameters{
        Parameter{"water_type", &JerlovWater::water_type, "1", 1, 5,
                  "1, 2, 3, 4, 5: Jerlov's types I, IA, IB, II, III"}};
    struct Type {
        double share, depth_1, depth_2;
    };
    static constexpr Type of(int type) {
        switch (type) {
            case 1: return {0.58, 0.35, 23};
            case 2: return {0.62, 0.60, 20};
            case 3: return {0.67, 1.00, 17};
            case 4: return {0.77, 1.50, 14};
            default: return {0.78, 1.40, 7.9};
        }
    }

    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun,
        SunlightIntoWater<Real> below) const {
        const Type water = of(int(water_type));
        below.flux_1[0] = sun[0] * (warming * water.share);
        below.flux_2[0] = sun[0] * (warming * (1 - water.share));
        below.extinction_1[0] = Real(1 / water.depth_1);
        below.extinction_2[0] = Real(1 / water.depth_2);
    }
};

/// By chlorophyll: I / I_0 = A_1 exp(-B_1 z) + A_2 exp(-B_2 z) below the first 2 m; the rest is
/// absorbed above (Ohlmann 2003, J. Climate 16, 1337-1351, table 1a, with its extension to 10 mg
/// m-3). A and B are polynomials in chlorophyll^(1/3), fitted to the table: within 0.4 % between
/// 0.01 and 10 mg m-3; beyond, the value of the limit is used.
struct ChlorophyllWater {
    static constexpr std::string_view summary =
        "Absorption of sunlight by chlorophyll (Ohlmann 2003)";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun,
        Reads<Real, "chlorophyll", place::center_column, "mg m-3"> chlorophyll,
        SunlightIntoWater<Real> below) const {
        const Real x = cube_root(smaller(larger(chlorophyll[0], 0.01), 10)),
                   entering = warming * sun[0];
        below.flux_1[0] = entering * polynomial(x, 0.424132, 0.0752224, 0.20548, -0.16649,
                                                0.0260969, 0.000807688);
        below.flux_2[0] =
            entering * polynomial(x, 0.317243, -0.119785, 0.108623, -0.22057, 0.165945, -0.0336096);
        below.extinction_1[0] =
            polynomial(x, 0.0257217, -0.001912, 0.15114, -0.0444618, 0.00598381, -0.000567625);
        below.extinction_2[0] =
            polynomial(x, 0.344114, -0.332493, 1.58839, -1.57511, 0.642806, -0.0929824);
    }
};

}  // namespace fathom::physics
