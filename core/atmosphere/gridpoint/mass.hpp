/// Mass of air, or of a tracer in it, on all ranks: of each column from the top down, rows of
/// columns together, then added up exactly: the same on any ranks.
///   sum over columns  area sum over layers  rho (z_k - z_k+1) s^2 q,    s = 1 + curvature z
/// q of a layer is the mean of those at its interfaces; that of the ground is the one above.
#pragma once
#include <algorithm>
#include <span>
#include <vector>
#include "atmosphere/gridpoint/lines.hpp"
#include "parallel/sum/reduce.hpp"

namespace fathom::atmosphere {

/// tracer: null: 1.
template <class T>
double mass_of_air(const Domain& d, const FieldSlab& density, const FieldSlab& height,
                   const FieldSlab& area, double curvature, const FieldSlab* tracer = nullptr) {
    std::vector<std::size_t> first{0};
    for (auto* b : d.blocks) first.push_back(first.back() + std::size_t(b->nx) * b->ny);
    std::vector<double> columns(first.back());
    for (int b = 0; b < int(d.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int r = 0; r < d.blocks[b]->ny; ++r) {
            const int count = d.blocks[b]->nx;
            double* sum = &columns[first[b] + std::size_t(r) * count];
            const auto row = [&](const FieldSlab& f, int k) {
                return at<T>(d, f, Line{b, r, k, 0, 0, 0, 0});
            };
            for (int k = 0; k < d.levels; ++k) {
                const T *rho = row(density, k), *top = row(height, k), *bottom = row(height, k + 1),
                        *q = tracer ? row(*tracer, k) : nullptr,
                        *next = tracer ? row(*tracer, std::min(k + 1, d.levels - 1)) : nullptr;
                const auto air = [&](int i) {
                    const double above = top[i], below = bottom[i],
                                 s = 1 + curvature * 0.5 * (above + below);
                    return double(rho[i]) * (above - below) * s * s;
                };
                if (tracer)
                    for (int i = 0; i < count; ++i)
                        sum[i] += 0.5 * air(i) * (double(q[i]) + double(next[i]));
                else
                    for (int i = 0; i < count; ++i) sum[i] += air(i);
            }
            const T* A = row(area, 0);
            for (int i = 0; i < count; ++i) sum[i] *= double(A[i]);
        }
    return exact_sum(d.comm, columns);
}

}  // namespace fathom::atmosphere
