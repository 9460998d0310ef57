/// The types of the members of an aggregate, in their order.
#pragma once
#include <cstddef>
#include <utility>

namespace fathom {

template <class... T> struct Types {};

namespace members_detail {
struct Anything {
    template <class T> constexpr operator T() const;
};
template <std::size_t> using Any = Anything;

template <class Aggregate, std::size_t... n> consteval bool takes(std::index_sequence<n...>) {
    return requires { Aggregate{Any<n>{}...}; };
}
/// The number of members: the largest number of values that can initialise the aggregate.
template <class Aggregate, std::size_t n = 13> consteval std::size_t count() {
    if constexpr (n == 0 || takes<Aggregate>(std::make_index_sequence<n>{}))
        return n;
    else
        return count<Aggregate, n - 1>();
}

// long: each number of members is a separate case, because structured bindings need it
template <class Aggregate> auto members(Aggregate& of) {
    constexpr std::size_t n = count<Aggregate>();
    static_assert(n >= 1 && n <= 12, "a bundle has 1 to 12 members");
    if constexpr (n == 1) {
        auto& [a] = of;
        return Types<decltype(a)>();
    } else if constexpr (n == 2) {
        auto& [a, b] = of;
        return Types<decltype(a), decltype(b)>();
    } else if constexpr (n == 3) {
        auto& [a, b, c] = of;
        return Types<decltype(a), decltype(b), decltype(c)>();
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d)>();
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>();
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                     decltype(f)>();
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g)>();
    } else if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g), decltype(h)>();
    } else if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g), decltype(h), decltype(i)>();
    } else if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g), decltype(h), decltype(i), decltype(j)>();
    } else if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g), decltype(h), decltype(i), decltype(j), decltype(k)>();
    } else if constexpr (n == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = of;
        return Types<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                     decltype(g), decltype(h), decltype(i), decltype(j), decltype(k),
                     decltype(l)>();
    }
}
}  // namespace members_detail

template <class Aggregate>
using Members = decltype(members_detail::members(std::declval<Aggregate&>()));

}  // namespace fathom
