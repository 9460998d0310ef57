/// Schemes and processes for Python: the catalogue as plain data, a process to order and rename,
/// and one run of a process on plain arrays, to test and plot any scheme without a grid or MPI.
/// No logic except to fit the arrays.
#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <algorithm>
#include <limits>
#include "bindings/places.hpp"
#include "catalogue/catalogue.hpp"
#include "field/by_cells.hpp"
#include "field/linear.hpp"
#include "field/linear_entry.hpp"
#include "field/linearisation.hpp"
#include "field/process.hpp"
#include "machine/device.hpp"
#include "physics/thermodynamics/column.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

const char* name(Access a) {
    return a == Access::reads ? "reads" : a == Access::writes ? "writes" : "updates";
}

nb::list describe(const std::vector<Process::Field>& fields) {
    nb::list list;
    for (auto& f : fields) {
        if (f.own) continue;
        nb::dict d;
        d["name"] = f.name;
        d["units"] = f.units;
        d["horizontal"] = fathom::name(f.place.horizontal);
        d["vertical"] = fathom::name(f.place.vertical);
        d["vector"] = f.place.vector;
        d["access"] = name(f.access);
        d["reach"] = f.reach;
        list.append(d);
    }
    return list;
}

nb::list describe_catalogue() {
    nb::list list;
    for (auto& e : catalogue()) {
        nb::list parameters;
        for (auto& p : e.parameters) {
            nb::dict d;
            d["name"] = p.name;
            d["units"] = p.units;
            d["meaning"] = p.meaning;
            d["value"] = p.value;
            d["least"] = p.least;
            d["most"] = p.most;
            parameters.append(d);
        }
        nb::dict d;
        d["name"] = e.name;
        d["in_cells_of"] = e.in_cells_of;
        nb::dict companions;
        for (auto& [role, scheme] : e.companions) companions[role.c_str()] = scheme;
        d["companions"] = companions;
        if (e.stands) d["stands"] = nb::make_tuple(e.stands->first, e.stands->second);
        d["summary"] = e.summary;
        d["parameters"] = parameters;
        d["fields"] = describe(e.fields);
        list.append(d);
    }
    return list;
}

Process make(const std::string& scheme, const std::map<std::string, double>& parameters,
             int precision, int width) {
    if (precision != 4 && precision != 8)
        throw Error("precision = ", precision, " bytes must be 4 or 8");
    if (width != 0 && width != 1)
        throw Error("width = ", width, " must be 0 (packs) or 1 (numbers)");
    return find_entry(scheme).make(parameters, precision, width);
}

/// An array of Python in the layout of the core, f[row][level][column]; rows are padded to whole
/// packs.
template <class T> struct Plain {
    T* numbers = nullptr;
    std::vector<std::size_t> shape;
    int levels = 1, rows = 1, columns = 1, stride = 1;
    Plain(std::vector<std::size_t> shape, bool profile, int spare) : shape(shape) {
        if (profile)
            levels = shape[0];
        else
            levels = shape.size() == 3 ? shape[0] : 1, rows = shape[shape.size() - 2],
            columns = shape.back(), stride = columns + spare;
    }
    std::size_t size() const { return std::size_t(rows) * levels * stride; }
    T& at(int k, int j, int i) { return numbers[(std::size_t(j) * levels + k) * stride + i]; }
    template <class F> void each(F f) {
        for (int k = 0, n = 0; k < levels; ++k)
            for (int j = 0; j < rows; ++j)
                for (int i = 0; i < columns; ++i) f(at(k, j, i), n++);
    }
};

template <class T> using Given = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T> void fill(Plain<T>& field, const T* from, bool profile) {
    field.each([&](T& x, int i) { x = from[i]; });
    if (profile) return;
    for (int k = 0; k < field.levels; ++k)  // padding: the value of the last column
        for (int j = 0; j < field.rows; ++j)
            for (int i = field.columns; i < field.stride; ++i)
                field.at(k, j, i) = field.at(k, j, field.columns - 1);
}

