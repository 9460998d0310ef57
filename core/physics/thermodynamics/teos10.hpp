/// TEOS-10 for Boussinesq models: the 55-term polynomial of Roquet, Madec, McDougall & Barker
/// (2015, Ocean Modelling 90, 29-43, appendix A.2, "polyTEOS10-bsq"), with S absolute salinity [g
/// kg-1] and T conservative temperature [degC]:
///
///   rho = r0(zeta) + r(s, t, zeta),   r = sum R_ijk s^i t^j zeta^k,
///       s = sqrt((S + 32) / 40.188617),  t = T / 40,  zeta = p / 1e4 dbar
///   r0  = a fixed vertical profile: it cancels, as the model's reference profile replaces it
///
/// The polynomial counts a metre of depth as a decibar: with p instead it is within 5e-4 kg m-3 of
/// TEOS-10 (at 6000 m, the true depth is 0.15 off). The powers of s are expanded again about the s
/// of salinity 34.82 when this file is compiled: the published coefficients, near 1e3 and of both
/// signs, would lose two digits.
#pragma once
#include <array>
#include <tuple>
#include <utility>
#include "base/table.hpp"
#include "physics/thermodynamics/column.hpp"

namespace fathom::physics {

namespace teos10 {
/// R[j][i] multiplies t^j s^i, i + j < n.
template <std::size_t n> using Coefficients = std::array<std::array<double, n>, n>;

inline constexpr Coefficients<7> R0{
    {{8.0189615746e+02, 8.6672408165e+02, -1.7864682637e+03, 2.0375295546e+03, -1.2849161071e+03,
      4.3227585684e+02, -6.0579916612e+01},
     {2.6010145068e+01, -6.5281885265e+01, 8.1770425108e+01, -5.6888046321e+01, 1.7681814114e+01,
      -1.9193502195e+00},
     {-3.7074170417e+01, 6.1548258127e+01, -6.0362551501e+01, 2.9130021253e+01, -5.4723692739e+00},
     {2.1661789529e+01, -3.3449108469e+01, 1.9717078466e+01, -3.1742946532e+00},
     {-8.3627885467e+00, 1.1311538584e+01, -5.3563304045e+00},
     {5.4048723791e-01, 4.8169980163e-01},
     {-1.9083568888e-01}}};
inline constexpr Coefficients<5> R1{
    {{1.9681925209e+01, -4.2549998214e+01, 5.0774768218e+01, -3.0938076334e+01, 6.6051753097e+00},
     {-1.3336301113e+01, -4.4870114575e+00, 5.0042598061e+00, -6.5399043664e-01},
     {6.7080479603e+00, 3.5063081279e+00, -1.8795372996e+00},
     {-2.4649669534e+00, -5.5077101279e-01},
     {5.5927935970e-01}}};
inline constexpr Coefficients<3> R2{{{2.0660924175e+00, -4.9527603989e+00, 2.5019633244e+00},
                                     {2.0564311499e+00, -2.1311365518e-01},
                                     {-1.2419983026e+00}}};
inline constexpr Coefficients<2> R3{{{-2.3342758797e-02, -1.8507636718e-02}, {3.7969820455e-01}}};
/// r0(zeta) = zeta (V[0] + zeta (V[1] + ...))
using V = Table<std::array{4.6494977072e+01, -5.2099962525e+00, 2.2601900708e-01, 6.4326772569e-02,
                           1.5616995503e-02, -1.7243708991e-03}>;

inline constexpr double scale = 40 * 35.16504 / 35, middle = 1.28945;  // s of S = 34.82
inline constexpr double base = 1028;  // [kg m-3], taken out of R000

/// The same polynomial in powers of s - middle; `less` is taken from its constant.
template <std::size_t n>
consteval Coefficients<n> about_middle(Coefficients<n> R, double less = 0) {
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t first = 0; first + 1 < n - j; ++first)  // repeated synthetic division
            for (std::size_t i = n - j - 1; i > first; --i) R[j][i - 1] += middle * R[j][i];
    R[0][0] -= less;
    return R;
}
inline constexpr auto A0 = about_middle(R0, base);
inline constexpr auto A1 = about_middle(R1);
inline constexpr auto A2 = about_middle(R2);
inline constexpr auto A3 = about_middle(R3);

/// sum A[j][i] t^j x^i
template <const auto& A, int j = 0, int i = 0, class Real> constexpr Real row(Real x) {
    constexpr int degree = A.size() - 1;
    constexpr double number = A[j][i];
    if constexpr (i + j == degree)
        return Real(number);
    else
        return fma(x, row<A, j, i + 1>(x), Real(number));
}
template <const auto& A, int j = 0, class Real> constexpr Real sum(Real x, Real t) {
    constexpr int degree = A.size() - 1;
    if constexpr (j == degree)
        return row<A, j>(x);
    else
        return fma(t, sum<A, j + 1>(x, t), row<A, j>(x));
}
}  // namespace teos10

struct TEOS10Polynomial {
    static constexpr std::string_view summary =
        "Density of sea water by TEOS-10 (Roquet et al. 2015, 55 terms), from conservative "
        "temperature and absolute salinity";

    template <class Real> struct Parcel {
        Real r0, r1, r2, r3;  // factors of 1, zeta, zeta^2, zeta^3
        constexpr Parcel(const TEOS10Polynomial&, Real T, Real S) {
            using namespace teos10;
            const Real x = sqrt((larger(S, 0) + 32) * (1 / scale)) - middle, t = T * (1. / 40);
            r0 = sum<A0>(x, t);
            r1 = sum<A1>(x, t);
            r2 = sum<A2>(x, t);
            r3 = sum<A3>(x, t);
        }
    };
    struct Level {
        double zeta, profile;  // r0(zeta) + base - rho_ref
        constexpr explicit Level(double p) : zeta(p * 1e-4), profile(0) {
            for (int n = 5; n >= 0; --n) profile = zeta * (teos10::V::at(n) + profile);
            profile += teos10::base - reference_density(p);
        }
    };
    template <class Real>
    static constexpr Real anomaly(const Parcel<Real>& parcel, const Level& level) {
        return polynomial(Real(level.zeta), parcel.r0, parcel.r1, parcel.r2, parcel.r3) +
               level.profile;
    }
    template <class Real>
    static constexpr std::pair<Real, Real> anomalies(const Parcel<Real>& here,
                                                     const Parcel<Real>& above,
                                                     const Level& level) {
        return {anomaly(here, level), anomaly(above, level)};
    }

    template <class Real> constexpr void operator()(WaterColumn<Real> water, Levels each) const {
        density_and_stratification(*this, water, each);
    }
};

}  // namespace fathom::physics
