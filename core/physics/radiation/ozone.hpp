/// A standard profile of ozone, for cases without data: 290 Dobson units, most about 9
/// hPa:
///
///   ozone = 1e-5 exp(-(ln(p / 9 hPa) / 1.2)^2 / 2) + 5e-8        [kg kg-1]
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct StandardOzone {
    double amount = 1;

    static constexpr std::string_view summary = "A standard profile of ozone";
    static constexpr std::tuple parameters{
        Parameter{"amount", &StandardOzone::amount, "1", 0, 10, "factor on the whole profile"}};

    template <class Real>
    constexpr void operator()(Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
                              Writes<Real, "ozone", place::center_layer, "kg kg-1"> ozone) const {
        for (int k = 0; k < ozone.levels(); ++k) {
            const Real x = log(pressure[k] * (1 / 900.)) * (1 / 1.2);
            ozone[k] = amount * fma(exp(-0.5 * (x * x)), 1e-5, 5e-8);
        }
    }
};

}  // namespace fathom::physics
