/// Roles, clients and servers of output for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <chrono>
#include <cstring>
#include <thread>
#include "base/error.hpp"
#include "field/field_set.hpp"
#include "machine/spent.hpp"
#include "output/client.hpp"
#include "output/server.hpp"
#include "output/stored.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

/// (bytes, [(levels, [(i0, j0, nx, ny, owner)])], set, times)
using Stream =
    std::tuple<int, std::vector<std::tuple<int, std::vector<std::tuple<int, int, int, int, int>>>>,
               int, std::int64_t>;
std::vector<OutputStream> streams_of(const std::vector<Stream>& given) {
    std::vector<OutputStream> list;
    for (auto& [bytes, items, set, times] : given) {
        auto& s = list.emplace_back(OutputStream{bytes, {}, {}, set, times});
        for (auto& [levels, rectangles] : items) {
            // rows and columns of the field's own place
            s.items.push_back({Horizontal::center, false, 0, levels});
            auto& r = s.rectangles.emplace_back();
            for (auto& [i0, j0, nx, ny, owner] : rectangles) r.push_back({i0, j0, nx, ny, owner});
        }
    }
    return list;
}

/// (levels, rows, columns) of f[row][level][point].
template <class Number>
nb::object view(std::byte* at, std::size_t rows, std::size_t levels, std::size_t columns) {
    const std::int64_t strides[] = {std::int64_t(columns), std::int64_t(levels * columns), 1};
    const std::size_t shape[] = {levels, rows, columns};
    return nb::cast(nb::ndarray<nb::numpy, Number>(at, 3, shape, nb::handle(), strides),
                    nb::rv_policy::reference);
}
nb::object view(int bytes, std::byte* at, std::size_t rows, std::size_t levels,
                std::size_t columns) {
    return bytes == 4 ? view<float>(at, rows, levels, columns)
                      : view<double>(at, rows, levels, columns);
}

template <class In> using ValuesOf = nb::ndarray<const In, nb::ndim<3>, nb::device::cpu>;
template <class Out> using StoredOf = nb::ndarray<Out, nb::ndim<3>, nb::device::cpu>;
using Levels = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::device::cpu>;

template <class In, class Out>
void check_shapes(const ValuesOf<In>& v, const Levels& there, const StoredOf<Out>& out) {
    for (int d = 0; d < 3; ++d)
        if (v.shape(d) != out.shape(d) || (d && there.shape(d - 1) != out.shape(d)))
            throw Error("stored: values, levels and target differ in shape");
    if ((v.stride(2) != 1 || there.stride(1) != 1 || out.stride(2) != 1) && out.shape(2) > 1)
        throw Error("stored: points must lie one after another");
}

template <class In, class Out>
void check_weights(const ValuesOf<In>& a, const ValuesOf<In>& b, const auto& p, const auto& q,
                   const StoredOf<Out>& out) {
    for (int d = 0; d < 2; ++d)
        if (p.shape(d) != out.shape(d + 1) || q.shape(d) != out.shape(d + 1))
            throw Error("stored_sum: weights and target differ in shape");
    if (a.stride(0) != b.stride(0) || a.stride(1) != b.stride(1))
        throw Error("stored_sum: the fields lie in memory in different ways");
}

template <class In, class Out> void bind_stored(nb::module_& m) {
    using Values = ValuesOf<In>;
    using Stored = StoredOf<Out>;
    using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    m.def(
        "stored",
        [](const Values& v, const Levels& there, const Stored& out) {
            check_shapes<In, Out>(v, there, out);
            nb::gil_scoped_release nogil;
            stored(v.data(), v.stride(0), v.stride(1), there.data(), there.stride(0), out.data(),
                   out.stride(0), out.stride(1), int(out.shape(0)), int(out.shape(1)),
                   int(out.shape(2)));
        },
        nb::arg("values").noconvert(), nb::arg("there").noconvert(), nb::arg("out").noconvert());
    m.def(
        "stored_sum",
        [](const Values& a, const Values& b, const Weights& p, const Weights& q,
           const Levels& there, const Stored& out) {
            check_shapes<In, Out>(a, there, out), check_shapes<In, Out>(b, there, out);
            check_weights<In, Out>(a, b, p, q, out);
            nb::gil_scoped_release nogil;
            stored_sum(a.data(), b.data(), p.data(), q.data(), a.stride(0), a.stride(1),
                       there.data(), there.stride(0), out.data(), out.stride(0), out.stride(1),
                       int(out.shape(0)), int(out.shape(1)), int(out.shape(2)));
        },
        nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("p"), nb::arg("q"),
        nb::arg("there").noconvert(), nb::arg("out").noconvert());
}

