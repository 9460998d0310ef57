/// The elliptic operator at a point of water, from coefficients in memory of a device.
#pragma once
#include "base/pack.hpp"
#include "solver/on_device.hpp"

namespace fathom::tilewise {

template <class Number> using Real = Pack<Number, 1>;
template <class Number> constexpr Real<Number> at(const Number* x, std::ptrdiff_t n) {
    return Real<Number>::load(x + n);
}

/// Four cells and their common terms; the terms of a corner in F v of each (solver/elliptic.hpp).
template <class Number> struct Corner {
    using R = Real<Number>;
    R P, M, k, SW, SE, NW, NE;
    constexpr R southwest() const { return with(NE, SE + NW, M * (SE - NW)); }
    constexpr R southeast() const { return with(NW, SW + NE, M * (SW - NE)); }
    constexpr R northeast() const { return with(SW, SE + NW, -(M * (SE - NW))); }
    constexpr R northwest() const { return with(SE, SW + NE, -(M * (SW - NE))); }

private:
    constexpr R with(R opposite, R beside, R rest) const {
        return fma(P, fma(k, beside, opposite), rest);
    }
};

/// Its corners, by their position relative to a point.
enum Place { southwest, southeast, northwest, northeast };
/// F v at point n; v(n): at point n; corner(place, SW, SE, NW, NE): with the common terms.
template <class V, class C>
constexpr auto sum_of_corners(std::ptrdiff_t n, std::ptrdiff_t up, const V& v, const C& corner) {
    const auto here = v(n), E = v(n + 1), W = v(n - 1), N = v(n + up), S = v(n - up),
               NE = v(n + up + 1), NW = v(n + up - 1), SE = v(n - up + 1), SW = v(n - up - 1);
    return (corner(southeast, S, SE, here, E).northwest() +
            corner(southwest, SW, S, W, here).northeast()) +
           (corner(northeast, here, E, N, NE).southwest() +
            corner(northwest, W, here, NW, N).southeast());
}

/// Coefficients of the operator, and where there is water.
template <class Number> struct Water {
    const int* wet;
    std::ptrdiff_t up;
    const Number *sum, *difference, *square, *scale;
    Number compact;

    /// F v at a point; v(n): at point n.
    template <class V> constexpr Real<Number> F(std::ptrdiff_t n, const V& v) const {
        using R = Real<Number>;
        return sum_of_corners(n, up, v, [&](Place place, R SW, R SE, R NW, R NE) {
            const auto at_corner = corner(n, place);
            return Corner<Number>{
                at(sum, at_corner), at(difference, at_corner), R(compact), SW, SE, NW, NE};
        });
    }
    /// v - D^2 F v, given v at the point.
    template <class V>
    constexpr Real<Number> A(std::ptrdiff_t n, Real<Number> here, const V& v) const {
        return fma(-at(square, n), F(n, v), here);
    }
    constexpr std::ptrdiff_t corner(std::ptrdiff_t n, Place place) const {
        return n - (place == southwest || place == southeast ? up : 0) -
               (place == southwest || place == northwest ? 1 : 0);
    }
};

template <class Number> struct Values {
    const Number* of;
    constexpr Real<Number> operator()(std::ptrdiff_t n) const { return at(of, n); }
};

}  // namespace fathom::tilewise
