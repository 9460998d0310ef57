/// Dual: a number with its tangent, what a small change of the input makes of it. A kernel is a
/// template on its number: run on these, it is its own tangent-linear model.
///   f(x + e dx) = f(x) + e f'(x) dx + O(e^2):     value = f(x),   tangent = f'(x) dx
/// The tangent of a field lies `shadow` bytes after the field: load reads both, store writes both.
/// The values are those of the plain number, to the last bit. Where a kernel chooses (select,
/// larger, smaller) the tangent is that of what it has chosen; that of a root at 0 is taken as 0.
#pragma once
#include "base/brief.hpp"
#include "base/elementary.hpp"
#include "base/unbiased.hpp"

namespace fathom {

inline thread_local std::ptrdiff_t shadow = 0;  ///< of this thread [bytes]

template <class T> struct Dual {
    using Number = T;
    using Mask = bool;
    using Plain = Pack<T, 1>;
    static constexpr int width = 1;
    T value, tangent;

    Dual() = default;
    constexpr Dual(T value, T tangent) : value(value), tangent(tangent) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Dual(A x) : Dual(T(x), T(0)) {}
    static Dual load(const T* p) { return {*p, *(const T*)((const char*)p + shadow)}; }
    void store(T* p) const { *p = value, *(T*)((char*)p + shadow) = tangent; }
    void stream(T* p) const { store(p); }

    friend constexpr Dual operator+(Dual a, Dual b) {
        return {a.value + b.value, a.tangent + b.tangent};
    }
    friend constexpr Dual operator-(Dual a, Dual b) {
        return {a.value - b.value, a.tangent - b.tangent};
    }
    friend constexpr Dual operator*(Dual a, Dual b) {
        return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
    }
    friend constexpr Dual operator/(Dual a, Dual b) {
        const T ratio = a.value / b.value;
        return {ratio, (a.tangent - ratio * b.tangent) / b.value};
    }
    friend constexpr Dual operator-(Dual a) { return {-a.value, -a.tangent}; }
    constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
    constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
    constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
    friend constexpr bool operator<(Dual a, Dual b) { return a.value < b.value; }
    friend constexpr bool operator>(Dual a, Dual b) { return a.value > b.value; }
    friend constexpr bool operator<=(Dual a, Dual b) { return a.value <= b.value; }
    friend constexpr bool operator>=(Dual a, Dual b) { return a.value >= b.value; }
    friend constexpr Dual select(bool yes, Dual a, Dual b) { return yes ? a : b; }
    friend constexpr Dual larger(Dual a, Dual b) { return a.value > b.value ? a : b; }
    friend constexpr Dual smaller(Dual a, Dual b) { return a.value < b.value ? a : b; }
    friend constexpr Dual abs(Dual a) { return larger(a, -a); }
    friend constexpr Dual fma(Dual a, Dual b, Dual c) {
        return {std::fma(a.value, b.value, c.value),
                a.tangent * b.value + a.value * b.tangent + c.tangent};
    }
    friend constexpr Dual sqrt(Dual a) {
        const T root = std::sqrt(a.value);
        return {root, root > 0 ? a.tangent / (2 * root) : T(0)};
    }

    friend constexpr Dual exp(Dual x) { return x.times_slope(exp(x.plain())); }
    friend constexpr Dual brief_exp(Dual x) { return x.times_slope(brief_exp(x.plain())); }
    friend constexpr Dual log(Dual x) { return {log(x.plain()).lanes, x.tangent / x.value}; }
    friend constexpr Dual pow(Dual x, Dual y) {
        const T power = pow(x.plain(), y.plain()).lanes,
                change = y.tangent * log(x.plain()).lanes + y.value * x.tangent / x.value;
        return {power, power * change};
    }
    friend constexpr Dual cube_root(Dual x) {
        const T root = cube_root(x.plain()).lanes;
        return {root, root * x.tangent / (3 * x.value)};
    }
    friend constexpr std::pair<Dual, Dual> sine_cosine(Dual x) {
        const auto [s, c] = sine_cosine(x.plain());
        return {Dual(s.lanes, c.lanes * x.tangent), Dual(c.lanes, -s.lanes * x.tangent)};
    }
    friend constexpr Dual sin(Dual x) { return sine_cosine(x).first; }
    friend constexpr Dual cos(Dual x) { return sine_cosine(x).second; }
    friend constexpr Dual atan(Dual x) {
        return {atan(x.plain()).lanes, x.tangent / (1 + x.value * x.value)};
    }
    friend constexpr Dual unbiased_sum(Dual large, Dual small) {
        return {unbiased_sum(large.plain(), small.plain()).lanes, large.tangent + small.tangent};
    }

private:
    constexpr Plain plain() const { return Plain(value); }
    /// A function that is its own derivative.
    constexpr Dual times_slope(Plain f) const { return {f.lanes, f.lanes * tangent}; }
};

}  // namespace fathom
