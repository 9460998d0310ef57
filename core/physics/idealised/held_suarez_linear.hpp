/// Tangent and adjoint of the forcing of Held & Suarez (held_suarez.hpp), where `low` and the
/// equilibrium are above their least values:
///   d(low) = (dp - sigma d(p_s)) / (p_s (1 - sigma_b))
///   d(T_eq) = [kappa (a + h z) + h] (p / p_0)^kappa dp / p,   z = ln(p / p_0),   T_eq = (a + h z)
///       (p / p_0)^kappa
#pragma once
#include "field/linear.hpp"
#include "physics/idealised/held_suarez.hpp"

namespace fathom {

template <> struct Linear<physics::HeldSuarez> {
    using HeldSuarez = physics::HeldSuarez;
    static auto read(const auto& f) {
        return std::tuple{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                          f.template of<"air_temperature">(), f.template of<"air_pressure">(),
                          f.template of<"pressure_interface">()};
    }
    static auto tendencies(const auto& f) {
        return std::tuple{f.template of<"eastward_wind_tendency">(),
                          f.template of<"northward_wind_tendency">(),
                          f.template of<"air_temperature_tendency">()};
    }
    /// At a level: `low` and T_eq, how they change with p and p_s, and k_T.
    template <class Real> struct Level {
        Real low, low_by_p, low_by_surface, equilibrium, equilibrium_by_p, rate;
    };
    template <class Real> struct Column {
        Real at_surface, with_height, per_surface, surface, extra;
        double k_f, k_a;
        Column(const HeldSuarez& s, Real latitude, Real surface) : surface(surface) {
            constexpr double day = 86400;
            k_f = 1 / (s.friction * day), k_a = 1 / (s.cooling * day);
            const auto [sine, cosine] = sine_cosine(latitude);
            const Real cosine_square = cosine * cosine;
            at_surface = s.equator - s.pole_contrast * (sine * sine);
            with_height = -s.stability * cosine_square;
            per_surface = 1 / ((1 - s.boundary_layer) * surface);
            extra = (1 / (s.surface_cooling * day) - k_a) * (cosine_square * cosine_square);
        }
        Level<Real> at(const HeldSuarez& s, Real p) const {
            constexpr double kappa = 2. / 7;
            const Real zero(0), z = log(p * (1 / s.reference_pressure)),
                                linear = fma(with_height, z, at_surface), power = exp(kappa * z),
                                equilibrium = linear * power;
            const Real low = fma(p, per_surface, Real(-s.boundary_layer / (1 - s.boundary_layer)));
            const auto is_low = !(zero > low), is_warm = !(Real(s.stratosphere) > equilibrium);
            Level<Real> made;
            made.low = larger(zero, low);
            made.low_by_p = select(is_low, per_surface, zero);
            made.low_by_surface = select(is_low, -p * per_surface / surface, zero);
            made.equilibrium = larger(Real(s.stratosphere), equilibrium);
            made.equilibrium_by_p =
                select(is_warm, fma(kappa, linear, with_height) * power / p, zero);
            made.rate = fma(extra, made.low, Real(k_a));
            return made;
        }
    };
    template <class Real> static void tangent(const HeldSuarez& s, const auto& x, const auto& d) {
        const auto [u, v, T, p, interface] = read(x);
        const auto [du, dv, dT, dp, dinterface] = read(d);
        const auto [east, north, heating] = tendencies(d);
        const int levels = x.levels();
        const Real dps = dinterface[levels];
        const Column<Real> column(s, x.template of<"latitude">()[0], interface[levels]);
        for (int k = 0; k < levels; ++k) {
            const Level<Real> at = column.at(s, p[k]);
            const Real low = fma(at.low_by_p, dp[k], at.low_by_surface * dps);
            east[k] += -column.k_f * fma(low, u[k], at.low * du[k]);
            north[k] += -column.k_f * fma(low, v[k], at.low * dv[k]);
            heating[k] += fma(column.extra * low, at.equilibrium - T[k],
                              at.rate * fma(at.equilibrium_by_p, dp[k], -dT[k]));
        }
    }
    template <class Real> static void adjoint(const HeldSuarez& s, const auto& x, const auto& a) {
        const auto [u, v, T, p, interface] = read(x);
        const auto [au, av, aT, ap, ainterface] = read(a);
        const auto [east, north, heating] = tendencies(a);
        const int levels = x.levels();
        Real aps(0);
        const Column<Real> column(s, x.template of<"latitude">()[0], interface[levels]);
        for (int k = 0; k < levels; ++k) {
            const Level<Real> at = column.at(s, p[k]);
            const Real U = -column.k_f * east[k], V = -column.k_f * north[k],
                       warm = at.rate * heating[k];
            au[k] += at.low * U, av[k] += at.low * V, aT[k] -= warm;
            const Real low =
                fma(u[k], U, v[k] * V) + column.extra * heating[k] * (at.equilibrium - T[k]);
            ap[k] += fma(at.low_by_p, low, at.equilibrium_by_p * warm);
            aps = fma(at.low_by_surface, low, aps);
        }
        ainterface[levels] += aps;
    }
};

}  // namespace fathom
