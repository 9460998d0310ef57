/// Semi-implicit linear terms about rest at temperature T_r and surface pressure p_r (Simmons &
/// Burridge 1981): gravity waves and rotation.
///   (gamma T)_k = R (alpha_k T_k + sum_{j>k} l_j T_j),
///       (tau D)_k = kappa T_r (alpha_k D_k + (l_k / dp_k) sum_{j<k} dp_j D_j),
///       nu_j = dp_j / p_r
///   V+ = V* - beta [f k x V+ + grad(gamma T+ + R T_r pi+)],   T+ = T* - beta tau D+,
///       pi+ = pi* - beta nu D+,        beta = dt/2 (1 + e)
/// Without T+ and pi+, divergence gets the matrix B = gamma tau + R T_r 1 nu. dp B is symmetric: B
/// E c^2 E^{-1} with real c^2 > 0, the squared speeds of the vertical modes, and modes are
/// independent. On the sphere rotation couples neighbouring n of the same m (Temperton 1997):
///   (1 - i s m / n(n+1)) zeta_n                            + a_n D_{n-1}    + b_n D_{n+1}
///       = zeta*_n            s = 2 Omega beta
///   (1 - i s m / n(n+1) + beta^2 c^2 n(n+1) / a^2) D_n
///       - a_n zeta_{n-1} - b_n zeta_{n+1} = D*_n + beta n(n+1) / a^2 (gamma T* + R T_r pi*)_n
///   a_n = s eps_n (n+1) / n,   b_n = s eps_{n+1} n / (n+1),
///       eps_n = sqrt((n^2 - m^2) / (4 n^2 - 1))
/// two tridiagonal systems, zeta_m D_{m+1} zeta_{m+2} ... and D_m zeta_{m+1} D_{m+2} ..., by
/// elimination. On a stretched sphere tau and nu act on m^2 D and rotation is not among the linear
/// terms: stretched_waves.hpp.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>
#include "atmosphere/hydrostatic/linear_columns.hpp"
#include "atmosphere/hydrostatic/stretched_waves.hpp"
#include "base/pack.hpp"

