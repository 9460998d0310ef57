/// Fields next to each other, for the gathers of semi-Lagrangian advection:
/// buffer[row][level][point][4 fields], or, for one field alone, [4 levels] in their place. A row
/// is continued beyond its ends, the sphere beyond the poles (half a turn further, vectors change
/// their sign), the column by a copy of the first and last level. Others' points come by the halo
/// on demand.
#pragma once
#include <algorithm>
#include <cstring>
#include <numbers>
#include <span>
#include <vector>
#include "base/error.hpp"
#include "grid/gaussian.hpp"
#include "machine/memory.hpp"
#include "parallel/halo/on_demand.hpp"
#include "semi_lagrangian/stencils/point_rows.hpp"

namespace fathom {

template <class T> struct InterleavedRows {
    // points at once; of a group; rows beyond a pole
    static constexpr int tile = 64, fields = interleaved, beyond = beyond_pole;
    using Block = PointBlock;
    using Row = PointRow<T>;
    using Item = PointTile;
    int halo, levels, ny;
    bool full;
    std::vector<Block> blocks;
    std::vector<int> points;
    std::vector<Row> rows;  ///< j = -2 ... ny + 1, stored at j + 2
    std::vector<Item> items;
    std::ptrdiff_t next_row = 0;  ///< on a full grid
    OnDemandHalo around;

    InterleavedRows(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
                    int levels)
        : halo(halo),
          levels(levels),
          ny(grid.rows()),
          points(grid.points),
          around(comm, d, points, fields, sizeof(T), levels) {
        int rank;
        MPI_Comm_rank(comm, &rank);
        full = std::ranges::all_of(points, [&](int n) { return n == points[0]; });
        if (ny < 4) throw Error("semi-Lagrangian advection needs 4 rows at least, given ", ny);
        std::size_t offset = fields;  // spare: a register's load may begin a point early
        for (int j = -beyond; j < ny + beyond; ++j) {
            const int n = points[row_across(j)];
            rows.push_back(
                {offset, std::ptrdiff_t(n + 3) * fields, n, T(n / (2 * std::numbers::pi))});
            offset += std::size_t(n + 3) * fields * (levels + 2);
        }
        next_row = std::ptrdiff_t(rows[1].offset - rows[0].offset);
        memory = Pages::sparse((offset + 64) * sizeof(T));
        buffer = (T*)memory.at;
        global = rows_of(memory.at);
        for (auto* b : d.of(rank)) {
            for (int r = 0; r < b->ny; ++r)
                for (int k = 0; k < levels; ++k)
                    for (int c = 0, end = std::min(b->nx, points[b->j0 + r] - b->i0); c < end;
                         c += tile)
                        items.push_back({int(blocks.size()), r, k, c, std::min(tile, end - c)});
            blocks.push_back({b->i0, b->j0, b->nx, b->ny});
        }
    }
    InterleavedRows(const InterleavedRows&) = delete;

    const T* source(const FieldSlab& f, const Item& t) const {
        return (const T*)f.at[t.block] + (t.row + halo) * f.row[t.block] +
               (f.levels > 1 ? t.level : 0) * f.level[t.block] + t.column + halo;
    }
    T* target(const FieldSlab& f, const Item& t) const { return const_cast<T*>(source(f, t)); }
    T* at(const Row& r, int k, int i) const { return buffer + r.of(k, i); }
    int row_across(int j) const { return fathom::row_across(j, ny); }
    /// The rows of a buffer, without those beyond the poles.
    FieldSlab rows_of(std::byte* buffer) const {
        FieldSlab all{{}, {}, {}, levels};
        for (int j = 0; j < ny; ++j) {
            const Row& r = rows[j + beyond];
            all.at.push_back(buffer + r.of(0, 0) * sizeof(T));
            all.row.push_back(0), all.level.push_back(r.level);
        }
        return all;
    }
    /// Numbers of the buffer that hold points.
    std::size_t numbers() const { return rows.back().of(levels + 1, -1) + 64; }

    void pack(std::span<const FieldSlab> group) {
        static const T nothing[tile] = {};
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t n = 0; n < items.size(); ++n) {
            const Item& t = items[n];
            const T* in[fields];
            for (int f = 0; f < fields; ++f)
                in[f] =
                    f < int(group.size()) && !group[f].at.empty() ? source(group[f], t) : nothing;
            const int j = blocks[t.block].j0 + t.row, i0 = blocks[t.block].i0 + t.column;
            const Row& row = rows[j + beyond];
            T* out = at(row, t.level, i0);
            for (int i = 0; i < t.count; ++i)
                for (int f = 0; f < fields; ++f) out[i * fields + f] = in[f][i];
        }
    }
    /// One field alone: next to each other lie its values of the level above, of the level, and of
    /// the two below.
    void pack_levels(const FieldSlab& field) {
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t n = 0; n < items.size(); ++n) {
            const Item& t = items[n];
            const T* in[fields];
            for (int f = 0; f < fields; ++f)
                in[f] = source(field, t) + (std::clamp(t.level - 1 + f, 0, levels - 1) - t.level) *
                                               field.level[t.block];
            T* out = at(rows[blocks[t.block].j0 + t.row + beyond], t.level,
                        blocks[t.block].i0 + t.column);
            for (int i = 0; i < t.count; ++i)
                for (int f = 0; f < fields; ++f) out[i * fields + f] = in[f][i];
        }
    }
    /// Others' points, the ends of rows, the rows beyond the poles, the levels beyond the first and
    /// last.
    void surround(bool vector) {
        around.exchange(global);
#pragma omp parallel for schedule(dynamic, 1)
        for (int j = 0; j < ny; ++j)
            if (around.holds(j)) close_row(j);
#pragma omp parallel for schedule(static)
        for (int j = 0; j < 2 * beyond; ++j)
            cross_pole(j < beyond ? -1 - j : ny + j - beyond, vector);
    }

private:
    Pages memory;
    T* buffer = nullptr;  // of the group that is interpolated
    FieldSlab global;     // the buffer, row by row
    void copy_level(const Row& to, int k_to, const Row& from, int k_from) {
        std::memcpy(at(to, k_to, -1), at(from, k_from, -1), to.level * sizeof(T));
    }
    void close_row(int j) {
        const Row& r = rows[j + beyond];
        for (int k = 0; k < levels; ++k) close_ends(at(r, k, 0), r.points);
        copy_level(r, -1, r, 0);
        copy_level(r, levels, r, levels - 1);
    }
    void cross_pole(int j, bool vector) {
        if (!around.holds(row_across(j))) return;
        const Row &to = rows[j + beyond], &from = rows[row_across(j) + beyond];
        const int half = to.points / 2;
        for (int k = -1; k <= levels; ++k)
            for (int i = -1; i < to.points + 2; ++i)
                fathom::cross_pole(at(from, k, (i + half + to.points) % to.points), at(to, k, i),
                                   vector);
    }
};

}  // namespace fathom
