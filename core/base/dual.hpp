/// Dual: a number with its tangent, the change that a small change of the input causes. A kernel is
/// a template on its number: run on these, it is its own tangent-linear model.
///   f(x + e dx) = f(x) + e f'(x) dx + O(e^2):     value = f(x),   tangent = f'(x) dx
/// The tangent of a field lies `shadow` bytes after the field: load reads both, store writes both.
/// The values are those of the plain number, to the last bit. Where a kernel chooses (select,
/// larger, smaller) the tangent is that of the chosen value; that of a root at 0 is taken as 0.
/// lanes: number of neighbouring columns computed at once.
#pragma once
#include "base/brief.hpp"
#include "base/elementary.hpp"
#include "base/unbiased.hpp"

namespace fathom {

inline thread_local std::ptrdiff_t shadow = 0;  ///< of this thread [bytes]

template <class T, int lanes = 1> struct Dual {
    using Lanes = Pack<T, lanes>;
    using Number = T;
    using Mask = typename Lanes::Mask;
    using Plain = Lanes;
    static constexpr int width = lanes;
    Lanes value, tangent;

    Dual() = default;
    constexpr Dual(Lanes value, Lanes tangent) : value(value), tangent(tangent) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Dual(A x) : Dual(Lanes(T(x)), Lanes(T(0))) {}
    static Dual load(const T* p) { return {Lanes::load(p), Lanes::load(beside(p))}; }
    void store(T* p) const { value.store(p), tangent.store(beside(p)); }
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
        const Lanes ratio = a.value / b.value;
        return {ratio, (a.tangent - ratio * b.tangent) / b.value};
    }
    friend constexpr Dual operator-(Dual a) { return {-a.value, -a.tangent}; }
    constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
    constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
    constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
    friend constexpr Mask operator<(Dual a, Dual b) { return a.value < b.value; }
    friend constexpr Mask operator>(Dual a, Dual b) { return a.value > b.value; }
    friend constexpr Mask operator<=(Dual a, Dual b) { return a.value <= b.value; }
    friend constexpr Mask operator>=(Dual a, Dual b) { return a.value >= b.value; }
    friend constexpr Dual select(Mask yes, Dual a, Dual b) {
        return {select(yes, a.value, b.value), select(yes, a.tangent, b.tangent)};
    }
    friend constexpr Dual larger(Dual a, Dual b) { return select(a.value > b.value, a, b); }
    friend constexpr Dual smaller(Dual a, Dual b) { return select(a.value < b.value, a, b); }
    friend constexpr Dual abs(Dual a) { return larger(a, -a); }
    friend constexpr Dual fma(Dual a, Dual b, Dual c) {
        return {fma(a.value, b.value, c.value),
                a.tangent * b.value + a.value * b.tangent + c.tangent};
    }
    friend constexpr Dual sqrt(Dual a) {
        const Lanes root = sqrt(a.value), none(T(0));
        return {root, select(root > none, a.tangent / (root + root), none)};
    }

    friend constexpr Dual exp(Dual x) { return x.times_slope(exp(x.value)); }
    friend constexpr Dual brief_exp(Dual x) { return x.times_slope(brief_exp(x.value)); }
    friend constexpr Dual log(Dual x) { return {log(x.value), x.tangent / x.value}; }
    friend constexpr Dual pow(Dual x, Dual y) {
        const Lanes power = pow(x.value, y.value),
                    change = y.tangent * log(x.value) + y.value * x.tangent / x.value;
        return {power, power * change};
    }
    friend constexpr Dual cube_root(Dual x) {
        const Lanes root = cube_root(x.value);
        return {root, root * x.tangent / (Lanes(T(3)) * x.value)};
    }
    friend constexpr std::pair<Dual, Dual> sine_cosine(Dual x) {
        const auto [s, c] = sine_cosine(x.value);
        return {Dual(s, c * x.tangent), Dual(c, -s * x.tangent)};
    }
    friend constexpr Dual sin(Dual x) { return sine_cosine(x).first; }
    friend constexpr Dual cos(Dual x) { return sine_cosine(x).second; }
    friend constexpr Dual atan(Dual x) {
        return {atan(x.value), x.tangent / (Lanes(T(1)) + x.value * x.value)};
    }
    friend constexpr Dual unbiased_sum(Dual large, Dual small) {
        return {unbiased_sum(large.value, small.value), large.tangent + small.tangent};
    }

private:
    static const T* beside(const T* p) { return (const T*)((const char*)p + shadow); }
    static T* beside(T* p) { return (T*)((char*)p + shadow); }
    /// A function that equals its derivative.
    constexpr Dual times_slope(Lanes f) const { return {f, f * tangent}; }
};

}  // namespace fathom
