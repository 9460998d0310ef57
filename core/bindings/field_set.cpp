/// Field sets for Python: values in and out, vector operations, and the numbers that describe a
/// state. No logic except to fit the arrays.
#include "field/field_set.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include "field/diagnostics.hpp"
#include "field/slices.hpp"
#include "sequence/step_program.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

template <class T> using Array = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

/// (levels, ny, nx) of a block from its point (j0, i0) on, a copy.
template <class T>
nb::object part(const Field& f, int b, int h, std::size_t j0, std::size_t i0, std::size_t ny,
                std::size_t nx) {
    T* data = new T[f.levels * ny * nx];
    nb::capsule owner(data, [](void* p) noexcept { delete[] (T*)p; });
#pragma omp parallel for schedule(static) if (f.levels * ny * nx > 100000)
    for (int k = 0; k < f.levels; ++k)
        for (std::size_t j = 0; j < ny; ++j)
            for (std::size_t i = 0; i < nx; ++i)
                data[(k * ny + j) * nx + i] =
                    ((const T*)f.at[b])[(j + j0 + h) * f.row[b] + k * f.level[b] + i + i0 + h];
    return nb::cast(Array<T>(data, {std::size_t(f.levels), ny, nx}, owner));
}

nb::object part(const FieldSet& s, const Field& f, int b, int j0, int i0, int ny, int nx) {
    const int h = f.place == place::profile ? 0 : s.domain().halo;
    return s.bytes() == 4 ? part<float>(f, b, h, j0, i0, ny, nx)
                          : part<double>(f, b, h, j0, i0, ny, nx);
}

void check_that_it_stays(const Field& f) {
    if (!f.stays())
        throw Error("'", f.name,
                    "' lives only within a step; it stays where an output asks for it");
}

/// levels: the first ones; 0: all.
nb::list windows(const FieldSet& s, const std::string& name, int levels) {
    const int n = s.layout->index(name);
    const Field& f = s.fields()[n];
    check_that_it_stays(f);
    if (levels < 0 || levels > f.levels)
        throw Error("'", name, "' has ", f.levels, " levels, asked for ", levels);
    const std::size_t count = levels ? levels : f.levels;
    auto* all = new std::vector<std::byte>(first_levels(s, n, int(count)));
    const nb::capsule owner(all, [](void* p) noexcept { delete (std::vector<std::byte>*)p; });
    const std::byte* at = all->data();
    nb::list list;
    for (auto& block : s.domain().blocks) {
        const bool profile = f.place == place::profile;
        const std::size_t ny = profile ? 1 : block->ny, nx = profile ? 1 : block->nx;
        const auto view = [&]<class T>(T) {
            list.append(nb::cast(Array<T>((T*)at, {count, ny, nx}, owner)));
            at += count * ny * nx * sizeof(T);
        };
        s.bytes() == 4 ? view(float()) : view(double());
    }
    return list;
}

/// Of the points (j, i) of the global grid those that this rank has; 0 elsewhere.
nb::object columns_at(const FieldSet& s, const std::string& name, const std::vector<int>& rows,
                      const std::vector<int>& points, int levels) {
    const int n = s.layout->index(name);
    const Field& f = s.fields()[n];
    check_that_it_stays(f);
    if (rows.size() != points.size() || levels < 1 || levels > f.levels)
        throw Error("columns of '", name, "': ", rows.size(), " rows, ", points.size(), " points, ",
                    levels, " levels of ", f.levels);
    std::vector<OwnPoint> mine;
    std::vector<std::size_t> place;
    for (std::size_t m = 0; m < rows.size(); ++m)
        for (int b = 0; b < int(s.domain().blocks.size()); ++b) {
            const Block& block = *s.domain().blocks[b];
            const int j = rows[m] - block.j0, i = points[m] - block.i0;
            if (j < 0 || j >= block.ny || i < 0 || i >= block.nx) continue;
            mine.push_back({b, j, i}), place.push_back(m);
        }
    const auto found = columns(s, n, mine, levels);
    auto* data = new double[levels * rows.size()]();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
    for (int k = 0; k < levels; ++k)
        for (std::size_t m = 0; m < mine.size(); ++m)
            data[k * rows.size() + place[m]] = found[k * mine.size() + m];
    return nb::cast(Array<double>(data, {std::size_t(levels), rows.size()}, owner));
}

