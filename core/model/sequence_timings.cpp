/// What a sequence tells of itself: times, groups, tiles.
#include "model/sequence.hpp"

namespace fathom {

std::vector<Sequence::Timing> Sequence::timings() const {
    std::vector<Timing> list;
    for (auto& g : groups) {
        if (g.exchange) {
            std::string what;
            for (auto& s : g.sent) what += (what.empty() ? "" : ", ") + all[s.field].name;
            list.push_back({"exchange of " + what, "exchange", g.clock.seconds, g.clock.calls, 0});
        }
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
    for (auto& s : steps) for (auto& c : s.clocks) c = {};
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
