#include "post/between.hpp"
#include <algorithm>
#include "base/error.hpp"

namespace fathom::post {

namespace {

using Four = Pack<double, 4>;

/// `lagrange` for all weights at once: the same factors in the same order; a missing one is 1.
Four lagrange_of_four(const double* first, std::ptrdiff_t step, double at) {
    using Lanes = Four::Storage;
    const double x[] = {first[0], first[step], first[2 * step], first[3 * step]};
    const Lanes levels{x[0], x[1], x[2], x[3]};
    const Lanes none[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const Lanes one{1, 1, 1, 1};
    Lanes weights = one;
    for (int m = 0; m < 4; ++m)
        weights *= ((at - x[m]) * (one - none[m]) + none[m]) / (levels - x[m] + none[m]);
    Four result;
    result.lanes = weights;
    return result;
}

}  // namespace

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
        for (std::size_t p = 0; p < points; ++p) t[n * points + p] = place(n, p);
}

Between::Between(const Between& other, Slab<double> x)
    : points(other.points),
      targets(other.targets),
      levels(x.levels),
      level(other.level),
      t(other.t),
      x(x),
      target(other.target),
      weights(other.weights) {
    const int same = std::min(levels, other.levels) - 2;
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p) {
            std::int32_t& k = level[n * points + p];
            if (k < same) continue;
            for (k = same; k < levels - 2 && target[p][n] >= x[p][k + 1];) ++k;
            t[n * points + p] = place(n, p);
            if (!weights.empty()) weights[n * points + p] = weights_at(n, p);
        }
}

double Between::place(int n, std::size_t p) const {
    const auto column = x[p];
    const int k = level[n * points + p];
    return ((target[p][n] - column[k]) / (column[k + 1] - column[k])).lanes;
}

/// For each level in turn, counts it for all targets that lie below it.
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

void Between::find_weights() const {
    if (!weights.empty()) return;
    weights.resize(level.size());
    for (int n = 0; n < targets; ++n)
        for (std::size_t p = 0; p < points; ++p) weights[n * points + p] = weights_at(n, p);
}

/// Weights of levels first ... first + 3, where first = k - 1 within the column. Next to the ends
/// of the column they are those of linear interpolation.
std::array<double, 4> Between::weights_at(int n, std::size_t p) const {
    const int k = level[n * points + p];
    std::array<double, 4> w{};
    if (k > 0 && k < levels - 2) {
        lagrange_of_four(x.first + (k - 1) * x.level + std::ptrdiff_t(p) * x.point, x.level,
                         target[p][n].lanes)
            .store(w.data());
        return w;
    }
    const double along = std::min(std::max(t[n * points + p], 0.0), 1.0);
    const int first = std::min(std::max(k - 1, 0), levels - 4);
    w[k - first] = 1 - along, w[k - first + 1] = along;
    return w;
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
