/// What a sequence reports: times, groups, tiles.
#include "machine/ticks.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

std::string StepProgram::exchanged(const Group& g) const {
    std::string what;
    for (auto& s : g.sent)
        what += (what.empty() ? "exchange of " : ", ") + plan->fields[s.field].name;
    return what;
}

std::vector<StepProgram::Timing> StepProgram::timings() const {
    std::vector<Timing> list;
    for (auto& g : groups) {
        if (g.exchange) list.push_back({exchanged(g), "exchange", g.seconds, g.calls, 0});
        for (int p = g.first; p < g.last; ++p) {
            const auto& s = steps[p];
            list.push_back({s.process.name, s.process.phase, s.seconds, s.calls, s.operations});
        }
    }
    return list;
}
void StepProgram::reset_timings() {
    for (auto& g : groups) g.seconds = 0, g.calls = 0;
    for (auto& s : steps) s.seconds = s.operations = 0, s.calls = 0;
}

/// Divides the time of a group's rows among its processes. Processes run in turn, row by row, on
/// several threads. In some rows each process is timed separately; the time of the other rows is
/// divided in the same proportion. The rest stays in the region of rows: waiting of threads and
/// the cost of loops. A trace shows the processes one after the other, each with its duration.
void StepProgram::settle_clocks(Group& group, double began, int counted) {
    double all = 0, timed = 0, t = began;
    const double threads = double(group.others.size()), tick = seconds_of_work_tick();
    for (auto& c : group.others) all += double(c.ticks), c = {};
    for (int p = group.first; p < group.last; ++p)
        for (auto& c : steps[p].clocks) timed += double(c.ticks);
    const double scale = timed > 0 ? tick * (all + timed) / timed / threads : 0;
    for (int p = group.first; p < group.last; ++p) {
        auto& s = steps[p];
        double seconds = 0;
        long calls = 0;
        for (auto& c : s.clocks)
            seconds += scale * double(c.ticks), calls += c.calls,
                s.operations += double(c.operations), c = {};
        s.seconds += seconds, s.calls += calls;
        if (!calls || !regions.mine()) continue;
        const int node = regions.add(s.region, seconds, counted);
        if (regions.tracing) regions.note({node, t, t + seconds});
        t += seconds;
    }
}

/// A length that was given, and why another is computed.
static std::string given(int given, int tile, int cell, bool joins) {
    const int wanted = std::abs(given);
    if (joins)
        return (wanted == tile ? "given" : "of " + std::to_string(wanted) + " given") +
               std::string(given < 0 ? ": rows join and are cut" : ": rows join");
    if (wanted == tile) return "given";
    const auto why = wanted < cell          ? "at least a vector"
                     : wanted - tile < cell ? "whole vectors of " + std::to_string(cell)
                                            : std::string("a whole row");
    return "of " + std::to_string(wanted) + " given: " + why;
}

std::vector<StepProgram::GroupText> StepProgram::describe() const {
    std::vector<GroupText> list;
    for (std::size_t n = 0; n < groups.size(); ++n) {
        const auto& g = groups[n];
        auto cells_of = [&](std::span<const Row> list) {
            double sum = 0;
            for (auto& r : list) sum += double(r.last - r.first);
            return sum;
        };
        const double all_cells = cells_of(rows[n].list),
                     inner = cells_of(std::span(rows[n].list).first(rows[n].inner));
        const bool whole = steps[g.first].global();
        const std::string reason = options.tile > 0 || options.tile < -1
                                       ? given(options.tile, g.tiles.now, cell, g.joins)
                                   : options.tile == 0      ? "second-level cache"
                                   : g.tiles.open()         ? "second-level cache; to be measured"
                                   : g.tiles.trials.empty() ? "measured before"
                                                            : "measured";
        list.push_back({{},
                        {},
                        g.extent,
                        whole ? 0 : g.tiles.now,
                        reason,
                        g.tiles.trials,
                        all_cells > 0 ? inner / all_cells : 0});
        for (auto& s : g.sent)
            list.back().exchange.push_back(plan->fields[s.field].name + "(" +
                                           std::to_string(s.width) + ")");
        for (int p = g.first; p < g.last; ++p)
            list.back().processes.push_back(steps[p].process.name);
    }
    return list;
}

}  // namespace fathom
