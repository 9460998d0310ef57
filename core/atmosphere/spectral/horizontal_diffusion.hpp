/// Implicit horizontal diffusion of spectral coefficients over `span` seconds:
///   X / (1 + span K_n),   K_n = [(n(n+1) - 2) / (N(N+1) - 2)]^order / time,   n >= 2,
/// of vorticity, divergence (times `divergence_damping`), and T less what its level's height above
/// mountains explains,
///   T_k - B_k (dT/dp)_k p_r pi,
///       of the standard atmosphere: diffusion along surfaces of pressure.
/// Or, with a `viscosity` nu, the plain Laplacian on the model's levels: K_n = nu n(n+1) / a^2.
/// Within the uppermost `sponge` levels K doubles from level to level towards the top.
#pragma once
#include <cmath>
#include "atmosphere/spectral/parameters.hpp"

namespace fathom::atmosphere {

template <class T> class HorizontalDiffusion {
public:
    HorizontalDiffusion(const SpectralParameters& p, double span, int truncation,
                        const std::vector<double>& a, const std::vector<double>& b)
        : levels(int(a.size()) - 1) {
        for (int k = 0; k < levels; ++k)
            lapse_of_level.push_back(T(p.viscosity > 0
                                           ? 0
                                           : lapse(0.5 * (a[k] + a[k + 1]), 0.5 * (b[k] + b[k + 1]),
                                                   p.reference_pressure)));
        const double N2 = truncation * (truncation + 1.) - 2;
        for (int n = 0; n <= truncation; ++n)
            for (double more : {1., p.divergence_damping})
                for (int k = 0; k < levels; ++k) {
                    const double scale =
                        p.diffusion_time > 0 && n > 1
                            ? more / p.diffusion_time *
                                  std::pow((n * (n + 1.) - 2) / N2, p.diffusion_order)
                            : 0;
                    const double K = scale + p.viscosity * n * (n + 1.) / (p.radius * p.radius);
                    damping.push_back(
                        T(1 / (1 + span * K * std::pow(2., std::max(0., p.sponge - k)))));
                }
    }
    /// A column of vorticity, divergence and temperature of all levels and pi.
    void operator()(int n, T* column) const {
        const T *all = &damping[std::size_t(2 * n) * levels], *divergent = all + levels,
                p = column[3 * levels];
        for (int k = 0; k < levels; ++k) {
            column[k] *= all[k];
            column[levels + k] *= divergent[k];
            const T along = lapse_of_level[k] * p;
            column[2 * levels + k] = (column[2 * levels + k] - along) * all[k] + along;
        }
    }
    /// Its transpose.
    void adjoint(int n, T* column) const {
        const T *all = &damping[std::size_t(2 * n) * levels], *divergent = all + levels;
        for (int k = 0; k < levels; ++k) {
            column[k] *= all[k];
            column[levels + k] *= divergent[k];
            const T t = column[2 * levels + k];
            column[2 * levels + k] = t * all[k];
            column[3 * levels] += lapse_of_level[k] * (t - t * all[k]);
        }
    }
    double operations() const { return 6. * levels; }  ///< of a column
    T of_tracer(int n, int level) const { return damping[std::size_t(2 * n) * levels + level]; }

private:
    int levels;
    std::vector<T> damping, lapse_of_level;
    /// How much the temperature of the standard atmosphere changes at hybrid level p = a + b p_s
    /// where ln p_s changes by 1.
    static double lapse(double a, double b, double p_r) {
        const double p = a + b * p_r, T0 = 288.15 * std::pow(p / p_r, 0.19);
        return T0 > 216.65 ? 0.19 * T0 * b * p_r / p : 0;
    }
};

}  // namespace fathom::atmosphere
