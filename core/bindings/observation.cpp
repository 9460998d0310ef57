/// Observations for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>
#include "base/error.hpp"
#include "observation/bufr.hpp"
#include "observation/operators.hpp"
#include "observation/optimal_interpolation.hpp"
#include "observation/radiance.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

std::span<const std::uint8_t> bytes_of(const nb::bytes& b) {
    return {(const std::uint8_t*)b.data(), b.size()};
}

/// An array that takes over the vector's memory; (rows, columns) if columns > 0.
template <class T> nb::object array(std::vector<T>&& values, std::size_t columns = 0) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete (std::vector<T>*)p; });
    if (!columns)
        return nb::cast(
            nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(
        kept->data(), {kept->size() / columns, columns}, owner));
}

nb::dict as_dict(bufr::Rows&& r, const bufr::Roles& roles) {
    nb::dict d;
    d["report"] = array(std::move(r.report)), d["position"] = array(std::move(r.position));
    d["descriptor"] = array(std::move(r.descriptor)), d["value"] = array(std::move(r.value));
    d["slots"] = array(std::move(r.slots), std::size_t(roles.slot_count));
    d["message"] = array(std::move(r.message)), d["subset"] = array(std::move(r.subset));
    d["headers"] = array(std::move(r.headers), std::size_t(roles.header_count));
    d["names"] = nb::cast(r.names);
    return d;
}

template <class T, int dimensions>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
template <class A> auto span(const A& a) { return std::span(a.data(), a.size()); }

using observation::Batch;
using observation::Request;

/// The arrays passed to an operator; their shapes are checked.
struct Columns {
    Array<const double, 1> a, b;
    Array<const double, 2> columns;
    Array<const double, 1> ground, level, roughness;
    std::vector<Request> requests;

    Columns(Array<const double, 1> a_, Array<const double, 1> b_, Array<const double, 2> columns_,
            Array<const double, 1> ground_, Array<const double, 1> level_,
            Array<const double, 1> roughness_)
        : a(a_), b(b_), columns(columns_), ground(ground_), level(level_), roughness(roughness_) {
        const std::size_t count = columns.shape(0);
        if (a.size() < 3 || a.size() != b.size())
            throw Error("interfaces: a and b have ", a.size(), " and ", b.size(),
                        " numbers; the same, at least 3");
        if (columns.shape(1) != 4 * (a.size() - 1) + 2)
            throw Error("a column has ", columns.shape(1), " numbers; 4 of each of ", a.size() - 1,
                        " layers and 2 of the surface are needed");
        if (ground.size() != count || level.size() != count || roughness.size() != count)
            throw Error("ground, level and roughness: one number for each of ", count, " columns");
        for (std::size_t n = 0; n < count; ++n)
            requests.push_back({level.data()[n], roughness.data()[n]});
    }
    Batch batch() const { return {{span(a), span(b)}, span(columns), span(ground), requests}; }
};

void bind_operators(nb::module_& m) {
    using Vector = Array<const double, 1>;
    using Matrix = Array<const double, 2>;
    m.attr("observation_operators") = nb::cast(observation::kind_names());
    nb::class_<Columns>(m, "ObservedColumns",
                        "Columns (n, 4 layers + 2): temperature, humidity, winds of the layers "
                        "from the top down, surface pressure, skin temperature.")
        .def(nb::init<Vector, Vector, Matrix, Vector, Vector, Vector>(), "a"_a, "b"_a, "columns"_a,
             "ground"_a, "level"_a, "roughness"_a)
        .def(
            "apply",
            [](const Columns& c, const std::string& name, int threads) {
                std::vector<double> value(c.requests.size());
                apply(observation::kind_of(name), c.batch(), threads, value);
                return array(std::move(value));
            },
            "name"_a, "threads"_a = 1, "what is observed (n)")
        .def(
            "tangent",
            [](const Columns& c, const std::string& name, const Matrix& change, int threads) {
                if (change.shape(0) != c.columns.shape(0) || change.shape(1) != c.columns.shape(1))
                    throw Error("changes have another shape than the columns");
                std::vector<double> value(c.requests.size());
                tangent(observation::kind_of(name), c.batch(), span(change), threads, value);
                return array(std::move(value));
            },
            "name"_a, "change"_a, "threads"_a = 1, "its change (n) by those of the columns")
        .def(
            "adjoint",
            [](const Columns& c, const std::string& name, const Vector& value, int threads) {
                if (value.size() != c.requests.size())
                    throw Error(value.size(), " adjoints for ", c.requests.size(), " columns");
                std::vector<double> change(c.columns.size());
                adjoint(observation::kind_of(name), c.batch(), span(value), threads, change);
                return array(std::move(change), c.columns.shape(1));
            },
            "name"_a, "value"_a, "threads"_a = 1, "adjoints of the columns by those of the data");
}

