/// Semi-implicit linear terms on hybrid levels about rest at temperature T_r and surface pressure p_r (Simmons & Burridge 1981):
///   (gamma T)_k = R (alpha_k T_k + sum_{j>k} l_j T_j),     (tau D)_k = kappa T_r (alpha_k D_k + (l_k / dp_k) sum_{j<k} dp_j D_j),     nu_j = dp_j / p_r
///   D+ = D* - beta lap(gamma T+ + R T_r pi+),   T+ = T* - beta tau D+,   pi+ = pi* - beta nu D+,           beta = dt/2 (1 + e)
///   (1 + beta^2 n(n+1)/a^2 B) D+ = D* + beta n(n+1)/a^2 (gamma T* + R T_r pi*),                             B = gamma tau + R T_r 1 nu
/// dp B is symmetric: B = E c^2 E^{-1} with real c^2 > 0, the squared speeds of the vertical modes, and each mode is solved by itself.
#pragma once
#include <span>
#include <vector>

namespace fathom::numerics {

struct HybridReference {
    std::vector<double> alpha, log_ratio, thickness;       ///< of the layers at p_r
    double pressure, temperature, gas_constant, heat_capacity;
    HybridReference(std::span<const double> a, std::span<const double> b, double pressure, double temperature, double gas_constant, double heat_capacity);
    int levels() const { return int(alpha.size()); }
    std::vector<double> gamma() const, tau() const, matrix() const;            ///< (levels, levels), row by row; matrix: B
};

struct VerticalModes {
    std::vector<double> speed_squared;                     ///< of each mode [m2 s-2], largest first
    std::vector<double> to_modes, from_modes;              ///< E^{-1}, E: (levels, levels), row by row
    explicit VerticalModes(const HybridReference&);
};

/// Solves for columns of coefficients, in place; Number: of the coefficients.
template <class Number> class SemiImplicit {
public:
    SemiImplicit(const HybridReference&, int truncation, double radius, double beta);
    /// One (m, n), real or imaginary part: D and T have `levels` values, pi one.
    void solve(int n, Number* D, Number* T, Number& pi) const;

private:
    int levels;
    double radius, beta;
    std::vector<Number> alpha, log_ratio, thickness, per_thickness, E, inverse, factor;   ///< E, inverse: transposed, columns contiguous; factor: [n][mode]
    Number R, RT, kappa_T, per_pressure;
};

}  // namespace fathom::numerics
