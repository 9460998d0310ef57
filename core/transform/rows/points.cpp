/// Entries <-> points: Fourier transforms, row by row, a cell of fields at once.
#include <omp.h>
#include <algorithm>
#include <cstdint>
#include "machine/threads.hpp"
#include "transform/rows/row_transform.hpp"

namespace fathom {

namespace {

/// The number of points before the first one that begins a cache line in all `rows`; -1: there is
/// none.
template <class Pointers> int before_line(const Pointers& rows, int points) {
    const std::uintptr_t line = 64, size = sizeof(*rows[0]),
                         beyond = (std::uintptr_t)rows[0] % line;
    for (auto* row : rows)
        if ((std::uintptr_t)row % line != beyond || beyond % size) return -1;
    return std::min(points, int((line - beyond) % line / size));
}

/// Writes points x[i] of all lanes to the row of each lane; past: past the caches.
template <class Lanes, class Pointers>
void put_points(const Lanes* x, const Pointers& rows, int points, bool beyond_cache) {
    using Number = Lanes::Number;
    constexpr int width = Lanes::width;
    const int lead = before_line(rows, points);
    const bool past = beyond_cache && lead >= 0;
    auto one = [&](int i) {
        Number all[width];
        x[i].store(all);
        for (int l = 0; l < width; ++l) rows[l][i] = all[l];
    };
    int i = 0;
    while (i < lead) one(i++);
    for (; i + width <= points; i += width) {
        Lanes tile[width];
        for (int n = 0; n < width; ++n) tile[n] = x[i + n];
        transpose(tile);
        if (past)
            for (int l = 0; l < width; ++l) tile[l].stream(rows[l] + i);
        else
            for (int l = 0; l < width; ++l) tile[l].store(rows[l] + i);
    }
    while (i < points) one(i++);
}

/// Reads the points of all lanes.
template <class Lanes, class Pointers> void get_points(const Pointers& rows, Lanes* x, int points) {
    using Number = Lanes::Number;
    constexpr int width = Lanes::width;
    auto one = [&](int i) {
        Number all[width];
        for (int l = 0; l < width; ++l) all[l] = rows[l][i];
        x[i] = Lanes::load(all);
    };
    const int lead = before_line(rows, points);
    int i = 0;
    while (i < lead) one(i++);
    for (; i + width <= points; i += width) {
        Lanes tile[width];
        for (int l = 0; l < width; ++l) tile[l] = Lanes::load(rows[l] + i);
        transpose(tile);
        for (int n = 0; n < width; ++n) x[i + n] = tile[n];
    }
    while (i < points) one(i++);
}

}  // namespace

/// Entry (m, own row r) of a cell.
template <class Number>
auto RowTransform<Number>::entry_of(const Side& side, std::size_t r, int columns, int cell) const {
    const Lanes* const entries = (distribution.ranks > 1 ? side.row.data() : side.wave.data()) +
                                 distribution.row_index[distribution.own_rows[r]] * columns +
                                 2 * cell;
    return [=, start = distribution.row_side.data()](int m) {
        return const_cast<Lanes*>(entries) + start[m] * columns;
    };
}

/// Own row r of the fields of a cell; lanes without a field use spare numbers with the same
/// position in cache lines.
template <class Number>
auto RowTransform<Number>::rows_of(const Target* lane, const Side& side, int cell, std::size_t r,
                                   Scratch& mine) const -> std::array<Number*, width> {
    std::array<Number*, width> points{};
    std::size_t beyond = 0;
    for (int l = 0; l < width; ++l)
        if (lane[l].slab) {
            const FieldSlab& s =
                distribution.square ? side.whole_rows[cell * width + l] : *lane[l].slab;
            const int block = row_block[r], level = distribution.square ? 0 : lane[l].level;
            points[l] = (Number*)s.at[block] + row_place[r] * s.row[block] + level * s.level[block];
            beyond = (std::uintptr_t)points[l] / sizeof(Number) % width;
        }
    for (auto& row : points)
        if (!row) row = mine.spare.data() + beyond;
    return points;
}

/// The factor of a row of each lane: 1 or 1/cos(phi), times the weight of a point if a sum becomes
/// an integral.
template <class Number>
auto RowTransform<Number>::row_scale(const Target* lanes, int row, bool weights) const -> Lanes {
    Number scale[width];
    const double weight = weights ? rows.weight[row] / rows.points[row] : 1;
    for (int l = 0; l < width; ++l)
        scale[l] = Number(lanes[l].cosine ? weight / rows.cosine[row] : weight);
    return Lanes::load(scale);
}

static const Region& fourier_transform() {
    static const Region here("Fourier transform");
    return here;
}

template <class Number>
void RowTransform<Number>::to_points(const Batch& batch, Side& side, Way way) {
    for (int derivative = 0; derivative <= int(batch.derivative); ++derivative) {
        if (distribution.square && derivative) collect(batch, side, false, true);
        TimedRegion timer(fourier_transform(), spent.fourier);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_of(scratch.size()))
        for (std::size_t r = 0; r < distribution.own_rows.size(); ++r)
            row_to_points(batch, side, way, derivative, r);
    }
    if (distribution.square) collect(batch, side, batch.derivative, true);
}

