#include "sequence/neighbour_sums.hpp"
#include <omp.h>
#include <algorithm>
#include <cstring>
#include <map>
#include "field/by_cells.hpp"

namespace fathom {

constexpr int margin = 16;                // columns beyond both ends of a row of sums, not used
constexpr std::size_t cache = 420 << 10;  // bytes of the slots of a tile
constexpr int least_rows = 16;            // of a band

// ---- which values are active --------------------------------------------------------------------

Active::Active(const Domain& d) : domain(d) {
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
        auto& of = wet.emplace_back(std::size_t(d.rows_of(b)) * d.columns_of(b));
        for (int j = 0; j < block.ny; ++j)
            for (int i = 0; i < block.nx; ++i)
                of[std::size_t(j + d.halo) * d.columns_of(b) + i + d.halo] =
                    d.wet(Horizontal::center, block.i0 + i, block.j0 + j);
    }
}

void Active::clear_others(FieldSet& set, int number) const {
    const Field& f = set[number];
    if (f.place == place::profile || f.own) return;
    const auto clear = [&]<class T>(T*, int b, int r) {
        const int* const wet = row(b, r);
        for (int k = 0; k < f.levels; ++k) {
            T* const values = (T*)f.at[b] + r * f.row[b] + (f.levels > 1 ? k * f.level[b] : 0);
            for (int c = 0; c < domain.columns_of(b); ++c)
                if (k >= count(f, wet[c])) values[c] = 0;
        }
    };
    for (int b = 0; b < int(domain.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int r = 0; r < domain.rows_of(b); ++r)
            set.bytes() == 4 ? clear((float*)nullptr, b, r) : clear((double*)nullptr, b, r);
}

// ---- bands and their strips ---------------------------------------------------------------------

NeighbourSums::NeighbourSums(const Layout& layout, const Process& process,
                             std::span<const int> fields, std::shared_ptr<const Active> active,
                             std::span<const Shift> stencil)
    : layout(layout), domain(*layout.domain), active(std::move(active)), bytes(layout.bytes) {
    find_targets(process, fields, stencil);
    cut_bands();
    direct = make_set();
    if (domain.decomposition.topology.fold) mirrored = make_set();
    open_exchanges();
}

void NeighbourSums::find_targets(const Process& process, std::span<const int> fields,
                                 std::span<const Shift> stencil) {
    const bool fold = domain.decomposition.topology.fold;
    for (std::size_t n = 0; n < process.fields.size(); ++n) {
        const auto& use = process.fields[n];
        if (use.reach == 0) continue;
        const Field& f = layout.fields[fields[n]];
        std::vector<Shift> to(stencil.begin(), stencil.end());
        for (int o = 0; stencil.empty() && o < offsets(use.reach); ++o)
            to.push_back(offset(use.reach, o));
        const int first = int(levels.size());
        const auto before = [](Shift a, Shift b) { return a.j > b.j || (a.j == b.j && a.i > b.i); };
        if (!std::ranges::is_sorted(to, before)) throw Error("a stencil is not in its order");
        for (int o = 0; o < int(to.size()); ++o) given.push_back(f.written ? first + o : -1);
        if (!f.written) continue;
        const bool seam = fold && Topology::lies_on_seam(f.place.horizontal);
        targets.push_back({fields[n], use.reach, first, int(to.size()), f.place.horizontal,
                           f.place.vector, seam, f.levels, to});
        levels.insert(levels.end(), to.size() + seam, f.levels);
        reach = std::max(reach, use.reach);
    }
    std::size_t column = 1;
    for (int n : levels) column += n * bytes;
    tile = std::max(int(cache / column) / layout.cell, 1) * layout.cell;
}

/// As many as there are threads, the same on all ranks.
void NeighbourSums::cut_bands() {
    const Decomposition& d = domain.decomposition;
    int threads = omp_get_max_threads(), tallest = 1;
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, domain.comm);
    for (auto& b : d.blocks) tallest = std::max(tallest, b.ny);
    const int rows_of_band = std::max((tallest + threads - 1) / threads, least_rows);
    fine = {d.topology, d.ranks, {}, d.i_cuts, {0}, {}};
    const int columns = int(d.i_cuts.size()) - 1;
    for (std::size_t n = 0; n + 1 < d.j_cuts.size(); ++n)
        for (int j = d.j_cuts[n]; j < d.j_cuts[n + 1];) {
            const int end = std::min(j + rows_of_band, d.j_cuts[n + 1]);
            for (int m = 0; m < columns; ++m) {
                Block cut = d.blocks[n * columns + m];
                cut.id = int(fine.blocks.size()), cut.j0 = j, cut.ny = end - j;
                fine.blocks.push_back(cut);
            }
            fine.j_cuts.push_back(j = end);
        }
    for (const Block* cut : fine.of(domain.rank)) {
        const auto holds = [&](const Block* b) {
            return b->i0 == cut->i0 && b->j0 <= cut->j0 && cut->j0 < b->j0 + b->ny;
        };
        const auto block = std::ranges::find_if(domain.blocks, holds);
        bands.push_back(
            {int(block - domain.blocks.begin()), domain.halo + cut->j0 - (*block)->j0, cut});
        strips.push_back(strips_of(*cut));
    }
}

