/// From a scheme (a struct with `summary`, `parameters` if it has any, and a kernel whose signature
/// says its fields) to a Process: the same without its type, which a sequence, and Python, can
/// hold, rename and order at run time. All templates end here: one function per scheme, kind of
/// number and precision.
///
/// A list of schemes (schemes.cpp) is compiled twice, side by side: with FATHOM_PART = 1 the
/// kernels that run on packs, in each step; with FATHOM_PART = 2, and less optimisation, all others
/// (CMakeLists.txt). 0, or not defined: all in one, as for schemes of users and for a GPU.
#pragma once
#include <algorithm>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include "base/counted.hpp"
#include "base/dual.hpp"
#include "base/error.hpp"
#include "field/arguments.hpp"
#if !defined(FATHOM_PART)
#define FATHOM_PART 0
#endif

namespace fathom {

/// Argument of functions that list schemes: the second compilation has functions of its own.
using Part = std::bool_constant<FATHOM_PART == 2>;

/// One parameter of a scheme: this line gives Python's keyword, TOML, --set, the bounds and the
/// error message.
template <class Scheme> struct Parameter {
    std::string_view name;
    double Scheme::* value;
    std::string_view units;
    double least, most;
    std::string_view meaning;
};

/// cell_width columns starting at `column`; the deepest has `levels` wet levels. row: counted from
/// the one at which fields are given.
struct Cell {
    int column, levels, row = 0;
};

class GlobalProcess;
struct LinearKernel;

struct Process {
    struct Field {
        std::string name, units;
        Place place;
        Access access;
        int reach;
        int own = 0;  ///< columns of memory for the kernel alone (field.hpp)
    };
    using Run = void (*)(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    /// At one cell: values as they were before the process ran at `at`, adjoints `apart` bytes
    /// after them, then an equal amount of memory for the function itself. Each neighbour of the
    /// cell has lines of its own; slots: as of adjoint_by_cells (by_cells.hpp); null addresses:
    /// constant.
    using Adjoint = void (*)(const void* scheme, const Raw* at, const Raw* slots,
                             std::ptrdiff_t apart, const Cell&);
    std::string name, phase = "baroclinic";
    std::string entry;  ///< its name in the catalogue, if it is listed there
    /// Runs in steps 0, every, 2 every ...; its output stays until it runs again, and is state.
    int every = 1;
    std::vector<Field> fields;
    std::shared_ptr<const void> scheme;
    /// `at` holds each field at column first->column. count: the same on numbers that count
    /// (base/counted.hpp); tangent: on numbers with their tangents (base/dual.hpp).
    Run run = nullptr, count = nullptr, tangent = nullptr;
    Adjoint adjoint = nullptr;                    ///< by a tape (adjoint.hpp); null: none
    std::shared_ptr<const LinearKernel> by_hand;  ///< both by hand (linear.hpp); null: none
    /// What the kernels of this process have counted, and where they find tangents: variables of
    /// the library in which they were compiled.
    std::uint64_t (*operations)() = nullptr;
    void (*set_shadow)(std::ptrdiff_t bytes) = nullptr;
    /// Instead of `run`: once for all columns, with communication.
    std::shared_ptr<GlobalProcess> global;
    /// The last so many fields, of columns, are no arguments of the kernel: where all of them are 0
    /// in a row it would change nothing, and the row is passed over.
    int conditions = 0;

    /// The same scheme on other fields: process.on({{"tracer", "salinity"}}).
    Process on(const std::map<std::string, std::string>& names) const {
        Process copy = *this;
        for (auto& [from, to] : names) {
            bool found = false;
            for (auto& f : copy.fields)
                if (f.name == from) f.name = to, found = true;
            if (!found) throw Error(name, " has no field '", from, "'");
        }
        return copy;
    }
    /// The same scheme on a field at another place: process.at("value",
    /// place::corner_vector_layer).
    Process at(std::string_view field, Place place) const {
        Process copy = *this;
        for (auto& f : copy.fields)
            if (f.name == field) f.place = place;
        return copy;
    }
    /// The same scheme, which passes over rows in which all these fields {name, units} are 0: it
    /// must change nothing there.
    Process only_where(const std::map<std::string, std::string>& names) const {
        Process copy = *this;
        for (auto& [name, units] : names)
            copy.fields.push_back({name, units, place::center_column, Access::reads, 0});
        copy.conditions += int(names.size());
        return copy;
    }
};

namespace process_detail {
inline std::vector<Process::Field> fields(std::span<const Use> uses) {
    std::vector<Process::Field> all;
    for (const Use& u : uses)
        all.push_back(
            {std::string(u.name), std::string(u.units), u.place, u.access, u.reach, u.own});
    return all;
}
/// A kernel with its fields, to be called for each column or pack. The kernel is a copy, so that
/// parameters stay in registers: stores cannot alias them.
template <class Scheme, class Real, class Fields> struct Columns {
    Scheme kernel;
    Fields at;
    constexpr void operator()(int column, int row, Levels levels) const {
        apply<Real>(kernel, &at[0], column, Real::width == 1 ? row : 0, levels);
    }
};
template <class Scheme, class Real, int cell>
void run(const void* scheme, const Raw* at, const Cell* first, const Cell* last) {
    const auto fields = launch::carried<uses<Scheme>.size()>(at);
    const Columns<Scheme, Real, std::remove_const_t<decltype(fields)>> body{
        *static_cast<const Scheme*>(scheme), fields};
    static_assert(!in_parts<Scheme> ||
                      std::ranges::none_of(uses<Scheme>, [](const Use& u) { return u.own > 0; }),
                  "parts of a column would share the memory of a kernel");
    launch::columns<cell, Real::width, in_parts<Scheme> && Real::width == 1>(first, last, body);
}
/// The kernel at one column or pack, and at all of some cells: one loop for all schemes.
template <class Scheme, class Real>
void column(const void* scheme, const Raw* at, int column, int row, Levels levels) {
    apply<Real>(*static_cast<const Scheme*>(scheme), at, column, row, levels);
}
using Column = void (*)(const void* scheme, const Raw* at, int column, int row, Levels);
template <int cell, int width, bool in_parts>
void each_column(Column kernel, const void* scheme, const Raw* at, const Cell* first,
                 const Cell* last) {
    launch::columns<cell, width, in_parts>(first, last, [&](int column, int row, Levels levels) {
        kernel(scheme, at, column, width == 1 ? row : 0, levels);
    });
}
}  // namespace process_detail

/// The kernels of a scheme, each a Process::Run.
template <class Scheme, class T> struct Kernels {
    static void packs(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    /// Column by column, in parts as the threads of a GPU compute them: for tests (pack = number),
    /// and as a thread of a GPU has it. On a processor double numbers are those that count: a
    /// kernel is compiled once for both. Single ones are not: what they do together with double
    /// constants is computed in double.
    static void numbers(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    static void count(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    static void tangent(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
};

#if FATHOM_PART != 2
/// In one piece: a call within a kernel would empty all registers.
template <class Scheme, class T>
[[gnu::flatten]] void Kernels<Scheme, T>::packs(const void* scheme, const Raw* at,
                                                const Cell* first, const Cell* last) {
    process_detail::run<Scheme, Pack<T, pack_width<T>>, cell_width<T>>(scheme, at, first, last);
}
#endif
#if FATHOM_PART != 1
template <class Scheme, class T>
void Kernels<Scheme, T>::numbers(const void* scheme, const Raw* at, const Cell* first,
                                 const Cell* last) {
    using namespace process_detail;
    if constexpr (launch::on_device || std::is_same_v<T, float>)
        run<Scheme, Pack<T, 1>, cell_width<T>>(scheme, at, first, last);
    else
        each_column<cell_width<T>, 1, in_parts<Scheme>>(column<Scheme, Pack<Counted<T>, 1>>, scheme,
                                                        at, first, last);
}
template <class Scheme, class T>
void Kernels<Scheme, T>::count(const void* scheme, const Raw* at, const Cell* first,
                               const Cell* last) {
    using namespace process_detail;
    each_column<cell_width<T>, 1, false>(column<Scheme, Pack<Counted<T>, 1>>, scheme, at, first,
                                         last);
}
template <class Scheme, class T>
void Kernels<Scheme, T>::tangent(const void* scheme, const Raw* at, const Cell* first,
                                 const Cell* last) {
    using namespace process_detail;
    using Real = Dual<T, pack_width<T>>;
    each_column<cell_width<T>, Real::width, false>(column<Scheme, Real>, scheme, at, first, last);
}
#endif

}  // namespace fathom
