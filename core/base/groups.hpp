/// Groups whose size the compiler knows: the data of a group then fit into registers.
#pragma once
#include <type_traits>

namespace fathom {

/// act(first, size as a constant) for 0 ... count - 1 in groups of up to `most`, which is 1 to 3,
/// all of about the same size.
template <int most, class Act> constexpr void each_group(int count, Act act) {
    static_assert(most >= 1 && most <= 3);
    const int groups = (count + most - 1) / most;
    for (int g = 0, first = 0; g < groups; ++g) {
        const int next = count * (g + 1) / groups;
        if (next - first == 1) act(first, std::integral_constant<int, 1>());
        if constexpr (most > 1)
            if (next - first == 2) act(first, std::integral_constant<int, 2>());
        if constexpr (most > 2)
            if (next - first == 3) act(first, std::integral_constant<int, 3>());
        first = next;
    }
}

}  // namespace fathom
