/// Decomposition, plans, exchanges, sums and the elliptic solver for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "base/error.hpp"
#include "parallel/measure.hpp"
#include "parallel/ownership/work.hpp"
#include "parallel/sum/global_sum.hpp"
#include "parallel/sum/reduce.hpp"
#include "parallel/travel/exchange.hpp"
#include "solver/solver.hpp"

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

/// Blocks as arrays (rows, columns) or (rows, levels, columns), point fastest.
using Array = nb::ndarray<nb::numpy, nb::device::cpu>;
FieldSlab slab(const std::vector<Array>& blocks, int bytes, const Decomposition* d = nullptr,
               int rank = 0, int halo = 0) {
    FieldSlab s{{}, {}, {}, 1};
    const auto own = d ? d->of(rank) : std::vector<const Block*>();
    if (d && own.size() != blocks.size())
        throw Error(blocks.size(), " arrays for ", own.size(), " blocks");
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        const Array& a = blocks[n];
        const std::size_t dims = a.ndim();
        if (dims < 2 || dims > 3 ||
            a.dtype() != (bytes == 4 ? nb::dtype<float>() : nb::dtype<double>()) ||
            a.stride(dims - 1) != 1)
            throw Error("a block is an array (rows, columns) or (rows, levels, columns) of ",
                        bytes == 4 ? "float32" : "float64");
        if (d && (int(a.shape(0)) < own[n]->ny + 2 * halo ||
                  int(a.shape(dims - 1)) < own[n]->nx + 2 * halo))
            throw Error("block ", own[n]->id, " needs ", own[n]->ny + 2 * halo, " rows of ",
                        own[n]->nx + 2 * halo, " columns; given ", a.shape(0), " of ",
                        a.shape(dims - 1));
        s.at.push_back((std::byte*)a.data());
        s.row.push_back(a.stride(0));
        s.level.push_back(dims == 3 ? a.stride(1) : 0);
        if (dims == 3) s.levels = int(a.shape(1));
    }
    return s;
}

int rank_in(int comm) {
    int rank;
    MPI_Comm_rank(MPI_Comm_f2c(comm), &rank);
    return rank;
}

