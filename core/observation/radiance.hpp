/// Brightness temperatures of microwave channels by regression of optical depths, in the way of
/// RTTOV (Eyre 1991; Saunders et al. 1999): fixed levels of pressure, coefficients per channel and
/// layer.
///
///     tau_j = sum_i c_ij P_i,     P = s (1, t, t^2, t^3, w, w t, w t^2, w^2, t_w, w_w), s^2 (1, t)
///     t = T / T*, w = q / q* of the layer; t_w, w_w: of the column above, by pressure
///     s: secant of the angle at the ground
///
///     down_{j+1} = down_j e + B_j (1 - e),   e = exp(-tau_j),    B = 1 / (exp(h nu / k T) - 1)
///     up = eps B(T_s) + (1 - eps) down at the ground; then the same upwards
///
/// The layer that holds the ground has only the part of its optical depth above the ground.
#pragma once
#include <span>
#include <vector>
#include "base/dual.hpp"

namespace fathom::observation {

inline constexpr int predictors = 12;

struct Coefficients {
    std::span<const double> pressure;               ///< of levels, downwards [Pa]
    std::span<const double> temperature, humidity;  ///< of the reference, in layers
    std::span<const double> frequency;              ///< of channels [Hz]
    std::span<const double> values;                 ///< (channels, layers, predictors)
    int layers() const { return int(pressure.size()) - 1; }
    std::size_t width() const { return 2 * pressure.size() + 2; }
};

/// Columns (n, 2 levels + 2): T, q at the levels, surface pressure, skin temperature; for each a
/// channel, an emissivity and a secant.
struct Scenes {
    std::span<const double> columns;
    std::span<const std::int32_t> channel;
    std::span<const double> emissivity, secant;
};

void radiance(const Coefficients&, const Scenes&, int threads, std::span<double> value);
void radiance_tangent(const Coefficients&, const Scenes&, std::span<const double> change,
                      int threads, std::span<double> value);
void radiance_adjoint(const Coefficients&, const Scenes&, std::span<const double> value,
                      int threads, std::span<double> change);

}  // namespace fathom::observation