template <class Number>
void RowTransform<Number>::row_to_points(const Batch& batch, Side& side, Way way, bool derivative,
                                         std::size_t r) {
    Scratch& mine = scratch[omp_get_thread_num()];
    const Fourier<Number>& transform = fourier.at(rows.points[distribution.own_rows[r]]);
    mine.row_ahead.clear();
    if (!derivative) next_row_ahead(batch, side, r, mine);
    mine.row_ahead.pace(batch.cells * transform.steps());
    for (int cell = 0; cell < batch.cells; ++cell)
        cell_to_points(batch, side, way, derivative, r, cell, transform, mine);
    if (beyond_cache) stream_fence();
}

/// Lists the entries that the next row will need.
template <class Number>
void RowTransform<Number>::next_row_ahead(const Batch& batch, Side& side, std::size_t r,
                                          Scratch& mine) {
    if (r + 1 == distribution.own_rows.size()) return;
    const int columns = 2 * batch.cells, waves = distribution.waves[distribution.own_rows[r + 1]];
    const std::ptrdiff_t bytes = columns * sizeof(Lanes);
    mine.row_ahead.add(entry_of(side, r + 1, columns, 0)(0) - distribution.row_side[0] * columns,
                       bytes, waves + 1, int(bytes), distribution.row_side.data());
}

template <class Number>
void RowTransform<Number>::cell_to_points(const Batch& batch, Side& side, Way way, bool derivative,
                                          std::size_t r, int cell, const Fourier<Number>& transform,
                                          Scratch& mine) {
    using Coefficient = typename Fourier<Number>::Coefficient;
    const int j = distribution.own_rows[r], last = distribution.waves[j],
              pass = derivative ? most_cells * width : 0;
    const Target* const lane = targets.data() + batch.first_target + pass + cell * width;
    if (std::none_of(lane, lane + width, [](const Target& t) { return t.slab; })) return;
    const Lanes scale = row_scale(lane, j, way == Way::direct_adjoint);
    const auto entry = entry_of(side, r, 2 * batch.cells, cell);
    if (derivative) {  // i m f / radius
        const Number inverse_radius(1 / rows.radius);
        const auto coefficient = [&](int m) {
            const Lanes* f = entry(m);
            const Lanes factor = Lanes(Number(m) * inverse_radius) * scale;
            return Coefficient{-(factor * f[1]), factor * f[0]};
        };
        transform.inverse(last, coefficient, mine.a.data(), mine.row_ahead);
    } else {
        const auto coefficient = [&](int m) {
            const Lanes* f = entry(m);
            return Coefficient{scale * f[0], scale * f[1]};
        };
        transform.inverse(last, coefficient, mine.a.data(), mine.row_ahead);
    }
    put_points<Lanes>(mine.a.data(), rows_of(lane, side, cell, r, mine), rows.points[j],
                      beyond_cache);
}

template <class Number>
void RowTransform<Number>::from_points(const Batch& batch, Side& side, Way way) {
    if (distribution.square) collect(batch, side, false, false);
    TimedRegion timer(fourier_transform(), spent.fourier);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_of(scratch.size()))
    for (std::size_t r = 0; r < distribution.own_rows.size(); ++r)
        row_from_points(batch, side, way, r);
}

template <class Number>
void RowTransform<Number>::row_from_points(const Batch& batch, Side& side, Way way, std::size_t r) {
    const int j = distribution.own_rows[r], points = rows.points[j], columns = 2 * batch.cells;
    const bool past = entries_beyond_cache(batch);
    Scratch& mine = scratch[omp_get_thread_num()];
    const Fourier<Number>& transform = fourier.at(points);
    for (int cell = 0; cell < batch.cells; ++cell) {
        const Target* const lane = targets.data() + batch.first_target + cell * width;
        const Lanes scale = row_scale(lane, j, way == Way::direct);
        const auto from = rows_of(lane, side, cell, r, mine);
        if (way == Way::inverse_adjoint)  // a gradient without its f: old results must not be read
            std::fill(mine.spare.begin(), mine.spare.end(), Number(0));
        get_points<Lanes>(from, mine.a.data(), points);
        mine.row_ahead.clear();  // probably the same in the next row
        for (int l = 0; l < width; ++l)
            if (lane[l].slab)
                mine.row_ahead.add(from[l] + lane[l].slab->row[row_block[r]], 0, 1,
                                   points * int(sizeof(Number)));
        mine.row_ahead.pace(transform.steps());
        const auto entry = entry_of(side, r, columns, cell);
        const auto put = [&](int m, Lanes re, Lanes im) {
            Lanes* to = entry(m);
            if (past)
                (scale * re).stream((Number*)to), (scale * im).stream((Number*)(to + 1));
            else {
                to[0] = scale * re, to[1] = scale * im;
                prefetch(to + columns), prefetch(to + columns + 1);
            }
        };
        transform.direct(distribution.waves[j], put, mine.a.data(), mine.row_ahead);
    }
    if (past) stream_fence();
}

template void RowTransform<float>::from_points(const Batch&, Side&, Way);
template void RowTransform<float>::to_points(const Batch&, Side&, Way);
template void RowTransform<double>::from_points(const Batch&, Side&, Way);
template void RowTransform<double>::to_points(const Batch&, Side&, Way);

}  // namespace fathom
