/// Fourier: real transforms of rows of p points, many fields at once, one in each lane of a
/// register.
///
///   inverse   x_j = F_0 + 2 Re sum_{0<m<p/2} F_m exp(2 pi i j m / p)
///   direct    F_m = sum_j x_j exp(-2 pi i j m / p)
///
/// An odd row is a complex transform of numbers without an imaginary part. Of a row of 2h, even and
/// odd points are the real and imaginary parts of a complex transform of length h. With
/// w = exp(2 pi i k / 2h), X_k = F_k, Y_k = conj F_{h-k}:
///   inverse   Z_k = (X + Y) + i w (X - Y)
///   direct    F_k = [(Z_k + conj Z_{h-k}) - i conj(w) (Z_k - conj Z_{h-k})] / 2
/// The complex transform works in place, so that a row of eight fields stays in the first-level
/// cache: radices 8, 5, 4, 3, 2, primes up to 13 by plain sums. Decimation in frequency stores F_k
/// at `place`, given by its digits; decimation in time reads it from there; the split above reads
/// and writes in that order. A length with a larger prime factor becomes a convolution with a chirp
/// (Bluestein 1970). Every lane is rounded the same way.
#pragma once
#include <algorithm>
#include <complex>
#include <memory>
#include <vector>
#include "machine/ahead.hpp"
#include "transform/fourier/register.hpp"
#include "transform/fourier/steps.hpp"

namespace fathom {

using RowAhead = Ahead<4>;  ///< entries or points of the next row

/// Complex transforms of length n, in place; z as (re, im) pairs of registers.
template <class Number> class ComplexFourier {
public:
    using Lanes = Register<Number>;
    explicit ComplexFourier(int n);
    /// Z_k = sum_j z_j exp(-2 pi i j k / n), at place[k]
    void forward(Lanes* z, RowAhead&) const;
    /// z_j = sum_k Z_k exp(+2 pi i j k / n), Z_k at place[k]
    void backward(Lanes* z, RowAhead&) const;
    std::size_t packs() const { return 2 * std::size_t(longer ? longer->n : n); }
    /// Butterflies of one transform: the number of calls of `ahead`.
    long steps() const;
    const int n;
    std::vector<int> place;
    struct Pass {
        int radix, stride;
        std::size_t twiddle, roots;
    };
    const std::vector<Pass>& all_passes() const { return passes; }
    const std::vector<Number>& all_twiddles() const { return twiddles; }
    using Turns = std::vector<std::complex<Number>>;
    const Turns& all_roots() const { return roots; }
    /// If it is a convolution: the transform by which, and what numbers are turned by.
    const ComplexFourier* by() const { return longer.get(); }
    const Turns& all_chirps() const { return chirp; }
    const Turns& all_filters() const { return filter; }

private:
    std::vector<Pass> passes;
    /// Of each pass: [i < stride][c = 1 ... radix - 1] (re, im) of
    /// exp(2 pi i i c / (radix stride)).
    std::vector<Number> twiddles;
    std::vector<std::complex<Number>> roots;  ///< of radices without a special butterfly
    std::unique_ptr<ComplexFourier> longer;
    std::vector<std::complex<Number>> chirp, filter;
    template <int sign> void pass(const Pass&, Lanes*, RowAhead&) const;
    template <int sign> void convolution(Lanes*, RowAhead&) const;
    void plan_convolution();
    void plan_passes(const std::vector<int>& factors);
};

template <class Number> class Fourier {
public:
    using Lanes = Register<Number>;
    explicit Fourier(int points)
        : points(points), half(points / 2), complex(points % 2 ? points : half), turn(half + 1) {
        for (int k = 0; k <= half; ++k)
            turn[k] = std::complex<Number>(std::polar(1.0, 3.14159265358979323846 * k / half));
    }
    const int points, half;
    std::size_t packs() const { return std::max<std::size_t>(complex.packs(), points); }

    /// Number of calls of `ahead` in a transform.
    long steps() const { return complex.steps(); }
    /// get(m) -> {re, im} for m = 0 .. waves < p/2; higher waves are 0. The points are in `a`.
    /// `ahead` fetches memory while butterflies are computed.
    template <class Get> void inverse(int waves, Get get, Lanes* a, RowAhead& ahead) const {
        using namespace fourier_steps;
        const bool odd = points % 2;
        const int* const place = complex.place.data();
        if (odd)
            numbers_of_odd_waves(points, waves, get, a, place);
        else
            numbers_of_waves(half, waves, get, a, place, turn.data());
        complex.backward(a, ahead);
        if (odd) points_of_odd_numbers(points, a);
    }
    /// Points in `a`; put(m, re, im) for m = 0 .. waves < p/2.
    template <class Put> void direct(int waves, Put put, Lanes* a, RowAhead& ahead) const {
        using namespace fourier_steps;
        const bool odd = points % 2;
        const int* const place = complex.place.data();
        if (odd) numbers_of_odd_points(points, a);
        complex.forward(a, ahead);
        if (odd)
            waves_of_odd_numbers(points, waves, put, a, place);
        else
            waves_of_numbers(half, waves, put, a, place, turn.data());
    }

    /// Of the numbers of an odd row, or of half of an even one.
    const ComplexFourier<Number>& of_numbers() const { return complex; }
    const std::vector<std::complex<Number>>& turns() const { return turn; }

private:
    using Pair = fourier_steps::Complex<Lanes>;
    ComplexFourier<Number> complex;
    std::vector<std::complex<Number>> turn;

public:
    using Coefficient = Pair;
};

}  // namespace fathom