/// What columns add to the adjoints of their neighbours: an array for each field that is read at
/// neighbours and each offset.
template <class T> class Slots {
public:
    Slots(const Process& process, const std::vector<Plain<T>>& fields, int first_column)
        : first_column(first_column) {
        for (std::size_t n = 0; n < fields.size(); ++n)
            for (int reach = process.fields[n].reach, o = 0; reach && o < offsets(reach); ++o) {
                auto& made = arrays.emplace_back(n, offset(reach, o),
                                                 std::vector<T>(fields[n].size()), fields[n]);
                made.plain.numbers = made.memory.data();
            }
    }
    const Raw* in_row(int j) {
        rows.clear();
        for (auto& a : arrays)
            rows.push_back({&a.plain.at(0, j + a.to.j, first_column + a.to.i), a.plain.stride, 0});
        return rows.data();
    }
    /// In the order of offsets.
    void add_to(std::vector<Plain<T>>& adjoints) {
        for (auto& a : arrays)
            a.plain.each([&, from = a.memory.data()](T& x, int) {
                adjoints[a.field].numbers[&x - from] += x;
            });
    }

private:
    struct Array {
        std::size_t field;
        Shift to;
        std::vector<T> memory;
        Plain<T> plain;
    };
    const int first_column;
    std::vector<Array> arrays;
    std::vector<Raw> rows;
};

