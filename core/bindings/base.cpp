/// Constants, limits of the machine, and the elementary functions of packs for tests. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <span>
#include <utility>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/usual.hpp"
#include "machine/limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

using Named = std::pair<const char*, double>;
/// Of the headers that Python reads: what they are once compiled.
constexpr Named in_constants[]{
    {"earth_radius", constants::earth_radius},
    {"rotation", constants::rotation},
    {"gravity", constants::gravity},
    {"standard_gravity", constants::standard_gravity},
    {"sea_water_density", constants::sea_water_density},
    {"sea_water_heat_capacity", constants::sea_water_heat_capacity},
    {"fresh_water_density", constants::fresh_water_density},
    {"ice_density", constants::ice_density},
    {"ice_heat_capacity", constants::ice_heat_capacity},
    {"dry_air_gas_constant", constants::dry_air_gas_constant},
    {"dry_air_heat_capacity", constants::dry_air_heat_capacity},
    {"water_vapour_gas_constant", constants::water_vapour_gas_constant},
    {"lapse_rate", constants::lapse_rate},
    {"evaporation_heat", constants::evaporation_heat},
    {"fusion_heat", constants::fusion_heat},
    {"celsius", constants::celsius},
    {"triple_point", constants::triple_point},
    {"stefan_boltzmann", constants::stefan_boltzmann},
    {"planck", constants::planck},
    {"boltzmann", constants::boltzmann},
    {"avogadro", constants::avogadro},
    {"cosmic_background", constants::cosmic_background},
    {"bulk_heat_capacity", constants::bulk_heat_capacity},
    {"bulk_gas_constant", constants::bulk_gas_constant},
    {"bulk_evaporation_heat", constants::bulk_evaporation_heat},
    {"sky_stefan_boltzmann", constants::sky_stefan_boltzmann},
    {"cloud_gas_constant", constants::cloud_gas_constant},
    {"spectral_heat_capacity", constants::spectral_heat_capacity},
    {"screen_heat_capacity", constants::screen_heat_capacity},
    {"norm_heat_capacity", constants::norm_heat_capacity},
    {"norm_gas_constant", constants::norm_gas_constant},
    {"balance_gas_constant", constants::balance_gas_constant},
    {"balance_heat_capacity", constants::balance_heat_capacity},
    {"analysis_heat_capacity", constants::analysis_heat_capacity},
    {"analysis_evaporation_heat", constants::analysis_evaporation_heat},
};
constexpr Named in_usual[]{
    {"eddy_diffusivity", usual::eddy_diffusivity},
    {"maximum_slope", usual::maximum_slope},
    {"taper_width", usual::taper_width},
    {"density_step", usual::density_step},
    {"implicitness", usual::implicitness},
    {"compactness", usual::compactness},
    {"gas_transfer", usual::gas_transfer},
    {"carbon_dioxide", usual::carbon_dioxide},
    {"gridpoint_implicitness", usual::gridpoint_implicitness},
    {"reference_temperature", usual::reference_temperature},
    {"acoustic_temperature", usual::acoustic_temperature},
    {"reference_pressure", usual::reference_pressure},
};
nb::dict numbers(std::span<const Named> named) {
    nb::dict found;
    for (auto [name, value] : named) found[name] = value;
    return found;
}

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
    m.attr("constants") = numbers(in_constants);
    m.attr("usual") = numbers(in_usual);
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
