#include "post/between.hpp"
#include "base/error.hpp"

namespace fathom::post {

Between::Between(Slab<double> x, Slab<double> target, std::size_t points)
    : points(points),
      targets(target.levels),
      levels(x.levels),
      level(targets * points),
      t(targets * points),
      x(x),
      target(target) {
    if (levels < 2) throw Error("there is nothing between ", levels, " levels; wanted: 2 or more");
    find_levels();
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p) {
            const auto column = x[p];
            const int k = level[n * points + p];
            t[n * points + p] = ((target[p][n] - column[k]) / (column[k + 1] - column[k])).lanes;
        }
}

/// One level after another is passed by all targets that lie below it.
void Between::find_levels() {
    for (int n = 0; n < targets; ++n) {
        std::int32_t* const passed = &level[n * points];
        const double* const at = target.first + n * target.level;
        for (int k = 1; k < levels - 1; ++k) {
            const double* const edge = x.first + k * x.level;
            if (x.point && target.point)
                for (std::size_t p = 0; p < points; ++p) passed[p] += at[p] >= edge[p];
            else if (x.point)
                for (std::size_t p = 0; p < points; ++p) passed[p] += at[0] >= edge[p];
            else
                for (std::size_t p = 0; p < points; ++p)
                    passed[p] += at[std::ptrdiff_t(p) * target.point] >= edge[0];
        }
    }
}

/// Of levels first ... first + 3, first = k - 1 within the column; next to its ends those of the
/// straight line.
void Between::find_weights() const {
    if (!weights.empty()) return;
    weights.resize(level.size());
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p) {
            const int k = level[n * points + p];
            auto& w = weights[n * points + p];
            if (k > 0 && k < levels - 2) {
                const auto all = lagrange(x[p], k - 1, target[p][n]);
                for (int m = 0; m < 4; ++m) w[m] = all[m].lanes;
            } else {
                const double along = std::min(std::max(t[n * points + p], 0.0), 1.0);
                const int first = std::min(std::max(k - 1, 0), levels - 4);
                w = {};
                w[k - first] = 1 - along, w[k - first + 1] = along;
            }
        }
}

template <class Number> void Between::linear(Slab<Number> values, double* result) const {
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p, ++result) {
            const auto f = values[p];
            const int k = level[n * points + p];
            *result = post::linear(f[k], f[k + 1], Plain(t[n * points + p])).lanes;
        }
}

template <class Number> void Between::cubic(Slab<Number> values, double* result) const {
    if (levels < 4) return linear(values, result);
    find_weights();
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p, ++result) {
            const int first = std::min(std::max(level[n * points + p] - 1, 0), levels - 4);
            const Number* const f =
                values.first + first * values.level + std::ptrdiff_t(p) * values.point;
            const auto& w = weights[n * points + p];
            *result = w[0] * double(f[0]) + w[1] * double(f[values.level]) +
                      w[2] * double(f[2 * values.level]) + w[3] * double(f[3 * values.level]);
        }
}

void Between::hermite(Slab<double> values, Slab<double> slopes, double* result) const {
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p, ++result) {
            const auto f = values[p], slope = slopes[p], column = x[p];
            const int k = level[n * points + p];
            const Plain length = column[k + 1] - column[k];
            *result = hermite_and_on(Plain(t[n * points + p]), f[k], f[k + 1], slope[k] * length,
                                     slope[k + 1] * length)
                          .lanes;
        }
}

template void Between::linear(Slab<double>, double*) const;
template void Between::linear(Slab<float>, double*) const;
template void Between::cubic(Slab<double>, double*) const;
template void Between::cubic(Slab<float>, double*) const;

}  // namespace fathom::post
