#include "semi_lagrangian/sphere/transport.hpp"
#include <omp.h>
#include <algorithm>
#include <cstring>
#include "semi_lagrangian/device/sphere.hpp"
#include "semi_lagrangian/sphere/tiles.hpp"
#include "semi_lagrangian/stencils/gather.hpp"

namespace fathom {

template <class T> struct SemiLagrangian<T>::Tables : Travelling<Gather<T>, Departure<T>> {
    using Base = Travelling<Gather<T>, Departure<T>>;
    using Base::source, Base::need, Base::full, Base::tile, Base::fields, Base::levels,
        Base::blocks, Base::items, Base::around, Base::departure, Base::trace, Base::put_wind;
    using typename Base::Item, typename Base::Points, typename Base::Places, typename Base::Work;
    std::vector<std::size_t> mean_offset;  // of each block's mean wind: [row][level][3][padded]
    std::vector<int> mean_columns;
    Pages memory;  // of the mean wind
    T* mean = nullptr;
    std::unique_ptr<TransportOnDevice> there;

    Tables(MPI_Comm comm, const Decomposition& d, int halo, const GaussianGrid& grid,
           const std::vector<double>& eta, Parameters p)
        : Base(Departure<T>(grid, eta, p.step, p.radius), comm, d, halo, grid, eta) {
        if (grid.stretching && p.rotation != 0)
            throw Error("rotation is not advected on a stretched sphere");
        Base::planetary = T(2 * p.rotation * p.radius), Base::iterations = p.iterations;
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
    using MeanWind = typename Base::template Wind<T>;
    MeanWind mean_of(const Item& t) {
        T* first = mean + mean_offset[t.block] +
                   (std::size_t(t.row) * levels + t.level) * 3 * mean_columns[t.block] + t.column;
        return {first, first + mean_columns[t.block], first + 2 * mean_columns[t.block]};
    }
    /// Departure points, computed with the mean wind.
    void depart(const Item& t, Work& work, bool of_trajectory) {
        const auto [u, v, w] = mean_of(t);
        Base::depart(t, {u, v, w}, work, of_trajectory);
    }
    /// Of a thread; nothing beyond a tile that ends early may be a signalling number.
    struct Cleared : Work {
        Cleared() { std::memset(static_cast<Work*>(this), 0, sizeof(Work)); }
    };

    /// The mean wind of each trajectory, from the wind at arrival and the extrapolated one in the
    /// buffer.
    void trace(const Wind& wind) {
#pragma omp parallel
        {
            Cleared work;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t n = 0; n < items.size(); ++n) trace(items[n], wind, work);
        }
    }
    void trace(const Item& item, const Wind& wind, Work& work) {
        static const T nothing[2 * tile] = {};
        const auto ask = [&](const Item& t, const Points& points, const Places& places) {
            need(t, points, places);
        };
        trace(item,
              {source(wind.east, item), source(wind.north, item),
               wind.vertical.at.empty() ? nothing : source(wind.vertical, item)},
              mean_of(item), work, ask);
        if (around.alone()) return;
        depart(item, work, true);
        need(item, work.points, work.places);
    }

    void gather(Pass pass, const Item& item, Work& work) {
        auto& [points, places, out] = work;
        if (pass == Pass::weights)
            full ? this->template gather_weights<true>(item, points, places, out)
                 : this->template gather_weights<false>(item, points, places, out);
        else
            full ? Base::template gather<true>(pass, item, work)
                 : Base::template gather<false>(pass, item, work);
    }
    /// The passes of a group.
    static Pass pass_of(const Group& group) {
        if (group.fields.size() == 1 && group.by_levels)
            return group.monotone ? Pass::by_levels_monotone : Pass::by_levels;
        return group.monotone ? Pass::monotone : Pass::cubic;
    }
    /// These tables and points, for a device.
    TransportOnDevice& on(Device& device) {
        if (there) return *there;
        const auto as = []<class Of>(const std::vector<Of>& list, auto make) {
            std::vector<decltype(make(list[0]))> made;
            for (const Of& one : list) made.push_back(make(one));
            return made;
        };
        using Four = typename InThread<T>::Four;
        const auto four = [](const FourLanes<T>& x) { return Four(x[0], x[1], x[2], x[3]); };
        const auto latitudes = as(this->latitude, [&](const Nodes<T>& n) {
            return Nodes<T, Four>{four(n.at), four(n.inverse), n.per_interval};
        });
        const auto intervals = as(this->vertical, [&](const Interval<T>& v) {
            return Interval<T, Four>{v.begin, v.end, v.per_interval, four(v.upper), four(v.lower)};
        });
        TransportPoints<T> p{
            TravellingThere<T>({departure.stretching, departure.eta, departure.ends, departure.step,
                                departure.scale, departure.rows}),
            {},
            this->numbers(),
            Base::halo};
        auto& t = p.travelling;
        t.planetary = this->planetary, t.iterations = this->iterations;
        t.levels = levels, t.ny = this->ny, t.full = full, t.next_row = this->next_row;
        t.per_level_step = this->per_level_step, t.eta_top = this->eta_top;
        t.rows_per_radian = this->rows_per_radian, t.row_at_equator = this->row_at_equator;
        t.blocks = blocks, t.rows = this->rows, t.row_above = this->row_above;
        t.latitude = latitudes, t.vertical = intervals, t.level_of = this->level_of;
        for (const Item& item : items)
            for (int i = 0; item.level == 0 && i < item.count; ++i)
                p.columns.push_back({item.block, item.row, 0, item.column + i, 1});
        p.segments = around.on(device);
        return *(there = device.make<TransportOnDevice>(p));
    }
    /// Others' points come there, too.
    void surround_on(Device& device, bool vector) {
        around.exchange_on(device, this->rows_of(there->buffer()));
        there->surround(vector);
    }
    void count_departure(Spent& spent) const {
        const double traced = this->own_points() * this->iterations;
        spent.did(traced * (departure.operations() + this->operations(Pass::linear, 3) + 10),
                  traced * 10 * sizeof(T));
    }
    void count_interpolation(Spent& spent, Pass pass, double count) const {
        spent.did(
            this->own_points() * (departure.operations() + this->operations(Pass::weights, 0) +
                                  this->operations(pass, count)),
            this->own_points() * (2 * count + 3) * sizeof(T));
    }
    /// Stores the fields from `first` on.
    void put_scalars(const Item& item, const Work& work, std::span<const FieldSlab> to, int first) {
        for (int f = first; f < int(to.size()); ++f) {
            T* x = this->target(to[f], item);
            for (int i = 0; i < item.count; ++i) x[i] = work.out[i * fields + f];
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
        t.count_departure(spent.departure);
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
    const Pass pass = Tables::pass_of(group);
    t.count_interpolation(spent.interpolation, pass, count);
#pragma omp parallel
    {
        typename Tables::Cleared work;
#pragma omp for schedule(dynamic, 4)
        for (std::size_t n = 0; n < t.items.size(); ++n) {
            const auto& item = t.items[n];
            t.depart(item, work, false);
            t.gather(pass, item, work);
            if (wind) t.put_wind(item, work, t.target(to[0], item), t.target(to[1], item));
            t.put_scalars(item, work, to, wind ? 2 : 0);
        }
    }
}

template <class T>
void SemiLagrangian<T>::depart_on(Device& device, const Wind& now, const Wind& next) {
    Tables& t = *tables;
    const FieldSlab group[] = {next.east, next.north, next.vertical};
    t.on(device).pack(group);
    spent.packing.did(0, t.own_points() * 7 * sizeof(T));
    do {
        t.surround_on(device, true);
        t.there->trace({now.east, now.north, now.vertical});
        t.count_departure(spent.departure);
    } while (t.around.cover_on(device));
}
template <class T> void SemiLagrangian<T>::interpolate_on(Device& device, const Group& group) {
    Tables& t = *tables;
    const bool wind = group.kind == Kind::wind;
    const Pass pass = Tables::pass_of(group);
    if (pass == Pass::by_levels || pass == Pass::by_levels_monotone)
        t.on(device).pack_levels(group.fields[0]);
    else
        t.on(device).pack(group.fields);
    t.surround_on(device, wind);
    t.there->interpolate(group.fields, wind, pass);
    const double count = double(group.fields.size());
    spent.packing.did(0, t.own_points() * (count + Tables::fields) * sizeof(T));
    t.count_interpolation(spent.interpolation, pass, count);
}

/// Computes all points once, as in `interpolate`, without storing results.
template <class T> double SemiLagrangian<T>::seconds(Pass pass) {
    Tables& t = *tables;
    Spent spent;
    {
        Timer timer{spent};
#pragma omp parallel
        {
            typename Tables::Cleared work;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t n = 0; n < t.items.size(); ++n) {
                t.depart(t.items[n], work, false);
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
