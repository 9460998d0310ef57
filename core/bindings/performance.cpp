/// Measurements of the core itself, for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include "machine/interruptions.hpp"
#include "performance/measured_layouts.hpp"
#include "performance/measured_sums.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

void bind_performance(nb::module_& m) {
    using Release = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<MeasuredSums>(
        m, "MeasuredSums",
        "The divergence of a five-point upwind flux and two adjoints of it: by "
        "sums of slots, and by scatter of one thread; to measure them.")
        .def(nb::init<int, int, int>(), "nx"_a, "ny"_a, "levels"_a)
        .def("forward", &MeasuredSums::forward, Release())
        .def("sums", &MeasuredSums::sums, Release())
        .def("scatter", &MeasuredSums::scatter, Release())
        .def_prop_ro("difference", &MeasuredSums::difference, "of both adjoints, by the largest")
        .def_prop_ro("points", &MeasuredSums::points);
    using Mask = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    nb::class_<MeasuredLayouts>(m, "MeasuredLayouts",
                                "The operator of the free surface on rectangles, on cells with "
                                "water, on water alone; to measure them.")
        .def(
            "__init__",
            [](MeasuredLayouts* self, const Mask& wet) {
                new (self)
                    MeasuredLayouts(int(wet.shape(1)), int(wet.shape(0)), {wet.data(), wet.size()});
            },
            "wet"_a, "wet: (rows, points), uint8")
        .def(
            "product",
            [](MeasuredLayouts& l, const std::string& layout) { return l.product(layout); },
            "layout"_a, "seconds of one product: rectangle, cells or water")
        .def(
            "bytes",
            [](const MeasuredLayouts& l, const std::string& layout) { return l.bytes(layout); },
            "layout"_a, "that a product moves")
        .def(
            "result",
            [](const MeasuredLayouts& l, const std::string& layout) { return l.result(layout); },
            "layout"_a, "of the last product, at the water in the order of rows");
    nb::class_<Interruptions>(m, "Interruptions",
                              "Interrupts this process, while it lives, so many times a second for "
                              "so long [s]; together: at the same moments on all ranks.")
        .def(nb::init<double, double, bool>(), "frequency"_a, "duration"_a, "together"_a)
        .def_prop_ro("count", &Interruptions::count);
}
