/// Starting points of the trajectories that end at the points of a row: with the mean wind V along
/// the great circle,
///   r_D = r_A cos a - (V / |V|) sin a,   a = |V| dt / radius,   eta_D = eta_A - (eta dot) dt
/// A vector that is carried from D to A turns with the frame along the great circle: u' = p u + q
/// v, v' = p v - q u,
///   p = [cos A cos D + (1 + sin A sin D) cos l] / (1 + cos a),
///   q = -(sin A + sin D) sin l / (1 + cos a),     l the longitude of D from A
/// On a stretched sphere (grid/stretching.hpp) r_A and r_D lie on the computational one and V is m
/// times the wind; p and q are those of either sphere.
#pragma once
#include <array>
#include <vector>
#include "base/counted.hpp"
#include "base/dual.hpp"
#include "grid/gaussian.hpp"
#include "trajectory/angles.hpp"

namespace fathom {

/// The ends of the column of these layers, half a layer beyond the outer ones: air from there has
/// the value extrapolated from the two layers next to it. With the value of the outer one, the
/// lowest layer would gain cold air from above and no warm air from below.
template <class T> std::array<T, 2> ends_of(const std::vector<double>& eta) {
    const std::size_t n = eta.size();
    if (n < 2) return {T(eta[0]), T(eta[0])};
    return {T(eta[0] - 0.5 * (eta[1] - eta[0])), T(eta[n - 1] + 0.5 * (eta[n - 1] - eta[n - 2]))};
}

template <class T> class Departure {
public:
    static constexpr int tile = 64;  ///< points at once
    /// Of one tile: longitude from the arrival point [rad], latitude [rad], eta; p, q; cosine of
    /// latitude; map factor, where there is stretching.
    struct Points {
        alignas(64) T longitude[tile], latitude[tile], eta[tile], p[tile], q[tile], cosine[tile],
            map[tile];
    };

    Departure(const GaussianGrid& grid, const std::vector<double>& eta, double step, double radius)
        : stretching(grid.stretching),
          eta(eta.begin(), eta.end()),
          ends{ends_of<T>(eta)},
          step(T(step)),
          scale(T(step / radius)) {
        for (int j = 0; j < grid.rows(); ++j) {
            const double m = grid.map_factor(j);
            rows.push_back({T(grid.sine[j]), T(grid.cosine[j]), T(m),
                            T(stretching.sine(grid.sine[j])), T(grid.cosine[j] / m)});
        }
        const auto before = operations_counted;
        const T still[1] = {};
        Points point;
        locate_with<Pack<Counted<T>, 1>>(0, 0, 1, still, still, still, point, false);
        work = double(operations_counted - before);
    }
    bool stretched() const { return bool(stretching); }
    T cosine(int row) const { return rows[row].cosine; }
    T map_factor(int row) const { return rows[row].map_factor; }

    /// Of `count` points of a row and level, from their mean wind. of_trajectory: p and q turn the
    /// wind that makes the trajectory itself, on the computational sphere; else vectors of the real
    /// one.
    void locate(int row, int level, int count, const T* u, const T* v, const T* w, Points& to,
                bool of_trajectory) const {
        locate_with<Real>(row, level, count, u, v, w, to, of_trajectory);
    }
    double operations() const { return work; }  ///< of a point

    /// The derivative of the result of `locate` with respect to the mean wind: its eastward and its
    /// northward part; and of eta to its vertical part, 0 where it has reached the top or the
    /// bottom.
    struct Slopes {
        Points by_u, by_v;
        alignas(64) T by_w[tile];
    };
    void locate(int row, int level, int count, const T* u, const T* v, const T* w, Points& to,
                Slopes& slopes) const {
        struct Tile {
            T u[tile], v[tile], w[tile];
            Points points;
        };
        Tile both[2];  // values, and their tangents
        const std::ptrdiff_t before = std::exchange(shadow, sizeof(Tile));
        for (Points* by : {&slopes.by_u, &slopes.by_v}) {
            for (int n = 0; n < count; ++n) {
                both[0].u[n] = u[n], both[0].v[n] = v[n], both[0].w[n] = w[n];
                both[1].u[n] = by == &slopes.by_u, both[1].v[n] = by == &slopes.by_v;
                both[1].w[n] = 0;
            }
            locate_with<Dual<T, cell_width<T>>>(row, level, count, both[0].u, both[0].v, both[0].w,
                                                both[0].points, false);
            *by = both[1].points;
        }
        shadow = before;
        to = both[0].points;
        for (int n = 0; n < count; ++n) {
            const T free = std::fma(w[n], -step, eta[level]);
            slopes.by_w[n] = free >= ends[0] && free <= ends[1] ? -step : T(0);
        }
    }

private:
    using Real = Pack<T, pack_width<T>>;
    struct Row {
        T sine, cosine, map_factor, real_sine, real_cosine;
    };
    Stretching stretching;
    std::vector<T> eta;
    std::array<T, 2> ends;
    T step, scale;
    std::vector<Row> rows;
    double work = 0;

    template <class Real>
    void locate_with(int row, int level, int count, const T* u, const T* v, const T* w, Points& to,
                     bool of_trajectory) const {
        if (!stretching)
            locate<Real, false, false>(row, level, count, u, v, w, to);
        else if (of_trajectory)
            locate<Real, true, false>(row, level, count, u, v, w, to);
        else
            locate<Real, true, true>(row, level, count, u, v, w, to);
    }
    template <class Real, bool stretched, bool real>
    void locate(int row, int level, int count, const T* u_, const T* v_, const T* w_,
                Points& points) const {
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
