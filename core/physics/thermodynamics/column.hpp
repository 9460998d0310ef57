/// The common part of the equations of state: density as an anomaly, and static stability, in one
/// sweep down the column.
///
///   density_anomaly = rho(S, T, p) - rho_ref(p)                                  [kg m-3]
///   N^2 = g / rho0 (rho(S_k, T_k, p_k) - rho(S_k-1, T_k-1, p_k)) / distance      [s-2]
///       at interface k, between layers k-1 and k
///
/// rho_ref is a function of depth alone: it cancels in horizontal pressure gradients and in N^2,
/// and without it a number of 32 bits resolves 1e-6 kg m-3 instead of 1e-4. Both parcels of N^2 are
/// at the pressure of the lower layer: equal compression of both is not stratification.
#pragma once
#include <algorithm>
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

/// rho_ref(p), p in dbar: MWJF at salinity 34.9, potential temperature 2 degC, within 0.007 kg m-3
/// down to 8000 dbar.
constexpr double reference_density(double p) {
    return 1027.897 + p * (4.69348e-3 - 4.94596e-8 * p);
}

/// The fields of an equation of state with pressure.
template <class Real> struct WaterColumn {
    Reads<Real, "temperature", place::center_layer, "degC"> temperature;
    Reads<Real, "salinity", place::center_layer, "1e-3"> salinity;
    ReadsProfile<Real, "pressure_reference", "dbar"> pressure;
    ReadsProfile<Real, "thickness", "m"> thickness;
    Writes<Real, "density_anomaly", place::center_layer, "kg m-3"> anomaly;
    Writes<Real, "stratification", place::center_interface, "s-2"> stratification;
};

/// An equation of state has three parts: Parcel (depends on T and S alone: kept from the layer
/// above, not computed twice), Level (depends on pressure alone: once for all columns) and
/// `anomaly`, which joins them; `anomalies` does it for two parcels at one level, at less than
/// twice the cost. As templates on their number they also give expansion and contraction
/// (expansion.hpp).
template <class State, class Real>
constexpr void density_and_stratification(const State& state, In<Real> temperature,
                                          In<Real> salinity, auto level, Profile<Real> thickness,
                                          Out<Real> anomaly, Out<Real> stratification,
                                          Levels each) {
    using Parcel = typename State::template Parcel<Real>;
    const int over = std::max(each.first - 1, 0);
    Parcel above(state, temperature[over], salinity[over]);
    for (int k = each.first; k < each.end; ++k) {
        const Parcel here(state, temperature[k], salinity[k]);
        const auto [lower, upper] = state.anomalies(here, above, level(k));
        anomaly[k] = lower;
        stratification[k] =
            (lower - upper) * (2 * constants::gravity / constants::sea_water_density /
                               (thickness[k > 0 ? k - 1 : 0] + thickness[k]));
        above = here;  // k = 0: the parcel against itself, 0
    }
    if (each.has_interface(each.count)) stratification[each.count] = 0;
}
template <class State, class Real>
constexpr void density_and_stratification(const State& state, const WaterColumn<Real>& water,
                                          Levels each) {
    density_and_stratification(
        state, water.temperature, water.salinity,
        [&](int k) { return typename State::Level(double(water.pressure[k])); }, water.thickness,
        water.anomaly, water.stratification, each);
}

}  // namespace fathom::physics
