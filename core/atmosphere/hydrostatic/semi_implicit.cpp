#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include "atmosphere/hydrostatic/hybrid.hpp"
#include "base/error.hpp"
#include "base/groups.hpp"
#include "solver/jacobi.hpp"

namespace fathom::atmosphere {

HybridReference::HybridReference(std::span<const double> a, std::span<const double> b,
                                 double pressure, double temperature, double gas_constant,
                                 double heat_capacity)
    : pressure(pressure),
      temperature(temperature),
      gas_constant(gas_constant),
      heat_capacity(heat_capacity) {
    if (a.size() != b.size() || a.size() < 2)
        throw Error("hybrid levels need as many A as B, two at least; given ", a.size(), " and ",
                    b.size());
    for (std::size_t k = 0; k + 1 < a.size(); ++k) {
        const double above = a[k] + b[k] * pressure, below = a[k + 1] + b[k + 1] * pressure;
        if (!(below > above && above >= 0))
            throw Error("pressure must grow downward: interfaces ", k, " and ", k + 1, " are at ",
                        above, " and ", below, " Pa");
        thickness.push_back(below - above);
        log_ratio.push_back(above > 0 ? std::log(below / above) : 0);
        alpha.push_back(above > 0 ? 1 - above / thickness.back() * log_ratio.back() : 1);
    }
    if (levels() > most_layers) throw Error("at most ", most_layers, " levels, given ", levels());
}

std::vector<double> HybridReference::gamma() const {
    const int K = levels();
    std::vector<double> g(K * K);
    for (int k = 0; k < K; ++k)
        for (int j = k; j < K; ++j)
            g[k * K + j] = gas_constant * (j == k ? alpha[k] : log_ratio[j]);
    return g;
}
std::vector<double> HybridReference::tau() const {
    const int K = levels();
    std::vector<double> t(K * K);
    for (int k = 0; k < K; ++k)
        for (int j = 0; j <= k; ++j)
            t[k * K + j] = gas_constant / heat_capacity * temperature *
                           (j == k ? alpha[k] : log_ratio[k] / thickness[k] * thickness[j]);
    return t;
}
std::vector<double> HybridReference::matrix() const {
    const int K = levels();
    const auto g = gamma(), t = tau();
    std::vector<double> B(K * K);
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < K; ++j) {
            double sum = surface * gas_constant * temperature * thickness[j] / pressure;
            for (int l = 0; l < K; ++l) sum += g[k * K + l] * t[l * K + j];
            B[k * K + j] = sum;
        }
    return B;
}

/// Eigenvectors of S = dp^{1/2} B dp^{-1/2} by Jacobi's rotations: S = Q c^2 Q', E = dp^{-1/2} Q.
VerticalModes::VerticalModes(const HybridReference& r) : VerticalModes(r.matrix(), r) {}
VerticalModes::VerticalModes(const std::vector<double>& B, const HybridReference& r) {
    const int K = r.levels();
    Jacobi rotations(K);
    auto &S = rotations.S, &Q = rotations.Q;
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < K; ++j) {
            const double a = B[k * K + j] * std::sqrt(r.thickness[k] / r.thickness[j]),
                         b = B[j * K + k] * std::sqrt(r.thickness[j] / r.thickness[k]);
            S[k * K + j] = 0.5 * (a + b);
        }
    rotations.solve();
    std::vector<int> order(K);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) { return S[a * K + a] > S[b * K + b]; });
    to_modes.resize(K * K);
    from_modes.resize(K * K);
    for (int m = 0; m < K; ++m) {
        const int from = order[m];
        speed_squared.push_back(S[from * K + from]);
        if (!(speed_squared.back() >= 0))
            throw Error("vertical mode ", m, " has squared speed ", speed_squared.back(),
                        ": levels too uneven");
        for (int k = 0; k < K; ++k) {
            const double root = std::sqrt(r.thickness[k] / r.pressure);
            from_modes[k * K + m] = Q[k * K + from] / root;
            to_modes[m * K + k] = Q[k * K + from] * root;
        }
    }
}

