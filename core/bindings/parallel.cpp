/// Decomposition, plans, exchanges and sums for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "base/error.hpp"
#include "bindings/device_blocks.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/measure.hpp"
#include "parallel/ownership/work.hpp"
#include "parallel/sums/global_sum.hpp"
#include "parallel/sums/reduce.hpp"
#include "parallel/sums/words.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

Horizontal horizontal(const std::string& given) {
    std::vector<std::string> known;
    for (auto h :
         {Horizontal::center, Horizontal::corner, Horizontal::east_face, Horizontal::north_face}) {
        if (given == name(h)) return h;
        known.emplace_back(name(h));
    }
    throw Error("unknown place '", given, "'", near(given, known));
}

nb::object table(std::size_t columns, const std::vector<int>& values) {
    int* data = new int[values.size()];
    std::ranges::copy(values, data);
    nb::capsule owner(data, [](void* p) noexcept { delete[] (int*)p; });
    return nb::cast(
        nb::ndarray<nb::numpy, int, nb::ndim<2>>(data, {values.size() / columns, columns}, owner));
}

/// An exchange and the slabs that it works on between start and finish.
struct BoundExchange {
    Exchange exchange;
    int bytes;
    std::vector<Exchange::Item> items;
    std::vector<FieldSlab> from, to;
    DeviceBlocks blocks;
    std::unique_ptr<Mover> mover;
    void on(std::shared_ptr<Device> device) {
        blocks.device = std::move(device);
        mover = blocks.device->make<Mover>(exchange.points());
    }
    using Fields = std::vector<std::vector<BlockArray>>;
    std::vector<FieldSlab> slabs(const Fields& fields) {
        if (fields.size() != items.size())
            throw Error(fields.size(), " fields for an exchange of ", items.size());
        std::vector<FieldSlab> list;
        for (std::size_t n = 0; n < fields.size(); ++n) {
            list.push_back(slab(fields[n], bytes));
            if (!fields[n].empty() && list[n].levels != items[n].levels)
                throw Error("field ", n, " has ", list[n].levels, " levels, the exchange expects ",
                            items[n].levels);
            list[n].levels = items[n].levels;
            if (blocks.device) list[n] = blocks.there(std::move(list[n]), fields[n]);
        }
        return list;
    }
};
using Items = std::vector<std::tuple<std::string, bool, int, int>>;
std::vector<Exchange::Item> items_of(const Items& list) {
    std::vector<Exchange::Item> items;
    for (auto& [place, vector, width, levels] : list)
        items.push_back({horizontal(place), vector, width, levels});
    return items;
}

void bind_topology(nb::module_& m) {
    nb::class_<Topology>(m, "Topology", "How the edges of the global grid are joined.")
        .def(
            "__init__",
            [](Topology* self, int nx, int ny, bool periodic, bool fold, bool periodic_j) {
                new (self) Topology{nx, ny, periodic, fold, periodic_j};
            },
            "nx"_a, "ny"_a, "periodic"_a = false, "fold"_a = false, "periodic_j"_a = false)
        .def_ro("nx", &Topology::nx)
        .def_ro("ny", &Topology::ny)
        .def_ro("periodic", &Topology::periodic)
        .def_ro("fold", &Topology::fold)
        .def_ro("periodic_j", &Topology::periodic_j)
        .def(
            "source",
            [](const Topology& t, const std::string& place, int i, int j) {
                const auto s = t.source(horizontal(place), i, j);
                return std::tuple(s.i, s.j, s.inside, s.flipped);
            },
            "place"_a, "i"_a, "j"_a,
            "(i, j, inside, flipped): the owned point that is also called (i, j)");
}

void bind_decomposition(nb::module_& m) {
    nb::class_<Decomposition>(m, "Decomposition", "The grid cut into blocks, and who owns them.")
        .def_ro("topology", &Decomposition::topology)
        .def_ro("ranks", &Decomposition::ranks)
        .def_prop_ro(
            "blocks",
            [](const Decomposition& d) {
                std::vector<int> v;
                for (auto& b : d.blocks)
                    for (int x : {b.id, b.i0, b.j0, b.nx, b.ny, b.owner}) v.push_back(x);
                return table(6, v);
            },
            "rows of id, i0, j0, nx, ny, owner; owner -1: no water")
        .def_ro("i_cuts", &Decomposition::i_cuts)
        .def_ro("j_cuts", &Decomposition::j_cuts)
        .def_ro("load", &Decomposition::load,
                "estimated time of each rank, in wet levels of one column")
        .def(
            "of",
            [](const Decomposition& d, int rank) {
                std::vector<int> ids;
                for (auto* b : d.of(rank)) ids.push_back(b->id);
                return ids;
            },
            "rank"_a, "ids of a rank's blocks")
        .def_prop_ro("imbalance", &Decomposition::imbalance, "greatest load over mean load")
        .def("describe", &Decomposition::describe);
    m.def(
        "decompose",
        [](Topology t, const std::vector<int>& wet, int ranks, int block_nx, int block_ny,
           std::string distribution, int halo) {
            return decompose(t, wet, ranks, {block_nx, block_ny, std::move(distribution), halo});
        },
        "topology"_a, "wet_levels"_a, "ranks"_a, "block_nx"_a = 0, "block_ny"_a = 0,
        "distribution"_a = "auto", "halo"_a = 2);
    // of a message to a neighbour, in the estimated time of a rank
    m.attr("work_of_message") = WorkTable::message;
    m.def("arrange", &arrange, "topology"_a, "wet_levels"_a, "ranks"_a, "i_cuts"_a, "j_cuts"_a,
          "owners"_a, "halo"_a = 2, "a decomposition with given cuts and owners");
}

