/// A step of a sequence with its tangent: the same groups, exchanges and rows, on numbers with
/// their tangents (base/dual.hpp). Both sets have one layout, so all numbers have the
/// same distance in memory to their tangents; halos of both are exchanged. Global processes have
/// tangents written by hand.
#include <omp.h>
#include <algorithm>
#include "machine/threads.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

/// Bytes from a number of a set to its tangent.
static std::ptrdiff_t apart(const FieldSet& set, const FieldSet& change) {
    std::ptrdiff_t bytes = 0;
    for (std::size_t n = 0; n < set.fields().size(); ++n)
        for (std::size_t b = 0; b < set[int(n)].at.size(); ++b) {
            const std::ptrdiff_t here = change[int(n)].at[b] - set[int(n)].at[b];
            if (bytes != 0 && here != bytes)
                throw Error("time levels of a state and of its change stand differently");
            bytes = here;
        }
    return bytes;
}

void StepProgram::exchange(Group& group, FieldSet& set) {
    group.beyond.clear(set);
    if (!group.exchange) return;
    for (std::size_t n = 0; n < group.sent.size(); ++n)
        std::ranges::copy(set[group.sent[n].field].at, group.slabs[n].at.begin());
    group.exchange->start(group.slabs);
    group.exchange->finish(group.slabs);
}

void StepProgram::step(FieldSet& set, FieldSet& change) {
    if (!options.tangent) throw Error("this sequence was not made for steps with a tangent");
    if (set.layout != plan || change.layout != plan)
        throw Error("this field set belongs to another sequence");
    for (auto& s : steps)
        if (!s.global() && !s.process.tangent) throw Error(s.process.name, " has no tangent");
    set_profiles(set);
    for (std::size_t g = 0; g < groups.size(); ++g) run_tangent(groups[g], rows[g], set, change);
    set.rotate(), change.rotate();
    ++set.count, ++change.count;
}

void StepProgram::run_tangent(Group& group, const Rows& rows, FieldSet& set, FieldSet& change) {
    exchange(group, set), exchange(group, change);
    if (Step& first = steps[group.first]; first.global()) {
        if (set.count % first.process.every) return;
        first.process.global->tangent({set, first.fields}, {change, first.fields});
        return first.process.global->apply({set, first.fields});
    }
    const std::ptrdiff_t bytes = apart(set, change);
    for (int p = group.first; p < group.last; ++p) find_arguments(steps[p], set);
#pragma omp parallel for schedule(dynamic, 2) num_threads(threads_of(threads))
    for (std::size_t n = 0; n < rows.list.size(); ++n) {
        const Row& row = rows.list[n];
        const auto& cells = plan->cells[row.block][row.row];
        for (int p = group.first; p < group.last; ++p) {
            const Step& s = steps[p];
            if (!takes_turn(s, row, set)) continue;
            Raw at[most_fields];
            arguments(s, row, cells[row.first].column, omp_get_thread_num(), 0, at);
            s.process.set_shadow(bytes);
            s.process.tangent(s.process.scheme.get(), at, &cells[row.first],
                              cells.data() + row.last);
        }
    }
}

}  // namespace fathom