nb::list contents_of_columns(const FieldSet& s, const std::string& name) {
    nb::list list;
    const auto found = column_contents(s, name);
    for (std::size_t b = 0; b < found.size(); ++b) {
        const std::size_t ny = s.domain().blocks[b]->ny, nx = s.domain().blocks[b]->nx;
        double* data = new double[ny * nx];
        nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
        std::ranges::copy(found[b], data);
        list.append(nb::cast(Array<double>(data, {ny, nx}, owner)));
    }
    return list;
}

nb::object checked_part(const FieldSet& s, const std::string& name, int b, int j0, int i0, int ny,
                        int nx) {
    const Field& f = s[name];
    const auto& blocks = s.domain().blocks;
    if (b < 0 || b >= int(blocks.size()) || std::min({j0, i0, ny, nx}) < 0 ||
        j0 + ny > blocks[b]->ny || i0 + nx > blocks[b]->nx || f.place == place::profile ||
        !f.stays())
        throw Error("no part (", j0, ", ", i0, ", ", ny, ", ", nx, ") of block ", b, " of '", name,
                    "'");
    return part(s, f, b, j0, i0, ny, nx);
}

void set(FieldSet& s, const std::string& name, Array<const double> values, int first_level,
         bool nearest_outside) {
    const Field& f = s[name];
    const auto& t = s.domain().decomposition.topology;
    const int levels = values.ndim() == 3 ? int(values.shape(0)) : 1;
    if (values.ndim() < 2 || int(values.shape(values.ndim() - 1)) != t.nx ||
        int(values.shape(values.ndim() - 2)) != t.ny || first_level < 0 ||
        first_level + levels > f.levels)
        throw Error("'", name, "' takes an array (", f.levels, ", ", t.ny, ", ", t.nx, ") or (",
                    t.ny, ", ", t.nx, ") from level ", first_level);
    nb::gil_scoped_release nogil;
    s.set(name, values.data(), first_level, levels, nearest_outside);
}

/// Throws Error where the fields of two sets are not at the same points.
void check_same_points(const FieldSet& s, const FieldSet& x) {
    const auto text = [](const FieldSet& set) {
        const auto& t = set.domain().decomposition.topology;
        return std::to_string(t.nx) + " x " + std::to_string(t.ny) + " x " +
               std::to_string(set.domain().levels);
    };
    const auto own = [](const FieldSet& set) {
        std::vector<std::array<int, 4>> all;
        for (auto& b : set.domain().blocks) all.push_back({b->j0, b->i0, b->ny, b->nx});
        return all;
    };
    if (&s.domain() == &x.domain()) return;
    if (text(s) != text(x) || s.domain().wet_levels != x.domain().wet_levels)
        throw Error("fields of another grid: ", text(x), " points; those of this set have ",
                    text(s),
                    s.domain().wet_levels != x.domain().wet_levels && text(s) == text(x)
                        ? ", and other points in the sea"
                        : "");
    if (own(s) != own(x) || s.domain().halo != x.domain().halo)
        throw Error("fields of the same grid on other blocks: copy them with gather and scatter");
}

/// Calls body(first byte, bytes) for each block of each field, halos included.
template <class Body> void each_block(const FieldSet& s, const FieldSet::Names& names, Body body) {
    for (auto& name : names) {
        const Field& f = s[name];
        if (f.place == place::profile || !f.stays())
            throw Error("'", name, "' is no field that stays");
        for (std::size_t b = 0; b < f.at.size(); ++b)
            body(f.at[b], s.domain().rows_of(int(b)) * f.row[b] * s.bytes());
    }
}
nb::bytes stored(const FieldSet& s, const FieldSet::Names& names) {
    std::string all;
    each_block(s, names, [&](const std::byte* at, std::size_t n) { all.append((char*)at, n); });
    return nb::bytes(all.data(), all.size());
}
void recall(FieldSet& s, const FieldSet::Names& names, const nb::bytes& from) {
    std::size_t begin = 0, size = 0;
    each_block(s, names, [&](const std::byte*, std::size_t n) { size += n; });
    if (size != from.size())
        throw Error("a stored state of ", from.size(), " bytes; these fields have ", size);
    for (auto& name : names) s.changed_here(s.layout->index(name));
    each_block(s, names, [&](std::byte* at, std::size_t n) {
        std::memcpy(at, from.c_str() + begin, n);
        begin += n;
    });
}

