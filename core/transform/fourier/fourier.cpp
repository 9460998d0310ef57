#include "transform/fourier/fourier.hpp"
#include <algorithm>
#include <functional>
#include <numbers>
#include <numeric>

namespace fathom {

namespace {

constexpr int largest_radix = 13;  // beyond it a general radix costs more than a convolution

template <class V> struct Complex {
    V re, im;
    static Complex load(const V* p) { return {p[0], p[1]}; }
    void store(V* p) const { p[0] = re, p[1] = im; }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator*(V s, Complex a) { return {s * a.re, s * a.im}; }
    /// s a + b
    friend Complex fma(V s, Complex a, Complex b) {
        return {fma(s, a.re, b.re), fma(s, a.im, b.im)};
    }
    /// (c, s)^sign a
    template <int sign> Complex turned(V c, V s) const {
        if constexpr (sign > 0)
            return {fma(c, re, -(s * im)), fma(c, im, s * re)};
        else
            return {fma(c, re, s * im), fma(c, im, -(s * re))};
    }
    /// sign i a
    template <int sign> Complex quarter() const {
        if constexpr (sign > 0)
            return {-im, re};
        else
            return {im, -re};
    }
};

template <int sign, class V>
[[gnu::always_inline]] inline void butterfly(std::integral_constant<int, 2>, Complex<V>* x) {
    const auto a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
}

template <int sign, class V>
[[gnu::always_inline]] inline void butterfly(std::integral_constant<int, 3>, Complex<V>* x) {
    const V s(0.86602540378443864676), half(-0.5);
    const auto sum = x[1] + x[2], difference = (s * (x[1] - x[2])).template quarter<sign>(),
               middle = fma(half, sum, x[0]);
    x[0] = x[0] + sum, x[1] = middle + difference, x[2] = middle - difference;
}

template <int sign, class V>
[[gnu::always_inline]] inline void butterfly(std::integral_constant<int, 4>, Complex<V>* x) {
    const auto a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3],
               d = (x[1] - x[3]).template quarter<sign>();
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
}

template <int sign, class V>
[[gnu::always_inline]] inline void butterfly(std::integral_constant<int, 5>, Complex<V>* x) {
    const V c1(0.30901699437494742410), c2(-0.80901699437494742410), s1(0.95105651629515357212),
        s2(0.58778525229247312917);
    const auto a = x[1] + x[4], b = x[2] + x[3], d = x[1] - x[4], e = x[2] - x[3];
    const auto p = fma(c1, a, fma(c2, b, x[0])), q = fma(c2, a, fma(c1, b, x[0]));
    const auto u = fma(s1, d, s2 * e).template quarter<sign>(),
               v = fma(s2, d, V(-1.0) * (s1 * e)).template quarter<sign>();
    x[0] = x[0] + a + b, x[1] = p + u, x[4] = p - u, x[2] = q + v, x[3] = q - v;
}

template <int sign, class V>
[[gnu::always_inline]] inline void butterfly(std::integral_constant<int, 8>, Complex<V>* x) {
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
template <int radix, int sign, class Number, class V>
void butterflies(int n, int stride, V* z, const Number* twiddle, RowAhead& ahead) {
    constexpr std::integral_constant<int, radix> r;
    for (V* block = z; block < z + 2 * n; block += 2 * radix * stride)
        for (int i = 0; i < stride; ++i) {
            ahead.some();
            V* const p = block + 2 * i;
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

/// The same for any radix up to 13, by plain sums.
template <int sign, class Number, class V>
void plain_sums(int n, int radix, int stride, V* z, const Number* twiddle,
                const std::complex<Number>* roots, RowAhead& ahead) {
    for (V* block = z; block < z + 2 * n; block += 2 * radix * stride)
        for (int i = 0; i < stride; ++i) {
            ahead.some();
            V* const p = block + 2 * i;
            auto turn = [&](Complex<V> x, int c) {
                return c ? x.template turned<sign>(V(twiddle[2 * ((radix - 1) * i + c - 1)]),
                                                   V(twiddle[2 * ((radix - 1) * i + c - 1) + 1]))
                         : x;
            };
            Complex<V> x[largest_radix];
            for (int b = 0; b < radix; ++b)
                x[b] = Complex<V>::load(p + 2 * stride * b), x[b] = sign > 0 ? turn(x[b], b) : x[b];
            for (int c = 0; c < radix; ++c) {
                Complex<V> sum = x[0];
                for (int b = 1; b < radix; ++b) {
                    const auto w = roots[b * c % radix];
                    sum = sum + x[b].template turned<sign>(V(w.real()), V(w.imag()));
                }
                (sign < 0 ? turn(sum, c) : sum).store(p + 2 * stride * c);
            }
        }
}

std::complex<double> root(double k, double n) {
    return std::polar(1.0, 2 * std::numbers::pi * (k / n));
}

/// Radices of n, the largest first; `rest` is not 1 if n has a prime factor above the largest
/// radix.
std::vector<int> radices(int n, int& rest) {
    std::vector<int> found;
    rest = n;
    for (int p : {13, 11, 7, 5, 3})
        while (rest % p == 0) found.push_back(p), rest /= p;
    int twos = 0;
    while (rest % 2 == 0) ++twos, rest /= 2;
    // avoids a single 2: prefers 4, 8, 8 or 4, 4, 8
    while (twos % 3 && twos >= 2) found.push_back(4), twos -= 2;
    for (; twos >= 3; twos -= 3) found.push_back(8);
    if (twos) found.push_back(2);
    std::ranges::sort(found, std::greater());
    return found;
}

/// The next length that has only small factors.
int convenient_length(int least) {
    int rest;
    const auto inconvenient = [&](int n) {
        return std::ranges::any_of(radices(n, rest), [](int p) { return p > 8; }) || rest > 1;
    };
    while (inconvenient(least)) ++least;
    return least;
}

}  // namespace

template <class Number> ComplexFourier<Number>::ComplexFourier(int n) : n(n), place(n) {
    int rest;
    const std::vector<int> factors = radices(n, rest);
    if (rest > 1)
        plan_convolution();
    else
        plan_passes(factors);
}

/// The transform of the filter, always in double.
template <class Number> void ComplexFourier<Number>::plan_convolution() {
    std::iota(place.begin(), place.end(), 0);
    const int length = convenient_length(2 * n - 1);
    longer = std::make_unique<ComplexFourier>(length);
    ComplexFourier<double> exact(length);
    using Double = typename ComplexFourier<double>::Lanes;
    std::vector<Double> z(2 * length, 0.0);
    for (long j = 0; j < n; ++j) {
        const auto w = root(double(j * j % (2 * n)), 2. * n);
        chirp.push_back(std::complex<Number>(w));
        for (long q : {j, (length - j) % length}) z[2 * q] = w.real(), z[2 * q + 1] = w.imag();
    }
    RowAhead nothing;
    exact.forward(z.data(), nothing);
    for (int p = 0; p < length; ++p) {  // in the order of `longer`
        double re[Double::width], im[Double::width];
        z[2 * p].store(re), z[2 * p + 1].store(im);
        filter.emplace_back(Number(re[0] / length), Number(im[0] / length));
    }
}

template <class Number> void ComplexFourier<Number>::plan_passes(const std::vector<int>& factors) {
    int stride = n;
    for (int r : factors) {
        stride /= r;
        passes.push_back({r, stride, twiddles.size(), roots.size()});
        for (int i = 0; i < stride; ++i)
            for (int c = 1; c < r; ++c) {
                const auto w = root(double(long(i) * c), double(r) * stride);
                twiddles.push_back(Number(w.real())), twiddles.push_back(Number(w.imag()));
            }
        if (r > 5 && r != 8)
            for (int k = 0; k < r; ++k) roots.emplace_back(root(k, r));
    }
    for (int k = 0; k < n; ++k) {
        int digits = k;
        for (const Pass& p : passes) place[k] += digits % p.radix * p.stride, digits /= p.radix;
    }
}

template <class Number>
template <int sign>
void ComplexFourier<Number>::pass(const Pass& p, Lanes* z, RowAhead& ahead) const {
    const Number* t = twiddles.data() + p.twiddle;
    switch (p.radix) {
        case 2: return butterflies<2, sign>(n, p.stride, z, t, ahead);
        case 3: return butterflies<3, sign>(n, p.stride, z, t, ahead);
        case 4: return butterflies<4, sign>(n, p.stride, z, t, ahead);
        case 5: return butterflies<5, sign>(n, p.stride, z, t, ahead);
        case 8: return butterflies<8, sign>(n, p.stride, z, t, ahead);
        default: return plain_sums<sign>(n, p.radix, p.stride, z, t, roots.data() + p.roots, ahead);
    }
}

template <class Number> long ComplexFourier<Number>::steps() const {
    if (longer) return 2 * longer->steps();
    long sum = 0;
    for (const Pass& p : passes) sum += n / p.radix;
    return sum;
}

template <class Number> void ComplexFourier<Number>::forward(Lanes* z, RowAhead& ahead) const {
    if (longer) return convolution<-1>(z, ahead);
    for (auto p = passes.begin(); p != passes.end(); ++p) pass<-1>(*p, z, ahead);
}

template <class Number> void ComplexFourier<Number>::backward(Lanes* z, RowAhead& ahead) const {
    if (longer) return convolution<+1>(z, ahead);
    for (auto p = passes.rbegin(); p != passes.rend(); ++p) pass<+1>(*p, z, ahead);
}

/// With w_j = exp(sign pi i j^2 / n): Z_k = w_k sum_j (z_j w_j) conj(w)_{k-j}, a cyclic convolution
/// of a length that has small factors.
template <class Number>
template <int sign>
void ComplexFourier<Number>::convolution(Lanes* z, RowAhead& ahead) const {
    auto turn = [&](int count, const std::vector<std::complex<Number>>& by, auto direction) {
        for (int j = 0; j < count; ++j)
            Complex<Lanes>::load(z + 2 * j)
                .template turned<direction()>(Lanes(by[j].real()), Lanes(by[j].imag()))
                .store(z + 2 * j);
    };
    turn(n, chirp, std::integral_constant<int, sign>());
    std::fill(z + 2 * n, z + 2 * longer->n, Lanes(Number(0)));
    longer->forward(z, ahead);
    turn(longer->n, filter, std::integral_constant<int, -sign>());
    longer->backward(z, ahead);
    turn(n, chirp, std::integral_constant<int, sign>());
}

template class ComplexFourier<float>;
template class ComplexFourier<double>;

}  // namespace fathom
