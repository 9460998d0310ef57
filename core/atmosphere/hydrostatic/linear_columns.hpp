/// The parts of the semi-implicit solve (semi_implicit.hpp) and of horizontal diffusion
/// (spectral/horizontal_diffusion.hpp) that a processor and a thread of a device compute alike,
/// along a column of coefficients (zeta, D, T of all levels, pi) or along the degrees of a mode.
#pragma once
#include <cstddef>

namespace fathom::atmosphere {

/// Linear terms along a column. List: where tables by level lie.
template <class Number, template <class> class List> struct LinearColumn {
    int count;  ///< levels
    List<Number> alpha, log_ratio, thickness, per_thickness;
    Number beta, R, RT, kappa_T, per_pressure;
    static constexpr bool compressible = false;
    template <class Body> void each_list(const Body& body) {
        body(alpha), body(log_ratio), body(thickness), body(per_thickness);
    }
    /// Its lists elsewhere.
    template <template <class> class Other> LinearColumn<Number, Other> with() const {
        return {count, alpha, log_ratio, thickness, per_thickness,
                beta,  R,     RT,        kappa_T,   per_pressure};
    }

    /// D + c (gamma T + R T_r pi), of all levels.
    constexpr void right_side(Number c, const Number* column, Number* of_D) const {
        const Number *D = column + count, *t = D + count;
        Number below = RT * t[count];
        for (int k = count - 1; k >= 0; --k) {
            of_D[k] = D[k] + c * (below + R * alpha[k] * t[k]);
            below += R * log_ratio[k] * t[k];
        }
    }
    /// to += beta L(of), c = beta n(n+1) / a^2, without rotation.
    constexpr void add_linear(Number c, const Number* of, Number* to) const {
        const Number *D = of + count, *t = D + count;
        Number below = RT * t[count], sum = 0;
        for (int k = count - 1; k >= 0; --k) {
            to[count + k] += c * (below + R * alpha[k] * t[k]);
            below += R * log_ratio[k] * t[k];
        }
        for (int k = 0; k < count; ++k) {
            to[2 * count + k] -=
                beta * kappa_T * (alpha[k] * D[k] + log_ratio[k] * per_thickness[k] * sum);
            sum += thickness[k] * D[k];
        }
        to[3 * count] -= beta * per_pressure * sum;
    }
    /// T - beta tau D and pi - beta nu D, D(k) of each level.
    template <class Divergence> constexpr void finish_with(Divergence D, Number* column) const {
        Number *t = column + 2 * count, sum = 0;
        for (int k = 0; k < count; ++k) {
            const Number d = D(k);
            t[k] -= beta * kappa_T * (alpha[k] * d + log_ratio[k] * per_thickness[k] * sum);
            sum += thickness[k] * d;
        }
        t[count] -= beta * per_pressure * sum;
    }
    constexpr void finish(const Number* D, Number* column) const {
        finish_with([=](int k) { return D[k]; }, column);
    }
};

/// y = matrix x of some columns of x, `width` apart, and of some registers of modes; the matrix has
/// `count` columns.
template <class Real, int columns, int registers, class Number>
constexpr void multiply_tile(int count, int width, const Number* matrix, const Number* x,
                             Number* y) {
    Real sum[columns][registers];
    for (auto& row : sum)
        for (auto& v : row) v = Real(Number(0));
    for (int j = 0; j < count; ++j) {
        Real column[registers];
        for (int r = 0; r < registers; ++r)
            column[r] = Real::load(matrix + std::ptrdiff_t(j) * width + r * Real::width);
        for (int i = 0; i < columns; ++i) {
            const Real a = x[std::ptrdiff_t(i) * width + j];
            for (int r = 0; r < registers; ++r) sum[i][r] = fma(column[r], a, sum[i][r]);
        }
    }
    for (int i = 0; i < columns; ++i)
        for (int r = 0; r < registers; ++r)
            sum[i][r].store(y + std::ptrdiff_t(i) * width + r * Real::width);
}

/// Elimination along the degrees of an m (ImplicitWaves), of a register of modes; pivot and values
/// are those of its first mode.
template <class Real, class Number>
constexpr void eliminate(int count, int modes, const Number* below_, const Number* above_,
                         const Number* pivots, Number* values) {
    const auto at = [=](int i, int type, int part) {
        return values + (std::ptrdiff_t(2 * i + part) * 2 + type) * modes;
    };
    // vorticity is +1 times a D, divergence -1 times a zeta
    for (int i = 0; i < count; ++i)
        for (int type = 0; type < 2; ++type) {
            Real re = Real::load(at(i, type, 0)), im = Real::load(at(i, type, 1));
            if (i > 0) {
                const Real below = type == 0 ? -below_[i] : below_[i];
                re = fma(below, Real::load(at(i - 1, 1 - type, 0)), re);
                im = fma(below, Real::load(at(i - 1, 1 - type, 1)), im);
            }
            const Number* pivot = pivots + (std::ptrdiff_t(i) * 4 + 2 * type) * modes;
            const Real a = Real::load(pivot), b = Real::load(pivot + modes);
            fma(a, re, -(b * im)).store(at(i, type, 0));
            fma(a, im, b * re).store(at(i, type, 1));
        }
    for (int i = count - 2; i >= 0; --i)
        for (int type = 0; type < 2; ++type) {
            const Number* pivot = pivots + (std::ptrdiff_t(i) * 4 + 2 * type) * modes;
            const Real above = type == 0 ? -above_[i] : above_[i], a = above * Real::load(pivot),
                       b = above * Real::load(pivot + modes);
            const Real re = Real::load(at(i + 1, 1 - type, 0)),
                       im = Real::load(at(i + 1, 1 - type, 1));
            fma(a, re, fma(-b, im, Real::load(at(i, type, 0)))).store(at(i, type, 0));
            fma(a, im, fma(b, re, Real::load(at(i, type, 1)))).store(at(i, type, 1));
        }
}

/// The square of the map factor on a stretched sphere (stretched_waves.hpp), of a degree: weights
/// of n-2 ... n+2.
template <class Number> struct SquareRow {
    Number weight[5];
    /// Of degree number i of `count`, x at its own number, those of its neighbours `apart`.
    constexpr Number operator()(int i, int count, const Number* x, std::ptrdiff_t apart) const {
        Number sum = 0;
        for (int s = i < 2 ? -i : -2, last = i + 2 < count ? 2 : count - 1 - i; s <= last; ++s)
            sum += weight[s + 2] * x[s * apart];
        return sum;
    }
};
/// Elimination on a stretched sphere, of a register of modes; degrees lie `apart`.
template <class Real, class Number>
constexpr void eliminate_stretched(int count, int modes, const Number* scale, const Number* factors,
                                   Number* values, std::ptrdiff_t apart) {
    const auto factor = [=](int i, int which) {
        return i < count ? Real::load(factors + (std::ptrdiff_t(i) * 3 + which) * modes)
                         : Real(Number(0));
    };
    Real one(Number(0)), two(Number(0));  // before, or after, this n
    for (int i = 0; i < count; ++i) {
        Number* const at = values + i * apart;
        const Real x = fma(-factor(i, 1), two, fma(-factor(i, 0), one, Real::load(at) * scale[i]));
        x.store(at);
        two = one, one = x;
    }
    one = two = Real(Number(0));
    for (int i = count - 1; i >= 0; --i) {
        Number* const at = values + i * apart;
        const Real x =
            fma(-factor(i + 2, 1), two, fma(-factor(i + 1, 0), one, Real::load(at) * factor(i, 2)));
        x.store(at);
        two = one, one = x;
    }
}

/// On a plane a mode is divided by 1 + wave c^2.
template <class Number> constexpr Number divided(Number x, double wave, double speed_squared) {
    return Number(x / (1 + wave * speed_squared));
}

/// Diffusion divides by 1 + rate, span K of a number times the sponge of its level.
template <class Number> constexpr Number damping(double rate, double sponge) {
    return Number(1 / (1 + rate * sponge));
}
/// Diffusion of a column: factors all(k) and, of D, divergent(k); lapse[k]: the part of T of a
/// level due to its height above mountains.
template <class Number, class All, class Divergent>
constexpr void damp_column(int levels, const Number* lapse, Number* column, All all,
                           Divergent divergent) {
    const Number p = column[3 * levels];
    for (int k = 0; k < levels; ++k) {
        column[k] *= all(k);
        column[levels + k] *= divergent(k);
        const Number along = lapse[k] * p;
        column[2 * levels + k] = (column[2 * levels + k] - along) * all(k) + along;
    }
}

/// Of compressible air, after these: q with the factor `all`, d with `divergent`.
template <class Number, class All, class Divergent>
constexpr void damp_compressible(int levels, Number* column, All all, Divergent divergent) {
    Number *q = column + 3 * levels + 1, *d = q + levels;
    for (int k = 0; k < levels; ++k) q[k] *= all(k), d[k] *= divergent(k);
}

/// The kinetic energy of a level in coefficients of the sphere is this factor times their squares,
/// its part of the mean [m2 s-2].
constexpr double kinetic_factor(int m, int n, double radius) {
    return (m > 0 ? 1 : 0.5) * radius * radius / (n * (n + 1.));
}
constexpr double kinetic_of_coefficient(double factor, double zeta, double D) {
    return factor * (zeta * zeta + D * D);
}

}  // namespace fathom::atmosphere
