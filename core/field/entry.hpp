/// A catalogue lists schemes by name. One line `entry<Scheme>("Name")` gives a scheme its Python
/// class, TOML section, limits, error messages, timer and generic tests. Where Scheme is a template
/// of `own` (thickness.hpp) the line stands for both: as "NameInCells" the second is known to the
/// core and to tests, to users both are the scheme "Name".
#pragma once
#include <optional>
#include "field/process.hpp"

/// What a library of schemes must have been compiled with.
#define FATHOM_LAYOUT __VERSION__ ", layout 4"

namespace fathom {

struct SchemeParameter {
    std::string name, units, meaning;
    double value, least, most;
    std::ptrdiff_t at;  ///< in the scheme [bytes]
};

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
    /// precision: 4 or 8 bytes a number; width: 0 for packs, 1 for numbers (tests).
    std::function<Process(const std::map<std::string, double>& parameters, int precision,
                          int width)>
        make;
};

template <class Scheme> constexpr auto parameters() {
    if constexpr (requires { Scheme::parameters; })
        return Scheme::parameters;
    else
        return std::tuple();
}

/// Its parameters, with their defaults.
template <class Scheme> std::vector<SchemeParameter> parameters_of(const Scheme& defaults) {
    std::vector<SchemeParameter> all;
    std::apply(
        [&](const auto&... p) {
            (all.push_back({std::string(p.name), std::string(p.units), std::string(p.meaning),
                            defaults.*p.value, p.least, p.most,
                            (const char*)&(defaults.*p.value) - (const char*)&defaults}),
             ...);
        },
        parameters<Scheme>());
    return all;
}

/// Sets a parameter of `scheme`, whose parameters are these.
inline void set_parameter(void* scheme, std::span<const SchemeParameter> parameters,
                          std::string_view of, const std::string& name, double value) {
    std::vector<std::string> known;
    for (auto& p : parameters) {
        known.push_back(p.name);
        if (p.name != name) continue;
        if (!(value >= p.least && value <= p.most))  // written so that NaN is refused
            throw Error(of, ": ", p.name, " = ", value, p.units == "1" ? "" : " ",
                        p.units == "1" ? "" : p.units, " (", p.meaning, ") must lie in [", p.least,
                        ", ", p.most, "]");
        *(double*)((char*)scheme + p.at) = value;
        return;
    }
    throw Error("unknown ", of, " parameter '", name, "'", near(name, known));
}

namespace entry_detail {

/// A scheme without its type: how one with defaults is made, and its kernels.
struct Type {
    void* (*make)();
    void (*end)(void*);
    struct Runs {
        Process::Run packs, numbers, count, tangent;
    } single, twice;
};
template <class Scheme, class T> constexpr Type::Runs runs() {
    using All = Kernels<Scheme, T>;
    if constexpr (launch::on_device)
        return {All::numbers, All::numbers, nullptr, nullptr};
    else
        return {All::packs, All::numbers, All::count, All::tangent};
}
template <class Scheme> void* make() { return new Scheme; }
template <class Scheme> void end(void* scheme) { delete static_cast<Scheme*>(scheme); }
template <class Scheme>
inline constexpr Type type{make<Scheme>, end<Scheme>, runs<Scheme, float>(),
                           runs<Scheme, double>()};

inline Process process(const Entry& e, const Type& type,
                       const std::map<std::string, double>& values, int precision, int width) {
    const std::shared_ptr<void> scheme(type.make(), type.end);
    for (auto& [parameter, value] : values)
        set_parameter(scheme.get(), e.parameters, e.name, parameter, value);
    const Type::Runs& runs = precision == 4 ? type.single : type.twice;
    Process p;
    p.name = p.entry = e.name, p.fields = e.fields, p.scheme = scheme;
    if (width == 1)
        p.run = runs.numbers;
    else
        p.run = runs.packs, p.count = runs.count, p.tangent = runs.tangent;
    p.operations = [] { return operations_counted; };
    p.set_shadow = [](std::ptrdiff_t bytes) { shadow = bytes; };
    return p;
}

inline Entry entry(std::string name, std::string_view summary, std::span<const Use> uses,
                   std::vector<SchemeParameter> parameters, const Type& type) {
    Entry e;
    e.name = std::move(name), e.summary = summary;
    e.parameters = std::move(parameters), e.fields = process_detail::fields(uses);
    e.make = [like = e, &type](const std::map<std::string, double>& values, int precision,
                               int width) { return process(like, type, values, precision, width); };
    return e;
}

}  // namespace entry_detail

template <class Scheme> Entry one_entry(std::string name) {
    return entry_detail::entry(std::move(name), Scheme::summary, uses<Scheme>,
                               parameters_of(Scheme()), entry_detail::type<Scheme>);
}

/// Collects the lines of a catalogue; a list of lists counts as lines, too.
struct Entries : std::vector<Entry> {
    Entries(Entry one) { push_back(std::move(one)); }
    Entries(std::initializer_list<Entries> lists) {
        for (auto& list : lists) insert(end(), list.begin(), list.end());
    }
    /// For all of them: a scheme that does another part of the same.
    Entries with(const std::string& role, const std::string& companion) && {
        for (auto& e : *this) e.companions[role] = companion;
        return std::move(*this);
    }
    /// For all of them: their default place in a step, next to a process of the model, by the name
    /// that `fathom show` prints.
    Entries before(const std::string& process) && { return std::move(*this).at("before", process); }
    Entries after(const std::string& process) && { return std::move(*this).at("after", process); }
    Entries instead_of(const std::string& process) && {
        return std::move(*this).at("instead_of", process);
    }

private:
    Entries at(const std::string& where, const std::string& process) && {
        for (auto& e : *this) e.stands = {where, process};
        return std::move(*this);
    }
};

template <class Scheme> Entries entry(std::string name) {
    return one_entry<Scheme>(std::move(name));
}

template <template <bool own> class Scheme> Entries entry(std::string name) {
    Entry in_cells = one_entry<Scheme<true>>(name + "InCells");
    in_cells.in_cells_of = name;
    return {one_entry<Scheme<false>>(name), std::move(in_cells)};
}

}  // namespace fathom
