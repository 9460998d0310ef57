/// What the lines of a catalogue do (field/entry.hpp): the same for all schemes.
#pragma once
#include "field/entry.hpp"

namespace fathom {

/// The parameters of a scheme, with their defaults.
template <class Scheme> std::vector<SchemeParameter> parameters_of(const Scheme& defaults) {
    std::vector<SchemeParameter> all;
    add_parameters(all, defaults);
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

template <class Parameter>
void add(std::vector<Parameter>& to, std::string_view name, std::string_view units,
         std::string_view meaning, double value, double least, double most, std::ptrdiff_t at) {
    to.push_back(
        {std::string(name), std::string(units), std::string(meaning), value, least, most, at});
}

template <class Entry>
Process process(const Entry& e, const std::map<std::string, double>& values, int precision,
                int width) {
    const Type& type = *e.type;
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
    p.adjoint = runs.adjoint;
    if (runs.by_hand) p.by_hand = runs.by_hand();
    p.operations = type.operations, p.set_shadow = type.set_shadow;
    return p;
}

inline Entry entry(std::string_view name, const Type& type) {
    Entry e;
    e.name = name, e.summary = type.summary, e.type = &type;
    type.parameters(e.parameters);
    e.fields = process_detail::fields(type.uses);
    return e;
}
template <class Entry>
void stand(std::vector<Entry>& all, const char* where, std::string_view process) {
    for (auto& e : all) e.stands = {where, std::string(process)};
}

}  // namespace entry_detail

template <class Entry> Lines<Entry>::Lines(std::string_view name, const entry_detail::Type& type) {
    this->push_back(entry_detail::entry(name, type));
}
template <class Entry>
Lines<Entry>::Lines(std::string_view name, const entry_detail::Type& type,
                    const entry_detail::Type& in_cells)
    : Lines(name, type) {
    this->push_back(entry_detail::entry(std::string(name) + "InCells", in_cells));
    this->back().in_cells_of = name;
}
template <class Entry> Lines<Entry>::Lines(std::initializer_list<Lines> lists) {
    for (auto& list : lists) this->insert(this->end(), list.begin(), list.end());
}
template <class Entry> Lines<Entry>::Lines(const Lines&) = default;
template <class Entry> Lines<Entry>::Lines(Lines&&) = default;
template <class Entry> Lines<Entry>::~Lines() = default;

template <class Entry>
Lines<Entry> Lines<Entry>::with(std::string_view role, std::string_view companion) && {
    for (auto& e : *this) e.companions[std::string(role)] = companion;
    return std::move(*this);
}
template <class Entry> Lines<Entry> Lines<Entry>::before(std::string_view process) && {
    entry_detail::stand(*this, "before", process);
    return std::move(*this);
}
template <class Entry> Lines<Entry> Lines<Entry>::after(std::string_view process) && {
    entry_detail::stand(*this, "after", process);
    return std::move(*this);
}
template <class Entry> Lines<Entry> Lines<Entry>::instead_of(std::string_view process) && {
    entry_detail::stand(*this, "instead_of", process);
    return std::move(*this);
}

}  // namespace fathom