/// Rows and columns count from the corner of the stored band, halo included. The first row beyond
/// a seam is the second row on this side of it.
NeighbourSums::Strips NeighbourSums::strips_of(const Block& b) const {
    const bool seam = std::ranges::any_of(targets, &Target::seam);
    const int h = domain.halo, first = h - reach, south = std::min(h + reach, h + b.ny + reach),
              north = std::max(h + b.ny - reach - seam, south), rows = h + b.ny + reach,
              west = std::min(h + reach, h + b.nx + reach), east = std::max(h + b.nx - reach, west),
              columns = h + b.nx + reach;
    return {Strip{first, first, south - first, columns - first},
            Strip{north, first, rows - north, columns - first},
            Strip{south, first, north - south, west - first},
            Strip{south, east, north - south, columns - east}};
}

NeighbourSums::Set NeighbourSums::make_set() const {
    Set set;
    std::size_t numbers = 0;
    for (int n : levels) {
        FieldSlab& slab = set.slots.emplace_back();
        slab.levels = n;
        for (auto& of_band : strips)
            for (auto& s : of_band) {
                slab.at.push_back((std::byte*)(numbers * bytes));
                slab.level.push_back(s.columns);
                slab.row.push_back(std::ptrdiff_t(s.columns) * n);
                numbers += std::size_t(s.rows) * s.columns * n;
            }
    }
    set.memory = Pages(std::max<std::size_t>(numbers, 1) * bytes);
    for (auto& slab : set.slots)
        for (auto& at : slab.at) at = set.memory.at + std::size_t(at);
    return set;
}

NeighbourSums::InStrip NeighbourSums::in_strip(const Block& b, int band, int row,
                                               int column) const {
    const Strips of = strips_of(b);
    for (int n = 0; n < 4; ++n) {
        const int r = row - of[n].row, c = column - of[n].column;
        if (r >= 0 && r < of[n].rows && c >= 0 && c < of[n].columns) return {4 * band + n, r, c};
    }
    throw Error("a slot beyond the strips of a band");
}

/// The plan that sends the slots of a field beyond the edges of bands to their owners: those on
/// this side of the fold, or those across it.
Plan NeighbourSums::strip_plan(const Target& t, bool flipped) const {
    std::map<int, std::vector<const Block*>> lists;
    const auto list = [&](int rank) -> auto& {
        auto& made = lists[rank];
        if (made.empty()) made = fine.of(rank);
        return made;
    };
    Plan made;
    const Plan whole = adjoint(halo_plan(fine, t.horizontal, domain.halo, t.reach, domain.rank));
    for (auto& m : whole.messages) {
        Message part{m.from_rank, m.to_rank, {}, 0};
        for (auto& run : m.runs) {
            if (run.flipped != flipped) continue;
            const Block &from = *list(m.from_rank)[run.from_block],
                        &to = *list(m.to_rank)[run.to_block];
            for (int n = 0; n < run.count; ++n) {
                const InStrip a = in_strip(from, run.from_block, run.from_row,
                                           run.from_column + n * run.step),
                              b = in_strip(to, run.to_block, run.to_row, run.to_column + n);
                if (n > 0 && part.runs.back().from_block == a.block &&
                    part.runs.back().to_block == b.block)
                    ++part.runs.back().count;
                else
                    part.runs.push_back({a.block, b.block, a.row, a.column, b.row, b.column, 1,
                                         run.step, run.flipped});
                ++part.points;
            }
        }
        if (part.points) made.messages.push_back(std::move(part));
    }
    return made;
}