/// An exchange and the slabs that it works on between start and finish.
struct BoundExchange {
    Exchange exchange;
    int bytes;
    std::vector<Exchange::Item> items;
    std::vector<FieldSlab> from, to;
    using Fields = std::vector<std::vector<Array>>;
    std::vector<FieldSlab> slabs(const Fields& fields) const {
        if (fields.size() != items.size())
            throw Error(fields.size(), " fields for an exchange of ", items.size());
        std::vector<FieldSlab> list;
        for (std::size_t n = 0; n < fields.size(); ++n) {
            list.push_back(slab(fields[n], bytes));
            if (!fields[n].empty() && list[n].levels != items[n].levels)
                throw Error("field ", n, " has ", list[n].levels, " levels, the exchange expects ",
                            items[n].levels);
            list[n].levels = items[n].levels;
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

struct BoundSolver {
    Decomposition decomposition;
    int rank, halo;
    EllipticSolver solver;
    FieldSlab field(const std::vector<Array>& blocks) const {
        return slab(blocks, 8, &decomposition, rank, halo);
    }
};

}  // namespace

void bind_parallel(nb::module_& m) {
    nb::class_<Topology>(m, "Topology", "How the edges of the global grid are joined.")
        .def(
            "__init__",
            [](Topology* self, int nx, int ny, bool periodic, bool fold) {
                new (self) Topology{nx, ny, periodic, fold};
            },
            "nx"_a, "ny"_a, "periodic"_a = false, "fold"_a = false)
        .def_ro("nx", &Topology::nx)
        .def_ro("ny", &Topology::ny)
        .def_ro("periodic", &Topology::periodic)
        .def_ro("fold", &Topology::fold)
        .def(
            "source",
            [](const Topology& t, const std::string& place, int i, int j) {
                const auto s = t.source(horizontal(place), i, j);
                return std::tuple(s.i, s.j, s.inside, s.flipped);
            },
            "place"_a, "i"_a, "j"_a,
            "(i, j, inside, flipped): the owned point that is also called (i, j)");

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
    m.attr("work_of_message") =
        WorkTable::message;  // to a neighbour, within the estimated time of a rank
    m.def("arrange", &arrange, "topology"_a, "wet_levels"_a, "ranks"_a, "i_cuts"_a, "j_cuts"_a,
          "owners"_a, "halo"_a = 2, "a decomposition with given cuts and owners");

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

    auto names = [](auto kinds) {
        std::vector<std::pair<std::string, std::string>> list;
        for (auto& k : kinds) list.emplace_back(k.name, k.text);
        return list;
    };
    m.def(
        "transports", [=] { return names(transports()); },
        "(name, text) of the ways in which exchanges travel");
    m.def(
        "synchronise", [](bool all) { Exchange::synchronise = all; },
        "whether all ranks meet before the messages of any exchange go");
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
                    {}};
            },
            "comm"_a, "plans"_a, "precision"_a, "items"_a, "add"_a = false)
        .def(
            "start",
            [](BoundExchange& e, const BoundExchange::Fields& fields) {
                e.from = e.slabs(fields);
                e.exchange.start(e.from);
            },
            "fields"_a, "arrays of each field's blocks; kept alive by the caller until finish")
        .def(
            "finish",
            [](BoundExchange& e, const BoundExchange::Fields& fields) {
                e.to = e.slabs(fields);
                e.exchange.finish(e.to);
            },
            "fields"_a)
        .def_prop_ro("messages", [](const BoundExchange& e) { return e.exchange.messages(); })
        .def_prop_ro("bytes", [](const BoundExchange& e) { return e.exchange.bytes(); });

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
    m.def("global_sums", [=] { return names(global_sums()); }, "(name, text) of the catalogue");

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
        "seconds_of_sum",
        [](int comm, const std::string& sum, int words, int times, int repetitions) {
            return seconds_of_sum(MPI_Comm_f2c(comm), sum, words, times, repetitions);
        },
        "comm"_a, "sum"_a, "words"_a = 1, "times"_a = 1, "repetitions"_a = 100, Released(),
        "of so many sums of so many numbers");

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

    using Blocks = std::vector<Array>;
    m.def(
        "solvers", [=] { return names(methods()); },
        "(name, text) of the methods of the elliptic solver");
    m.def(
        "preconditioners", [=] { return names(preconditioners()); },
        "(name, text) of the catalogue");
    m.def(
        "extremes",
        [](const std::vector<double>& diagonal, const std::vector<double>& off) {
            return extremes(diagonal, off);
        },
        "diagonal"_a, "off"_a, "least and largest eigenvalue of a symmetric tridiagonal matrix");
    nb::class_<BoundSolver>(m, "EllipticSolver",
                            "(M + K) x = b of the implicit free surface, by any solver and "
                            "preconditioner of the catalogues.")
        .def(
            "__init__",
            [](BoundSolver* self, int comm, const Decomposition& d, int halo, const Blocks& wet,
               const Blocks& area, const Blocks& depth, const Blocks& dx, const Blocks& dy,
               double mass, double tolerance, int maximum_iterations, const std::string& solver,
               const std::string& preconditioner, const std::string& precision,
               const std::string& exchange, const std::string& sum, bool reproducible, int steps) {
                const int rank = rank_in(comm);
                auto field = [&](const Blocks& b) { return slab(b, 8, &d, rank, halo); };
                const EllipticFields fields{field(wet), field(area), field(depth),
                                            field(dx),  field(dy),   mass};
                new (self) BoundSolver{d,
                                       rank,
                                       halo,
                                       {MPI_Comm_f2c(comm),
                                        d,
                                        halo,
                                        fields,
                                        {solver, preconditioner, precision, exchange, sum,
                                         tolerance, maximum_iterations, steps, reproducible}}};
            },
            "comm"_a, "decomposition"_a, "halo"_a, "wet"_a, "area"_a, "depth"_a, "dx"_a, "dy"_a,
            "mass"_a, "tolerance"_a = 1e-12, "maximum_iterations"_a = 1000,
            "solver"_a = "chrongear", "preconditioner"_a = "diagonal", "precision"_a = "mixed",
            "exchange"_a = "packed", "sum"_a = "allreduce", "reproducible"_a = true, "steps"_a = 4)
        .def(
            "solve",
            [](BoundSolver& s, const Blocks& rhs, const Blocks& x) {
                const auto b = s.field(rhs), y = s.field(x);
                nb::gil_scoped_release nogil;
                return s.solver.solve(b, y);
            },
            "rhs"_a, "x"_a)
        .def(
            "apply",
            [](BoundSolver& s, const Blocks& x, const Blocks& y) {
                const auto a = s.field(x), b = s.field(y);
                s.solver.apply(a, b);
            },
            "x"_a, "y"_a, "y = (M + K) x")
        .def(
            "precondition",
            [](BoundSolver& s, const Blocks& x, const Blocks& y) {
                const auto a = s.field(x), b = s.field(y);
                s.solver.precondition(a, b);
            },
            "x"_a, "y"_a, "y = what the preconditioner takes for the inverse of M + K, times x")
        .def_prop_ro("last_residual", [](const BoundSolver& s) { return s.solver.last_residual; })
        .def_prop_ro("iterations", [](const BoundSolver& s) { return s.solver.iterations; })
        .def_prop_ro(
            "passes", [](const BoundSolver& s) { return s.solver.passes; },
            "of the last solve: residuals from which iterations began anew")
        .def_prop_ro(
            "reductions", [](const BoundSolver& s) { return s.solver.record.reductions; },
            "sums over all ranks since it was made")
        .def_prop_ro(
            "halos", [](const BoundSolver& s) { return s.solver.record.halos; },
            "exchanges since it was made")
        .def_prop_ro(
            "spectrum",
            [](const BoundSolver& s) {
                const auto e = s.solver.spectrum();
                return std::tuple(e.least, e.largest, e.steps);
            },
            "(least, largest, Lanczos steps) where the solver needs them, else 0")
        .def_prop_ro(
            "history",
            [](const BoundSolver& s) {
                std::vector<std::pair<int, double>> list;
                for (auto& h : s.solver.record.history)
                    list.emplace_back(h.iteration,
                                      s.solver.norm > 0 ? std::sqrt(h.rr / s.solver.norm) : 0);
                return list;
            },
            "(iteration, residual / right-hand side) of the last solve; of iterations in fp64, and "
            "wherever the residual was computed anew")
        .def_prop_ro(
            "factor_numbers", [](const BoundSolver& s) { return s.solver.factor_numbers(); },
            "fp32 numbers of the factorisation on this rank; 0 without")
        .def_prop_ro(
            "wet_points", [](const BoundSolver& s) { return s.solver.matrix().wet_points; },
            "of this rank")
        .def_prop_ro(
            "packs", [](const BoundSolver& s) { return s.solver.matrix().lines; },
            "of 8 columns, of this rank: what is computed")
        .def_prop_ro(
            "inner_packs", [](const BoundSolver& s) { return s.solver.matrix().inner_lines; },
            "of these, in blocks that need nothing from other ranks: computed while messages "
            "travel, where the exchange overlaps");
}
