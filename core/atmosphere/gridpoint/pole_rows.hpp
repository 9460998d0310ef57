/// The wind on a pole, where rows of v end: one vector from the nearest row of u,
///   (V_x, V_y) = 2 / nx sum u (-sin, cos),
/// in components of each meridian; w is the mean of that row.
#pragma once
#include "semi_lagrangian/plane/even_plane.hpp"
#include "semi_lagrangian/sphere/great_circle.hpp"

namespace fathom::atmosphere {

template <class T, int components> struct WindOnPole {
    double x = 0, y = 0, up = 0;

    /// A point of the row of u; its direction.
    constexpr void add(const T* wind, T sine, T cosine) {
        x -= wind[0] * double(sine);
        y += wind[0] * double(cosine);
        if constexpr (components == 3) up += wind[2];
    }
    /// At a point of the row of v, of nx; sign: 1 on the south pole, -1 on the north pole.
    constexpr void give(int nx, T sign, T sine, T cosine, T* to) const {
        const double s = sine, c = cosine;
        to[0] = T(2. / nx * (y * c - x * s));
        to[1] = sign * T(2. / nx * (x * c + y * s));
        if constexpr (components == 3) to[2] = T(up / nx);
    }
};

/// The pole beyond the first row of centres, or at the last: rows of v and of u, the sign.
struct Pole {
    int v, u, sign;
    constexpr Pole(bool north, int ny)
        : v(north ? ny - 1 : -1), u(north ? ny - 1 : 0), sign(north ? -1 : 1) {}
};

/// need(row): the rows of u that make the wind on poles for departures of v.
template <class Need>
constexpr void rows_beside_poles(const Reach& of_v, int ny, const Need& need) {
    if (of_v.south <= 0) need(0);
    if (of_v.north >= ny - 3) need(ny - 1);
}

}  // namespace fathom::atmosphere
