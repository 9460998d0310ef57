/// For headers of users: std::exp, std::max ... of the numbers of a kernel, as of double. A kernel
/// is compiled for packs of numbers, for numbers with a derivative, and for numbers on a tape; each
/// has its own exp. Unqualified, exp(x) finds it in any case; so does std::exp(x) after this. Only
/// the unit that is made of a user's header includes it (fathom/model/plugins.py): the core itself
/// writes the names without std.
#pragma once
#include <cmath>
#include <concepts>
#include <type_traits>
#include "base/elementary.hpp"

namespace fathom::by_name {
/// A number of a kernel that is no number of C++.
template <class R>
concept Number = std::is_class_v<R> && requires(const R& x) { larger(x, x); };

template <Number R> constexpr auto call_exp(const R& x) -> decltype(exp(x)) { return exp(x); }
template <Number R> constexpr auto call_log(const R& x) -> decltype(log(x)) { return log(x); }
template <Number R> constexpr auto call_sqrt(const R& x) -> decltype(sqrt(x)) { return sqrt(x); }
template <Number R> constexpr auto call_abs(const R& x) -> decltype(abs(x)) { return abs(x); }
template <Number R> constexpr auto call_sin(const R& x) -> decltype(sin(x)) { return sin(x); }
template <Number R> constexpr auto call_cos(const R& x) -> decltype(cos(x)) { return cos(x); }
template <Number R> constexpr auto call_atan(const R& x) -> decltype(atan(x)) { return atan(x); }
template <Number R> constexpr auto call_pow(const R& x, const R& y) -> decltype(pow(x, y)) {
    return pow(x, y);
}
}  // namespace fathom::by_name

namespace std {
// NOLINTBEGIN(cert-dcl58-cpp): overloads for types of this library
template <fathom::by_name::Number R> constexpr R exp(const R& x) {
    return fathom::by_name::call_exp(x);
}
template <fathom::by_name::Number R> constexpr R log(const R& x) {
    return fathom::by_name::call_log(x);
}
template <fathom::by_name::Number R> constexpr R sqrt(const R& x) {
    return fathom::by_name::call_sqrt(x);
}
template <fathom::by_name::Number R> constexpr R abs(const R& x) {
    return fathom::by_name::call_abs(x);
}
template <fathom::by_name::Number R> constexpr R sin(const R& x) {
    return fathom::by_name::call_sin(x);
}
template <fathom::by_name::Number R> constexpr R cos(const R& x) {
    return fathom::by_name::call_cos(x);
}
template <fathom::by_name::Number R> constexpr R atan(const R& x) {
    return fathom::by_name::call_atan(x);
}
template <fathom::by_name::Number R> constexpr R pow(const R& x, const R& y) {
    return fathom::by_name::call_pow(x, y);
}
template <fathom::by_name::Number R> constexpr R pow(const R& x, double y) {
    return fathom::by_name::call_pow(x, R(y));
}
template <fathom::by_name::Number R> constexpr R max(const R& x, const R& y) {
    return larger(x, y);
}
template <fathom::by_name::Number R> constexpr R max(const R& x, double y) {
    return larger(x, R(y));
}
template <fathom::by_name::Number R> constexpr R max(double x, const R& y) {
    return larger(R(x), y);
}
template <fathom::by_name::Number R> constexpr R min(const R& x, const R& y) {
    return smaller(x, y);
}
template <fathom::by_name::Number R> constexpr R min(const R& x, double y) {
    return smaller(x, R(y));
}
template <fathom::by_name::Number R> constexpr R min(double x, const R& y) {
    return smaller(R(x), y);
}
// NOLINTEND(cert-dcl58-cpp)
}  // namespace std
