#include "sequence/schedule.hpp"
#include <algorithm>

namespace fathom {

namespace {

bool reads(const Process::Field& f) { return f.access != Access::writes; }
bool writes(const Process::Field& f) { return f.access != Access::reads; }

/// Possible places of an exchange: between the last writer of its fields and the first reader that
/// needs more halo than is valid.
struct Point {
    int earliest, deadline;
    std::vector<int> fields;
};
/// For each field: how many rows of its halo are valid, and how many of these were exchanged.
struct Halos {
    std::vector<int> valid, exchanged, last_write;
    Halos(const std::vector<int>& kept) : valid(kept), exchanged(kept), last_write(kept.size()) {}
};

/// Finds a schedule; functions are in the order in which the constructor calls them.
class Planner {
public:
    Planner(Schedule& s, const std::vector<Process>& processes,
            const std::vector<std::vector<int>>& fields, const std::vector<bool>& constant,
            const std::vector<std::vector<int>>& rotations, int halo)
        : s(s),
          processes(processes),
          fields(fields),
          constant(constant),
          rotations(rotations),
          halo(halo),
          n(int(processes.size())),
          number(int(constant.size())),
          most_extent(n) {}

    void find_wishes(bool compute_in_halo);
    void place_exchanges();
    void find_widths();
    void form_groups(bool group);

private:
    using OfFields = std::vector<int>;  // a number for each field

    Schedule& s;
    const std::vector<Process>& processes;
    const std::vector<std::vector<int>>& fields;
    const std::vector<bool>& constant;
    const std::vector<std::vector<int>>& rotations;
    const int halo, n, number;
    std::vector<OfFields> wanted, needed;  // before each process
    std::vector<int> most_extent;
    std::vector<Point> points;
    OfFields written, read_far, where;  // of the group that is being formed