/// Own points of a block, (levels, ny, nx); its halo is not changed.
void put(FieldSet& s, const std::string& name, int b, Array<const double> values) {
    const Field& f = s[name];
    const auto& blocks = s.domain().blocks;
    if (b < 0 || b >= int(blocks.size())) throw Error("no block ", b, " of '", name, "'");
    const std::size_t ny = blocks[b]->ny, nx = blocks[b]->nx, levels = f.levels;
    if (values.ndim() != 3 || values.shape(0) != levels || values.shape(1) != ny ||
        values.shape(2) != nx || f.place == place::profile || !f.stays())
        throw Error("block ", b, " of '", name, "' takes an array (", levels, ", ", ny, ", ", nx,
                    ")");
    s.changed_here(s.layout->index(name));
    const int h = s.domain().halo;
    const auto fill = [&]<class T>(T*) {
#pragma omp parallel for schedule(static) if (levels * ny * nx > 100000)
        for (std::size_t j = 0; j < ny; ++j)
            for (std::size_t k = 0; k < levels; ++k)
                std::copy_n(values.data() + (k * ny + j) * nx, nx,
                            (T*)f.at[b] + (j + h) * f.row[b] + k * f.level[b] + h);
    };
    s.bytes() == 4 ? fill((float*)nullptr) : fill((double*)nullptr);
}

/// Calls body(block, row, point in it, m) for the points (j, i) of the global grid that are here.
template <class Body>
void each_own(const FieldSet& s, const std::vector<int>& rows, const std::vector<int>& points,
              Body body) {
    for (std::size_t b = 0; b < s.domain().blocks.size(); ++b) {
        const Block& block = *s.domain().blocks[b];
        for (std::size_t m = 0; m < rows.size(); ++m) {
            const int j = rows[m] - block.j0, i = points[m] - block.i0;
            if (j >= 0 && j < block.ny && i >= 0 && i < block.nx) body(b, j, i, m);
        }
    }
}

/// Values (levels, columns) at points of the global grid, those of this rank; halos stay.
void put_columns(FieldSet& s, const std::string& name, const std::vector<int>& rows,
                 const std::vector<int>& points, Array<const double> values) {
    const Field& f = s[name];
    const std::size_t count = rows.size(), levels = f.levels;
    if (values.ndim() != 2 || values.shape(0) != levels || values.shape(1) != count ||
        points.size() != count || f.place == place::profile || !f.stays())
        throw Error("columns of '", name, "': ", count, " rows, ", points.size(),
                    " points; values (", levels, ", ", count, ") are wanted");
    s.changed_here(s.layout->index(name));
    const int h = s.domain().halo;
    const auto fill = [&]<class T>(T*) {
        each_own(s, rows, points, [&](std::size_t b, int j, int i, std::size_t m) {
            T* const at = (T*)f.at[b] + (j + h) * f.row[b] + i + h;
            for (std::size_t k = 0; k < levels; ++k)
                at[k * f.level[b]] = T(values.data()[k * count + m]);
        });
    };
    s.bytes() == 4 ? fill((float*)nullptr) : fill((double*)nullptr);
}

nb::list describe(std::span<const Field> fields) {
    nb::list list;
    for (auto& f : fields) {
        nb::dict d;
        d["name"] = f.name;
        d["units"] = f.units;
        d["horizontal"] = name(f.place.horizontal);
        d["vertical"] = f.place == place::profile ? "profile" : name(f.place.vertical);
        d["vector"] = f.place.vector;
        d["levels"] = f.levels;
        d["written"] = f.written;
        d["state"] = f.state;
        d["scratch"] = f.scratch;
        d["stays"] = f.stays();
        list.append(d);
    }
    return list;
}

nb::tuple at(const Extremes::At& a) { return nb::make_tuple(a.k, a.j, a.i); }

nb::dict describe(const Extremes& e) {
    nb::dict d;
    d["minimum"] = e.minimum;
    d["maximum"] = e.maximum;
    d["mean"] = e.mean;
    d["at_minimum"] = at(e.at_minimum);
    d["at_maximum"] = at(e.at_maximum);
    d["finite"] = e.finite;
    d["not_finite"] = at(e.not_finite);
    return d;
}

nb::dict describe(const Motion& m) {
    nb::dict d;
    d["kinetic_energy"] = m.kinetic_energy;
    d["speed"] = m.speed;
    d["at"] = at(m.at);
    d["courant"] = m.courant;
    d["at_courant"] = at(m.at_courant);
    return d;
}

}  // namespace

