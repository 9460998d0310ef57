/// Random patterns for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "physics/stochastic/pattern.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using stochastic::RandomPattern;

void bind_stochastic(nb::module_& m) {
    nb::class_<RandomPattern, GlobalProcess>(
        m, "RandomPattern",
        "A smooth random field on the sphere, or the wind of which it is the streamfunction; waves "
        "are AR(1) processes in time. scales: (time [s], standard deviation of a wave n, from 0 "
        "on).")
        .def(
            "__init__",
            [](RandomPattern* self, std::string name, const std::vector<std::string>& fields,
               const std::string& units,
               const std::vector<std::tuple<double, std::vector<double>>>& scales,
               std::uint64_t seed, double radius, double step) {
                std::vector<stochastic::Scale> all;
                for (auto& [time, deviation] : scales) all.push_back({time, deviation});
                new (self) RandomPattern(std::move(name), fields, units, std::move(all), seed,
                                         radius, step);
            },
            "name"_a, "fields"_a, "units"_a, "scales"_a, "seed"_a, "radius"_a, "step"_a)
        .def_rw("member", &RandomPattern::member, "whose pattern it makes")
        .def("waves", &RandomPattern::waves, "step"_a,
             "coefficients of cos and sin of all waves after so many steps, by n, then m");
}
