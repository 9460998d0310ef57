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
#include <cstdint>
#include <vector>
#include "base/brief.hpp"
#include "base/elementary.hpp"
#include "base/unbiased.hpp"

namespace fathom {

/// Columns that are taped at once: as many as one vector of the machine holds. Numbers of tapes lie
/// in memory, and halves of wider ones, written and read as different parts, wait for each other.
#if defined(__AVX512F__)
template <class T> inline constexpr int taped_width = cell_width<T>;
#else
template <class T> inline constexpr int taped_width = cell_width<T> / 2;
#endif

/// How an adjoint y goes to a number: not at all, y, -y, y f, y where f is not 0, y where it is.
enum class Passes : std::uint8_t { nothing, whole, negative, times, where, elsewhere };

template <class T> struct Tape {
    using Lanes = Pack<T, taped_width<T>>;
    /// A number from which another was computed.
    struct From {
        int origin = -1;  ///< -1: a constant
        Passes passes = Passes::nothing;
        const Lanes* factor = nullptr;  ///< f
    };
    /// One computed number: from which others. A short one, since the time of a tape is that of its
    /// memory: factors lie in a list of their own, and only those that are none of 1 and -1.
    struct Entry {
        int origins[3];
        Passes passes[3];
        std::uint8_t factors;
    };
    std::vector<Entry> entries;           ///< the first `count` are in use
    std::vector<Lanes> factors, adjoint;  ///< one after another; of each entry
    int count = 0;
    std::size_t factor_count = 0;
    std::ptrdiff_t origins = 0;

    void clear() { count = 0, factor_count = 0; }
    [[gnu::noinline]] int add(const From& a, const From& b = {}, const From& c = {}) {
        if (count == int(entries.size())) entries.resize(2 * count + 1024);
        if (factor_count + 3 > factors.size()) factors.resize(2 * factor_count + 1024);
        Entry& e = entries[count];
        Lanes* const first = factors.data() + factor_count;
        Lanes* next = first;
        put(e, 0, a, next), put(e, 1, b, next), put(e, 2, c, next);
        e.factors = std::uint8_t(next - first);
        factor_count += e.factors;
        return count++;
    }
    /// From the last entry to the first.
    void sweep() {
        const Lanes zero(T(0));
        const Lanes* f = factors.data() + factor_count;
        for (int n = count; n-- > 0;) {
            const Entry& e = entries[n];
            f -= e.factors;
            const Lanes* own = f;
            const auto some = abs(adjoint[n]) > zero;
            const Lanes y = select(some, adjoint[n], zero);
            for (int m = 0; m < 3; ++m) {
                if (e.passes[m] == Passes::nothing) continue;
                Lanes& x = adjoint[e.origins[m]];
                switch (e.passes[m]) {
                    case Passes::whole: x += y; break;
                    case Passes::negative: x -= y; break;
                    case Passes::times: x += select(some, y * *own++, zero); break;
                    case Passes::where: x += select(abs(*own++) > zero, y, zero); break;
                    default: x += select(abs(*own++) > zero, zero, y);
                }
            }
        }
    }

private:
    static void put(Entry& e, int m, const From& from, Lanes*& next) {
        e.origins[m] = from.origin;
        e.passes[m] = from.origin < 0 ? Passes::nothing : from.passes;
        if (e.passes[m] >= Passes::times) *next++ = *from.factor;
    }
};

template <class T> constinit inline thread_local Tape<T>* tape = nullptr;  ///< of this thread

template <class T> struct Taped {
    using Lanes = Pack<T, taped_width<T>>;
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
        return of(a.value + b.value, whole(a), whole(b));
    }
    [[gnu::noinline]] friend Taped operator-(const Taped& a, const Taped& b) {
        return of(a.value - b.value, whole(a), negative(b));
    }
    [[gnu::noinline]] friend Taped operator*(const Taped& a, const Taped& b) {
        return of(a.value * b.value, times(a, b.value), times(b, a.value));
    }
    [[gnu::noinline]] friend Taped operator/(const Taped& a, const Taped& b) {
        const Lanes ratio = a.value / b.value, inverse = 1.0 / b.value, by_b = -ratio * inverse;
        return of(ratio, times(a, inverse), times(b, by_b));
    }
    [[gnu::noinline]] friend Taped operator-(const Taped& a) { return of(-a.value, negative(a)); }
    Taped& operator+=(const Taped& b) { return *this = *this + b; }
    Taped& operator-=(const Taped& b) { return *this = *this - b; }
    Taped& operator*=(const Taped& b) { return *this = *this * b; }
    friend constexpr Mask operator<(const Taped& a, const Taped& b) { return a.value < b.value; }
    friend constexpr Mask operator>(const Taped& a, const Taped& b) { return a.value > b.value; }
    friend constexpr Mask operator<=(const Taped& a, const Taped& b) { return a.value <= b.value; }
    friend constexpr Mask operator>=(const Taped& a, const Taped& b) { return a.value >= b.value; }
    [[gnu::noinline]] friend Taped select(const Mask& yes, const Taped& a, const Taped& b) {
        const Lanes first = select(yes, Lanes(T(1)), zero());
        return of(select(yes, a.value, b.value), {a.origin, Passes::where, &first},
                  {b.origin, Passes::elsewhere, &first});
    }
    [[gnu::noinline]] friend Taped larger(const Taped& a, const Taped& b) {
        return select(a.value > b.value, a, b);
    }
    [[gnu::noinline]] friend Taped smaller(const Taped& a, const Taped& b) {
        return select(a.value < b.value, a, b);
    }
    [[gnu::noinline]] friend Taped abs(const Taped& a) { return larger(a, -a); }
    [[gnu::noinline]] friend Taped fma(const Taped& a, const Taped& b, const Taped& c) {
        return of(fma(a.value, b.value, c.value), whole(c), times(a, b.value), times(b, a.value));
    }
    [[gnu::noinline]] friend Taped sqrt(const Taped& x) {
        const Lanes root = sqrt(x.value);
        return of(root, times(x, select(root > zero(), 0.5 / root, zero())));
    }
    [[gnu::noinline]] friend Taped exp(const Taped& x) {
        const Lanes y = exp(x.value);
        return of(y, times(x, y));
    }
    [[gnu::noinline]] friend Taped brief_exp(const Taped& x) {
        const Lanes y = brief_exp(x.value);
        return of(y, times(x, y));
    }
    [[gnu::noinline]] friend Taped log(const Taped& x) {
        return of(log(x.value), times(x, 1.0 / x.value));
    }
    [[gnu::noinline]] friend Taped cube_root(const Taped& x) {
        const Lanes root = cube_root(x.value);
        return of(root, times(x, root / (3.0 * x.value)));
    }
    [[gnu::noinline]] friend std::pair<Taped, Taped> sine_cosine(const Taped& x) {
        const auto [s, c] = sine_cosine(x.value);
        return {of(s, times(x, c)), of(c, times(x, -s))};
    }
    [[gnu::noinline]] friend Taped sin(const Taped& x) { return sine_cosine(x).first; }
    [[gnu::noinline]] friend Taped cos(const Taped& x) { return sine_cosine(x).second; }
    [[gnu::noinline]] friend Taped atan(const Taped& x) {
        return of(atan(x.value), times(x, 1.0 / (1.0 + x.value * x.value)));
    }
    [[gnu::noinline]] friend Taped pow(const Taped& x, const Taped& y) {
        const Lanes power = pow(x.value, y.value);
        return of(power, times(x, power * y.value / x.value), times(y, power * log(x.value)));
    }
    [[gnu::noinline]] friend Taped unbiased_sum(const Taped& large, const Taped& small) {
        return of(unbiased_sum(large.value, small.value), whole(large), whole(small));
    }

private:
    using From = typename Tape<T>::From;
    static Lanes zero() { return T(0); }
    static From whole(const Taped& x) { return {x.origin, Passes::whole}; }
    static From negative(const Taped& x) { return {x.origin, Passes::negative}; }
    /// The factor lives as long as the expression that calls this.
    static From times(const Taped& x, const Lanes& factor) {
        return {x.origin, Passes::times, &factor};
    }
    static Taped of(const Lanes& value, const From& a, const From& b = {}, const From& c = {}) {
        if (a.origin < 0 && b.origin < 0 && c.origin < 0) return {value, -1};
        return {value, tape<T>->add(a, b, c)};
    }
};

}  // namespace fathom
