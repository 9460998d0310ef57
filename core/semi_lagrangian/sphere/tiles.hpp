/// Semi-Lagrangian advection on the sphere, tile by tile (the formulas: sphere/transport.hpp): the
/// mean wind of trajectories, and values at their beginnings; on a processor, and on a device,
/// where a tile is one point.
#pragma once
#include "semi_lagrangian/sphere/departure_tables.hpp"
#include "semi_lagrangian/stencils/interpolation.hpp"

namespace fathom {

/// Base: a Gathering; Departures: a Departing.
template <class Base_, class Departures> struct Travelling : Base_ {
    using Base = Base_;
    using T = typename Base::T;
    using Base::tile, Base::fields, Base::blocks, Base::full, Base::place, Base::count_of;
    using typename Base::Item, typename Base::Points, typename Base::Places;
    Departures departure;
    T planetary = 0;  ///< 2 Omega radius [m s-1]
    int iterations = 2;

    template <class... Given>
    explicit Travelling(Departures departure, Given&&... given)
        : Base(std::forward<Given>(given)...), departure(std::move(departure)) {}

    /// The memory of a thread for a tile.
    struct Work {
        Points points;
        Places places;
        alignas(64) T out[tile * fields];
    };
    /// Three components of a wind of a tile.
    template <class Number> struct Wind {
        Number *u, *v, *w;
    };
    using Given = Wind<const T>;

    constexpr int row_of(const Item& t) const { return blocks[t.block].j0 + t.row; }
    constexpr void locate(const Item& t, Given by, Points& to, bool of_trajectory) const {
        using Real = Pack<T, tile == 1 ? 1 : pack_width<T>>;
        departure.template locate_with<Real>(row_of(t), t.level, count_of(t), by.u, by.v, by.w, to,
                                             of_trajectory);
    }
    /// Departure points, computed with the mean wind.
    constexpr void depart(const Item& t, Given mean, Work& to, bool of_trajectory) const {
        locate(t, mean, to.points, of_trajectory);
        place(t, to.points, to.places);
    }
    /// The mean wind, from that at arrival and the extrapolated one that is interleaved. need(item,
    /// points, places): of each guess.
    template <class Need>
    constexpr void trace(const Item& item, Given at, Wind<T> mean, Work& work,
                         const Need& need) const {
        const int count = count_of(item);
        const T m = departure.rows[row_of(item)].map_factor;
        const bool stretched = bool(departure.stretching);
        if (stretched)
            for (int i = 0; i < count; ++i) mean.u[i] = m * at.u[i], mean.v[i] = m * at.v[i];
        for (int iteration = 0; iteration < iterations; ++iteration) {
            if (iteration > 0)
                locate(item, {mean.u, mean.v, mean.w}, work.points, true);
            else if (stretched)
                locate(item, {mean.u, mean.v, at.w}, work.points, true);
            else
                locate(item, at, work.points, true);
            wind_at_departure(item, work, need);
            average(item, m, at, work, mean);
        }
        if (iterations == 0)
            for (int i = 0; i < count; ++i)
                mean.u[i] = m * at.u[i], mean.v[i] = m * at.v[i], mean.w[i] = at.w[i];
    }
    /// [2 V(n) - V(n-1)]_D
    template <class Need>
    constexpr void wind_at_departure(const Item& item, Work& work, const Need& need) const {
        auto& [points, places, out] = work;
        place(item, points, places);
        need(item, points, places);
        if (full)
            this->template gather_linear<true>(item, points, places, out);
        else
            this->template gather_linear<false>(item, points, places, out);
        if (departure.stretching)
            for (int i = 0; i < count_of(item); ++i)
                out[i * fields] *= points.map[i], out[i * fields + 1] *= points.map[i];
    }
    /// V = 1/2 { V_A + V_D, rotated to A }
    constexpr void average(const Item& item, T m, Given at, const Work& work, Wind<T> mean) const {
        const auto& [points, places, out] = work;
        const auto [u, v, w] = at;
        for (int i = 0; i < count_of(item); ++i) {
            const T x = out[i * fields], y = out[i * fields + 1];
            mean.u[i] = T(0.5) * (m * u[i] + (points.p[i] * x + points.q[i] * y));
            mean.v[i] = T(0.5) * (m * v[i] + (points.p[i] * y - points.q[i] * x));
            mean.w[i] = T(0.5) * (w[i] + out[i * fields + 2]);
        }
    }

    /// Values at the departure points of a tile, by a pass of the catalogue.
    template <bool full_>
    constexpr void gather(InterpolationPass pass, const Item& item, Work& work) const {
        using Pass = InterpolationPass;
        auto& [points, places, out] = work;
        switch (pass) {
            case Pass::linear:
                return this->template gather_linear<full_>(item, points, places, out);
            case Pass::cubic:
                return this->template gather_cubic<full_, false>(item, points, places, out);
            case Pass::monotone:
                return this->template gather_cubic<full_, true>(item, points, places, out);
            case Pass::by_levels:
                return this->template gather_levels<full_, false>(item, points, places, out);
            case Pass::by_levels_monotone:
                return this->template gather_levels<full_, true>(item, points, places, out);
            default: return;
        }
    }
    /// A vector, rotated to the frame of arrival; 2 Omega x r is added before, subtracted after.
    constexpr void put_wind(const Item& item, const Work& work, T* x, T* y) const {
        const auto& [points, places, out] = work;
        const T at_arrival = planetary * departure.rows[row_of(item)].cosine;
        for (int i = 0; i < count_of(item); ++i) {
            const T u = out[i * fields] + planetary * points.cosine[i], v = out[i * fields + 1];
            x[i] = points.p[i] * u + points.q[i] * v - at_arrival;
            y[i] = points.p[i] * v - points.q[i] * u;
        }
    }
};

}  // namespace fathom
