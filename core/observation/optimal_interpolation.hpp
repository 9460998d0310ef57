/// Optimal interpolation of departures to places, each from the observations around it.
///
///     x_a - x_b = c^T (B + R)^{-1} d,       var_a = sigma_b^2 - c^T (B + R)^{-1} c
///     B_ij = sigma_b^2 (1 + r/L) exp(-r/L) exp(-(dz/H)^2 / 2),      R_ii = sigma_i^2
///
/// r: distance on the sphere, dz: difference in height (without heights: no such factor). Each
/// place is solved independently, by Cholesky: no bit depends on ranks or threads. Sources: Gandin
/// (1963); Brasnett (1999) for the factor of height.
#pragma once
#include <cstdint>
#include <span>

namespace fathom {

struct StructureFunction {
    double length;            ///< L [m]
    double height;            ///< H [m]; infinite: heights do not matter
    double background_error;  ///< sigma_b [of the field]
};

/// Places as unit vectors (n, 3) with their heights [m], NaN where not known.
struct Places {
    std::span<const double> direction, height;
};

/// `neighbours` (places, most): observations around each place, -1 where there are no more.
/// Writes the increments and the standard deviations of their errors.
void interpolate_optimally(const StructureFunction&, const Places& targets,
                           const Places& observations, std::span<const double> departure,
                           std::span<const double> error, std::span<const std::int32_t> neighbours,
                           int threads, std::span<double> increment, std::span<double> deviation);

}  // namespace fathom