template <class T>
ImplicitWaves<T>::ImplicitWaves(const std::vector<double>& speed_squared, SemiImplicitParameters p,
                                const std::vector<int>& waves)
    : modes((int(speed_squared.size()) + Real::width - 1) / Real::width * Real::width),
      truncation(p.truncation) {
    using Complex = std::complex<double>;
    const double s = 2 * p.rotation * p.beta;
    for (const int m : waves) {
        Elimination& e = elimination[m];
        auto epsilon = [&](double n) {
            return std::sqrt((n * n - double(m) * m) / (4 * n * n - 1));
        };
        e.pivot.assign(std::size_t(truncation - m + 1) * 4 * modes, T(0));
        std::vector<Complex> last(2 * modes, 0.);
        double above_last = 0;
        for (int n = m; n <= truncation; ++n) {
            const double square = n * (n + 1.), below = n > m ? s * epsilon(n) * (n + 1) / n : 0,
                         above = n < truncation ? s * epsilon(n + 1) * n / (n + 1) : 0;
            std::vector<Complex> here(2 * modes, 1.);
            for (int type = 0; type < 2; ++type)
                for (std::size_t k = 0; k < speed_squared.size(); ++k) {
                    Complex diagonal(1, n > 0 ? -s * m / square : 0);
                    if (type == 1)
                        diagonal +=
                            p.beta * p.beta * speed_squared[k] * square / (p.radius * p.radius);
                    here[type * modes + k] =
                        1. / (diagonal + below * above_last * last[(1 - type) * modes + k]);
                }
            for (int i = 0; i < 2 * modes; ++i) {
                T* pivot = &e.pivot[(std::size_t(n - m) * 4 + 2 * (i / modes)) * modes + i % modes];
                pivot[0] = T(here[i].real());
                pivot[modes] = T(here[i].imag());
            }
            e.below.push_back(T(below));
            e.above.push_back(T(above));
            last = here;
            above_last = above;
        }
    }
}

template <class T> void ImplicitWaves<T>::solve(int m, T* values) const {
    const Elimination& e = of(m);
    for (int k = 0; k < modes; k += Real::width)
        eliminate<Real>(truncation - m + 1, modes, e.below.data(), e.above.data(), &e.pivot[k],
                        values + k);
}

/// The same steps backwards: a product with a complex number becomes one with its conjugate.
template <class T> void ImplicitWaves<T>::solve_adjoint(int m, T* values) const {
    const Elimination& e = elimination.at(m);
    const int count = truncation - m + 1;
    auto at = [&](int i, int type, int k, int part) {
        return values + (std::size_t(2 * i + part) * 2 + type) * modes + k;
    };
    auto add = [&](int i, int type, int k, Real re, Real im) {
        (Real::load(at(i, type, k, 0)) + re).store(at(i, type, k, 0));
        (Real::load(at(i, type, k, 1)) + im).store(at(i, type, k, 1));
    };
    for (int k = 0; k < modes; k += Real::width) {
        for (int i = 0; i + 1 < count; ++i)
            for (int type = 0; type < 2; ++type) {
                const T* pivot = &e.pivot[(std::size_t(i) * 4 + 2 * type) * modes + k];
                const Real above = type == 0 ? -e.above[i] : e.above[i],
                           a = above * Real::load(pivot), b = above * Real::load(pivot + modes);
                const Real re = Real::load(at(i, type, k, 0)), im = Real::load(at(i, type, k, 1));
                add(i + 1, 1 - type, k, fma(a, re, b * im), fma(a, im, -(b * re)));
            }
        for (int i = count - 1; i >= 0; --i)
            for (int type = 0; type < 2; ++type) {
                const T* pivot = &e.pivot[(std::size_t(i) * 4 + 2 * type) * modes + k];
                const Real a = Real::load(pivot), b = Real::load(pivot + modes),
                           re = Real::load(at(i, type, k, 0)), im = Real::load(at(i, type, k, 1));
                const Real right_re = fma(a, re, b * im), right_im = fma(a, im, -(b * re));
                right_re.store(at(i, type, k, 0));
                right_im.store(at(i, type, k, 1));
                if (i == 0) continue;
                const Real below = type == 0 ? -e.below[i] : e.below[i];
                add(i - 1, 1 - type, k, below * right_re, below * right_im);
            }
    }
}

template <class T>
ModeProducts<T>::ModeProducts(const VerticalModes& of)
    : count(int(of.speed_squared.size())),
      width((count + Real::width - 1) / Real::width * Real::width) {
    for (int j = 0; j < count; ++j)
        for (int k = 0; k < width; ++k) {
            E.push_back(k < count ? T(of.from_modes[k * count + j]) : T(0));
            inverse.push_back(k < count ? T(of.to_modes[k * count + j]) : T(0));
            E_transposed.push_back(k < count ? T(of.from_modes[j * count + k]) : T(0));
            inverse_transposed.push_back(k < count ? T(of.to_modes[j * count + k]) : T(0));
        }
}

/// y = matrix x: a tile of 4 columns and 3 registers stays in registers.
template <class T>
void ModeProducts<T>::multiply(const std::vector<T>& matrix, const T* x, T* y, int columns) const {
    each_group<3>(width / Real::width, [&](int first, auto registers) {
        const int k = first * Real::width;
        for (int c = 0; c < columns; c += 4)
            multiply_tile<Real, 4, registers>(count, width, &matrix[k], x + std::size_t(c) * width,
                                              y + std::size_t(c) * width + k);
    });
}

