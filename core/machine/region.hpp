/// Regions: the work of a rank, as a tree of names. Each process, exchange, sum, file and phase of
/// a solver is a region within the one that was open when it began.
///
///   elapsed   = from entering to leaving, all calls
///   exclusive = elapsed - elapsed of the regions within
/// so that exclusive times of a tree add up to the elapsed time of its root, whatever the clock.
/// blocked: the part of exclusive time that a rank spent in the message library; waiting: the part
/// of that in which it waited for late ranks, not for data to travel (parallel/meeting.hpp).
/// Entering and leaving read the clock once each. Only the thread that reset the tree records
/// regions; those of others are not seen.
#pragma once
#include <string>
#include <vector>
#include "machine/spent.hpp"

namespace fathom {

/// A name, made once, where it is used: static const, or a member. kind: the kind of work,
/// "process", "global", "exchange", "sum", "output" ...; an empty phase means that of the outer
/// region.
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
        /// Blocked, waiting, messages, bytes: of this region without its inner ones.
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
    /// Time measured elsewhere: a region within the present one.
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
    bool mine() const { return on && keeper; }  ///< whether this thread records regions
    /// Name, and its phase, or that of the nearest outer region that has one.
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

/// A region that is open during the life of this object.
class Within {
public:
    /// calls: 0 if it continues work that was entered before.
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

/// The same, with a clock of the caller.
struct TimedRegion {
    Within within;
    Timer timer;
    TimedRegion(const Region& r, Spent& spent) : within(r), timer{spent} {}
};

}  // namespace fathom
