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
#include "semi_lagrangian/sphere/departure_tables.hpp"
#include "semi_lagrangian/stencils/line.hpp"

namespace fathom {

/// The ends of the column of these layers, half a layer beyond the outer ones: air from there has
/// the value extrapolated from the two layers next to it. With the value of the outer one, the
/// lowest layer would gain cold air from above and no warm air from below.
template <class T> std::array<T, 2> ends_of(const std::vector<double>& eta) {
    const std::size_t n = eta.size();
    if (n < 2) return {T(eta[0]), T(eta[0])};
    return {T(eta[0] - 0.5 * (eta[1] - eta[0])), T(eta[n - 1] + 0.5 * (eta[n - 1] - eta[n - 2]))};
}

template <class T> class Departure : public Departing<T, ListHere> {
    using Base = Departing<T, ListHere>;

public:
    using Base::stretching, Base::eta, Base::ends, Base::step, Base::scale, Base::rows;
    static constexpr int tile = 64;  ///< points at once
    using Points = DeparturePoints<T, tile>;

    Departure(const GaussianGrid& grid, const std::vector<double>& eta, double step, double radius)
        : Base{grid.stretching, {eta.begin(), eta.end()}, ends_of<T>(eta),
               T(step),         T(step / radius),         {}} {
        for (int j = 0; j < grid.rows(); ++j) {
            const double m = grid.map_factor(j);
            rows.push_back({T(grid.sine[j]), T(grid.cosine[j]), T(m),
                            T(stretching.sine(grid.sine[j])), T(grid.cosine[j] / m)});
        }
        const auto before = operations_counted;
        const T still[1] = {};
        Points point;
        this->template locate_with<Pack<Counted<T>, 1>>(0, 0, 1, still, still, still, point, false);
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
        this->template locate_with<Real>(row, level, count, u, v, w, to, of_trajectory);
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
            this->template locate_with<Dual<T, cell_width<T>>>(
                row, level, count, both[0].u, both[0].v, both[0].w, both[0].points, false);
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
    double work = 0;
};

}  // namespace fathom
