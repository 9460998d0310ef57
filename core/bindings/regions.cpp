/// Regions and meetings for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <utility>
#include "machine/counters.hpp"
#include "machine/strides.hpp"
#include "parallel/meeting.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

/// with core.Within("checkpoint", "output"): ...
struct Open {
    Region region;
    int comm;  ///< of the ranks that meet in it; 0: none
    std::optional<Within> within;
    std::optional<Meet> meet;
    void enter() {
        within.emplace(region);
        if (comm) meet.emplace(MPI_Comm_f2c(comm), 0);
    }
    void leave() { meet.reset(), within.reset(); }
};

template <class T, class Of> nb::object column(std::size_t count, Of of) {
    T* data = new T[count];
    for (std::size_t n = 0; n < count; ++n) data[n] = of(n);
    nb::capsule owner(data, [](void* p) noexcept { delete[] (T*)p; });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {count}, owner));
}

void bind_classes(nb::module_& m) {
    nb::class_<Open>(
        m, "Within",
        "A region of the profile, as a context manager; comm: all its ranks meet in it.")
        .def(
            "__init__",
            [](Open* self, const std::string& name, const std::string& phase,
               const std::string& kind,
               int comm) { new (self) Open{Region(name, phase, kind), comm, {}, {}}; },
            "name"_a, "phase"_a = "", "kind"_a = "", "comm"_a = 0)
        .def("__enter__", &Open::enter)
        .def("__exit__", [](Open& o, nb::args) { o.leave(); });
    nb::class_<Counters>(m, "Counters", "What the processor counts of this process, from now on.")
        .def(nb::init<>())
        .def("read",
             [](const Counters& c) {
                 nb::dict d;
                 for (auto& [name, count] : c.read()) d[name.c_str()] = count;
                 return d;
             })
        .def_prop_ro("why_not", &Counters::why_not, "empty if there are any");
}

void bind_account(nb::module_& m) {
    m.def(
        "reset_regions",
        [](int comm, std::size_t events) {
            meetings.reset(MPI_Comm_f2c(comm));
            regions.reset(events);
        },
        "comm"_a, "events"_a = 0,
        "a new tree, of which this thread keeps account, on all ranks of a communicator; events: "
        "room for a trace");
    m.def("pads_rows", [](bool on) { pads_rows = on; }, "on"_a);
    m.def("profiling", [](bool on) { regions.on = on; }, "on"_a);
    m.def(
        "by_processor_clock", [](bool on) { return std::exchange(processor_clock, on); }, "on"_a,
        "work is timed by the processor time of its thread, else by the wall; returns whether it "
        "was");
    m.def(
        "settle_meetings",
        [] {
            nb::gil_scoped_release nogil;
            meetings.settle();
        },
        "ranks tell each other when they came; collective");
    m.def("meetings_full", [] { return meetings.full(); });
    m.def("meetings_lost", [] { return meetings.lost; }, "whose waiting is not known");
    m.def(
        "clock_offset",
        [](int comm, bool apart, double ahead) {
            return clock_offset(MPI_Comm_f2c(comm), apart, ahead);
        },
        "comm"_a, "apart"_a = false, "ahead"_a = 0.,
        "seconds to add to this rank's clock for that of rank 0; apart, ahead: as if each rank "
        "were a node, its clock ahead");
}

void bind_results(nb::module_& m) {
    m.def(
        "regions",
        [] {
            nb::list list;
            for (std::size_t n = 0; n < regions.nodes.size(); ++n) {
                const auto& r = regions.nodes[n];
                const auto name = regions.name(int(n));
                nb::dict d;
                d["name"] = name.name, d["phase"] = name.phase, d["kind"] = name.kind,
                d["parent"] = r.parent, d["calls"] = r.calls, d["elapsed"] = regions.now(int(n));
                d["blocked"] = r.blocked, d["waiting"] = r.waiting, d["messages"] = r.messages,
                d["bytes"] = r.bytes;
                list.append(d);
            }
            return list;
        },
        "the tree so far, parents first");
    m.def(
        "step_times",
        [] {
            return column<double>(regions.steps.size(), [&](auto n) { return regions.steps[n]; });
        },
        "when each step began [s]");
    m.attr("steps_kept") = Regions::steps_kept;
    m.def(
        "trace",
        [] {
            const auto& events = regions.events;
            const auto& met = meetings.settled;
            nb::dict d;
            d["region"] = column<int>(events.size(), [&](auto n) { return events[n].node; });
            d["begin"] = column<double>(events.size(), [&](auto n) {
                return events[n].begin + meetings.offset(events[n].begin);
            });
            d["end"] = column<double>(events.size(), [&](auto n) {
                return events[n].end + meetings.offset(events[n].end);
            });
            d["met"] = column<int>(met.size(), [&](auto n) { return met[n].node; });
            d["blocked"] = column<double>(
                met.size(), [&](auto n) { return met[n].began + meetings.offset(met[n].began); });
            d["free"] = column<double>(
                met.size(), [&](auto n) { return met[n].ended + meetings.offset(met[n].ended); });
            d["waiting"] = column<double>(met.size(), [&](auto n) { return met[n].waiting; });
            d["lost"] = regions.lost;
            return d;
        },
        "events of this rank by the clock of rank 0, in the order of their ends; meetings: from "
        "when to when it was blocked, and how much of that it waited");
}

}  // namespace

void bind_regions(nb::module_& m) {
    bind_classes(m);
    bind_account(m);
    bind_results(m);
}
