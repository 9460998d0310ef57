#include "transform/fourier/fourier.hpp"
#include <algorithm>
#include <functional>
#include <numbers>
#include <numeric>

namespace fathom {

namespace {

constexpr int largest_radix = 13;  // beyond it a general radix costs more than a convolution

using namespace fourier_steps;

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
        if (!has_butterfly(r))
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
    if (!pass_of<sign>(p.radix, n, p.stride, z, t, ahead))
        plain_sums<sign>(n, p.radix, p.stride, z, t, roots.data() + p.roots, ahead);
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
