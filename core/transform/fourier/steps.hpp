/// The steps of Fourier transforms (fourier.hpp), on registers of a processor as on the numbers of
/// a thread of a device, which lie apart: z[0], z[1] are the real and imaginary part of a number.
#pragma once
#include <complex>
#include <type_traits>
#include <utility>

namespace fathom::fourier_steps {

template <class V> struct Complex {
    V re, im;
    template <class P> static constexpr Complex load(P p) { return {p[0], p[1]}; }
    template <class P> constexpr void store(P p) const { p[0] = re, p[1] = im; }
    friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend constexpr Complex operator*(V s, Complex a) { return {s * a.re, s * a.im}; }
    /// s a + b
    friend constexpr Complex fma(V s, Complex a, Complex b) {
        return {fma(s, a.re, b.re), fma(s, a.im, b.im)};
    }
    /// (c, s)^sign a
    template <int sign> constexpr Complex turned(V c, V s) const {
        if constexpr (sign > 0)
            return {fma(c, re, -(s * im)), fma(c, im, s * re)};
        else
            return {fma(c, re, s * im), fma(c, im, -(s * re))};
    }
    /// sign i a
    template <int sign> constexpr Complex quarter() const {
        if constexpr (sign > 0)
            return {-im, re};
        else
            return {im, -re};
    }
};

template <int sign, class V>
[[gnu::always_inline]] constexpr void butterfly(std::integral_constant<int, 2>, Complex<V>* x) {
    const auto a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
}

template <int sign, class V>
[[gnu::always_inline]] constexpr void butterfly(std::integral_constant<int, 3>, Complex<V>* x) {
    const V s(0.86602540378443864676), half(-0.5);
    const auto sum = x[1] + x[2], difference = (s * (x[1] - x[2])).template quarter<sign>(),
               middle = fma(half, sum, x[0]);
    x[0] = x[0] + sum, x[1] = middle + difference, x[2] = middle - difference;
}

template <int sign, class V>
[[gnu::always_inline]] constexpr void butterfly(std::integral_constant<int, 4>, Complex<V>* x) {
    const auto a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3],
               d = (x[1] - x[3]).template quarter<sign>();
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
}

template <int sign, class V>
[[gnu::always_inline]] constexpr void butterfly(std::integral_constant<int, 5>, Complex<V>* x) {
    const V c1(0.30901699437494742410), c2(-0.80901699437494742410), s1(0.95105651629515357212),
        s2(0.58778525229247312917);
    const auto a = x[1] + x[4], b = x[2] + x[3], d = x[1] - x[4], e = x[2] - x[3];
    const auto p = fma(c1, a, fma(c2, b, x[0])), q = fma(c2, a, fma(c1, b, x[0]));
    const auto u = fma(s1, d, s2 * e).template quarter<sign>(),
               v = fma(s2, d, V(-1.0) * (s1 * e)).template quarter<sign>();
    x[0] = x[0] + a + b, x[1] = p + u, x[4] = p - u, x[2] = q + v, x[3] = q - v;
}

template <int sign, class V>
[[gnu::always_inline]] constexpr void butterfly(std::integral_constant<int, 8>, Complex<V>* x) {
    constexpr std::integral_constant<int, 4> four;
    Complex<V> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    butterfly<sign>(four, even), butterfly<sign>(four, odd);
    const V r(0.70710678118654752440);
    odd[1] = r * (odd[1] + odd[1].template quarter<sign>());
    odd[2] = odd[2].template quarter<sign>();
    odd[3] = r * (odd[3].template quarter<sign>() - odd[3]);
    for (int k = 0; k < 4; ++k) x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k];
}

