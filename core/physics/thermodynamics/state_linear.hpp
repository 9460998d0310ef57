/// Tangents and adjoints of the equations of state with pressure (column.hpp, expansion.hpp): what
/// a layer has depends on its temperature and salinity, and on those of the layer above.
#pragma once
#include "base/dual.hpp"
#include "field/linear.hpp"
#include "physics/thermodynamics/expansion.hpp"
#include "physics/thermodynamics/mwjf.hpp"

namespace fathom {

namespace physics {

/// d(rho) / dT and d(rho) / dS of a parcel at a level; 0 by a salinity below 0, which counts as 0.
template <class State, class Real>
constexpr std::pair<Real, Real> slopes(const typename State::Level& level, Real T, Real S) {
    const auto [by_T, by_S] = State::derivatives(level, T, S);
    return {by_T, select(S > Real(0), by_S, Real(0))};
}

/// body(k, of the layer itself, of the layer above), slopes at the pressure of layer k; half the
/// distance to the layer above by g / rho0.
template <class State, class Real> void each_layer(const auto& x, const auto& body) {
    const auto T = x.template of<"temperature">(), S = x.template of<"salinity">();
    const auto pressure = x.template of<"pressure_reference">(),
               thickness = x.template of<"thickness">();
    for (int k = 0; k < x.levels(); ++k) {
        const int above = k > 0 ? k - 1 : 0;
        const typename State::Level level(double(pressure[k]));
        const double per_distance = 2 * constants::gravity / constants::sea_water_density /
                                    (thickness[above] + thickness[k]);
        body(k, slopes<State>(level, Real(T[k]), Real(S[k])),
             slopes<State>(level, Real(T[above]), Real(S[above])), per_distance);
    }
}

}  // namespace physics

/// d(rho_k) = rho_T dT_k + rho_S dS_k,   d(N^2_k) = g / rho0 (d(rho_k) - d(rho_k-1)) / distance
template <> struct Linear<physics::MWJF> {
    template <class Real> static void tangent(const physics::MWJF&, const auto& x, const auto& d) {
        const auto dT = d.template of<"temperature">(), dS = d.template of<"salinity">(),
                   density = d.template of<"density_anomaly">(),
                   stratification = d.template of<"stratification">();
        physics::each_layer<physics::MWJF, Real>(x, [&](int k, const auto& here, const auto& over,
                                                        double per_distance) {
            const Real lower = here.first * dT[k] + here.second * dS[k];
            density[k] = lower;
            stratification[k] =
                k == 0
                    ? Real(0)
                    : (lower - (over.first * dT[k - 1] + over.second * dS[k - 1])) * per_distance;
        });
        stratification[x.levels()] = Real(0);
    }
    template <class Real> static void adjoint(const physics::MWJF&, const auto& x, const auto& a) {
        const auto aT = a.template of<"temperature">(), aS = a.template of<"salinity">(),
                   density = a.template of<"density_anomaly">(),
                   stratification = a.template of<"stratification">();
        physics::each_layer<physics::MWJF, Real>(
            x, [&](int k, const auto& here, const auto& over, double per_distance) {
                const Real upper = k == 0 ? Real(0) : Real(stratification[k]) * per_distance,
                           lower = density[k] + upper;
                aT[k] += here.first * lower;
                aS[k] += here.second * lower;
                if (k == 0) return;
                aT[k - 1] -= over.first * upper;
                aS[k - 1] -= over.second * upper;
            });
    }
};

/// By second derivatives of the density, from numbers that carry their tangents.
template <> struct Linear<physics::Expansion<physics::MWJF>> {
    using Scheme = physics::Expansion<physics::MWJF>;
    template <class Real> static void tangent(const Scheme&, const auto& x, const auto& d) {
        each_layer<Real>(x, [&](int k, const auto& by_T, const auto& by_S) {
            const Real dT = d.template of<"temperature">()[k], dS = d.template of<"salinity">()[k];
            d.template of<"thermal_expansion">()[k] = by_T.first * dT + by_S.first * dS;
            d.template of<"haline_contraction">()[k] = by_T.second * dT + by_S.second * dS;
        });
    }
    template <class Real> static void adjoint(const Scheme&, const auto& x, const auto& a) {
        each_layer<Real>(x, [&](int k, const auto& by_T, const auto& by_S) {
            const Real alpha = a.template of<"thermal_expansion">()[k],
                       beta = a.template of<"haline_contraction">()[k];
            a.template of<"temperature">()[k] += by_T.first * alpha + by_T.second * beta;
            a.template of<"salinity">()[k] += by_S.first * alpha + by_S.second * beta;
        });
    }

private:
    /// body(k, d(alpha, beta) / dT, d(alpha, beta) / dS).
    template <class Real> static void each_layer(const auto& x, const auto& body) {
        using Carrying = Dual<typename Real::Number, Real::width>;
        const auto T = x.template of<"temperature">(), S = x.template of<"salinity">();
        const auto pressure = x.template of<"pressure_reference">();
        constexpr double per_density = 1 / constants::sea_water_density;
        for (int k = 0; k < x.levels(); ++k) {
            const physics::MWJF::Level level(double(pressure[k]));
            const auto by = [&](Real along_T, Real along_S) {
                const auto [by_T, by_S] = physics::MWJF::derivatives(level, Carrying(T[k], along_T),
                                                                     Carrying(S[k], along_S));
                return std::pair(by_T.tangent * -per_density, by_S.tangent * per_density);
            };
            body(k, by(1, 0), by(0, 1));
        }
    }
};

}  // namespace fathom