template <class T>
VerticalTerms<T>::VerticalTerms(const HybridReference& r, double beta)
    : speeds(r), products(speeds) {
    count = r.levels();
    this->beta = T(beta);
    R = T(r.gas_constant);
    RT = T(r.surface * r.gas_constant * r.temperature);
    kappa_T = T(r.gas_constant / r.heat_capacity * r.temperature);
    per_pressure = T(r.surface / r.pressure);
    for (int k = 0; k < count; ++k) {
        alpha.push_back(T(r.alpha[k]));
        log_ratio.push_back(T(r.log_ratio[k]));
        thickness.push_back(T(r.thickness[k]));
        per_thickness.push_back(T(1 / r.thickness[k]));
    }
}

template <class T>
SemiImplicit<T>::SemiImplicit(const HybridReference& r, SemiImplicitParameters p,
                              const std::vector<int>& m)
    : parameters(p),
      vertical(r, p.beta),
      waves(vertical.of_reference().speed_squared, p, p.stretching ? std::vector<int>() : m),
      rotates(p.rotation != 0) {
    if (p.stretching && rotates)
        throw Error("rotation is not among the implicit terms of a stretched sphere");
    if (p.stretching)
        stretched.emplace(vertical.of_reference().speed_squared, p.stretching, p.radius, p.beta,
                          p.truncation, m);
}

template <class T>
void SemiImplicit<T>::solve(int m, T* columns, std::ptrdiff_t stride,
                            std::vector<T>& scratch) const {
    const int P = vertical.padded(), levels = vertical.levels(),
              count = parameters.truncation - m + 1;
    const std::size_t size = std::size_t(count) * 4 * P;
    if (scratch.size() < 2 * size) scratch.resize(2 * size);
    T *level = scratch.data(), *mode = level + size;
    for (int i = 0; i < 2 * count; ++i) {
        const T* zeta = columns + i * stride;
        T *of_zeta = level + std::size_t(i) * 2 * P, *of_D = of_zeta + P;
        const double n = m + i / 2;
        const T c = T(parameters.beta * n * (n + 1) / (parameters.radius * parameters.radius));
        for (int k = 0; k < levels; ++k) of_zeta[k] = zeta[k];
        vertical.right_side(c, zeta, of_D);
    }
    vertical.to_modes(level, mode, 4 * count);
    if (stretched)
        stretched->solve(m, mode);
    else
        waves.solve(m, mode);
    vertical.from_modes(mode, level, 4 * count);
    for (int i = 0; i < 2 * count; ++i) {
        T *zeta = columns + i * stride, *D = zeta + levels;
        const T *of_zeta = level + std::size_t(i) * 2 * P, *of_D = of_zeta + P;
        if (rotates) std::copy_n(of_zeta, levels, zeta);
        std::copy_n(of_D, levels, D);
        vertical.finish_with(
            [&](int k) {
                return stretched ? stretched->square(m, i / 2, of_D + k, 4 * P) : of_D[k];
            },
            zeta);
    }
}

template <class T>
void SemiImplicit<T>::solve_adjoint(int m, T* columns, std::ptrdiff_t stride,
                                    std::vector<T>& scratch) const {
    if (stretched) throw Error("the solve on a stretched sphere has no adjoint");
    const int P = vertical.padded(), levels = vertical.levels(),
              count = parameters.truncation - m + 1;
    const std::size_t size = std::size_t(count) * 4 * P;
    if (scratch.size() < 2 * size) scratch.resize(2 * size);
    T *level = scratch.data(), *mode = level + size;
    for (int i = 0; i < 2 * count; ++i) {
        const T* zeta = columns + i * stride;
        T *of_zeta = level + std::size_t(i) * 2 * P, *of_D = of_zeta + P;
        for (int k = 0; k < levels; ++k) of_zeta[k] = rotates ? zeta[k] : T(0);
        vertical.finish_adjoint(zeta, of_D);
        for (int k = 0; k < levels; ++k) of_D[k] += zeta[levels + k];
    }
    vertical.from_modes_adjoint(level, mode, 4 * count);
    waves.solve_adjoint(m, mode);
    vertical.to_modes_adjoint(mode, level, 4 * count);
    for (int i = 0; i < 2 * count; ++i) {
        T* zeta = columns + i * stride;
        const T *of_zeta = level + std::size_t(i) * 2 * P, *of_D = of_zeta + P;
        const double n = m + i / 2;
        const T c = T(parameters.beta * n * (n + 1) / (parameters.radius * parameters.radius));
        if (rotates) std::copy_n(of_zeta, levels, zeta);
        std::copy_n(of_D, levels, zeta + levels);
        vertical.right_side_adjoint(c, of_D, zeta);
    }
}

template class ModeProducts<double>;
template class ModeProducts<float>;
template class VerticalTerms<double>;
template class VerticalTerms<float>;
template class ImplicitWaves<double>;
template class ImplicitWaves<float>;
template class SemiImplicit<double>;
template class SemiImplicit<float>;

}  // namespace fathom::atmosphere
