/// The global processes of the ocean for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include "ocean/barotropic_solve.hpp"
#include "ocean/drifters/drifters.hpp"
#include "ocean/overflow/overflow.hpp"
#include "ocean/sea_ice/dynamics.hpp"
#include "ocean/surface_balance.hpp"
#include "physics/thermodynamics/density.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::ocean;

namespace {

OverflowShape shape_of(const std::vector<double>& s) {
    return {s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5)};
}

Overflows::Overflow overflow_of(nb::handle item) {
    const auto get = [&](const char* name) { return nb::cast<nb::dict>(item)[name]; };
    const auto cells = [&](const char* name) { return nb::cast<Overflows::Cells>(get(name)); };
    Overflows::Overflow o{shape_of(nb::cast<std::vector<double>>(get("shape"))),
                          nb::cast<double>(get("sill_pressure")),
                          nb::cast<double>(get("break_pressure")),
                          cells("inflow"),
                          cells("source"),
                          cells("entrainment"),
                          cells("from_source"),
                          cells("from_entrainment"),
                          {}};
    using Sites = std::vector<std::pair<double, Overflows::Cells>>;
    for (auto& [pressure, list] : nb::cast<Sites>(get("products")))
        o.products.push_back({pressure, list});
    return o;
}

using Rows = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void put(Drifters& d, Rows rows) {
    if (rows.shape(1) != 6)
        throw Error("drifters are rows of number, i, j, a, b, level; given ", rows.shape(1),
                    " columns");
    std::vector<Drifter> given;
    for (std::size_t n = 0; n < rows.shape(0); ++n) {
        const double* r = rows.data() + 6 * n;
        given.push_back(
            {std::int64_t(r[0]), std::int32_t(r[1]), std::int32_t(r[2]), r[3], r[4], r[5]});
    }
    d.put(given);
}

nb::object own(const Drifters& d) {
    const std::size_t count = d.own.size();
    double* data = new double[6 * count];
    nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
    for (std::size_t n = 0; n < count; ++n) {
        const auto& p = d.own[n];
        const double row[6] = {double(p.number), double(p.i), double(p.j), p.a, p.b, p.level};
        std::copy_n(row, 6, data + 6 * n);
    }
    return nb::cast(Rows(data, {count, 6}, owner));
}

std::array<double, 3> numbers(const OverflowTransports& t) {
    return {t.source, t.entrainment, t.product};
}

void bind_balance(nb::module_& m) {
    nb::class_<SurfaceBalance, GlobalProcess>(m, "SurfaceBalance",
                                              "A flux that sums to nothing over the whole sea.")
        .def(nb::init<const std::string&, std::string>(), "name"_a, "units"_a);
}

void bind_overflows(nb::module_& m) {
    nb::class_<Overflows, GlobalProcess>(m, "Overflows", "Overflows of dense water.")
        .def(
            "__init__",
            [](Overflows* self, const nb::list& given, const std::vector<double>& thickness,
               const std::vector<std::pair<std::string, std::string>>& tracers,
               const std::string& equation_of_state,
               const std::map<std::string, double>& parameters) {
                std::vector<Overflows::Overflow> all;
                for (nb::handle item : given) all.push_back(overflow_of(item));
                new (self) Overflows(std::move(all), thickness, tracers,
                                     physics::density(equation_of_state, parameters));
            },
            "overflows"_a, "thickness"_a, "tracers"_a, "equation_of_state"_a = "MWJF",
            "parameters"_a = std::map<std::string, double>{},
            "thickness: of the layers; tracers: (name, units), temperature and salinity first")
        .def_prop_ro("transports",
                     [](const Overflows& o) {
                         std::vector<std::array<double, 3>> list;
                         for (auto& t : o.transports) list.push_back(numbers(t));
                         return list;
                     })
        .def_ro("sites", &Overflows::sites);
    m.def(
        "overflow_transports",
        [](std::vector<double> shape, double source_buoyancy, double entrainment_buoyancy) {
            return numbers(
                overflow_transports(shape_of(shape), source_buoyancy, entrainment_buoyancy));
        },
        "shape"_a, "source_buoyancy"_a, "entrainment_buoyancy"_a,
        "source, entrainment and product [m3 s-1]; shape: f, width, thickness, distance, slope, "
        "drag");
}

void bind_barotropic_solve(nb::module_& m) {
    nb::class_<BarotropicSolve, GlobalProcess>(m, "BarotropicSolve",
                                               "The solver of the implicit free surface.")
        .def(
            "__init__",
            [](BarotropicSolve* self, double step, double implicitness, double gravity,
               double tolerance, int maximum_iterations, const std::string& solver,
               const std::string& preconditioner, const std::string& precision, bool reproducible,
               int steps, double compactness, bool rotation, bool radiates) {
                SolverOptions o;
                o.solver = solver, o.preconditioner = preconditioner, o.precision = precision;
                o.tolerance = tolerance, o.maximum_iterations = maximum_iterations;
                o.steps = steps, o.reproducible = reproducible;
                new (self) BarotropicSolve(
                    {step, implicitness, gravity, compactness, rotation, o, radiates});
            },
            "step"_a, "implicitness"_a, "gravity"_a, "tolerance"_a, "maximum_iterations"_a,
            "solver"_a = "chrongear", "preconditioner"_a = "diagonal", "precision"_a = "mixed",
            "reproducible"_a = true, "steps"_a = 4, "compactness"_a = 0.0, "rotation"_a = false,
            "radiates"_a = false)
        .def_ro("iterations", &BarotropicSolve::iterations)
        .def_ro("solves", &BarotropicSolve::solves)
        .def_prop_ro(
            "reductions", [](const BarotropicSolve& b) { return b.solver->record.reductions; },
            "sums over all ranks")
        .def_prop_ro(
            "words", [](const BarotropicSolve& b) { return b.solver->record.words; },
            "of all these sums, 64 bits each")
        .def_prop_ro(
            "halos", [](const BarotropicSolve& b) { return b.solver->record.halos; },
            "exchanges of the solver")
        .def_prop_ro(
            "halo_bytes", [](const BarotropicSolve& b) { return b.solver->record.halo_bytes; },
            "of all these exchanges, for a point along an edge")
        .def_prop_ro(
            "factor_numbers", [](const BarotropicSolve& b) { return b.solver->factor_numbers(); },
            "fp32 numbers of the factorised matrix on this rank; 0 without");
}

void bind_drifters(nb::module_& m) {
    nb::class_<Drifters, GlobalProcess>(m, "Drifters", "Particles that go with the flow.")
        .def(nb::init<double, bool, bool>(), "step"_a, "flat"_a = false, "own_cells"_a = false)
        .def("put", &put, "rows"_a,
             "more of them: rows of number, i, j, a, b, level, the same on all ranks")
        .def_prop_ro("own", &own, "those of this rank, rows as `put` takes them");
}

void bind_ice_dynamics(nb::module_& m) {
    nb::class_<IceDynamics, GlobalProcess>(m, "IceDynamics",
                                           "Motion of sea ice (Hunke & Dukowicz 1997).")
        .def(
            "__init__",
            [](IceDynamics* self, double step, int subcycles, double strength, double drag) {
                new (self) IceDynamics({step, subcycles, strength, drag});
            },
            "step"_a, "subcycles"_a, "strength"_a, "drag"_a);
}

}  // namespace

void bind_ocean(nb::module_& m) {
    bind_balance(m);
    bind_overflows(m);
    bind_barotropic_solve(m);
    bind_drifters(m);
    bind_ice_dynamics(m);
}
