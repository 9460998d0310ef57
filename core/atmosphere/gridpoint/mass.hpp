/// Mass of air, and of what it carries, on all ranks: of each column from the top down, rows of
/// columns together, then added up exactly: the same on any ranks.
///   sum over columns  area sum over layers  rho (z_k - z_k+1) s^2 q,    s = 1 + curvature z
/// q of a layer is the mean of those at its interfaces; that of the ground is the one above.
#pragma once
#include <algorithm>
#include <array>
#include <vector>
#include "atmosphere/gridpoint/air_mass.hpp"
#include "atmosphere/gridpoint/lines.hpp"
#include "field/field_set.hpp"
#include "parallel/sums/several.hpp"

namespace fathom::atmosphere {

struct Air {
    const FieldSlab &density, &height, &area;
    double curvature;
};

/// Of each column of this rank, `count` sums; of(row, k)(i) gives their share of a layer's air.
template <class T, std::size_t count, class Of>
std::array<std::vector<double>, count> in_columns(const Domain& d, const Air& a, Of of) {
    std::vector<std::size_t> first{0};
    for (auto* b : d.blocks) first.push_back(first.back() + std::size_t(b->nx) * b->ny);
    std::array<std::vector<double>, count> columns;
    for (auto& all : columns) all.resize(first.back());
    for (int b = 0; b < int(d.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int r = 0; r < d.blocks[b]->ny; ++r) {
            const int nx = d.blocks[b]->nx;
            std::array<double*, count> sum;
            for (std::size_t n = 0; n < count; ++n)
                sum[n] = &columns[n][first[b] + std::size_t(r) * nx];
            const auto row = [&](const FieldSlab& f, int k) {
                return at<T>(d, f, Line{b, r, k, 0, 0, 0, 0});
            };
            for (int k = 0; k < d.levels; ++k) {
                const T *rho = row(a.density, k), *top = row(a.height, k),
                        *bottom = row(a.height, k + 1);
                const auto share = of(row, k);
                for (int i = 0; i < nx; ++i) {
                    const double above = top[i], below = bottom[i],
                                 air = air_of_layer(double(rho[i]), above, below, a.curvature);
                    const std::array<double, count> has = share(i);
                    for (std::size_t n = 0; n < count; ++n) sum[n][i] += air * has[n];
                }
            }
            const T* A = row(a.area, 0);
            for (std::size_t n = 0; n < count; ++n)
                for (int i = 0; i < nx; ++i) sum[n][i] *= double(A[i]);
        }
    return columns;
}

template <class T> double mass_of_air(const Domain& d, const Air& air) {
    const auto [columns] =
        in_columns<T, 1>(d, air, [](auto&, int) { return [](int) { return std::array{1.0}; }; });
    return exact_sum(d.comm, columns);
}

/// Of a tracer, and of what `share` takes of it.
template <class T, class Share>
std::array<double, 2> masses_of(const Domain& d, const Air& air, const FieldSlab& tracer,
                                Share share) {
    const auto [all, shares] = in_columns<T, 2>(d, air, [&](auto& row, int k) {
        return [=, q = row(tracer, k), next = row(tracer, std::min(k + 1, d.levels - 1))](int i) {
            return std::array{mean_of_layer(q[i], next[i]),
                              mean_of_layer(share(q[i]), share(next[i]))};
        };
    });
    std::array<double, 2> sums;
    exact_sums(d.comm, {all, shares}, sums);
    return sums;
}

/// The same of fields on a device; they are of these columns.
inline std::unique_ptr<AirMassOnDevice> air_mass_on(Device& device, const FieldSet& set,
                                                    double curvature) {
    const Domain& d = set.domain();
    AirColumns own{set.bytes(), d.levels, curvature, {}};
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.blocks[b]->ny; ++r)
            for (int c = 0; c < d.blocks[b]->nx; ++c)
                own.columns.push_back({b, r + d.halo, c + d.halo});
    return device.make<AirMassOnDevice>(own);
}
/// Of the terms that are there.
inline double exact_sum(MPI_Comm comm, AirMassOnDevice& there, int which) {
    return fathom::exact_sum(comm, there.largest(which), [&](double coarse, double fine) {
        return there.limbs(which, coarse, fine);
    });
}

}  // namespace fathom::atmosphere
