/// A lesson: your own scheme in C++, in one header. Relaxation of the temperature to a value:
///   dT/dt = (value - T) / time
/// `examples/own_scheme.py` uses it, and so does
///   fathom run ocean.toml --scheme own_scheme.hpp
/// The signature of the kernel says what the scheme reads and writes: names, places, units. Halos,
/// scratch memory, timers and the checks of units follow from it; keywords, limits and messages
/// follow from `parameters`. The last line gives the name of the scheme, its place in a step, and,
/// by the word `linear_entry`, its adjoint; `entry` would give none.
/// A Real is several numbers at once. It has + - * /, and by their plain names or with std:: the
/// functions exp log pow sqrt abs sin cos atan, max and min (larger, smaller), fma; in place of an
/// `if`, select(x < y, a, b).
#pragma once
#include "field/linear_entry.hpp"

struct Relaxation {
    double time = 86400, value = 10;

    static constexpr std::string_view summary = "relaxes temperature towards a value";
    static constexpr std::tuple parameters{
        fathom::Parameter{"time", &Relaxation::time, "s", 1, 1e12, "time of relaxation"},
        fathom::Parameter{"value", &Relaxation::value, "degC", -2, 40, "that is approached"}};

    template <class Real>
    constexpr void operator()(
        fathom::Reads<Real, "temperature", fathom::place::center_layer, "degC"> temperature,
        fathom::Reads<Real, "area_center", fathom::place::center_column, "m2"> area,
        fathom::ReadsProfile<Real, "thickness", "m"> thickness,
        fathom::Updates<Real, "temperature_tendency", fathom::place::center_layer, "any m3 s-1">
            tendency) const {
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real volume = area[0] * thickness[k];
            tendency[k] += volume * ((value - temperature[k]) * (1 / time));
        }
    }
};

inline fathom::Entries schemes() {
    return {fathom::linear_entry<Relaxation>("Relaxation").before("TracerUpdate of temperature")};
}
