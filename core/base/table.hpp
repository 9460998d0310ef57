/// Table: numbers of a std::array that kernels may read. Device code cannot read arrays outside of
/// its functions, not even constant ones, and one inside would use memory of each thread. A number
/// is chosen by comparisons instead, which costs nothing where the compiler knows n.
///
///   using thickness = Table<std::array{0.07, 0.21, 0.72, 1.89}>;      thickness::at(k)
#pragma once
#include <array>
#include <utility>

namespace fathom {

template <auto numbers> struct Table {
    static constexpr auto at(int n) {
        return chosen(n, std::make_integer_sequence<int, int(numbers.size())>());
    }

private:
    template <int i> static constexpr auto number = numbers[i];
    template <int... i> static constexpr auto chosen(int n, std::integer_sequence<int, i...>) {
        auto found = number<0>;
        ((n == i ? void(found = number<i>) : void()), ...);
        return found;
    }
};

}  // namespace fathom
