/// A forcing variable between two times, such as the middles of two months:
///
///   value = previous + w (next - previous),   w = forcing_weight[0]
///
/// One scheme for every variable: process.on({{"previous", "air_temperature_previous"}, ..., {"value", "air_temperature"}}).
#pragma once
#include "base/pack.hpp"
#include "field/field.hpp"
#include <tuple>

namespace fathom::physics {

struct TimeInterpolation {
    static constexpr std::string_view summary = "A forcing variable between two times";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("previous",       place::center_column, "1"),
        reads ("next",           place::center_column, "1"),
        reads ("forcing_weight", place::profile,       "1"),
        writes("value",          place::center_column, "1")};

    template <class Real> void operator()(In<Real> previous, In<Real> next, Profile<Real> weight, Out<Real> value) const {
        const Real from = previous[0];
        value[0] = fma(next[0] - from, weight[0], from);
    }
};

}  // namespace fathom::physics
