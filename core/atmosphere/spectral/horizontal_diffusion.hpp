/// Implicit horizontal diffusion of spectral coefficients over `span` seconds:
///   X / (1 + span K_n),   K_n = [(n(n+1) - 2) / (N(N+1) - 2)]^order / time,   n >= 2,
/// of vorticity, divergence (times `divergence_damping`), and T minus the part due to its level's
/// height above mountains,
///   T_k - B_k (dT/dp)_k p_r pi,
///       of the standard atmosphere: diffusion along surfaces of pressure.
/// Or, with a `viscosity` nu, the plain Laplacian on the model's levels: K_n = nu n(n+1) / a^2.
/// Within the uppermost `sponge` levels K doubles from level to level towards the top.
#pragma once
#include <cmath>
#include "atmosphere/hydrostatic/linear_columns.hpp"
#include "atmosphere/spectral/parameters.hpp"

namespace fathom::atmosphere {

/// By level: the part of T due to the height above mountains, and the sponge.
template <class T> class DiffusionOfLevels {
public:
    DiffusionOfLevels(const SpectralParameters& p, const std::vector<double>& a,
                      const std::vector<double>& b)
        : levels(int(a.size()) - 1) {
        for (int k = 0; k < levels; ++k) {
            const double A = 0.5 * (a[k] + a[k + 1]), B = 0.5 * (b[k] + b[k + 1]);
            lapse_of_level.push_back(T(p.viscosity > 0 ? 0 : lapse(A, B, p.reference_pressure)));
            sponge.push_back(std::pow(2., std::max(0., p.sponge - k)));
        }
    }
    /// Of a number times span K.
    T damping(double rate, int level) const { return atmosphere::damping<T>(rate, sponge[level]); }
    /// A column of vorticity, divergence and temperature of all levels and pi; damping: of a level.
    template <class All, class Divergent>
    void damp_with(T* column, All all, Divergent divergent) const {
        damp_column(levels, lapse_of_level.data(), column, all, divergent);
    }
    /// The same by span K of all and of divergence.
    void damp(T* column, double all, double divergent) const {
        damp_with(
            column, [&](int k) { return damping(all, k); },
            [&](int k) { return damping(divergent, k); });
    }
    void damp_adjoint(T* column, double all, double divergent) const {
        adjoint_with(
            column, [&](int k) { return damping(all, k); },
            [&](int k) { return damping(divergent, k); });
    }
    /// Of compressible air, after these: q with the span `all`, d with `divergent`.
    void damp_compressible(T* column, double all, double divergent) const {
        atmosphere::damp_compressible(
            levels, column, [&](int k) { return damping(all, k); },
            [&](int k) { return damping(divergent, k); });
    }
    /// The transpose of `damp_with`.
    template <class All, class Divergent>
    void adjoint_with(T* column, All all, Divergent divergent) const {
        for (int k = 0; k < levels; ++k) {
            column[k] *= all(k);
            column[levels + k] *= divergent(k);
            const T t = column[2 * levels + k];
            column[2 * levels + k] = t * all(k);
            column[3 * levels] += lapse_of_level[k] * (t - t * all(k));
        }
    }
    const std::vector<T>& lapses() const { return lapse_of_level; }
    const std::vector<double>& sponge_of_levels() const { return sponge; }

protected:
    int levels;

private:
    std::vector<T> lapse_of_level;
    std::vector<double> sponge;
    /// The change of the temperature of the standard atmosphere at hybrid level p = a + b p_s where
    /// ln p_s changes by 1.
    static double lapse(double a, double b, double p_r) {
        const double p = a + b * p_r, T0 = 288.15 * std::pow(p / p_r, 0.19);
        return T0 > 216.65 ? 0.19 * T0 * b * p_r / p : 0;
    }
};

/// On the sphere.
template <class T> class HorizontalDiffusion : public DiffusionOfLevels<T> {
    using DiffusionOfLevels<T>::levels;

public:
    HorizontalDiffusion(const SpectralParameters& p, double span, int truncation,
                        const std::vector<double>& a, const std::vector<double>& b)
        : DiffusionOfLevels<T>(p, a, b) {
        const double N2 = truncation * (truncation + 1.) - 2;
        for (int n = 0; n <= truncation; ++n)
            for (double more : {1., p.divergence_damping}) {
                const double scale = p.diffusion_time > 0 && n > 1
                                         ? more / p.diffusion_time *
                                               std::pow((n * (n + 1.) - 2) / N2, p.diffusion_order)
                                         : 0;
                const double K = scale + p.viscosity * n * (n + 1.) / (p.radius * p.radius);
                rates.push_back(span * K);
                for (int k = 0; k < levels; ++k) factors.push_back(this->damping(span * K, k));
            }
    }
    /// A column of degree n.
    void operator()(int n, T* column) const {
        const T *all = &factors[std::size_t(2 * n) * levels], *divergent = all + levels;
        this->damp_with(column, [&](int k) { return all[k]; }, [&](int k) { return divergent[k]; });
    }
    /// Its transpose.
    void adjoint(int n, T* column) const {
        const T *all = &factors[std::size_t(2 * n) * levels], *divergent = all + levels;
        this->adjoint_with(
            column, [&](int k) { return all[k]; }, [&](int k) { return divergent[k]; });
    }
    double operations() const { return 6. * levels; }  ///< of a column
    /// Span K of degree n, and that of divergence.
    double rate(int n) const { return rates[2 * n]; }
    double rate_of_divergence(int n) const { return rates[2 * n + 1]; }
    T of_tracer(int n, int level) const { return factors[std::size_t(2 * n) * levels + level]; }

private:
    std::vector<double> rates;
    std::vector<T> factors;  // [n][all, divergent][level]
};

}  // namespace fathom::atmosphere
