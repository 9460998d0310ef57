/// Ozone between two records, and the sun's light where its strength changes:
///
///   OzoneInTime       value = previous + w (next - previous)   in each layer
///   IrradianceInTime  insolation = insolation S(t) / S_0
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct OzoneInTime {
    static constexpr std::string_view summary = "Ozone between two records";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "ozone_previous", place::center_layer, "kg kg-1"> previous,
        Reads<Real, "ozone_next", place::center_layer, "kg kg-1"> next,
        ReadsProfile<Real, "ozone_weight", "1"> weight,
        Writes<Real, "ozone", place::center_layer, "kg kg-1"> ozone) const {
        const Real share = weight[0];
        for (int k = 0; k < ozone.levels(); ++k) {
            const Real from = previous[k];
            ozone[k] = fma(next[k] - from, share, from);
        }
    }
};

struct IrradianceInTime {
    double solar_constant = 1361;

    static constexpr std::string_view summary = "The sun's light of the present time";
    static constexpr std::tuple parameters{Parameter{"solar_constant",
                                                     &IrradianceInTime::solar_constant, "W m-2", 1,
                                                     1e5, "that the insolation was computed with"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "solar_irradiance", place::center_column, "W m-2"> now,
        Updates<Real, "insolation", place::center_column, "W m-2"> insolation) const {
        insolation[0] = insolation[0] * (now[0] * (1 / solar_constant));
    }
};

}  // namespace fathom::physics
