#include "transform/rows/row_transform.hpp"
#include <omp.h>
#include <algorithm>
#include <cmath>
#include "base/error.hpp"

namespace fathom {

namespace {

constexpr std::size_t buffer = 96 << 20;  // bytes of a batch's entries, if Fathom chooses it
/// Registers of fields in a batch, if Fathom chooses: those of 32 bytes make four tiles of three
/// columns, re and im.
constexpr std::size_t most_chosen = register_bytes == 32 ? 6 : 4;
/// Fields or entries of more bytes in total are written past the caches.
constexpr std::size_t cache = 24 << 20;

const Region& transposition() {
    static const Region here("transposition", "", "exchange");
    return here;
}

const std::vector<Exchange::Item> one_item{{Horizontal::center, false, 0, 1}};

}  // namespace

template <class Number>
auto RowTransform<Number>::gradient(Coefficients f, const FieldSlab* field, const FieldSlab* east,
                                    const FieldSlab* north) -> Item {
    const FieldSlab* some = field ? field : east ? east : north;
    if (!some) throw Error("a gradient without a field to put it into");
    for (auto* s : {field, east, north})
        if (s && s->levels != some->levels)
            throw Error("a gradient of ", some->levels, " levels into ", s->levels);
    return {Item::Kind::gradient, f, {}, field, east, north, some->levels};
}

template <class Number>
auto RowTransform<Number>::wind(Coefficients vorticity, Coefficients divergence,
                                const FieldSlab& east, const FieldSlab& north) -> Item {
    if (east.levels != north.levels)
        throw Error("an eastward wind of ", east.levels, " levels and a northward wind of ",
                    north.levels);
    return {Item::Kind::wind, vorticity, divergence, nullptr, &east, &north, east.levels};
}

template <class Number> RowTransform<Number>::~RowTransform() = default;

template <class Number>
RowTransform<Number>::RowTransform(MPI_Comm comm, TransformRows given, Distribution of_work,
                                   const Decomposition& d, TransformWork how)
    : rows(std::move(given)),
      distribution(std::move(of_work)),
      threads(how.threads > 0 ? how.threads : omp_get_max_threads()),
      comm(comm),
      work(std::move(how)),
      longest(*std::ranges::max_element(rows.points)) {
    int size;
    MPI_Comm_size(comm, &size);
    if (size != d.ranks)
        throw Error("a decomposition over ", d.ranks, " ranks on a communicator of ", size);
    if (work.fields < 0) throw Error("transforms of ", work.fields, " fields at once; 0: chosen");
    for (int points : rows.points) points_of_grid += points;
    place_rows(d);
    const std::size_t packs = plan_fourier();
    cell_bytes =
        std::max(distribution.wave_block.back(), distribution.row_block.back()) * 2 * sizeof(Lanes);
    const auto chosen = buffer / std::max<std::size_t>(cell_bytes, 1);
    most_cells = work.fields ? (work.fields + width - 1) / width
                             : int(std::clamp<std::size_t>(chosen, 1, most_chosen));
    scratch.resize(threads);
    for (auto& s : scratch) s.a.resize(packs), s.spare.resize(longest + width);
    for (int n = 0; n < (d.ranks == 1 ? 1 : 2); ++n) {
        Side& side = *sides.emplace_back(std::make_unique<Side>());
        side.wave.resize(distribution.wave_block.back() * 2 * most_cells);
        if (d.ranks > 1) plan_travel(side);
        if (distribution.square) plan_collection(side, d);
    }
}

template <class Number> void RowTransform<Number>::list_waves(int m, int first, int last) {
    wave_start.push_back(waves.size());
    for (int n = first; n <= last; ++n) waves.push_back({m, n});
}

/// Finds the place of each own row: in the blocks, or, if blocks share rows, in the rank's strips
/// of whole rows.
template <class Number> void RowTransform<Number>::place_rows(const Decomposition& d) {
    std::vector<std::pair<int, int>> first_and_end;  // rows of each slab
    if (distribution.square) {
        for (auto& strip : distribution.rectangles)
            if (strip.owner == distribution.rank)
                first_and_end.push_back({strip.j0, strip.j0 + strip.ny});
    } else
        for (auto* block : d.of(distribution.rank))
            first_and_end.push_back({block->j0, block->j0 + block->ny});
    for (int j : distribution.own_rows) {
        const auto slab = std::ranges::find_if(
            first_and_end, [&](auto& rows) { return j >= rows.first && j < rows.second; });
        row_block.push_back(int(slab - first_and_end.begin()));
        row_place.push_back(j - slab->first);
    }
}

/// Registers that the longest transform needs.
template <class Number> std::size_t RowTransform<Number>::plan_fourier() {
    std::size_t packs = 0;
    for (int j : distribution.own_rows) {
        const int points = rows.points[j];
        packs = std::max(packs, fourier.try_emplace(points, points).first->second.packs());
        fourier_operations += 2.5 * points * std::log2(double(points));
        own_points += points;
    }
    return packs;
}

/// Entries between the sides of waves and rows, for any number of cells.
template <class Number> void RowTransform<Number>::plan_travel(Side& side) {
    side.row.resize(distribution.row_block.back() * 2 * most_cells);
    for (int cells = 1; cells <= most_cells; ++cells) {
        ThereAndBack made(comm, distribution.to_rows(2 * cells * width), int(sizeof(Number)),
                          work.exchange);
        side.forth.push_back(std::move(made.forth)), side.back.push_back(std::move(made.back));
    }
    side.wave_slab.resize(1), side.row_slab.resize(1);
}

/// Plans the messages that collect whole rows from the blocks that share them, and send them back.
template <class Number>
void RowTransform<Number>::plan_collection(Side& side, const Decomposition& d) {
    const int lanes = most_cells * width;
    collection = gather_plan(d, Horizontal::center, 0, distribution.rectangles, distribution.rank);
    const std::vector<Plan> forth(lanes, collection), back(lanes, adjoint(collection));
    const std::vector<Exchange::Item> items(lanes, one_item[0]);
    side.gather =
        std::make_unique<Exchange>(comm, forth, int(sizeof(Number)), items, false, work.exchange);
    side.scatter =
        std::make_unique<Exchange>(comm, back, int(sizeof(Number)), items, false, work.exchange);
    side.gather->kind = side.scatter->kind = Exchange::transpositions;

    const auto blocks = d.of(distribution.rank);
    std::size_t largest = 0;
    for (auto* b : blocks) largest = std::max(largest, std::size_t(b->nx) * b->ny);
    side.spare.resize(largest);
    for (auto* b : blocks) {
        side.nowhere.at.push_back((std::byte*)side.spare.data());
        side.nowhere.row.push_back(b->nx), side.nowhere.level.push_back(0);
    }
    side.nowhere.levels = 1;
    side.pieces_of_rows.assign(lanes, side.nowhere);

    const int nx = d.topology.nx;
    side.strips.resize(distribution.own_rows.size() * lanes * nx);
    side.whole_rows.resize(lanes);
    for (int l = 0; l < lanes; ++l) {
        FieldSlab& whole = side.whole_rows[l];
        whole.levels = 1;
        std::size_t row = 0;
        for (auto& strip : distribution.rectangles)
            if (strip.owner == distribution.rank) {
                whole.at.push_back((std::byte*)(side.strips.data() + (row * lanes + l) * nx));
                whole.row.push_back(std::ptrdiff_t(lanes) * nx), whole.level.push_back(0);
                row += strip.ny;
            }
    }
}

template <class Number> bool RowTransform<Number>::entries_beyond_cache(const Batch& batch) const {
    return cell_bytes * batch.cells > cache;
}

/// Entries between the sides of waves and rows: a start, then an arrival.
template <class Number>
void RowTransform<Number>::depart(const Batch& batch, Side& side, bool to_rows) {
    if (distribution.ranks == 1) return;
    TimedRegion timer(transposition(), spent.transposition);
    const std::size_t bytes = 2 * batch.cells * sizeof(Lanes);
    point_to((std::byte*)side.wave.data(), distribution.wave_block, bytes, side.wave_slab[0]);
    point_to((std::byte*)side.row.data(), distribution.row_block, bytes, side.row_slab[0]);
    exchange_of(batch, side, to_rows).start(to_rows ? side.wave_slab : side.row_slab);
}

template <class Number>
void RowTransform<Number>::arrive(const Batch& batch, Side& side, bool to_rows) {
    if (distribution.ranks == 1) return;
    TimedRegion timer(transposition(), spent.transposition);
    exchange_of(batch, side, to_rows).finish(to_rows ? side.row_slab : side.wave_slab);
    // the part that stays on this rank
    const int columns = 2 * batch.cells, rank = distribution.rank;
    const auto& begin = distribution.wave_block;
    Lanes* const wave = side.wave.data() + begin[rank] * columns;
    Lanes* const row = side.row.data() + distribution.row_block[rank] * columns;
    std::copy_n(to_rows ? wave : row, (begin[rank + 1] - begin[rank]) * columns,
                to_rows ? row : wave);
}

template <class Number>
Exchange& RowTransform<Number>::exchange_of(const Batch& batch, Side& side, bool to_rows) {
    return *(to_rows ? side.forth : side.back)[batch.cells - 1];
}

/// SQUARE: whole rows <-> pieces of rows in the blocks, all lanes of a batch at once.
template <class Number>
void RowTransform<Number>::collect(const Batch& batch, Side& side, bool derivative, bool scatter) {
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

template <class Number> void RowTransform<Number>::count(const Batch& batch) {
    const int capacity = most_cells * width;
    const auto first = targets.begin() + batch.first_target;
    count(batch.fields, double(std::count_if(first, first + 2 * capacity,
                                             [](auto& t) { return t.slab != nullptr; })));
}
/// Counts the work of so many fields, and rows of each: sums within m, 5/2 n log2 n for a real row
/// of n points, and each number is read once and written once.
template <class Number> void RowTransform<Number>::count(double fields, double lanes) {
    const double entries_of_waves = 2. * distribution.wave_block.back(),
                 entries_of_rows = 2. * distribution.row_block.back(), bytes = sizeof(Number);
    spent.within.did(fields * flops_of_field(),
                     fields * bytes * (2. * waves.size() + entries_of_waves));
    spent.fourier.did(lanes * fourier_operations,
                      bytes * (lanes * own_points + fields * entries_of_rows));
    if (distribution.ranks > 1)
        spent.transposition.did(0, 2 * bytes *
                                       (fields * (entries_of_waves + entries_of_rows) +
                                        (distribution.square ? lanes * 2 * own_points : 0)));
}

/// With several ranks two batches are in progress: one travels while the other is computed.
template <class Number> void RowTransform<Number>::run(Items items, Way way) {
    arrange(items, way);
    beyond_cache =
        pieces.size() * width * sizeof(Number) * points_of_grid / distribution.ranks > cache;
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
            depart(batches[n], side, to_rows);
        }
        if (n >= behind) {
            const Batch& batch = batches[n - behind];
            Side& side = *sides[(n - behind) % sides.size()];
            arrive(batch, side, to_rows);
            if (to_rows)
                to_points(batch, side, way);
            else
                to_waves(batch, side, way);
        }
    }
}

