/// The rows of a group: which cells they have, which rows need nothing from other ranks, and how
/// the processes take turns at them.
#include <omp.h>
#include <algorithm>
#include "machine/ticks.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

/// Cells start at multiples of their width (aligned loads), every column is computed as part of a
/// pack (one path: the same bits under any decomposition). Land between wet columns of a cell is
/// computed, too; its values have no meaning.
void StepProgram::cut_cells() {
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

/// Rows of a group: first those that need nothing from other ranks, while messages travel.
void StepProgram::cut_rows() {
    const int h = domain->halo;
    const auto& cells = plan->cells;
    const bool overlaps = transport(domain->exchange).overlaps;
    const std::vector<bool> outer =
        overlaps ? outer_blocks_of(*domain) : std::vector<bool>(cells.size());
    for (auto& g : groups) {
        auto& all = rows.emplace_back();
        if (steps[g.first].global()) continue;
        std::vector<Row> others;
        for (int b = 0; b < int(cells.size()); ++b) {
            const int ny = domain->blocks[b]->ny;
            for (int r = h - g.extent; r < h + ny + g.extent; ++r) {
                if (cells[b][r].empty()) continue;
                const auto [first, last] = overlaps && !g.sent.empty()
                                               ? inner_cells(g, b, r, outer[b])
                                               : std::pair<std::size_t, std::size_t>(0, 0);
                if (first < last) all.list.push_back({b, r, first, last});
                if (first > 0) others.push_back({b, r, 0, first});
                if (last < cells[b][r].size()) others.push_back({b, r, last, cells[b][r].size()});
            }
        }
        all.inner = all.list.size();
        all.list.insert(all.list.end(), others.begin(), others.end());
    }
}

/// Cells [first, last) of a row that need nothing from other ranks; [n, n) if there are none.
/// outer: whether the block has neighbours on other ranks.
std::pair<std::size_t, std::size_t> StepProgram::inner_cells(const Group& g, int b, int r,
                                                             bool outer) const {
    const auto& row = plan->cells[b][r];
    if (!outer) return {0, row.size()};
    const int h = domain->halo, nx = domain->blocks[b]->nx, ny = domain->blocks[b]->ny;
    // one more row: the last row of corners lies on the fold
    const int margin = g.reach + 1;
    if (r < h + margin || r >= h + ny - margin) return {0, 0};
    std::size_t first = 0, last = row.size();
    while (first < last && row[first].column < h + margin) ++first;
    while (last > first && row[last - 1].column + cell > h + nx - margin) --last;
    return {first, std::max(first, last)};
}

double StepProgram::run_rows(Group& group, const Rows& all, bool inner, FieldSet& set, int calls) {
    static const Region of_rows("rows");
    const auto list =
        inner ? std::span(all.list).first(all.inner) : std::span(all.list).subspan(all.inner);
    if (list.empty()) return 0;
    Within within(of_rows, calls);
    const auto& joined = inner ? all.joined : all.joined_outer;
    // the rows in which each process is timed separately change from step to step
    const int count = int(joined.empty() ? list.size() : joined.size()),
              apart = counting ? 1 : std::clamp(count / 12, 1, 8), turn = int(set.count % apart);
    const double t = seconds_now(), began = work_now();
#pragma omp parallel for schedule(dynamic, 2)
    for (int n = 0; n < count; ++n) {
        const bool timed = regions.on && (n + turn) % apart == 0;
        if (joined.empty())
            run_row(group, list[n], set, omp_get_thread_num(), timed);
        else
            run_together(group, joined[n], set, omp_get_thread_num(), timed);
    }
    const double seconds = work_now() - began;
    settle_clocks(group, t, calls);
    return seconds;
}

/// The processes of a group take turns at each tile of a row.
void StepProgram::run_row(Group& group, const Row& at_row, const FieldSet& set, int thread,
                          bool timed) {
    const auto wet = cells_of(at_row);
    const auto reading = ticks_of_reading();
    for (auto first = wet.begin(); first != wet.end();) {
        auto last = first;
        while (last != wet.end() && last->column + cell <= first->column + group.tiles.now) ++last;
        std::uint64_t t = regions.on ? work_ticks() : 0;
        for (int p = group.first; p < group.last; ++p) {
            if (!takes_turn(steps[p], at_row, set)) continue;
            run_tile(steps[p], at_row, {&*first, std::size_t(last - first)}, thread);
            if (!timed) continue;
            const auto end = work_ticks();
            steps[p].clocks[thread].ticks += end - std::min(t + reading, end), t = end;
        }
        if (regions.on && !timed) group.others[thread].ticks += work_ticks() - t;
        first = last;
    }
    stream_fence();
}

/// Whether a process computes in a row, in this step.
bool StepProgram::takes_turn(const Step& s, const Row& r, const FieldSet& set) const {
    const int h = domain->halo, ny = domain->blocks[r.block]->ny;
    return r.row >= h - s.extent && r.row < h + ny + s.extent &&
           (s.process.every == 1 || set.count % s.process.every == 0);
}

/// Where the fields of a process lie: found once, since rows and tiles are many.
void StepProgram::find_arguments(Step& s, const FieldSet& set) const {
    s.arguments.clear();
    for (int b = 0; b < int(domain->blocks.size()); ++b)
        for (int n : s.fields) {
            const Field& f = set[n];
            const auto level = f.place.vertical == Vertical::column ? 0 : f.level[b];
            const std::ptrdiff_t column = f.place == place::profile ? 0 : bytes;
            if (f.scratch)
                s.arguments.push_back({{scratch.at + (std::size_t)f.at[b], level, 0},
                                       0,
                                       0,
                                       std::ptrdiff_t(scratch_bytes),
                                       f.own ? 0 : column});
            else
                s.arguments.push_back(
                    {{f.at[b], level, f.row[b], f.streams}, column, f.row[b] * bytes, 0, 0});
        }
}

/// The fields of a process in a row, from this column on, at a place of its tile.
void StepProgram::arguments(const Step& s, const Row& r, int column, int thread, int place,
                            Raw* at) const {
    const Argument* const first = s.arguments.data() + r.block * s.fields.size();
    for (std::size_t i = 0; i < s.fields.size(); ++i) {
        const Argument& a = first[i];
        at[i] = a.at;
        at[i].at = (std::byte*)a.at.at + r.row * a.row + column * a.column + thread * a.thread +
                   place * a.place;
    }
}

/// Whether the conditions of a process are 0 from the first to the last cell of a tile.
bool StepProgram::passes_over(const Step& s, const Row& r, std::span<const Cell> tile, int thread,
                              int place) const {
    if (!s.process.conditions) return false;
    const int first = tile.front().column, columns = tile.back().column + cell - first;
    const auto conditions = std::span(s.arguments)
                                .subspan(r.block * s.fields.size(), s.fields.size())
                                .last(s.process.conditions);
    return std::ranges::all_of(conditions, [&](const Argument& a) {
        const auto* words =
            (const std::uint64_t*)((std::byte*)a.at.at + r.row * a.row + first * a.column +
                                   thread * a.thread + place * a.place);
        std::uint64_t any = 0;
        for (int n = 0; n < columns * bytes / 8; ++n) any |= words[n];
        return any == 0;
    });
}

/// Runs one process at the cells of a tile.
void StepProgram::run_tile(Step& s, const Row& r, std::span<const Cell> tile, int thread,
                           int place) {
    if (passes_over(s, r, tile, thread, place)) return;
    Raw at[most_fields];
    arguments(s, r, tile.front().column, thread, place, at);
    const auto operations = s.process.operations();
    const auto run = counting && s.process.count ? s.process.count : s.process.run;
    run(s.process.scheme.get(), at, tile.data(), tile.data() + tile.size());
    Clock& clock = s.clocks[thread];
    ++clock.calls, clock.operations += s.process.operations() - operations;
}

}  // namespace fathom
