/// Heat from the earth into the last wet cell of a column:
///   d(T content) / dt = A Q / (rho0 c_p)             [degC m3 s-1],
///       Q about 0.05 W m-2 in old basins, twice that and more on young ridges
#pragma once
#include <tuple>
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

struct GeothermalHeat {
    static constexpr std::string_view summary = "Heat from the sea floor into the bottom cell";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "geothermal_heat_flux", place::center_column, "W m-2"> heat,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        Updates<Real, "tracer_tendency", place::center_layer, "degC m3 s-1"> tendency) const {
        const Real gain = heat[0] * area[0] *
                          (1 / (constants::sea_water_density * constants::sea_water_heat_capacity)),
                   last = wet[0] - 1.0;
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real level = Real(typename Real::Number(k));
            tendency[k] += select(level < last, Real(0), select(last < level, Real(0), gain));
        }
    }
};

}  // namespace fathom::physics
