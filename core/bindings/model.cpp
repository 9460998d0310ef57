/// Domain, Sequence, the barotropic solver and diagnostics for Python. No logic.
#include <malloc.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <omp.h>
#include "atmosphere/sunlight.hpp"
#include "catalogue/catalogue.hpp"
#include "ocean/barotropic.hpp"
#include "ocean/freshwater_balance.hpp"
#include "ocean/overflow/overflow.hpp"
#include "sequence/diagnostics.hpp"
#include "sequence/table.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::ocean;
using namespace fathom::atmosphere;

namespace {

template <class T> using Array = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object part(const Field& f, int b, int h, std::size_t j0, std::size_t i0, std::size_t ny,
                std::size_t nx) {  // (levels, ny, nx) of a block, a copy
    T* data = new T[f.levels * ny * nx];
    nb::capsule owner(data, [](void* p) noexcept { delete[] (T*)p; });
    for (int k = 0; k < f.levels; ++k)
        for (std::size_t j = 0; j < ny; ++j)
            for (std::size_t i = 0; i < nx; ++i)
                data[(k * ny + j) * nx + i] =
                    ((const T*)f.at[b])[(j + j0 + h) * f.row[b] + k * f.level[b] + i + i0 + h];
    return nb::cast(Array<T>(data, {std::size_t(f.levels), ny, nx}, owner));
}
template <class T> nb::object window(const Sequence& s, const Field& f, int b) {
    const auto& block = *s.domain->blocks[b];
    return f.place == place::profile ? part<T>(f, b, 0, 0, 0, 1, 1)
                                     : part<T>(f, b, s.domain->halo, 0, 0, block.ny, block.nx);
}

nb::tuple at(const Extremes::At& a) { return nb::make_tuple(a.k, a.j, a.i); }

}  // namespace

