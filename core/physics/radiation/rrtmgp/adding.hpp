/// A stack of layers. Each reflects R and transmits T of diffuse radiation, and emits U upward and
/// D downward (Shonk & Hogan 2008, J. Climate 21, 2352-2370, equations 9-13):
///
///   b = 1 / (1 - R_k a_k+1),  a_k = R_k + T_k^2 a_k+1 b,  S_k = U_k + T_k b (S_k+1 + a_k+1 D_k)
///   down_k+1 = (T_k down_k + R_k S_k+1 + D_k) b,          up_k = down_k a_k + S_k
///
/// a is the reflectivity of all that lies below, S its upward flux; nothing comes from above.
///
/// A black ground emits u upward. The layers above reflect a part a' of it; the rest continues:
///
///   a'_k+1 = R_k + T_k^2 a'_k b,   u_k = T_k b u_k+1,   up - down = (1 - a'_k) u_k,
///   b = 1 / (1 - R_k a'_k)
#pragma once
#include <array>
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

/// Of the lanes, in their order.
template <class T> constexpr T sum(const T* x) {
    T s = 0;
    for (int n = 0; n < lanes; ++n) s += x[n];
    return s;
}

/// `vectors` of g points side by side: while one waits for its quotient, others proceed.
template <class Real, int vectors> using Side = std::array<Real, vectors>;

/// Of each layer, vector and g, as numbers side by side, from the first lane on that is computed;
/// add_layers overwrites upward and downward.
template <class T> struct Layers {
    T *reflects, *transmits, *upward, *downward;
    T *albedo, *passes;  ///< made here: a of interfaces, T_k b of layers
};

/// Adds the fluxes at the interfaces to `up` and `down`; returns what comes down at the ground.
template <int vectors, class Real, class T = typename Real::Number>
constexpr Side<Real, vectors> add_layers(int layers, const Layers<T>& at, Real albedo,
                                         Side<Real, vectors> source, T* up, T* down) {
    constexpr int step = vectors * lanes;
    T *const sources = at.upward, *const arrives = at.downward;  // S_k; (R_k S_k+1 + D_k) b
    Side<Real, vectors> a, d{};
    auto& s = source;
    for (int v = 0; v < vectors; ++v) {
        const int n = layers * step + v * lanes;
        a[v] = albedo;
        a[v].store(at.albedo + n), s[v].store(sources + n);
    }
    for (int l = layers - 1; l >= 0; --l)
        for (int v = 0; v < vectors; ++v) {
            const int n = l * step + v * lanes;
            const Real R = Real::load(at.reflects + n), t = Real::load(at.transmits + n),
                       D = Real::load(at.downward + n), b = 1 / multiply_add(-R, a[v], Real(1)),
                       tb = t * b;
            (b * multiply_add(R, s[v], D)).store(arrives + n);
            s[v] = multiply_add(tb, multiply_add(a[v], D, s[v]), Real::load(at.upward + n));
            a[v] = multiply_add(t * tb, a[v], R);
            tb.store(at.passes + n), a[v].store(at.albedo + n), s[v].store(sources + n);
        }
    Real above = Real::load(up);
    for (int v = 0; v < vectors; ++v) above = above + s[v];
    above.store(up);
    for (int l = 0; l < layers; ++l) {
        T *const falls = down + (l + 1) * lanes, *const rises = up + (l + 1) * lanes;
        Real all_down = Real::load(falls), all_up = Real::load(rises);
        for (int v = 0; v < vectors; ++v) {
            const int n = l * step + v * lanes, next = n + step;
            d[v] = multiply_add(Real::load(at.passes + n), d[v], Real::load(arrives + n));
            all_down = all_down + d[v];
            all_up = all_up +
                     multiply_add(d[v], Real::load(at.albedo + next), Real::load(sources + next));
        }
        all_down.store(falls), all_up.store(rises);
    }
    return d;
}

/// Adds up - down at the interfaces of what the ground sends upward. Overwrites `passes`, `albedo`.
template <int vectors, class Real, class T = typename Real::Number>
constexpr void add_reflection(int layers, const Layers<T>& at, Side<Real, vectors> u, T* net) {
    constexpr int step = vectors * lanes;
    Side<Real, vectors> a{};
    for (int l = 0; l < layers; ++l)
        for (int v = 0; v < vectors; ++v) {
            const int n = l * step + v * lanes;
            a[v].store(at.albedo + n);
            const Real R = Real::load(at.reflects + n), t = Real::load(at.transmits + n),
                       tb = t / multiply_add(-R, a[v], Real(1));
            tb.store(at.passes + n);
            a[v] = multiply_add(t * tb, a[v], R);
        }
    for (int l = layers; l >= 0; --l) {
        Real all = Real::load(net + l * lanes);
        for (int v = 0; v < vectors; ++v) {
            const int n = (l - 1) * step + v * lanes;
            if (l < layers) a[v] = Real::load(at.albedo + n + step);
            all = multiply_add(u[v], 1 - a[v], all);
            if (l > 0) u[v] = u[v] * Real::load(at.passes + n);
        }
        all.store(net + l * lanes);
    }
}

}  // namespace fathom::physics::rrtmgp
