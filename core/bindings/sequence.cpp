/// Domain and StepProgram for Python. No logic.
#include <malloc.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <omp.h>
#include "atmosphere/spectral/dynamics.hpp"
#include "atmosphere/sunlight.hpp"
#include "parallel/ownership/hand_out.hpp"
#include "sequence/linear.hpp"
#include "sequence/step_program.hpp"
#include "sequence/table.hpp"
#include "sequence/wave.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

template <class T> using Array = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

void bind_domain(nb::module_& m) {
    nb::class_<Domain>(m, "Domain", "The part of a grid that this rank computes.")
        .def(
            "__init__",
            [](Domain* self, int comm, int nx, int ny, bool periodic, bool fold, int levels,
               std::vector<int> wet, int halo, int block_nx, int block_ny, std::string distribution,
               std::string exchange, std::string sum, bool periodic_j,
               const std::vector<int>& order) {
                DecompositionOptions o;
                o.block_nx = block_nx;
                o.block_ny = block_ny;
                o.distribution = std::move(distribution);
                o.halo = halo;
                new (self) Domain(MPI_Comm_f2c(comm), Topology{nx, ny, periodic, fold, periodic_j},
                                  levels, std::move(wet), o);
                self->exchange = std::move(exchange), self->sum = std::move(sum);
                hand_out(*self, order);
            },
            "comm"_a, "nx"_a, "ny"_a, "periodic"_a, "fold"_a, "levels"_a, "wet_levels"_a,
            "halo"_a = 2, "block_nx"_a = 0, "block_ny"_a = 0, "distribution"_a = "auto",
            "exchange"_a = "packed", "sum"_a = "allreduce", "periodic_j"_a = false,
            "order"_a = std::vector<int>{})
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
}