void NeighbourSums::open_exchanges() {
    const auto open = [&](bool flipped) {
        std::vector<Plan> plans;
        std::vector<Exchange::Item> items;
        for (auto& t : targets) {
            const Plan plan = strip_plan(t, flipped);
            const int count = t.slots + (flipped && t.seam);
            plans.insert(plans.end(), count, plan);
            items.insert(items.end(), count, {t.horizontal, t.vector, t.reach, t.levels});
        }
        return std::make_unique<Exchange>(domain.comm, plans, bytes, std::move(items), true);
    };
    for (auto& t : targets)
        for (int o = 0; o < t.slots + t.seam; ++o) {
            if (o < t.slots) own.push_back(direct.slots[t.first_slot + o]);
            if (!domain.decomposition.topology.fold) continue;
            sent.push_back(direct.slots[t.first_slot + o]);
            received.push_back(mirrored.slots[t.first_slot + o]);
        }
    back = open(false);
    if (domain.decomposition.topology.fold) across = open(true);
}

// ---- one process --------------------------------------------------------------------------------

/// Memory of a thread: sums for the rows in reach of the present one, and the slots of a tile.
class NeighbourSums::Work {
public:
    Work(const NeighbourSums& of, int columns)
        : rows(2 * of.reach + 1),
          width(padded_columns(columns + 2 * margin, of.layout.cell)),
          tile(of.tile),
          bytes(of.bytes) {
        for (auto& t : of.targets) sums.push_back(size), size += std::size_t(t.levels) * width;
        std::size_t numbers = 0;
        for (int n : of.levels) slots.push_back(numbers), numbers += std::size_t(n) * tile;
        memory.resize(rows * size * bytes), of_tile.resize(numbers * bytes);
    }
    /// Of a target, in a row of the band.
    std::byte* sum(int row, std::size_t target, int column) {
        return of_row(row) + (sums[target] + margin + column) * bytes;
    }
    std::byte* slot(int number) { return of_tile.data() + slots[number] * bytes; }
    void clear(int row) { std::memset(of_row(row), 0, size * bytes); }
    void clear() { std::memset(memory.data(), 0, memory.size()); }
    void clear_slots() { std::memset(of_tile.data(), 0, of_tile.size()); }
    const int rows, width, tile;
    std::vector<Raw> given;

private:
    const int bytes;
    std::size_t size = 0;
    std::vector<std::size_t> sums, slots;
    LargeVector<std::byte> memory, of_tile;
    /// All sums of a row: none where all that is read at neighbours is constant.
    std::byte* of_row(int row) {
        return memory.data() + std::size_t((row + 2 * rows) % rows) * size * bytes;
    }
};

template <class T> static T* row_of(const Field& f, int block, int row, int level) {
    return (T*)f.at[block] + row * f.row[block] + (level ? level * f.level[block] : 0);
}

/// Whether an own point of a band is the second of a point on the seam.
bool NeighbourSums::is_second(const Target& t, const Band& band, int row, int column) const {
    const int i = band.cut->i0 + column - domain.halo, j = band.cut->j0 + row - band.row;
    return t.seam && fine.topology.source(t.horizontal, i, j).flipped;
}

/// The adjoints of second points go the way of slots, to first points.
template <class T> void NeighbourSums::take_seam(FieldSet& gradient, std::size_t n) {
    const Band& band = bands[n];
    const Strip &north = strips[n][1], &south = strips[n][0];
    const int h = domain.halo, row = band.row + band.cut->ny - 1, stored = h + band.cut->ny - 1;
    if (band.cut->j0 + band.cut->ny != fine.topology.ny) return;
    const bool low = stored < south.row + south.rows;
    const Strip& strip = low ? south : north;
    for (auto& t : targets)
        for (int c = h; t.seam && c < h + band.cut->nx; ++c) {
            if (!is_second(t, band, row, c)) continue;
            const Field& f = gradient[t.field];
            const FieldSlab& own = direct.slots[t.first_slot + t.slots];
            const std::size_t block = 4 * n + !low;
            for (int k = 0; k < t.levels; ++k) {
                T& value = row_of<T>(f, band.block, row, k)[c];
                ((T*)own.at[block])[(stored - strip.row) * own.row[block] + k * own.level[block] +
                                    c - strip.column] = value;
                value = 0;
            }
        }
}

/// The cells of a row of a band that hold own columns.
std::span<const Cell> NeighbourSums::own_cells(const Band& band, int row) const {
    const int h = domain.halo, columns = domain.columns_of(band.block);
    std::span<const Cell> cells = layout.cells[band.block][band.row + row];
    while (!cells.empty() && cells.front().column + layout.cell <= h) cells = cells.subspan(1);
    while (!cells.empty() && cells.back().column >= columns - h)
        cells = cells.first(cells.size() - 1);
    return cells;
}

