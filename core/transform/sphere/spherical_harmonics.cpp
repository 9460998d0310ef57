#include "transform/sphere/spherical_harmonics.hpp"
#include <omp.h>
#include <algorithm>
#include <cmath>
#include "base/error.hpp"

namespace fathom {

namespace {

int rank_of(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

constexpr std::size_t buffer = 96 << 20;  // bytes: entries of a batch that is chosen
constexpr std::size_t cache =
    24 << 20;  // bytes: fields or entries that are larger altogether are written past the caches

}  // namespace

template <class Number>
auto SphericalHarmonics<Number>::gradient(Coefficients f, const FieldSlab* field,
                                          const FieldSlab* east, const FieldSlab* north) -> Item {
    const FieldSlab* some = field ? field : east ? east : north;
    if (!some) throw Error("a gradient without a field to put it into");
    for (auto* s : {field, east, north})
        if (s && s->levels != some->levels)
            throw Error("a gradient of ", some->levels, " levels into ", s->levels);
    return {Item::Kind::gradient, f, {}, field, east, north, some->levels};
}

template <class Number>
auto SphericalHarmonics<Number>::wind(Coefficients vorticity, Coefficients divergence,
                                      const FieldSlab& east, const FieldSlab& north) -> Item {
    if (east.levels != north.levels)
        throw Error("an eastward wind of ", east.levels, " levels and a northward wind of ",
                    north.levels);
    return {Item::Kind::wind, vorticity, divergence, nullptr, &east, &north, east.levels};
}

template <class Number> SphericalHarmonics<Number>::~SphericalHarmonics() = default;

template <class Number>
SphericalHarmonics<Number>::SphericalHarmonics(MPI_Comm comm, const GaussianGrid& grid,
                                               int truncation, const Decomposition& d,
                                               TransformOptions given)
    : comm(comm),
      options(given),
      grid(grid),
      distribution(grid, truncation, Legendre<Number>::waves_of_rows(grid, truncation + 1), d,
                   rank_of(comm)),
      legendre(grid, truncation + 1, distribution.own_waves, given.table),
      threads(given.threads > 0 ? given.threads : omp_get_max_threads()) {
    int size;
    MPI_Comm_size(comm, &size);
    if (size != d.ranks)
        throw Error("a decomposition over ", d.ranks, " ranks on a communicator of ", size);
    if (options.fields < 0)
        throw Error("transforms of ", options.fields, " fields at once; 0: chosen");
    for (int m : distribution.own_waves) {
        wave_start.push_back(waves.size());
        epsilon.emplace_back();
        for (int n = m; n <= truncation; ++n) waves.push_back({m, n});
        for (int n = m; n <= truncation + 2; ++n) epsilon.back().push_back(Number(coupling(n, m)));
    }
    const auto blocks = d.of(distribution.rank);
    std::size_t packs = 0;
    for (std::size_t r = 0; r < distribution.own_rows.size(); ++r) {
        const int j = distribution.own_rows[r], points = grid.points[j];
        packs = std::max(packs, fourier.try_emplace(points, points).first->second.packs());
        fourier_operations += 2.5 * points * std::log2(double(points)), own_points += points;
        int block = 0, place = 0;
        if (distribution.square) {
            for (auto& rect : distribution.rectangles)
                if (rect.owner == distribution.rank) {
                    if (j >= rect.j0 && j < rect.j0 + rect.ny) {
                        place = j - rect.j0;
                        break;
                    }
                    ++block;
                }
        } else {
            while (j < blocks[block]->j0 || j >= blocks[block]->j0 + blocks[block]->ny) ++block;
            place = j - blocks[block]->j0;
        }
        row_block.push_back(block), row_place.push_back(place);
    }

    cell_bytes =
        std::max(distribution.wave_block.back(), distribution.row_block.back()) * 2 * sizeof(Lanes);
    most_cells =
        options.fields
            ? (options.fields + width - 1) / width
            : int(std::clamp<std::size_t>(buffer / std::max<std::size_t>(cell_bytes, 1), 1, 4));
    const std::size_t columns = 2 * most_cells;
    scratch.resize(threads);
    for (auto& s : scratch) {
        s.a.resize(packs);
        s.spectral.resize((truncation + 3) * columns);
        s.rows.resize(std::size_t(legendre.blocks()) * Legendre<Number>::pairs);
        s.nowhere.resize(columns), s.zeros.assign(columns, Lanes(Number(0)));
        s.legendre = legendre.scratch(int(columns));
        s.spare.resize(grid.longest() + width);
    }
    const bool alone = d.ranks == 1;
    for (int n = 0; n < (alone ? 1 : 2); ++n) {
        Side& s = *sides.emplace_back(std::make_unique<Side>());
        s.wave.resize(distribution.wave_block.back() * columns);
        if (!alone) {
            s.row.resize(distribution.row_block.back() * columns);
            s.wave_slab.resize(1), s.row_slab.resize(1);
            for (int cells = 1; cells <= most_cells; ++cells) {
                const Plan plan[] = {distribution.to_rows(2 * cells * width)},
                           back[] = {adjoint(plan[0])};
                const std::vector<Exchange::Item> item{{Horizontal::center, false, 0, 1}};
                s.forth.push_back(std::make_unique<Exchange>(comm, plan, int(sizeof(Number)), item,
                                                             false, options.exchange));
                s.back.push_back(std::make_unique<Exchange>(comm, back, int(sizeof(Number)), item,
                                                            false, options.exchange));
            }
            for (FieldSlab* f : {&s.wave_slab[0], &s.row_slab[0]})
                f->at.resize(d.ranks), f->row.assign(d.ranks, 0), f->level.assign(d.ranks, 0),
                    f->levels = 1;
        }
        if (distribution.square) {
            const int lanes = most_cells * width, rank = distribution.rank, nx = d.topology.nx;
            const Plan plan = gather_plan(d, Horizontal::center, 0, distribution.rectangles, rank);
            const std::vector<Plan> forth(lanes, plan), back(lanes, adjoint(plan));
            const std::vector<Exchange::Item> items(lanes, {Horizontal::center, false, 0, 1});
            s.gather = std::make_unique<Exchange>(comm, forth, int(sizeof(Number)), items, false,
                                                  options.exchange);
            s.scatter = std::make_unique<Exchange>(comm, back, int(sizeof(Number)), items, false,
                                                   options.exchange);
            s.strips.resize(distribution.own_rows.size() * lanes * nx);
            s.whole_rows.resize(lanes), s.pieces_of_rows.resize(lanes);
            std::size_t spare = 0;
            for (auto* b : blocks) spare = std::max(spare, std::size_t(b->nx) * b->ny);
            s.spare.resize(spare);
            for (auto* b : blocks)
                s.nowhere.at.push_back((std::byte*)s.spare.data()), s.nowhere.row.push_back(b->nx),
                    s.nowhere.level.push_back(0);
            s.nowhere.levels = 1;
            for (int l = 0; l < lanes; ++l) {
                FieldSlab& f = s.whole_rows[l];
                f.levels = 1;
                std::size_t row = 0;
                for (auto& rect : distribution.rectangles)
                    if (rect.owner == rank) {
                        f.at.push_back((std::byte*)(s.strips.data() + (row * lanes + l) * nx)),
                            f.row.push_back(std::ptrdiff_t(lanes) * nx), f.level.push_back(0);
                        row += rect.ny;
                    }
                s.pieces_of_rows[l] = s.nowhere;
            }
        }
    }
}

template <class Number>
bool SphericalHarmonics<Number>::entries_beyond_cache(const Batch& batch) const {
    return cell_bytes * batch.cells > cache;
}

template <class Number> double SphericalHarmonics<Number>::flops_of_field() const {
    return legendre.flops(2, truncation());
}

/// Lanes for the levels of all items: an item's parts - a wind's two, a gradient's f and northward
/// derivative, for its adjoint three - lie in one batch, so that what mixes them finds them
/// together.
template <class Number> void SphericalHarmonics<Number>::arrange(Items items, Way way) {
    pieces.clear(), targets.clear(), batches.clear();
    const int capacity = most_cells * width;
    auto parts_of = [&](const Item& item) {
        const bool slope = item.north || (item.east && way == Way::inverse_adjoint);
        return item.kind == Item::Kind::wind     ? 2
               : item.kind == Item::Kind::scalar ? 1
               : way == Way::inverse_adjoint     ? 1 + 2 * slope
                                                 : 1 + slope;
    };
    int cells = 0;
    for (const Item& item : items) cells += (item.levels * parts_of(item) + width - 1) / width;
    const int number = (cells + most_cells - 1) /
                       most_cells;  // as few batches as there must be, of about the same size
    const int limit =
        number ? std::min(capacity, std::max((cells + number - 1) / number, 2) * width) : capacity;
    int used = limit;
    for (const Item& item : items) {
        const bool mixed = item.kind == Item::Kind::gradient,
                   slope = item.north || (item.east && way == Way::inverse_adjoint);
        if (mixed && (way == Way::direct || way == Way::direct_adjoint))
            throw Error(
                "a gradient is transformed to the grid only: use inverse or inverse_adjoint");
        const int parts = parts_of(item);
        if (parts > capacity)
            throw Error("transforms of ", capacity, " fields at once; a gradient or wind needs ",
                        parts);
        for (int level = 0; level < item.levels;) {
            int take = std::min(item.levels - level, (limit - used) / parts);
            if (!take) {
                batches.push_back({0, int(pieces.size()), int(pieces.size()), int(targets.size()),
                                   truncation(), false, 0});
                targets.resize(targets.size() + 2 * capacity);
                used = 0;
                continue;
            }
            Batch& batch = batches.back();
            if (item.kind == Item::Kind::wind || (mixed && slope)) batch.highest = truncation() + 1;
            Target* lane = targets.data() + batch.first_target;
            for (int k = 0; k < take; ++k) {
                auto set = [&](int n, const FieldSlab* slab, bool cosine) {
                    lane[n] = {slab, level + k, cosine};
                };
                const int at = used + k;
                if (item.kind == Item::Kind::scalar)
                    set(at, item.field, false);
                else if (item.kind == Item::Kind::wind)
                    set(at, item.east, true), set(at + take, item.north, true);
                else if (way == Way::inverse) {
                    set(at, item.field, false);
                    if (item.east) set(at + capacity, item.east, true), batch.derivative = true;
                    if (slope) set(at + take, item.north, true);
                } else {
                    set(at, item.field, false);
                    if (slope)
                        set(at + take, item.east, true), set(at + 2 * take, item.north, true);
                }
            }
            for (int k = 0; k < take;) {  // no part of a piece lies across two registers
                int count = take - k;
                for (int p = 0; p < parts; ++p)
                    count = std::min(count, width - (used + p * take + k) % width);
                Piece piece{&item, level + k, count, {}};
                for (int p = 0; p < parts; ++p) piece.lane[p] = used + p * take + k;
                pieces.push_back(piece);
                k += count;
            }
            used += parts * take, level += take;
            batch.cells = (used + width - 1) / width, batch.last_piece = int(pieces.size()),
            batch.fields = used;
        }
    }
}

/// Entries between the sides of waves and rows.
template <class Number>
void SphericalHarmonics<Number>::travel(const Batch& batch, Side& side, bool to_rows, bool finish) {
    if (distribution.ranks == 1) return;
    static const Region here("transposition", "", "exchange");
    TimedRegion timer(here, spent.transposition);
    const int columns = 2 * batch.cells, rank = distribution.rank;
    const auto &w = distribution.wave_block, &r = distribution.row_block;
    if (!finish) {
        for (int o = 0; o < distribution.ranks; ++o) {
            side.wave_slab[0].at[o] = (std::byte*)(side.wave.data() + w[o] * columns);
            side.row_slab[0].at[o] = (std::byte*)(side.row.data() + r[o] * columns);
        }
    }
    Exchange& exchange = *(to_rows ? side.forth : side.back)[batch.cells - 1];
    if (finish)
        exchange.finish(to_rows ? side.row_slab : side.wave_slab);
    else
        exchange.start(to_rows ? side.wave_slab : side.row_slab);
    if (finish) {  // what stays here
        const Lanes* from =
            to_rows ? side.wave.data() + w[rank] * columns : side.row.data() + r[rank] * columns;
        std::copy_n(
            from, (w[rank + 1] - w[rank]) * columns,
            to_rows ? side.row.data() + r[rank] * columns : side.wave.data() + w[rank] * columns);
    }
}

/// SQUARE: whole rows <-> pieces of rows in the blocks, all lanes of a batch at once.
template <class Number>
void SphericalHarmonics<Number>::collect(const Batch& batch, Side& side, bool derivative,
                                         bool scatter) {
    static const Region here("transposition within rows", "", "exchange");
    TimedRegion timer(here, spent.transposition);
    const int capacity = most_cells * width;
    const Target* lanes = targets.data() + batch.first_target + (derivative ? capacity : 0);
    for (int l = 0; l < capacity; ++l) {
        const FieldSlab* s = lanes[l].slab;
        FieldSlab& f = side.pieces_of_rows[l];
        for (std::size_t b = 0; b < f.at.size(); ++b) {
            f.at[b] = s ? s->at[b] + lanes[l].level * s->level[b] * std::ptrdiff_t(sizeof(Number))
                        : side.nowhere.at[b];
            f.row[b] = s ? s->row[b] : side.nowhere.row[b];
        }
    }
    if (scatter)
        side.scatter->start(side.whole_rows), side.scatter->finish(side.pieces_of_rows);
    else
        side.gather->start(side.pieces_of_rows), side.gather->finish(side.whole_rows);
}

/// What a batch takes: Legendre sums, 5/2 n log2 n for a real row of n points, and each number once
/// on its way in and out.
template <class Number> void SphericalHarmonics<Number>::count(const Batch& batch) {
    const int capacity = most_cells * width;
    const auto first = targets.begin() + batch.first_target;
    const double fields = batch.fields,
                 rows = std::count_if(first, first + 2 * capacity,
                                      [](auto& t) { return t.slab != nullptr; });
    const double entries_of_waves = 2. * distribution.wave_block.back(),
                 entries_of_rows = 2. * distribution.row_block.back(), bytes = sizeof(Number);
    spent.legendre.did(fields * flops_of_field(),
                       fields * bytes * (2. * waves.size() + entries_of_waves));
    spent.fourier.did(rows * fourier_operations,
                      bytes * (rows * own_points + fields * entries_of_rows));
    if (distribution.ranks > 1)
        spent.transposition.did(0, 2 * bytes *
                                       (fields * (entries_of_waves + entries_of_rows) +
                                        (distribution.square ? rows * 2 * own_points : 0)));
}

/// Two batches are under way where there are messages: one travels while the other is computed.
template <class Number> void SphericalHarmonics<Number>::run(Items items, Way way) {
    arrange(items, way);
    beyond_cache =
        pieces.size() * width * sizeof(Number) * grid.size() / distribution.ranks > cache;
    const bool to_rows = way == Way::inverse || way == Way::direct_adjoint;
    for (auto& batch : batches) count(batch);
    const int number = int(batches.size()), behind = int(sides.size()) - 1;
    for (int n = 0; n < number + behind; ++n) {
        if (n < number) {
            Side& side = *sides[n % sides.size()];
            if (to_rows)
                from_waves(batches[n], side, way);
            else
                from_points(batches[n], side, way);
            travel(batches[n], side, to_rows, false);
        }
        if (n >= behind) {
            const Batch& batch = batches[n - behind];
            Side& side = *sides[(n - behind) % sides.size()];
            travel(batch, side, to_rows, true);
            if (to_rows)
                to_points(batch, side, way);
            else
                to_waves(batch, side, way);
        }
    }
}

template class SphericalHarmonics<float>;
template class SphericalHarmonics<double>;

}  // namespace fathom
