/// Absorption of the air in a few terms, each a share of the spectrum (not a contiguous one) with
/// one optical depth per layer:
///
///   long wave    tau = q m [h0 + (p/p0) (h1 + hc q)] + x m [c0 + c1 p/p0] + o m [o0 + o1 p/p0]
///       + b m p/p0,   share w = w0 + w1 t + w2 t^2,  t = (T - 250) / 50
///   short wave   tau = q m [h0 + h1 p/p0] + o m o0 + b m p/p0;   Rayleigh r m
///
/// m = dp / g, p0 = 1000 hPa, q and o the mass fractions of vapour and ozone, x the mole fraction
/// of CO2; b is for the other gases. Fitted with this solver (two_stream.hpp) to fluxes and heating
/// rates of RRTMGP for the 100 columns of RFMIP (Pincus, Forster & Stevens 2016, Geosci. Model Dev.
/// 9, 3447-3460), today's and pre-industrial air, CO2 x 1/2, 2, 4 and 8, and 4 K warmer air, by
/// docs/results/radiation_fit.py. The long-wave shares sum to 1 at every temperature: the last is 1
/// minus the others.
#pragma once
#include <array>
#include "base/table.hpp"

namespace fathom::physics::gases {

inline constexpr int longwave_terms = 8;
using Longwave = std::array<double, longwave_terms>;
using h0 = Table<Longwave{8.827e-05, 0.01043, 0.1062, 0.9062, 21.43, 0.0001894, 1.303e-07,
                          0.08608}>;  // [m2 kg-1]
using h1 = Table<Longwave{0.0002474, 0.001502, 0.3339, 3.623, 1.302, 0.005273, 4.21e-06, 0.003266}>;
using hc = Table<Longwave{0.03077, 2.791, 34.74, 0.3268, 1.187e+04, 0.2407, 0.0002118, 0.01834}>;
using c0 =
    Table<Longwave{0.0007415, 0.0002509, 0.0003948, 0.000298, 0.0006973, 148.9, 1.252, 0.2004}>;
using c1 = Table<Longwave{0.00552, 0.009566, 0.0181, 0.004903, 0.009819, 7827, 24.32, 1.181}>;
using o0 = Table<Longwave{3.761, 0.09275, 0.3032, 0.575, 0.4425, 0.3325, 126.1, 0.2302}>;
using o1 = Table<Longwave{818.8, 1.331, 2.998, 1.736, 0.4749, 869, 121.4, 795.5}>;
using b = Table<Longwave{1.371e-06, 1.816e-07, 1.877e-06, 0.0001344, 0.000833, 5.509e-06, 0.005533,
                         1.267e-06}>;

/// Sums to `total` exactly as the numbers are added.
template <std::size_t n>
consteval std::array<double, n> summing_to(double total, std::array<double, n> w) {
    double sum = 0;
    for (std::size_t g = 0; g + 1 < n; ++g) sum += w[g];
    w[n - 1] = total - sum;
    return w;
}
using w0 = Table<summing_to<longwave_terms>(
    1, {0.038896, 0.230105, 0.188035, 0.203242, 0.171673, 0.004636, 0.086764, 0})>;
using w1 = Table<summing_to<longwave_terms>(
    0, {0.019257, 0.054105, -0.011275, -0.032922, -0.066113, 0.000327, 0.027674, 0})>;
using w2 = Table<summing_to<longwave_terms>(
    0, {-0.006118, -0.009009, -0.024357, -0.022006, 0.038135, 0.002098, 0.018950, 0})>;

inline constexpr int shortwave_terms = 5;
using Shortwave = std::array<double, shortwave_terms>;
using sh0 = Table<Shortwave{0.0002136, 4.614e-07, 0.0004544, 0.03678, 0.6488}>;
using sh1 = Table<Shortwave{0.0006089, 0.00141, 9.158e-08, 0.01048, 8.649e-05}>;
using so = Table<Shortwave{1814, 12.99, 3.952e-05, 0.0001402, 0.777}>;
using sb = Table<Shortwave{4.801e-05, 5.878e-06, 1.677e-06, 1.083e-05, 0.0001766}>;
using rayleigh = Table<Shortwave{0.02076, 4.31e-05, 2.552e-06, 2.524e-10, 4.644e-05}>;
using sw = Table<summing_to<shortwave_terms>(1, {0.018607, 0.143238, 0.673391, 0.102235, 0})>;
/// Absorption of cloud water [m2 kg-1].
using cloud_absorption = Table<Shortwave{0, 0, 0.3, 3, 10}>;

}  // namespace fathom::physics::gases
