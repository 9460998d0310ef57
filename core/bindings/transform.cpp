/// Gaussian grids and the transforms of sphere and plane for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <deque>
#include "base/error.hpp"
#include "bindings/device_blocks.hpp"
#include "transform/plane/bi_fourier.hpp"
#include "transform/sphere/between_levels.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

template <class T> nb::object view(nb::handle owner, const std::vector<T>& values) {
    return nb::cast(
        nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner));
}

/// A list of items, which keeps their arrays and slabs in memory.
template <class Number> struct Items {
    using Transform = RowTransform<Number>;
    using Array = nb::ndarray<nb::numpy, Number, nb::ndim<3>, nb::device::cpu>;
    std::vector<typename Transform::Item> list;
    std::deque<FieldSlab> slabs;
    std::vector<Array> kept;
    std::size_t waves;

    Coefficients<Number> coefficients(const Array& a) {
        if (a.shape(0) != waves || a.shape(1) != 2 || a.stride(2) != 1 ||
            a.stride(0) != 2 * a.stride(1))
            throw Error("coefficients are an array (", waves,
                        ", 2, fields), fields side by side; given (", a.shape(0), ", ", a.shape(1),
                        ", ", a.shape(2), ")");
        kept.push_back(a);
        return {a.data(), a.stride(1)};
    }
    const FieldSlab* slab(const std::optional<std::vector<Array>>& blocks, std::size_t levels) {
        if (!blocks) return nullptr;
        FieldSlab& s = slabs.emplace_back();
        s.levels = int(levels);
        for (auto& a : *blocks) {
            if (a.shape(1) != levels || a.stride(2) != 1)
                throw Error("a block is an array (rows, ", levels,
                            ", columns), columns side by side; given (", a.shape(0), ", ",
                            a.shape(1), ", ", a.shape(2), ")");
            s.at.push_back((std::byte*)a.data()), s.row.push_back(a.stride(0)),
                s.level.push_back(a.stride(1));
            kept.push_back(a);
        }
        return &s;
    }
};

/// Runs a transform of items on a device, so many times; their arrays are copied there and back.
/// Returns the seconds of each time, without those copies.
template <class Number, class Transform>
std::vector<double> seconds_there(Transform& transform, const Items<Number>& items,
                                  const std::shared_ptr<Device>& device, int repetitions,
                                  void (Transform::*way)(Device&, typename Transform::Items)) {
    DeviceBlocks arrays;
    arrays.device = device;
    for (auto& a : items.kept) arrays.there((std::byte*)a.data(), a);
    std::deque<FieldSlab> slabs;
    const auto slab = [&](const FieldSlab* here) -> const FieldSlab* {
        if (!here) return nullptr;
        FieldSlab& s = slabs.emplace_back(*here);
        for (auto& at : s.at) at = arrays.there(at);
        return &s;
    };
    auto list = items.list;
    for (auto& item : list) {
        for (auto* f : {&item.first, &item.second})
            f->at = (Number*)arrays.there((std::byte*)f->at);
        for (const FieldSlab** f : {&item.field, &item.east, &item.north}) *f = slab(*f);
    }
    std::vector<double> seconds;
    for (int n = 0; n < repetitions; ++n) {
        device->mark(0);
        (transform.*way)(*device, list);
        device->mark(1), device->wait();
        seconds.push_back(device->between(0, 1));
    }
    arrays.back();
    return seconds;
}

