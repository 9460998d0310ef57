/// A catalogue lists schemes by name. One line `entry<Scheme>("Name")` gives a scheme its Python
/// class, TOML section, limits, error messages, timer and generic tests. Where Scheme is a template
/// of `own` (thickness.hpp) the line stands for both: as "NameInCells" the second is known to the
/// core and to tests, to users both are the scheme "Name".
#pragma once
#include <optional>
#include "field/process.hpp"

/// What a library of schemes must have been compiled with.
#define FATHOM_LAYOUT __VERSION__ ", layout 2"

namespace fathom {

struct SchemeParameter {
    std::string name, units, meaning;
    double value, least, most;
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

template <class Scheme>
void set_parameter(Scheme& scheme, std::string_view of, const std::string& name, double value) {
    bool found = false;
    std::vector<std::string> known;
    std::apply(
        [&](auto... p) {
            (
                [&] {
                    known.emplace_back(p.name);
                    if (p.name != name) return;
                    if (!(value >= p.least && value <= p.most))  // written so that NaN is refused
                        throw Error(of, ": ", p.name, " = ", value, p.units == "1" ? "" : " ",
                                    p.units == "1" ? "" : p.units, " (", p.meaning,
                                    ") must lie in [", p.least, ", ", p.most, "]");
                    scheme.*p.value = value;
                    found = true;
                }(),
                ...);
        },
        parameters<Scheme>());
    if (!found) throw Error("unknown ", of, " parameter '", name, "'", near(name, known));
}

template <class Scheme> Entry one_entry(std::string name) {
    Entry e;
    e.name = name, e.summary = Scheme::summary;
    const Scheme defaults;
    std::apply(
        [&](auto... p) {
            (e.parameters.push_back({std::string(p.name), std::string(p.units),
                                     std::string(p.meaning), defaults.*p.value, p.least, p.most}),
             ...);
        },
        parameters<Scheme>());
    e.fields = process_detail::fields(uses<Scheme>);
    e.make = [name](const std::map<std::string, double>& values, int precision, int width) {
        Scheme scheme;
        for (auto& [parameter, value] : values) set_parameter(scheme, name, parameter, value);
        const bool numbers = width == 1;
        Process made = precision == 4 ? numbers ? process<float, 1>(name, scheme)
                                                : process<float>(name, scheme)
                       : numbers      ? process<double, 1>(name, scheme)
                                      : process<double>(name, scheme);
        made.entry = name;
        return made;
    };
    return e;
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