template <class Number> TransformOnDevice& RowTransform<Number>::open(Device& device) {
    if (!there) there = on(device);
    return *there;
}

/// Items whose fields are whole rows, and the fields themselves, whose rows blocks share.
template <class Number> struct RowTransform<Number>::Shared {
    std::vector<TransformOnDevice::Item> items;
    std::vector<FieldSlab> fields;
    WholeRows* rows = nullptr;
};

template <class Number> auto RowTransform<Number>::shared(Device& device, Items items) -> Shared {
    Shared s;
    for (auto& i : items)
        if (i.levels > 0)
            s.items.push_back({TransformOnDevice::Item::Kind(i.kind), i.first.at, i.second.at,
                               i.first.stride, i.field, i.east, i.north, i.levels});
    if (!distribution.square) return s;
    std::vector<const FieldSlab**> fields;
    std::vector<int> levels;
    for (auto& item : s.items)
        for (const FieldSlab** f : {&item.field, &item.east, &item.north})
            if (*f) fields.push_back(f), s.fields.push_back(**f), levels.push_back(item.levels);
    auto& rows = whole_rows[levels];
    if (!rows) {
        std::vector<Rectangle> own;
        std::ranges::copy_if(distribution.rectangles, std::back_inserter(own),
                             [&](const Rectangle& r) { return r.owner == distribution.rank; });
        rows = std::make_unique<WholeRows>(device, comm, collection, own, levels,
                                           int(sizeof(Number)), work.exchange);
    }
    s.rows = rows.get();
    for (std::size_t n = 0; n < fields.size(); ++n) *fields[n] = &(*rows)[n];
    return s;
}

