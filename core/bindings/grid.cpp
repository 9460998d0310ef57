/// Grids for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include "base/error.hpp"
#include "grid/flood.hpp"
#include "grid/makers.hpp"
#include "grid/vertical.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

using Input = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Read-only, no copy.
template <class Owner>
nb::object view(const Owner& owner, const std::vector<double>& values,
                std::vector<std::size_t> shape) {
    return nb::cast(nb::ndarray<nb::numpy, const double>(values.data(), shape.size(), shape.data(),
                                                         nb::find(owner)),
                    nb::rv_policy::reference);
}
Plane plane(const Input& a) { return {a.data(), a.data() + a.size()}; }

void bind_horizontal_grid(nb::module_& m) {
    nb::class_<HorizontalGrid> grid(
        m, "HorizontalGrid", "Coordinates, lengths, areas and angles of the points of a grid.");
    grid.def_ro("nx", &HorizontalGrid::nx)
        .def_ro("ny", &HorizontalGrid::ny)
        .def_ro("periodic", &HorizontalGrid::periodic)
        .def_ro("periodic_j", &HorizontalGrid::periodic_j)
        .def_ro("fold", &HorizontalGrid::fold)
        .def_ro("spherical", &HorizontalGrid::spherical)
        .def_ro("radius", &HorizontalGrid::radius)
        .def_ro("regular_rows", &HorizontalGrid::regular_rows);
    auto property = [&](const char* name, Plane HorizontalGrid::* values, int more) {
        grid.def_prop_ro(name, [values, more](const HorizontalGrid& g) {
            return view(g, g.*values, {std::size_t(g.ny + more), std::size_t(g.nx + more)});
        });
    };
    property("corner_longitude", &HorizontalGrid::corner_longitude, 1);
    property("corner_latitude", &HorizontalGrid::corner_latitude, 1);
    property("center_longitude", &HorizontalGrid::center_longitude, 0);
    property("center_latitude", &HorizontalGrid::center_latitude, 0);
    property("kx", &HorizontalGrid::curvature_x, 0);
    property("ky", &HorizontalGrid::curvature_y, 0);
    nb::dict table;
    for (const Metric& metric : metrics) {
        property(metric.name, metric.values, 0);
        table[metric.name] = nb::make_tuple(metric.place, metric.units, metric.sign);
    }
    // name: (place, units, sign across a fold; 0: an angle, which is rotated by pi)
    m.attr("metrics") = table;
}

void bind_makers(nb::module_& m) {
    m.def(
        "latitude_longitude_grid",
        [](int nx, std::vector<double> latitudes, double west, double east, bool periodic,
           double radius) {
            return latitude_longitude_grid(
                {nx, std::move(latitudes), west, east, periodic, radius});
        },
        "nx"_a, "latitudes"_a, "west"_a = 0, "east"_a = 360, "periodic"_a = true,
        "radius"_a = constants::earth_radius);
    m.def(
        "cartesian_grid",
        [](std::vector<double> x, std::vector<double> y, bool periodic, bool periodic_j) {
            return cartesian_grid({std::move(x), std::move(y), periodic, periodic_j});
        },
        "x"_a, "y"_a, "periodic"_a = false, "periodic_j"_a = false);
    m.def(
        "dipole_grid",
        [](int nx, int ny, double south, double pole_longitude, double pole_latitude, double ring,
           MeridionalSpacing spacing, double radius) {
            return dipole_grid(
                {nx, ny, south, pole_longitude, pole_latitude, ring, spacing, radius});
        },
        "nx"_a, "ny"_a, "south"_a, "pole_longitude"_a, "pole_latitude"_a, "ring"_a, "spacing"_a,
        "radius"_a = constants::earth_radius);
    m.def(
        "tripolar_grid",
        [](int nx, int ny, double south, double join, double pole_longitude, double cap,
           MeridionalSpacing spacing, double radius) {
            return tripolar_grid({nx, ny, south, join, pole_longitude, cap, spacing, radius});
        },
        "nx"_a, "ny"_a, "south"_a, "join"_a, "pole_longitude"_a, "cap"_a, "spacing"_a,
        "radius"_a = constants::earth_radius);
    m.def(
        "curvilinear_grid",
        [](Input longitude, Input latitude, bool periodic, bool fold, double radius) {
            return curvilinear_grid(int(longitude.shape(1)) - 1, int(longitude.shape(0)) - 1,
                                    plane(longitude), plane(latitude), periodic, fold, radius);
        },
        "corner_longitude"_a.noconvert(), "corner_latitude"_a.noconvert(), "periodic"_a = false,
        "fold"_a = false, "radius"_a = constants::earth_radius);
}