/// Runs a process on arrays of Python, all of one precision, in the columns that are farther from
/// the edge than its reach.
template <class T> class PlainRun {
public:
    PlainRun(const Process& process, const nb::dict& arrays, int levels)
        : process(process), levels(levels), given(process.fields.size()) {
        for (auto& f : process.fields) reach = std::max(reach, f.reach);
        take(arrays);
        refuse_strangers(arrays);
        if (rows <= 2 * reach || columns <= 2 * reach)
            throw Error(process.name, " looks ", reach, " columns away: arrays need at least ",
                        2 * reach + 1, " rows and columns");
        for (std::size_t n = 0; n < given.size(); ++n)
            fields.emplace_back(shape_of(n), is_profile(n), cell_width<T>);
    }
    /// The fields that it writes when it is computed on a device.
    nb::object on(const std::shared_ptr<Device>& device) {
        compute_on(device, 1);
        return written(fields);
    }
    /// Seconds of each of some repetitions there, without copies.
    nb::object seconds_on(const std::shared_ptr<Device>& device, int repetitions) {
        return nb::cast(compute_on(device, repetitions));
    }
    /// The fields that it writes; with `changes` of the arrays their tangents too: (values,
    /// tangents). Arrays without a change are constant.
    nb::object operator()(const nb::dict* changes) {
        const std::size_t all = settle(changes != nullptr);
        auto tangents = fields;
        for (auto& f : tangents) f.numbers += all;
        for (std::size_t n = 0; n < given.size(); ++n)
            if (process.fields[n].access != Access::writes) {
                fill(fields[n], given[n].data(), is_profile(n));
                if (changes) fill_change(tangents[n], n, *changes);
            }
        compute(changes ? process.tangent : process.run, all);
        if (!changes) return written(fields);
        return nb::make_tuple(written(fields), written(tangents));
    }

    /// Its tangent or its adjoint, for `changes` of all fields; changes that are not given are 0.
    nb::dict linear(const nb::dict& changes, bool adjoint, bool by_hand) {
        const LinearKernel* const kernel = by_hand ? process.by_hand.get() : nullptr;
        if (by_hand && !kernel) throw Error(process.name, " has no tangent and adjoint by hand");
        const std::size_t all = settle(true);
        auto before = fields, change = fields;
        for (auto& f : change) f.numbers += all;
        for (std::size_t n = 0; n < given.size(); ++n) {
            if (process.fields[n].access != Access::writes)
                fill(fields[n], given[n].data(), is_profile(n));
            const char* name = process.fields[n].name.c_str();
            if (changes.contains(name))
                fill(change[n], nb::cast<Given<T>>(changes[name]).data(), is_profile(n));
        }
        std::vector<T> values(memory.begin(), memory.begin() + all);
        for (auto& f : before) f.numbers = values.data() + (f.numbers - memory.data());
        compute(process.run, all);
        Slots<T> slots(process, fields, reach);
        each_row([&](int j, const std::vector<Cell>& cells) {
            auto d = in_row(change, j);
            const Raw* const of_row = slots.in_row(j);
            if (kernel) d.insert(d.end(), of_row, of_row + slots_of(process));
            run_linear(kernel, adjoint, in_row(before, j).data(), in_row(fields, j).data(),
                       d.data(), of_row, cells);
        });
        slots.add_to(change);
        return arrays(change, [](const Process::Field& f) { return f.place != place::profile; });
    }

private:
    const Process& process;
    const int levels;
    int reach = 0, rows = 0, columns = 0;
    std::vector<Given<T>> given;
    std::vector<Plain<T>> fields;
    std::vector<T> memory;

    /// A row: x before the process, y afterwards.
    void run_linear(const LinearKernel* by_hand, bool adjoint, const Raw* x, const Raw* y,
                    const Raw* change, const Raw* slots, const std::vector<Cell>& cells) const {
        const Cell *first = cells.data(), *last = first + cells.size();
        if (by_hand && (adjoint || by_hand->tangent))
            (adjoint ? by_hand->adjoint : by_hand->tangent)(process.scheme.get(), x, y, change,
                                                            first, last);
        else if (adjoint)
            adjoint_by_cells(process, sizeof(T), x, change, slots, first, last);
        else
            tangent_by_cells(process, sizeof(T), x, change, first, last);
    }
    bool is_profile(std::size_t n) const { return process.fields[n].place == place::profile; }

    void take(const nb::dict& arrays) {
        for (std::size_t n = 0; n < given.size(); ++n) {
            auto& f = process.fields[n];
            if (f.access == Access::writes) continue;
            if (!arrays.contains(f.name.c_str()))
                throw Error(process.name, " reads '", f.name, "' [", f.units,
                            "], which is not given");
            if (!nb::try_cast(arrays[f.name.c_str()], given[n], false))
                throw Error("'", f.name, "' must be a C-contiguous array of float", 8 * sizeof(T),
                            ", as the other arrays");
            if (rows == 0 && !is_profile(n) && given[n].ndim() >= 2)
                rows = given[n].shape(given[n].ndim() - 2),
                columns = given[n].shape(given[n].ndim() - 1);
        }
    }
    void refuse_strangers(const nb::dict& arrays) const {
        std::vector<std::string> known;
        for (auto& f : process.fields)
            if (f.access != Access::writes) known.push_back(f.name);
        for (auto [key, value] : arrays) {
            const auto wanted = nb::cast<std::string>(key);
            if (std::ranges::find(known, wanted) == known.end())
                throw Error(process.name, " reads no field '", wanted, "'", near(wanted, known));
        }
    }
    /// Shape that the array of a field must have; of a profile the shape that was given.
    std::vector<std::size_t> shape_of(std::size_t n) const {
        auto& f = process.fields[n];
        std::vector<std::size_t> shape, have;
        if (f.place.vertical == Vertical::layer) shape.push_back(levels);
        if (f.place.vertical == Vertical::interface && !is_profile(n))
            shape.push_back(std::max(f.own, 1) * (levels + 1));
        if (!is_profile(n)) shape.push_back(rows), shape.push_back(columns);
        if (f.access == Access::writes) return shape;
        for (std::size_t a = 0; a < given[n].ndim(); ++a) have.push_back(given[n].shape(a));
        if (is_profile(n) ? have.size() != 1 || have[0] == 0 : have != shape)
            throw Error("'", f.name, "' has shape ", text(have), ", not ",
                        is_profile(n) ? "(levels,)" : text(shape));
        return have;
    }
    static std::string text(const std::vector<std::size_t>& shape) {
        std::string s = "(";
        for (std::size_t n = 0; n < shape.size(); ++n)
            s += (n ? ", " : "") + std::to_string(shape[n]);
        return s + ")";
    }
    /// Gives the fields memory (NaN), then their tangents as much (0). Returns how many numbers.
    std::size_t settle(bool tangents) {
        std::size_t all = 0;
        for (auto& f : fields) all += f.size();
        memory.assign(tangents ? 2 * all : all, std::numeric_limits<T>::quiet_NaN());
        if (tangents) std::fill(memory.begin() + all, memory.end(), T(0));
        T* next = memory.data();
        for (auto& f : fields) f.numbers = next, next += f.size();
        return all;
    }
    void fill_change(Plain<T>& tangent, std::size_t n, const nb::dict& changes) const {
        const char* name = process.fields[n].name.c_str();
        if (!changes.contains(name)) return;
        Given<T> change;
        if (!nb::try_cast(changes[name], change, false) || change.size() != given[n].size())
            throw Error("the change of '", name, "' must be an array like it");
        fill(tangent, change.data(), is_profile(n));
    }
    /// Calls body(row, its cells) for all rows that are computed.
    template <class Body> void each_row(Body body) const {
        std::vector<Cell> cells;
        for (int i = reach; i < columns - reach; i += cell_width<T>) cells.push_back({i, levels});
        for (int j = reach; j < rows - reach; ++j) body(j, cells);
    }
    std::vector<Raw> in_row(std::vector<Plain<T>>& all, int j) const {
        std::vector<Raw> at;
        for (std::size_t n = 0; n < all.size(); ++n) {
            const bool flat = process.fields[n].place.vertical == Vertical::column;
            at.push_back(is_profile(n) ? Raw{all[n].numbers, 0, 0}
                                       : Raw{&all[n].at(0, j, reach), flat ? 0 : all[n].stride,
                                             std::ptrdiff_t(all[n].levels) * all[n].stride});
        }
        return at;
    }
    void compute(Process::Run run, std::size_t to_tangent) {
        each_row([&](int j, const std::vector<Cell>& cells) {
            const auto at = in_row(fields, j);
            process.set_shadow(std::ptrdiff_t(to_tangent * sizeof(T)));
            run(process.scheme.get(), at.data(), cells.data(), cells.data() + cells.size());
        });
    }
    std::vector<double> compute_on(const std::shared_ptr<Device>& device, int repetitions) {
        settle(false);
        for (std::size_t n = 0; n < given.size(); ++n)
            if (process.fields[n].access != Access::writes)
                fill(fields[n], given[n].data(), is_profile(n));
        const auto kernel = (Process::Run)device->kernel(process.entry, sizeof(T));
        if (!kernel) throw Error(device->name(), " has no kernel of '", process.name, "'");
        std::vector<Cell> cells;
        for (int j = reach; j < rows - reach; ++j)
            for (int i = reach; i < columns - reach; i += cell_width<T>)
                cells.push_back({i, levels, j});
        const auto numbers = on_device(device, memory.data(), memory.size()),
                   list = on_device(device, cells.data(), cells.size());
        std::vector<Raw> at;
        for (std::size_t n = 0; n < fields.size(); ++n) {
            auto& f = fields[n];
            const bool flat = process.fields[n].place.vertical == Vertical::column;
            T* const there = (T*)numbers.at + (f.numbers - memory.data());
            at.push_back(is_profile(n) ? Raw{there, 0, 0}
                                       : Raw{there + reach, flat ? 0 : f.stride,
                                             std::ptrdiff_t(f.levels) * f.stride});
        }
        const Cell* const first = (const Cell*)list.at;
        const auto scheme = device->settled(process.entry, process.scheme, sizeof(T),
                                            cells.size() * cell_width<T>, levels);
        std::vector<double> seconds;
        for (int n = 0; n < repetitions; ++n) {
            device->mark(0);
            kernel(scheme.get(), at.data(), first, first + cells.size());
            device->mark(1), device->wait();
            seconds.push_back(device->between(0, 1));
        }
        device->copy(memory.data(), numbers.at, memory.size() * sizeof(T), Device::Way::to_host);
        return seconds;
    }
    /// The fields that the process wrote or updated; a rim of `reach` columns was not computed.
    nb::dict written(std::vector<Plain<T>>& all) const {
        return arrays(all, [](const Process::Field& f) { return f.access != Access::reads; });
    }
    template <class Which> nb::dict arrays(std::vector<Plain<T>>& all, Which which) const {
        nb::dict result;
        for (std::size_t n = 0; n < all.size(); ++n) {
            auto& f = process.fields[n];
            if (f.own || !which(f)) continue;
            T* data = new T[all[n].shape.size() ? std::size_t(all[n].levels) * rows * columns : 1];
            nb::capsule owner(data, [](void* p) noexcept { delete[] (T*)p; });
            all[n].each([&](T& x, int i) {
                const int column = i % columns, row = i / columns % rows;
                const bool inside = column >= reach && column < columns - reach && row >= reach &&
                                    row < rows - reach;
                data[i] =
                    inside || f.access != Access::writes ? x : std::numeric_limits<T>::quiet_NaN();
            });
            result[f.name.c_str()] = nb::cast(
                nb::ndarray<nb::numpy, T>(data, all[n].shape.size(), all[n].shape.data(), owner));
        }
        return result;
    }
};