template <class Number> void bind_items(nb::module_& m, const char* name) {
    using Transform = RowTransform<Number>;
    using List = Items<Number>;
    using Blocks = std::vector<typename List::Array>;
    nb::class_<List>(m, name,
                     "What is transformed in one call; blocks of fields are arrays (rows, levels, "
                     "columns) with any strides, coefficients arrays (waves, 2, levels).")
        .def(
            "__init__",
            [](List* self, const Transform& t) { new (self) List{{}, {}, {}, t.own().size()}; },
            "transform"_a)
        .def(
            "scalar",
            [](List& l, const typename List::Array& f, const Blocks& field) {
                l.list.push_back(Transform::scalar(l.coefficients(f), *l.slab(field, f.shape(2))));
            },
            "coefficients"_a, "field"_a)
        .def(
            "gradient",
            [](List& l, const typename List::Array& f, const std::optional<Blocks>& field,
               const std::optional<Blocks>& east, const std::optional<Blocks>& north) {
                const std::size_t n = f.shape(2);
                l.list.push_back(Transform::gradient(l.coefficients(f), l.slab(field, n),
                                                     l.slab(east, n), l.slab(north, n)));
            },
            "coefficients"_a, "field"_a.none(), "east"_a.none(), "north"_a.none())
        .def(
            "wind",
            [](List& l, const typename List::Array& vorticity,
               const typename List::Array& divergence, const Blocks& east, const Blocks& north) {
                const std::size_t n = vorticity.shape(2);
                if (divergence.shape(2) != n)
                    throw Error("vorticity of ", n, " levels and divergence of ",
                                divergence.shape(2));
                l.list.push_back(Transform::wind(l.coefficients(vorticity),
                                                 l.coefficients(divergence), *l.slab(east, n),
                                                 *l.slab(north, n)));
            },
            "vorticity"_a, "divergence"_a, "east"_a, "north"_a);
}

template <class Number> void bind_ways_on_device(nb::class_<RowTransform<Number>>& ways) {
    using Transform = RowTransform<Number>;
    using List = Items<Number>;
    ways.def(
            "inverse_on",
            [](Transform& t, const std::shared_ptr<Device>& device, const List& l,
               int repetitions) {
                return seconds_there(t, l, device, repetitions, &Transform::inverse);
            },
            "device"_a, "items"_a, "repetitions"_a = 1,
            "inverse on a device: the seconds of each repetition, without copies of arrays")
        .def(
            "direct_on",
            [](Transform& t, const std::shared_ptr<Device>& device, const List& l,
               int repetitions) {
                return seconds_there(t, l, device, repetitions, &Transform::direct);
            },
            "device"_a, "items"_a, "repetitions"_a = 1,
            "direct on a device: the seconds of each repetition, without copies of arrays");
}

/// Both transforms and their adjoints.
template <class Number> void bind_ways(nb::module_& m, const char* name) {
    using Transform = RowTransform<Number>;
    using List = Items<Number>;
    nb::class_<Transform> ways(m, name, "What the transforms of sphere and plane share.");
    bind_ways_on_device<Number>(ways);
    ways.def(
            "inverse",
            [](Transform& t, const List& l) {
                nb::gil_scoped_release nogil;
                t.inverse(l.list);
            },
            "items"_a, "coefficients -> fields")
        .def(
            "direct",
            [](Transform& t, const List& l) {
                nb::gil_scoped_release nogil;
                t.direct(l.list);
            },
            "items"_a, "fields -> coefficients")
        .def(
            "inverse_adjoint",
            [](Transform& t, const List& l) {
                nb::gil_scoped_release nogil;
                t.inverse_adjoint(l.list);
            },
            "items"_a, "fields -> coefficients: the transpose of inverse")
        .def(
            "direct_adjoint",
            [](Transform& t, const List& l) {
                nb::gil_scoped_release nogil;
                t.direct_adjoint(l.list);
            },
            "items"_a, "coefficients -> fields: the transpose of direct")
        .def_prop_ro(
            "own",
            [](const Transform& t) {
                int* data = new int[2 * t.own().size()];
                for (std::size_t i = 0; i < t.own().size(); ++i)
                    data[2 * i] = t.own()[i].m, data[2 * i + 1] = t.own()[i].n;
                return nb::cast(nb::ndarray<nb::numpy, int, nb::ndim<2>>(
                    data, {t.own().size(), 2},
                    nb::capsule(data, [](void* p) noexcept { delete[] (int*)p; })));
            },
            "(m, n) of this rank's coefficients")
        .def_prop_ro("flops_of_field", &Transform::flops_of_field,
                     "of the sums within the wavenumbers of one field, one way, on this rank");
}