void bind_model(nb::module_& m) {
    nb::class_<Domain>(m, "Domain", "The part of a grid that this rank computes.")
        .def(
            "__init__",
            [](Domain* self, int comm, int nx, int ny, bool periodic, bool fold, int levels,
               std::vector<int> wet, int halo, int block_nx, int block_ny, std::string distribution,
               std::string exchange, std::string sum) {
                DecompositionOptions o;
                o.block_nx = block_nx;
                o.block_ny = block_ny;
                o.distribution = std::move(distribution);
                o.halo = halo;
                new (self) Domain(MPI_Comm_f2c(comm), Topology{nx, ny, periodic, fold}, levels,
                                  std::move(wet), o);
                self->exchange = std::move(exchange), self->sum = std::move(sum);
            },
            "comm"_a, "nx"_a, "ny"_a, "periodic"_a, "fold"_a, "levels"_a, "wet_levels"_a,
            "halo"_a = 2, "block_nx"_a = 0, "block_ny"_a = 0, "distribution"_a = "auto",
            "exchange"_a = "packed", "sum"_a = "allreduce")
        .def_prop_ro(
            "blocks",
            [](const Domain& d) {
                std::vector<std::tuple<int, int, int, int>> list;
                for (auto* b : d.blocks) list.emplace_back(b->j0, b->i0, b->ny, b->nx);
                return list;
            },
            "(j0, i0, ny, nx) of each block of this rank")
        .def_prop_ro(
            "decomposition", [](const Domain& d) { return &d.decomposition; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("imbalance", [](const Domain& d) { return d.decomposition.imbalance(); })
        .def(
            "weigh",
            [](Domain& d, Array<const double> center, Array<const double> corner,
               std::vector<double> levels) {
                const std::size_t points = d.wet_levels.size();
                if (center.size() != points || corner.size() != points ||
                    int(levels.size()) != d.levels)
                    throw Error("weigh takes two areas (ny, nx) and ", d.levels,
                                " weights of levels");
                d.area_center.assign(center.data(), center.data() + points),
                    d.area_corner.assign(corner.data(), corner.data() + points),
                    d.level_weights = std::move(levels);
            },
            "area_center"_a, "area_corner"_a, "level_weights"_a,
            "what a value counts for in means: the area of its cell times the weight of its level")
        .def("describe", [](const Domain& d) { return d.decomposition.describe(); });

    nb::class_<Sequence>(
        m, "Sequence",
        "An ordered list of processes on a domain, with all that follows from their declarations.")
        .def(
            "__init__",
            [](Sequence* self, std::shared_ptr<Domain> domain, std::vector<Process> processes,
               int precision, std::vector<std::string> keep,
               std::vector<std::vector<std::string>> rotate, int tile,
               std::map<std::string, int> tiles, bool compute_in_halo, bool group) {
                new (self) Sequence(domain, precision, std::move(processes),
                                    {std::move(keep), std::move(rotate), tile, std::move(tiles),
                                     compute_in_halo, group});
            },
            "domain"_a, "processes"_a, "precision"_a = 8, "keep"_a = std::vector<std::string>{},
            "rotate"_a = std::vector<std::vector<std::string>>{}, "tile"_a = 0,
            "tiles"_a = std::map<std::string, int>{}, "compute_in_halo"_a = true, "group"_a = true)
        .def(
            "advance",
            [](Sequence& s, int steps) {
                nb::gil_scoped_release nogil;
                for (int n = 0; n < steps; ++n) s.step();
            },
            "steps"_a = 1)
        .def("ramp", &Sequence::ramp, "profile"_a, "step"_a, "origin"_a, "length"_a)
        .def("follow_table", &follow_table, "profile"_a, "step"_a, "times"_a, "rows"_a,
             "interpolated"_a = true,
             "sets a profile before each step from rows of values at times [s], interpolated "
             "between them or each until the next")
        .def(
            "balance",
            [](Sequence& s, const std::string& process, const std::string& field) {
                balance(s, process, field);
            },
            "process"_a, "field"_a,
            "the work of a global process: takes the mean over the sea from a field of columns")
        .def("follow_sun", &follow_sun, "step"_a, "days"_a, "period"_a = 0.0,
             "fixed_season"_a = false,
             "sets the profile 'sun' before each step; days: of the first step, since 2000-01-01 "
             "12:00; period: of the radiation [s]")
        .def_rw("count", &Sequence::count)
        .def("has", [](const Sequence& s, const std::string& name) { return s.has(name); })
        .def(
            "set",
            [](Sequence& s, const std::string& name, Array<const double> values, int first_level,
               bool nearest_outside) {
                const auto& f = s.field(name);
                const auto& t = s.domain->decomposition.topology;
                const int levels = values.ndim() == 3 ? int(values.shape(0)) : 1;
                if (values.ndim() < 2 || int(values.shape(values.ndim() - 1)) != t.nx ||
                    int(values.shape(values.ndim() - 2)) != t.ny || first_level + levels > f.levels)
                    throw Error("'", name, "' takes an array (", f.levels, ", ", t.ny, ", ", t.nx,
                                ") or (", t.ny, ", ", t.nx, ") from level ", first_level);
                nb::gil_scoped_release nogil;
                s.set(name, values.data(), first_level, levels, nearest_outside);
            },
            "name"_a, "values"_a.noconvert(), "first_level"_a = 0, "nearest_outside"_a = false)
        .def("copy",
             [](Sequence& s, const std::string& from, const std::string& to) { s.copy(from, to); })
        .def(
            "fill", [](Sequence& s, const std::string& name, double value) { s.fill(name, value); },
            "name"_a, "value"_a)
        .def("set_profile", [](Sequence& s, const std::string& name,
                               std::vector<double> values) { s.set_profile(name, values); })
        .def(
            "windows",
            [](const Sequence& s, const std::string& name) {
                nb::list list;
                for (int b = 0; b < int(s.domain->blocks.size()); ++b) {
                    const auto& f = s.field(name);
                    if (f.scratch || f.guest_of >= 0)
                        throw Error("'", name,
                                    "' lives only within a step; ask for it when the model is "
                                    "built (keep)");
                    list.append(s.bytes == 4 ? window<float>(s, f, b) : window<double>(s, f, b));
                }
                return list;
            },
            "name"_a, "values of each block of this rank, (levels, ny, nx), copies")
        .def(
            "part",
            [](const Sequence& s, const std::string& name, int b, int j0, int i0, int ny, int nx) {
                const auto& f = s.field(name);
                if (b < 0 || b >= int(s.domain->blocks.size()) || std::min({j0, i0, ny, nx}) < 0 ||
                    j0 + ny > s.domain->blocks[b]->ny || i0 + nx > s.domain->blocks[b]->nx ||
                    f.place == place::profile || f.scratch || f.guest_of >= 0)
                    throw Error("no part (", j0, ", ", i0, ", ", ny, ", ", nx, ") of block ", b,
                                " of '", name, "'");
                return s.bytes == 4 ? part<float>(f, b, s.domain->halo, j0, i0, ny, nx)
                                    : part<double>(f, b, s.domain->halo, j0, i0, ny, nx);
            },
            "name"_a, "block"_a, "j0"_a, "i0"_a, "ny"_a, "nx"_a,
            "(levels, ny, nx) of a block from its point (j0, i0) on, a copy")
        .def_prop_ro("state", &Sequence::state)
        .def_prop_ro("fields",
                     [](const Sequence& s) {
                         nb::list list;
                         for (auto& f : s.fields()) {
                             nb::dict d;
                             d["name"] = f.name;
                             d["units"] = f.units;
                             d["horizontal"] = name(f.place.horizontal);
                             d["vertical"] =
                                 f.place == place::profile ? "profile" : name(f.place.vertical);
                             d["vector"] = f.place.vector;
                             d["levels"] = f.levels;
                             d["written"] = f.written;
                             d["state"] = f.state;
                             d["scratch"] = f.scratch;
                             list.append(d);
                         }
                         return list;
                     })
        .def_prop_ro("timings",
                     [](const Sequence& s) {
                         nb::list list;
                         for (auto& t : s.timings()) {
                             nb::dict d;
                             d["process"] = t.process;
                             d["phase"] = t.phase;
                             d["seconds"] = t.seconds;
                             d["calls"] = t.calls;
                             if (t.operations > 0) d["operations"] = t.operations;
                             list.append(d);
                         }
                         return list;
                     })
        .def("reset_timings", &Sequence::reset_timings)
        .def_rw(
            "counting", &Sequence::counting,
            "kernels count their operations, which the timings then hold: the same bits, slowly")
        .def_prop_ro("groups",
                     [](const Sequence& s) {
                         nb::list list;
                         for (auto& g : s.describe()) {
                             nb::dict d, tried;
                             for (auto& t : g.trials)
                                 if (Tiles::known(t)) tried[nb::int_(t.tile)] = t.seconds;
                             d["exchange"] = g.exchange;
                             d["processes"] = g.processes;
                             d["extent"] = g.extent;
                             d["tile"] = g.tile;
                             d["tile_reason"] = g.reason;
                             d["tiles_tried"] = tried;
                             d["overlapped"] = g.overlapped;
                             list.append(d);
                         }
                         return list;
                     })
        .def_prop_ro("bytes_allocated", &Sequence::bytes_allocated)
        .def("extremes",
             [](const Sequence& s, const std::string& name) {
                 const auto e = extremes(s, name);
                 nb::dict d;
                 d["minimum"] = e.minimum;
                 d["maximum"] = e.maximum;
                 d["mean"] = e.mean;
                 d["at_minimum"] = at(e.at_minimum);
                 d["at_maximum"] = at(e.at_maximum);
                 d["finite"] = e.finite;
                 d["not_finite"] = at(e.not_finite);
                 return d;
             })
        .def(
            "content",
            [](const Sequence& s, const std::string& name, bool moving) {
                return content(s, name, moving);
            },
            "name"_a, "moving_surface"_a = true)
        .def(
            "volume", [](const Sequence& s, bool moving) { return volume(s, moving); },
            "moving_surface"_a = true)
        .def(
            "motion",
            [](const Sequence& s, double step, std::string u, std::string v, std::string dx,
               std::string dy) {
                const auto m = motion(s, step, u, v, dx, dy);
                nb::dict d;
                d["kinetic_energy"] = m.kinetic_energy;
                d["speed"] = m.speed;
                d["at"] = at(m.at);
                d["courant"] = m.courant;
                d["at_courant"] = at(m.at_courant);
                return d;
            },
            "step"_a, "u"_a = "velocity_x", "v"_a = "velocity_y", "dx"_a = "dx_corner",
            "dy"_a = "dy_corner")
        .def("checksum",
             [](const Sequence& s, std::vector<std::string> names) { return checksum(s, names); });

    nb::class_<Overflows>(m, "Overflows", "Overflows of a sequence that has an OverflowTransport.")
        .def(
            "__init__",
            [](Overflows* self, Sequence& s, const nb::list& given,
               const std::vector<double>& thickness, const std::vector<std::string>& tracers) {
                std::vector<Overflows::Overflow> all;
                for (nb::handle item : given) {
                    auto get = [&](const char* name) { return nb::cast<nb::dict>(item)[name]; };
                    auto cells = [](nb::handle list) { return nb::cast<Overflows::Cells>(list); };
                    const auto s = nb::cast<std::vector<double>>(get("shape"));
                    Overflows::Overflow o{{s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5)},
                                          nb::cast<double>(get("sill_pressure")),
                                          nb::cast<double>(get("break_pressure")),
                                          cells(get("inflow")),
                                          cells(get("source")),
                                          cells(get("entrainment")),
                                          cells(get("from_source")),
                                          cells(get("from_entrainment")),
                                          {}};
                    for (auto& [pressure, list] :
                         nb::cast<std::vector<std::pair<double, Overflows::Cells>>>(
                             get("products")))
                        o.products.push_back({pressure, list});
                    all.push_back(std::move(o));
                }
                new (self) Overflows(s, std::move(all), thickness, tracers);
            },
            "sequence"_a, "overflows"_a, "thickness"_a, "tracers"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("transports",
                     [](const Overflows& o) {
                         std::vector<std::array<double, 3>> list;
                         for (auto& t : o.transports)
                             list.push_back({t.source, t.entrainment, t.product});
                         return list;
                     })
        .def_ro("sites", &Overflows::sites);
    m.def(
        "overflow_transports",
        [](std::vector<double> s, double source_buoyancy, double entrainment_buoyancy) {
            const auto t =
                overflow_transports({s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5)},
                                    source_buoyancy, entrainment_buoyancy);
            return std::array<double, 3>{t.source, t.entrainment, t.product};
        },
        "shape"_a, "source_buoyancy"_a, "entrainment_buoyancy"_a,
        "source, entrainment and product [m3 s-1]; shape: f, width, thickness, distance, slope, "
        "drag");

    nb::class_<Barotropic>(m, "Barotropic",
                           "Implicit free surface of a sequence that has a BarotropicSolve.")
        .def(
            "__init__",
            [](Barotropic* self, Sequence& s, double step, double implicitness, double gravity,
               double tolerance, int maximum_iterations, const std::string& solver,
               const std::string& preconditioner, const std::string& precision, bool reproducible,
               int steps) {
                new (self) Barotropic(
                    s, {step,
                        implicitness,
                        gravity,
                        {solver, preconditioner, precision, s.domain->exchange, s.domain->sum,
                         tolerance, maximum_iterations, steps, reproducible}});
            },
            nb::keep_alive<1, 2>(), "sequence"_a, "step"_a, "implicitness"_a, "gravity"_a,
            "tolerance"_a, "maximum_iterations"_a, "solver"_a = "chrongear",
            "preconditioner"_a = "diagonal", "precision"_a = "mixed", "reproducible"_a = true,
            "steps"_a = 4)
        .def_ro("iterations", &Barotropic::iterations)
        .def_ro("solves", &Barotropic::solves)
        .def_prop_ro(
            "reductions", [](const Barotropic& b) { return b.solver->record.reductions; },
            "sums over all ranks")
        .def_prop_ro(
            "words", [](const Barotropic& b) { return b.solver->record.words; },
            "of all these sums, 64 bits each")
        .def_prop_ro(
            "halos", [](const Barotropic& b) { return b.solver->record.halos; },
            "exchanges of the solver")
        .def_prop_ro(
            "halo_bytes", [](const Barotropic& b) { return b.solver->record.halo_bytes; },
            "of all these exchanges, for a point along an edge")
        .def_prop_ro(
            "factor_numbers", [](const Barotropic& b) { return b.solver->factor_numbers(); },
            "fp32 numbers of the factorised matrix on this rank; 0 without");

    m.def("release_memory", [] { malloc_trim(0); }, "gives what was freed back to the system");
    m.def("threads", [] { return omp_get_max_threads(); });
    m.def("set_threads", [](int n) { omp_set_num_threads(n); });
}
