#include "transform/fourier/fourier.hpp"
#include <algorithm>
#include <functional>
#include <numbers>
#include <numeric>

namespace fathom {

namespace {

using namespace fourier_steps;

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
    pass_of<sign>(p.radix, n, p.stride, z, twiddles.data() + p.twiddle, roots.data() + p.roots,
                  ahead);
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

template <class Number>
template <int sign>
void ComplexFourier<Number>::convolution(Lanes* z, RowAhead& ahead) const {
    fourier_steps::convolution<sign>(
        n, longer->n, z, chirp.data(), filter.data(), [&] { longer->forward(z, ahead); },
        [&] { longer->backward(z, ahead); });
}

template class ComplexFourier<float>;
template class ComplexFourier<double>;

}  // namespace fathom
