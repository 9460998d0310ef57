#include "transform/fourier.hpp"
#include <algorithm>
#include <numbers>

namespace fathom {

namespace {

constexpr int largest_radix = 13;                          // beyond it a general radix costs more than a convolution

template <class V> struct Complex {
    V re, im;
    static Complex load(const V* p) { return {p[0], p[1]}; }
    void store(V* p) const { p[0] = re, p[1] = im; }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator*(V s, Complex a) { return {s * a.re, s * a.im}; }
    /// s a + b
    friend Complex fma(V s, Complex a, Complex b) { return {fma(s, a.re, b.re), fma(s, a.im, b.im)}; }
    /// (c, s)^sign a
    template <int sign> Complex turned(V c, V s) const {
        if constexpr (sign > 0) return {fma(c, re, -(s * im)), fma(c, im, s * re)};
        else return {fma(c, re, s * im), fma(c, im, -(s * re))};
    }
    template <int sign> Complex quarter() const { if constexpr (sign > 0) return {-im, re}; else return {im, -re}; }      // sign i a
};

template <int sign, class V> void butterfly(std::integral_constant<int, 2>, Complex<V>* x) { const auto a = x[0], b = x[1]; x[0] = a + b, x[1] = a - b; }

template <int sign, class V> void butterfly(std::integral_constant<int, 3>, Complex<V>* x) {
    const V s(0.86602540378443864676), half(-0.5);
    const auto sum = x[1] + x[2], difference = (s * (x[1] - x[2])).template quarter<sign>(), middle = fma(half, sum, x[0]);
    x[0] = x[0] + sum, x[1] = middle + difference, x[2] = middle - difference;
}

template <int sign, class V> void butterfly(std::integral_constant<int, 4>, Complex<V>* x) {
    const auto a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = (x[1] - x[3]).template quarter<sign>();
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
}

template <int sign, class V> void butterfly(std::integral_constant<int, 5>, Complex<V>* x) {
    const V c1(0.30901699437494742410), c2(-0.80901699437494742410), s1(0.95105651629515357212), s2(0.58778525229247312917);
    const auto a = x[1] + x[4], b = x[2] + x[3], d = x[1] - x[4], e = x[2] - x[3];
    const auto p = fma(c1, a, fma(c2, b, x[0])), q = fma(c2, a, fma(c1, b, x[0]));
    const auto u = fma(s1, d, s2 * e).template quarter<sign>(), v = fma(s2, d, V(-1.0) * (s1 * e)).template quarter<sign>();
    x[0] = x[0] + a + b, x[1] = p + u, x[4] = p - u, x[2] = q + v, x[3] = q - v;
}

/// in[i + after (b + radix k)] -> out[i + after (k + before c)], twiddled: one pass of Stockham's transform, decimation in frequency.
template <int radix, int sign, class Number, class V>
void pass(int after, int before, const V* in, V* out, const Number* twiddle) {
    constexpr std::integral_constant<int, radix> r;
    if (after == 1) {
        for (int k = 0; k < before; ++k) {
            Complex<V> x[radix];
            for (int b = 0; b < radix; ++b) x[b] = Complex<V>::load(in + 2 * (b + radix * k));
            butterfly<sign>(r, x);
            for (int c = 0; c < radix; ++c) x[c].store(out + 2 * (k + before * c));
        }
        return;
    }
    for (int k = 0; k < before; ++k) for (int i = 0; i < after; ++i) {
        Complex<V> x[radix];
        for (int b = 0; b < radix; ++b) x[b] = Complex<V>::load(in + 2 * (i + after * (b + radix * k)));
        butterfly<sign>(r, x);
        const Number* t = twiddle + 2 * (radix - 1) * i;
        x[0].store(out + 2 * (i + after * k));
        for (int c = 1; c < radix; ++c) x[c].template turned<sign>(V(t[2 * c - 2]), V(t[2 * c - 1])).store(out + 2 * (i + after * (k + before * c)));
    }
}

template <int sign, class Number, class V>
void general_pass(int radix, int after, int before, const V* in, V* out, const Number* twiddle, const std::complex<Number>* roots) {
    for (int k = 0; k < before; ++k) for (int i = 0; i < after; ++i) {
        Complex<V> x[largest_radix];
        for (int b = 0; b < radix; ++b) x[b] = Complex<V>::load(in + 2 * (i + after * (b + radix * k)));
        for (int c = 0; c < radix; ++c) {
            Complex<V> sum = x[0];
            for (int b = 1; b < radix; ++b) { const auto w = roots[b * c % radix]; sum = sum + x[b].template turned<sign>(V(w.real()), V(w.imag())); }
            if (c) sum = sum.template turned<sign>(V(twiddle[2 * ((radix - 1) * i + c - 1)]), V(twiddle[2 * ((radix - 1) * i + c - 1) + 1]));
            sum.store(out + 2 * (i + after * (k + before * c)));
        }
    }
}

std::complex<double> root(double k, double n) { return std::polar(1.0, 2 * std::numbers::pi * (k / n)); }

}  // namespace

template <class Number> ComplexFourier<Number>::ComplexFourier(int n) : n(n) {
    std::vector<int> factors;
    int rest = n;
    for (int p : {4, 2, 3, 5, 7, 11, 13}) while (rest % p == 0) factors.push_back(p), rest /= p;
    if (rest > 1) {
        int length = 2 * n - 1;
        for (;; ++length) { int r = length; for (int p : {2, 3, 5}) while (r % p == 0) r /= p; if (r == 1) break; }
        longer = std::make_unique<ComplexFourier>(length);
        // the transform of the filter, by the plain sum in double: made once
        ComplexFourier<double> exact(length);
        constexpr int lanes = ComplexFourier<double>::Lanes::width;
        std::vector<ComplexFourier<double>::Lanes> a(2 * length, 0.0), b(2 * length);
        for (long j = 0; j < n; ++j) {
            const auto w = root(double(j * j % (2 * n)), 2. * n);
            chirp.push_back(std::complex<Number>(w));
            for (long q : {j, (length - j) % length}) a[2 * q] = w.real(), a[2 * q + 1] = -w.imag();
        }
        const auto* z = exact.transform<+1>(a.data(), b.data());
        for (int k = 0; k < length; ++k) {
            double re[lanes], im[lanes];
            z[2 * k].store(re), z[2 * k + 1].store(im);
            filter.emplace_back(Number(re[0] / length), Number(im[0] / length));
        }
        return;
    }
    int before = 1;
    for (int r : factors) {
        const int after = n / (before * r);
        passes.push_back({r, after, before, twiddles.size()});
        for (int i = 0; i < after; ++i) for (int c = 1; c < r; ++c) {
            const auto w = root(double(long(i) * c % (long(r) * after)), double(r) * after);
            twiddles.push_back(Number(w.real())), twiddles.push_back(Number(w.imag()));
        }
        before *= r;
    }
    for (int r : factors) for (int k = 0; k < r; ++k) roots.emplace_back(root(k, r));
}

template <class Number> template <int sign> auto ComplexFourier<Number>::transform(Lanes* a, Lanes* b) const -> Lanes* {
    if (!chirp.empty()) return convolution<sign>(a, b);
    std::size_t root = 0;
    for (const Pass& p : passes) {
        const Number* t = twiddles.data() + p.twiddle;
        switch (p.radix) {
            case 2: pass<2, sign>(p.after, p.before, a, b, t); break;
            case 3: pass<3, sign>(p.after, p.before, a, b, t); break;
            case 4: pass<4, sign>(p.after, p.before, a, b, t); break;
            case 5: pass<5, sign>(p.after, p.before, a, b, t); break;
            default: general_pass<sign>(p.radix, p.after, p.before, a, b, t, roots.data() + root);
        }
        root += p.radix;
        std::swap(a, b);
    }
    return a;
}

/// X_k = w_k sum_j (z_j w_j) conj(w)_{k-j}, w_j = exp(sign pi i j^2 / n): a cyclic convolution of a length that is a product of small primes.
template <class Number> template <int sign> auto ComplexFourier<Number>::convolution(Lanes* a, Lanes* b) const -> Lanes* {
    for (int j = 0; j < n; ++j) Complex<Lanes>::load(a + 2 * j).template turned<sign>(Lanes(chirp[j].real()), Lanes(chirp[j].imag())).store(a + 2 * j);
    std::fill(a + 2 * n, a + 2 * longer->n, Lanes(Number(0)));
    Lanes* z = longer->template transform<+1>(a, b);
    for (int k = 0; k < longer->n; ++k) Complex<Lanes>::load(z + 2 * k).template turned<sign>(Lanes(filter[k].real()), Lanes(filter[k].imag())).store(z + 2 * k);
    z = longer->template transform<-1>(z, z == a ? b : a);
    for (int k = 0; k < n; ++k) Complex<Lanes>::load(z + 2 * k).template turned<sign>(Lanes(chirp[k].real()), Lanes(chirp[k].imag())).store(z + 2 * k);
    return z;
}

template class ComplexFourier<float>;
template class ComplexFourier<double>;
template Register<float>* ComplexFourier<float>::transform<+1>(Register<float>*, Register<float>*) const;
template Register<float>* ComplexFourier<float>::transform<-1>(Register<float>*, Register<float>*) const;
template Register<double>* ComplexFourier<double>::transform<+1>(Register<double>*, Register<double>*) const;
template Register<double>* ComplexFourier<double>::transform<-1>(Register<double>*, Register<double>*) const;

}  // namespace fathom
