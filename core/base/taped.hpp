/// Taped: a number that remembers what it was made of. A kernel is a template on its number: run on
/// these, it leaves a tape, and the tape, read backwards, gives its adjoint.
///   y = f(a, b):     a' += y' df/da,   b' += y' df/db
/// Where a number of memory came from lies `origins` bytes after it: load reads both, store writes
/// both. The values are those of the plain number; derivatives are those of dual numbers
/// (dual.hpp). What was not chosen (select, larger, smaller) has the adjoint 0 and is passed over,
/// so that no infinity of a branch not taken becomes NaN.
#pragma once
#include <vector>
#include "base/dual.hpp"

namespace fathom {

template <class T> struct Tape {
    /// What was computed: from which two numbers, -1 for none, with which derivatives.
    struct Entry {
        int a, b;
        T by_a, by_b;
    };
    std::vector<Entry> entries;
    std::vector<T> adjoint;  ///< of each entry
    std::ptrdiff_t origins = 0;

    int add(int a, T by_a, int b = -1, T by_b = T(0)) {
        entries.push_back({a, b, by_a, by_b});
        return int(entries.size()) - 1;
    }
    /// From the last to the first.
    void sweep() {
        for (std::size_t n = entries.size(); n-- > 0;) {
            const Entry& e = entries[n];
            const T y = adjoint[n];
            if (y == T(0)) continue;
            if (e.a >= 0) adjoint[e.a] += y * e.by_a;
            if (e.b >= 0) adjoint[e.b] += y * e.by_b;
        }
    }
};

template <class T> inline thread_local Tape<T> tape;  ///< of this thread

template <class T> struct Taped {
    using Number = T;
    using Mask = bool;
    using Plain = Pack<T, 1>;
    using Origin = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    static constexpr int width = 1;
    T value;
    int origin;

    Taped() = default;
    constexpr Taped(T value, int origin) : value(value), origin(origin) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Taped(A x) : Taped(T(x), -1) {}
    static Origin* origin_of(const T* p) { return (Origin*)((char*)p + tape<T>.origins); }
    static Taped load(const T* p) { return {*p, int(*origin_of(p))}; }
    void store(T* p) const { *p = value, *origin_of(p) = origin; }
    void stream(T* p) const { store(p); }

    friend Taped operator+(Taped a, Taped b) { return of(a.value + b.value, a, T(1), b, T(1)); }
    friend Taped operator-(Taped a, Taped b) { return of(a.value - b.value, a, T(1), b, T(-1)); }
    friend Taped operator*(Taped a, Taped b) {
        return of(a.value * b.value, a, b.value, b, a.value);
    }
    friend Taped operator/(Taped a, Taped b) {
        const T ratio = a.value / b.value;
        return of(ratio, a, 1 / b.value, b, -ratio / b.value);
    }
    friend Taped operator-(Taped a) { return of(-a.value, a, T(-1)); }
    Taped& operator+=(Taped b) { return *this = *this + b; }
    Taped& operator-=(Taped b) { return *this = *this - b; }
    Taped& operator*=(Taped b) { return *this = *this * b; }
    friend constexpr bool operator<(Taped a, Taped b) { return a.value < b.value; }
    friend constexpr bool operator>(Taped a, Taped b) { return a.value > b.value; }
    friend constexpr bool operator<=(Taped a, Taped b) { return a.value <= b.value; }
    friend constexpr bool operator>=(Taped a, Taped b) { return a.value >= b.value; }
    friend constexpr Taped select(bool yes, Taped a, Taped b) { return yes ? a : b; }
    friend constexpr Taped larger(Taped a, Taped b) { return a.value > b.value ? a : b; }
    friend constexpr Taped smaller(Taped a, Taped b) { return a.value < b.value ? a : b; }
    friend Taped abs(Taped a) { return larger(a, -a); }
    friend Taped fma(Taped a, Taped b, Taped c) {
        const Taped product = of(T(0), a, b.value, b, a.value);
        return of(std::fma(a.value, b.value, c.value), product, T(1), c, T(1));
    }

    friend Taped sqrt(Taped x) {
        return of(x, [](Dual<T> y) { return sqrt(y); });
    }
    friend Taped exp(Taped x) {
        return of(x, [](Dual<T> y) { return exp(y); });
    }
    friend Taped brief_exp(Taped x) {
        return of(x, [](Dual<T> y) { return brief_exp(y); });
    }
    friend Taped log(Taped x) {
        return of(x, [](Dual<T> y) { return log(y); });
    }
    friend Taped cube_root(Taped x) {
        return of(x, [](Dual<T> y) { return cube_root(y); });
    }
    friend Taped sin(Taped x) {
        return of(x, [](Dual<T> y) { return sin(y); });
    }
    friend Taped cos(Taped x) {
        return of(x, [](Dual<T> y) { return cos(y); });
    }
    friend Taped atan(Taped x) {
        return of(x, [](Dual<T> y) { return atan(y); });
    }
    friend std::pair<Taped, Taped> sine_cosine(Taped x) { return {sin(x), cos(x)}; }
    friend Taped pow(Taped x, Taped y) {
        const Dual<T> by_x = pow(Dual<T>(x.value, T(1)), Dual<T>(y.value, T(0))),
                      by_y = pow(Dual<T>(x.value, T(0)), Dual<T>(y.value, T(1)));
        return of(by_x.value, x, by_x.tangent, y, by_y.tangent);
    }
    friend Taped unbiased_sum(Taped large, Taped small) {
        const Dual<T> sum = unbiased_sum(Dual<T>(large.value, T(0)), Dual<T>(small.value, T(0)));
        return of(sum.value, large, T(1), small, T(1));
    }

private:
    static Taped of(T value, Taped a, T by_a, Taped b = {T(0), -1}, T by_b = T(0)) {
        if (a.origin < 0 && b.origin < 0) return {value, -1};
        return {value, tape<T>.add(a.origin, by_a, b.origin, by_b)};
    }
    /// A function of one number, with the derivative that dual numbers give it.
    template <class Function> static Taped of(Taped x, Function f) {
        const Dual<T> y = f(Dual<T>(x.value, T(1)));
        return of(y.value, x, y.tangent);
    }
};

}  // namespace fathom