// long: the list of what Python sees of one class
void bind_field_set(nb::module_& m) {
    using Names = FieldSet::Names;
    nb::class_<FieldSet>(m, "FieldSet",
                         "Named fields on the blocks of this rank: a state, an increment, a member "
                         "of an ensemble. A vector: copy, axpy, scale, dot.")
        .def(
            "__init__",
            [](FieldSet* self, const StepProgram& s) { new (self) FieldSet(s.layout()); },
            "sequence"_a, "all that the processes of a sequence use, zero")
        .def(
            "__init__",
            [](FieldSet* self, const FieldSet& x, int precision) {
                precision == 0 || precision == x.bytes() ? new (self) FieldSet(x)
                                                         : new (self) FieldSet(x, precision);
            },
            "other"_a, "precision"_a = 0, "a copy; precision: bytes of a number, as the other's")
        .def("live_on", &FieldSet::live_on, "device"_a.none(),
             "steps are taken on this device from now on; None: here again")
        .def_rw("count", &FieldSet::count, "steps taken since the start")
        .def("has", [](const FieldSet& s, const std::string& name) { return s.has(name); })
        .def("set", &set, "name"_a, "values"_a.noconvert(), "first_level"_a = 0,
             "nearest_outside"_a = false)
        .def("put", &put, "name"_a, "block"_a, "values"_a.noconvert(),
             "own points of a block of this rank, (levels, ny, nx); not its halo")
        .def("stored", &stored, "names"_a, "fields of this rank with their halos, as bytes")
        .def("put_columns", &put_columns, "name"_a, "rows"_a, "points"_a, "values"_a.noconvert(),
             "values (levels, columns) at rows and points of the global grid; not their halos")
        .def("recall", &recall, "names"_a, "stored"_a, "puts back what `stored` has returned")
        .def("fill", &FieldSet::fill, "name"_a, "value"_a)
        .def("set_profile", [](FieldSet& s, const std::string& name,
                               std::vector<double> values) { s.set_profile(name, values); })
        .def("windows", &windows, "name"_a, "levels"_a = 0,
             "values of each block of this rank, (levels, ny, nx), copies; levels: the first ones, "
             "0: all")
        .def("columns", &columns_at, "name"_a, "rows"_a, "points"_a, "levels"_a,
             "(levels, columns) at rows and points of the global grid, 0 where another rank has it")
        .def("part", &checked_part, "name"_a, "block"_a, "j0"_a, "i0"_a, "ny"_a, "nx"_a,
             "(levels, ny, nx) of a block from its point (j0, i0) on, a copy")
        .def(
            "copy",
            [](FieldSet& s, const FieldSet& x, const Names& names) {
                check_same_points(s, x);
                names.empty() ? s.copy(x) : s.copy(x, names);
            },
            "other"_a, "names"_a = Names{},
            "takes over these fields of another set; by default all that both have, and its time")
        .def(
            "copy_field",
            [](FieldSet& s, const std::string& from, const std::string& to) { s.copy(from, to); },
            "source"_a, "target"_a)
        .def(
            "axpy",
            [](FieldSet& s, double a, const FieldSet& x, const Names& names) {
                check_same_points(s, x);
                s.axpy(a, x, names);
            },
            "a"_a, "x"_a, "names"_a = Names{},
            "adds a times the fields of x; by default of the state")
        .def("scale", &FieldSet::scale, "a"_a, "names"_a = Names{})
        .def(
            "dot",
            [](const FieldSet& s, const FieldSet& x, const Names& names) {
                check_same_points(s, x);
                return s.dot(x, names);
            },
            "x"_a, "names"_a = Names{},
            "sum of products over all wet points of all ranks: exact, so the same on any ranks")
        .def_prop_ro("state", &FieldSet::state)
        .def_prop_ro("fields", [](const FieldSet& s) { return describe(s.fields()); })
        .def("extremes",
             [](const FieldSet& s, const std::string& name) { return describe(extremes(s, name)); })
        .def("column_contents", &contents_of_columns, "name"_a,
             "integrals over depth in each block of this rank, (ny, nx) [field m]")
        .def(
            "content",
            [](const FieldSet& s, const std::string& name, bool moving) {
                return content(s, name, moving);
            },
            "name"_a, "moving_surface"_a = true)
        .def(
            "volume", [](const FieldSet& s, bool moving) { return volume(s, moving); },
            "moving_surface"_a = true)
        .def(
            "motion",
            [](const FieldSet& s, double step, std::string u, std::string v, std::string dx,
               std::string dy) { return describe(motion(s, step, u, v, dx, dy)); },
            "step"_a, "u"_a = "velocity_x", "v"_a = "velocity_y", "dx"_a = "dx_corner",
            "dy"_a = "dy_corner")
        .def("checksum",
             [](const FieldSet& s, std::vector<std::string> names) { return checksum(s, names); });
}
