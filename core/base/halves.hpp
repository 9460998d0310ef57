/// Halves: two packs used as one of 64 bytes. Where registers have 32 bytes, compilers keep a pack
/// of 64 bytes in memory and copy it for each operation.
#pragma once
#include <type_traits>
#include "base/elementary.hpp"
#include "base/pack.hpp"

namespace fathom {

template <class Half_> struct Halves {
    using Half = Half_;
    using Number = typename Half::Number;
    static constexpr int width = 2 * Half::width;
    struct Mask {
        typename Half::Mask low, high;
    };
    Half low, high;

    Halves() = default;
    Halves(Number x) : low(x), high(x) {}
    Halves(Half l, Half h) : low(l), high(h) {}
    static Halves load(const Number* p) { return {Half::load(p), Half::load(p + Half::width)}; }
    void store(Number* p) const { low.store(p), high.store(p + Half::width); }

    friend Halves operator+(Halves a, Halves b) { return {a.low + b.low, a.high + b.high}; }
    friend Halves operator-(Halves a, Halves b) { return {a.low - b.low, a.high - b.high}; }
    friend Halves operator*(Halves a, Halves b) { return {a.low * b.low, a.high * b.high}; }
    friend Halves operator/(Halves a, Halves b) { return {a.low / b.low, a.high / b.high}; }
    friend Halves operator-(Halves a) { return {-a.low, -a.high}; }
    Halves& operator+=(Halves b) { return *this = *this + b; }
    Halves& operator*=(Halves b) { return *this = *this * b; }
    friend Mask operator<(Halves a, Halves b) { return {a.low < b.low, a.high < b.high}; }
    friend Mask operator>(Halves a, Halves b) { return {a.low > b.low, a.high > b.high}; }
    friend Halves select(Mask yes, Halves a, Halves b) {
        return {select(yes.low, a.low, b.low), select(yes.high, a.high, b.high)};
    }
    friend Halves larger(Halves a, Halves b) {
        return {larger(a.low, b.low), larger(a.high, b.high)};
    }
    friend Halves smaller(Halves a, Halves b) {
        return {smaller(a.low, b.low), smaller(a.high, b.high)};
    }
    friend Halves abs(Halves a) { return {abs(a.low), abs(a.high)}; }
    friend Halves sqrt(Halves a) { return {sqrt(a.low), sqrt(a.high)}; }
    friend Halves log(Halves a) { return {log(a.low), log(a.high)}; }
    friend Halves fma(Halves a, Halves b, Halves c) {
        return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
    }
};

template <class Real> inline constexpr bool in_halves = false;
template <class Half> inline constexpr bool in_halves<Halves<Half>> = true;

/// As many numbers in registers, in one or in two.
template <class T, int width>
using Wide =
    std::conditional_t<(width > pack_width<T>), Halves<Pack<T, width / 2>>, Pack<T, width>>;

template <class T, int width> T lane(const Pack<T, width>& x, int n) { return x.lanes[n]; }
template <class Half> typename Half::Number lane(const Halves<Half>& x, int n) {
    return n < Half::width ? lane(x.low, n) : lane(x.high, n - Half::width);
}

}  // namespace fathom
