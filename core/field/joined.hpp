/// Lists of uses that several schemes share: `fields` is joined(reads(...), geometry, updates(...))
/// of single uses and arrays of them.
#pragma once
#include "field/field.hpp"

namespace fathom {

template <class Item> inline constexpr std::size_t uses_in = 1;
template <std::size_t n> inline constexpr std::size_t uses_in<std::array<Use, n>> = n;
template <class... Items> consteval auto joined(const Items&... items) {
    std::array<Use, (uses_in<Items> + ...)> all{};
    std::size_t count = 0;
    (
        [&] {
            if constexpr (std::is_same_v<Items, Use>)
                all[count++] = items;
            else
                for (const Use& use : items) all[count++] = use;
        }(),
        ...);
    return all;
}

}  // namespace fathom
