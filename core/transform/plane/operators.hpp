/// Operators on the coefficients of one m, n = first ... last: each (m, n) independently.
#pragma once
#include <cstddef>

namespace fathom {

/// Some fields (coefficients.hpp) of one wavenumber m.
template <class Some> struct PlaneView : Some {
    using typename Some::V, typename Some::Complex;
    using Number = typename V::Number;
    using Some::get, Some::put, Some::real;
    int m, first, last;
    double k, l_of_1;  ///< 2 pi m / L_x, 2 pi / L_y
    const int* place;  ///< of each n modulo `rows` in the column
    int rows;

    constexpr bool mean(int n) const { return m == 0 && n == 0; }
    constexpr double l(int n) const { return n * l_of_1; }
    /// 1 / (k^2 + l^2)
    constexpr double inverse_laplacian(int n) const {
        return mean(n) ? 1 : 1 / (k * k + l(n) * l(n));
    }

    /// Coefficients of the caller from n = first on; zeros where there are none.
    struct Outer {
        Number* at;
        std::ptrdiff_t stride;
    };
    constexpr Complex load(Outer c, int n) const {
        if (!c.at) return {real(0), real(0)};
        const Number* p = c.at + 2 * (n - first) * c.stride;
        return {get(p), mean(n) ? real(0) : get(p + c.stride)};
    }
    constexpr void store(Outer c, int n, Complex x) const {
        Number* p = c.at + 2 * (n - first) * c.stride;
        put(x.re, p), put(mean(n) ? real(0) : x.im, p + c.stride);
    }
    /// The transformed column; that of m = 0 has n < 0 as well.
    struct Inner {
        Number* at;
        std::ptrdiff_t apart = V::width;
    };
    constexpr Number* at(Inner s, int n) const {
        return s.at + 2 * std::ptrdiff_t(place[n < 0 ? n + rows : n]) * s.apart;
    }
    constexpr Complex load(Inner s, int n) const {
        return {get(at(s, n)), get(at(s, n) + s.apart)};
    }
    constexpr void store(Inner s, int n, Complex x) const {
        put(x.re, at(s, n)), put(x.im, at(s, n) + s.apart);
        if (m == 0 && n > 0) put(x.re, at(s, -n)), put(-x.im, at(s, -n) + s.apart);
    }
    /// times i factor
    constexpr Complex turned(double factor, Complex x) const {
        return {-(real(factor) * x.im), real(factor) * x.re};
    }
    constexpr Complex sum(Complex a, Complex b) const { return {a.re + b.re, a.im + b.im}; }
    constexpr Complex scaled(double factor, Complex x) const {
        return {real(factor) * x.re, real(factor) * x.im};
    }

    /// to = factor(n) from
    template <class From, class To, class Factor>
    constexpr void copy(From from, To to, Factor factor) const {
        for (int n = first; n <= last; ++n) store(to, n, scaled(factor(n), load(from, n)));
    }
    /// to = i l from
    constexpr void north_in(Outer from, Inner to) const {
        for (int n = first; n <= last; ++n) store(to, n, turned(l(n), load(from, n)));
    }
    /// u = s i (l zeta - k D), v = -s i (k zeta + l D)
    template <class Scale>
    constexpr void wind_in(Outer zeta, Outer D, Scale s, Inner u, Inner v) const {
        for (int n = first; n <= last; ++n) {
            const Complex z = load(zeta, n), d = load(D, n);
            if (mean(n)) {
                store(u, n, d), store(v, n, z);
                continue;
            }
            const double a = s(n) * l(n), b = s(n) * k;
            store(u, n, sum(turned(a, z), turned(-b, d)));
            store(v, n, sum(turned(-b, z), turned(-a, d)));
        }
    }
    /// zeta = s i (k v - l u), D = s i (k u + l v)
    template <class Scale>
    constexpr void curl_out(Inner u, Inner v, Scale s, Outer zeta, Outer D) const {
        for (int n = first; n <= last; ++n) {
            const Complex x = load(u, n), y = load(v, n);
            if (mean(n)) {
                store(D, n, x), store(zeta, n, y);
                continue;
            }
            const double a = s(n) * k, b = s(n) * l(n);
            store(zeta, n, sum(turned(a, y), turned(-b, x)));
            store(D, n, sum(turned(a, x), turned(b, y)));
        }
    }
    /// to = factor(n) (f - i k east - i l north)
    template <class Factor>
    constexpr void gradient_out(Inner f, Inner east, Inner north, Outer to, Factor factor) const {
        for (int n = first; n <= last; ++n) {
            const Complex slopes = sum(turned(-k, load(east, n)), turned(-l(n), load(north, n)));
            store(to, n, scaled(factor(n), sum(load(f, n), slopes)));
        }
    }
};

}  // namespace fathom
