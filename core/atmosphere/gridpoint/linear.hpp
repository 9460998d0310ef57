/// The linear equations of an iteration, increments about the reference (0), tau = alpha dt:
///   u' = R_u - tau c_p theta_0 d(pi')/dx
///   w' = F [R_w + tau g / theta_0 R_theta - tau c_p theta_0 d(pi')/dz],
///        F = 1 / (1 + tau^2 N^2 + tau damping),   N^2 = g / theta_0 d(theta_0)/dz, 0 at the least
///   theta' = R_theta - tau w' d(theta_0)/dz
///   rho' = R_rho - tau div(rho_0 u')
///   (1 - kappa) / kappa pi' / pi_0 = rho' / rho_0 + theta' / theta_0
/// rho' and theta' inserted into the last one, times rho_0 and the thickness h of the layer:
///   (1 - kappa) / kappa rho_0 h pi' / pi_0 + tau [div_h(rho_0 h u') + above w'_k + below w'_k+1]
///       = h R_rho + rho_0 h R_theta / theta_0
/// a Helmholtz equation for pi' with three diagonals in the vertical. Slopes of levels are only in
/// the residuals.
#pragma once
#include "atmosphere/gridpoint/air.hpp"

namespace fathom::atmosphere::gridpoint {

/// For one column; Real is a number or a pack, the columns are views or arrays.
template <class Real, class Heights, class Theta, class Density> struct LinearColumn {
    using T = typename Real::Number;
    const Heights& z;
    const Theta& theta;
    const Density& density;
    int levels;
    double tau, gravity, heat_capacity;

    constexpr Real thickness(int k) const { return z[k] - z[k + 1]; }
    /// Density times thickness: the mass per area that flows through faces.
    constexpr Real mass(int k) const { return density[k] * thickness(k); }
    constexpr Real theta_gradient(int k) const {
        return (theta[k - 1] - theta[k + 1]) / (z[k - 1] - z[k + 1]);
    }
    constexpr Real factor(int k, T damping) const {
        const Real stability = T(gravity) * theta_gradient(k) / theta[k];
        return 1.0 / ((T(1) + T(tau) * damping) + T(tau * tau) * larger(stability, Real(T(0))));
    }
    constexpr Real density_at(int k) const { return 0.5 * (density[k - 1] + density[k]); }
    /// Shares of w' above and below a layer in its equation.
    constexpr Real above(int k) const {
        return T(tau) * (density_at(k) + mass(k) * theta_gradient(k) / (theta[k] + theta[k + 1]));
    }
    constexpr Real below(int k) const {
        return T(tau) *
               (mass(k) * theta_gradient(k + 1) / (theta[k] + theta[k + 1]) - density_at(k + 1));
    }
    /// w' = w'(pi' = 0) - push (pi'_k-1 - pi'_k)
    constexpr Real push(int k, T damping) const {
        return T(tau * heat_capacity) * factor(k, damping) * theta[k] / spacing(z, k, levels);
    }
    constexpr Real free_motion(int k, T damping, Real R_w, Real R_theta) const {
        return factor(k, damping) * (R_w + T(tau * gravity) * R_theta / theta[k]);
    }
    constexpr Real mean_theta(int k) const { return 0.5 * (theta[k] + theta[k + 1]); }
};
template <class Real, class Heights, class Theta, class Density>
constexpr auto linear_column(const Heights& z, const Theta& theta, const Density& density,
                             int levels, double tau, double gravity, double heat_capacity) {
    return LinearColumn<Real, Heights, Theta, Density>{z,   theta,   density,      levels,
                                                       tau, gravity, heat_capacity};
}

}  // namespace fathom::atmosphere::gridpoint