nb::dict named(const Quantities& quantities) {
    nb::dict all;
    for (auto& [name, spread] : quantities) {
        nb::dict d;
        d["count"] = spread.count;
        d["mean"] = spread.mean();
        d["most"] = spread.most;
        all[name.c_str()] = d;
    }
    return all;
}

struct BoundClient {
    std::vector<OutputStream> streams;
    std::shared_ptr<Domain> domain;
    OutputClient client;
    BoundClient(const Roles& roles, std::shared_ptr<Domain> d, std::vector<OutputStream> s,
                int slots)
        : streams(s), domain(d), client(roles, d->decomposition, d->halo, std::move(s), slots) {}
};

/// Sends the named fields of a state with the stream of the event.
void post(BoundClient& c, const OutputEvent& e, const FieldSet& s,
          const std::vector<std::string>& names) {
    const auto& items = c.streams[e.stream].items;
    if (names.size() != items.size())
        throw Error(names.size(), " fields for a stream of ", items.size());
    std::vector<FieldSlab> slabs;
    for (std::size_t n = 0; n < names.size(); ++n) {
        const int number = s.layout->index(names[n]);
        const Field f = s.device() ? s.on_device(number) : s[number];
        if (!f.stays())
            throw Error("'", names[n],
                        "' lives only within a step; it stays where an output asks for it");
        if (f.levels < items[n].levels)
            throw Error("'", names[n], "' has ", f.levels, " levels; the stream sends ",
                        items[n].levels);
        slabs.push_back(f);
        slabs.back().levels = items[n].levels;
    }
    nb::gil_scoped_release nogil;
    c.client.post(e, slabs, s.device().get());
}

/// A block of a field with its halo, zeros; (levels, ny, nx) without the halo.
template <class Number>
nb::object new_block(const Block& b, int halo, int levels, FieldSlab& slab) {
    const std::size_t rows = b.ny + 2 * halo, columns = b.nx + 2 * halo;
    auto* data = new std::byte[rows * columns * levels * sizeof(Number)]();
    nb::capsule owner(data, [](void* p) noexcept { delete[] (std::byte*)p; });
    slab.at.push_back(data);
    slab.row.push_back(std::ptrdiff_t(columns) * levels);
    slab.level.push_back(std::ptrdiff_t(columns));
    const std::int64_t strides[] = {std::int64_t(columns), std::int64_t(levels * columns), 1};
    const std::size_t shape[] = {std::size_t(levels), std::size_t(b.ny), std::size_t(b.nx)};
    std::byte* first = data + (halo * columns * levels + halo) * sizeof(Number);
    return nb::cast(nb::ndarray<nb::numpy, Number>(first, 3, shape, owner, strides));
}

nb::list restored(const BoundClient& c, const OutputEvent& e) {
    const auto& stream = c.streams[e.stream];
    const int halo = c.domain->halo;
    std::vector<FieldSlab> slabs;
    nb::list fields;
    for (auto& item : stream.items) {
        FieldSlab slab{{}, {}, {}, item.levels};
        nb::list blocks;
        for (auto* b : c.domain->blocks)
            blocks.append(stream.bytes == 4 ? new_block<float>(*b, halo, item.levels, slab)
                                            : new_block<double>(*b, halo, item.levels, slab));
        slabs.push_back(std::move(slab));
        fields.append(blocks);
    }
    c.client.restore(e, slabs);
    return fields;
}

