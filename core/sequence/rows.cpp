/// The rows of a group: which cells they hold, which of them need nothing from other ranks, and how
/// processes pass them in turns.
#include <omp.h>
#include <algorithm>
#include "machine/ticks.hpp"
#include "sequence/sequence.hpp"

namespace fathom {

/// Cells start at multiples of their width (aligned loads), every column is computed as part of a
/// pack (one path: the same bits under any decomposition), and land between wet columns of a cell
/// is computed and means nothing.
void Sequence::cut_cells() {
    const int h = domain->halo;
    for (int b = 0; b < int(domain->blocks.size()); ++b) {
        auto& block = *domain->blocks[b];
        const int columns = domain->columns_of(b);
        auto& list = plan->cells.emplace_back(domain->rows_of(b));
        for (int r = 0; r < domain->rows_of(b); ++r)
            for (int c = 0; c < columns; c += cell) {
                int deepest = 0;
                for (int i = c; i < std::min(c + cell, columns); ++i)
                    deepest = std::max(deepest, domain->wet(Horizontal::center, block.i0 + i - h,
                                                            block.j0 + r - h));
                if (deepest) list[r].push_back({c, deepest});
            }
    }
}

/// Which blocks need anything from other ranks.
static std::vector<bool> outer_blocks_of(const Domain& d) {
    std::vector<bool> outer(d.blocks.size());
    for (auto place : {Horizontal::center, Horizontal::corner}) {
        const auto needy = outer_blocks(halo_plan(d.decomposition, place, d.halo, d.halo, d.rank),
                                        d.rank, int(outer.size()));
        for (std::size_t b = 0; b < outer.size(); ++b) outer[b] = outer[b] || needy[b];
    }
    return outer;
}

void Sequence::cut_rows() {
    const int h = domain->halo;
    const auto& cells = plan->cells;
    const bool overlaps = transport(domain->exchange).overlaps;
    const std::vector<bool> outer =
        overlaps ? outer_blocks_of(*domain) : std::vector<bool>(cells.size());
    for (auto& g : groups) {
        auto& all = rows.emplace_back();
        if (steps[g.first].global()) continue;
        std::vector<Row> others;
        // one more: the last row of corners lies on the seam of a folded grid
        const int margin = g.reach + 1;
        for (int b = 0; b < int(cells.size()); ++b) {
            const int nx = domain->blocks[b]->nx, ny = domain->blocks[b]->ny;
            for (int r = h - g.extent; r < h + ny + g.extent; ++r) {
                const auto& row = cells[b][r];
                if (row.empty()) continue;
                const bool inside = overlaps && !g.sent.empty() &&
                                    (!outer[b] || (r >= h + margin && r < h + ny - margin));
                std::size_t first = 0, last = inside ? row.size() : 0;
                if (inside && outer[b]) {
                    while (first < last && row[first].column < h + margin) ++first;
                    while (last > first && row[last - 1].column + cell > h + nx - margin) --last;
                }
                if (first < last)
                    all.list.push_back({b, r, first, last});
                else
                    last = first;
                if (first > 0) others.push_back({b, r, 0, first});
                if (last < row.size()) others.push_back({b, r, last, row.size()});
            }
        }
        all.inner = all.list.size();
        all.list.insert(all.list.end(), others.begin(), others.end());
    }
}

double Sequence::run_rows(Group& group, std::span<const Row> list, FieldSet& set, int calls) {
    static const Region of_rows("rows");
    if (list.empty()) return 0;
    Within within(of_rows, calls);
    // rows in which each process is timed by itself take turns
    const int count = int(list.size()), apart = counting ? 1 : std::clamp(count / 12, 1, 8),
              turn = int(set.count % apart);
    const double t = seconds_now();
#pragma omp parallel for schedule(dynamic, 2)
    for (int n = 0; n < count; ++n)
        run_row(group, list[n], set, omp_get_thread_num(), regions.on && (n + turn) % apart == 0);
    const double seconds = seconds_now() - t;
    settle_clocks(group, t, calls);
    return seconds;
}

void Sequence::run_row(Group& group, const Row& at_row, const FieldSet& set, int thread,
                       bool timed) {
    const auto [b, row, first_cell, last_cell] = at_row;
    const auto wet = std::span(plan->cells[b][row]).subspan(first_cell, last_cell - first_cell);
    const int h = domain->halo, ny = domain->blocks[b]->ny;
    std::byte* const space = scratch.at + thread * scratch_bytes;
    const auto raw = [&, b = b, row = row](const Field& f, int column) -> Raw {
        const auto level = f.place.vertical == Vertical::column ? 0 : f.level[b];  // one for all
        if (f.scratch) return {space + (std::size_t)f.at[b], level, 0};
        if (f.place == place::profile) column = 0;
        return {f.at[b] + (row * f.row[b] + column) * bytes, level, f.row[b], f.streams};
    };
    for (auto first = wet.begin(); first != wet.end();) {
        auto last = first;
        while (last != wet.end() && last->column + cell <= first->column + group.tiles.now) ++last;
        std::uint64_t t = regions.on ? ticks_now() : 0;
        for (int p = group.first; p < group.last; ++p) {
            auto& s = steps[p];
            if (row < h - s.extent || row >= h + ny + s.extent ||
                (s.process.every > 1 && set.count % s.process.every))
                continue;
            Raw at[most_fields];
            for (std::size_t i = 0; i < s.fields.size(); ++i)
                at[i] = raw(set[s.fields[i]], first->column);
            const auto operations = s.process.operations();
            const auto run = counting && s.process.count ? s.process.count : s.process.run;
            run(s.process.scheme.get(), at, &*first, &*first + (last - first));
            Clock& clock = s.clocks[thread];
            ++clock.calls, clock.operations += s.process.operations() - operations;
            if (timed) {
                const auto end = ticks_now();
                clock.ticks += end - t, t = end;
            }
        }
        if (regions.on && !timed) group.others[thread].ticks += ticks_now() - t;
        first = last;
    }
    stream_fence();
}

}  // namespace fathom
