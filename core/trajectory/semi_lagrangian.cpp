#include "trajectory/semi_lagrangian.hpp"
#include <omp.h>
#include <algorithm>
#include <cstring>
#include "trajectory/gather.hpp"

namespace fathom {

template <class T> struct SemiLagrangian<T>::Tables : Gather<T> {
    using Base = Gather<T>;
    using Base::source, Base::place, Base::need;
    using Base::tile, Base::fields, Base::halo, Base::levels, Base::ny, Base::full, Base::blocks,
        Base::points, Base::items, Base::around;
    using typename Base::Item, typename Base::Points, typename Base::Places;
    Parameters parameters;
    std::vector<double> eta;
    Departure<T> departure;
    std::vector<std::size_t> mean_offset;  // of each block's mean wind: [row][level][3][padded]
    std::vector<int> mean_columns;
    Pages memory;  // of the mean wind
    T* mean = nullptr;

    Tables(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
           std::vector<double> eta_, Parameters p)
        : Base(comm, d, halo, grid, eta_),
          parameters(p),
          eta(std::move(eta_)),
          departure(grid, eta, p.step, p.radius) {
        if (grid.stretching && p.rotation != 0)
            throw Error("rotation is not advected on a stretched sphere");
        std::size_t numbers = 0;
        for (auto& b : blocks) {
            mean_offset.push_back(numbers);
            mean_columns.push_back((b.nx + tile - 1) / tile * tile);
            numbers += std::size_t(b.ny) * levels * 3 * mean_columns.back();
        }
        memory = Pages(std::max<std::size_t>(numbers, 1) * sizeof(T));
        mean = (T*)memory.at;
    }

    double own_points() const {
        double n = 0;
        for (auto& item : items) n += item.count;
        return n;
    }
    T* mean_of(const Item& t) {
        return mean + mean_offset[t.block] +
               (std::size_t(t.row) * levels + t.level) * 3 * mean_columns[t.block] + t.column;
    }

    void locate(const Item& t, const T* u, const T* v, const T* w, Points& to,
                bool of_trajectory) const {
        departure.locate(blocks[t.block].j0 + t.row, t.level, t.count, u, v, w, to, of_trajectory);
    }
    /// Departure points, computed with the mean wind.
    void depart(const Item& t, Points& to, Places& places, bool of_trajectory) {
        const T *u = mean_of(t), *v = u + mean_columns[t.block], *w = v + mean_columns[t.block];
        locate(t, u, v, w, to, of_trajectory);
        place(t, to, places);
    }
    /// The memory of a thread for a tile.
    struct Work {
        Points points;
        Places places;
        alignas(64) T out[tile * fields + 64];
        Work() { std::memset(&points, 0, sizeof points); }
    };

    /// The mean wind of each trajectory, from the wind at arrival and the extrapolated one in the
    /// buffer.
    void trace(const Wind& wind) {
#pragma omp parallel
        {
            Work work;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t n = 0; n < items.size(); ++n) trace(items[n], wind, work);
        }
    }
    void trace(const Item& item, const Wind& wind, Work& work) {
        static const T nothing[2 * tile] = {};
        const T *u = source(wind.east, item), *v = source(wind.north, item),
                *w = wind.vertical.at.empty() ? nothing : source(wind.vertical, item);
        T *U = mean_of(item), *V = U + mean_columns[item.block], *W = V + mean_columns[item.block];
        const T m = departure.map_factor(blocks[item.block].j0 + item.row);
        if (departure.stretched())
            for (int i = 0; i < item.count; ++i) U[i] = m * u[i], V[i] = m * v[i];
        for (int iteration = 0; iteration < parameters.iterations; ++iteration) {
            if (iteration > 0)
                locate(item, U, V, W, work.points, true);
            else if (departure.stretched())
                locate(item, U, V, w, work.points, true);
            else
                locate(item, u, v, w, work.points, true);
            wind_at_departure(item, work);
            average(item, m, u, v, w, work, U, V, W);
        }
        if (parameters.iterations == 0)
            for (int i = 0; i < item.count; ++i) U[i] = m * u[i], V[i] = m * v[i], W[i] = w[i];
        if (around.alone()) return;
        depart(item, work.points, work.places, true);
        need(item, work.points, work.places);
    }
    /// [2 V(n) - V(n-1)]_D
    void wind_at_departure(const Item& item, Work& work) {
        auto& [points, places, out] = work;
        place(item, points, places);
        need(item, points, places);
        if (full)
            this->template gather_linear<true>(item, points, places, out);
        else
            this->template gather_linear<false>(item, points, places, out);
        if (departure.stretched())
            for (int i = 0; i < item.count; ++i)
                out[i * fields] *= points.map[i], out[i * fields + 1] *= points.map[i];
    }
    /// V = 1/2 { V_A + V_D, rotated to A }
    void average(const Item& item, T m, const T* u, const T* v, const T* w, const Work& work, T* U,
                 T* V, T* W) const {
        const auto& [points, places, out] = work;
        for (int i = 0; i < item.count; ++i) {
            const T x = out[i * fields], y = out[i * fields + 1];
            U[i] = T(0.5) * (m * u[i] + (points.p[i] * x + points.q[i] * y));
            V[i] = T(0.5) * (m * v[i] + (points.p[i] * y - points.q[i] * x));
            W[i] = T(0.5) * (w[i] + out[i * fields + 2]);
        }
    }