/// Coefficients and scenes; their shapes are checked.
struct Radiometer {
    Array<const double, 1> pressure, temperature, humidity, frequency;
    Array<const double, 3> values;

    Radiometer(Array<const double, 1> pressure_, Array<const double, 1> temperature_,
               Array<const double, 1> humidity_, Array<const double, 1> frequency_,
               Array<const double, 3> values_)
        : pressure(pressure_),
          temperature(temperature_),
          humidity(humidity_),
          frequency(frequency_),
          values(values_) {
        const std::size_t layers = temperature.size();
        if (pressure.size() != layers + 1 || humidity.size() != layers ||
            values.shape(0) != frequency.size() || values.shape(1) != layers ||
            values.shape(2) != std::size_t(observation::predictors))
            throw Error("coefficients (channels, layers, ", observation::predictors,
                        ") do not fit their levels and channels");
    }
    observation::Coefficients coefficients() const {
        return {span(pressure), span(temperature), span(humidity), span(frequency), span(values)};
    }
    observation::Scenes scenes(const Array<const double, 2>& columns,
                               const Array<const std::int32_t, 1>& channel,
                               const Array<const double, 1>& emissivity,
                               const Array<const double, 1>& secant) const {
        const std::size_t count = columns.shape(0);
        if (columns.shape(1) != coefficients().width() || channel.size() != count ||
            emissivity.size() != count || secant.size() != count)
            throw Error("scenes: columns of ", coefficients().width(),
                        " numbers; for each a channel, an emissivity and a secant");
        for (const std::int32_t n : span(channel))
            if (n < 0 || n >= std::int32_t(frequency.size())) throw Error("no channel ", n);
        return {span(columns), span(channel), span(emissivity), span(secant)};
    }
};

void bind_radiances(nb::module_& m) {
    using Vector = Array<const double, 1>;
    using Matrix = Array<const double, 2>;
    using Channels = Array<const std::int32_t, 1>;
    m.attr("radiance_predictors") = observation::predictors;
    nb::class_<Radiometer>(m, "Radiometer", "Regression of microwave optical depths.")
        .def(nb::init<Vector, Vector, Vector, Vector, Array<const double, 3>>(), "pressure"_a,
             "temperature"_a, "humidity"_a, "frequency"_a, "values"_a)
        .def(
            "apply",
            [](const Radiometer& r, const Matrix& columns, const Channels& channel,
               const Vector& emissivity, const Vector& secant, int threads) {
                std::vector<double> value(columns.shape(0));
                radiance(r.coefficients(), r.scenes(columns, channel, emissivity, secant), threads,
                         value);
                return array(std::move(value));
            },
            "columns"_a, "channel"_a, "emissivity"_a, "secant"_a, "threads"_a = 1)
        .def(
            "tangent",
            [](const Radiometer& r, const Matrix& columns, const Channels& channel,
               const Vector& emissivity, const Vector& secant, const Matrix& change, int threads) {
                if (change.size() != columns.size()) throw Error("changes do not fit the columns");
                std::vector<double> value(columns.shape(0));
                radiance_tangent(r.coefficients(), r.scenes(columns, channel, emissivity, secant),
                                 span(change), threads, value);
                return array(std::move(value));
            },
            "columns"_a, "channel"_a, "emissivity"_a, "secant"_a, "change"_a, "threads"_a = 1)
        .def(
            "adjoint",
            [](const Radiometer& r, const Matrix& columns, const Channels& channel,
               const Vector& emissivity, const Vector& secant, const Vector& value, int threads) {
                if (value.size() != columns.shape(0)) throw Error("adjoints do not fit");
                std::vector<double> change(columns.size());
                radiance_adjoint(r.coefficients(), r.scenes(columns, channel, emissivity, secant),
                                 span(value), threads, change);
                return array(std::move(change), columns.shape(1));
            },
            "columns"_a, "channel"_a, "emissivity"_a, "secant"_a, "value"_a, "threads"_a = 1);
}

