#include "atmosphere/gridpoint/pole_wind.hpp"
#include <cmath>
#include <numbers>
#include <utility>
#include "parallel/sums/reduce.hpp"

namespace fathom::atmosphere {

namespace {

enum Pole { south, north };

/// Calls body(pole, block, row next to that pole) for the blocks of this rank that touch a pole.
template <class Body> void each_pole(const Domain& d, Body body) {
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        if (d.blocks[b]->j0 == 0) body(south, b, 0);
        if (d.blocks[b]->j0 + d.blocks[b]->ny == d.decomposition.topology.ny)
            body(north, b, d.blocks[b]->ny - 1);
    }
}
/// Own column 0 of a row of a block; rows and columns continue into the halo.
template <class T> T* row_of(const Domain& d, const FieldSlab& f, int b, int row, int level) {
    return (T*)f.at[b] + (row + d.halo) * f.row[b] + level * f.level[b] + d.halo;
}

}  // namespace

template <class T> void PoleWind::across(Given at) const {
    const Domain& d = at.set.domain();
    const int nx = d.decomposition.topology.nx, levels = d.levels + 1;
    std::vector<double> rows(std::size_t(2) * levels * nx, 0);
    const auto place = [&](Pole p, int k, int i) -> double& {
        return rows[(std::size_t(p) * levels + k) * nx + (i % nx + nx) % nx];
    };
    each_pole(d, [&](Pole p, int b, int row) {
        for (int k = 0; k < levels; ++k)
            for (int i = 0; i < d.blocks[b]->nx; ++i)
                place(p, k, d.blocks[b]->i0 + i) = row_of<T>(d, at[z], b, row, k)[i];
    });
    MPI_Allreduce(MPI_IN_PLACE, rows.data(), int(rows.size()), MPI_DOUBLE, MPI_SUM, d.comm);
    each_pole(d, [&](Pole p, int b, int row) {
        for (int k = 0; k < levels; ++k) {
            T* beyond = row_of<T>(d, at[z], b, p == south ? row - 1 : row + 1, k);
            for (int i = -1; i <= d.blocks[b]->nx; ++i)
                beyond[i] = T(place(p, k, d.blocks[b]->i0 + i + nx / 2));
        }
    });
}

template <class Take, class Give> void PoleWind::blow(const Domain& d, Take take, Give give) const {
    const int nx = d.decomposition.topology.nx;
    const auto number = [&](Pole p, int k) { return 2 * (std::size_t(p) * d.levels + k); };
    std::vector<ExactSum> sums(4 * d.levels, ExactSum(SumUnit::for_largest(1e4)));
    each_pole(d, [&](Pole p, int b, int row) {
        for (int k = 0; k < d.levels; ++k) {
            const auto* wind = take(b, row, k);
            ExactLanes X(sums[0].unit), Y(sums[0].unit);
            for (int i = 0; i < d.blocks[b]->nx; ++i) {
                const auto& l = half_columns[2 * (d.blocks[b]->i0 + i) + 1];
                double x[register_lanes] = {-l.sine * wind[i]},
                       y[register_lanes] = {l.cosine * wind[i]};
                X.add(ExactLanes::Real::load(x)), Y.add(ExactLanes::Real::load(y));
            }
            sums[number(p, k)].add(X), sums[number(p, k) + 1].add(Y);
        }
    });
    allreduce(d.comm, sums);
    each_pole(d, [&](Pole p, int b, int row) {
        const double sign = p == south ? 1 : -1;
        for (int k = 0; k < d.levels; ++k) {
            const double x = sums[number(p, k)].value(), y = sums[number(p, k) + 1].value();
            const int on_pole = p == south ? row - 1 : row;
            for (int i = -1; i <= d.blocks[b]->nx; ++i) {
                const auto& l = half_columns[2 * ((d.blocks[b]->i0 + i + nx) % nx)];
                give(b, on_pole, k, i, sign * 2 / nx * (x * l.cosine + y * l.sine));
            }
        }
    });
}

void PoleWind::prepare(Given at) {
    const int nx = at.set.domain().decomposition.topology.nx;
    for (int n = 0; n < 2 * nx; ++n) {
        const double angle = std::numbers::pi * n / nx;
        half_columns.push_back({std::sin(angle), std::cos(angle)});
    }
    at.set.bytes() == 4 ? across<float>(at) : across<double>(at);
}
void PoleWind::apply(Given at) {
    const Domain& d = at.set.domain();
    const auto of = [&]<class T>(T) {
        const Field &from = at[u], &to = at[v];
        blow(
            d, [&](int b, int row, int k) { return row_of<T>(d, from, b, row, k); },
            [&](int b, int row, int k, int i, double x) { row_of<T>(d, to, b, row, k)[i] = T(x); });
    };
    at.set.bytes() == 4 ? of(float()) : of(double());
}

/// Only the rows next to the poles travel.
bool PoleWind::apply_on(Device& device, Given at) {
    const Domain& d = at.set.domain();
    const Field there = at.on_device(u), on_poles = at.on_device(v);
    const std::size_t bytes = at.set.bytes();
    const auto place = [&](const Field& f, int b, int row, int k, int i) {
        return f.at[b] + bytes * ((row + d.halo) * f.row[b] + k * f.level[b] + d.halo + i);
    };
    std::vector<const std::byte*> from;
    each_pole(d, [&](Pole, int b, int row) {
        for (int k = 0; k < d.levels; ++k)
            for (int i = 0; i < d.blocks[b]->nx; ++i) from.push_back(place(there, b, row, k, i));
    });
    std::vector<double> winds(from.size()), values;
    device.gather(from, int(bytes), winds.data());
    std::vector<std::byte*> to;
    const double* next = winds.data();
    blow(
        d, [&](int b, int, int) { return std::exchange(next, next + d.blocks[b]->nx); },
        [&](int b, int row, int k, int i, double x) {
            to.push_back(place(on_poles, b, row, k, i)), values.push_back(x);
        });
    device.scatter(to, int(bytes), values.data());
    return true;
}

}  // namespace fathom::atmosphere