/// Calls body(its run on columns).
template <class Body>
nb::object run(const Process& process, const nb::dict& arrays, int levels, Body body) {
    if (!process.run) throw Error(process.name, " works on the whole grid at once, not on columns");
    if (levels < 1) throw Error("levels = ", levels, " must be at least 1");
    for (auto [key, value] : arrays) {
        Given<float> single;
        return nb::try_cast(value, single, false) ? body(PlainRun<float>(process, arrays, levels))
                                                  : body(PlainRun<double>(process, arrays, levels));
    }
    throw Error(process.name, " needs arrays to read");
}
nb::object run_column(const Process& process, const nb::dict& arrays, int levels,
                      const std::shared_ptr<Device>& device) {
    return run(process, arrays, levels,
               [&](auto columns) { return device ? columns.on(device) : columns(nullptr); });
}
nb::object seconds_on_device(const Process& process, const nb::dict& arrays, int levels,
                             const std::shared_ptr<Device>& device, int repetitions) {
    return run(process, arrays, levels,
               [&](auto columns) { return columns.seconds_on(device, repetitions); });
}
nb::object run_tangent(const Process& process, const nb::dict& arrays, const nb::dict& changes,
                       int levels) {
    if (process.run && !process.tangent) throw Error(process.name, " of width 1 has no tangent");
    return run(process, arrays, levels, [&](auto columns) { return columns(&changes); });
}
nb::object run_linear(const Process& process, const nb::dict& arrays, const nb::dict& changes,
                      int levels, bool adjoint, bool by_hand) {
    return run(process, arrays, levels, [&](auto columns) -> nb::object {
        return columns.linear(changes, adjoint, by_hand);
    });
}

}  // namespace

