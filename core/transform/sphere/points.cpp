/// Entries <-> points: Fourier transforms, row by row, a cell of fields at once.
#include <omp.h>
#include <algorithm>
#include <cstdint>
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom {

namespace {

/// Points before the first that begins a line of the cache in all of some rows; -1 where there is
/// none.
template <class Pointers> int before_line(const Pointers& rows, int points) {
    const std::uintptr_t line = 64, size = sizeof(*rows[0]),
                         beyond = (std::uintptr_t)rows[0] % line;
    for (auto* row : rows)
        if ((std::uintptr_t)row % line != beyond || beyond % size) return -1;
    return std::min(points, int((line - beyond) % line / size));
}

}  // namespace

/// Entry (m, own row r) of a cell.
template <class Number>
auto SphericalHarmonics<Number>::entry_of(const Side& side, std::size_t r, int columns,
                                          int cell) const {
    const Lanes* const entries = (distribution.ranks > 1 ? side.row.data() : side.wave.data()) +
                                 distribution.row_index[distribution.own_rows[r]] * columns +
                                 2 * cell;
    return [=, start = distribution.row_side.data()](int m) {
        return const_cast<Lanes*>(entries) + start[m] * columns;
    };
}

/// Own row r of the fields of a cell; lanes without a field go to spare numbers, which lie in their
/// cache lines as the others do.
template <class Number>
auto SphericalHarmonics<Number>::rows_of(const Target* lane, const Side& side, int cell,
                                         std::size_t r, Scratch& mine) const
    -> std::array<Number*, width> {
    std::array<Number*, width> rows{};
    std::size_t beyond = 0;
    for (int l = 0; l < width; ++l)
        if (lane[l].slab) {
            const FieldSlab& s =
                distribution.square ? side.whole_rows[cell * width + l] : *lane[l].slab;
            const int block = row_block[r], level = distribution.square ? 0 : lane[l].level;
            rows[l] = (Number*)s.at[block] + row_place[r] * s.row[block] + level * s.level[block];
            beyond = (std::uintptr_t)rows[l] / sizeof(Number) % width;
        }
    for (auto& row : rows)
        if (!row) row = mine.spare.data() + beyond;
    return rows;
}

/// What multiplies a row of each lane: 1 or 1/cos(phi), and the weight of a point where a sum
/// becomes an integral.
template <class Number>
auto SphericalHarmonics<Number>::row_scale(const Target* lanes, int row, bool weights) const
    -> Lanes {
    Number scale[width];
    const double weight = weights ? grid.weight[row] / grid.points[row] : 1;
    for (int l = 0; l < width; ++l)
        scale[l] = Number(lanes[l].cosine ? weight / grid.cosine[row] : weight);
    return Lanes::load(scale);
}

template <class Number>
void SphericalHarmonics<Number>::to_points(const Batch& batch, Side& side, Way way) {
    const int columns = 2 * batch.cells, capacity = most_cells * width;
    for (int pass = 0; pass < (batch.derivative ? 2 : 1); ++pass) {
        if (distribution.square && pass) collect(batch, side, false, true);
        static const Region here("Fourier transform");
        TimedRegion timer(here, spent.fourier);
        const Target* const lanes = targets.data() + batch.first_target + pass * capacity;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
        for (std::size_t r = 0; r < distribution.own_rows.size(); ++r) {
            const int j = distribution.own_rows[r], last = distribution.waves[j],
                      points = grid.points[j];
            Scratch& mine = scratch[omp_get_thread_num()];
            const Fourier<Number>& transform = fourier.at(points);
            mine.row_ahead.clear();
            if (!pass && r + 1 < distribution.own_rows.size()) {
                const std::ptrdiff_t bytes = columns * sizeof(Lanes);
                mine.row_ahead.add(
                    entry_of(side, r + 1, columns, 0)(0) - distribution.row_side[0] * columns,
                    bytes, distribution.waves[distribution.own_rows[r + 1]] + 1, int(bytes),
                    distribution.row_side.data());
            }
            mine.row_ahead.pace(batch.cells * transform.steps());
            for (int cell = 0; cell < batch.cells; ++cell) {
                const Target* lane = lanes + cell * width;
                bool any = false;
                for (int l = 0; l < width; ++l) any = any || lane[l].slab;
                if (!any) continue;
                const Lanes scale = row_scale(lane, j, way == Way::direct_adjoint);
                const auto entry = entry_of(side, r, columns, cell);
                using Coefficient = typename Fourier<Number>::Coefficient;
                const Lanes* const x = mine.a.data();
                if (pass) {
                    const Number inverse_radius(1 / options.radius);
                    transform.inverse(
                        last,
                        [&](int m) {
                            const Lanes* f = entry(m);
                            const Lanes factor = Lanes(Number(m) * inverse_radius) * scale;
                            return Coefficient{-(factor * f[1]), factor * f[0]};
                        },
                        mine.a.data(), mine.row_ahead);
                } else
                    transform.inverse(
                        last,
                        [&](int m) {
                            const Lanes* f = entry(m);
                            return Coefficient{scale * f[0], scale * f[1]};
                        },
                        mine.a.data(), mine.row_ahead);
                const std::array<Number*, width> to = rows_of(lane, side, cell, r, mine);
                const int lead = before_line(to, points);
                const bool past = beyond_cache && lead >= 0;
                auto one = [&](int i) {
                    Number all[width];
                    x[i].store(all);
                    for (int l = 0; l < width; ++l) to[l][i] = all[l];
                };
                int i = 0;
                while (i < lead) one(i++);
                for (; i + width <= points; i += width) {
                    Lanes tile[width];
                    for (int n = 0; n < width; ++n) tile[n] = x[i + n];
                    transpose(tile);
                    if (past)
                        for (int l = 0; l < width; ++l) tile[l].stream(to[l] + i);
                    else
                        for (int l = 0; l < width; ++l) tile[l].store(to[l] + i);
                }
                while (i < points) one(i++);
            }
            if (beyond_cache) stream_fence();
        }
    }
    if (distribution.square) collect(batch, side, batch.derivative, true);
}

template <class Number>
void SphericalHarmonics<Number>::from_points(const Batch& batch, Side& side, Way way) {
    if (distribution.square) collect(batch, side, false, false);
    static const Region here("Fourier transform");
    TimedRegion timer(here, spent.fourier);
    const int columns = 2 * batch.cells;
    const bool past = entries_beyond_cache(batch);
    const Target* const lanes = targets.data() + batch.first_target;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (std::size_t r = 0; r < distribution.own_rows.size(); ++r) {
        const int j = distribution.own_rows[r], last = distribution.waves[j],
                  points = grid.points[j];
        Scratch& mine = scratch[omp_get_thread_num()];
        const Fourier<Number>& transform = fourier.at(points);
        for (int cell = 0; cell < batch.cells; ++cell) {
            const Target* lane = lanes + cell * width;
            const Lanes scale = row_scale(lane, j, way == Way::direct);
            const std::array<Number*, width> from = rows_of(lane, side, cell, r, mine);
            Lanes* x = mine.a.data();
            const auto entry = entry_of(side, r, columns, cell);
            auto one = [&](int i) {
                Number all[width];
                for (int l = 0; l < width; ++l) all[l] = from[l][i];
                x[i] = Lanes::load(all);
            };
            const int lead = before_line(from, points);
            int i = 0;
            while (i < lead) one(i++);
            for (; i + width <= points; i += width) {
                Lanes tile[width];
                for (int l = 0; l < width; ++l) tile[l] = Lanes::load(from[l] + i);
                transpose(tile);
                for (int n = 0; n < width; ++n) x[i + n] = tile[n];
            }
            while (i < points) one(i++);
            mine.row_ahead.clear();  // the same of the next row, most likely
            for (int l = 0; l < width; ++l)
                if (lane[l].slab)
                    mine.row_ahead.add(from[l] + lane[l].slab->row[row_block[r]], 0, 1,
                                       points * int(sizeof(Number)));
            mine.row_ahead.pace(transform.steps());
            transform.direct(
                last,
                [&](int m, Lanes re, Lanes im) {
                    Lanes* to = entry(m);
                    if (past)
                        (scale * re).stream((Number*)to), (scale * im).stream((Number*)(to + 1));
                    else
                        to[0] = scale * re, to[1] = scale * im, prefetch(to + columns),
                        prefetch(to + columns + 1);
                },
                x, mine.row_ahead);
        }
        if (past) stream_fence();
    }
}

template void SphericalHarmonics<float>::from_points(const Batch&, Side&, Way);
template void SphericalHarmonics<float>::to_points(const Batch&, Side&, Way);
template void SphericalHarmonics<double>::from_points(const Batch&, Side&, Way);
template void SphericalHarmonics<double>::to_points(const Batch&, Side&, Way);

}  // namespace fathom