/// The data that have arrived, rectangle by rectangle of each field.
nb::list arrays(OutputServer& s, OutputServer::Job& job) {
    nb::list items;
    const int stream = int(job.event.stream);
    for (std::size_t n = 0; n < job.slabs.size(); ++n) {
        nb::list list;
        const auto& rectangles = s.rectangles(stream, int(n));
        for (std::size_t r = 0; r < rectangles.size(); ++r)
            list.append(view(s.bytes(stream), job.slabs[n].at[r], rectangles[r].ny,
                             job.slabs[n].levels, rectangles[r].nx));
        items.append(list);
    }
    return items;
}

void bind_roles(nb::module_& m) {
    nb::class_<Roles>(m, "Roles", "Which ranks compute and which serve output.")
        .def_prop_ro(
            "own", [](const Roles& r) { return MPI_Comm_c2f(r.own); },
            "communicator of the ranks that compute; of the servers")
        .def_ro("server", &Roles::server, "position among the servers; -1: this rank computes")
        .def_ro("per_set", &Roles::per_set)
        .def_prop_ro("compute",
                     [](const Roles& r) {
                         std::vector<int> all;
                         for (int n = 0; n < r.computing; ++n) all.push_back(r.compute(n));
                         return all;
                     })
        .def_ro("servers", &Roles::servers)
        .def_prop_ro("sets", &Roles::sets);
    m.def(
        "roles",
        [](int world, int servers, int per_set) {
            return roles(MPI_Comm_f2c(world), servers, per_set);
        },
        "world"_a, "servers"_a, "per_set"_a = 1);
}

void bind_event(nb::module_& m) {
    nb::class_<OutputEvent>(m, "OutputEvent", "One time of a stream.")
        .def(
            "__init__",
            [](OutputEvent* e, int stream, int time, int steps, double seconds, double begin,
               double end, bool last) {
                new (e) OutputEvent{-1,    stream,        time,    -1,    -1,
                                    steps, last ? -1 : 0, seconds, begin, end};
            },
            "stream"_a, "time"_a, "steps"_a, "seconds"_a, "begin"_a = 0.0, "end"_a = 0.0,
            "last"_a = false, "last: visible only after all that were handed over before")
        .def("__copy__", [](const OutputEvent& e) { return OutputEvent(e); })
        .def_ro("number", &OutputEvent::number)
        .def_ro("stream", &OutputEvent::stream)
        .def_ro("time", &OutputEvent::time)
        .def_ro("slot", &OutputEvent::slot)
        .def_ro("set", &OutputEvent::set)
        .def_ro("steps", &OutputEvent::steps)
        .def_ro("seconds", &OutputEvent::seconds)
        .def_ro("begin", &OutputEvent::begin)
        .def_ro("end", &OutputEvent::end);
}

void bind_handing_over(nb::class_<BoundClient>& client) {
    client
        .def(
            "__init__",
            [](BoundClient* self, const Roles& roles, std::shared_ptr<Domain> domain,
               const std::vector<Stream>& list, int slots) {
                nb::gil_scoped_release nogil;
                new (self) BoundClient(roles, domain, streams_of(list), slots);
            },
            "roles"_a, "domain"_a, "streams"_a, "slots"_a)
        .def(
            "grant",
            [](BoundClient& c, OutputEvent& e, double patience) {
                nb::gil_scoped_release nogil;
                c.client.grant(e, patience);
            },
            "event"_a, "patience"_a = 0.0)
        .def("post", &post, "event"_a, "set"_a, "fields"_a)
        .def("restored", &restored, "event"_a,
             "of each field, (levels, ny, nx) of each block of this rank: what was posted");
}