void bind_plans(nb::module_& m) {
    nb::class_<Plan>(m, "Plan", "Who sends which points to whom.")
        .def_prop_ro(
            "messages",
            [](const Plan& p) {
                std::vector<int> v;
                for (auto& x : p.messages)
                    for (int n : {x.from_rank, x.to_rank, int(x.points)}) v.push_back(n);
                return table(3, v);
            },
            "rows of from_rank, to_rank, points")
        .def_prop_ro(
            "runs",
            [](const Plan& p) {
                std::vector<int> v;
                for (auto& x : p.messages)
                    for (auto& r : x.runs)
                        for (int n : {x.from_rank, x.to_rank, r.from_block, r.to_block, r.from_row,
                                      r.from_column, r.to_row, r.to_column, r.count, r.step,
                                      int(r.flipped)})
                            v.push_back(n);
                return table(11, v);
            },
            "rows of from_rank, to_rank, from_block, to_block, from_row, from_column, to_row, "
            "to_column, count, step, flipped")
        .def("adjoint", &adjoint);
    m.def(
        "halo_plan",
        [](const Decomposition& d, const std::string& place, int halo, int width, int rank) {
            return halo_plan(d, horizontal(place), halo, width, rank);
        },
        "decomposition"_a, "place"_a, "halo"_a = 2, "width"_a = 2, "rank"_a = -1);
    m.def(
        "gather_plan",
        [](const Decomposition& d, const std::string& place, int halo,
           const std::vector<std::tuple<int, int, int, int, int>>& given, int rank) {
            std::vector<Rectangle> list;
            for (auto& [i0, j0, nx, ny, owner] : given) list.push_back({i0, j0, nx, ny, owner});
            return gather_plan(d, horizontal(place), halo, list, rank);
        },
        "decomposition"_a, "place"_a, "halo"_a, "rectangles"_a, "rank"_a = -1,
        "rectangles: (i0, j0, nx, ny, owner)");
}

void bind_habits(nb::module_& m) {
    m.def(
        "synchronise",
        [](int halos, int transpositions, int on_demand) {
            const int levels[] = {halos, transpositions, on_demand};
            std::copy(std::begin(levels), std::end(levels), Exchange::synchronise);
        },
        "halos"_a, "transpositions"_a, "on_demand"_a,
        "of exchanges of each kind: 0; 1: all ranks meet before messages go; 2: also once they "
        "have come");
    m.def(
        "in_flight", [](std::size_t bytes) { Transport::in_flight = bytes; }, "bytes"_a,
        "bytes of a rank's messages of one exchange that are under way at most; 0: all");
    m.def("sum_words", sum_together, "words"_a,
          "words of 64 bits of a sum over all ranks at most, more one after another; 0: all");
}

void bind_exchanges(nb::module_& m) {
    bind_habits(m);
    m.def(
        "transports", [] { return names(transports()); },
        "(name, text) of the ways in which exchanges travel");
    nb::class_<BoundExchange>(m, "Exchange",
                              "Halos of several fields, one message to each neighbour.")
        .def(
            "__init__",
            [](BoundExchange* self, int comm, const Decomposition& d, int halo, int precision,
               const Items& list, const std::string& transport) {
                new (self) BoundExchange{
                    Exchange(MPI_Comm_f2c(comm), d, halo, precision, items_of(list), transport),
                    precision,
                    items_of(list),
                    {},
                    {},
                    {},
                    {}};
            },
            "comm"_a, "decomposition"_a, "halo"_a, "precision"_a, "items"_a,
            "transport"_a = "packed", "items: (place, vector, width, levels)")
        .def_static(
            "of_plans",
            [](int comm, const std::vector<Plan>& plans, int precision, const Items& list,
               bool add) {
                return BoundExchange{
                    Exchange(MPI_Comm_f2c(comm), plans, precision, items_of(list), add),
                    precision,
                    items_of(list),
                    {},
                    {},
                    {},
                    {}};
            },
            "comm"_a, "plans"_a, "precision"_a, "items"_a, "add"_a = false)
        .def(
            "start",
            [](BoundExchange& e, const BoundExchange::Fields& fields) {
                e.from = e.slabs(fields);
                e.exchange.start(e.from, e.mover.get());
            },
            "fields"_a, "arrays of each field's blocks; kept alive by the caller until finish")
        .def(
            "finish",
            [](BoundExchange& e, const BoundExchange::Fields& fields) {
                e.to = e.slabs(fields);
                e.exchange.finish(e.to);
                if (e.blocks.device) e.blocks.back();
            },
            "fields"_a)
        .def(
            "on_device",
            [](BoundExchange& e, std::shared_ptr<Device> device) { e.on(std::move(device)); },
            "device"_a, "from now on fields lie in memory of this device while they are exchanged")
        .def_prop_ro("messages", [](const BoundExchange& e) { return e.exchange.messages(); })
        .def_prop_ro("bytes", [](const BoundExchange& e) { return e.exchange.bytes(); });
}

