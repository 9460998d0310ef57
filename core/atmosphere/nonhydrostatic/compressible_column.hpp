/// The linear terms of compressible air (semi_implicit.hpp) along a column of coefficients: zeta,
/// D, T of all levels, s, then q and d of all levels; on a processor and in a thread of a device.
#pragma once

namespace fathom::atmosphere {

/// List: where tables by level lie; thickness is over p_r.
template <class Number, template <class> class List> struct CompressibleColumn {
    int count;  ///< levels
    List<Number> alpha, log_ratio, thickness, per_pressure;
    List<Number> L_above, L_here, L_below, F_above, F_below, F_pivot;
    Number beta, R, RT, C2, a, acoustic, heating, beta_a;  ///< R T_r / c_v, beta / a
    static constexpr bool compressible = true;
    template <class Body> void each_list(const Body& body) {
        body(alpha), body(log_ratio), body(thickness), body(per_pressure), body(L_above);
        body(L_here), body(L_below), body(F_above), body(F_below), body(F_pivot);
    }
    /// Its lists elsewhere.
    template <template <class> class Other> CompressibleColumn<Number, Other> with() const {
        return {count,   alpha,   log_ratio, thickness, per_pressure, L_above, L_here,
                L_below, F_above, F_below,   F_pivot,   beta,         R,       RT,
                C2,      a,       acoustic,  heating,   beta_a};
    }

    /// F^-1 x in place.
    constexpr void divide_by_F(Number* x) const {
        Number above = 0;
        for (int k = 0; k < count; ++k) above = x[k] = (x[k] - F_above[k] * above) * F_pivot[k];
        for (int k = count - 2; k >= 0; --k) x[k] -= F_below[k] * x[k + 1];
    }
    /// c = beta K^2. Stores F^-1 [...] in place of d; of_D: the right-hand side of D.
    constexpr void right_side(Number c, Number* column, Number* of_D) const {
        const Number *D = column + count, *t = D + count, s = t[count], *q = t + count + 1;
        Number* d = column + 4 * count + 1;
        for (int k = 0; k < count; ++k)
            d[k] -= beta * acoustic *
                    ((k > 0 ? L_above[k] * q[k - 1] : Number(0)) + L_here[k] * q[k] +
                     (k + 1 < count ? L_below[k] * q[k + 1] : Number(0)));
        divide_by_F(d);
        // G of R T - R T_r q and of a C^2 beta d in one sweep: the layers below, and the layer
        // itself
        Number below = RT * s;
        for (int k = count - 1; k >= 0; --k) {
            const Number of_G = R * t[k] - RT * q[k] + RT * beta * d[k];
            of_D[k] = D[k] + c * (below + alpha[k] * of_G + RT * q[k] - C2 * beta * d[k]);
            below += log_ratio[k] * of_G;
        }
    }
    /// T, s, q and d from M D+ of all levels, which is overwritten; after `right_side`.
    /// D + d = a S D + F^-1 [...] + F^-1 (1 - a S) D: of q+ the first of these is S D itself.
    constexpr void finish(Number* D, Number* column) const {
        Number *t = column + 2 * count, &s = t[count], *q = t + count + 1, *d = q + count;
        Number sum = 0;
        for (int k = 0; k < count; ++k) {
            const Number aSD = a * (alpha[k] * D[k] + per_pressure[k] * sum);
            sum += thickness[k] * D[k];
            t[k] -= beta * heating * (aSD + d[k]);
            q[k] -= beta_a * d[k];
            D[k] -= aSD;
            d[k] -= D[k];
        }
        s -= beta * sum;
        divide_by_F(D);
        for (int k = 0; k < count; ++k) {
            t[k] -= beta * heating * D[k];
            q[k] -= beta_a * D[k];
            d[k] += D[k];
        }
    }
};

}  // namespace fathom::atmosphere
