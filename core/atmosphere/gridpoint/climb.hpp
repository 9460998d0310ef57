/// Heights of departure points over hills: air that rises with the wind comes from
///   z_D = z_A - dt (alpha w(n+1)_A + beta w(n)_D)
/// (Girard, Benoit & Desgagne 2005), where z_D is what the interpolation of transported fields
/// finds for the height of levels. So potential temperature and density of air at rest, functions
/// of z, stay as they are where air flows level over levels that are not. The velocity through
/// levels (tracing.hpp) is a first guess, improved by one step of Newton's iteration. Without this,
/// the difference of two errors moves air through levels: that of the slope of levels, of second
/// order, and that of the interpolation.
#pragma once
#include "atmosphere/gridpoint/sphere_departures.hpp"

namespace fathom::atmosphere {

/// Departure points of interfaces, from their displacements.
template <class T, class By>
constexpr Departures<T, By> departures_from(const PlaneDepartures<T, By>& by, const Line& l,
                                            T height, const FieldFrom<const T>* displacement) {
    Departures<T, By> from{l.i0, l.k, l.count};
    by.depart(l, Around::interface, height, displacement, from);
    return from;
}
template <class T, class By>
constexpr Departures<T, By> departures_from(const SphereDepartures<T, By>& by, const Line& l,
                                            T height, const FieldFrom<const T>* displacement) {
    SphereTrajectories<T, By> trajectories(l);
    by.depart(l, Around::interface, height, displacement, trajectories);
    return trajectories.from;
}

/// From: plane or sphere.
template <class T, class By, class From> struct Climb {
    From departures;
    T now, then;  ///< alpha dt, beta dt
    static constexpr int components = From::components;

    /// Rows of w of the last step and heights; the displacement, whose last part is that of levels.
    template <class Rows, class See>
    constexpr void operator()(const Line& l, const T* w, const FieldFrom<const T>& z,
                              const FieldFrom<const T>* displacement, T* to, const Rows& rows,
                              See&& see) const {
        const int count = count_of<By>(l.count), last = rows.nodes.levels() - 1;
        const T* const guess = displacement[components - 1].at;
        if (l.k == 0 || l.k == last) return copy(guess, count, to);  // nothing comes through
        const auto from = departures_from(departures, l, rows.nodes.height(l.k), displacement);
        Gathered<T, 2, By> found;
        found.take(rows, from, see);
        const T depth = rows.nodes.height(l.k - 1) - rows.nodes.height(l.k + 1);
        const T *here = z.at, *above = here - z.level, *below = here + z.level;
        for (int n = 0; n < count; ++n) {
            const T* there = found.values + n * found.beside;
            const T too_high = there[1] - here[n] + now * w[n] + then * there[0];
            to[n] = guess[n] + too_high * depth / (above[n] - below[n]);
        }
    }
};

}  // namespace fathom::atmosphere
