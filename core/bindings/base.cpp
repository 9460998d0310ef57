/// Limits of the machine for Python. No logic.
#include "base/limits.hpp"
#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;

void bind_base(nb::module_& m) {
    m.def("triad_bandwidth", [](std::size_t bytes, int repetitions) { nb::gil_scoped_release nogil; return fathom::triad_bandwidth(bytes, repetitions); },
          "bytes"_a = std::size_t(1) << 27, "repetitions"_a = 5, "bytes per second, three streams counted, with the threads that are set");
    m.def("fma_rate", [](int precision, double seconds) { nb::gil_scoped_release nogil; return precision == 4 ? fathom::fma_rate<float>(seconds) : fathom::fma_rate<double>(seconds); },
          "precision"_a = 8, "seconds"_a = 0.2, "operations per second of fused multiply-adds; precision: bytes of a number");
}
