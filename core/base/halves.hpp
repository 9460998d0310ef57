/// Halves: two packs used as one of 64 bytes. Where registers have 32 bytes, compilers keep a pack
/// of 64 bytes in memory and copy it for each operation.
#pragma once
#include <type_traits>
#include "base/pack.hpp"

namespace fathom {

template <class Half> struct Halves {
    using Number = typename Half::Number;
    static constexpr int width = 2 * Half::width;
    Half low, high;

    Halves() = default;
    Halves(Number x) : low(x), high(x) {}
    Halves(Half l, Half h) : low(l), high(h) {}
    static Halves load(const Number* p) { return {Half::load(p), Half::load(p + Half::width)}; }

    friend Halves operator+(Halves a, Halves b) { return {a.low + b.low, a.high + b.high}; }
    friend Halves operator*(Halves a, Halves b) { return {a.low * b.low, a.high * b.high}; }
    Halves& operator+=(Halves b) { return *this = *this + b; }
    Halves& operator*=(Halves b) { return *this = *this * b; }
    friend Halves fma(Halves a, Halves b, Halves c) {
        return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
    }
    friend Halves larger(Halves a, Halves b) {
        return {larger(a.low, b.low), larger(a.high, b.high)};
    }
    friend Halves smaller(Halves a, Halves b) {
        return {smaller(a.low, b.low), smaller(a.high, b.high)};
    }
};

/// 64 bytes in registers, in one or in two.
template <class T>
using RegisterLine = std::conditional_t<pack_width<T> == cell_width<T>, Pack<T, cell_width<T>>,
                                        Halves<Pack<T, pack_width<T>>>>;

template <class T, int width> T lane(const Pack<T, width>& x, int n) { return x.lanes[n]; }
template <class Half> typename Half::Number lane(const Halves<Half>& x, int n) {
    return n < Half::width ? lane(x.low, n) : lane(x.high, n - Half::width);
}

}  // namespace fathom
