/// Gravity waves of vertical modes on a stretched sphere (grid/stretching.hpp): with the square of
/// the map factor in the thermodynamic and the continuity equation (Yessad & Benard 1996, Q. J. R.
/// Meteorol. Soc. 122), D the divergence of the computational sphere,
///   D_n + beta^2 c^2 n(n+1) / a^2 (M D)_n = R_n,
///       M = m^2 = (a + b mu)^2 in spectral space, truncated:
///   M_nn = a^2 + b^2 (eps_n^2 + eps_{n+1}^2),   M_{n,n-1} = 2 a b eps_n,
///       M_{n,n-2} = b^2 eps_n eps_{n-1},   eps_n = sqrt((n^2 - m^2) / (4 n^2 - 1))
/// Divided by n(n+1) / a^2 it is symmetric, positive definite and of five diagonals: L d L' without
/// pivoting, once. D_0 is 0.
#pragma once
#include <cstddef>
#include <map>
#include <vector>
#include "atmosphere/hydrostatic/linear_columns.hpp"
#include "base/pack.hpp"
#include "grid/stretching.hpp"

namespace fathom::atmosphere {

template <class Number> class StretchedWaves {
public:
    using Real = Pack<Number, pack_width<Number>>;
    /// waves: the m that will be solved.
    StretchedWaves(const std::vector<double>& speed_squared, Stretching, double radius, double beta,
                   int truncation, const std::vector<int>& waves);
    /// Divergence in place: R -> D; values [n - m][re, im][zeta, D][modes, padded to registers], as
    /// of ImplicitWaves.
    void solve(int m, Number* values) const;
    /// (M x)_n of one m, n = m + i, x at x_n, its neighbours `stride` numbers apart.
    Number square(int m, int i, const Number* x, std::ptrdiff_t stride) const {
        const auto& rows = elimination.at(m).square;
        return rows[i](i, int(rows.size()), x, stride);
    }
    struct Elimination {
        std::vector<SquareRow<Number>> square;
        std::vector<Number> scale, factor;
    };  ///< scale: a^2 / n(n+1); factor: [n - m][L_{n,n-1}, L_{n,n-2}, 1 / d][modes]
    const Elimination& of(int m) const { return elimination.at(m); }

private:
    int modes, truncation;
    std::map<int, Elimination> elimination;
};

}  // namespace fathom::atmosphere
