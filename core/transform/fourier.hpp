/// Fourier: real transforms of rows of 2h points, many fields at once, one in each lane of a register.
///
///   inverse   x_j = F_0 + 2 Re sum_{0<m<h} F_m exp(2 pi i j m / 2h)          direct   F_m = sum_j x_j exp(-2 pi i j m / 2h)
///
/// Even and odd points are the real and imaginary parts of a complex transform of length h. With w = exp(2 pi i k / 2h), X_k = F_k,
/// Y_k = conj F_{h-k}:
///   Z_k = (X + Y) + i w (X - Y)      inverse;        F_k = [(Z_k + conj Z_{h-k}) - i conj(w) (Z_k - conj Z_{h-k})] / 2      direct.
/// The complex transform is Stockham's: radices 4, 2, 3, 5 and odd primes up to 13; a length with a larger prime factor becomes a
/// convolution with a chirp (Bluestein 1970). Every lane is rounded the same way.
#pragma once
#include "transform/register.hpp"
#include <complex>
#include <memory>
#include <vector>

namespace fathom {

/// Complex transform of length n: sum_j z_j exp(sign 2 pi i j k / n).
template <class Number> class ComplexFourier {
public:
    using Lanes = Register<Number>;
    explicit ComplexFourier(int n);
    /// Packs needed for each of the two buffers.
    std::size_t packs() const { return 2 * std::size_t(chirp.empty() ? n : longer->n); }
    /// z in `a` as (re, im) pairs; returns where the result is, a or b.
    template <int sign> Lanes* transform(Lanes* a, Lanes* b) const;
    const int n;

private:
    struct Pass { int radix, after, before; std::size_t twiddle; };
    std::vector<Pass> passes;
    std::vector<Number> twiddles;                          ///< (re, im) of exp(2 pi i j c / (radix after)), c = 1 .. radix - 1, j fastest outside
    std::vector<std::complex<Number>> roots;               ///< of the largest general radix
    std::unique_ptr<ComplexFourier> longer;
    std::vector<std::complex<Number>> chirp, filter;
    template <int sign> Lanes* convolution(Lanes* a, Lanes* b) const;
};

template <class Number> class Fourier {
public:
    using Lanes = Register<Number>;
    explicit Fourier(int points) : points(points), half(points / 2), complex(half), turn(half + 1) {
        for (int k = 0; k <= half; ++k) turn[k] = std::complex<Number>(std::polar(1.0, 3.14159265358979323846 * k / half));
    }
    const int points, half;
    std::size_t packs() const { return std::max<std::size_t>(complex.packs(), points); }

    /// get(m) -> {re, im} for m = 0 .. waves < h; higher waves are 0. Returns the points.
    template <class Get> Lanes* inverse(int waves, Get get, Lanes* a, Lanes* b) const {
        const Lanes zero(Number(0));
        const Lanes mean = get(0).re;
        a[0] = mean, a[1] = mean;
        for (int k = 1; k <= half / 2; ++k) {
            Pair x{zero, zero}, y{zero, zero};
            if (k <= waves) x = get(k);
            if (half - k <= waves) { y = get(half - k); y.im = -y.im; }
            const Lanes er = x.re + y.re, ei = x.im + y.im, dr = x.re - y.re, di = x.im - y.im, c(turn[k].real()), s(turn[k].imag());
            const Lanes tr = -(fma(c, di, s * dr)), ti = fma(c, dr, -(s * di));             // i w D
            a[2 * k] = er + tr, a[2 * k + 1] = ei + ti;
            a[2 * (half - k)] = er - tr, a[2 * (half - k) + 1] = ti - ei;
        }
        return complex.template transform<+1>(a, b);
    }
    /// Points in `a`; put(m, re, im) for m = 0 .. waves < h.
    template <class Put> void direct(int waves, Put put, Lanes* a, Lanes* b) const {
        const Lanes* z = complex.template transform<-1>(a, b);
        put(0, z[0] + z[1], Lanes(Number(0)));
        const Lanes half_(Number(0.5));
        for (int k = 1; k <= half / 2; ++k) {
            const int q = half - k;
            const Lanes er = half_ * (z[2 * k] + z[2 * q]), ei = half_ * (z[2 * k + 1] - z[2 * q + 1]);
            const Lanes dr = half_ * (z[2 * k] - z[2 * q]), di = half_ * (z[2 * k + 1] + z[2 * q + 1]), c(turn[k].real()), s(turn[k].imag());
            const Lanes tr = fma(c, di, -(s * dr)), ti = -(fma(c, dr, s * di));             // -i conj(w) D
            if (k <= waves) put(k, er + tr, ei + ti);
            if (q <= waves && q != k) put(q, er - tr, ti - ei);
        }
    }

private:
    struct Pair { Lanes re, im; };
    ComplexFourier<Number> complex;
    std::vector<std::complex<Number>> turn;
public:
    using Coefficient = Pair;
};

}  // namespace fathom
