/// Starting points of the trajectories that end at the points of a row (sphere/departure.hpp), from
/// tables of the processor or of a device.
#pragma once
#include <array>
#include "grid/stretching.hpp"
#include "semi_lagrangian/sphere/angles.hpp"
#include "semi_lagrangian/stencils/interpolation.hpp"

namespace fathom {

template <class T> struct DepartureRow {
    T sine, cosine, map_factor, real_sine, real_cosine;
};

/// List: where tables lie.
template <class T, template <class> class List> struct Departing {
    using Row = DepartureRow<T>;
    Stretching stretching;
    List<T> eta;
    std::array<T, 2> ends;
    T step, scale;
    List<Row> rows;

    template <class Real, int tile>
    constexpr void locate_with(int row, int level, int count, const T* u, const T* v, const T* w,
                               DeparturePoints<T, tile>& to, bool of_trajectory) const {
        if (!stretching)
            locate<Real, false, false>(row, level, count, u, v, w, to);
        else if (of_trajectory)
            locate<Real, true, false>(row, level, count, u, v, w, to);
        else
            locate<Real, true, true>(row, level, count, u, v, w, to);
    }
    template <class Real, bool stretched, bool real, int tile>
    constexpr void locate(int row, int level, int count, const T* u_, const T* v_, const T* w_,
                          DeparturePoints<T, tile>& points) const {
        using N = typename Real::Number;
        const auto *u = (const N*)u_, *v = (const N*)v_, *w = (const N*)w_;
        const struct {
            N *longitude, *latitude, *eta, *p, *q, *cosine, *map;
        } to{(N*)points.longitude, (N*)points.latitude, (N*)points.eta, (N*)points.p,
             (N*)points.q,         (N*)points.cosine,   (N*)points.map};
        const Row& A = rows[row];
        const Real sine_A = A.sine, cosine_A = A.cosine;
        const T top = ends[0], bottom = ends[1], eta_A = eta[level];
        for (int n = 0; n < count; n += Real::width) {
            const Real U = Real::load(u + n) * scale, V = Real::load(v + n) * scale,
                       square = fma(U, U, V * V);
            const Real c = cosine_of_square(square), s = cardinal_sine_of_square(square);
            Real x = fma(cosine_A, c, V * s * sine_A), y = -U * s,
                 z = fma(sine_A, c, -(V * s * cosine_A));
            // along: cosine of the arc
            Real rho = sqrt(fma(x, x, y * y)), sine = sine_A, cosine = cosine_A, along = c;
            atan2(y, x).store(to.longitude + n);
            atan2(z, rho).store(to.latitude + n);
            if constexpr (stretched) {
                const Real a(T(stretching.a)), b(T(stretching.b)), m = fma(b, z, a);
                m.store(to.map + n);
                if constexpr (real) {
                    const Real shrink = 1.0 / m;
                    x *= shrink;
                    y *= shrink;
                    rho *= shrink;
                    z = fma(a, z, b) * shrink;
                    sine = A.real_sine;
                    cosine = A.real_cosine;
                    along = fma(sine, z, cosine * x);
                }
            }
            const Real per = 1.0 / (larger(rho, Real(T(1e-30))) * (1.0 + along));
            larger(Real(top),
                   smaller(Real(bottom), fma(Real::load(w + n), Real(-step), Real(eta_A))))
                .store(to.eta + n);
            // at D the unit vectors are (-y, x, 0) / rho and (-x z, -y z, rho^2) / rho
            ((fma(fma(sine, z, Real(T(1))), x, cosine * (rho * rho))) * per).store(to.p + n);
            (-(sine + z) * y * per).store(to.q + n);
            rho.store(to.cosine + n);
        }
    }
};

}  // namespace fathom
