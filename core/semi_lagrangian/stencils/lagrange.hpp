/// Interpolation between the two middle ones of four nodes, the weights in one register.
#pragma once
#include <type_traits>
#include <vector>
#include "base/several.hpp"

namespace fathom {

/// Four numbers in one register, and number n ^ step of them in place n.
template <class T> using FourLanes = typename Lanes<T, 4>::type;
template <int step, class T> constexpr Several<T, 4> exchanged(Several<T, 4> x) {
    return x.template exchanged<step>();
}
template <int step, class Four> constexpr Four exchanged(Four x) {
    return __builtin_shufflevector(x, x, 0 ^ step, 1 ^ step, 2 ^ step, 3 ^ step);
}

/// Lagrange weights of four nodes at once: w_m = inverse_m product over l != m of (x - node_l).
template <class T, class Four_ = FourLanes<T>> struct Nodes {
    using Four = Four_;
    Four at, inverse;
    T per_interval = 0;
    constexpr Four weights(T x) const {
        const Four d = x - at, pair = exchanged<1>(d), product = d * pair;
        return inverse * pair * exchanged<2>(product);
    }
    constexpr T linear(T x) const { return (x - at[1]) * per_interval; }
    static Nodes cubic(const double* x) {
        Nodes n;
        for (int m = 0; m < 4; ++m) {
            double product = 1;
            for (int l = 0; l < 4; ++l)
                if (l != m) product *= x[m] - x[l];
            n.at[m] = T(x[m]);
            n.inverse[m] = T(1 / product);
        }
        n.per_interval = T(1 / (x[2] - x[1]));
        return n;
    }
};

/// An interval of a column, from f_1 to f_2, by Hermite's polynomial with the slopes s of parabolas
/// through each of the two nodes and its neighbours; h and d its own length and difference:
///
///   f = f_1 + z d + z (1 - z) [(1 - z) (h s_1 - d) + z (d - h s_2)]
///   h s_1 - d = p (h / a (f_1 - f_0) - d),   p = h / (a + h),   a the length of the interval above
///   d - h s_2 = q (d - h / c (f_3 - f_2)),   q = h / (h + c),   c of that below
///
/// For a small displacement the change is speed times s_k, with the same s_k upward and downward.
/// It is nearly the flux through the ends of a layer, so that little heat is lost or gained. The
/// slopes of Lagrange's polynomial differ on both sides of a node. At the first and the last node,
/// and beyond, the slope is that of their interval.
template <class T, class Four_ = FourLanes<T>> struct Interval {
    using Four = Four_;
    T begin, end, per_interval;
    Four upper, lower;  // weights of f_0 ... f_3 in h s_1 - d and d - h s_2
    constexpr T linear(T x) const { return (x - begin) * per_interval; }
    /// Weights less the linear ones, at z of the interval.
    constexpr Four bend(T z) const {
        z = inside(z);
        return z * (1 - z) * ((1 - z) * upper + z * lower);
    }
    /// Their derivative by x.
    Four bend_slope(T z) const {
        z = inside(z);
        return per_interval * ((1 - z) * (1 - 3 * z) * upper + z * (2 - 3 * z) * lower);
    }
    /// Of that below level k of a column of at least two.
    static Interval below(const std::vector<double>& x, int k) {
        const int last = int(x.size()) - 1;
        const double h = x[k + 1] - x[k];
        Interval r{T(x[k]), T(x[k + 1]), T(1 / h), {}, {}};
        if (k > 0) {
            const double a = h / (x[k] - x[k - 1]), p = a / (1 + a);
            r.upper = Four{T(-p * a), T(p * a + p), T(-p), T(0)};
        }
        if (k + 1 < last) {
            const double c = h / (x[k + 2] - x[k + 1]), q = c / (1 + c);
            r.lower = Four{T(0), T(-q), T(q + q * c), T(-q * c)};
        }
        return r;
    }

private:
    static constexpr T inside(T z) { return z < 0 ? T(0) : z > 1 ? T(1) : z; }
};

}  // namespace fathom
