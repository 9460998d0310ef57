/// Equation of state of McDougall, Wright, Jackett & Feistel (2003, J. Atmos. Oceanic Technol. 20,
/// 730-741, table 1):
///
///   rho(S, theta, p) = P1(S, theta, p) / P2(S, theta, p),
///       S practical salinity, theta potential temperature [degC], p sea pressure [dbar]
///
/// p is a fixed function of depth, rho0 g z. The anomaly is Q / P2 with Q = P1 - rho_ref P2, so
/// that no numbers near 1000 are subtracted: Q = (P1 - r P2) - (rho_ref - r) P2, and the first
/// bracket is again a polynomial, with small coefficients.
#pragma once
#include <tuple>
#include <utility>
#include "physics/thermodynamics/column.hpp"

namespace fathom::physics {

struct MWJF {
    static constexpr std::string_view summary =
        "Density of sea water after McDougall, Wright, Jackett & Feistel (2003), from potential "
        "temperature and practical salinity";

    static constexpr double r = 1027;  // [kg m-3], subtracted from P1 before any sum

    template <class Real> struct Parcel {
        Real T, S, TT, numerator, denominator;  // P1 - r P2, and P2, at p = 0
        [[gnu::always_inline]] constexpr Parcel(const MWJF&, Real T, Real salinity)
            : T(T), S(larger(salinity, 0)), TT(T * T) {
            const Real root = sqrt(S);
            denominator =
                fma(S,
                    fma(root, polynomial(TT, 4.76534122e-6, 1.63410736e-9),
                        fma(T, polynomial(TT, -9.27062484e-6, -1.78343643e-10), 2.14691708e-3)),
                    polynomial(T, 1, 7.28606739e-3, -4.60835542e-5, 3.68390573e-7, 1.80809186e-10));
            // P1 - r P2 term by term
            const Real saline = fma(
                root, polynomial(TT, -r * 4.76534122e-6, -r * 1.63410736e-9),
                fma(S, 2.12382341e-3,
                    fma(T, polynomial(TT, -7.23268813e-3 + r * 9.27062484e-6, r * 1.78343643e-10),
                        2.96938239 - r * 2.14691708e-3)));
            numerator = fma(S, saline,
                            polynomial(T, 9.99843699e2 - r, 7.35212840 - r * 7.28606739e-3,
                                       -5.45928211e-2 + r * 4.60835542e-5,
                                       3.98476704e-4 - r * 3.68390573e-7, -r * 1.80809186e-10));
        }
    };
    struct Level {
        double n0, nTT, nS, d0, dT, dTTT, excess;  // of P1 and P2, and rho_ref - r
        [[gnu::always_inline]] constexpr explicit Level(double p)
            : n0(p * (1.04004591e-2 - 3.24041825e-8 * p)),
              nTT(p * (1.03970529e-7 - 1.23869360e-11 * p)),
              nS(p * 5.18761880e-6),
              d0(p * 5.30848875e-6),
              dT(p * p * p * -1.27934137e-17),
              dTTT(p * p * -3.03175128e-16),
              excess(reference_density(p) - r) {}
    };
    template <class Real> struct Fraction {
        Real Q, P2;
    };
    template <class Real>
    static constexpr Fraction<Real> at(const Level& level, const Parcel<Real>& parcel) {
        const Real bend = parcel.T * polynomial(parcel.TT, level.dT, level.dTTT);
        const Real P2 = parcel.denominator + (bend + level.d0);
        // P1 - r P2 at p, then minus (rho_ref - r) P2
        const Real Q =
            parcel.numerator + fma(parcel.TT, level.nTT,
                                   fma(parcel.S, level.nS, fma(bend, -r, level.n0 - r * level.d0)));
        return {fma(P2, -level.excess, Q), P2};
    }
    template <class Real>
    static constexpr Real anomaly(const Parcel<Real>& parcel, const Level& level) {
        const auto fraction = at(level, parcel);
        return fraction.Q / fraction.P2;
    }
    template <class Real>
    static constexpr std::pair<Real, Real> anomalies(const Parcel<Real>& here,
                                                     const Parcel<Real>& above,
                                                     const Level& level) {
        const auto lower = at(level, here), upper = at(level, above);
        const Real inverse = 1 / (lower.P2 * upper.P2);  // one division for both
        return {lower.Q * (upper.P2 * inverse), upper.Q * (lower.P2 * inverse)};
    }

    /// {d rho / dT, d rho / dS} = (Q' - Q / P2 P2') / P2, written out: a third of the work of
    /// numbers that carry their derivatives.
    template <class Real>
    static constexpr std::pair<Real, Real> derivatives(const Level& level, Real T, Real S) {
        const Parcel<Real> parcel(MWJF{}, T, S);
        const auto [Q, P2] = at(level, parcel);
        const Real root = sqrt(parcel.S), TT = parcel.TT, bend = fma(TT, 3 * level.dTTT, level.dT);
        const Real d_root = root * polynomial(TT, 4.76534122e-6, 1.63410736e-9),
                   d_saline =
                       fma(T, polynomial(TT, -9.27062484e-6, -1.78343643e-10), 2.14691708e-3);
        const Real n_saline = fma(T, -7.23268813e-3, 2.96938239);
        const Real P2_S = fma(d_root, 1.5, d_saline);
        const Real P2_T = fma(parcel.S,
                              fma(root * T, 2 * 1.63410736e-9,
                                  polynomial(TT, -9.27062484e-6, -3 * 1.78343643e-10)),
                              polynomial(T, 7.28606739e-3, -2 * 4.60835542e-5, 3 * 3.68390573e-7,
                                         4 * 1.80809186e-10)) +
                          bend;
        const Real P1_S = n_saline + fma(parcel.S, 2 * 2.12382341e-3, level.nS),
                   P1_T = fma(parcel.S, -7.23268813e-3,
                              polynomial(T, 7.35212840, -2 * 5.45928211e-2 + 2 * level.nTT,
                                         3 * 3.98476704e-4));
        const Real inverse = 1 / P2, density = fma(Q, inverse, r + level.excess);  // P1 / P2
        return {(P1_T - density * P2_T) * inverse, (P1_S - density * P2_S) * inverse};
    }

    template <class Real> constexpr void operator()(WaterColumn<Real> water, Levels each) const {
        density_and_stratification(*this, water, each);
    }
};

}  // namespace fathom::physics
