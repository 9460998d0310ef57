/// Global processes for Python: their common class, and one whose work is a Python function.
#include "field/global_process.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include "bindings/places.hpp"
#include "field/apart.hpp"
#include "field/balanced.hpp"
#include "field/sampled.hpp"
#include "sequence/repeat.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;

namespace {

/// A process in Python. It is called once a step with the handle of its MPI ranks and, for each
/// block of this rank, its fields by name: arrays without halo that share the memory of the fields,
/// (levels, ny, nx), (ny, nx) and, for profiles, (levels,).
class PythonProcess final : public GlobalProcess {
public:
    /// Name, units, horizontal and vertical place, whether it is part of a vector, access.
    using Declared =
        std::tuple<std::string, std::string, std::string, std::string, bool, std::string>;
    PythonProcess(std::string name, const std::vector<Declared>& fields, nb::callable function)
        : GlobalProcess(std::move(name)), function(std::move(function)) {
        for (auto& [field, units, horizontal, vertical, vector, access] : fields) {
            const Place at = place_of(horizontal, vertical, vector);
            names.push_back(field);
            if (access == "reads")
                items.push_back(reads(field, at, units));
            else if (access == "writes")
                items.push_back(writes(field, at, units));
            else if (access == "updates")
                items.push_back(updates(field, at, units));
            else
                throw Error(this->name, ": access = '", access, "' of '", field,
                            "'; allowed: reads, writes, updates");
        }
    }
    ~PythonProcess() override {
        nb::gil_scoped_acquire gil;
        function.reset();
    }
    void apply(Given at) override {
        nb::gil_scoped_acquire gil;
        const nb::object owner = nb::find(at.set);  // null: no object of Python has this set
        nb::list blocks;
        for (int b = 0; b < int(at.set.domain().blocks.size()); ++b) {
            nb::dict arrays;
            for (std::size_t n = 0; n < items.size(); ++n)
                arrays[names[n].c_str()] =
                    at.set.bytes() == 4
                        ? array<float>(at.set, at[items[n]], b, is_read_only(n), owner)
                        : array<double>(at.set, at[items[n]], b, is_read_only(n), owner);
            blocks.append(arrays);
        }
        function(MPI_Comm_c2f(at.set.domain().comm), blocks);
        if (!owner) take_back(at, blocks);
    }

private:
    std::vector<Item> items;
    std::vector<std::string> names;
    nb::object function;

    bool is_read_only(std::size_t n) const { return fields()[n].access == Access::reads; }

    /// Own points of a field on a block: where they are, (levels, ny, nx) and their strides.
    template <class T> struct Part {
        T* at;
        std::size_t shape[3];
        std::int64_t strides[3];
        int first = 0, count = 3;  // of its axes those that Python sees

        Part(const FieldSet& s, const Field& f, int b)
            : at((T*)f.at[b]),
              shape{std::size_t(f.levels), std::size_t(s.domain().blocks[b]->ny),
                    std::size_t(s.domain().blocks[b]->nx)},
              strides{f.level[b], f.row[b], 1} {
            const Domain& d = s.domain();
            if (f.place == place::profile)
                shape[0] = std::size_t(d.levels) + 1, shape[1] = shape[2] = 1, count = 1,
                strides[0] = 1;
            else
                at += d.halo * f.row[b] + d.halo;
            if (f.place.vertical == Vertical::column) shape[0] = 1, first = 1, count = 2;
        }
        template <class F> void each(F f) const {
            for (std::size_t k = 0, n = 0; k < shape[0]; ++k)
                for (std::size_t j = 0; j < shape[1]; ++j)
                    for (std::size_t i = 0; i < shape[2]; ++i)
                        f(at[k * strides[0] + j * strides[1] + i * strides[2]], n++);
        }
    };