/// Parts for columns next to the edges of a band go to its strips. Column: the first of the tile.
template <class T>
void NeighbourSums::keep_apart(std::size_t number, int row, int column, int slot, int count,
                               Shift to, Work& work) {
    const int stored = row + to.j + domain.halo, begin = column + to.i;
    for (int n = 0; n < 4; ++n) {
        const Strip& s = strips[number][n];
        if (stored < s.row || stored >= s.row + s.rows) continue;
        const int first = std::max(begin, s.column),
                  last = std::min(begin + count, s.column + s.columns);
        if (first >= last) continue;
        const FieldSlab& slab = direct.slots[slot];
        const std::size_t block = 4 * number + n;
        const T* const from = (const T*)work.slot(slot) + first - begin;
        T* const kept = (T*)slab.at[block] + (stored - s.row) * slab.row[block] + first - s.column;
        for (int k = 0; k < levels[slot]; ++k)
            std::copy_n(from + k * work.tile, last - first, kept + k * slab.level[block]);
    }
}

/// sum += part, level by level, in whole cells.
template <class T>
static void add_part(T* sum, int level_of_sum, const T* part, int level_of_part, int levels,
                     int count) {
    using Real = Pack<T, pack_width<T>>;
    for (int k = 0; k < levels; ++k, sum += level_of_sum, part += level_of_part)
        for (int c = 0; c < count; c += Real::width)
            (Real::load(sum + c) + Real::load(part + c)).store(sum + c);
}

/// Columns of a halo give nothing, whatever a kernel has made of numbers beyond it.
template <class T>
void NeighbourSums::clear_halo(const Band& band, int column, int count, Work& work) {
    const int first = std::max(domain.halo - column, 0),
              last = std::min(domain.halo + band.cut->nx - column, count);
    if (first == 0 && last == count) return;
    for (int slot = 0; slot < int(levels.size()); ++slot)
        for (int k = 0; k < levels[slot]; ++k) {
            T* const part = (T*)work.slot(slot) + k * work.tile;
            std::fill(part, part + first, T(0)), std::fill(part + last, part + count, T(0));
        }
}

/// The parts of some cells of a row, added to the sums of the rows in reach.
template <class T>
void NeighbourSums::run_tile(std::size_t number, int row, std::span<const Cell> cells,
                             const Parts& parts, Work& work) {
    const Band& band = bands[number];
    const int column = cells.front().column, count = cells.back().column + layout.cell - column;
    const bool full =
        count == int(cells.size()) * layout.cell &&
        std::ranges::all_of(cells, [&](const Cell& c) { return c.levels == domain.levels; });
    if (!full) work.clear_slots();
    work.given.clear();
    for (int slot : given)
        work.given.push_back(slot < 0 ? Raw{} : Raw{work.slot(slot), work.tile, 0});
    parts(band.block, band.row + row, cells, work.given.data());
    clear_halo<T>(band, column, count, work);
    const Strip &west = strips[number][2], &east = strips[number][3];
    for (std::size_t n = 0; n < targets.size(); ++n)
        for (int o = 0; o < targets[n].slots; ++o) {
            const Target& t = targets[n];
            const Shift to = t.to[o];
            const int stored = row + to.j + domain.halo, begin = column + to.i;
            const bool between = stored >= west.row && stored < west.row + west.rows;
            if (!between || begin < west.column + west.columns || begin + count > east.column)
                keep_apart<T>(number, row, column, t.first_slot + o, count, to, work);
            if (between)
                add_part((T*)work.sum(row + to.j, n, begin), work.width,
                         (const T*)work.slot(t.first_slot + o), work.tile, t.levels, count);
        }
}

/// The rows of a band, one after another; the sums of a row are complete once all rows in its reach
/// are done.
template <class T>
void NeighbourSums::run_band(FieldSet& gradient, const Parts& parts, std::size_t number,
                             Work& work) {
    const int ny = bands[number].cut->ny;
    work.clear();
    for (int row = 0; row < ny; ++row) {
        for (auto cells = own_cells(bands[number], row); !cells.empty();) {
            std::size_t count = 1;
            while (count < cells.size() &&
                   cells[count].column + layout.cell - cells.front().column <= tile)
                ++count;
            run_tile<T>(number, row, cells.first(count), parts, work);
            cells = cells.subspan(count);
        }
        settle_row<T>(gradient, number, row - reach, work);
        work.clear(row - reach);
    }
}