template <class Number> nb::dict seconds(const RowTransform<Number>& t, const char* within) {
    nb::dict d;
    d[within] = t.spent.within.seconds, d["fourier"] = t.spent.fourier.seconds,
    d["transposition"] = t.spent.transposition.seconds;
    return d;
}
template <class Number> nb::dict work(const RowTransform<Number>& t, const char* within) {
    nb::dict d;
    const auto of = [](const Spent& s) { return nb::make_tuple(s.operations, s.bytes); };
    d[within] = of(t.spent.within), d["fourier"] = of(t.spent.fourier),
    d["transposition"] = of(t.spent.transposition);
    return d;
}

template <class Number> void bind_sphere(nb::module_& m, const char* name) {
    using Transform = SphericalHarmonics<Number>;
    nb::class_<Transform, RowTransform<Number>>(
        m, name, "Fields on a Gaussian grid <-> coefficients of a triangular truncation.")
        .def(
            "__init__",
            [](Transform* self, int comm, const GaussianGrid& grid, int truncation,
               const Decomposition& d, double radius, int fields, int threads, std::size_t table) {
                new (self) Transform(MPI_Comm_f2c(comm), grid, truncation, d,
                                     {radius, fields, threads, table});
            },
            "comm"_a, "grid"_a, "truncation"_a, "decomposition"_a,
            "radius"_a = constants::earth_radius, "fields"_a = 0, "threads"_a = 0,
            "table"_a = TransformOptions().table)
        .def_prop_ro("seconds", [](const Transform& t) { return seconds(t, "legendre"); })
        .def_prop_ro(
            "work", [](const Transform& t) { return work(t, "legendre"); },
            "(operations, bytes) so far, of this rank: each number is read once and written once")
        .def_prop_ro("table_bytes", &Transform::table_bytes);
}

template <class Number> void bind_plane(nb::module_& m, const char* name) {
    using Transform = BiFourier<Number>;
    nb::class_<Transform, RowTransform<Number>>(
        m, name, "Periodic fields on a plane <-> coefficients of an elliptic truncation.")
        .def(
            "__init__",
            [](Transform* self, int comm, std::pair<int, int> points,
               std::pair<int, int> truncation, std::pair<double, double> lengths,
               const Decomposition& d, int fields, int threads) {
                new (self) Transform(MPI_Comm_f2c(comm),
                                     {points.first, points.second, truncation.first,
                                      truncation.second, lengths.first, lengths.second},
                                     d, {fields, threads});
            },
            "comm"_a, "points"_a, "truncation"_a, "lengths"_a, "decomposition"_a, "fields"_a = 0,
            "threads"_a = 0)
        .def_prop_ro("seconds", [](const Transform& t) { return seconds(t, "columns"); });
}

void bind_gaussian_grid(nb::module_& m) {
    nb::class_<GaussianGrid>(m, "GaussianGrid", "Rows of a Gaussian grid, from south to north.")
        .def_prop_ro("sine",
                     [](nb::handle_t<GaussianGrid> g) {
                         return view(g, nb::cast<const GaussianGrid&>(g).sine);
                     })
        .def_prop_ro("cosine",
                     [](nb::handle_t<GaussianGrid> g) {
                         return view(g, nb::cast<const GaussianGrid&>(g).cosine);
                     })
        .def_prop_ro(
            "weight",
            [](nb::handle_t<GaussianGrid> g) {
                return view(g, nb::cast<const GaussianGrid&>(g).weight);
            },
            "adds up to 1")
        .def_prop_ro("points",
                     [](nb::handle_t<GaussianGrid> g) {
                         return view(g, nb::cast<const GaussianGrid&>(g).points);
                     })
        .def("stretched", &GaussianGrid::stretched, "c"_a,
             "the same points on a sphere that is stretched")
        .def_prop_ro("rows", &GaussianGrid::rows)
        .def_prop_ro("longest", &GaussianGrid::longest)
        .def_prop_ro("size", &GaussianGrid::size);
    m.def("full_gaussian_grid", &full_gaussian_grid, "rows"_a, "points"_a);
    m.def("octahedral_gaussian_grid", &octahedral_gaussian_grid, "rows"_a);
    m.def("classical_gaussian_grid", &classical_gaussian_grid, "rows"_a, "truncation"_a, "order"_a);
    m.def("full_gaussian_grid_of", &full_gaussian_grid_of, "truncation"_a, "order"_a);
    m.def("octahedral_gaussian_grid_of", &octahedral_gaussian_grid_of, "truncation"_a);
    m.def("classical_gaussian_grid_of", &classical_gaussian_grid_of, "truncation"_a, "order"_a);
}

