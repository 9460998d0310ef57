/// Removes negative humidity: the deficit of a layer is taken from the layer below, at the end of
/// the step; the sum over the column does not change.
///
///   q_k < 0:   q_k -> 0,   m_k+1 q_k+1 += m_k q_k,   m = dp / g
///
/// The deficit of a whole column stays in its lowest layer. Advection makes such values, physics
/// does not.
#pragma once
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct PositiveHumidity {
    double step = 1200;

    static constexpr std::string_view summary = "Negative humidity is filled from the layers below";
    static constexpr std::tuple parameters{
        Parameter{"step", &PositiveHumidity::step, "s", 1e-3, 1e5, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Updates<Real, "specific_humidity_tendency", place::center_layer, "s-1"> tendency) const {
        const int last = humidity.levels() - 1;
        Real lacks = 0, upper = interface[0];  // times g
        for (int k = 0; k < last; ++k) {
            const Real lower = interface[k + 1], thickness = lower - upper, change = tendency[k];
            const Real content = fma(fma(change, step, humidity[k]), thickness, lacks),
                       left = smaller(content, 0);
            tendency[k] = change + (lacks - left) / (thickness * step);
            lacks = left;
            upper = lower;
        }
        tendency[last] += lacks / ((interface[last + 1] - upper) * step);
    }
};

}  // namespace fathom::physics
