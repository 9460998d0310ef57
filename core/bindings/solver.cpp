/// The elliptic solver for Python. No logic.
#include "solver/solver.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <cmath>
#include "bindings/device_blocks.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

using Blocks = std::vector<BlockArray>;

int rank_in(int comm) {
    int rank;
    MPI_Comm_rank(MPI_Comm_f2c(comm), &rank);
    return rank;
}

struct BoundSolver {
    Decomposition decomposition;
    int rank, halo;
    EllipticSolver solver;
    std::shared_ptr<Device> device{};
    static int bytes(const Blocks& blocks) {
        return !blocks.empty() && blocks[0].dtype() == nb::dtype<float>() ? 4 : 8;
    }
    FieldSlab field(const Blocks& blocks) const {
        return slab(blocks, bytes(blocks), decomposition, rank, halo);
    }
    int solve(const Blocks& rhs, const Blocks& x) {
        const auto b = field(rhs), y = field(x);
        const int of = bytes(rhs);
        if (bytes(x) != of) throw Error("a right-hand side and a solution of different numbers");
        if (!device) {
            nb::gil_scoped_release nogil;
            return solver.solve(b, y, of);
        }
        DeviceBlocks blocks;
        blocks.device = device;
        const auto b_there = blocks.there(b, rhs), y_there = blocks.there(y, x);
        const int iterations = solver.solve_there(b_there, y_there, of);
        blocks.back();
        return iterations;
    }
};

void bind_catalogues(nb::module_& m) {
    m.def(
        "solvers", [] { return names(methods()); },
        "(name, text) of the methods of the elliptic solver");
    m.def(
        "preconditioners", [] { return names(preconditioners()); },
        "(name, text) of the catalogue");
    m.def(
        "extremes",
        [](const std::vector<double>& diagonal, const std::vector<double>& off) {
            return extremes(diagonal, off);
        },
        "diagonal"_a, "off"_a, "least and largest eigenvalue of a symmetric tridiagonal matrix");
}

void bind_methods(nb::class_<BoundSolver>& solver) {
    solver
        .def(
            "__init__",
            [](BoundSolver* self, int comm, const Decomposition& d, int halo, const Blocks& wet,
               const Blocks& area, const Blocks& depth, const Blocks& dx, const Blocks& dy,
               double mass, double tolerance, int maximum_iterations, const std::string& solver,
               const std::string& preconditioner, const std::string& precision,
               const std::string& exchange, const std::string& sum, bool reproducible, int steps,
               double compactness) {
                const int rank = rank_in(comm);
                auto field = [&](const Blocks& b) { return slab(b, 8, d, rank, halo); };
                const EllipticFields fields{field(wet), field(area), field(depth),
                                            field(dx),  field(dy),   mass,
                                            8,          compactness};
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
            "exchange"_a = "packed", "sum"_a = "allreduce", "reproducible"_a = true, "steps"_a = 4,
            "compactness"_a = 0.0)
        .def(
            "solve",
            [](BoundSolver& s, const Blocks& rhs, const Blocks& x) { return s.solve(rhs, x); },
            "rhs"_a, "x"_a)
        .def(
            "on_device",
            [](BoundSolver& s, std::shared_ptr<Device> device) {
                const bool can = s.solver.live_on(device);
                if (can) s.device = std::move(device);
                return can;
            },
            "device"_a,
            "from now on it solves in memory of this device; False: it cannot, of several ranks, "
            "or "
            "with another method than chrongear or pcsi with the diagonal")
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
            "x"_a, "y"_a, "y = the preconditioner's inverse of M + K, times x");
}

void bind_figures(nb::class_<BoundSolver>& solver) {
    solver.def_prop_ro("last_residual", [](const BoundSolver& s) { return s.solver.last_residual; })
        .def_prop_ro("iterations", [](const BoundSolver& s) { return s.solver.iterations; })
        .def_prop_ro(
            "passes", [](const BoundSolver& s) { return s.solver.passes; },
            "of the last solve: residuals from which iterations restarted")
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
            "wherever the residual was computed again")
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

}  // namespace

void bind_solver(nb::module_& m) {
    bind_catalogues(m);
    nb::class_<BoundSolver> solver(m, "EllipticSolver",
                                   "(M + K) x = b of the implicit free surface, by any solver and "
                                   "preconditioner of the catalogues.");
    bind_methods(solver);
    bind_figures(solver);
}