void bind_distribution(nb::module_& m) {
    nb::class_<Distribution>(m, "WaveDistribution",
                             "Who owns which rows and which zonal wavenumbers, as rank 0 knows it.")
        .def(
            "__init__",
            [](Distribution* self, const GaussianGrid& grid, int truncation,
               const Decomposition& d) {
                new (self)
                    Distribution(grid.points, truncation,
                                 Legendre<double>::waves_of_rows(grid, truncation + 1), d, 0);
            },
            "grid"_a, "truncation"_a, "decomposition"_a)
        .def(
            "__init__",
            [](Distribution* self, int points, int rows, int truncation, const Decomposition& d) {
                const std::vector<int> all((rows + 1) / 2, truncation);
                new (self) Distribution(std::vector<int>(rows, points), truncation, all, d, 0);
            },
            "points"_a, "rows"_a, "truncation"_a, "decomposition"_a,
            "Of a plane, all of whose rows know all waves.")
        .def_prop_ro(
            "row_rank",
            [](nb::handle_t<Distribution> d) {
                return view(d, nb::cast<const Distribution&>(d).row_rank);
            },
            "owner of each row")
        .def_prop_ro(
            "first_row",
            [](nb::handle_t<Distribution> d) {
                return view(d, nb::cast<const Distribution&>(d).first_row);
            },
            "southernmost row that knows each m")
        .def_static("waves_of_rank", &Distribution::waves_of_rank, "truncation"_a, "ranks"_a,
                    "rank"_a);
}

void bind_between_levels(nb::module_& m) {
    using Rows = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
    using Matrices = nb::ndarray<nb::numpy, const double, nb::ndim<3>, nb::c_contig>;
    using Places = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>, nb::c_contig>;
    m.def(
        "between_levels",
        [](nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig> x, Matrices V,
           Places place, Rows out, bool scatter) {
            const std::size_t degrees = V.shape(0), rows = degrees * degrees;
            if (x.shape(1) != V.shape(1) || out.shape(1) != V.shape(2) || place.shape(0) != rows ||
                (scatter ? x.shape(0) : out.shape(0)) < rows)
                throw Error("between_levels: ", x.shape(0), " rows of ", x.shape(1), ", matrices ",
                            V.shape(1), " x ", V.shape(2), ", ", out.shape(0), " rows of ",
                            out.shape(1));
            BetweenLevels{x.data(),     V.data(),        place.data(),    out.data(),
                          int(degrees), int(V.shape(1)), int(V.shape(2)), scatter}
                .run();
        },
        "x"_a, "matrices"_a, "place"_a, "out"_a, "scatter"_a,
        "out_r = f x_r V_n of the rows r of each degree n (between_levels.hpp)");
}

}  // namespace

void bind_transform(nb::module_& m) {
    bind_gaussian_grid(m);
    bind_distribution(m);
    bind_between_levels(m);
    bind_items<double>(m, "TransformItems64");
    bind_items<float>(m, "TransformItems32");
    bind_ways<double>(m, "RowTransform64");
    bind_ways<float>(m, "RowTransform32");
    bind_sphere<double>(m, "SphericalHarmonics64");
    bind_sphere<float>(m, "SphericalHarmonics32");
    bind_plane<double>(m, "BiFourier64");
    bind_plane<float>(m, "BiFourier32");
}
