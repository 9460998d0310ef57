/// A scheme of a user's own with tangent and adjoint by hand, for test_own_schemes.py: a loss that
/// grows with the square,
///   dT/dt = -V T^2 / time:    d(dT/dt) = -2 V T dT / time
#pragma once
#include "field/linear_entry.hpp"

struct QuadraticLoss {
    double time = 86400;

    static constexpr std::string_view summary = "loss that grows with the square";
    static constexpr std::tuple parameters{
        fathom::Parameter{"time", &QuadraticLoss::time, "s", 1, 1e12, "time of a loss of 1 degC"}};

    template <class Real>
    constexpr void operator()(
        fathom::Reads<Real, "temperature", fathom::place::center_layer, "degC"> temperature,
        fathom::Reads<Real, "area_center", fathom::place::center_column, "m2"> area,
        fathom::ReadsProfile<Real, "thickness", "m"> thickness,
        fathom::Updates<Real, "temperature_tendency", fathom::place::center_layer, "any m3 s-1">
            tendency) const {
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real T = temperature[k];
            tendency[k] -= area[0] * thickness[k] * (T * T * (1 / time));
        }
    }
};

template <> struct fathom::Linear<QuadraticLoss> {
    /// 2 V T / time of a level.
    template <class Real> static Real slope(const QuadraticLoss& s, const auto& x, int k) {
        const Real volume = x.template of<"area_center">()[0] * x.template of<"thickness">()[k];
        return volume * (x.template of<"temperature">()[k] * (2 / s.time));
    }
    template <class Real>
    static void tangent(const QuadraticLoss& s, const auto& x, const auto& d) {
        const auto change = d.template of<"temperature_tendency">(),
                   dT = d.template of<"temperature">();
        for (int k = 0; k < x.levels(); ++k) change[k] -= slope<Real>(s, x, k) * dT[k];
    }
    template <class Real>
    static void adjoint(const QuadraticLoss& s, const auto& x, const auto& a) {
        const auto given = a.template of<"temperature_tendency">(),
                   aT = a.template of<"temperature">();
        for (int k = 0; k < x.levels(); ++k) aT[k] -= slope<Real>(s, x, k) * given[k];
    }
};

inline fathom::Entries schemes() {
    return {
        fathom::linear_entry<QuadraticLoss>("QuadraticLoss").before("TracerUpdate of temperature")};
}
