/// Drifters for Python. No logic.
#include "ocean/drifters/drifters.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::ocean;

void bind_drifters(nb::module_& m) {
    using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    nb::class_<Drifters>(m, "Drifters",
                         "Particles that go with the flow of a sequence that has a Drift.")
        .def(nb::init<Sequence&, const std::string&, double, bool>(), nb::keep_alive<1, 2>(),
             "sequence"_a, "process"_a, "step"_a, "flat"_a = false)
        .def(
            "put",
            [](Drifters& d, Numbers rows) {
                if (rows.shape(1) != 6)
                    throw Error("drifters are rows of number, i, j, a, b, level; given ",
                                rows.shape(1), " columns");
                std::vector<Drifter> given;
                for (std::size_t n = 0; n < rows.shape(0); ++n) {
                    const double* r = rows.data() + 6 * n;
                    given.push_back({std::int64_t(r[0]), std::int32_t(r[1]), std::int32_t(r[2]),
                                     r[3], r[4], r[5]});
                }
                d.put(given);
            },
            "rows"_a, "more of them: rows of number, i, j, a, b, level, the same on all ranks")
        .def_prop_ro(
            "own",
            [](const Drifters& d) {
                const std::size_t count = d.own.size();
                double* data = new double[6 * count];
                nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
                for (std::size_t n = 0; n < count; ++n) {
                    const auto& p = d.own[n];
                    const double row[6] = {double(p.number), double(p.i), double(p.j), p.a, p.b,
                                           p.level};
                    std::copy_n(row, 6, data + 6 * n);
                }
                return nb::cast(Numbers(data, {count, 6}, owner));
            },
            "those of this rank, rows as `put` takes them");
}
