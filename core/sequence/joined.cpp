/// Blocks of columns that are longer than a row, or of a length whatever the rows: pieces of rows
/// join, each process of a group goes through all of them before the next one begins. Scratch has
/// a place for each column of a block, so that its leading dimension does not depend on how many
/// columns there are.
#include <algorithm>
#include "machine/ticks.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

std::span<const Cell> StepProgram::cells_of(const Row& r) const {
    return std::span(plan->cells[r.block][r.row]).subspan(r.first, r.last - r.first);
}

/// The columns of a block: 0 where rows do not join; not more than this rank has.
int StepProgram::columns_that_join(int widest) const {
    if (options.tile >= -1 && options.tile < 2 * widest) return 0;
    long all = 0;
    for (int b = 0; b < int(domain->blocks.size()); ++b)
        all += long(domain->rows_of(b)) * ((domain->columns_of(b) + cell - 1) / cell * cell);
    const long wanted = std::min<long>(std::abs(long(options.tile)), all);
    const int unit = options.tile < 0 ? cell : widest;
    return std::max(int(wanted / unit), 1) * unit;
}

void StepProgram::join_rows() {
    for (std::size_t n = 0; n < groups.size(); ++n) {
        if (!groups[n].joins) continue;
        auto& all = rows[n];
        const std::span list(all.list);
        all.joined = join(list.first(all.inner), groups[n].tiles.now);
        all.joined_outer = join(list.subspan(all.inner), groups[n].tiles.now);
    }
}

/// Rows one after another, cut where a block is full: between rows, or, where a length is taken
/// literally, anywhere.
std::vector<std::vector<StepProgram::Row>> StepProgram::join(std::span<const Row> list,
                                                             int tile) const {
    std::vector<std::vector<Row>> found;
    int room = 0;
    for (Row rest : list)
        while (rest.first < rest.last) {
            const auto& cells = plan->cells[rest.block][rest.row];
            const int start = cells[rest.first].column;
            const auto span = [&](std::size_t last) {
                return cells[last - 1].column + cell - start;
            };
            if (room < (options.tile < 0 ? cell : span(rest.last))) {
                found.emplace_back(), room = tile;
            }
            Row piece = rest;
            while (span(piece.last) > room) --piece.last;
            found.back().push_back(piece);
            room -= span(piece.last), rest.first = piece.last;
        }
    return found;
}

/// The processes of a group take turns at a block of joined rows.
void StepProgram::run_together(Group& group, std::span<const Row> pieces, const FieldSet& set,
                               int thread, bool timed) {
    const auto reading = ticks_of_reading();
    std::uint64_t t = regions.on ? work_ticks() : 0;
    for (int p = group.first; p < group.last; ++p) {
        int place = 0;
        for (const Row& piece : pieces) {
            const auto cells = cells_of(piece);
            if (takes_turn(steps[p], piece, set)) run_tile(steps[p], piece, cells, thread, place);
            place += cells.back().column + cell - cells.front().column;
        }
        if (!timed) continue;
        const auto end = work_ticks();
        steps[p].clocks[thread].ticks += end - std::min(t + reading, end), t = end;
    }
    if (regions.on && !timed) group.others[thread].ticks += work_ticks() - t;
    stream_fence();
}

}  // namespace fathom