    /// Values at the departure points of a tile, by a pass of the catalogue.
    void gather(Pass pass, const Item& item, Work& work) {
        if (full)
            gather<true>(pass, item, work);
        else
            gather<false>(pass, item, work);
    }
    template <bool full_> void gather(Pass pass, const Item& item, Work& work) {
        auto& [points, places, out] = work;
        switch (pass) {
            case Pass::weights:
                return this->template gather_weights<full_>(item, points, places, out);
            case Pass::linear:
                return this->template gather_linear<full_>(item, points, places, out);
            case Pass::cubic:
                return this->template gather_cubic<full_, false>(item, points, places, out);
            case Pass::monotone:
                return this->template gather_cubic<full_, true>(item, points, places, out);
            case Pass::by_levels:
                return this->template gather_levels<full_, false>(item, points, places, out);
            case Pass::departure: return;
        }
    }
    void gather_levels_within_extremes(const Item& item, Work& work) {
        auto& [points, places, out] = work;
        if (full)
            this->template gather_levels<true, true>(item, points, places, out);
        else
            this->template gather_levels<false, true>(item, points, places, out);
    }
    /// Stores the fields from `first` on.
    void put_scalars(const Item& item, const Work& work, std::span<const FieldSlab> to, int first) {
        for (int f = first; f < int(to.size()); ++f) {
            T* x = this->target(to[f], item);
            for (int i = 0; i < item.count; ++i) x[i] = work.out[i * fields + f];
        }
    }
    /// Rotates a vector to the frame of arrival; adds 2 Omega x r before, subtracts it after.
    void put_wind(const Item& item, const Work& work, const FieldSlab& east,
                  const FieldSlab& north) {
        const auto& [points, places, out] = work;
        const T planetary = T(2 * parameters.rotation * parameters.radius),
                at_arrival = planetary * departure.cosine(blocks[item.block].j0 + item.row);
        T *x = this->target(east, item), *y = this->target(north, item);
        for (int i = 0; i < item.count; ++i) {
            const T u = out[i * fields] + planetary * points.cosine[i], v = out[i * fields + 1];
            x[i] = points.p[i] * u + points.q[i] * v - at_arrival;
            y[i] = points.p[i] * v - points.q[i] * u;
        }
    }
};

struct TransportRegions {
    Region packing{"halo packing"}, departure{"departure points"}, interpolation{"interpolation"};
};
static const TransportRegions& these() {
    static const TransportRegions list;
    return list;
}

