/// Sums of neighbours: how blocks are cut into bands, their strips, and what travels between them.
#include <omp.h>
#include <algorithm>
#include <map>
#include "field/by_cells.hpp"
#include "sequence/neighbour_sums.hpp"

namespace fathom {

constexpr std::size_t of_slots = 240 << 10;  // bytes of the slots of a tile: in the cache of a core
constexpr std::size_t of_sums = 240 << 10;   // bytes of the sums of a band, next to them
constexpr int least_rows = 16;               // of a band

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

/// A stencil in the order of slots; all columns within reach where none is given.
static std::vector<Shift> in_order(std::span<const Shift> stencil, int reach) {
    std::vector<Shift> to(stencil.begin(), stencil.end());
    for (int o = 0; stencil.empty() && o < offsets(reach); ++o) to.push_back(offset(reach, o));
    const auto before = [](Shift a, Shift b) { return a.j > b.j || (a.j == b.j && a.i > b.i); };
    if (!std::ranges::is_sorted(to, before)) throw Error("a stencil is not in its order");
    return to;
}

void NeighbourSums::find_targets(const Process& process, std::span<const int> fields,
                                 std::span<const Shift> stencil) {
    const bool fold = domain.decomposition.topology.fold;
    for (std::size_t n = 0; n < process.fields.size(); ++n) {
        const auto& use = process.fields[n];
        if (use.reach == 0) continue;
        const Field& f = layout.fields[fields[n]];
        const std::vector<Shift> to = in_order(stencil, use.reach);
        const int first = int(levels.size());
        for (int o = 0; o < int(to.size()); ++o) given.push_back(f.written ? first + o : -1);
        if (!f.written) continue;
        const bool seam = fold && Topology::lies_on_seam(f.place.horizontal);
        targets.push_back({fields[n], use.reach, first, int(to.size()), f.place.horizontal,
                           f.place.vector, seam, f.levels, to});
        levels.insert(levels.end(), to.size() + seam, f.levels);
        reach = std::max(reach, use.reach);
    }
    std::size_t slots = 1, sums = 1;  // bytes of a column
    for (int n : levels) slots += n * bytes;
    for (auto& t : targets) sums += std::size_t(2 * reach + 1) * t.levels * bytes;
    tile = std::max(int(of_slots / slots) / layout.cell, 1) * layout.cell;
    widest = std::max(int(of_sums / sums), std::max(4 * layout.cell, 8 * reach));
}

/// Cuts between whole cells; the last part takes up what is left.
std::vector<int> NeighbourSums::cuts_of_columns() const {
    const Decomposition& d = domain.decomposition;
    const int cell = layout.cell;
    std::vector<int> cuts{0};
    for (std::size_t n = 0; n + 1 < d.i_cuts.size(); ++n) {
        const int begin = d.i_cuts[n], end = d.i_cuts[n + 1],
                  parts = (end - begin + widest - 1) / widest,
                  width = ((end - begin + parts - 1) / parts + cell - 1) / cell * cell;
        for (int i = begin + width - domain.halo % cell; end - i > width / 2; i += width)
            cuts.push_back(i);
        cuts.push_back(end);
    }
    return cuts;
}

/// Rows: as many bands as there are threads, the same on all ranks.
void NeighbourSums::cut_bands() {
    const Decomposition& d = domain.decomposition;
    int threads = omp_get_max_threads(), tallest = 1;
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, domain.comm);
    for (auto& b : d.blocks) tallest = std::max(tallest, b.ny);
    const int rows_of_band = std::max((tallest + threads - 1) / threads, least_rows);
    fine = {d.topology, d.ranks, {}, cuts_of_columns(), {0}, {}};
    const auto& i_cuts = fine.i_cuts;
    const std::size_t columns = d.i_cuts.size() - 1;
    for (std::size_t n = 0; n + 1 < d.j_cuts.size(); ++n)
        for (int j = d.j_cuts[n]; j < d.j_cuts[n + 1];) {
            const int end = std::min(j + rows_of_band, d.j_cuts[n + 1]);
            for (std::size_t m = 0, of = 0; m + 1 < i_cuts.size(); ++m) {
                if (i_cuts[m] == d.i_cuts[of + 1]) ++of;
                Block cut = d.blocks[n * columns + of];
                cut.id = int(fine.blocks.size()), cut.j0 = j, cut.ny = end - j;
                cut.i0 = i_cuts[m], cut.nx = i_cuts[m + 1] - i_cuts[m];
                fine.blocks.push_back(cut);
            }
            fine.j_cuts.push_back(j = end);
        }
    for (const Block* cut : fine.of(domain.rank)) {
        const auto holds = [&](const Block* b) {
            return b->i0 <= cut->i0 && cut->i0 < b->i0 + b->nx && b->j0 <= cut->j0 &&
                   cut->j0 < b->j0 + b->ny;
        };
        const auto block = std::ranges::find_if(domain.blocks, holds);
        bands.push_back({int(block - domain.blocks.begin()), domain.halo + cut->j0 - (*block)->j0,
                         cut->i0 - (*block)->i0, cut});
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

}  // namespace fathom