/// Processes run by themselves, for tests and measurements.
static void bind_runs(nb::module_& m) {
    m.def("run_column", &run_column, "process"_a, "arrays"_a, "levels"_a,
          "device"_a.none() = nb::none(),
          "Runs a process on arrays (levels or levels + 1, rows, columns), (rows, columns), and "
          "(n,) for profiles, of the precision of the process.\n"
          "Returns the fields that it writes or updates; NaN where it wrote nothing, as in a rim "
          "as wide as its reach. device: where it is computed; here by default.");
    m.def("seconds_on_device", &seconds_on_device, "process"_a, "arrays"_a, "levels"_a, "device"_a,
          "repetitions"_a, "Seconds of each repetition there, without copies: arrays as above.");
    m.def("run_tangent", &run_tangent, "process"_a, "arrays"_a, "changes"_a, "levels"_a,
          "The same with the derivative in the direction of `changes`, arrays like those of the "
          "fields that change; profiles do not. Returns (values, tangents).");
    m.def("run_linear", &run_linear, "process"_a, "arrays"_a, "changes"_a, "levels"_a,
          "adjoint"_a = false, "by_hand"_a = true,
          "What its tangent, or its adjoint, makes of `changes` of all fields {name: array}: by "
          "hand, or by dual numbers and a tape.");
    m.def(
        "has_adjoint",
        [](const Process& p) {
            return p.by_hand || p.adjoint || dynamic_cast<const Linearisable*>(p.global.get());
        },
        "process"_a, "whether it has an adjoint, by hand or by a tape");
    m.def(
        "has_linear", [](const Process& p) { return p.by_hand != nullptr; }, "process"_a,
        "whether its tangent and adjoint are written by hand");
}

