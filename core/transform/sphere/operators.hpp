/// Operators on the coefficients of one zonal wavenumber m, degrees m ... N on one side, m ... N +
/// 1 on the other.
///
/// Wind times cos(phi) follows from vorticity and divergence by
///   U_n = -i m s_n D_n
///         + (n+2) epsilon_{n+1} s_{n+1} zeta_{n+1} - (n-1) epsilon_n s_{n-1} zeta_{n-1}
///   V_n = -i m s_n zeta_n
///         - (n+2) epsilon_{n+1} s_{n+1} D_{n+1} + (n-1) epsilon_n s_{n-1} D_{n-1}
/// with s_n = a / (n (n+1)), s_0 = 0, and the gradient is the same with zeta = 0, s = -1/a:
/// (U, V) = a cos(phi) gradient of D. The transpose is curl and divergence,
///   zeta_n = s_n [i m V_n + (n+1) epsilon_n U_{n-1} - n epsilon_{n+1} U_{n+1}]
///   D_n    = s_n [i m U_n - (n+1) epsilon_n V_{n-1} + n epsilon_{n+1} V_{n+1}]
/// with s = 1/a, which follows from the integral by parts of
/// 1/(a cos phi) (d v/d lambda -+ d (u cos phi)/d phi) P_n.
#pragma once
#include <cstddef>

namespace fathom {

/// Some fields (coefficients.hpp) of one wavenumber: complex numbers of each degree on either side
/// of the Legendre transform.
template <class Some> struct WaveView : Some {
    using typename Some::V, typename Some::Complex;
    using Number = typename V::Number;
    using Some::get, Some::put, Some::real;
    /// highest: degree of the side of the Legendre transform.
    int m, truncation, highest;
    const Number* epsilon;  ///< epsilon_n at [n - m], up to truncation + 2

    /// Coefficients of the caller from degree m on; 0 outside m ... truncation.
    struct Outer {
        Number* at;
        std::ptrdiff_t stride;
    };
    constexpr Complex load(Outer c, int n) const {
        if (!c.at || n < m || n > truncation) return {V(Number(0)), V(Number(0))};
        const Number* p = c.at + 2 * (n - m) * c.stride;
        return {get(p), m ? get(p + c.stride) : V(Number(0))};
    }
    constexpr void store(Outer c, int n, Complex x) const {
        Number* p = c.at + 2 * (n - m) * c.stride;
        put(x.re, p), put(m ? x.im : V(Number(0)), p + c.stride);
    }
    /// The input and output of the Legendre transform: registers [n - m] of the real parts, and of
    /// the imaginary parts `imaginary` numbers further.
    struct Inner {
        Number* at;
        std::ptrdiff_t imaginary;
    };
    constexpr Complex load(Inner s, int n) const {
        if (n < m || n > highest) return {V(Number(0)), V(Number(0))};
        const Number* p = s.at + (n - m) * V::width;
        return {get(p), get(p + s.imaginary)};
    }
    constexpr void store(Inner s, int n, Complex x) const {
        Number* p = s.at + (n - m) * V::width;
        put(x.re, p), put(x.im, p + s.imaginary);
    }
    /// factor times degrees m ... last; arguments: distances between degrees, and between real and
    /// imaginary parts.
    constexpr void scaled(const Number* from, std::ptrdiff_t step, std::ptrdiff_t imaginary,
                          Number* to, std::ptrdiff_t to_step, std::ptrdiff_t to_imaginary, int last,
                          double factor) const {
        const V by = real(factor), im = real(m ? factor : 0);
        for (int n = m; n <= last; ++n, from += step, to += to_step)
            put(by * get(from), to), put(im * get(from + imaginary), to + to_imaginary);
    }
    constexpr void copy_zeros(Inner to) const {
        for (int n = truncation + 1; n <= highest; ++n) store(to, n, {real(0), real(0)});
    }
    constexpr double e(int n) const { return n <= m ? 0 : double(epsilon[n - m]); }

    constexpr void copy_in(Outer from, Inner to, double factor) const {
        scaled(from.at, 2 * from.stride, from.stride, to.at, V::width, to.imaginary, truncation,
               factor);
        copy_zeros(to);
    }
    constexpr void copy_out(Inner from, Outer to, double factor) const {
        scaled(from.at, V::width, from.imaginary, to.at, 2 * to.stride, to.stride, truncation,
               factor);
    }

    /// (zeta, D) -> U and V; s(n) as above. Degrees outside the range are not computed.
    template <class Scale>
    constexpr void wind_in(Outer zeta, Outer D, Scale s, const Inner* U, const Inner* W) const {
        const Complex zero{V(Number(0)), V(Number(0))};
        Complex z0 = zero, d0 = zero, z1 = load(zeta, m), d1 = load(D, m);
        double s0 = 0, s1 = s(m);
        for (int n = m; n <= highest; ++n) {
            const Complex z2 = load(zeta, n + 1), d2 = load(D, n + 1);
            const double s2 = s(n + 1);
            const V turn = real(m * s1), up = real((n + 2) * e(n + 1) * s2),
                    down = real(n > m ? (n - 1) * e(n) * s0 : 0);
            if (U)
                store(*U, n,
                      {fma(turn, d1.im, fma(up, z2.re, -(down * z0.re))),
                       fma(up, z2.im, -fma(down, z0.im, turn * d1.re))});
            if (W)
                store(*W, n,
                      {fma(turn, z1.im, fma(down, d0.re, -(up * d2.re))),
                       fma(down, d0.im, -fma(up, d2.im, turn * z1.re))});
            z0 = z1, z1 = z2, d0 = d1, d1 = d2, s0 = s1, s1 = s2;
        }
    }
    /// (U, V) -> zeta (curl) and D; to D `more` is added.
    template <class Scale>
    constexpr void curl_out(Inner U, Inner W, Scale s, const Outer* zeta, const Outer* D,
                            const Inner* more = nullptr, double factor = 1) const {
        const Complex zero{V(Number(0)), V(Number(0))};
        Complex u0 = zero, w0 = zero, u1 = load(U, m), w1 = load(W, m);
        for (int n = m; n <= truncation; ++n) {
            const Complex u2 = load(U, n + 1), w2 = load(W, n + 1);
            const double scale = s(n);
            const V turn = real(m * scale), down = real((n + 1) * e(n) * scale),
                    up = real(n * e(n + 1) * scale);
            if (zeta)
                store(*zeta, n,
                      {fma(down, u0.re, -fma(up, u2.re, turn * w1.im)),
                       fma(turn, w1.re, fma(down, u0.im, -(up * u2.im)))});
            if (D) {
                Complex x{fma(up, w2.re, -fma(down, w0.re, turn * u1.im)),
                          fma(turn, u1.re, fma(up, w2.im, -(down * w0.im)))};
                if (more) {
                    const Complex y = load(*more, n);
                    x.re += real(factor) * y.re, x.im += real(factor) * y.im;
                }
                store(*D, n, x);
            }
            u0 = u1, u1 = u2, w0 = w1, w1 = w2;
        }
    }
};

}  // namespace fathom
