/// The signature of a kernel is its declaration: the types of its arguments give the uses of
/// fields, in their order, and how arguments are made from memory. A bundle, an aggregate that
/// several schemes share, is one argument and stands for its members:
///
///   template <class Real> struct FaceGeometry { Reads<Real, ...> length_north, dy_north; };
///
/// An argument `Levels each` is no field: the kernel computes levels apart from each other, from
/// each.first to before each.end, and reads no other level of a field that it changes.
#pragma once
#include <concepts>
#include <utility>
#include "base/pack.hpp"
#include "field/field.hpp"
#include "field/members.hpp"

namespace fathom {

template <class A>
concept View = requires {
    { A::use } -> std::convertible_to<Use>;
};

namespace arguments_detail {
template <class S, class... A> Types<A...> of(void (S::*)(A...) const);

template <class... A> consteval std::size_t count(Types<A...>);
template <class A> consteval std::size_t count() {
    if constexpr (std::same_as<A, Levels>)
        return 0;
    else if constexpr (View<A>)
        return 1;
    else
        return count(Members<A>());
}
template <class... A> consteval std::size_t count(Types<A...>) { return (count<A>() + ... + 0); }

template <class... A> constexpr Use* list(Types<A...>, Use* to);
template <class A> constexpr Use* list(Use* to) {
    if constexpr (std::same_as<A, Levels>)
        return to;
    else if constexpr (View<A>) {
        *to = A::use;
        return to + 1;
    } else
        return list(Members<A>(), to);
}
template <class... A> constexpr Use* list(Types<A...>, Use* to) {
    ((to = list<A>(to)), ...);
    return to;
}

/// The first use of each argument.
template <class... A> consteval std::array<std::size_t, sizeof...(A) + 1> begins(Types<A...>) {
    std::array<std::size_t, sizeof...(A) + 1> first{};
    std::size_t n = 0;
    ((first[n + 1] = first[n] + count<A>(), ++n), ...);
    return first;
}
}  // namespace arguments_detail

/// The arguments of a scheme's kernel.
template <class Scheme, class Real>
using Arguments = decltype(arguments_detail::of(&Scheme::template operator()<Real>));

/// The uses of fields that the signature of a scheme declares.
template <class Scheme>
inline constexpr auto uses = [] {
    using Given = Arguments<Scheme, Pack<double, 1>>;
    std::array<Use, arguments_detail::count(Given())> all{};
    arguments_detail::list(Given(), all.data());
    return all;
}();

/// The levels of a column may be computed apart from each other.
template <class Scheme>
inline constexpr bool in_parts = []<class... A>(Types<A...>) {
    return (std::same_as<A, Levels> || ...);
}(Arguments<Scheme, Pack<double, 1>>());

/// An argument from the memory at `at`, moved by this many columns and rows.
template <class A> constexpr A argument(const Raw* at, int column, int row, Levels levels) {
    if constexpr (std::same_as<A, Levels>)
        return levels;
    else if constexpr (View<A>)
        return A(*at, row * at->row + column, levels.count);
    else
        return [&]<class... M>(Types<M...>) {
            constexpr auto first = arguments_detail::begins(Types<M...>());
            return [&]<std::size_t... n>(std::index_sequence<n...>) {
                return A{argument<M>(at + first[n], column, row, levels)...};
            }(std::make_index_sequence<sizeof...(M)>());
        }(Members<A>());
}

/// The kernel at one column or pack, this many columns and rows from the start of its arguments.
template <class Real, class Scheme>
constexpr void apply(const Scheme& kernel, const Raw* at, int column, int row, Levels levels) {
    [&]<class... A>(Types<A...>) {
        constexpr auto first = arguments_detail::begins(Types<A...>());
        [&]<std::size_t... n>(std::index_sequence<n...>) {
            kernel.template operator()<Real>(argument<A>(at + first[n], column, row, levels)...);
        }(std::make_index_sequence<sizeof...(A)>());
    }(Arguments<Scheme, Real>());
}

}  // namespace fathom
