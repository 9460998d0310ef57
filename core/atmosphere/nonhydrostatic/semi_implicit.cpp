#include "atmosphere/nonhydrostatic/semi_implicit.hpp"
#include "base/constants.hpp"
#include "base/error.hpp"

namespace fathom::atmosphere {

CompressibleReference::CompressibleReference(HybridReference given, double acoustic_temperature)
    : air(std::move(given)),
      acoustic_temperature(acoustic_temperature),
      gravity(constants::gravity) {
    if (!(acoustic_temperature > 0 && acoustic_temperature <= air.temperature))
        throw Error("acoustic_temperature = ", acoustic_temperature,
                    " K must be positive, and no more than reference_temperature = ",
                    air.temperature, " K");
    for (int k = 0; k < levels(); ++k) {
        depth.push_back(air.log_ratio[k] > 0 ? air.log_ratio[k] : 2);
        pressure.push_back(air.thickness[k] / depth[k]);
    }
}

double CompressibleReference::acoustic() const {
    return gravity * gravity / (air.gas_constant * acoustic_temperature);
}

Tridiagonal CompressibleReference::acceleration() const {
    const int K = levels();
    Tridiagonal L;
    L.above.assign(K, 0), L.here.assign(K, 0), L.below.assign(K, 0);
    for (int k = 0; k < K; ++k) {  // m above layer k
        const double per = 1 / (k > 0 ? pressure[k] - pressure[k - 1] : 0.5 * air.thickness[0]);
        L.here[k] -= pressure[k] * per / depth[k];
        if (k == 0) continue;
        L.above[k] += pressure[k - 1] * per / depth[k];
        L.below[k - 1] += pressure[k] * per / depth[k - 1];
        L.here[k - 1] -= pressure[k - 1] * per / depth[k - 1];
    }
    return L;
}

std::vector<double> CompressibleReference::G() const {
    auto G = air.gamma();
    for (double& x : G) x /= air.gas_constant;
    return G;
}

std::vector<double> CompressibleReference::S() const {
    auto S = air.tau();
    for (double& x : S) x *= air.heat_capacity / (air.gas_constant * air.temperature);
    return S;
}

std::vector<double> CompressibleReference::F(double beta) const {
    const int K = levels();
    const Tridiagonal L = acceleration();
    const double c = beta * beta * acoustic() / heat_ratio();
    std::vector<double> F(K * K);
    for (int k = 0; k < K; ++k) {
        F[k * K + k] = 1 - c * L.here[k];
        if (k > 0) F[k * K + k - 1] = -c * L.above[k];
        if (k + 1 < K) F[k * K + k + 1] = -c * L.below[k];
    }
    return F;
}

namespace {

/// Divides the columns of x by F, which has a dominant diagonal.
std::vector<double> divided(std::vector<double> F, std::vector<double> x, int K) {
    for (int k = 1; k < K; ++k) {
        const double less = F[k * K + k - 1] / F[(k - 1) * K + k - 1];
        F[k * K + k] -= less * F[(k - 1) * K + k];
        for (int j = 0; j < K; ++j) x[k * K + j] -= less * x[(k - 1) * K + j];
    }
    for (int k = K - 1; k >= 0; --k)
        for (int j = 0; j < K; ++j) {
            if (k + 1 < K) x[k * K + j] -= F[k * K + k + 1] * x[(k + 1) * K + j];
            x[k * K + j] /= F[k * K + k];
        }
    return x;
}

/// 1 - a X.
std::vector<double> less(std::vector<double> X, double a, int K) {
    for (double& x : X) x *= -a;
    for (int k = 0; k < K; ++k) X[k * K + k] += 1;
    return X;
}

}  // namespace

std::vector<double> CompressibleReference::matrix(double beta) const {
    const int K = levels();
    const double a = heat_ratio(), C2 = sound_squared();
    const auto left = less(G(), a, K), right = divided(F(beta), less(S(), a, K), K);
    auto B = air.matrix();
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < K; ++j) {
            double sum = 0;
            for (int i = 0; i < K; ++i) sum += left[k * K + i] * right[i * K + j];
            B[k * K + j] += C2 * sum;
        }
    return B;
}