    /// The points as an array of NumPy that keeps their owner; a copy where there is none.
    template <class T>
    static nb::object array(const FieldSet& s, const Field& f, int b, bool read_only,
                            const nb::object& owner) {
        const Part<T> part(s, f, b);
        const auto cast = [&]<class U>(U* at, nb::handle kept, const std::int64_t* strides) {
            return nb::cast(
                nb::ndarray<nb::numpy, U>(at, part.count, part.shape + part.first, kept, strides),
                nb::rv_policy::reference);
        };
        if (owner)
            return read_only ? cast((const T*)part.at, owner, part.strides + part.first)
                             : cast(part.at, owner, part.strides + part.first);
        T* const copy = new T[part.shape[0] * part.shape[1] * part.shape[2]];
        const nb::capsule kept(copy, [](void* p) noexcept { delete[] (T*)p; });
        part.each([&](T& x, std::size_t n) { copy[n] = x; });
        return cast(copy, kept, nullptr);
    }

    /// What the function has written in copies.
    void take_back(const Given& at, const nb::list& blocks) const {
        for (int b = 0; b < int(blocks.size()); ++b)
            for (std::size_t n = 0; n < items.size(); ++n)
                if (!is_read_only(n)) {
                    const nb::object from = blocks[b][names[n].c_str()];
                    at.set.bytes() == 4 ? take_back<float>(at.set, at[items[n]], b, from)
                                        : take_back<double>(at.set, at[items[n]], b, from);
                }
    }
    template <class T>
    static void take_back(const FieldSet& s, const Field& f, int b, const nb::object& from) {
        const auto copy = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(from);
        Part<T>(s, f, b).each([&](T& x, std::size_t n) { x = copy.data()[n]; });
    }
};

}  // namespace

static void bind_columns_elsewhere(nb::module_& m) {
    nb::class_<Balanced, GlobalProcess>(
        m, "Balanced", "A process of columns that are shared among ranks by what each has cost.")
        .def(nb::init<Process, std::string, double, bool, std::string>(), "process"_a,
             "active"_a = "", "threshold"_a = 0.05, "share"_a = true, "way"_a = "messages",
             "active: the field of columns above 0 where there is work; share: whether columns "
             "travel; way: one of carriers()")
        .def_prop_ro("own_seconds", &Balanced::own_seconds,
                     "processor time of the columns of this rank in the last call, wherever")
        .def_prop_ro("seconds", &Balanced::seconds, "processor time on this rank in the last call")
        .def_prop_ro("expected", &Balanced::expected,
                     "of own columns in the last call, by the cost of such columns on all ranks")
        .def_prop_ro("sent", &Balanced::sent, "a part of `expected`: sent to each rank")
        .def_prop_ro("travelled", &Balanced::travelled,
                     "columns of this rank that other ranks computed, in all calls")
        .def("costs", &Balanced::costs, "fields"_a,
             "rows of (i, j, seconds) of the columns of this rank, one after another");
    nb::class_<Sampled, GlobalProcess>(
        m, "Sampled", "A process of columns that is computed in some and interpolated to others.")
        .def(
            "__init__",
            [](Sampled* self, Process p,
               const std::vector<std::pair<int, std::vector<int>>>& given) {
                std::vector<SampledRow> rows;
                for (const auto& [row, columns] : given) rows.push_back({row, columns});
                new (self) Sampled(std::move(p), std::move(rows));
            },
            "process"_a, "rows"_a, "rows: (row, columns) from south to north and west to east");
    m.def(
        "balance_samples",
        [](const Process& p, std::string active, double threshold,
           const std::string& way) -> std::shared_ptr<Balanced> {
            const auto sampled = std::dynamic_pointer_cast<Sampled>(p.global);
            return sampled ? sampled->balance(std::move(active), threshold, way) : nullptr;
        },
        "process"_a, "active"_a = "", "threshold"_a = 0.05, "way"_a = "messages",
        "shares the samples of a Sampled among ranks; None: it is another process");
    nb::class_<Apart, GlobalProcess>(
        m, "Apart", "A process of columns that separate ranks compute, one call late.")
        .def(
            "__init__",
            [](Apart* self, Process p, int world, std::vector<int> helpers) {
                new (self) Apart(std::move(p), {MPI_Comm_f2c(world), std::move(helpers)});
            },
            "process"_a, "world"_a, "helpers"_a, "helpers: ranks in world")
        .def("rest", &Apart::rest, "all that helpers owe has arrived")
        .def("dismiss", &Apart::dismiss, "helpers leave `help`")
        .def("help", &Apart::help, "device"_a.none(), nb::call_guard<nb::gil_scoped_release>(),
             "on a helper: computes until it is dismissed")
        .def_prop_ro("waited", &Apart::waited, "seconds of this rank for helpers")
        .def_prop_ro("helped", &Apart::helped, "seconds of this helper");
}

