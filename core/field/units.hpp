/// Units of a field that may be that of any tracer: "any", and of what is made of one "any m3 s-1",
/// units of the tracer times m3 s-1. A field that one process knows as any has the units that
/// another knows.
#pragma once
#include <string_view>

namespace fathom {

constexpr bool any_units(std::string_view units) {
    return units == "any" || units.starts_with("any ");
}
/// Whether two processes mean the same field.
constexpr bool units_agree(std::string_view a, std::string_view b) {
    if (a == b || a == "any" || b == "any") return true;
    if (any_units(a) == any_units(b)) return false;
    const std::string_view open = any_units(a) ? a : b, known = any_units(a) ? b : a;
    const std::string_view factor = open.substr(4);  // "degC m3 s-1" and "m3 s-1" are any m3 s-1
    return known == factor || (known.ends_with(factor) && known.size() > factor.size() &&
                               known[known.size() - factor.size() - 1] == ' ');
}
/// What is known of a field that both describe.
constexpr std::string_view known_units(std::string_view a, std::string_view b) {
    return a == "any" || (any_units(a) && !any_units(b)) ? b : a;
}
/// Of a field of which nobody knows more: as of a number.
constexpr std::string_view plain_units(std::string_view units) {
    return units == "any" ? "1" : any_units(units) ? units.substr(4) : units;
}

}  // namespace fathom
