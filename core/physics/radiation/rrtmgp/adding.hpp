/// Layers that reflect R and transmit T diffuse radiation and send U upward and D downward of
/// themselves, one upon the other (Shonk & Hogan 2008, J. Climate 21, 2352-2370, equations 9-13):
///
///   b = 1 / (1 - R_k a_k+1),  a_k = R_k + T_k^2 a_k+1 b,  S_k = U_k + T_k b (S_k+1 + a_k+1 D_k)
///   down_k+1 = (T_k down_k + R_k S_k+1 + D_k) b,          up_k = down_k a_k + S_k
///
/// a is what all that lies below reflects, S what it sends upward; nothing comes from above.
///
/// What a black ground sends upward, u, is reflected by what lies above, a', and goes on:
///
///   a'_k+1 = R_k + T_k^2 a'_k b,   u_k = T_k b u_k+1,   up - down = (1 - a'_k) u_k,
///   b = 1 / (1 - R_k a'_k)
#pragma once
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

/// Of each layer and g, as numbers side by side.
template <class T> struct Layers {
    T *reflects, *transmits, *upward, *downward;
    T *albedo, *source, *join;  ///< made here: of interfaces, interfaces, layers
};

/// Adds the fluxes at the interfaces to `up` and `down`; returns what comes down at the ground.
template <class T>
Lanes8<T> add_layers(int layers, const Layers<T>& at, Lanes8<T> albedo, Lanes8<T> source, T* up,
                     T* down) {
    using Real = Lanes8<T>;
    Real a = albedo, s = source;
    a.store(at.albedo + layers * lanes), s.store(at.source + layers * lanes);
    for (int l = layers - 1; l >= 0; --l) {
        const int n = l * lanes;
        const Real R = Real::load(at.reflects + n), t = Real::load(at.transmits + n),
                   b = 1 / multiply_add<T>(-R, a, Real(1)), tb = t * b;
        s = multiply_add<T>(tb, multiply_add<T>(a, Real::load(at.downward + n), s),
                            Real::load(at.upward + n));
        a = multiply_add<T>(t * tb, a, R);
        b.store(at.join + n), a.store(at.albedo + n), s.store(at.source + n);
    }
    (Real::load(up) + s).store(up);
    Real d = 0;
    for (int l = 0; l < layers; ++l) {
        const int n = l * lanes, next = n + lanes;
        const Real below = Real::load(at.source + next);
        d = Real::load(at.join + n) *
            multiply_add<T>(
                Real::load(at.transmits + n), d,
                multiply_add<T>(Real::load(at.reflects + n), below, Real::load(at.downward + n)));
        (Real::load(down + next) + d).store(down + next);
        (Real::load(up + next) + multiply_add<T>(d, Real::load(at.albedo + next), below))
            .store(up + next);
    }
    return d;
}

/// Adds up - down at the interfaces of what the ground sends upward. Overwrites `join`, `albedo`.
template <class T> void add_reflection(int layers, const Layers<T>& at, Lanes8<T> ground, T* net) {
    using Real = Lanes8<T>;
    Real a = 0;
    for (int l = 0; l < layers; ++l) {
        const int n = l * lanes;
        a.store(at.albedo + n);
        const Real R = Real::load(at.reflects + n), t = Real::load(at.transmits + n),
                   tb = t / multiply_add<T>(-R, a, Real(1));
        tb.store(at.join + n);
        a = multiply_add<T>(t * tb, a, R);
    }
    Real u = ground;
    for (int l = layers; l >= 0; --l) {
        T* const to = net + l * lanes;
        multiply_add<T>(u, 1 - a, Real::load(to)).store(to);
        if (l == 0) break;
        a = Real::load(at.albedo + (l - 1) * lanes), u = u * Real::load(at.join + (l - 1) * lanes);
    }
}

}  // namespace fathom::physics::rrtmgp