template <class Number> void RowTransform<Number>::inverse(Device& device, Items given) {
    const Shared s = shared(device, given);
    const auto entries = open(device).from_waves(s.items);
    travel(device, entries, true);
    there->to_points();
    if (s.rows) s.rows->scatter(s.fields);
    double derivatives = 0;
    for (auto& item : given)
        if (item.kind == Item::Kind::gradient) derivatives += item.levels;
    count(entries.numbers / 2, entries.numbers / 2 + derivatives);
}

template <class Number> void RowTransform<Number>::direct(Device& device, Items given) {
    const Shared s = shared(device, given);
    if (s.rows) s.rows->gather(s.fields);
    const auto entries = open(device).from_points(s.items);
    travel(device, entries, false);
    there->to_waves();
    count(entries.numbers / 2, entries.numbers / 2);
}

/// Entries in memory of a device, through that of the processor.
template <class Number>
void RowTransform<Number>::travel(Device& device, const TransformOnDevice::Entries& entries,
                                  bool to_rows) {
    if (distribution.ranks == 1) return;
    TimedRegion timer(transposition(), spent.transposition);
    auto& way = on_device[entries.numbers];
    if (!way)
        way = std::make_unique<PiecesThere>(device.shared_from_this(), comm,
                                            distribution.wave_block, distribution.row_block,
                                            entries.numbers, int(sizeof(Number)), work.exchange);
    way->travel(entries.of_waves, entries.of_rows, to_rows);
}

template class RowTransform<float>;
template class RowTransform<double>;

}  // namespace fathom
