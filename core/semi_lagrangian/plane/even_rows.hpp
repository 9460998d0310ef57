/// Rows of even spacing (plane/even_plane.hpp) on a processor: rows of the global grid, of which a
/// rank has its own points and, by a halo on demand, those that departures need.
#pragma once
#include <algorithm>
#include <span>
#include <vector>
#include "machine/memory.hpp"
#include "parallel/halo/on_demand.hpp"
#include "parallel/ownership/domain.hpp"
#include "semi_lagrangian/device/rows.hpp"
#include "semi_lagrangian/plane/even_plane.hpp"

namespace fathom {

template <class T, int fields> class EvenRows : public EvenPoints<T, fields, LinesHere> {
    using Base = EvenPoints<T, fields, LinesHere>;

public:
    using Base::nx, Base::ny, Base::edge, Base::inside, Base::components, Base::nodes, Base::row,
        Base::level, Base::at, Base::beside, Base::beyond, Base::west, Base::east, Base::shown;
    OnDemandHalo around;

    EvenRows(MPI_Comm comm, const Decomposition& d, Edge edge, const std::vector<double>& heights,
             int components = 0)
        : EvenRows(comm, d, edge, {d.topology.nx, d.topology.ny}, LevelNodes<T>(heights),
                   components) {}
    /// inside: the area, where the edges are those of one.
    EvenRows(MPI_Comm comm, const Decomposition& d, Edge edge, PlaneInside inside,
             LevelNodes<T> levels, int components = 0)
        : Base({d.topology.nx, d.topology.ny, edge, inside}, std::move(levels), components),
          around(comm, d, std::vector<int>(ny, nx), beside, sizeof(T), nodes.levels()),
          pages(Pages::sparse(Base::numbers() * sizeof(T))) {
        Base::memory = (T*)pages.at;
        global = rows_of(pages.at);
    }
    EvenRows(const EvenRows&) = delete;

    /// Own points of the blocks; of fewer fields the last one several times. times: [row][point] of
    /// the plane, of the first two fields.
    void pack(const Domain& d, std::span<const FieldSlab* const> from, const T* times = nullptr) {
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const Block& block = *d.blocks[b];
            const int count = std::min(block.nx, inside.columns - block.i0);
#pragma omp parallel for collapse(2) schedule(static)
            for (int r = 0; r < std::min(block.ny, inside.rows - block.j0); ++r)
                for (int k = 0; k < nodes.levels(); ++k) {
                    const T* in[fields];
                    for (int f = 0; f < fields; ++f) {
                        const FieldSlab& slab = *from[std::min(f, int(from.size()) - 1)];
                        in[f] = (const T*)slab.at[b] + (r + d.halo) * slab.row[b] +
                                k * slab.level[b] + d.halo;
                    }
                    const int j = block.j0 + r;
                    interleave(in, count, times ? times + std::size_t(j) * nx + block.i0 : nullptr,
                               at(j, k, block.i0));
                }
        }
    }
    /// Others' points, the ends of rows, the rows beyond the edges.
    void surround() {
        around.exchange(global);
#pragma omp parallel for schedule(static)
        for (int j = 0; j < inside.rows; ++j)
            if (around.holds(j)) close_row(j);
        for (int n = 0; n < 2 * beyond; ++n)
            fill_row(n < beyond ? -1 - n : inside.rows + n - beyond);
    }
    /// The same in memory of a device.
    void surround_on(Device& device, EvenRowsOnDevice& there) {
        around.exchange_on(device, rows_of(there.buffer()));
        there.surround(around.on(device));
    }
    void close_row(int j) {
        for (int k = 0; k < nodes.levels(); ++k) this->close(j, k);
    }
    /// The stencils of departures (plane/even_plane.hpp). Adds to `reach`.
    void locate(const Departures<T>& of, T shift_x, T shift_y, Stencils<T>& to,
                Reach& reach) const {
        Base::locate(of, shift_x, shift_y, to, seen(of, reach));
    }
    void locate(const Departures<T>& of, T shift_x, T shift_y, LinearStencils<T>& to,
                Reach& reach) const {
        Base::locate(of, shift_x, shift_y, to, seen(of, reach));
    }
    /// Requests the stencils within from the owners.
    void need(const Reach& reach) {
        if (around.alone() || reach.empty()) return;
        this->stencils(reach,
                       [this](int row, int first, int count) { around.need(row, first, count); });
    }
    /// Floating-point operations of a point: of its stencil, and of a gather of a field.
    static constexpr double operations_of_stencil = 4 + 15 + 23 + 24,
                            operations_of_linear_stencil = 4 + 2 + 4,
                            operations_of_field = 4 * (4 * 7 + 7) + 4 + 3,
                            operations_of_linear_field = 2 * (2 * 3 + 3) + 3;

    /// Numbers of a row of all levels, ends included.
    std::ptrdiff_t numbers_of_row() const { return row; }

private:
    Pages pages;
    FieldSlab global;

    FieldSlab rows_of(std::byte* buffer) const {
        FieldSlab all{{}, {}, {}, nodes.levels()};
        for (int j = 0; j < ny; ++j) {
            all.at.push_back(buffer + (at(j, 0, 0) - Base::memory) * sizeof(T));
            all.row.push_back(0), all.level.push_back(level);
        }
        return all;
    }
    auto seen(const Departures<T>& of, Reach& reach) const {
        return [this, &reach, count = of.count](const int* columns, const int* rows) {
            if (around.alone()) return;
            see(columns, count, reach.west, reach.east);
            see(rows, count, reach.south, reach.north);
        };
    }
    static void see(const int* at, int count, int& least, int& most) {
        int low = least, high = most;
        for (int n = 0; n < count; ++n) low = std::min(low, at[n]), high = std::max(high, at[n]);
        least = low, most = high;
    }
    /// times: of the first two fields, null: 1.
    static void interleave(const T* const* in, int count, const T* times, T* __restrict out) {
        const T* __restrict from[fields];
        for (int f = 0; f < fields; ++f) from[f] = in[f];
        if (times)
            for (int i = 0; i < count; ++i)
                for (int f = 0; f < fields; ++f)
                    out[i * beside + f] = f < 2 ? from[f][i] * times[i] : from[f][i];
        else
            for (int i = 0; i < count; ++i)
                for (int f = 0; f < fields; ++f) out[i * beside + f] = from[f][i];
    }
    void fill_row(int j) {
        if (this->is_pole(j) || !around.holds(shown(j))) return;
        for (int k = 0; k < nodes.levels(); ++k) this->fill(j, k, -west, nx + east);
    }
};

}  // namespace fathom