/// One pass over blocks of radix x stride numbers. sign < 0: decimation in frequency, twiddled
/// after the butterfly; sign > 0: in time, before.
template <int radix, int sign, class Number, class At, class Ahead>
constexpr void butterflies(int n, int stride, At z, const Number* twiddle, Ahead& ahead) {
    using V = std::remove_cvref_t<decltype(z[0])>;
    constexpr std::integral_constant<int, radix> r;
    for (int block = 0; block < n; block += radix * stride)
        for (int i = 0; i < stride; ++i) {
            ahead.some();
            const At p = z + 2 * (block + i);
            const Number* t = twiddle + 2 * (radix - 1) * i;
            Complex<V> x[radix];
            for (int b = 0; b < radix; ++b) x[b] = Complex<V>::load(p + 2 * stride * b);
            if (sign > 0 && stride > 1)
                for (int c = 1; c < radix; ++c)
                    x[c] = x[c].template turned<sign>(V(t[2 * c - 2]), V(t[2 * c - 1]));
            butterfly<sign>(r, x);
            if (sign < 0 && stride > 1)
                for (int c = 1; c < radix; ++c)
                    x[c] = x[c].template turned<sign>(V(t[2 * c - 2]), V(t[2 * c - 1]));
            for (int c = 0; c < radix; ++c) x[c].store(p + 2 * stride * c);
        }
}

/// body(0), body(1), ... body(count - 1), of constants.
template <int count, class Body> constexpr void for_constants(const Body& body) {
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (body(std::integral_constant<int, i>()), ...);
    }(std::make_integer_sequence<int, count>());
}

/// The same by plain sums. roots: exp(2 pi i k / radix).
template <int radix, int sign, class Number, class At, class Ahead>
constexpr void plain_sums(int n, int stride, At z, const Number* twiddle,
                          const std::complex<Number>* roots, Ahead& ahead) {
    using V = std::remove_cvref_t<decltype(z[0])>;
    for (int block = 0; block < n; block += radix * stride)
        for (int i = 0; i < stride; ++i) {
            ahead.some();
            const At p = z + 2 * (block + i);
            const Number* t = twiddle + 2 * (radix - 1) * i;
            const auto turned = [&](Complex<V> x, int c) {
                return c ? x.template turned<sign>(V(t[2 * c - 2]), V(t[2 * c - 1])) : x;
            };
            Complex<V> x[radix];
            for_constants<radix>([&](auto b) {
                x[b] = Complex<V>::load(p + 2 * stride * b);
                if (sign > 0) x[b] = turned(x[b], b);
            });
            for (int c = 0; c < radix; ++c) {
                Complex<V> sum = x[0];
                int k = 0;  // b c, modulo the radix
                for_constants<radix - 1>([&](auto before) {
                    k += c < radix - k ? c : c - radix;
                    const std::complex<Number>& w = roots[k];
                    sum = sum + x[before + 1].template turned<sign>(V(w.real()), V(w.imag()));
                });
                (sign < 0 ? turned(sum, c) : sum).store(p + 2 * stride * c);
            }
        }
}

/// Beyond it a general radix costs more than a convolution.
inline constexpr int largest_radix = 13;
constexpr bool has_butterfly(int radix) { return (radix >= 2 && radix <= 5) || radix == 8; }
template <int sign, class Number, class At, class Ahead>
constexpr void pass_of(int radix, int n, int stride, At z, const Number* twiddle,
                       const std::complex<Number>* roots, Ahead& ahead) {
    switch (radix) {
        case 2: return butterflies<2, sign>(n, stride, z, twiddle, ahead);
        case 3: return butterflies<3, sign>(n, stride, z, twiddle, ahead);
        case 4: return butterflies<4, sign>(n, stride, z, twiddle, ahead);
        case 5: return butterflies<5, sign>(n, stride, z, twiddle, ahead);
        case 7: return plain_sums<7, sign>(n, stride, z, twiddle, roots, ahead);
        case 8: return butterflies<8, sign>(n, stride, z, twiddle, ahead);
        case 11: return plain_sums<11, sign>(n, stride, z, twiddle, roots, ahead);
        case 13: return plain_sums<13, sign>(n, stride, z, twiddle, roots, ahead);
    }
}

/// Turns `count` numbers, each by its own.
template <int sign, class Number, class At>
constexpr void turn_by(int count, At z, const std::complex<Number>* by) {
    using V = std::remove_cvref_t<decltype(z[0])>;
    for (int j = 0; j < count; ++j)
        Complex<V>::load(z + 2 * j)
            .template turned<sign>(V(by[j].real()), V(by[j].imag()))
            .store(z + 2 * j);
}
/// With w_j = exp(sign pi i j^2 / n): Z_k = w_k sum_j (z_j w_j) conj(w)_{k-j}, a cyclic convolution
/// of a length that has small factors; forward, backward: its transforms.
template <int sign, class Number, class At, class Forward, class Backward>
constexpr void convolution(int n, int longer, At z, const std::complex<Number>* chirp,
                           const std::complex<Number>* filter, const Forward& forward,
                           const Backward& backward) {
    using V = std::remove_cvref_t<decltype(z[0])>;
    turn_by<sign>(n, z, chirp);
    for (int j = 2 * n; j < 2 * longer; ++j) z[j] = V(Number(0));
    forward();
    turn_by<-sign>(longer, z, filter);
    backward();
    turn_by<sign>(n, z, chirp);
}

