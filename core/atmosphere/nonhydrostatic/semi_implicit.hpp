/// Semi-implicit linear terms of compressible air about rest at temperature T_r and surface
/// pressure p_r, in the mass coordinate of Laprise (1992): pi the hydrostatic pressure, p the true
/// one, q = ln(p / pi), d the vertical divergence, s = ln pi_s. Sound has another reference,
/// T_a, colder than the air (Benard 2004):
///   dD/dt = -div grad [R G T - R T_r G q + R T_r q + R T_r s]
///   dd/dt = -(g^2 / R T_a) L q            dT/dt = -(R T_r / c_v) (D + d)
///   dq/dt = S D - (c_p / c_v) (D + d)     ds/dt = -N D
/// On hybrid levels, with l_k and alpha_k of the hydrostatic model (hybrid.hpp), h_k = l_k but 2
/// where the top is p = 0, and the pressure of a layer pi_k = dpi_k / h_k:
///   (G T)_k = alpha_k T_k + sum_{j>k} l_j T_j,
///   (S D)_k = alpha_k D_k + sum_{j<k} dpi_j D_j / pi_k,     N_j = dpi_j / p_r
///   h_k (L q)_k = m_{k+1/2} - m_{k-1/2},
///       m_{k-1/2} = (pi_k q_k - pi_{k-1} q_{k-1}) / (pi_k - pi_{k-1}),
///       q = 0 at the top, m = 0 at the ground
/// S is the transpose of G and L its own, both weighted by the masses dpi_k. With beta = dt/2 (1 +
/// e), K the wavenumber, a = c_v / c_p, C^2 = R T_r / a, M the square of the map factor of the
/// linear terms:
///   F = 1 - beta^2 (g^2 / (a R T_a)) L
///   d+ = F^-1 [R_d - beta (g^2 / R T_a) L R_q] + (F^-1 - 1)(1 - a S) M D+
///   (1 + beta^2 K^2 M B) D+ = R_D + beta K^2 {R G R_T - R T_r (G - 1) R_q + R T_r R_s
///       - beta C^2 (1 - a G) F^-1 [R_d - beta (g^2 / R T_a) L R_q]}
///   B = R T_r (kappa G S + N) + C^2 (1 - a G) F^-1 (1 - a S)
/// The first part of B is that of the hydrostatic model. Both are symmetric with the masses as
/// weights and positive, for any alpha: B = E c^2 E^-1 with real c^2 > 0, and modes are
/// independent. As d is eliminated and not D, G, S and N need not be related.
#pragma once
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/nonhydrostatic/compressible_column.hpp"

namespace fathom::atmosphere {

/// A matrix with one diagonal on either side of the main one.
struct Tridiagonal {
    std::vector<double> above, here, below;  ///< of row k: times x_{k-1}, x_k, x_{k+1}
};

struct CompressibleReference {
    HybridReference air;
    double acoustic_temperature, gravity;
    std::vector<double> depth, pressure;  ///< h_k, pi_k
    CompressibleReference(HybridReference air, double acoustic_temperature);
    int levels() const { return air.levels(); }
    double heat_ratio() const { return 1 - air.gas_constant / air.heat_capacity; }  ///< a
    double sound_squared() const {
        return air.gas_constant * air.temperature / heat_ratio();
    }  ///< C^2
    double acoustic() const;           ///< g^2 / (R T_a)
    Tridiagonal acceleration() const;  ///< L
    std::vector<double> G() const, S() const, F(double beta) const,
        matrix(double beta) const;  ///< (levels, levels), row by row; matrix: B
};

/// Vertical modes of B.
VerticalModes compressible_modes(const CompressibleReference&, double beta);

/// The linear terms along a column of coefficients: zeta, D, T of all levels, s, then q and d of
/// all levels.
template <class Number> class CompressibleTerms : CompressibleColumn<Number, OwnTable> {
    using Column = CompressibleColumn<Number, OwnTable>;
    using Column::count, Column::alpha, Column::log_ratio, Column::thickness, Column::per_pressure,
        Column::L_above, Column::L_here, Column::L_below, Column::F_above, Column::F_below,
        Column::F_pivot, Column::beta, Column::R, Column::RT, Column::C2, Column::a,
        Column::acoustic, Column::heating, Column::beta_a;

public:
    using Column::right_side, Column::finish;
    CompressibleTerms(const CompressibleReference&, double beta);
    int levels() const { return count; }
    int modes() const { return count; }
    int padded() const { return products.padded(); }
    double speed_squared(int mode) const { return speed[mode]; }
    const std::vector<double>& speeds_squared() const { return speed; }
    const Column& of_column() const { return *this; }
    const ModeProducts<Number>& of_modes() const { return products; }
    void to_modes(const Number* levels, Number* modes, int columns) const {
        products.to_modes(levels, modes, columns);
    }
    void from_modes(const Number* modes, Number* levels, int columns) const {
        products.from_modes(modes, levels, columns);
    }
    /// The transposes: of `finish`, to the M D+ that it gets, and of its changes of q and d;
    /// of both products; of `right_side`, whose D is that of the column.
    void finish_adjoint(Number* column, Number* of_D) const;
    void from_modes_adjoint(const Number* levels, Number* modes, int columns) const {
        products.from_modes_adjoint(levels, modes, columns);
    }
    void to_modes_adjoint(const Number* modes, Number* levels, int columns) const {
        products.to_modes_adjoint(modes, levels, columns);
    }
    void right_side_adjoint(Number c, const Number* of_D, Number* column) const;

private:
    std::vector<double> speed;
    ModeProducts<Number> products;
    CompressibleTerms(const CompressibleReference&, double beta, const VerticalModes&);
    const Number* q_of(const Number* column) const { return column + 3 * count + 1; }
    Number* q_of(Number* column) const { return column + 3 * count + 1; }
    /// The transpose of F^-1, in place.
    void divide_by_F_adjoint(Number* x) const;
};

}  // namespace fathom::atmosphere
