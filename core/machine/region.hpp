/// Regions: what a rank does, as a tree of names. Each process, exchange, sum, file and phase of a
/// solver is a region within the one that was open when it began.
///
///   elapsed   = from entering to leaving, all calls
///   exclusive = elapsed - elapsed of the regions within
/// so that exclusive times of a tree add up to the elapsed time of its root, whatever the clock
/// does. blocked: the part of exclusive time in which a rank stood in the message library; waiting:
/// the part of that which was not travel, because others had not come yet (parallel/meeting.hpp).
/// Entering and leaving cost a clock each. Only the thread that reset the tree keeps it; regions of
/// others are not seen.
#pragma once
#include <string>
#include <vector>
#include "machine/spent.hpp"

namespace fathom {

/// A name, made once, where it is used: static const, or a member. kind: what is done, "process",
/// "global", "exchange", "sum", "output" ...; an empty phase is that of the region around.
struct Region {
    int number;
    explicit Region(const std::string& name, const std::string& phase = "",
                    const std::string& kind = "");
};

class Regions {
public:
    struct Name {
        std::string name, phase, kind;
    };
    struct Node {
        int name, parent;
        long calls = 0, messages = 0;
        /// Blocked, waiting, messages, bytes: of this region itself.
        double elapsed = 0, began = 0, blocked = 0, waiting = 0, bytes = 0;
        std::vector<int> within;  ///< by number of name; -1: never entered here
    };
    struct Event {
        int node;
        double begin, end;
    };

    bool on = true;
    /// A tree with a root that is open from now on; room for so many events of a trace; 0: no
    /// trace.
    void reset(std::size_t events = 0);
    void enter(const Region& r, int calls = 1) { enter(inner(r.number), calls); }
    void leave() {
        Node& n = nodes[current];
        const double now = seconds_now();
        n.elapsed += now - n.began;
        if (tracing) note({current, n.began, now});
        current = n.parent;
    }
    /// What was measured otherwise: a region within the present one.
    int add(const Region& r, double seconds, long calls) {
        const int n = inner(r.number);
        nodes[n].elapsed += seconds, nodes[n].calls += calls;
        return n;
    }
    void note(const Event& e) {
        if (events.size() < events.capacity())
            events.push_back(e);
        else
            ++lost;
    }
    void step(double began) {
        if (steps.size() < steps.capacity()) steps.push_back(began);
    }
    Node& here() { return nodes[current]; }
    int place() const { return current; }
    bool mine() const { return on && keeper; }  ///< whether this thread keeps the tree
    /// Name, and phase that is its own or that of the next region around that has one.
    Name name(int node) const;
    double now(int node) const {
        return nodes[node].elapsed + (open(node) ? seconds_now() - nodes[node].began : 0);
    }

    std::vector<Node> nodes;
    std::vector<Event> events;  ///< of a trace, in the order of their ends
    static constexpr std::size_t steps_kept = 1 << 16;
    std::vector<double> steps;  ///< when each began; of the first
    long lost = 0;              ///< events for which there was no room
    bool tracing = false;

private:
    static thread_local bool keeper;
    int current = 0;
    int inner(int name) {
        auto& list = nodes[current].within;
        return name < int(list.size()) && list[name] >= 0 ? list[name] : grow(name);
    }
    void enter(int node, int calls) {
        current = node;
        Node& n = nodes[node];
        n.calls += calls;
        n.began = seconds_now();
    }
    int grow(int name);
    bool open(int node) const {
        for (int n = current; n >= 0; n = nodes[n].parent)
            if (n == node) return true;
        return false;
    }
};
extern Regions regions;  // of this process

/// A region that is open as long as this lives.
class Within {
public:
    /// calls: 0 where something goes on that was entered before.
    explicit Within(const Region& r, int calls = 1) : counts(regions.mine()) {
        if (counts) regions.enter(r, calls);
    }
    ~Within() {
        if (counts) regions.leave();
    }
    Within(const Within&) = delete;

private:
    const bool counts;
};

/// The same, and a clock of the caller's.
struct TimedRegion {
    Within within;
    Timer timer;
    TimedRegion(const Region& r, Spent& spent) : within(r), timer{spent} {}
};

}  // namespace fathom