void bind_field(nb::module_& m) {
    nb::class_<Process>(
        m, "Process",
        "Something that changes fields: a scheme with its parameters, in one precision.")
        .def_rw("name", &Process::name)
        .def_rw("phase", &Process::phase)
        .def_rw("every", &Process::every,
                "runs in every n-th step of a sequence only; its results are kept in between")
        .def_prop_ro(
            "is_global", [](const Process& p) { return p.global != nullptr; },
            "sees whole fields, not one column after another")
        .def_prop_ro(
            "kernel",
            [](const Process& p) {
                Dl_info at{};
                const bool there = p.run && dladdr((const void*)p.run, &at);
                return there ? std::ptrdiff_t((const std::byte*)p.run - (std::byte*)at.dli_fbase)
                             : 0;
            },
            "where its function begins in the library that holds it; 0: not a process of columns")
        .def_prop_ro(
            "fields", [](const Process& p) { return describe(p.fields); },
            "fields that it reads, writes and updates, in the order of its arguments")
        .def("on", &Process::on, "names"_a,
             "the same scheme on other fields: {declared name: name}")
        .def(
            "at",
            [](const Process& p, const std::string& field, const std::string& horizontal,
               const std::string& vertical,
               bool vector) { return p.at(field, place_of(horizontal, vertical, vector)); },
            "field"_a, "horizontal"_a, "vertical"_a, "vector"_a = false,
            "the same scheme on a field that is elsewhere")
        .def("only_where", &Process::only_where, "fields"_a,
             "the same scheme, which passes over rows in which all these fields of columns "
             "{name: units} are 0; it must change nothing there")
        .def("__repr__", [](const Process& p) { return "<process " + p.name + ">"; });
    m.def("load_schemes", &load_schemes, "library"_a,
          "adds the schemes of a compiled library to the catalogue; returns their names");
    m.attr("compile_flags") = FATHOM_COMPILE_FLAGS;
    m.def("catalogue", &describe_catalogue,
          "all schemes: name, in_cells_of (the scheme that this is in cells of varying "
          "thickness, or empty), summary, parameters, fields");
    m.def("process", &make, "scheme"_a, "parameters"_a = std::map<std::string, double>{},
          "precision"_a = 8, "width"_a = 0,
          "a scheme of the catalogue with these parameters; precision: bytes of a number; width: 0 "
          "for packs, 1 for numbers");
    m.def("reference_density", &physics::reference_density, "pressure"_a,
          "the reference of density anomalies, for equations of state without another one [kg "
          "m-3]; pressure [dbar]");
    bind_runs(m);
}
