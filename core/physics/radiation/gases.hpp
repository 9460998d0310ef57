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
/// 9, 3447-3460), today's and pre-industrial air, CO2 x 1/2, 2, 4 and 8, and 4 K warmer air. The
/// long-wave shares sum to 1 at every temperature: the last is 1 minus the others.
#pragma once
#include <array>
#include "base/table.hpp"

namespace fathom::physics::gases {

inline constexpr int longwave_terms = 8;
using Longwave = std::array<double, longwave_terms>;
using h0 = Table<Longwave{0.0001046, 0.003466, 0.1028, 0.9561, 10.68, 0.0001894, 1.302e-07,
                          0.07259}>;  // [m2 kg-1]
using h1 =
    Table<Longwave{0.0004149, 0.004203, 0.1212, 0.6427, 11.09, 0.005273, 4.21e-06, 0.002349}>;
using hc = Table<Longwave{0.6355, 2.106, 2.398, 0.3286, 1.63e+04, 0.2407, 0.0002118, 0.01771}>;
using c0 =
    Table<Longwave{0.001431, 0.0007274, 0.001065, 0.0005815, 0.0009297, 167.5, 1.439, 0.05586}>;
using c1 = Table<Longwave{0.01887, 0.009658, 0.0114, 0.01559, 0.0184, 2.389e+04, 4.188, 2.115}>;
using o0 = Table<Longwave{116.8, 0.4195, 1.205, 1.174, 0.5727, 0.3324, 53.52, 0.227}>;
using o1 = Table<Longwave{1646, 6.786, 5.845, 1.924, 0.475, 869.4, 2221, 257.8}>;
using b = Table<Longwave{8.572e-06, 1.486e-06, 4.25e-06, 0.0001085, 0.0006559, 5.509e-06, 0.01489,
                         1.381e-06}>;

/// Sums to `total` exactly as the numbers are added.
template <std::size_t n>
consteval std::array<double, n> summing_to(double total, std::array<double, n> w) {
    double sum = 0;
    for (std::size_t g = 0; g + 1 < n; ++g) sum += w[g];
    w[n - 1] = total - sum;
    return w;
}
using w0 = Table<summing_to<longwave_terms>(
    1, {0.016516, 0.221271, 0.161696, 0.225621, 0.188456, 0.007119, 0.104067, 0})>;
using w1 = Table<summing_to<longwave_terms>(
    0, {0.009167, 0.047524, 0.015588, -0.023630, -0.076224, 0.001182, 0.026804, 0})>;
using w2 = Table<summing_to<longwave_terms>(
    0, {-0.002456, 0.002625, -0.024032, -0.040466, 0.045891, -0.002570, 0.013711, 0})>;

inline constexpr int shortwave_terms = 5;
using Shortwave = std::array<double, shortwave_terms>;
using sh0 = Table<Shortwave{0.0002131, 0.0001372, 0.0002612, 0.007824, 0.2989}>;
using sh1 = Table<Shortwave{0.0006089, 0.0004841, 0.0006028, 0.03969, 0.2853}>;
using so = Table<Shortwave{5406, 33.5, 0.04782, 0.09773, 0.04755}>;
using sb = Table<Shortwave{5.184e-05, 3.028e-06, 1.184e-06, 2.812e-06, 9.648e-05}>;
using rayleigh = Table<Shortwave{0.01852, 0.0001092, 3.41e-06, 7.611e-06, 2.343e-05}>;
using sw = Table<summing_to<shortwave_terms>(1, {0.008336, 0.089617, 0.741521, 0.085091, 0})>;
/// Absorption of cloud water [m2 kg-1].
using cloud_absorption = Table<Shortwave{0, 0, 0.3, 3, 10}>;

}  // namespace fathom::physics::gases
