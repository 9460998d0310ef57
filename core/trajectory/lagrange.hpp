/// Lagrange interpolation between four nodes, its weights in one register.
#pragma once
#include <type_traits>

namespace fathom {

/// Lagrange weights of four nodes at once: w_m = inverse_m product over l != m of (x - node_l).
template <class T> struct Nodes {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four at, inverse;
    T per_interval = 0;
    Four weights(T x) const {
        typedef std::conditional_t<sizeof(T) == 8, long, int> Index
            __attribute__((vector_size(4 * sizeof(T))));
        const Four d = x - at, pair = __builtin_shuffle(d, Index{1, 0, 3, 2}), product = d * pair;
        return inverse * pair * __builtin_shuffle(product, Index{2, 3, 0, 1});
    }
    T linear(T x) const { return (x - at[1]) * per_interval; }
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
    /// The outer nodes so far away that they have no influence.
    static Nodes linear_between(double a, double b) {
        constexpr double far = 1e15;
        Nodes n;
        n.at = Four{T(a - far), T(a), T(b), T(b + far)};
        n.inverse = Four{T(0), T(1 / far / (a - b) / -far), T(1 / far / (b - a) / -far), T(0)};
        n.per_interval = T(1 / (b - a));
        return n;
    }
};

}  // namespace fathom