template <class T>
SemiLagrangian<T>::SemiLagrangian(MPI_Comm comm, const Decomposition& d, int halo,
                                  const GaussianGrid& grid, std::vector<double> eta, Parameters p)
    : tables(std::make_unique<Tables>(comm, d, halo, grid, std::move(eta), p)) {}
template <class T> SemiLagrangian<T>::~SemiLagrangian() = default;
template <class T> const OnDemandHalo& SemiLagrangian<T>::halo() const { return tables->around; }

template <class T> void SemiLagrangian<T>::depart(const Wind& now_, const Wind& extrapolated) {
    Tables& t = *tables;
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    const double points = t.own_points();
    {
        TimedRegion timer(these().packing, spent.packing);
        t.pack(group);
    }
    spent.packing.did(0, points * 7 * sizeof(T));  // reads three numbers, writes four
    do {  // until all points that departures need are here; the first guess needs no halo
        {
            TimedRegion timer(these().packing, spent.packing);
            t.surround(true);
        }
        TimedRegion timer(these().departure, spent.departure);
        t.trace(now_);
        spent.departure.did(points * t.parameters.iterations *
                                (t.departure.operations() + t.operations(Pass::linear, 3) + 10),
                            points * t.parameters.iterations * 10 * sizeof(T));
    } while (t.around.cover());  // wind at arrival, at departure, mean before and after
}

template <class T>
void SemiLagrangian<T>::interpolate(const Group& group, std::span<const FieldSlab> to) {
    Tables& t = *tables;
    constexpr int fields = Tables::fields;
    if (group.fields.size() > std::size_t(fields) || to.size() != group.fields.size())
        throw Error("a group holds up to ", fields, " fields, given ", group.fields.size());
    const bool wind = group.kind == Kind::wind,
               by_levels = group.fields.size() == 1 && group.by_levels;
    const double points = t.own_points(), count = double(to.size());
    {
        TimedRegion timer(these().packing, spent.packing);
        if (by_levels)
            t.pack_levels(group.fields[0]);
        else
            t.pack(group.fields);
        t.surround(wind);
    }
    spent.packing.did(0, points * (count + fields) * sizeof(T));
    TimedRegion timer(these().interpolation, spent.interpolation);
    const Pass pass = by_levels ? Pass::by_levels : group.monotone ? Pass::monotone : Pass::cubic;
    spent.interpolation.did(points * (t.departure.operations() + t.operations(Pass::weights, 0) +
                                      t.operations(pass, count)),
                            points * (2 * count + 3) * sizeof(T));
#pragma omp parallel
    {
        typename Tables::Work work;
#pragma omp for schedule(dynamic, 4)
        for (std::size_t n = 0; n < t.items.size(); ++n) {
            const auto& item = t.items[n];
            t.depart(item, work.points, work.places, false);
            if (by_levels && group.monotone)
                t.gather_levels_within_extremes(item, work);
            else
                t.gather(pass, item, work);
            if (wind) t.put_wind(item, work, to[0], to[1]);
            t.put_scalars(item, work, to, wind ? 2 : 0);
        }
    }
}

/// Computes all points once, as in `interpolate`, without storing results.
template <class T> double SemiLagrangian<T>::seconds(Pass pass) {
    Tables& t = *tables;
    Spent spent;
    {
        Timer timer{spent};
#pragma omp parallel
        {
            typename Tables::Work work;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t n = 0; n < t.items.size(); ++n) {
                t.depart(t.items[n], work.points, work.places, false);
                t.gather(pass, t.items[n], work);
                asm volatile("" : : "r"(&work) : "memory");  // the result is used
            }
        }
    }
    return spent.seconds;
}
template <class T> double SemiLagrangian<T>::operations(Pass pass, int fields) const {
    const Tables& t = *tables;
    return t.own_points() *
           (pass == Pass::departure ? t.departure.operations() : t.operations(pass, fields));
}

template class SemiLagrangian<double>;
template class SemiLagrangian<float>;

}  // namespace fathom