static void bind_carriers(nb::module_& m) {
    m.def(
        "carriers",
        [] {
            std::vector<std::pair<std::string, std::string>> found;
            for (const auto& kind : carriers()) found.emplace_back(kind.name, kind.text);
            return found;
        },
        "name and text of each way in which columns travel between ranks");
    m.def(
        "time_carrier",
        [](int comm, const std::string& way, std::size_t bytes, double idle) {
            const auto t = time_carrier(MPI_Comm_f2c(comm), way, bytes, idle);
            return std::make_tuple(t.fetched, t.returned, t.gave, t.idle);
        },
        "comm"_a, "way"_a, "bytes"_a, "idle"_a,
        "of two ranks: seconds until rank 1 has the inputs, and has put results; of rank 0 in its "
        "calls, and between them, when it makes none of MPI");
}

void bind_global_process(nb::module_& m) {
    nb::class_<GlobalProcess>(m, "GlobalProcess",
                              "A process that needs communication: by all ranks together.")
        .def_ro("name", &GlobalProcess::name)
        .def(
            "process", [](std::shared_ptr<GlobalProcess> p) { return process(std::move(p)); },
            "as a sequence takes it");
    nb::class_<PythonProcess, GlobalProcess>(m, "PythonProcess",
                                             "A process whose work is a Python function.")
        .def(
            nb::init<std::string, std::vector<PythonProcess::Declared>, nb::callable>(), "name"_a,
            "fields"_a, "function"_a,
            "fields: (name, units, horizontal, vertical, vector, access); function(ranks, blocks): "
            "the handle of an MPI communicator, and of each block {name: array}, which share "
            "their memory");
    bind_columns_elsewhere(m);
    bind_carriers(m);
    nb::class_<Repeat, GlobalProcess>(
        m, "Repeat", "A program within a program: processes that run several times in each step.")
        .def(nb::init<std::string, int, std::vector<Process>>(), "name"_a, "times"_a, "processes"_a)
        .def_ro("times", &Repeat::times)
        .def_prop_ro(
            "groups",
            [](const Repeat& r) {
                std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> found;
                for (auto& g : r.describe()) found.emplace_back(g.exchange, g.processes);
                return found;
            },
            "(fields that are exchanged, processes) of each group of a repetition")
        .def_prop_ro(
            "timings",
            [](const Repeat& r) {
                std::vector<std::tuple<std::string, double, long>> found;
                for (auto& t : r.timings()) found.emplace_back(t.process, t.seconds, t.calls);
                return found;
            },
            "(name, seconds, calls) of each process and exchange within");
    m.def(
        "transfers",
        [](const std::vector<double>& loads, double threshold) {
            std::vector<std::tuple<int, int, double>> found;
            for (const auto& [from, to, amount] : transfers(loads, threshold))
                found.emplace_back(from, to, amount);
            return found;
        },
        "loads"_a, "threshold"_a = 0.05,
        "what ranks with these loads give to others: (from, to, amount)");
}