/// Waves of a row of 2 half points -> the complex numbers that `backward` transforms.
template <class Number, class Get, class At>
constexpr void numbers_of_waves(int half, int waves, Get get, At a, const int* place,
                                const std::complex<Number>* turn) {
    using V = std::remove_cvref_t<decltype(a[0])>;
    const V zero(Number(0));
    const V mean = get(0).re;
    a[0] = mean, a[1] = mean;
    for (int k = 1; k <= half / 2; ++k) {
        Complex<V> x{zero, zero}, y{zero, zero};
        if (k <= waves) x = get(k);
        if (half - k <= waves) {
            y = get(half - k);
            y.im = -y.im;
        }
        const V er = x.re + y.re, ei = x.im + y.im, dr = x.re - y.re, di = x.im - y.im,
                c(turn[k].real()), s(turn[k].imag());
        const V tr = -(fma(c, di, s * dr)), ti = fma(c, dr, -(s * di));  // i w D
        const At p = a + 2 * place[k], q = a + 2 * place[half - k];
        p[0] = er + tr, p[1] = ei + ti;
        q[0] = er - tr, q[1] = ti - ei;
    }
}
/// What `forward` has left -> waves.
template <class Number, class Put, class At>
constexpr void waves_of_numbers(int half, int waves, Put put, At a, const int* place,
                                const std::complex<Number>* turn) {
    using V = std::remove_cvref_t<decltype(a[0])>;
    put(0, a[0] + a[1], V(Number(0)));
    const V half_(Number(0.5));
    for (int k = 1; k <= half / 2; ++k) {
        const At z = a + 2 * place[k], y = a + 2 * place[half - k];
        const V er = half_ * (z[0] + y[0]), ei = half_ * (z[1] - y[1]), dr = half_ * (z[0] - y[0]),
                di = half_ * (z[1] + y[1]);
        const V c(turn[k].real()), s(turn[k].imag());
        const V tr = fma(c, di, -(s * dr)), ti = -(fma(c, dr, s * di));  // -i conj(w) D
        if (k <= waves) put(k, er + tr, ei + ti);
        if (half - k <= waves && half - k != k) put(half - k, er - tr, ti - ei);
    }
}

/// The same of an odd row: numbers without an imaginary part, `points` of them.
template <class Get, class At>
constexpr void numbers_of_odd_waves(int points, int waves, Get get, At a, const int* place) {
    using V = std::remove_cvref_t<decltype(a[0])>;
    const V zero(typename V::Number(0));
    const At mean = a + 2 * place[0];
    mean[0] = get(0).re, mean[1] = zero;
    for (int k = 1; k <= points / 2; ++k) {
        Complex<V> x{zero, zero};
        if (k <= waves) x = get(k);
        const At p = a + 2 * place[k], q = a + 2 * place[points - k];
        p[0] = x.re, p[1] = x.im;
        q[0] = x.re, q[1] = -x.im;
    }
}
template <class At> constexpr void points_of_odd_numbers(int points, At a) {
    for (int j = 1; j < points; ++j) a[j] = a[2 * j];
}
template <class At> constexpr void numbers_of_odd_points(int points, At a) {
    using V = std::remove_cvref_t<decltype(a[0])>;
    for (int j = points - 1; j >= 0; --j) {
        const V x = a[j];
        a[2 * j] = x, a[2 * j + 1] = V(typename V::Number(0));
    }
}
template <class Put, class At>
constexpr void waves_of_odd_numbers(int points, int waves, Put put, At a, const int* place) {
    using V = std::remove_cvref_t<decltype(a[0])>;
    put(0, a[2 * place[0]], V(typename V::Number(0)));
    for (int k = 1; k <= waves && k <= points / 2; ++k) {
        const At p = a + 2 * place[k];
        put(k, p[0], p[1]);
    }
}

}  // namespace fathom::fourier_steps
