/// Units of a field that may belong to any tracer: "any"; and of fields derived from one: "any m3
/// s-1", units of the tracer times m3 s-1. If one process declares "any" and another declares
/// units, the field has those units.
#pragma once
#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace fathom {

constexpr bool any_units(std::string_view units) {
    return units == "any" || units.starts_with("any ");
}
/// Whether two processes mean the same field.
constexpr bool units_agree(std::string_view a, std::string_view b) {
    if (a == b || a == "any" || b == "any") return true;
    return any_units(a) != any_units(b);
}
/// The combined description of a field that two processes describe.
constexpr std::string_view known_units(std::string_view a, std::string_view b) {
    return a == "any" || (any_units(a) && !any_units(b)) ? b : a;
}
/// For a field whose units nobody declares: those of a number.
constexpr std::string_view plain_units(std::string_view units) {
    return units == "any" ? "1" : any_units(units) ? units.substr(4) : units;
}

/// Units as powers of base units: "mol m-3 m s-1" is {mol: 1, m: -2, s: -1}.
inline std::map<std::string, int> powers(std::string_view units) {
    std::map<std::string, int> found;
    while (!units.empty()) {
        const std::size_t end = std::min(units.find(' '), units.size());
        const std::string_view word = units.substr(0, end);
        const std::size_t digits = std::min(word.find_first_of("-0123456789", 1), word.size());
        int power = 1;
        std::from_chars(word.data() + digits, word.data() + word.size(), power);
        if (!word.empty() && word != "1") found[std::string(word.substr(0, digits))] += power;
        units.remove_prefix(std::min(end + 1, units.size()));
    }
    std::erase_if(found, [](auto& one) { return one.second == 0; });
    return found;
}
/// Whether units are those of a tracer times a factor: "mol m-2 s-1" of "mol m-3" and "any m s-1".
inline bool units_of(std::string_view units, std::string_view tracer, std::string_view any) {
    return powers(units) == powers(std::string(tracer) + " " + std::string(any.substr(4)));
}

}  // namespace fathom
