#include "machine/region.hpp"

namespace fathom {

Regions regions;
thread_local bool Regions::keeper = false;

/// Names of all regions; regions with equal names have one number.
static std::vector<Regions::Name>& names() {
    static std::vector<Regions::Name> list;
    return list;
}

Region::Region(const std::string& name, const std::string& phase, const std::string& kind) {
    auto& known = names();
    for (number = 0; number < int(known.size()); ++number)
        if (known[number].name == name && known[number].phase == phase &&
            known[number].kind == kind)
            return;
    known.push_back({name, phase, kind});
}

void Regions::reset(std::size_t room) {
    static const Region whole("run");
    nodes.clear();
    nodes.reserve(256);
    nodes.push_back({whole.number, -1, 1});
    nodes[0].began = seconds_now();
    current = 0, keeper = true;
    events.clear(), events.shrink_to_fit(), events.reserve(room);
    steps.clear(), steps.reserve(steps_kept);
    tracing = room > 0, lost = 0;
}

int Regions::grow(int name) {
    const int made = int(nodes.size());
    auto& list = nodes[current].within;
    if (name >= int(list.size())) list.resize(name + 1, -1);
    list[name] = made;
    nodes.push_back({name, current});
    return made;
}

Regions::Name Regions::name(int node) const {
    Name n = names()[nodes[node].name];
    for (int p = nodes[node].parent; n.phase.empty() && p >= 0; p = nodes[p].parent)
        n.phase = names()[nodes[p].name].phase;
    return n;
}

}  // namespace fathom
