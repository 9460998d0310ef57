#include "numerics/semi_implicit.hpp"
#include "base/error.hpp"
#include "numerics/hybrid.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace fathom::numerics {

HybridReference::HybridReference(std::span<const double> a, std::span<const double> b, double pressure, double temperature, double gas_constant, double heat_capacity)
    : pressure(pressure), temperature(temperature), gas_constant(gas_constant), heat_capacity(heat_capacity) {
    if (a.size() != b.size() || a.size() < 2) throw Error("hybrid levels need as many A as B, two at least; given ", a.size(), " and ", b.size());
    for (std::size_t k = 0; k + 1 < a.size(); ++k) {
        const double above = a[k] + b[k] * pressure, below = a[k + 1] + b[k + 1] * pressure;
        if (!(below > above && above >= 0)) throw Error("pressure must grow downward: interfaces ", k, " and ", k + 1, " are at ", above, " and ", below, " Pa");
        thickness.push_back(below - above);
        log_ratio.push_back(above > 0 ? std::log(below / above) : 0);
        alpha.push_back(above > 0 ? 1 - above / thickness.back() * log_ratio.back() : 1);
    }
    if (levels() > most_layers) throw Error("at most ", most_layers, " levels, given ", levels());
}

std::vector<double> HybridReference::gamma() const {
    const int K = levels();
    std::vector<double> g(K * K);
    for (int k = 0; k < K; ++k) for (int j = k; j < K; ++j) g[k * K + j] = gas_constant * (j == k ? alpha[k] : log_ratio[j]);
    return g;
}
std::vector<double> HybridReference::tau() const {
    const int K = levels();
    std::vector<double> t(K * K);
    for (int k = 0; k < K; ++k) for (int j = 0; j <= k; ++j)
        t[k * K + j] = gas_constant / heat_capacity * temperature * (j == k ? alpha[k] : log_ratio[k] / thickness[k] * thickness[j]);
    return t;
}
std::vector<double> HybridReference::matrix() const {
    const int K = levels();
    const auto g = gamma(), t = tau();
    std::vector<double> B(K * K);
    for (int k = 0; k < K; ++k) for (int j = 0; j < K; ++j) {
        double sum = gas_constant * temperature * thickness[j] / pressure;
        for (int l = 0; l < K; ++l) sum += g[k * K + l] * t[l * K + j];
        B[k * K + j] = sum;
    }
    return B;
}

/// Eigenvectors of S = dp^{1/2} B dp^{-1/2} by Jacobi's rotations: S = Q c^2 Q', E = dp^{-1/2} Q.
VerticalModes::VerticalModes(const HybridReference& r) {
    const int K = r.levels();
    const auto B = r.matrix();
    std::vector<double> S(K * K), Q(K * K);
    for (int k = 0; k < K; ++k) for (int j = 0; j < K; ++j) {
        const double a = B[k * K + j] * std::sqrt(r.thickness[k] / r.thickness[j]), b = B[j * K + k] * std::sqrt(r.thickness[j] / r.thickness[k]);
        S[k * K + j] = 0.5 * (a + b); Q[k * K + j] = k == j;
    }
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, all = 0;
        for (int k = 0; k < K; ++k) for (int j = 0; j < K; ++j) { all += S[k * K + j] * S[k * K + j]; if (j != k) off += S[k * K + j] * S[k * K + j]; }
        if (off <= 1e-34 * all) break;
        for (int p = 0; p < K; ++p) for (int q = p + 1; q < K; ++q) {
            const double s = S[p * K + q];
            if (s == 0) continue;
            const double theta = (S[q * K + q] - S[p * K + p]) / (2 * s), t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
            const double cosine = 1 / std::sqrt(t * t + 1), sine = t * cosine;
            for (int k = 0; k < K; ++k) {
                const double a = S[k * K + p], b = S[k * K + q];
                S[k * K + p] = cosine * a - sine * b; S[k * K + q] = sine * a + cosine * b;
            }
            for (int k = 0; k < K; ++k) {
                const double a = S[p * K + k], b = S[q * K + k], x = Q[k * K + p], y = Q[k * K + q];
                S[p * K + k] = cosine * a - sine * b; S[q * K + k] = sine * a + cosine * b;
                Q[k * K + p] = cosine * x - sine * y; Q[k * K + q] = sine * x + cosine * y;
            }
        }
    }
    std::vector<int> order(K);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) { return S[a * K + a] > S[b * K + b]; });
    to_modes.resize(K * K); from_modes.resize(K * K);
    for (int m = 0; m < K; ++m) {
        const int from = order[m];
        speed_squared.push_back(S[from * K + from]);
        if (!(speed_squared.back() > 0)) throw Error("vertical mode ", m, " has squared speed ", speed_squared.back(), ": levels too uneven");
        for (int k = 0; k < K; ++k) {
            const double root = std::sqrt(r.thickness[k] / r.pressure);
            from_modes[k * K + m] = Q[k * K + from] / root;
            to_modes[m * K + k] = Q[k * K + from] * root;
        }
    }
}

template <class T> SemiImplicit<T>::SemiImplicit(const HybridReference& r, int truncation, double radius, double beta) : levels(r.levels()), radius(radius), beta(beta) {
    const VerticalModes modes(r);
    R = T(r.gas_constant); RT = T(r.gas_constant * r.temperature); kappa_T = T(r.gas_constant / r.heat_capacity * r.temperature); per_pressure = T(1 / r.pressure);
    for (int k = 0; k < levels; ++k) {
        alpha.push_back(T(r.alpha[k])); log_ratio.push_back(T(r.log_ratio[k])); thickness.push_back(T(r.thickness[k])); per_thickness.push_back(T(1 / r.thickness[k]));
    }
    for (int j = 0; j < levels; ++j) for (int k = 0; k < levels; ++k) E.push_back(T(modes.from_modes[k * levels + j])), inverse.push_back(T(modes.to_modes[k * levels + j]));
    for (int n = 0; n <= truncation; ++n) for (int m = 0; m < levels; ++m)
        factor.push_back(T(1 / (1 + beta * beta * n * (n + 1.) / (radius * radius) * modes.speed_squared[m])));
}

template <class T> void SemiImplicit<T>::solve(int n, T* D, T* t, T& pi) const {
    T right[most_layers], mode[most_layers];
    const T c = T(beta * n * (n + 1.) / (radius * radius)), b = T(beta);
    T below = RT * pi;
    for (int k = levels - 1; k >= 0; --k) {
        right[k] = D[k] + c * (below + R * alpha[k] * t[k]);
        below += R * log_ratio[k] * t[k];
    }
    auto multiply = [&](const std::vector<T>& matrix, const T* x, T* y) {
        for (int k = 0; k < levels; ++k) y[k] = 0;
        for (int j = 0; j < levels; ++j) { const T* column = &matrix[j * levels]; const T a = x[j]; for (int k = 0; k < levels; ++k) y[k] += column[k] * a; }
    };
    multiply(inverse, right, mode);
    for (int m = 0; m < levels; ++m) mode[m] *= factor[n * levels + m];
    multiply(E, mode, D);
    T sum = 0;
    for (int k = 0; k < levels; ++k) {
        t[k] -= b * kappa_T * (alpha[k] * D[k] + log_ratio[k] * per_thickness[k] * sum);
        sum += thickness[k] * D[k];
    }
    pi -= b * per_pressure * sum;
}

template class SemiImplicit<double>;
template class SemiImplicit<float>;

}  // namespace fathom::numerics
