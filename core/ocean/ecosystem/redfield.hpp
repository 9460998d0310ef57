/// Carbon, alkalinity and oxygen that follow the nutrient of an ecosystem, d N the change of its
/// nitrate by biology (`nutrient_source`, which NPZD writes):
///   d C = r_C d N,   d A = -d N (uptake of nitrate is that of acid),   d O2 = -r_O d N
/// r_C = 106/16, r_O = 170/16 (Redfield et al. 1963; Anderson & Sarmiento 1994, Global Biogeochem.
/// Cycles 8). No shells of calcium carbonate.
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// The change of one tracer, ratio times that of the nutrient.
template <class Real>
constexpr void follow_nutrient(double ratio, const auto& source, const auto& thickness, Real eta,
                               Real area, auto& tendency) {
    for (int k = 0; k < tendency.levels(); ++k) {
        const Real h = k == 0 ? Real(thickness[k]) + eta : Real(thickness[k]);
        tendency[k] += (ratio * area) * h * source[k];
    }
}

template <bool own> struct RedfieldCarbon {
    double carbon = 6.625, alkalinity = 1;
    static constexpr std::string_view summary =
        "dissolved inorganic carbon and alkalinity that follow the nutrient of an ecosystem";
    static constexpr std::tuple parameters{
        Parameter{"carbon", &RedfieldCarbon::carbon, "1", 0, 100, "r_C, carbon over nitrogen"},
        Parameter{"alkalinity", &RedfieldCarbon::alkalinity, "1", 0, 10,
                  "alkalinity over nitrate that is taken up"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nutrient_source", place::center_layer, "mmol m-3 s-1"> source,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "dissolved_inorganic_carbon_tendency", place::center_layer, "mmol s-1">
            to_carbon,
        Updates<Real, "alkalinity_tendency", place::center_layer, "mmol s-1"> to_alkalinity) const {
        const Real height = eta[0], A = area[0];
        follow_nutrient<Real>(carbon, source, thickness, height, A, to_carbon);
        follow_nutrient<Real>(-alkalinity, source, thickness, height, A, to_alkalinity);
    }
};

template <bool own> struct RedfieldOxygen {
    double oxygen = 10.625;
    static constexpr std::string_view summary = "oxygen that follows the nutrient of an ecosystem";
    static constexpr std::tuple parameters{
        Parameter{"oxygen", &RedfieldOxygen::oxygen, "1", 0, 100, "r_O, oxygen over nitrogen"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nutrient_source", place::center_layer, "mmol m-3 s-1"> source,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "oxygen_tendency", place::center_layer, "mmol s-1"> to_oxygen) const {
        follow_nutrient<Real>(-oxygen, source, thickness, Real(eta[0]), Real(area[0]), to_oxygen);
    }
};

}  // namespace fathom::ocean