namespace fathom::atmosphere {

struct HybridReference {
    std::vector<double> alpha, log_ratio, thickness;  ///< of the layers at p_r
    double pressure, temperature, gas_constant, heat_capacity;
    double surface = 1;  ///< 0: the pressure of the surface takes no part
    HybridReference(std::span<const double> a, std::span<const double> b, double pressure,
                    double temperature, double gas_constant, double heat_capacity);
    int levels() const { return int(alpha.size()); }
    std::vector<double> gamma() const, tau() const,
        matrix() const;  ///< (levels, levels), row by row; matrix: B
};

struct VerticalModes {
    std::vector<double> speed_squared;         ///< of each mode [m2 s-2], largest first
    std::vector<double> to_modes, from_modes;  ///< E^{-1}, E: (levels, levels), row by row
    explicit VerticalModes(const HybridReference&);
    /// For any matrix that is symmetric with the masses of the layers as weights.
    VerticalModes(const std::vector<double>& matrix, const HybridReference&);
};

struct SemiImplicitParameters {
    double radius, rotation, beta;
    int truncation;
    Stretching stretching = {};
};  ///< stretched: without rotation

/// Vorticity and divergence of vertical modes: values [n - m][re, im][zeta, D][modes, padded to
/// registers].
template <class Number> class ImplicitWaves {
public:
    using Real = Pack<Number, pack_width<Number>>;
    /// waves: the m that will be solved.
    ImplicitWaves(const std::vector<double>& speed_squared, SemiImplicitParameters,
                  const std::vector<int>& waves);
    void solve(int m, Number* values) const;          ///< in place
    void solve_adjoint(int m, Number* values) const;  ///< its transpose
    int padded() const { return modes; }
    struct Elimination {
        std::vector<Number> below, above, pivot;
    };  ///< a_n, b_n; 1 / pivot: [n - m][zeta, D][re, im][modes]
    const Elimination& of(int m) const { return elimination.at(m); }

private:
    int modes, truncation;
    std::map<int, Elimination> elimination;
};

/// Between levels and modes, for this many columns of `padded`, a multiple of 4.
template <class Number> class ModeProducts {
public:
    using Real = typename ImplicitWaves<Number>::Real;
    explicit ModeProducts(const VerticalModes&);
    int padded() const { return width; }  ///< modes, padded to registers
    void to_modes(const Number* levels, Number* modes, int columns) const {
        multiply(inverse, levels, modes, columns);
    }
    void from_modes(const Number* modes, Number* levels, int columns) const {
        multiply(E, modes, levels, columns);
    }
    void from_modes_adjoint(const Number* levels, Number* modes, int columns) const {
        multiply(E_transposed, levels, modes, columns);
    }
    void to_modes_adjoint(const Number* modes, Number* levels, int columns) const {
        multiply(inverse_transposed, modes, levels, columns);
    }
    /// Column after column, `padded` numbers each.
    const std::vector<Number>& to_modes_matrix() const { return inverse; }
    const std::vector<Number>& from_modes_matrix() const { return E; }

private:
    int count, width;
    std::vector<Number> E, inverse;  // column after column, padded
    std::vector<Number> E_transposed, inverse_transposed;
    void multiply(const std::vector<Number>& matrix, const Number* x, Number* y, int columns) const;
};

template <class Number> using OwnTable = std::vector<Number>;

/// The linear terms along a column of coefficients on hybrid levels: zeta, D, T of all levels and
/// pi.
template <class Number> class VerticalTerms : LinearColumn<Number, OwnTable> {
    using Column = LinearColumn<Number, OwnTable>;
    using Column::count, Column::alpha, Column::log_ratio, Column::thickness, Column::per_thickness,
        Column::beta, Column::R, Column::RT, Column::kappa_T, Column::per_pressure;

public:
    using Column::add_linear, Column::right_side, Column::finish, Column::finish_with;
    VerticalTerms(const HybridReference&, double beta);
    int levels() const { return count; }
    int modes() const { return count; }
    int padded() const { return products.padded(); }
    double speed_squared(int mode) const { return speeds.speed_squared[mode]; }
    const std::vector<double>& speeds_squared() const { return speeds.speed_squared; }
    const VerticalModes& of_reference() const { return speeds; }
    const Column& of_column() const { return *this; }
    const ModeProducts<Number>& of_modes() const { return products; }
    void to_modes(const Number* levels, Number* modes, int columns) const {
        products.to_modes(levels, modes, columns);
    }
    void from_modes(const Number* modes, Number* levels, int columns) const {
        products.from_modes(modes, levels, columns);
    }
    /// The transposes: of `finish`, to the D that it was given; of both products; of `right_side`,
    /// whose D is that of the column.
    void finish_adjoint(const Number* column, Number* of_D) const {
        const Number* t = column + 2 * count;
        Number sum = -beta * per_pressure * t[count];
        for (int k = count - 1; k >= 0; --k) {
            of_D[k] = thickness[k] * sum - beta * kappa_T * alpha[k] * t[k];
            sum -= beta * kappa_T * log_ratio[k] * per_thickness[k] * t[k];
        }
    }
    void from_modes_adjoint(const Number* levels, Number* modes, int columns) const {
        products.from_modes_adjoint(levels, modes, columns);
    }
    void to_modes_adjoint(const Number* modes, Number* levels, int columns) const {
        products.to_modes_adjoint(modes, levels, columns);
    }
    void right_side_adjoint(Number c, const Number* of_D, Number* column) const {
        Number *t = column + 2 * count, above = 0;
        for (int k = 0; k < count; ++k) {
            t[k] += R * (alpha[k] * c * of_D[k] + log_ratio[k] * above);
            above += c * of_D[k];
        }
        t[count] += RT * above;
    }

private:
    VerticalModes speeds;
    ModeProducts<Number> products;
};

/// Columns of coefficients on the sphere.
template <class Number> class SemiImplicit {
public:
    SemiImplicit(const HybridReference&, SemiImplicitParameters, const std::vector<int>& waves);
    /// All n of one m, in place; a column is zeta, D, T of all levels and pi, columns [n - m][re,
    /// im] follow each other at `stride`.
    void solve(int m, Number* columns, std::ptrdiff_t stride, std::vector<Number>& scratch) const;
    /// Its transpose. Throws Error on a stretched sphere.
    void solve_adjoint(int m, Number* columns, std::ptrdiff_t stride,
                       std::vector<Number>& scratch) const;
    /// Operations per column: two products with a matrix for each of zeta and D, elimination of
    /// complex numbers in both directions, the terms before and after.
    double operations() const {
        const double levels = vertical.levels();
        return 8. * levels * levels + (20 + 17) * levels + 4;
    }
    /// to += beta L(of), columns of degree n, without rotation and stretching.
    void add_linear(int n, const Number* of, Number* to) const {
        vertical.add_linear(
            Number(parameters.beta * n * (n + 1.) / (parameters.radius * parameters.radius)), of,
            to);
    }
    const VerticalTerms<Number>& of_vertical() const { return vertical; }
    const ImplicitWaves<Number>& of_waves() const { return waves; }
    const StretchedWaves<Number>* of_stretched_waves() const {
        return stretched ? &*stretched : nullptr;
    }
    bool has_rotation() const { return rotates; }

private:
    SemiImplicitParameters parameters;
    VerticalTerms<Number> vertical;
    ImplicitWaves<Number> waves;
    std::optional<StretchedWaves<Number>> stretched;  ///< instead of `waves`
    bool rotates;
};

}  // namespace fathom::atmosphere
