/// Semi-Lagrangian advection on a device: one thread per point.
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"
#include "semi_lagrangian/device/sphere.hpp"

namespace fathom {

namespace {

using Pass = InterpolationPass;

/// Own points: columns side by side, level by level.
template <class T> struct Points {
    TravellingThere<T> on;
    const PointTile* columns;
    std::size_t count;
    int halo;
    constexpr PointTile tile(std::size_t n) const {
        PointTile t = columns[n % count];
        t.level = int(n / count);
        return t;
    }
    template <class Number>
    constexpr Number* of(const FieldAt<Number>& f, const PointTile& t, int level) const {
        return &f(t.block, t.row + halo, t.column + halo, level);
    }
    constexpr T* interleaved_at(const PointTile& t) const {
        const PointBlock& b = on.blocks[t.block];
        return on.at(on.rows[b.j0 + t.row + beyond_pole], t.level, b.i0 + t.column);
    }
    /// The mean wind of a trajectory.
    constexpr auto mean(T* first, std::size_t n) const {
        const std::size_t all = count * on.levels;
        return typename TravellingThere<T>::Base::template Wind<T>{first + n, first + all + n,
                                                                   first + 2 * all + n};
    }
};

template <class T> struct Given {
    FieldAt<const T> field;
    bool layers;  ///< or the same on all levels
};

template <class T> struct Interleave {
    Points<T> points;
    std::array<Given<T>, interleaved> from;
    constexpr void operator()(std::size_t n) const {
        const PointTile t = points.tile(n);
        T* out = points.interleaved_at(t);
        for (int f = 0; f < interleaved; ++f)
            out[f] = from[f].field.first
                         ? *points.of(from[f].field, t, from[f].layers ? t.level : 0)
                         : T(0);
    }
};
template <class T> struct InterleaveLevels {
    Points<T> points;
    FieldAt<const T> from;
    constexpr void operator()(std::size_t n) const {
        const PointTile t = points.tile(n);
        T* out = points.interleaved_at(t);
        for (int f = 0; f < interleaved; ++f)
            out[f] = *points.of(from, t, std::clamp(t.level - 1 + f, 0, points.on.levels - 1));
    }
};

/// Rows of the sphere, and those that have points here.
template <class T> struct Rows {
    TravellingThere<T> on;
    SegmentsThere segments;
};
/// A thread has a level of a row.
template <class T> struct CloseEnds : Rows<T> {
    constexpr void operator()(std::size_t n) const {
        const auto& on = this->on;
        if (!this->segments.holds(int(n) / on.levels)) return;
        const auto& row = on.rows[int(n) / on.levels + beyond_pole];
        close_ends(on.at(row, int(n) % on.levels, 0), row.points);
    }
};
/// A thread has a number of the level above the first one, and of that below the last.
template <class T> struct CloseLevels : Rows<T> {
    int longest;  ///< numbers of a row
    constexpr void operator()(std::size_t n) const {
        const auto& on = this->on;
        const auto& row = on.rows[int(n) / longest + beyond_pole];
        const int i = int(n) % longest, last = on.levels - 1;
        if (i >= row.level || !this->segments.holds(int(n) / longest)) return;
        on.at(row, -1, -1)[i] = on.at(row, 0, -1)[i];
        on.at(row, last + 1, -1)[i] = on.at(row, last, -1)[i];
    }
};
/// A thread has a point of a level of a row beyond a pole.
template <class T> struct CrossPole : Rows<T> {
    int longest;  ///< points
    bool vector;
    constexpr void operator()(std::size_t n) const {
        const auto& on = this->on;
        const int i = int(n) % longest - 1, levels = on.levels + 2,
                  k = int(n) / longest % levels - 1, r = int(n) / longest / levels,
                  j = r < beyond_pole ? -1 - r : on.ny + r - beyond_pole;
        const auto &to = on.rows[j + beyond_pole],
                   &from = on.rows[row_across(j, on.ny) + beyond_pole];
        if (i >= to.points + 2 || !this->segments.holds(row_across(j, on.ny))) return;
        cross_pole(on.at(from, k, (i + to.points / 2 + to.points) % to.points), on.at(to, k, i),
                   vector);
    }
};

/// Marks what departures need.
template <class T> struct Needs {
    const TravellingThere<T>& on;
    const SegmentsThere& segments;
    template <class Points, class Places>
    constexpr void operator()(const PointTile& t, const Points& at, const Places& to) const {
        on.stencils(t, at, to, [this](int row, int first, int count) {
            segments.need(row, on.rows[row + beyond_pole].points, first, count);
        });
    }
};

template <class T, bool alone> struct Trace {
    Points<T> points;
    FieldAt<const T> u, v, w;
    T* mean;
    SegmentsThere segments;
    constexpr void operator()(std::size_t n) const {
        const PointTile t = points.tile(n);
        typename TravellingThere<T>::Work work;
        const auto go = [&](const auto& need) {
            points.on.trace(
                t, {points.of(u, t, t.level), points.of(v, t, t.level), points.of(w, t, t.level)},
                points.mean(mean, n), work, need);
        };
        if constexpr (alone)
            go([](auto&&...) {});
        else {
            const Needs<T> need{points.on, segments};
            go(need);
            const auto [x, y, z] = points.mean(mean, n);
            points.on.depart(t, {x, y, z}, work, true);
            need(t, work.points, work.places);
        }
    }
};

template <class T, bool full, Pass pass> struct Interpolate {
    Points<T> points;
    T* mean;
    std::array<FieldAt<T>, interleaved> to;
    std::array<bool, interleaved> layers;
    int count;
    bool wind;
    constexpr void operator()(std::size_t n) const {
        const PointTile t = points.tile(n);
        typename TravellingThere<T>::Work work;
        const auto [u, v, w] = points.mean(mean, n);
        points.on.depart(t, {u, v, w}, work, false);
        points.on.template gather<full>(pass, t, work);
        const auto at = [&](int f) { return points.of(to[f], t, layers[f] ? t.level : 0); };
        if (wind) points.on.put_wind(t, work, at(0), at(1));
        for (int f = 0; f < interleaved; ++f)
            if (f >= (wind ? 2 : 0) && f < count) *at(f) = work.out[f];
    }
};

template <class T> class Transport final : public TransportOnDevice {
public:
    Transport(std::shared_ptr<Device> given, const TransportPoints<T>& p)
        : device(std::move(given)),
          tables(device),
          points{p.travelling, nullptr, p.columns.size(), p.halo},
          threads(p.columns.size() * p.travelling.levels),
          segments(p.segments) {
        for (const auto& row : points.on.rows) longest = std::max(longest, int(row.level));
        points.columns = (const PointTile*)send(p.columns.data(), p.columns.size());
        points.on.each_list([&]<class Number>(std::span<const Number>& list) {
            list = {(const Number*)send(list.data(), list.size()), list.size()};
        });
        memory.emplace_back(device, p.numbers * sizeof(T));
        points.on.buffer = (T*)memory.back().at;
        memory.emplace_back(device, 3 * (threads + 1) * sizeof(T));
        mean = (T*)memory.back().at;
        device->wait();
    }

    void pack(std::span<const FieldSlab> group) override {
        Interleave<T> kernel{points, {}};
        for (std::size_t f = 0; f < group.size(); ++f)
            kernel.from[f] = {of(group[f]), group[f].levels > 1};
        launch::each(threads, kernel);
    }
    void pack_levels(const FieldSlab& field) override {
        launch::each(threads, InterleaveLevels<T>{points, of(field)});
    }
    std::byte* buffer() const override { return (std::byte*)points.on.buffer; }
    void surround(bool vector) override {
        const Rows<T> rows{points.on, segments};
        const auto& on = points.on;
        launch::each(std::size_t(on.ny) * on.levels, CloseEnds<T>{rows});
        launch::each(std::size_t(on.ny) * longest, CloseLevels<T>{rows, longest});
        const int most = longest / interleaved;
        launch::each(std::size_t(2 * beyond_pole) * (on.levels + 2) * most,
                     CrossPole<T>{rows, most, vector});
    }
    void trace(const Wind& now) override {
        segments.alone() ? trace<true>(now) : trace<false>(now);
    }

    void interpolate(std::span<const FieldSlab> fields, bool wind, Pass pass) override {
        points.on.full ? choose<true>(fields, wind, pass) : choose<false>(fields, wind, pass);
    }

private:
    std::shared_ptr<Device> device;
    BlockTables tables;
    std::vector<DeviceMemory> memory;
    Points<T> points;
    std::size_t threads;
    const SegmentsThere segments;
    int longest = 0;
    T* mean = nullptr;

    template <class Number> const void* send(const Number* first, std::size_t count) {
        memory.push_back(on_device(device, first, count));
        return memory.back().at;
    }
    FieldAt<const T> of(const FieldSlab& f) { return tables.operator()<const T>(f); }

    template <bool alone> void trace(const Wind& now) {
        launch::each(threads, Trace<T, alone>{points, of(now.east), of(now.north), of(now.vertical),
                                              mean, segments});
    }
    template <bool full> void choose(std::span<const FieldSlab> fields, bool wind, Pass pass) {
        switch (pass) {
            case Pass::monotone: return interpolate<full, Pass::monotone>(fields, wind);
            case Pass::by_levels: return interpolate<full, Pass::by_levels>(fields, wind);
            case Pass::by_levels_monotone:
                return interpolate<full, Pass::by_levels_monotone>(fields, wind);
            default: return interpolate<full, Pass::cubic>(fields, wind);
        }
    }
    template <bool full, Pass pass> void interpolate(std::span<const FieldSlab> fields, bool wind) {
        Interpolate<T, full, pass> kernel{points, mean, {}, {}, int(fields.size()), wind};
        for (std::size_t f = 0; f < fields.size(); ++f) {
            kernel.to[f] = tables.operator()<T>(fields[f]);
            kernel.layers[f] = fields[f].levels > 1;
        }
        launch::each(threads, kernel);
    }
};

template <class T>
std::unique_ptr<TransportOnDevice> transport_of(std::shared_ptr<Device> device,
                                                const TransportPoints<T>& points) {
    return std::make_unique<Transport<T>>(std::move(device), points);
}

const Registered single(transport_of<float>), twice(transport_of<double>);

}  // namespace

}  // namespace fathom