    bool is_global(int p) const { return processes[p].global != nullptr; }
    bool exchanges_at(int p) const {
        return std::ranges::any_of(points, [&](auto& x) { return x.earliest == p; });
    }
    int extent_wished(int p, const OfFields& after) const;
    void demand(int p, OfFields& before, int extent) const;
    bool complete(int p, Halos&);
    void ask_for(int field, int last_write, int reader);
    bool keeps(const Halos&, OfFields& kept) const;
    bool begins_group(int p) const;
    void begin_group(int p);
    void note_uses(int p);
};

/// Backward: how far into the halo do readers need each field before it is overwritten?
void Planner::find_wishes(bool compute_in_halo) {
    wanted.assign(n + 1, OfFields(number));
    for (int p = n; p-- > 0;) {
        wanted[p] = wanted[p + 1];
        if (compute_in_halo && !is_global(p)) most_extent[p] = extent_wished(p, wanted[p]);
        for (std::size_t i = 0; i < fields[p].size(); ++i)
            if (processes[p].fields[i].access == Access::writes) wanted[p][fields[p][i]] = 0;
        demand(p, wanted[p], most_extent[p]);
    }
}

/// The rows of the halo in which a process should compute for later processes.
int Planner::extent_wished(int p, const OfFields& after) const {
    auto& uses = processes[p].fields;
    int reach = 0, extent = 0;
    for (auto& use : uses) reach = std::max(reach, use.reach);
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (writes(uses[i])) extent = std::max(extent, std::min(after[fields[p][i]], halo - reach));
    return extent;
}

/// The halo rows that a process reads if it computes `extent` rows into the halo.
void Planner::demand(int p, OfFields& before, int extent) const {
    auto& uses = processes[p].fields;
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (int& rows = before[fields[p][i]]; reads(uses[i]))
            rows = std::max(rows, uses[i].reach + extent);
}

/// Forward: an exchange of a field must lie between its last writer and the first reader that needs
/// more halo. A missing one joins the last exchange if that can still be moved behind the writer;
/// otherwise it becomes a new exchange. So there are as few as possible. Each is as early as its
/// fields allow, so that later processes can compute in the halo and need no other exchange. From
/// one step to the next a halo keeps only rows that were exchanged. So a restart, which fills all
/// halos, changes no bit.
void Planner::place_exchanges() {
    OfFields kept(number, halo);  // valid at the start of a step
    for (auto& cycle : rotations) kept[cycle.back()] = 0;
    for (bool settled = false; !settled;) {
        Halos halos(kept);
        bool whole = true;
        for (int p = 0; p < n && whole; ++p) whole = complete(p, halos);
        if (!whole) continue;
        settled = keeps(halos, kept);
        if (!settled) points.clear();
    }
}

/// Whether a process finds its halos; if not, an exchange has been added.
bool Planner::complete(int p, Halos& halos) {
    auto& uses = processes[p].fields;
    for (auto& x : points)
        if (x.earliest == p)
            for (int f : x.fields)
                halos.valid[f] = halos.exchanged[f] = std::max(halos.valid[f], wanted[p][f]);
    s.extent[p] = most_extent[p];
    bool found = true;
    for (std::size_t i = 0; i < uses.size() && found; ++i) {
        const int f = fields[p][i];
        if (!reads(uses[i])) continue;
        s.extent[p] = std::min(s.extent[p], halos.valid[f] - uses[i].reach);
        found = halos.valid[f] >= uses[i].reach;
        if (!found) ask_for(f, halos.last_write[f], p);
    }
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (const int f = fields[p][i]; writes(uses[i]))
            halos.valid[f] = s.extent[p], halos.exchanged[f] = 0, halos.last_write[f] = p + 1;
    return found;
}

void Planner::ask_for(int field, int last_write, int reader) {
    if (!points.empty() && last_write <= points.back().deadline) {
        points.back().earliest = std::max(points.back().earliest, last_write);
        points.back().fields.push_back(field);
    } else
        points.push_back({last_write, reader, {field}});
}

/// Whether halos at the end of a step are as wide as assumed at its start; if not, a smaller width
/// is assumed from now on.
bool Planner::keeps(const Halos& halos, OfFields& kept) const {
    OfFields next = halos.exchanged;
    for (auto& cycle : rotations)
        for (std::size_t m = 0; m < cycle.size(); ++m)
            next[cycle[m]] = halos.exchanged[cycle[(m + 1) % cycle.size()]];
    for (int f = 0; f < number; ++f) next[f] = constant[f] ? halo : std::min(next[f], kept[f]);
    const bool same = next == kept;
    kept = next;
    return same;
}

/// Backward again, now with the part of the halo that is computed, and from the start of a step
/// back to the end of the previous one: finds how wide an exchange must be.
void Planner::find_widths() {
    needed.assign(n + 1, OfFields(number));
    for (int round = 0; round < 2; ++round) {
        OfFields next = needed[0];
        for (auto& cycle : rotations)
            for (std::size_t m = 0; m + 1 < cycle.size(); ++m)
                next[cycle[m + 1]] = needed[0][cycle[m]];
        for (auto& cycle : rotations) next[cycle[0]] = 0;
        needed[n] = next;
        for (int p = n; p-- > 0;) {
            needed[p] = needed[p + 1];
            for (std::size_t i = 0; i < fields[p].size(); ++i)
                if (writes(processes[p].fields[i])) needed[p][fields[p][i]] = 0;
            demand(p, needed[p], std::max(s.extent[p], 0));
        }
    }
}

/// Groups: processes that may take turns at every row.
void Planner::form_groups(bool group) {
    written.assign(number, 0), read_far.assign(number, 0), where.assign(number, -1);
    for (int p = 0; p < n; ++p) {
        if (p == 0 || !group || begins_group(p)) begin_group(p);
        note_uses(p);
        s.groups.back().last = p + 1;
        s.groups.back().extent = std::max(s.groups.back().extent, s.extent[p]);
    }
    for (int f = 0; f < number; ++f)
        if (constant[f]) s.local[f] = false;
}

/// A process begins a new group if it reads values of neighbours that the group writes, or writes a
/// field that the group reads at neighbours. Exchanges and global processes begin one, too.
bool Planner::begins_group(int p) const {
    auto& uses = processes[p].fields;
    bool fresh = is_global(p) || is_global(p - 1) || exchanges_at(p);
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const int f = fields[p][i];
        fresh |= (uses[i].reach > 0 && written[f]) || (writes(uses[i]) && read_far[f]);
    }
    return fresh;
}

void Planner::begin_group(int p) {
    s.groups.push_back({p, p, 0, {}});
    std::ranges::fill(written, 0);
    std::ranges::fill(read_far, 0);
    for (auto& x : points)
        if (x.earliest == p)
            for (int f : x.fields) s.groups.back().exchange.push_back({f, needed[p][f]});
}

void Planner::note_uses(int p) {
    auto& uses = processes[p].fields;
    const int group = int(s.groups.size()) - 1;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const int f = fields[p][i];
        const bool far = uses[i].reach > 0;
        for (std::size_t m = 0; m < uses.size() && writes(uses[i]) && !is_global(p); ++m)
            if (fields[p][m] == f && uses[m].reach > 0)
                throw Error(processes[p].name, " writes '", uses[i].name,
                            "', which it reads at neighbours");
        written[f] |= writes(uses[i]);
        read_far[f] |= far;
        if (is_global(p) || far || (where[f] >= 0 && where[f] != group)) s.local[f] = false;
        where[f] = s.last_use[f] = group;
        if (s.first_use[f] < 0) s.first_use[f] = group;
    }
}

}  // namespace

Schedule::Schedule(const std::vector<Process>& processes,
                   const std::vector<std::vector<int>>& fields, const std::vector<bool>& constant,
                   const std::vector<std::vector<int>>& rotations, int halo, bool compute_in_halo,
                   bool group)
    : extent(processes.size()),
      local(constant.size(), true),
      first_use(constant.size(), -1),
      last_use(constant.size(), -1) {
    Planner planner(*this, processes, fields, constant, rotations, halo);
    planner.find_wishes(compute_in_halo);
    planner.place_exchanges();
    planner.find_widths();
    planner.form_groups(group);
}

}  // namespace fathom