void bind_global_sums(nb::module_& m) {
    nb::class_<GlobalSum>(m, "GlobalSum", "Sums over all ranks by an algorithm of the catalogue.")
        .def(
            "sum",
            [](GlobalSum& s,
               nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> values) {
                nb::gil_scoped_release nogil;
                s.sum(std::span(values.data(), values.size()));
            },
            "values"_a.noconvert())
        .def(
            "sum",
            [](GlobalSum& s,
               nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> values) {
                nb::gil_scoped_release nogil;
                s.sum(std::span(values.data(), values.size()));
            },
            "values"_a.noconvert(), "each number becomes its sum over all ranks");
    m.def(
        "global_sum",
        [](int comm, const std::string& name) {
            return global_sum(name, MPI_Comm_f2c(comm)).release();
        },
        "comm"_a, "name"_a);
    m.def("global_sums", [] { return names(global_sums()); }, "(name, text) of the catalogue");
}

void bind_exact_sums(nb::module_& m) {
    using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "exact_sum",
        [](int comm, Numbers terms) {
            nb::gil_scoped_release nogil;
            return exact_sum(MPI_Comm_f2c(comm), {terms.data(), terms.size()});
        },
        "comm"_a, "terms"_a.noconvert(),
        "the sum over all ranks, with the same bits however the terms are distributed and ordered");
    m.def(
        "exact_sum_with_unit",
        [](Numbers terms, int exponent) {
            ExactSum sum(SumUnit{exponent});
            for (std::size_t n = 0; n < terms.size(); ++n) {
                ExactLanes one(sum.unit);
                one.add(ExactLanes::Real(terms.data()[n]));
                sum.add(one);
            }
            return std::pair(sum.value() / register_lanes, sum.valid());
        },
        "terms"_a.noconvert(), "exponent"_a,
        "(sum in units of 2^exponent, whether all terms fitted)");
}

void bind_measurements(nb::module_& m) {
    using Released = nb::call_guard<nb::gil_scoped_release>;
    m.def(
        "seconds_of_halo",
        [](int comm, const std::string& transport, int words, bool strided, int repetitions) {
            return seconds_of_halo(MPI_Comm_f2c(comm), transport, words, strided, repetitions);
        },
        "comm"_a, "transport"_a, "words"_a, "strided"_a = false, "repetitions"_a = 100, Released(),
        "of an exchange with both neighbours: blocks in a chain, strided: in a ring");
    m.def(
        "seconds_of_pairs",
        [](int comm, bool get, int words, bool word_by_word, int repetitions) {
            return seconds_of_pairs(MPI_Comm_f2c(comm), get ? Pairs::get : Pairs::send, words,
                                    word_by_word, repetitions);
        },
        "comm"_a, "get"_a, "words"_a, "word_by_word"_a = false, "repetitions"_a = 100, Released(),
        "of words that pairs of ranks give each other");
    m.def(
        "seconds_of_stream",
        [](int comm, int senders, int of_node, int away, int repetitions) {
            return seconds_of_stream(MPI_Comm_f2c(comm), senders, of_node, away, repetitions);
        },
        "comm"_a, "senders"_a, "of_node"_a, "away"_a, "repetitions"_a = 100, Released(),
        "of a message in a stream, while so many ranks of a node send one");
    m.def(
        "seconds_of_sum",
        [](int comm, const std::string& sum, int words, int times, int repetitions) {
            return seconds_of_sum(MPI_Comm_f2c(comm), sum, words, times, repetitions);
        },
        "comm"_a, "sum"_a, "words"_a = 1, "times"_a = 1, "repetitions"_a = 100, Released(),
        "of so many sums of so many numbers");
}

}  // namespace

/// The MPI library that the core calls: MPI allows this call before it starts.
std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return {text, std::size_t(length)};
}

void bind_parallel(nb::module_& m) {
    m.def("mpi_library", mpi_library, "The MPI library that the core calls, in its own words");
#ifdef OPEN_MPI
    m.attr("mpi_of_build") = "Open MPI";
#else
    m.attr("mpi_of_build") = "MPICH";
#endif
    bind_topology(m);
    bind_decomposition(m);
    bind_plans(m);
    bind_exchanges(m);
    bind_global_sums(m);
    bind_exact_sums(m);
    bind_measurements(m);
}
