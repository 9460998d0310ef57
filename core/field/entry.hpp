/// A catalogue lists schemes by name. One line `entry<Scheme>("Name")` gives a scheme its Python
/// class, TOML section, limits, error messages, timer and generic tests. Where Scheme is a template
/// of `own` (thickness.hpp) the line stands for both: as "NameInCells" the second is known to the
/// core and to tests, to users both are the scheme "Name".
#pragma once
#include <optional>
#include "field/process.hpp"

/// What a library of schemes must have been compiled with.
#define FATHOM_LAYOUT __VERSION__ ", layout 5"

namespace fathom {

struct SchemeParameter {
    std::string name, units, meaning;
    double value, least, most;
    std::ptrdiff_t at;  ///< in the scheme [bytes]
};

namespace entry_detail {

/// A scheme without its type: what it declares, how one with defaults is made, and its kernels.
struct Type {
    std::string_view summary;
    std::span<const Use> uses;
    void (*parameters)(std::vector<SchemeParameter>&);
    void* (*make)();
    void (*end)(void*);
    struct Runs {
        Process::Run packs, numbers, count, tangent;
        Process::Adjoint adjoint = nullptr;
        std::shared_ptr<const LinearKernel> (*by_hand)() = nullptr;
    } single, twice;
    /// As of Process: variables of the library that holds the kernels.
    std::uint64_t (*operations)();
    void (*set_shadow)(std::ptrdiff_t bytes);
};

// Templates of what is one type: compiled once (catalogue.cpp), not with each list of schemes.
template <class Parameter>
void add(std::vector<Parameter>& to, std::string_view name, std::string_view units,
         std::string_view meaning, double value, double least, double most, std::ptrdiff_t at);
template <class Entry>
Process process(const Entry&, const std::map<std::string, double>& parameters, int precision,
                int width);

}  // namespace entry_detail

struct Entry {
    std::string name, summary;
    std::string in_cells_of;  ///< the name of this scheme in cells of varying thickness
    /// Schemes for another part of the same physics, by that part: {"expansion", "MWJFExpansion"}.
    std::map<std::string, std::string> companions;
    /// Its default place in a step: {"before", "TracerUpdate"}; for schemes that a model does not
    /// know.
    std::optional<std::pair<std::string, std::string>> stands;
    std::vector<SchemeParameter> parameters;
    std::vector<Process::Field> fields;
    const entry_detail::Type* type;

    /// precision: 4 or 8 bytes a number; width: 0 for packs, 1 for numbers (tests).
    Process make(const std::map<std::string, double>& values, int precision, int width) const {
        return entry_detail::process(*this, values, precision, width);
    }
};

/// Collects the lines of a catalogue; a list of lists counts as lines, too.
template <class Entry> struct Lines : std::vector<Entry> {
    Lines(std::string_view name, const entry_detail::Type&);
    /// For layers, and for cells with thicknesses of their own.
    Lines(std::string_view name, const entry_detail::Type&, const entry_detail::Type& in_cells);
    Lines(std::initializer_list<Lines> lists);
    Lines(const Lines&);
    Lines(Lines&&);
    ~Lines();
    /// For all of them: a scheme that does another part of the same.
    Lines with(std::string_view role, std::string_view companion) &&;
    /// For all of them: their default place in a step, next to a process of the model, by the name
    /// that `fathom show` prints.
    Lines before(std::string_view process) &&;
    Lines after(std::string_view process) &&;
    Lines instead_of(std::string_view process) &&;
};
using Entries = Lines<Entry>;

template <class Scheme> constexpr auto parameters() {
    if constexpr (requires { Scheme::parameters; })
        return Scheme::parameters;
    else
        return std::tuple();
}

/// Its parameters, with their defaults.
template <class Scheme>
void add_parameters(std::vector<SchemeParameter>& to, const Scheme& defaults) {
    std::apply(
        [&](const auto&... p) {
            (entry_detail::add(to, p.name, p.units, p.meaning, defaults.*p.value, p.least, p.most,
                               (const char*)&(defaults.*p.value) - (const char*)&defaults),
             ...);
        },
        parameters<Scheme>());
}

namespace entry_detail {

template <class Scheme> void parameters(std::vector<SchemeParameter>& to) {
    add_parameters(to, Scheme());
}
template <class Scheme> void* make() { return new Scheme; }
template <class Scheme> void end(void* scheme) { delete static_cast<Scheme*>(scheme); }
template <class Scheme, class T> constexpr Type::Runs runs() {
    using All = Kernels<Scheme, T>;
    if constexpr (launch::on_device)
        return {All::numbers, All::numbers, nullptr, nullptr};
    else
        return {All::packs, All::numbers, All::count, All::tangent};
}
inline std::uint64_t operations() { return operations_counted; }
inline void set_shadow(std::ptrdiff_t bytes) { shadow = bytes; }
template <class Scheme>
inline constexpr Type type{Scheme::summary,        uses<Scheme>, parameters<Scheme>,
                           make<Scheme>,           end<Scheme>,  runs<Scheme, float>(),
                           runs<Scheme, double>(), operations,   set_shadow};

}  // namespace entry_detail

template <class Scheme> Entries entry(std::string_view name) {
    return {name, entry_detail::type<Scheme>};
}
template <template <bool own> class Scheme> Entries entry(std::string_view name) {
    return {name, entry_detail::type<Scheme<false>>, entry_detail::type<Scheme<true>>};
}

}  // namespace fathom

#if FATHOM_PART == 0
#include "field/entry_made.hpp"
#endif
