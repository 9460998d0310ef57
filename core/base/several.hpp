/// Several: a few numbers as one, in the registers of a thread of a device, which has no vectors.
/// Operations are those of packs (pack.hpp), number by number.
#pragma once
#include <cmath>
#include "base/pack.hpp"

namespace fathom {

template <class T, int width_> struct Several {
    using Number = T;
    static constexpr int width = width_;
    T of[width];

    Several() = default;
    constexpr Several(T x) {
        for (int n = 0; n < width; ++n) of[n] = x;
    }
    constexpr Several(T a, T b, T c, T d) requires(width_ == 4)
        : of{a, b, c, d} {}
    static constexpr Several load(const T* p) {
        return each([p](int n) { return p[n]; });
    }
    constexpr void store(T* p) const {
        for (int n = 0; n < width; ++n) p[n] = of[n];
    }
    constexpr T operator[](int n) const { return of[n]; }
    constexpr T& operator[](int n) { return of[n]; }
    /// Number n ^ step in place n.
    template <int step> constexpr Several exchanged() const {
        return each([this](int n) { return of[n ^ step]; });
    }

    friend constexpr Several operator+(Several a, Several b) {
        return each([&](int n) { return a.of[n] + b.of[n]; });
    }
    friend constexpr Several operator-(Several a, Several b) {
        return each([&](int n) { return a.of[n] - b.of[n]; });
    }
    friend constexpr Several operator*(Several a, Several b) {
        return each([&](int n) { return a.of[n] * b.of[n]; });
    }
    constexpr Several& operator+=(Several b) { return *this = *this + b; }
    constexpr Several& operator*=(Several b) { return *this = *this * b; }
    friend constexpr Several larger(Several a, Several b) {
        return each([&](int n) { return a.of[n] > b.of[n] ? a.of[n] : b.of[n]; });
    }
    friend constexpr Several smaller(Several a, Several b) {
        return each([&](int n) { return a.of[n] < b.of[n] ? a.of[n] : b.of[n]; });
    }
    friend constexpr Several fma(Several a, Several b, Several c) {
        using One = Pack<T, 1>;
        return each([&](int n) { return fma(One(a.of[n]), One(b.of[n]), One(c.of[n])).lanes; });
    }
    friend constexpr Several fused(Several a, Several b, Several c) { return fma(a, b, c); }
    friend constexpr T lane(const Several& x, int n) { return x.of[n]; }

private:
    template <class F> static constexpr Several each(F f) {
        Several r;
        for (int n = 0; n < width; ++n) r.of[n] = f(n);
        return r;
    }
};

}  // namespace fathom
