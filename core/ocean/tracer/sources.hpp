/// Sources of a passive tracer, in addition to its transport.
///   age:      d(h T)/dt = h below the top layer, where T goes to 0 within a step
///       [s]
///   release:  d(h T)/dt = s h r                     r the rate [tracer s-1]
///   keep:     T(after) = (1 - s) T(after) + s T*,   the last of a step
/// s = (share of the column in a region) (share of the layer in a range of depth, 0 outside of the
/// given dates).
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

template <bool own> struct Ageing {
    double step = 3600;
    static constexpr std::string_view summary =
        "ideal age: grows with time, and is set to 0 at the surface";
    static constexpr std::tuple parameters{
        Parameter{"step", &Ageing::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "s"> age,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "s m3 s-1"> tendency) const {
        const Real A = area[0];
        tendency[0] += -(Real(thickness[0]) + eta[0]) * age[0] * A * (1 / step);
        for (int k = 1; k < tendency.levels(); ++k) tendency[k] += A * thickness[k];
    }
};

template <bool own> struct Release {
    double rate = 1;
    static constexpr std::string_view summary = "a tracer that is released at a rate in a region";
    static constexpr std::tuple parameters{Parameter{"rate", &Release::rate, "s-1", -1e9, 1e9,
                                                     "released amount, in the tracer's units"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_region", place::center_column, "1"> region,
        ReadsProfile<Real, "tracer_layers", "1"> layers,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency) const {
        const Real gain = rate * (area[0] * region[0]);
        for (int k = 0; k < tendency.levels(); ++k)
            tendency[k] +=
                gain * layers[k] * (k == 0 ? Real(thickness[k]) + eta[0] : Real(thickness[k]));
    }
};

struct Keep {
    double value = 1;
    static constexpr std::string_view summary = "a tracer that is kept at a value in a region";
    static constexpr std::tuple parameters{
        Parameter{"value", &Keep::value, "1", -1e9, 1e9, "value at which the tracer is kept"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_region", place::center_column, "1"> region,
        ReadsProfile<Real, "tracer_layers", "1"> layers,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        Updates<Real, "tracer_after", place::center_layer, "any"> after) const {
        const Real bottom = wet[0];
        for (int k = 0; k < after.levels(); ++k) {
            const Real share = region[0] * layers[k], now = after[k];
            after[k] = select(Real(typename Real::Number(k)) < bottom,
                              fma(share, Real(value), (1 - share) * now),
                              now);  // exactly, where the share is 1
        }
    }
};

}  // namespace fathom::ocean