void bind_optimal_interpolation(nb::module_& m) {
    using Vector = Array<const double, 1>;
    using Directions = Array<const double, 2>;
    m.def(
        "interpolate_optimally",
        [](double length, double height, double background_error, const Directions& targets,
           const Vector& target_height, const Directions& observations,
           const Vector& observation_height, const Vector& departure, const Vector& error,
           const Array<const std::int32_t, 2>& neighbours, int threads) {
            const std::size_t count = targets.shape(0), data = observations.shape(0);
            if (target_height.size() != count || neighbours.shape(0) != count ||
                observation_height.size() != data || departure.size() != data ||
                error.size() != data)
                throw Error("places, heights, departures and neighbours do not fit");
            for (const std::int32_t n : span(neighbours))
                if (n < -1 || n >= std::int32_t(data)) throw Error("no observation ", n);
            std::vector<double> increment(count), deviation(count);
            {
                nb::gil_scoped_release nogil;
                interpolate_optimally(
                    {length, height, background_error}, {span(targets), span(target_height)},
                    {span(observations), span(observation_height)}, span(departure), span(error),
                    span(neighbours), threads, increment, deviation);
            }
            return nb::make_tuple(array(std::move(increment)), array(std::move(deviation)));
        },
        "length"_a, "height"_a, "background_error"_a, "targets"_a, "target_height"_a,
        "observations"_a, "observation_height"_a, "departure"_a, "error"_a, "neighbours"_a,
        "threads"_a = 1, "increments at the targets and the deviations of their errors");
}

void bind_descriptions(nb::module_& m) {
    using Elements = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    nb::class_<bufr::Tables>(m, "BufrTables",
                             "Tables B and D of BUFR: elements (n, 6): descriptor, scale, "
                             "reference, width, text, code.")
        .def(
            "__init__",
            [](bufr::Tables* self, const Elements& e,
               const std::unordered_map<int, std::vector<int>>& sequences) {
                new (self) bufr::Tables;
                for (std::size_t n = 0; n < e.shape(0); ++n)
                    self->elements[int(e(n, 0))] = {int(e(n, 1)), int(e(n, 3)), e(n, 2),
                                                    e(n, 4) != 0, e(n, 5) != 0};
                self->sequences = sequences;
            },
            "elements"_a.noconvert(), "sequences"_a);
    nb::class_<bufr::Message>(m, "BufrMessage", "What sections 0, 1 and 3 of a message say.")
        .def_ro("offset", &bufr::Message::offset)
        .def_ro("length", &bufr::Message::length)
        .def_ro("edition", &bufr::Message::edition)
        .def_ro("category", &bufr::Message::category)
        .def_ro("centre", &bufr::Message::centre)
        .def_ro("subcentre", &bufr::Message::subcentre)
        .def_ro("version", &bufr::Message::version)
        .def_ro("local", &bufr::Message::local)
        .def_ro("subsets", &bufr::Message::subsets)
        .def_ro("problem", &bufr::Message::problem);
    nb::class_<bufr::Roles>(m, "BufrRoles", "Which descriptors are coordinates, headers, data.")
        .def(
            "__init__",
            [](bufr::Roles* self, std::unordered_map<int, int> slots,
               std::unordered_map<int, int> headers, std::unordered_map<int, int> names,
               const std::vector<int>& observed, int slot_count, int header_count, int name_count) {
                new (self) bufr::Roles{std::move(slots), std::move(headers), std::move(names), {},
                                       slot_count,       header_count,       name_count};
                for (const int d : observed) self->observed[d] = 1;
            },
            "slots"_a, "headers"_a, "names"_a, "observed"_a, "slot_count"_a, "header_count"_a,
            "name_count"_a);
}

}  // namespace

void bind_observation(nb::module_& m) {
    bind_descriptions(m);
    bind_optimal_interpolation(m);
    bind_operators(m);
    bind_radiances(m);
    m.def(
        "bufr_index",
        [](const nb::bytes& file, int part, int parts) {
            nb::gil_scoped_release nogil;
            return bufr::index(bytes_of(file), part, parts);
        },
        "file"_a, "part"_a = 0, "parts"_a = 1,
        "the messages of a file's bytes, or one of some parts of them with equally many bytes");
    m.def(
        "bufr_read",
        [](const nb::bytes& file, const std::vector<bufr::Message>& messages,
           const std::vector<const bufr::Tables*>& tables, const bufr::Roles& roles, int threads) {
            bufr::Rows rows;
            std::vector<std::string> problems;
            {
                nb::gil_scoped_release nogil;
                problems = bufr::read(bytes_of(file), messages, tables, roles, threads, rows);
            }
            return nb::make_tuple(as_dict(std::move(rows), roles), problems);
        },
        "file"_a, "messages"_a, "tables"_a, "roles"_a, "threads"_a = 1,
        "rows of data and, for each message, what is wrong with it");
}
