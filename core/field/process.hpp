/// From a scheme (a struct with `summary`, `parameters`, `fields` and a kernel) to a Process: the
/// same thing without its type, which a sequence, and Python, can hold, rename and order at run
/// time. All templates end here: one function a scheme and precision.
#pragma once
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include "base/counted.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "field/field.hpp"

namespace fathom {

/// One parameter of a scheme: from this line follow Python's keyword, TOML, --set, the bounds and
/// the error message.
template <class Scheme> struct Parameter {
    std::string_view name;
    double Scheme::* value;
    std::string_view units;
    double least, most;
    std::string_view meaning;
};

struct Cell {
    int column, levels;
};  ///< cell_width columns starting at `column`, of which the deepest has `levels` wet levels

class GlobalProcess;

struct Process {
    struct Field {
        std::string name, units;
        Place place;
        Access access;
        int reach;
    };
    using Run = void (*)(const void* scheme, const Raw* at, const Cell* first, const Cell* last);
    std::string name, phase = "baroclinic";
    int every =
        /// runs in steps 0, every, 2 every ...; what it writes stays until it runs again, and is
        /// state
        1;
    std::vector<Field> fields;
    std::shared_ptr<const void> scheme;
    Run run = nullptr,
        count =
            /// `at` holds each field at column first->column. count: the same on numbers that count
        /// (base/counted.hpp)
        nullptr;
    /// Instead of `run`: once for all columns, by communication.
    std::shared_ptr<GlobalProcess> global;

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
    /// The same scheme on a field that is elsewhere: process.at("value",
    /// place::corner_vector_layer).
    Process at(std::string_view field, Place place) const {
        Process copy = *this;
        for (auto& f : copy.fields)
            if (f.name == field) f.place = place;
        return copy;
    }
};

namespace process_detail {
template <class S, class... A> std::tuple<A...> arguments(void (S::*)(A...) const);
template <class Scheme, class Real>
using Arguments = decltype(arguments(&Scheme::template operator()<Real>));

template <class Scheme, class Real, std::size_t n> auto declared() {
    constexpr Use use = Scheme::fields[n];
    if constexpr (use.place == place::profile)
        return std::type_identity<Profile<Real>>{};
    else
        return std::type_identity<ColumnView<Real, use.access, use.reach>>{};
}
template <class Scheme, std::size_t argument, class Declared, class Written>
constexpr void agree() {
    static_assert(
        std::same_as<Declared, Written>,
        "operator() disagrees with `fields`: compare Declared with Written for this argument");
}
template <class Scheme, class Real, int cell, std::size_t... n>
void run(const void* scheme, const Raw* at, const Cell* first, const Cell* last,
         std::index_sequence<n...>) {
    const Scheme kernel = *static_cast<const Scheme*>(
        scheme);  // a copy: parameters stay in registers, stores cannot alias them
    for (const Cell* c = first; c != last; ++c)
        for (int column = c->column - first->column, end = column + cell; column < end;
             column += Real::width)
            kernel.template operator()<Real>(
                typename decltype(declared<Scheme, Real, n>())::type(at[n], column, c->levels)...);
}
}  // namespace process_detail

/// width = 1 runs the same kernel column by column: for tests (pack = number) and as the model of a
/// GPU thread.
template <class T, int width = cell_width<T>, class Scheme>
Process process(std::string name, Scheme scheme) {
    using namespace process_detail;
    using Real = Pack<T, width>;
    using Given = Arguments<Scheme, Real>;
    constexpr std::size_t count = Scheme::fields.size();
    static_assert(std::tuple_size_v<Given> == count, "operator() and `fields` differ in length");
    [&]<std::size_t... n>(std::index_sequence<n...>) {
        (agree<Scheme, n, typename decltype(declared<Scheme, Real, n>())::type,
               std::tuple_element_t<n, Given>>(),
         ...);
    }(std::make_index_sequence<count>{});
    Process p;
    p.name = std::move(name);
    p.scheme = std::make_shared<Scheme>(scheme);
    if constexpr (!requires { Scheme::global; })
        p.run = [](const void* s, const Raw* at, const Cell* first, const Cell* last) {
            run<Scheme, Real, cell_width<T>>(s, at, first, last, std::make_index_sequence<count>{});
        };
    if constexpr (!requires { Scheme::global; } && width > 1)
        p.count = [](const void* s, const Raw* at, const Cell* first, const Cell* last) {
            run<Scheme, Pack<Counted<T>, 1>, cell_width<T>>(s, at, first, last,
                                                            std::make_index_sequence<count>{});
        };
    for (const Use& u : Scheme::fields)
        p.fields.push_back({std::string(u.name), std::string(u.units), u.place, u.access, u.reach});
    return p;
}

}  // namespace fathom
