/// What a sequence tells of itself: times, groups, tiles.
#include "model/sequence.hpp"

namespace fathom {

std::string Sequence::exchanged(const Group& g) const {
    std::string what;
    for (auto& s : g.sent) what += (what.empty() ? "exchange of " : ", ") + all[s.field].name;
    return what;
}

std::vector<Sequence::Timing> Sequence::timings() const {
    std::vector<Timing> list;
    for (auto& g : groups) {
        if (g.exchange) list.push_back({exchanged(g), "exchange", g.clock.seconds, g.clock.calls, 0});
        for (int p = g.first; p < g.last; ++p) {
            Timing t{steps[p].process.name, steps[p].process.phase, 0, 0, 0};
            for (auto& c : steps[p].clocks) t.seconds += c.seconds, t.calls += c.calls, t.operations += double(c.operations);
            t.seconds /= double(steps[p].clocks.size());
            list.push_back(t);
        }
    }
    return list;
}
void Sequence::reset_timings() {
    for (auto& g : groups) g.clock = {};
    for (auto& s : steps) {
        for (auto& c : s.clocks) c = {};
        s.told = 0, s.calls_told = 0;
    }
}

/// Of the rows of a group, which its processes have passed in turns, shared out among threads: each process gets its mean over threads; what is left to the region
/// of rows is what threads waited for each other. In a trace processes stand one after the other, as long as they took.
void Sequence::tell(Group& group, double began) {
    double t = began;
    for (int p = group.first; p < group.last; ++p) {
        auto& s = steps[p];
        double seconds = 0;
        long calls = 0;
        for (auto& c : s.clocks) seconds += c.seconds, calls += c.calls;
        if (calls == s.calls_told) continue;
        const double more = (seconds - s.told) / double(s.clocks.size());
        const int node = regions.add(s.region, more, 1);
        if (regions.tracing) regions.note({node, t, t + more});
        t += more, s.told = seconds, s.calls_told = calls;
    }
}

std::vector<Sequence::GroupText> Sequence::describe() const {
    std::vector<GroupText> list;
    for (auto& g : groups) {
        const bool whole = steps[g.first].process.global != nullptr;
        const char* reason = options.tile > 0 ? "given" : options.tile == 0 ? "second-level cache" : g.tiles.open() ? "second-level cache; to be measured" : g.tiles.trials.empty() ? "measured before" : "measured";
        list.push_back({{}, {}, g.extent, whole ? 0 : g.tiles.now, reason, g.tiles.trials});
        for (auto& s : g.sent) list.back().exchange.push_back(all[s.field].name + "(" + std::to_string(s.width) + ")");
        for (int p = g.first; p < g.last; ++p) list.back().processes.push_back(steps[p].process.name);
    }
    return list;
}

}  // namespace fathom
