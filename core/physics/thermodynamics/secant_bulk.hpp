/// The international equation of state of sea water, EOS-80, by its secant bulk modulus K; p in bar
/// above the surface:
///
///   rho(S, T, p) = rho(S, T, 0) / (1 - p / K),   K = K_0(S, T) + A(S, T) p + B(S, T) p^2
///   UNESCO: T in situ, from potential temperature (adiabatic.hpp)
///       Fofonoff & Millard 1983, Unesco technical papers in marine science 44
///   JMCD:   T potential, K fitted again to the same densities
///       Jackett & McDougall 1995, J. Atmos. Oceanic Technol. 12, 381-389, table A1
///
/// The anomaly, without a difference of large numbers: with r = 1027, and K_r(p) the modulus of
/// some water,
///   rho - rho_ref = [rho(S, T, 0) - r - rho_ref p (K - K_r) / (K K_r) + (r - rho_ref (1
///       - p / K_r))] / (1 - p / K)
/// The last bracket depends on the level alone, computed in 64 bits; K - K_r is a polynomial
/// without its constants.
#pragma once
#include <tuple>
#include <utility>
#include "base/table.hpp"
#include "physics/thermodynamics/adiabatic.hpp"
#include "physics/thermodynamics/column.hpp"

namespace fathom::physics {

namespace secant_bulk {

inline constexpr double r = 1027;  // [kg m-3]

/// rho(S, T, 0) - r: Millero & Poisson (1981), the same for both.
template <class Real> constexpr Real at_surface(Real T, Real S, Real root) {
    const Real saline = fma(
        root, polynomial(T, -5.72466e-3, 1.0227e-4, -1.6546e-6),
        fma(S, 4.8314e-4, polynomial(T, 8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9)));
    return fma(S, saline,
               polynomial(T, 999.842594 - r, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6,
                          6.536332e-9));
}

/// Coefficients of K_0, A and B by powers of T: of fresh water, times S, times S^3/2. K_r(p)
/// consists of the terms of K_0 and A without T and S^3/2, at S = 35.
struct UNESCO {
    using K = Table<std::array{19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5}>;
    using K_S = Table<std::array{54.6746, -0.603459, 1.09987e-2, -6.1670e-5}>;
    using K_R = Table<std::array{7.944e-2, 1.6483e-2, -5.3009e-4}>;
    using A = Table<std::array{3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7}>;
    using A_S = Table<std::array{2.2838e-3, -1.0981e-5, -1.6078e-6}>;
    static constexpr double A_R = 1.91075e-4;
    using B = Table<std::array{8.50935e-5, -6.12293e-6, 5.2787e-8}>;
    using B_S = Table<std::array{-9.9348e-7, 2.0816e-8, 9.1697e-10}>;
};
struct JMCD {
    using K = Table<std::array{1.965933e4, 1.444304e2, -1.706103, 9.648704e-3, -4.190253e-5}>;
    using K_S = Table<std::array{5.284855e1, -3.101089e-1, 6.283263e-3, -5.084188e-5}>;
    using K_R = Table<std::array{3.886640e-1, 9.085835e-3, -4.619924e-4}>;
    using A = Table<std::array{3.186519, 2.212276e-2, -2.984642e-4, 1.956415e-6}>;
    using A_S = Table<std::array{6.704388e-3, -1.847318e-4, 2.059331e-7}>;
    static constexpr double A_R = 1.480266e-4;
    using B = Table<std::array{2.102898e-4, -1.202016e-5, 1.394680e-7}>;
    using B_S = Table<std::array{-2.040237e-6, 6.128773e-8, 6.207323e-10}>;
};

/// The part of a parcel that is the same at all pressures: rho(S, T, 0) - r, K_0 minus that of the
/// reference water, A, B.
template <class Coefficients, class Real> struct Modulus {
    static constexpr double K_ref = Coefficients::K::at(0) + 35 * Coefficients::K_S::at(0),
                            A_ref = Coefficients::A::at(0) + 35 * Coefficients::A_S::at(0);
    Real density, K, A, B;
    Modulus() = default;
    constexpr Modulus(Real T, Real S) {
        using C = Coefficients;
        const Real root = sqrt(S);
        density = at_surface(T, S, root);
        // minus K_ref and A_ref
        K = fma(S,
                fma(root, polynomial(T, C::K_R::at(0), C::K_R::at(1), C::K_R::at(2)),
                    T * polynomial(T, C::K_S::at(1), C::K_S::at(2), C::K_S::at(3))),
                fma(S - 35, C::K_S::at(0),
                    T * polynomial(T, C::K::at(1), C::K::at(2), C::K::at(3), C::K::at(4))));
        A = fma(
            S, fma(root, C::A_R, T * polynomial(T, C::A_S::at(1), C::A_S::at(2))),
            fma(S - 35, C::A_S::at(0), T * polynomial(T, C::A::at(1), C::A::at(2), C::A::at(3))));
        B = fma(S, polynomial(T, C::B_S::at(0), C::B_S::at(1), C::B_S::at(2)),
                polynomial(T, C::B::at(0), C::B::at(1), C::B::at(2)));
    }
};

template <class Coefficients> struct Level {
    double p, K, excess, factor;  // [bar]; K_r; r - rho_ref (1 - p / K_r); rho_ref p / K_r
    constexpr explicit Level(double decibar) : p(decibar * 0.1) {
        using M = Modulus<Coefficients, Pack<double, 1>>;
        const double reference = reference_density(decibar);
        K = M::K_ref + p * M::A_ref;
        excess = r - reference * (1 - p / K);
        factor = reference * p / K;
    }
};

/// rho - rho_ref = numerator / denominator, both times K.
template <class Real> struct Fraction {
    Real numerator, denominator;
};
template <class Coefficients, class Real>
constexpr Fraction<Real> at(const Level<Coefficients>& level,
                            const Modulus<Coefficients, Real>& water) {
    const Real less = fma(fma(water.B, level.p, water.A), level.p, water.K),
               K = less + level.K;  // K - K_r
    return {fma(water.density + level.excess, K, less * -level.factor), K - level.p};
}
template <class Real>
constexpr std::pair<Real, Real> join(Fraction<Real> lower, Fraction<Real> upper) {
    const Real inverse = 1 / (lower.denominator * upper.denominator);  // one division for both
    return {lower.numerator * (upper.denominator * inverse),
            upper.numerator * (lower.denominator * inverse)};
}

}  // namespace secant_bulk

struct JMCD {
    static constexpr std::string_view summary =
        "Density of sea water after Jackett & McDougall (1995), from potential temperature and "
        "practical salinity";