VerticalModes compressible_modes(const CompressibleReference& r, double beta) {
    return {r.matrix(beta), r.air};
}

template <class T>
CompressibleTerms<T>::CompressibleTerms(const CompressibleReference& r, double beta)
    : CompressibleTerms(r, beta, compressible_modes(r, beta)) {}

template <class T>
CompressibleTerms<T>::CompressibleTerms(const CompressibleReference& r, double beta,
                                        const VerticalModes& modes)
    : speed(modes.speed_squared), products(modes) {
    count = r.levels();
    this->beta = T(beta);
    R = T(r.air.gas_constant);
    RT = T(r.air.gas_constant * r.air.temperature);
    C2 = T(r.sound_squared());
    a = T(r.heat_ratio());
    heating = T(r.air.gas_constant * r.air.temperature / (r.heat_ratio() * r.air.heat_capacity));
    beta_a = T(beta / r.heat_ratio());
    acoustic = T(r.acoustic());
    const Tridiagonal L = r.acceleration();
    const auto F = r.F(beta);
    double pivot = 0;
    for (int k = 0; k < count; ++k) {
        alpha.push_back(T(r.air.alpha[k]));
        log_ratio.push_back(T(r.air.log_ratio[k]));
        thickness.push_back(T(r.air.thickness[k] / r.air.pressure));
        per_pressure.push_back(T(r.air.pressure / r.pressure[k]));
        L_above.push_back(T(L.above[k]));
        L_here.push_back(T(L.here[k]));
        L_below.push_back(T(L.below[k]));
        const double above = k > 0 ? F[k * count + k - 1] : 0,
                     over = k > 0 ? F[(k - 1) * count + k] : 0;
        pivot = F[k * count + k] - (k > 0 ? above * over / pivot : 0);
        F_above.push_back(T(above));
        F_pivot.push_back(T(1 / pivot));
        F_below.push_back(T(k + 1 < count ? F[k * count + k + 1] / pivot : 0));
    }
}

template <class T> void CompressibleTerms<T>::divide_by_F_adjoint(T* x) const {
    for (int k = 0; k + 1 < count; ++k) x[k + 1] -= F_below[k] * x[k];
    for (int k = count - 1; k >= 0; --k) {
        x[k] *= F_pivot[k];
        if (k > 0) x[k - 1] -= F_above[k] * x[k];
    }
}

template <class T> void CompressibleTerms<T>::finish_adjoint(T* column, T* of_D) const {
    const T *t = column + 2 * count, s = t[count], *q = q_of(column);
    T* d = q_of(column) + count;
    // of t and q by D + d, in both of its parts
    const auto of_expansion = [&](int k) { return -beta * heating * t[k] - beta_a * q[k]; };
    for (int k = 0; k < count; ++k) of_D[k] = of_expansion(k) + d[k];
    divide_by_F_adjoint(of_D);
    T below = -beta * s;  // of the sum over the layers above
    for (int k = count - 1; k >= 0; --k) {
        const T of_rest = of_D[k] - d[k], of_aSD = -beta * heating * t[k] - of_rest;
        of_D[k] = of_rest + a * alpha[k] * of_aSD + thickness[k] * below;
        below += a * per_pressure[k] * of_aSD;
        d[k] += of_expansion(k);
    }
}

template <class T>
void CompressibleTerms<T>::right_side_adjoint(T c, const T* of_D, T* column) const {
    T *t = column + 2 * count, *q = q_of(column), *d = q + count, above = 0;
    for (int k = 0; k < count; ++k) {
        const T y = c * of_D[k], of_G = alpha[k] * y + log_ratio[k] * above;
        t[k] += R * of_G;
        q[k] += RT * (y - of_G);
        d[k] += beta * (RT * of_G - C2 * y);
        above += y;
    }
    t[count] += RT * above;
    divide_by_F_adjoint(d);
    const T factor = beta * acoustic;
    for (int k = 0; k < count; ++k)
        q[k] -= factor * (L_here[k] * d[k] + (k + 1 < count ? L_above[k + 1] * d[k + 1] : T(0)) +
                          (k > 0 ? L_below[k - 1] * d[k - 1] : T(0)));
}

template class CompressibleTerms<double>;
template class CompressibleTerms<float>;

}  // namespace fathom::atmosphere
