/// Values at departure points of interleaved fields on a processor (stencils/interpolation.hpp):
/// its tables, and the points of other ranks that they need.
#pragma once
#include <cmath>
#include "semi_lagrangian/sphere/departure.hpp"
#include "semi_lagrangian/sphere/transport.hpp"
#include "semi_lagrangian/stencils/in_registers.hpp"
#include "semi_lagrangian/stencils/interleaved.hpp"
#include "semi_lagrangian/stencils/interpolation.hpp"
#include "semi_lagrangian/stencils/lagrange.hpp"

namespace fathom {

template <class T> struct GatherTables : InterleavedRows<T> {
    using Lanes = InRegisters<T>;
    using Rows = InterleavedRows<T>;
    using Rows::beyond, Rows::levels, Rows::ny;
    std::vector<Nodes<T>> latitude;     // of the interval above j - 1, stored at j + 1
    std::vector<T> row_above;           // latitude of row j + 1, stored at j + 1
    std::vector<Interval<T>> vertical;  // of that below level k
    std::vector<int> level_of;          // of even steps of eta
    T per_level_step, eta_top;
    T rows_per_radian, row_at_equator;  // rows as if evenly spaced, never too far north

    GatherTables(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
                 const std::vector<double>& eta)
        : Rows(comm, d, halo, grid, int(eta.size())) {
        make_latitude(grid);
        make_vertical(eta);
    }

    /// Latitudes of rows; they continue beyond the poles.
    void make_latitude(const GaussianGrid& grid) {
        constexpr double pi = std::numbers::pi;
        std::vector<double> phi(ny + 2 * beyond);
        for (int j = 0; j < ny; ++j) phi[j + beyond] = std::asin(grid.sine[j]);
        for (int j = 0; j < beyond; ++j) {
            phi[beyond - 1 - j] = -pi - phi[beyond + j];
            phi[beyond + ny + j] = pi - phi[beyond + ny - 1 - j];
        }
        const double per_radian = (ny + 0.5) / pi, even = (ny + 0.5) / 2 - 0.75;
        double too_far = 0;
        for (int j = -1; j < ny; ++j) {
            latitude.push_back(Nodes<T>::cubic(&phi[j + beyond - 1]));
            row_above.push_back(T(phi[j + beyond + 1]));
            too_far = std::max(too_far, phi[j + beyond + 1] * per_radian + even - (j + 1));
        }
        constexpr double rounding = 1e-3;
        rows_per_radian = T(per_radian), row_at_equator = T(even - too_far - rounding);
    }

    void make_vertical(const std::vector<double>& eta) {
        if (levels == 1) vertical.push_back(Interval<T>::below({eta[0], eta[0] + 1}, 0));
        double thinnest = 1e300;
        for (int k = 0; k + 1 < levels; ++k) {
            vertical.push_back(Interval<T>::below(eta, k));
            thinnest = std::min(thinnest, eta[k + 1] - eta[k]);
        }
        if (!(thinnest > 0)) throw Error("eta of the layers must grow downward");
        const double depth = levels > 1 ? eta.back() - eta[0] : 1,
                     steps = std::min(1e5, std::ceil(2 * depth / thinnest));
        per_level_step = T(levels > 1 ? steps / depth : 0);
        eta_top = T(eta[0]);
        for (int s = 0, k = 0; s <= int(steps); ++s) {
            while (k + 2 < levels && eta[k + 1] - eta[0] <= s * depth / steps) ++k;
            level_of.push_back(k);
        }
    }
};

template <class T> struct Gather : Gathering<GatherTables<T>> {
    using Base = Gathering<GatherTables<T>>;
    using Base::Base;
    using Base::full, Base::around, Base::level, Base::latitude, Base::vertical, Base::fields,
        Base::for_four;
    using typename Base::Item, typename Base::Row, typename Base::Points, typename Base::Places,
        typename Base::Stencil, typename Base::Four;
    static_assert(std::is_same_v<Points, typename Departure<T>::Points>);

    void need(const Item& t, const Points& at, const Places& to) {
        if (around.alone()) return;
        this->stencils(t, at, to,
                       [this](int row, int first, int count) { around.need(row, first, count); });
    }

    /// Floating-point operations of a point: of the weights of cubic interpolation, or of one of
    /// the gathers below with given weights and so many fields.
    double operations(InterpolationPass pass, double count) const {
        switch (pass) {
            case InterpolationPass::weights:
                return full ? 3 * 16 + 8 + 24 + 10
                            : 2 * 16 + 4 * (16 + 3 + 16) + 8 + 8 +
                                  10;  // Lagrange, differences, products of two directions
            case InterpolationPass::linear: return 10 + count * (2 * 2 * 5 + 2 + 1);
            case InterpolationPass::cubic:
            case InterpolationPass::monotone:
                return count * (full ? 2 * 4 * 5 + 2 * 2 * 8 + 2 * 2 * 5 + 2 + 4 * 2 + 3
                                     : 4 * 4 * 5 + 2 * 2 * 9 + 3);
            case InterpolationPass::by_levels:
            case InterpolationPass::by_levels_monotone:
                return full ? 64 * 2 + 32 * 2 + 16 * 8 + 15 : 64 * 3 + 32 * 4 + 64 * 2 + 15;
            default: return 0;
        }
    }

    /// The weights alone, as gather_cubic makes them.
    template <bool full_>
    void gather_weights(const Item& t, const Points& points, const Places& places, T* out) const {
        for (int n = 0; n < t.count; ++n) {
            const int j = places.j[n], k = level(points.eta[n]);
            const Nodes<T>& rows_of = latitude[j + 1];
            const Interval<T>& levels_of = vertical[k];
            const T y = rows_of.linear(points.latitude[n]), z = levels_of.linear(points.eta[n]);
            const Four ly{T(0), 1 - y, y, T(0)}, lz{T(0), 1 - z, z, T(0)};
            const Four dy = rows_of.weights(points.latitude[n]) - ly, dz = levels_of.bend(z);
            Stencil s;
            for_four([&](auto b) {
                if (full_ && b > 0) return;
                this->template stencil<full_>(t, points, places, n, j - 1 + b, k, s);
                asm volatile("" : : "m"(s));  // the result is used
            });
            const Four one = ly[1] * dz + dy[1] * lz, two = ly[2] * dz + dy[2] * lz;
            const Four sum = one + two;
            std::memcpy(out + n * fields, &sum, sizeof sum);
        }
    }
};

}  // namespace fathom
