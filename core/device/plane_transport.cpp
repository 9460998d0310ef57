/// Semi-Lagrangian transport on a plane on a device: one thread per point.
#include "device/engines.hpp"
#include "device/even_rows.hpp"
#include "semi_lagrangian/device/plane.hpp"

namespace fathom {

namespace {

/// Displacements of own points: [X, Y, H][level][column].
template <class T> struct Displacements {
    T* first;
    std::size_t columns, all;
    constexpr Displacement<T> operator()(int k, std::size_t column) const {
        T* const at = first + std::size_t(k) * columns + column;
        return {at, at + all, at + 2 * all};
    }
};
/// Own points and how they are displaced; of_one: what else their departures need.
template <class T> struct Displaced {
    OwnPoints own;
    Displacements<T> by;
    RowsThere<T, 1> of_one;
    constexpr Displacement<T> displacement(std::size_t n) const {
        return by(int(n / own.count), n % own.count);
    }
    template <class Rows> constexpr auto departures_to(const Rows& rows, std::size_t n) const {
        const Line l = own[n];
        return departures<T, LinesThere>(l, rows.nodes.height(l.k), displacement(n));
    }
    constexpr auto marks_of_one() const {
        return [this](const Reach& reach) {
            const int here[] = {reach.west, reach.south};
            of_one.marks()(here, here + 1);
        };
    }
};

// A thread of the following kernels has a point.

template <class T> struct TimesMapFactor {
    RowsThere<T, 4> rows;
    OwnPoints own;
    const T* factor;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        T* at = rows.at(l.j, l.k, l.i0);
        for (int f = 0; f < 2; ++f) at[f] *= factor[std::ptrdiff_t(l.j) * rows.nx + l.i0];
    }
};

template <class T> struct TraceOnMap {
    MapTracing<T, LinesThere> trace;
    RowsThere<T, 4> rows;
    Displaced<T> points;
    std::array<FieldAt<const T>, 3> wind;
    const T* factor;
    constexpr void operator()(std::size_t n) const {
        const Line l = points.own[n];
        const auto of = [&](int f) { return points.own.at(wind[f], l); };
        const T* const m = factor ? factor + std::ptrdiff_t(l.j) * rows.nx + l.i0 : nullptr;
        trace(l, {of(0), of(1), of(2)}, m, points.displacement(n), rows, rows.marks());
        if (rows.segments.alone()) return;
        LinearStencils<T, LinesThere> stencils;
        rows.locate(points.departures_to(rows, n), 0, 0, stencils,
                    rows.marks(points.marks_of_one()));
    }
};

template <class T> struct TraceBetween {
    Displaced<T> points;
    Displacements<T> layers;
    int count;  ///< of them
    constexpr void operator()(std::size_t n) const {
        using Tracing = MapTracing<T, LinesThere>;
        const int k = int(n / points.own.count);
        const std::size_t column = n % points.own.count;
        Tracing::between(1, k > 0 && k < count, layers(Tracing::above(k), column),
                         layers(Tracing::below(k, count), column), points.displacement(n));
        const auto& rows = points.of_one;
        if (rows.segments.alone()) return;
        LinearStencils<T, LinesThere> stencils;
        rows.locate(points.departures_to(rows, n), 0, 0, stencils, rows.marks());
    }
};

template <class T, int fields, bool within> struct CarryOnMap {
    RowsThere<T, fields> rows;
    Displaced<T> points;
    Turns<T, LinesThere> turns;
    bool wind;
    std::array<FieldAt<T>, fields> to;
    constexpr void operator()(std::size_t n) const {
        const Line l = points.own[n];
        Gathered<T, fields, LinesThere> found;
        found.template take<within>(rows, points.departures_to(rows, n), [](auto...) {});
        if constexpr (fields > 1)
            if (wind && turns) {
                const auto by = points.displacement(n);
                turns.turn(l, by.X, by.Y, found.values, found.values + 1);
            }
        for (int f = 0; f < fields; ++f)
            if (to[f].first) *points.own.at(to[f], l) = found.values[f];
    }
};

template <class T> class PlaneTransport final : public PlaneTransportOnDevice {
public:
    PlaneTransport(std::shared_ptr<Device> given, const PlaneTransportTables<T>& t)
        : device(std::move(given)),
          tables(device),
          own{send(t.columns).data(), t.columns.size(), t.halo},
          nodes(t.nodes.sent(sending())),
          tracing(t.tracing),
          turns(t.turning.sent(sending())),
          factor(t.factor.empty() ? nullptr : send(t.factor).data()),
          of_four(device, tables, own, t.plane, nodes, 0),
          of_one(device, tables, own, t.plane, nodes, 0),
          displacements(device, 3 * (points() + 1) * sizeof(T)),
          displaced{own, {(T*)displacements.at, own.count, points()}, of_one.points} {
        displaced.of_one.segments = t.of_one;
        device->wait();
    }
    EvenRowsOnDevice& four() override { return of_four; }
    EvenRowsOnDevice& one() override { return of_one; }
    void times_map_factor() override {
        if (factor) launch::each(points(), TimesMapFactor<T>{of_four.points, own, factor});
    }
    void trace(const Wind& now) override {
        launch::each(points(), TraceOnMap<T>{tracing,
                                             of_four.points,
                                             displaced,
                                             {of(now.east), of(now.north), of(now.vertical)},
                                             factor});
    }
    void trace_between(const PlaneTransportOnDevice& given) override {
        const auto& layers = static_cast<const PlaneTransport&>(given);
        launch::each(points(),
                     TraceBetween<T>{displaced, layers.displaced.by, layers.nodes.levels()});
    }
    void interpolate(std::span<const FieldSlab> to, bool wind, bool monotone) override {
        to.size() == 1 ? carry(of_one, to, wind, monotone) : carry(of_four, to, wind, monotone);
    }

private:
    std::shared_ptr<Device> device;
    std::vector<DeviceMemory> memory;
    BlockTables tables;
    const OwnPoints own;
    const LevelNodes<T, LinesThere> nodes;
    const MapTracing<T, LinesThere> tracing;
    const Turns<T, LinesThere> turns;
    const T* const factor;
    RowsOnDevice<T, 4> of_four;
    RowsOnDevice<T, 1> of_one;
    DeviceMemory displacements;
    Displaced<T> displaced;

    template <class Number> std::span<const Number> send(const std::vector<Number>& list) {
        memory.push_back(on_device(device, list.data(), list.size()));
        return {(const Number*)memory.back().at, list.size()};
    }
    auto sending() {
        return [this](const auto& list) { return send(list); };
    }
    std::size_t points() const { return own.count * nodes.levels(); }
    FieldAt<const T> of(const FieldSlab& f) { return tables.operator()<const T>(f); }
    template <int fields>
    void carry(RowsOnDevice<T, fields>& rows, std::span<const FieldSlab> to, bool wind,
               bool monotone) {
        monotone ? carry<true>(rows.points, to, wind) : carry<false>(rows.points, to, wind);
    }
    template <bool within, int fields>
    void carry(const RowsThere<T, fields>& rows, std::span<const FieldSlab> to, bool wind) {
        CarryOnMap<T, fields, within> kernel{rows, displaced, turns, wind, {}};
        for (std::size_t f = 0; f < to.size(); ++f) kernel.to[f] = tables.operator()<T>(to[f]);
        launch::each(points(), kernel);
    }
};

template <class T>
std::unique_ptr<PlaneTransportOnDevice> transport_of(std::shared_ptr<Device> device,
                                                     const PlaneTransportTables<T>& tables) {
    return std::make_unique<PlaneTransport<T>>(std::move(device), tables);
}

const Registered single(transport_of<float>), twice(transport_of<double>);

}  // namespace

}  // namespace fathom
