/// Columns of air, interpolation between levels and moist air for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <memory>
#include "base/error.hpp"
#include "physics/thermodynamics/moist.hpp"
#include "post/air_columns.hpp"
#include "post/points.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::post;

namespace {

template <class Number> using Levels = nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu>;
template <class Number>
using Points = nb::ndarray<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// An array with one point applies to all points.
template <class Number> Slab<Number> slab(const Levels<Number>& a, std::size_t points) {
    if (a.shape(1) != points && a.shape(1) != 1)
        throw Error("a field of ", a.shape(1), " points; wanted: ", points);
    if (a.shape(1) > 1 && a.stride(1) != 1) throw Error("points must lie one after another");
    return {a.data(), a.stride(0), a.shape(1) == 1 ? 0 : 1, int(a.shape(0))};
}

template <class Number> Slab<Number> whole(const Levels<Number>& a, std::size_t points) {
    if (a.shape(1) != points) throw Error("a field of ", a.shape(1), " points; wanted: ", points);
    auto found = slab(a, points);
    found.point = 1;
    return found;
}

/// A new array (levels, points) that fill(first number) makes.
template <class Fill> nb::object made(std::size_t levels, std::size_t points, const Fill& fill) {
    auto* data = new double[levels * points];
    nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
    {
        nb::gil_scoped_release nogil;
        fill(data);
    }
    const std::size_t shape[] = {levels, points};
    return nb::cast(nb::ndarray<nb::numpy, double>(data, 2, shape, owner));
}

struct BoundBetween {
    Levels<double> x, target;
    Between between;
    BoundBetween(Levels<double> x, Levels<double> target)
        : x(x),
          target(target),
          between(slab(x, points(x, target)), slab(target, points(x, target)), points(x, target)) {}
    static std::size_t points(const Levels<double>& a, const Levels<double>& b) {
        return std::max(a.shape(1), b.shape(1));
    }
    template <class Make> nb::object result(const Make& make) const {
        return made(between.targets, between.points, make);
    }
};

void bind_between(nb::module_& m) {
    using B = BoundBetween;
    nb::class_<B>(m, "Between",
                  "Where targets (targets, points) lie among levels (levels, points).")
        .def(nb::init<Levels<double>, Levels<double>>(), "x"_a.noconvert(), "target"_a.noconvert())
        .def(
            "linear",
            [](const B& b, const Levels<double>& f) {
                const auto values = slab(f, b.between.points);
                return b.result([&](double* result) { b.between.linear(values, result); });
            },
            "values"_a.noconvert())
        .def(
            "cubic",
            [](const B& b, const Levels<double>& f) {
                const auto values = slab(f, b.between.points);
                return b.result([&](double* result) { b.between.cubic(values, result); });
            },
            "values"_a.noconvert())
        .def(
            "hermite",
            [](const B& b, const Levels<double>& f, const Levels<double>& s) {
                const auto values = slab(f, b.between.points), slopes = slab(s, b.between.points);
                return b.result([&](double* result) { b.between.hermite(values, slopes, result); });
            },
            "values"_a.noconvert(), "slopes"_a.noconvert());
}

struct BoundColumns {
    AirColumns air;
    Levels<double> targets;

