#include "sequence/schedule.hpp"
#include <algorithm>

namespace fathom {

static bool reads(const Process::Field& f) { return f.access != Access::writes; }
static bool writes(const Process::Field& f) { return f.access != Access::reads; }

Schedule::Schedule(const std::vector<Process>& processes,
                   const std::vector<std::vector<int>>& fields, const std::vector<bool>& constant,
                   const std::vector<std::vector<int>>& rotations, int halo, bool compute_in_halo,
                   bool group)
    : extent(processes.size()),
      local(constant.size(), true),
      first_use(constant.size(), -1),
      last_use(constant.size(), -1) {
    const int n = int(processes.size()), number = int(constant.size());
    auto is_global = [&](int p) { return processes[p].global != nullptr; };
    // Backward: how far into the halo is each field wanted, by the readers before it is
    // overwritten?
    std::vector<std::vector<int>> wanted(n + 1, std::vector<int>(number));
    std::vector<int> most_extent(n);
    for (int p = n; p-- > 0;) {
        auto& uses = processes[p].fields;
        auto& before = wanted[p] = wanted[p + 1];
        int most = 0;
        for (std::size_t i = 0; i < uses.size(); ++i) most = std::max(most, uses[i].reach);
        if (compute_in_halo && !is_global(p))
            for (std::size_t i = 0; i < uses.size(); ++i)
                if (writes(uses[i]))
                    most_extent[p] =
                        std::max(most_extent[p], std::min(before[fields[p][i]], halo - most));
        for (std::size_t i = 0; i < uses.size(); ++i)
            if (uses[i].access == Access::writes) before[fields[p][i]] = 0;
        for (std::size_t i = 0; i < uses.size(); ++i)
            if (reads(uses[i]))
                before[fields[p][i]] =
                    std::max(before[fields[p][i]], uses[i].reach + most_extent[p]);
    }
    // Forward: an exchange of a field must lie between its last writer and its first reader that
    // looks too far. One that is found missing joins the last exchange if that may still be moved
    // behind its writer, and else becomes a new one: the fewest exchanges. Each stands as early as
    // its fields allow, so that what follows can compute in the halo instead of asking for another.
    // What a halo keeps from one step to the next is only what was exchanged: a restart that fills
    // all halos changes no bit.
    struct Point {
        int earliest, deadline;
        std::vector<int> fields;
    };
    std::vector<Point> points;
    std::vector<int> valid, kept(number, halo);  // kept: valid at the start of a step
    for (int f = 0; f < number; ++f)
        for (auto& cycle : rotations)
            if (f == cycle.back()) kept[f] = 0;
    for (bool complete = false; !complete;) {
        std::vector<int> last_write(number, 0), exchanged = kept;
        valid = kept;
        complete = true;
        for (int p = 0; p < n && complete; ++p) {
            auto& uses = processes[p].fields;
            for (auto& x : points)
                if (x.earliest == p)
                    for (int f : x.fields)
                        valid[f] = exchanged[f] = std::max(valid[f], wanted[p][f]);
            extent[p] = most_extent[p];
            for (std::size_t i = 0; i < uses.size() && complete; ++i) {
                const int f = fields[p][i];
                if (!reads(uses[i])) continue;
                extent[p] = std::min(extent[p], valid[f] - uses[i].reach);
                if (valid[f] >= uses[i].reach) continue;
                complete = false;
                if (!points.empty() && last_write[f] <= points.back().deadline) {
                    points.back().earliest = std::max(points.back().earliest, last_write[f]);
                    points.back().fields.push_back(f);
                } else
                    points.push_back({last_write[f], p, {f}});
            }
            for (std::size_t i = 0; i < uses.size(); ++i)
                if (writes(uses[i]))
                    valid[fields[p][i]] = extent[p], exchanged[fields[p][i]] = 0,
                    last_write[fields[p][i]] = p + 1;
        }
        if (!complete) continue;
        std::vector<int> next = exchanged;
        for (auto& cycle : rotations)
            for (std::size_t m = 0; m < cycle.size(); ++m)
                next[cycle[m]] = exchanged[cycle[(m + 1) % cycle.size()]];
        for (int f = 0; f < number; ++f) {
            next[f] = constant[f] ? halo : std::min(next[f], kept[f]);
            if (next[f] != kept[f]) complete = false;
        }
        if (!complete) points.clear();
        kept = next;
    }
    // Backward again, with what is really computed in the halo, and round the end of a step to the
    // start of the next: how wide an exchange must be.
    std::vector<std::vector<int>> needed(n + 1, std::vector<int>(number));
    for (int round = 0; round < 2; ++round) {
        std::vector<int> next = needed[0];
        for (auto& cycle : rotations)
            for (std::size_t m = 0; m + 1 < cycle.size(); ++m)
                next[cycle[m + 1]] = needed[0][cycle[m]];
        for (auto& cycle : rotations) next[cycle[0]] = 0;
        needed[n] = next;
        for (int p = n; p-- > 0;) {
            auto& uses = processes[p].fields;
            auto& before = needed[p] = needed[p + 1];
            for (std::size_t i = 0; i < uses.size(); ++i)
                if (writes(uses[i])) before[fields[p][i]] = 0;
            for (std::size_t i = 0; i < uses.size(); ++i)
                if (reads(uses[i]))
                    before[fields[p][i]] =
                        std::max(before[fields[p][i]], uses[i].reach + std::max(extent[p], 0));
        }
    }
    // Groups: processes that may take turns at every row. A neighbour's value written in the group
    // is not there yet; one that is overwritten in the group is lost: both begin a new group, and
    // so do an exchange and a global process.
    std::vector<int> written(number), read_far(number), where(number, -1);
    for (int p = 0; p < n; ++p) {
        auto& uses = processes[p].fields;
        bool fresh = p == 0 || !group || is_global(p) || is_global(p - 1);
        for (auto& x : points) fresh |= x.earliest == p;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const int f = fields[p][i];
            fresh |= (uses[i].reach > 0 && written[f]) || (writes(uses[i]) && read_far[f]);
            if (writes(uses[i]) && !is_global(p))
                for (std::size_t m = 0; m < uses.size(); ++m)
                    if (fields[p][m] == f && uses[m].reach > 0)
                        throw Error(processes[p].name, " writes '", uses[i].name,
                                    "', which it reads at neighbours");
        }
        if (fresh) {
            groups.push_back({p, p, 0, {}});
            std::ranges::fill(written, 0);
            std::ranges::fill(read_far, 0);
            for (auto& x : points)
                if (x.earliest == p)
                    for (int f : x.fields) groups.back().exchange.push_back({f, needed[p][f]});
        }
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const int f = fields[p][i];
            written[f] |= writes(uses[i]);
            read_far[f] |= uses[i].reach > 0;
            if (is_global(p) || uses[i].reach > 0 ||
                (where[f] >= 0 && where[f] != int(groups.size()) - 1))
                local[f] = false;
            where[f] = last_use[f] = int(groups.size()) - 1;
            if (first_use[f] < 0) first_use[f] = where[f];
        }
        groups.back().last = p + 1;
        groups.back().extent = std::max(groups.back().extent, extent[p]);
    }
    for (int f = 0; f < number; ++f)
        if (constant[f]) local[f] = false;
}

}  // namespace fathom
