/// Constants, limits of the machine, and the elementary functions of packs for tests. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "machine/limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

template <class T> using Numbers = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// In place, in packs of `width` numbers; numbers after the last whole pack are not changed.
template <class T, int width> void apply(const std::string& name, Numbers<T> x, double power) {
    using Real = Pack<T, width>;
    auto each = [&](auto f) {
        for (std::size_t n = 0; n + width <= x.size(); n += width)
            f(Real::load(x.data() + n)).store(x.data() + n);
    };
    if (name == "exp")
        each([](Real a) { return exp(a); });
    else if (name == "log")
        each([](Real a) { return log(a); });
    else if (name == "sin")
        each([](Real a) { return sin(a); });
    else if (name == "cos")
        each([](Real a) { return cos(a); });
    else if (name == "atan")
        each([](Real a) { return atan(a); });
    else if (name == "pow")
        each([&](Real a) { return pow(a, power); });
    else
        throw Error("no elementary function '", name, "'",
                    near(name, {"exp", "log", "sin", "cos", "atan", "pow"}));
}
template <class T> void elementary(const std::string& name, Numbers<T> x, int width, double power) {
    if (width != 0 && width != 1)
        throw Error("width = ", width, " must be 0 (packs) or 1 (numbers)");
    width == 1 ? apply<T, 1>(name, x, power) : apply<T, cell_width<T>>(name, x, power);
}

}  // namespace

void bind_base(nb::module_& m) {
    nb::dict of_earth;
    of_earth["RADIUS"] = constants::earth_radius;
    of_earth["ROTATION"] = constants::rotation;
    of_earth["GRAVITY"] = constants::gravity;
    of_earth["SEA_WATER_DENSITY"] = constants::sea_water_density;
    of_earth["SEA_WATER_HEAT_CAPACITY"] = constants::sea_water_heat_capacity;
    m.attr("earth") = of_earth;
    m.def(
        "triad_bandwidth",
        [](std::size_t bytes, int repetitions) {
            nb::gil_scoped_release nogil;
            return triad_bandwidth(bytes, repetitions);
        },
        "bytes"_a = std::size_t(1) << 27, "repetitions"_a = 5,
        "bytes per second, three streams counted, with the threads that are set");
    m.def(
        "fma_rate",
        [](int precision, double seconds) {
            nb::gil_scoped_release nogil;
            return precision == 4 ? fma_rate<float>(seconds) : fma_rate<double>(seconds);
        },
        "precision"_a = 8, "seconds"_a = 0.2,
        "operations per second of fused multiply-adds; precision: bytes of a number");
    m.def("second_level_cache", &second_level_cache, "bytes of a core's");
    m.def("elementary", elementary<double>, "name"_a, "x"_a.noconvert(), "width"_a = 0,
          "power"_a = 0.0,
          "exp, log, sin, cos, atan, pow of packs (width 0) or numbers (1), in place");
    m.def("elementary", elementary<float>, "name"_a, "x"_a.noconvert(), "width"_a = 0,
          "power"_a = 0.0);
}
