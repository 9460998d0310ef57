/// A forcing variable between two times, such as the middles of two months, or two instants six
/// hours apart:
///
///   value = previous + w (next - previous),   w = forcing_weight[0]
///
/// One scheme for every variable, which has its own weight: process.on({{"previous",
/// "air_temperature_previous"}, ..., {"forcing_weight", "air_temperature_weight"}}).
#pragma once
#include <tuple>
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

template <bool corners> struct TimeInterpolation {
    static constexpr Place where = corners ? place::corner_vector_column : place::center_column;
    static constexpr std::string_view summary =
        corners ? "A forcing variable at corners between two times"
                : "A forcing variable between two times";

    template <class Real>
    constexpr void operator()(Reads<Real, "previous", where, "any"> previous,
                              Reads<Real, "next", where, "any"> next,
                              ReadsProfile<Real, "forcing_weight", "1"> weight,
                              Writes<Real, "value", where, "any"> value) const {
        const Real from = previous[0];
        value[0] = fma(next[0] - from, weight[0], from);
    }
};

}  // namespace fathom::physics