// long: the list of what Python sees of one class
void bind_program(nb::module_& m) {
    nb::class_<StepProgram>(m, "StepProgram",
                            "An ordered list of processes on a domain, with all that follows from "
                            "their declarations: a program that is run on field sets.")
        .def(
            "__init__",
            [](StepProgram* self, std::shared_ptr<Domain> domain, std::vector<Process> processes,
               int precision, std::vector<std::string> keep,
               std::vector<std::vector<std::string>> rotate, int tile,
               std::map<std::string, int> tiles, bool compute_in_halo, bool group, bool device,
               bool tangent) {
                new (self) StepProgram(domain, precision, std::move(processes),
                                       {std::move(keep), std::move(rotate), tile, std::move(tiles),
                                        compute_in_halo, group, device, tangent});
            },
            "domain"_a, "processes"_a, "precision"_a = 8, "keep"_a = std::vector<std::string>{},
            "rotate"_a = std::vector<std::vector<std::string>>{}, "tile"_a = 0,
            "tiles"_a = std::map<std::string, int>{}, "compute_in_halo"_a = true, "group"_a = true,
            "device"_a = false, "tangent"_a = false)
        .def(
            "advance_with",
            [](StepProgram& s, FieldSet& fields, FieldSet& change, int steps) {
                nb::gil_scoped_release nogil;
                for (int n = 0; n < steps; ++n) s.step(fields, change);
            },
            "fields"_a, "change"_a, "steps"_a = 1,
            "steps of a state, and of a small change of it by the tangent")
        .def(
            "advance",
            [](StepProgram& s, FieldSet& fields, int steps) {
                nb::gil_scoped_release nogil;
                for (int n = 0; n < steps; ++n) s.step(fields);
            },
            "fields"_a, "steps"_a = 1)
        .def(
            "prepare",
            [](StepProgram& s, FieldSet& fields, const nb::callable& fill) {
                nb::gil_scoped_release nogil;
                s.prepare(fields, [&] {
                    nb::gil_scoped_acquire gil;
                    fill(nb::cast(fields, nb::rv_policy::reference));
                });
            },
            "fields"_a, "fill"_a,
            "fill(fields) sets the geometry; then the global processes are readied, once, for sets "
            "with it")
        .def(
            "start",
            [](StepProgram& s, FieldSet& fields) {
                nb::gil_scoped_release nogil;
                s.start(fields);
            },
            "fields"_a, "what global processes do with an initial state; not after a restart")
        .def(
            "changed",
            [](StepProgram& s, FieldSet& fields) {
                nb::gil_scoped_release nogil;
                s.changed(fields);
            },
            "fields"_a, "what global processes do after fields were set between two steps")
        .def("left_by", &StepProgram::left_by, "device"_a,
             "names of the processes that a device cannot do: they are computed here")
        .def_prop_ro(
            "globals",
            [](const StepProgram& s) {
                nb::list list;
                for (auto& p : s.globals())
                    if (auto spectral = std::dynamic_pointer_cast<atmosphere::SpectralProcess>(p))
                        list.append(nb::cast(spectral));
                    else
                        list.append(nb::cast(p));
                return list;
            },
            "its global processes, in order")
        .def("ramp", &StepProgram::ramp, "profile"_a, "step"_a, "origin"_a, "length"_a)
        .def("follow_table", &follow_table, "profile"_a, "step"_a, "times"_a, "rows"_a,
             "interpolated"_a = true,
             "sets a profile before each step from rows of values at times [s], interpolated "
             "between them or each until the next")
        .def(
            "follow_wave",
            [](StepProgram& s, std::string_view profile, double step, double frequency,
               double phase, std::vector<double> cosines, std::vector<double> sines, double angle,
               double rate) {
                follow_wave(s, profile, step, frequency, phase,
                            {std::move(cosines), std::move(sines), angle, rate});
            },
            "profile"_a, "step"_a, "frequency"_a, "phase"_a, "cosines"_a = std::vector<double>{1},
            "sines"_a = std::vector<double>{}, "angle"_a = 0.0, "rate"_a = 0.0,
            "sets [0] of a profile before each step to f cos(frequency t + phase + u), t [s] at "
            "its end; f and u are series in cosines and sines of multiples of angle + rate t")
        .def("follow_sun", &atmosphere::follow_sun, "step"_a, "days"_a, "period"_a = 0.0,
             "fixed_season"_a = false,
             "sets the profile 'sun' before each step; days: of the first step, since 2000-01-01 "
             "12:00; period: of the radiation [s]")
        .def_prop_ro("timings",
                     [](const StepProgram& s) {
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
        .def("reset_timings", &StepProgram::reset_timings)
        .def_rw(
            "counting", &StepProgram::counting,
            "kernels count their operations, which the timings then hold: the same bits, slowly")
        .def_prop_ro("groups",
                     [](const StepProgram& s) {
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
        .def_prop_ro(
            "scratch",
            [](const StepProgram& s) {
                std::vector<std::string> names;
                for (auto& f : s.layout()->fields)
                    if (f.scratch) names.push_back(f.name);
                return names;
            },
            "fields that never leave the cache")
        .def_prop_ro("bytes_allocated", &StepProgram::bytes_allocated,
                     "of scratch, and of one field set");
}

void bind_linear(nb::module_& m) {
    using Release = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<LinearStepProgram>(m, "LinearStepProgram",
                                  "Tangent and adjoint of a sequence along a trajectory, from the "
                                  "declarations of its processes.")
        .def(
            "__init__",
            [](LinearStepProgram* at, std::shared_ptr<StepProgram> sequence,
               const std::string& keep, int every, bool by_hand, std::vector<std::string> frozen) {
                using Keep = LinearStepProgram::Keep;
                const std::map<std::string, Keep> ways{
                    {"all", Keep::all}, {"fp32", Keep::single}, {"states", Keep::states}};
                if (!ways.contains(keep)) throw Error("keep = '", keep, "': all, fp32 or states");
                new (at) LinearStepProgram(std::move(sequence),
                                           {ways.at(keep), every, by_hand, std::move(frozen)});
            },
            "sequence"_a, "keep"_a = "all", "every"_a = 1, "by_hand"_a = true,
            "frozen"_a = std::vector<std::string>{},
            "frozen: names of processes whose results do not change with the state")
        .def("follow", &LinearStepProgram::follow, "fields"_a, "steps"_a, Release(),
             "takes steps with a state; its trajectory is kept after what was kept before")
        .def("forget", &LinearStepProgram::forget)
        .def_prop_ro("steps", &LinearStepProgram::steps)
        .def_prop_ro("bytes", &LinearStepProgram::bytes, "of the trajectory")
        .def("start", &LinearStepProgram::start, "perturbation"_a, Release())
        .def("tangent", &LinearStepProgram::tangent, "perturbation"_a, "first"_a, "steps"_a,
             Release(), "what becomes of a perturbation in the steps from `first` on")
        .def("adjoint", &LinearStepProgram::adjoint, "gradient"_a, "first"_a, "steps"_a,
             "ended"_a.none() = nullptr, Release(),
             "the transpose of `tangent`; ended: a set to whose fields the adjoints of what frozen "
             "processes write are added")
        .def("start_adjoint", &LinearStepProgram::start_adjoint, "gradient"_a, Release());
}

void bind_threads(nb::module_& m) {
    m.def("release_memory", [] { malloc_trim(0); }, "gives what was freed back to the system");
    m.def("threads", [] { return omp_get_max_threads(); });
    m.def("set_threads", [](int n) { omp_set_num_threads(n); });
}

}  // namespace

void bind_sequence(nb::module_& m) {
    bind_domain(m);
    bind_program(m);
    bind_linear(m);
    bind_threads(m);
}