    nb::object field(const std::vector<double>& all, int levels) const {
        return made(levels, air.points,
                    [&](double* result) { std::copy_n(all.begin(), levels * air.points, result); });
    }
    template <class Make> nb::object at_targets(const Make& make) const {
        if (!air.targets()) throw Error("no targets are given: to(...)");
        return made(air.targets(), air.points, make);
    }
};

template <class Number>
void init(BoundColumns* self, std::vector<double> a, std::vector<double> b, Levels<Number> T,
          Points<Number> logarithm, Points<Number> geopotential,
          std::optional<Levels<Number>> humidity, bool is_virtual) {
    const std::size_t points = T.shape(1);
    if (logarithm.shape(0) != points || geopotential.shape(0) != points)
        throw Error("temperature has ", points, " points, surface pressure ", logarithm.shape(0),
                    ", surface geopotential ", geopotential.shape(0));
    if (humidity && humidity->shape(0) != T.shape(0))
        throw Error("temperature has ", T.shape(0), " layers, humidity ", humidity->shape(0));
    const AirState<Number> state{std::move(a),
                                 std::move(b),
                                 whole(T, points),
                                 is_virtual,
                                 humidity ? whole(*humidity, points) : Slab<Number>{},
                                 logarithm.data(),
                                 geopotential.data(),
                                 points};
    nb::gil_scoped_release nogil;
    new (self) BoundColumns{AirColumns(state), {}};
}

void init_of_layers(BoundColumns* self, const Levels<double>& logarithm,
                    const Levels<double>& temperature, const Levels<double>& virtual_temperature,
                    const Levels<double>& geopotential, const Points<double>& log_surface_pressure,
                    const Points<double>& surface_geopotential) {
    const std::size_t points = log_surface_pressure.shape(0);
    for (const auto* field : {&logarithm, &virtual_temperature, &geopotential})
        if (field->shape(0) != temperature.shape(0))
            throw Error("temperature has ", temperature.shape(0), " layers, another field ",
                        field->shape(0));
    if (surface_geopotential.shape(0) != points)
        throw Error("surface pressure has ", points, " points, surface geopotential ",
                    surface_geopotential.shape(0));
    const AirLayers given{whole(logarithm, points),
                          whole(temperature, points),
                          whole(virtual_temperature, points),
                          whole(geopotential, points),
                          log_surface_pressure.data(),
                          surface_geopotential.data(),
                          points};
    nb::gil_scoped_release nogil;
    new (self) BoundColumns{AirColumns(given), {}};
}

template <class Number> void bind_of(nb::class_<BoundColumns>& columns) {
    using B = BoundColumns;
    columns
        .def("__init__", init<Number>, "a"_a, "b"_a, "temperature"_a.noconvert(),
             "log_surface_pressure"_a.noconvert(), "surface_geopotential"_a.noconvert(),
             "humidity"_a.noconvert().none() = nb::none(), "is_virtual"_a = false)
        .def(
            "at",
            [](const B& b, const Levels<Number>& f, int order) {
                const auto values = whole(f, b.air.points);
                if (values.levels != b.air.layers)
                    throw Error("a field of ", values.levels, " layers; the column has ",
                                b.air.layers);
                return b.at_targets([&](double* out) { b.air.at(values, order, out); });
            },
            "values"_a.noconvert(), "order"_a = 3)
        .def(
            "relative_humidity",
            [](const B& b, const Levels<Number>& q) {
                const auto values = whole(q, b.air.points);
                if (values.levels != b.air.layers)
                    throw Error("humidity of ", values.levels, " layers; the column has ",
                                b.air.layers);
                return made(b.air.layers, b.air.points,
                            [&](double* out) { b.air.relative_humidity(values, out); });
            },
            "specific_humidity"_a.noconvert())
        .def(
            "where",
            [](const B& b, const Levels<Number>& f, double wanted, bool rising) {
                const auto values = whole(f, b.air.points);
                return made(1, b.air.points,
                            [&](double* out) { b.air.where(values, wanted, rising, out); });
            },
            "values"_a.noconvert(), "wanted"_a, "rising"_a);
}

void bind_columns(nb::module_& m) {
    using B = BoundColumns;
    nb::class_<B> columns(m, "AirColumns",
                          "Hydrostatic columns (levels, points), and fields at any ln p.");
    bind_of<double>(columns);
    bind_of<float>(columns);
    columns.def("__init__", init_of_layers, "logarithm"_a.noconvert(), "temperature"_a.noconvert(),
                "virtual_temperature"_a.noconvert(), "geopotential"_a.noconvert(),
                "log_surface_pressure"_a.noconvert(), "surface_geopotential"_a.noconvert());
    columns.def_prop_ro("logarithm", [](const B& b) { return b.field(b.air.x, b.air.layers); })
        .def_prop_ro("geopotential",
                     [](const B& b) { return b.field(b.air.geopotential, b.air.layers); })
        .def_prop_ro("temperature",
                     [](const B& b) { return b.field(b.air.temperature, b.air.layers); })
        .def_prop_ro("virtual_temperature",
                     [](const B& b) { return b.field(b.air.virtual_temperature, b.air.layers); })
        .def(
            "to",
            [](B& b, Levels<double> logarithms) {
                b.targets = logarithms;
                b.air.to(slab(logarithms, b.air.points));
            },
            "logarithms"_a.noconvert())
        .def(
            "at_geopotential",
            [](const B& b, const Levels<double>& wanted) {
                const auto values = slab(wanted, b.air.points);
                return made(values.levels, b.air.points,
                            [&](double* out) { b.air.at_geopotential(values, out); });
            },
            "geopotential"_a.noconvert())
        .def(
            "temperature_at",
            [](const B& b, int order) {
                return b.at_targets([&](double* out) { b.air.temperature_at(order, out); });
            },
            "order"_a = 3)
        .def("geopotential_at",
             [](const B& b) {
                 return b.at_targets([&](double* out) { b.air.geopotential_at(out); });
             })
        .def("mean_sea_level_pressure", [](const B& b) {
            return made(1, b.air.points, [&](double* out) { b.air.mean_sea_level_pressure(out); });
        });
}

void bind_layers(nb::module_& m) {
    m.def(
        "hydrostatic_layers",
        [](const Levels<double>& interfaces, const Levels<double>& virtual_temperature,
           const Points<double>& ground) {
            const std::size_t points = ground.shape(0), layers = virtual_temperature.shape(0);
            if (interfaces.shape(0) != layers + 1)
                throw Error(layers, " layers between ", interfaces.shape(0), " interfaces");
            const auto between = whole(interfaces, points), T = whole(virtual_temperature, points);
            return made(2 * layers, points, [&](double* out) {
                hydrostatic_layers(between, T, ground.data(), points, out, out + layers * points);
            });
        },
        "interfaces"_a.noconvert(), "virtual_temperature"_a.noconvert(),
        "surface_geopotential"_a.noconvert(),
        "ln p, then geopotential [m2 s-2], of layers (2 layers, points).");
}

template <class Number> void bind_places(nb::module_& m) {
    using Four = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Weights = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Factors = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    m.def(
        "at_places",
        [](const Levels<Number>& values, std::ptrdiff_t first, const Four& index,
           const Weights& weight, const std::optional<Factors>& factor) {
            const std::size_t places = index.shape(0);
            if (index.shape(1) != 4 || weight.shape(0) != places || weight.shape(1) != 4 ||
                (factor && (factor->shape(0) != places || factor->shape(1) != 4)))
                throw Error("four points, weights and factors of each place are wanted");
            if (values.shape(1) > 1 && values.stride(1) != 1)
                throw Error("points must lie one after another");
            for (std::size_t n = 0; n < 4 * places; ++n)
                if (index.data()[n] < first ||
                    std::size_t(index.data()[n] - first) >= values.shape(1))
                    throw Error("point ", index.data()[n], " is not among those from ", first,
                                " on, ", values.shape(1));
            const FourPoints around{index.data(), weight.data(), factor ? factor->data() : nullptr,
                                    places};
            return made(values.shape(0), places, [&](double* out) {
                at_places(values.data(), values.stride(0), int(values.shape(0)), first, around,
                          out);
            });
        },
        "values"_a.noconvert(), "first"_a, "index"_a.noconvert(), "weight"_a.noconvert(),
        "factor"_a.noconvert().none() = nb::none(),
        "Values (levels, places) from (levels, points), which are those from the first on.");
}

/// Computes f of arrays of equal length, in packs.
template <class Function, class... More>
nb::object each(const Function& f, const Points<double>& first, const More&... more) {
    if (((more.shape(0) != first.shape(0)) || ...)) throw Error("arrays differ in length");
    return made(1, first.shape(0), [&](double* out) {
        std::size_t n = 0;
        using Wide = Pack<double, cell_width<double>>;
        for (; n + Wide::width <= first.shape(0); n += Wide::width)
            f(Wide::load(first.data() + n), Wide::load(more.data() + n)...).store(out + n);
        for (; n < first.shape(0); ++n)
            f(Plain(first.data()[n]), Plain(more.data()[n])...).store(out + n);
    });
}

/// e_s = p q_s / (epsilon + (1 - epsilon) q_s) [Pa] at any pressure, and de_s/dT [Pa K-1].
template <class Real> struct AtSurface {
    Real vapour, slope;
};
template <class Real> AtSurface<Real> at_surface(Real T) {
    constexpr double p = 1e5, epsilon = physics::molar_ratio;
    const physics::Saturation<Real> s(T, Real(p));
    const Real rest = 1 / (epsilon + (1 - epsilon) * s.humidity);
    return {p * s.humidity * rest, epsilon * p * s.slope * (rest * rest)};
}

void bind_moist_air(nb::module_& m) {
    using P = Points<double>;
    m.def(
        "saturation_pressure",
        [](const P& T) { return each([](auto t) { return saturation_pressure(t); }, T); },
        "temperature"_a.noconvert());
    m.def(  // of the physics, over water above the triple point, over ice below
        "surface_vapour_pressure",
        [](const P& T) { return each([](auto t) { return at_surface(t).vapour; }, T); },
        "temperature"_a.noconvert());
    m.def(
        "surface_vapour_slope",
        [](const P& T) { return each([](auto t) { return at_surface(t).slope; }, T); },
        "temperature"_a.noconvert());
    m.def(
        "relative_humidity",
        [](const P& q, const P& T, const P& p) {
            return each([](auto x, auto t, auto y) { return relative_humidity(x, t, y); }, q, T, p);
        },
        "specific_humidity"_a.noconvert(), "temperature"_a.noconvert(), "pressure"_a.noconvert());
    m.def(
        "specific_humidity",
        [](const P& r, const P& T, const P& p) {
            return each([](auto x, auto t, auto y) { return specific_humidity(x, t, y); }, r, T, p);
        },
        "relative_humidity"_a.noconvert(), "temperature"_a.noconvert(), "pressure"_a.noconvert());
    m.def(
        "mean_sea_level_pressure",
        [](const P& p, const P& phi, const P& T) {
            return each([](auto x, auto y, auto t) { return mean_sea_level_pressure(x, y, t); }, p,
                        phi, T);
        },
        "surface_pressure"_a.noconvert(), "surface_geopotential"_a.noconvert(),
        "ground_temperature"_a.noconvert());
    m.def(
        "place_of",
        [](const P& value, const P& left, const P& right, const P& begin, const P& end) {
            return each(
                [](auto f, auto a, auto b, auto c, auto d) { return place_of(f, a, b, c, d); },
                value, left, right, begin, end);
        },
        "value"_a.noconvert(), "left"_a.noconvert(), "right"_a.noconvert(), "begin"_a.noconvert(),
        "end"_a.noconvert(), "Where in [0, 1] a cubic with these ends and slopes has a value.");
}

}  // namespace

void bind_post(nb::module_& m) {
    bind_between(m);
    bind_columns(m);
    bind_layers(m);
    bind_places<float>(m);
    bind_places<double>(m);
    bind_moist_air(m);
}
