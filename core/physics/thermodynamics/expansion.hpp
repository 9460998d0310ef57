/// Thermal expansion and haline contraction of any equation of state, exact derivatives at the
/// layer's own pressure:
///
///   alpha = -(d rho / dT) / rho0,     beta = (d rho / dS) / rho0
///
/// Parcel and Level of the equation of state are computed with numbers that carry their
/// derivatives, unless the class has a function `derivatives`.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::physics {

/// A number and its derivatives with respect to temperature and salinity.
template <class Real> struct Differential {
    Real value, by_T, by_S;
    Differential() = default;
    constexpr Differential(Real value, Real by_T, Real by_S)
        : value(value), by_T(by_T), by_S(by_S) {}
    constexpr Differential(Real value) : value(value), by_T(0), by_S(0) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Differential(A x) : Differential(Real(x)) {}

    friend constexpr Differential operator+(Differential a, Differential b) {
        return {a.value + b.value, a.by_T + b.by_T, a.by_S + b.by_S};
    }
    friend constexpr Differential operator-(Differential a, Differential b) {
        return {a.value - b.value, a.by_T - b.by_T, a.by_S - b.by_S};
    }
    friend constexpr Differential operator*(Differential a, double b) {
        return {a.value * b, a.by_T * b, a.by_S * b};
    }
    friend constexpr Differential operator*(double a, Differential b) { return b * a; }
    friend constexpr Differential operator*(Differential a, Differential b) {
        return {a.value * b.value, fma(a.by_T, b.value, a.value * b.by_T),
                fma(a.by_S, b.value, a.value * b.by_S)};
    }
    friend constexpr Differential operator/(Differential a, Differential b) {
        const Real inverse = 1 / b.value, quotient = a.value * inverse;
        return {quotient, (a.by_T - quotient * b.by_T) * inverse,
                (a.by_S - quotient * b.by_S) * inverse};
    }
    friend constexpr Differential fma(Differential a, double b, Differential c) {
        return {fma(a.value, b, c.value), fma(a.by_T, b, c.by_T), fma(a.by_S, b, c.by_S)};
    }
    friend constexpr Differential fma(Differential a, Differential b, Differential c) {
        return {fma(a.value, b.value, c.value), fma(a.by_T, b.value, fma(a.value, b.by_T, c.by_T)),
                fma(a.by_S, b.value, fma(a.value, b.by_S, c.by_S))};
    }
    friend constexpr Differential sqrt(Differential a) {
        const Real root = sqrt(a.value),
                   slope = 0.5 / larger(root, 1e-6);  // finite in fresh water, and on land
        return {root, a.by_T * slope, a.by_S * slope};
    }
    friend constexpr Differential larger(Differential a, Real least) {
        return {larger(a.value, least), select(a.value > least, a.by_T, 0),
                select(a.value > least, a.by_S, 0)};
    }
};

template <class State, class Real>
constexpr void expansion_and_contraction(const State& state, In<Real> temperature,
                                         In<Real> salinity, auto level, Out<Real> expansion,
                                         Out<Real> contraction, Levels each) {
    using Number = Differential<Real>;
    for (int k = each.first; k < each.end; ++k) {
        Real by_T, by_S;
        if constexpr (requires { state.derivatives(level(k), temperature[k], salinity[k]); })
            std::tie(by_T, by_S) = state.derivatives(level(k), temperature[k], salinity[k]);
        else {
            const typename State::template Parcel<Number> parcel(
                state, Number(temperature[k], 1, 0), Number(salinity[k], 0, 1));
            const Number density = state.anomaly(parcel, level(k));
            by_T = density.by_T, by_S = density.by_S;
        }
        expansion[k] = by_T * (-1 / constants::sea_water_density);
        contraction[k] = by_S * (1 / constants::sea_water_density);
    }
}

/// Of an equation of state with pressure, which has no parameters.
template <class State> struct Expansion {
    static constexpr std::string_view summary =
        "Thermal expansion and haline contraction of sea water";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        ReadsProfile<Real, "pressure_reference", "dbar"> pressure,
        Writes<Real, "thermal_expansion", place::center_layer, "K-1"> expansion,
        Writes<Real, "haline_contraction", place::center_layer, "1e3"> contraction,
        Levels each) const {
        expansion_and_contraction(
            State{}, temperature, salinity,
            [&](int k) { return typename State::Level(double(pressure[k])); }, expansion,
            contraction, each);
    }
};

/// Of the linear equation: constants.
struct LinearExpansion {
    double reference_density = constants::sea_water_density, thermal_expansion = 2e-4,
           haline_contraction = 7.6e-4;
    static constexpr std::string_view summary =
        "Thermal expansion and haline contraction of the linear equation of state";
    static constexpr std::tuple parameters{
        Parameter{"reference_density", &LinearExpansion::reference_density, "kg m-3", 500, 2000,
                  "density at the reference temperature and salinity"},
        Parameter{"thermal_expansion", &LinearExpansion::thermal_expansion, "K-1", -1, 1,
                  "relative decrease of density with temperature"},
        Parameter{"haline_contraction", &LinearExpansion::haline_contraction, "1e3", -1, 1,
                  "relative increase of density with salinity"}};

    template <class Real>
    constexpr void operator()(
        Writes<Real, "thermal_expansion", place::center_layer, "K-1"> expansion,
        Writes<Real, "haline_contraction", place::center_layer, "1e3"> contraction,
        Levels each) const {
        const double relative = reference_density / constants::sea_water_density;
        for (int k = each.first; k < each.end; ++k) {
            expansion[k] = Real(thermal_expansion * relative);
            contraction[k] = Real(haline_contraction * relative);
        }
    }
};

}  // namespace fathom::physics
