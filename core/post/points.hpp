#pragma once
/// From points to places: the four points around each, times their weights. NaN is left out and the
/// other weights grow; NaN where less than half of the weight is left.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fathom::post {

/// Four points of each place: their numbers, weights, and factors of the values (nullptr: 1).
struct FourPoints {
    const std::int32_t* index;
    const float* weight;
    const double* factor;
    std::size_t places;
};

/// result[k, place] of value[k, point] at value + k * level + point - first.
template <class Number>
void at_places(const Number* value, std::ptrdiff_t level, int levels, std::ptrdiff_t first,
               const FourPoints& around, double* result) {
    for (int k = 0; k < levels; ++k, value += level)
        for (std::size_t p = 0; p < around.places; ++p, ++result) {
            double share = 0, total = 0;
            for (std::size_t n = 4 * p; n < 4 * p + 4; ++n) {
                const double here = value[around.index[n] - first], weight = around.weight[n];
                if (std::isnan(here)) continue;
                share += weight;
                total += weight * (around.factor ? here * around.factor[n] : here);
            }
            *result = share >= 0.5 ? total / share : std::numeric_limits<double>::quiet_NaN();
        }
}

}  // namespace fathom::post
