/// A forcing variable between two times, such as the middles of two months, or two instants six
/// hours apart:
///
///   value = previous + w (next - previous),   w = forcing_weight[0]
///
/// One scheme for every variable, which has a weight of its own: process.on({{"previous",
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
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{reads("previous", where, "1"), reads("next", where, "1"),
                                       reads("forcing_weight", place::profile, "1"),
                                       writes("value", where, "1")};

    template <class Real>
    void operator()(In<Real> previous, In<Real> next, Profile<Real> weight, Out<Real> value) const {
        const Real from = previous[0];
        value[0] = fma(next[0] - from, weight[0], from);
    }
};

}  // namespace fathom::physics
