/// Taped: numbers that record how they were computed, for several neighbouring columns at once. A
/// kernel is a template on its number: run on these, it writes a tape, and the tape, read
/// backwards, gives its adjoint.
///   y = f(a, b):     a' += y' df/da,   b' += y' df/db
/// The origins of numbers in memory are stored `origins` bytes after them: load reads both, store
/// writes both. The values are those of the plain numbers. A value not chosen (select, larger,
/// smaller) has the adjoint 0, and where an adjoint is 0 nothing is added: no infinity of a branch
/// not chosen becomes NaN. The derivative of a root at 0 is taken as 0.
///
/// Operations are calls: a kernel that is a list of calls is compiled in a tenth of the time, and
/// what an operation costs is its entry on the tape.
#pragma once
#include <vector>
#include "base/brief.hpp"
#include "base/elementary.hpp"
#include "base/unbiased.hpp"

namespace fathom {

template <class T> struct Tape {
    using Lanes = Pack<T, cell_width<T>>;
    /// One computed number: from which two numbers (-1: none), with which derivatives.
    struct Entry {
        int a, b;
        Lanes by_a, by_b;
    };
    std::vector<Entry> entries;  ///< the first `count` are in use
    std::vector<Lanes> adjoint;  ///< of each entry
    int count = 0;
    std::ptrdiff_t origins = 0;

    [[gnu::noinline]] int add(int a, const Lanes& by_a, int b, const Lanes& by_b) {
        if (count == int(entries.size())) entries.resize(2 * count + 1024);
        entries[count] = {a, b, by_a, by_b};
        return count++;
    }
    int add_given() { return add(-1, Lanes(T(0)), -1, Lanes(T(0))); }
    /// From the last entry to the first.
    void sweep() {
        const Lanes zero(T(0));
        for (int n = count; n-- > 0;) {
            const Entry& e = entries[n];
            if (e.a < 0 && e.b < 0) continue;
            const Lanes y = adjoint[n];
            const auto some = abs(y) > zero;
            if (e.a >= 0) adjoint[e.a] += select(some, y * e.by_a, zero);
            if (e.b >= 0) adjoint[e.b] += select(some, y * e.by_b, zero);
        }
    }
};

template <class T> constinit inline thread_local Tape<T>* tape = nullptr;  ///< of this thread

template <class T> struct Taped {
    using Lanes = Pack<T, cell_width<T>>;
    using Number = T;
    using Mask = typename Lanes::Mask;
    using Plain = Lanes;
    using Origin = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    static constexpr int width = Lanes::width;
    Lanes value;
    int origin;

    Taped() = default;
    constexpr Taped(Lanes value, int origin) : value(value), origin(origin) {}
    template <class A> requires std::is_arithmetic_v<A>
    constexpr Taped(A x) : Taped(Lanes(T(x)), -1) {}
    static Origin* origin_of(const T* p) { return (Origin*)((char*)p + tape<T>->origins); }
    [[gnu::noinline]] static Taped load(const T* p) { return {Lanes::load(p), int(*origin_of(p))}; }
    [[gnu::noinline]] void store(T* p) const { value.store(p), *origin_of(p) = origin; }
    void stream(T* p) const { store(p); }

    [[gnu::noinline]] friend Taped operator+(const Taped& a, const Taped& b) {
        return of(a.value + b.value, a, one(), b, one());
    }
    [[gnu::noinline]] friend Taped operator-(const Taped& a, const Taped& b) {
        return of(a.value - b.value, a, one(), b, -one());
    }
    [[gnu::noinline]] friend Taped operator*(const Taped& a, const Taped& b) {
        return of(a.value * b.value, a, b.value, b, a.value);
    }
    [[gnu::noinline]] friend Taped operator/(const Taped& a, const Taped& b) {
        const Lanes ratio = a.value / b.value, inverse = 1.0 / b.value;
        return of(ratio, a, inverse, b, -ratio * inverse);
    }
    [[gnu::noinline]] friend Taped operator-(const Taped& a) { return of(-a.value, a, -one()); }
    Taped& operator+=(const Taped& b) { return *this = *this + b; }
    Taped& operator-=(const Taped& b) { return *this = *this - b; }
    Taped& operator*=(const Taped& b) { return *this = *this * b; }
    friend constexpr Mask operator<(const Taped& a, const Taped& b) { return a.value < b.value; }
    friend constexpr Mask operator>(const Taped& a, const Taped& b) { return a.value > b.value; }
    friend constexpr Mask operator<=(const Taped& a, const Taped& b) { return a.value <= b.value; }
    friend constexpr Mask operator>=(const Taped& a, const Taped& b) { return a.value >= b.value; }
    [[gnu::noinline]] friend Taped select(const Mask& yes, const Taped& a, const Taped& b) {
        return of(select(yes, a.value, b.value), a, select(yes, one(), zero()), b,
                  select(yes, zero(), one()));
    }
    [[gnu::noinline]] friend Taped larger(const Taped& a, const Taped& b) {
        return select(a.value > b.value, a, b);
    }
    [[gnu::noinline]] friend Taped smaller(const Taped& a, const Taped& b) {
        return select(a.value < b.value, a, b);
    }
    [[gnu::noinline]] friend Taped abs(const Taped& a) { return larger(a, -a); }
    [[gnu::noinline]] friend Taped fma(const Taped& a, const Taped& b, const Taped& c) {
        const Taped product = of(zero(), a, b.value, b, a.value);
        return of(fma(a.value, b.value, c.value), product, one(), c, one());
    }
    [[gnu::noinline]] friend Taped sqrt(const Taped& x) {
        const Lanes root = sqrt(x.value);
        return of(root, x, select(root > zero(), 0.5 / root, zero()));
    }
    [[gnu::noinline]] friend Taped exp(const Taped& x) {
        const Lanes y = exp(x.value);
        return of(y, x, y);
    }
    [[gnu::noinline]] friend Taped brief_exp(const Taped& x) {
        const Lanes y = brief_exp(x.value);
        return of(y, x, y);
    }
    [[gnu::noinline]] friend Taped log(const Taped& x) {
        return of(log(x.value), x, 1.0 / x.value);
    }
    [[gnu::noinline]] friend Taped cube_root(const Taped& x) {
        const Lanes root = cube_root(x.value);
        return of(root, x, root / (3.0 * x.value));
    }
    [[gnu::noinline]] friend std::pair<Taped, Taped> sine_cosine(const Taped& x) {
        const auto [s, c] = sine_cosine(x.value);
        return {of(s, x, c), of(c, x, -s)};
    }
    [[gnu::noinline]] friend Taped sin(const Taped& x) { return sine_cosine(x).first; }
    [[gnu::noinline]] friend Taped cos(const Taped& x) { return sine_cosine(x).second; }
    [[gnu::noinline]] friend Taped atan(const Taped& x) {
        return of(atan(x.value), x, 1.0 / (1.0 + x.value * x.value));
    }
    [[gnu::noinline]] friend Taped pow(const Taped& x, const Taped& y) {
        const Lanes power = pow(x.value, y.value);
        return of(power, x, power * y.value / x.value, y, power * log(x.value));
    }
    [[gnu::noinline]] friend Taped unbiased_sum(const Taped& large, const Taped& small) {
        return of(unbiased_sum(large.value, small.value), large, one(), small, one());
    }

private:
    static Lanes zero() { return T(0); }
    static Lanes one() { return T(1); }
    static Taped of(const Lanes& value, const Taped& a, const Lanes& by_a,
                    const Taped& b = {zero(), -1}, const Lanes& by_b = zero()) {
        if (a.origin < 0 && b.origin < 0) return {value, -1};
        return {value, tape<T>->add(a.origin, by_a, b.origin, by_b)};
    }
};

}  // namespace fathom