/// x += sum of the levels of a row, where they lie above the bottom. level: of x, of the sum.
template <class T>
static void add_sums(T* x, const T* sum, std::pair<std::ptrdiff_t, std::ptrdiff_t> level,
                     const Field& f, const int* wet, int count) {
    const bool all =
        std::all_of(wet, wet + count, [&](int n) { return Active::count(f, n) >= f.levels; });
    for (int k = 0; k < f.levels; ++k, x += level.first, sum += level.second)
        if (all)
            for (int c = 0; c < count; ++c) x[c] += sum[c];
        else
            for (int c = 0; c < count; ++c)
                if (k < Active::count(f, wet[c])) x[c] += sum[c];
}

/// A row that is far from the edges of the band.
template <class T>
void NeighbourSums::settle_row(FieldSet& gradient, std::size_t number, int row, Work& work) {
    const Band& band = bands[number];
    const Strip &west = strips[number][2], &east = strips[number][3];
    const int stored = row + domain.halo, first = west.column + west.columns;
    if (stored < west.row || stored >= west.row + west.rows || first >= east.column) return;
    const int* const wet = active->row(band.block, band.row + row) + first;
    for (std::size_t n = 0; n < targets.size(); ++n) {
        const Field& f = gradient[targets[n].field];
        add_sums<T>(row_of<T>(f, band.block, band.row + row, 0) + first,
                    (const T*)work.sum(row, n, first), {f.level[band.block], work.width}, f, wet,
                    east.column - first);
    }
}

/// What stands in the strips of a band, after the parts from beyond its edges have come.
template <class T> void NeighbourSums::add_strips(FieldSet& gradient, std::size_t number) {
    const Band& band = bands[number];
    const int h = domain.halo;
    std::vector<T> sums;
    for (auto& t : targets)
        for (int n = 0; n < 4; ++n) {
            const Strip& s = strips[number][n];
            const std::size_t block = 4 * number + n;
            const Field& f = gradient[t.field];
            const int west = std::max(h, s.column),
                      east = std::min(h + band.cut->nx, s.column + s.columns), width = east - west;
            if (width <= 0) continue;
            for (int r = std::max(h, s.row); r < std::min(h + band.cut->ny, s.row + s.rows); ++r) {
                const int row = band.row + r - h;
                sums.assign(std::size_t(t.levels) * width, T(0));
                const auto add = [&](const Set& set, int count) {
                    for (int o = 0; o < count; ++o) {
                        const FieldSlab& from = set.slots[t.first_slot + o];
                        const T* part = (const T*)from.at[block] + (r - s.row) * from.row[block];
                        for (int k = 0; k < t.levels; ++k, part += from.level[block])
                            for (int c = 0; c < width; ++c)
                                sums[k * width + c] += part[west + c - s.column];
                    }
                };
                add(direct, t.slots);
                if (across) add(mirrored, t.slots + t.seam);
                for (int c = west; c < east && t.seam; ++c)
                    for (int k = 0; k < t.levels && is_second(t, band, row, c); ++k)
                        sums[k * width + c - west] = 0;
                add_sums<T>(row_of<T>(f, band.block, row, 0) + west, sums.data(),
                            {f.level[band.block], width}, f, active->row(band.block, row) + west,
                            width);
            }
        }
}

template <class T> void NeighbourSums::run(FieldSet& gradient, const Parts& parts) {
    int columns = 0;
    for (int b = 0; b < int(domain.blocks.size()); ++b)
        columns = std::max(columns, domain.columns_of(b));
    std::memset(direct.memory.at, 0, direct.memory.bytes);
#pragma omp parallel
    {
        Work work(*this, columns);
#pragma omp for schedule(dynamic, 1)
        for (std::size_t n = 0; n < bands.size(); ++n) run_band<T>(gradient, parts, n, work);
    }
    for (std::size_t n = 0; across && n < bands.size(); ++n) take_seam<T>(gradient, n);
    const auto move = [](Exchange& by, std::span<const FieldSlab> from,
                         std::span<const FieldSlab> to) { by.start(from), by.finish(to); };
    if (across) {
        std::memset(mirrored.memory.at, 0, mirrored.memory.bytes);
        move(*across, sent, received);
    }
    move(*back, own, own);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t n = 0; n < bands.size(); ++n) add_strips<T>(gradient, n);
}

void NeighbourSums::add(FieldSet& gradient, const Parts& parts) {
    bytes == 4 ? run<float>(gradient, parts) : run<double>(gradient, parts);
}

}  // namespace fathom