/// Spacings and latitudes of rows; how far the angles of a grid are from 90 degrees.
void bind_rows(nb::module_& m) {
    nb::class_<MeridionalSpacing>(m, "MeridionalSpacing", "Shape of the spacing of rows.")
        .def(
            "__init__",
            [](MeridionalSpacing* self, double equatorial, double width, double polar) {
                new (self) MeridionalSpacing{equatorial, width, polar};
            },
            "equatorial"_a = 1, "width"_a = 10, "polar"_a = 0)
        .def("__call__", &MeridionalSpacing::operator(), "latitude"_a);

    m.def(
        "departure_from_right_angle",
        [](const HorizontalGrid& g) {
            auto* values = new Plane(departure_from_right_angle(g));
            return nb::ndarray<nb::numpy, double, nb::ndim<2>>(
                values->data(), {std::size_t(g.ny), std::size_t(g.nx)},
                nb::capsule(values, [](void* p) noexcept { delete (Plane*)p; }));
        },
        "grid"_a);
    m.def("uniform_latitudes", &uniform_latitudes, "south"_a, "north"_a, "ny"_a);
    m.def("mercator_latitudes", &mercator_latitudes, "south"_a, "north"_a, "ny"_a);
    m.def("stretched_latitudes", &stretched_latitudes, "south"_a, "north"_a, "ny"_a, "spacing"_a);
}

void bind_vertical_grid(nb::module_& m) {
    nb::class_<VerticalGrid>(m, "VerticalGrid", "Layers from the surface down.")
        .def_prop_ro("levels", &VerticalGrid::levels)
        .def_prop_ro("depth", &VerticalGrid::depth)
        .def_prop_ro(
            "thickness",
            [](const VerticalGrid& v) { return view(v, v.thickness, {v.thickness.size()}); })
        .def_prop_ro("interface_depth",
                     [](const VerticalGrid& v) {
                         return view(v, v.interface_depth, {v.interface_depth.size()});
                     })
        .def_prop_ro("layer_depth", [](const VerticalGrid& v) {
            return view(v, v.layer_depth, {v.layer_depth.size()});
        });
    m.def("levels_from_thickness", &levels_from_thickness, "thickness"_a);
    m.def("uniform_levels", &uniform_levels, "number"_a, "depth"_a);
    m.def("stretched_levels", &stretched_levels, "number"_a, "depth"_a, "surface"_a);
}

template <class Number>
nb::ndarray<nb::numpy, Number, nb::ndim<1>> owned(std::vector<Number>&& values) {
    auto* held = new std::vector<Number>(std::move(values));
    return {held->data(), {held->size()}, nb::capsule(held, [](void* p) noexcept {
                delete static_cast<std::vector<Number>*>(p);
            })};
}

void bind_flood(nb::module_& m) {
    using Numbers = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Heights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Marks = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "flood",
        [](const Heights& height, const Numbers& neighbours, const Marks& shore) {
            const std::size_t cells = height.size();
            if (neighbours.shape(0) != cells || shore.size() != cells)
                throw Error("height, neighbours and shore must be of as many cells");
            for (std::size_t k = 0; k < neighbours.size(); ++k)
                if (neighbours.data()[k] >= std::int64_t(cells))
                    throw Error("neighbours must be numbers of cells");
            Flooded found = flood({{height.data(), height.data() + cells},
                                   {neighbours.data(), neighbours.data() + neighbours.size()},
                                   {shore.data(), shore.data() + cells}});
            return nb::make_tuple(owned(std::move(found.height)), owned(std::move(found.source)),
                                  owned(std::move(found.order)));
        },
        "height"_a.noconvert(), "neighbours"_a.noconvert(), "shore"_a.noconvert());
}

}  // namespace

void bind_grid(nb::module_& m) {
    bind_rows(m);
    bind_horizontal_grid(m);
    bind_makers(m);
    bind_vertical_grid(m);
    bind_flood(m);
}
