/// Counted: a number that counts the operations done with it. A kernel is a template on its number:
/// run on these, it counts its own work.
///   + - * / and the root count as one operation, a fused multiply-add as two; comparisons,
///       choices and signs count as none.
/// The values are those of the plain number, to the last bit. Operations are calls: as in
/// base/taped.hpp, a kernel is then compiled in a fraction of the time.
#pragma once
#include "base/elementary.hpp"

namespace fathom {

inline thread_local std::uint64_t operations_counted = 0;  ///< by this thread so far

template <class T> struct Counted {
    T value;
    Counted() = default;
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Counted(A x) : value(T(x)) {}
    explicit constexpr operator double() const { return double(value); }

    [[gnu::noinline]] friend constexpr Counted operator+(Counted a, Counted b) {
        return did(a.value + b.value);
    }
    [[gnu::noinline]] friend constexpr Counted operator-(Counted a, Counted b) {
        return did(a.value - b.value);
    }
    [[gnu::noinline]] friend constexpr Counted operator*(Counted a, Counted b) {
        return did(a.value * b.value);
    }
    [[gnu::noinline]] friend constexpr Counted operator/(Counted a, Counted b) {
        return did(a.value / b.value);
    }
    friend constexpr Counted operator-(Counted a) { return Counted(-a.value); }
    friend constexpr bool operator<(Counted a, Counted b) { return a.value < b.value; }
    friend constexpr bool operator>(Counted a, Counted b) { return a.value > b.value; }
    friend constexpr bool operator<=(Counted a, Counted b) { return a.value <= b.value; }
    friend constexpr bool operator>=(Counted a, Counted b) { return a.value >= b.value; }
    [[gnu::noinline]] friend constexpr Counted fma(Counted a, Counted b, Counted c) {
        operations_counted += 2;
        return std::fma(a.value, b.value, c.value);
    }
    [[gnu::noinline]] friend constexpr Counted sqrt(Counted a) { return did(std::sqrt(a.value)); }

private:
    static constexpr Counted did(T x) {
        if (!std::is_constant_evaluated()) ++operations_counted;
        return Counted(x);
    }
};

namespace elementary_detail {
template <class T> struct Format<Counted<T>> : Format<T> {};
}  // namespace elementary_detail

}  // namespace fathom

template <class T> struct std::numeric_limits<fathom::Counted<T>> : std::numeric_limits<T> {};