void bind_ledger(nb::class_<BoundClient>& client) {
    client.def(
              "wrote", [](BoundClient& c, const OutputEvent& e) { c.client.wrote(e); }, "event"_a)
        .def(
            "silent", [](BoundClient& c, double seconds) { return c.client.silent(seconds); },
            "seconds"_a)
        .def(
            "give_up", [](BoundClient& c, int set) { return c.client.give_up(set); }, "set"_a)
        .def(
            "keep_ledger",
            [](BoundClient& c, const std::vector<std::int64_t>& times) {
                c.client.keep_ledger(times);
            },
            "times"_a)
        .def("due", [](const BoundClient& c) { return c.client.due(); })
        .def(
            "visible", [](BoundClient& c, const OutputEvent& e) { c.client.visible(e); }, "event"_a)
        .def("idle", [](BoundClient& c) { return c.client.idle(); })
        .def(
            "finish",
            [](BoundClient& c, bool failed) {
                nb::gil_scoped_release nogil;
                c.client.finish(failed);
            },
            "failed"_a = false)
        .def_prop_ro("slot_bytes", [](const BoundClient& c) { return c.client.slot_bytes(); })
        .def(
            "bytes", [](const BoundClient& c, int stream) { return c.client.bytes(stream); },
            "stream"_a, "that this rank copies at each of its events")
        .def_prop_ro("plan_bytes", [](const BoundClient& c) { return c.client.plan_bytes(); })
        .def_prop_ro(
            "quantities", [](const BoundClient& c) { return named(c.client.quantities.by_name()); },
            "{name: {count, mean, most}}, core/output/quantities.hpp");
}

void bind_server(nb::module_& m) {
    nb::class_<OutputServer::Job>(m, "OutputJob").def_ro("event", &OutputServer::Job::event);
    nb::class_<OutputServer>(m, "OutputServer", "The serving side of output.")
        .def(
            "__init__",
            [](OutputServer* self, const Roles& roles, const Decomposition& d, int halo,
               const std::vector<Stream>& list) {
                nb::gil_scoped_release nogil;
                new (self) OutputServer(roles, d, halo, streams_of(list));
            },
            "roles"_a, "decomposition"_a, "halo"_a, "streams"_a)
        .def(
            "poll",
            [](OutputServer& s, double seconds) {
                nb::gil_scoped_release nogil;
                const double end = seconds_now() + seconds;
                while (!s.poll()) {
                    if (seconds_now() >= end) return false;
                    // lets others use its core
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                }
                return true;
            },
            "seconds"_a, "waits so long for messages; whether there was one")
        .def("next", &OutputServer::next, nb::rv_policy::reference)
        .def("arrays", &arrays, "job"_a,
             "of each field, (levels, rows, columns) of each rectangle of this server; good until "
             "the job is written")
        .def("written", nb::overload_cast<OutputServer::Job*>(&OutputServer::written), "job"_a)
        .def("staged", &OutputServer::staged, "job"_a)
        .def("written", nb::overload_cast<const OutputEvent&>(&OutputServer::written), "event"_a,
             "that was staged")
        .def("due", &OutputServer::due)
        .def("visible", &OutputServer::visible, "event"_a)
        .def("done",
             [](OutputServer& s) {
                 nb::gil_scoped_release nogil;
                 return s.done();
             })
        .def_prop_ro("abandoned", &OutputServer::abandoned)
        .def_prop_ro("failed", &OutputServer::failed)
        .def_prop_ro("plan_bytes", &OutputServer::plan_bytes)
        .def_prop_ro(
            "quantities", [](const OutputServer& s) { return named(s.quantities.by_name()); },
            "{name: {count, mean, most}}, core/output/quantities.hpp");
}

}  // namespace

void bind_output(nb::module_& m) {
    bind_stored<float, float>(m);
    bind_stored<float, double>(m);
    bind_stored<double, float>(m);
    bind_stored<double, double>(m);
    bind_roles(m);
    bind_event(m);
    nb::class_<BoundClient> client(m, "OutputClient", "The computing side of output servers.");
    bind_handing_over(client);
    bind_ledger(client);
    bind_server(m);
}