    template <class Real> struct Parcel : secant_bulk::Modulus<secant_bulk::JMCD, Real> {
        constexpr Parcel(const JMCD&, Real T, Real S)
            : secant_bulk::Modulus<secant_bulk::JMCD, Real>(T, larger(S, 0)) {}
    };
    using Level = secant_bulk::Level<secant_bulk::JMCD>;
    template <class Real>
    static constexpr Real anomaly(const Parcel<Real>& parcel, const Level& level) {
        const auto fraction = secant_bulk::at<secant_bulk::JMCD, Real>(level, parcel);
        return fraction.numerator / fraction.denominator;
    }
    template <class Real>
    static constexpr std::pair<Real, Real> anomalies(const Parcel<Real>& here,
                                                     const Parcel<Real>& above,
                                                     const Level& level) {
        return secant_bulk::join(secant_bulk::at<secant_bulk::JMCD, Real>(level, here),
                                 secant_bulk::at<secant_bulk::JMCD, Real>(level, above));
    }
    template <class Real> constexpr void operator()(WaterColumn<Real> water, Levels each) const {
        density_and_stratification(*this, water, each);
    }
};

/// A parcel's temperature in situ depends on pressure, and so do all its terms.
struct UNESCO {
    static constexpr std::string_view summary =
        "Density of sea water by EOS-80 (Fofonoff & Millard 1983), from potential temperature and "
        "practical salinity";

    template <class Real> struct Parcel {
        Real T, S;
        constexpr Parcel(const UNESCO&, Real T, Real S) : T(T), S(larger(S, 0)) {}
    };
    struct Level : secant_bulk::Level<secant_bulk::UNESCO> {
        double decibar;
        constexpr explicit Level(double p)
            : secant_bulk::Level<secant_bulk::UNESCO>(p), decibar(p) {}
    };
    template <class Real>
    static constexpr secant_bulk::Fraction<Real> in_situ(const Parcel<Real>& parcel,
                                                         const Level& level) {
        const Real T = adiabatic::in_situ(parcel.T, parcel.S, level.decibar);
        return secant_bulk::at<secant_bulk::UNESCO, Real>(
            level, secant_bulk::Modulus<secant_bulk::UNESCO, Real>(T, parcel.S));
    }
    template <class Real>
    static constexpr Real anomaly(const Parcel<Real>& parcel, const Level& level) {
        const auto fraction = in_situ(parcel, level);
        return fraction.numerator / fraction.denominator;
    }
    template <class Real>
    static constexpr std::pair<Real, Real> anomalies(const Parcel<Real>& here,
                                                     const Parcel<Real>& above,
                                                     const Level& level) {
        return secant_bulk::join(in_situ(here, level), in_situ(above, level));
    }
    template <class Real> constexpr void operator()(WaterColumn<Real> water, Levels each) const {
        density_and_stratification(*this, water, each);
    }
};

}  // namespace fathom::physics
