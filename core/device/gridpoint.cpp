/// Semi-Lagrangian processes of a grid-point atmosphere on a device: one thread per point.
#include "atmosphere/gridpoint/on_device.hpp"
#include "atmosphere/gridpoint/pole_rows.hpp"
#include "device/engines.hpp"
#include "device/even_rows.hpp"

namespace fathom {

namespace {

using namespace atmosphere;

/// Fields from a point on.
template <class T, std::size_t count>
constexpr std::array<FieldFrom<const T>, count> from_each(
    const OwnPoints& own, const std::array<FieldAt<const T>, count>& fields, const Line& l) {
    std::array<FieldFrom<const T>, count> from;
    for (std::size_t n = 0; n < count; ++n) {
        const BlockAt& block = fields[n].blocks[l.b];
        from[n] = {own.at(fields[n], l), block.row, block.level};
    }
    return from;
}

// A thread of the following kernels has a point.

template <class T> struct TraceOnPlane {
    PlaneTracing<T, LinesThere> trace;
    RowsThere<T, 3> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 3> wind;
    std::array<FieldAt<T>, 3> to;
    int interpolations;
    bool onwards;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        const auto of = [&](const auto& field) { return own.at(field, l); };
        trace(l, {of(wind[0]), of(wind[1]), of(wind[2]), of(to[0]), of(to[1]), of(to[2])},
              interpolations, onwards, rows, rows.marks());
    }
};

template <class T> struct TraceOnSphere {
    SphereTracing<T, LinesThere> trace;
    RowsThere<T, 3> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 3> wind;
    FieldAt<const T> height;
    std::array<FieldAt<T>, 4> to;
    int interpolations;
    bool onwards;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        const auto of = [&](const auto& field) { return own.at(field, l); };
        trace(l,
              {of(wind[0]), of(wind[1]), of(wind[2]), of(height), of(to[0]), of(to[1]), of(to[2]),
               of(to[3])},
              interpolations, onwards, rows, rows.marks());
    }
};

template <class T, class From> struct ClimbThere {
    Climb<T, LinesThere, From> climb;
    RowsThere<T, 2> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 2> of;
    std::array<FieldAt<const T>, From::components> displacement;
    FieldAt<T> to;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        const auto from = from_each(own, of, l);
        climb(l, from[0].at, from[1], from_each(own, displacement, l).data(), own.at(to, l), rows,
              rows.marks());
    }
};

template <class T, int fields, bool within> struct CarryOnPlane {
    PlaneDepartures<T, LinesThere> departures;
    RowsThere<T, fields> rows;
    OwnPoints own;
    Around where;
    std::array<FieldAt<const T>, 3> displacement;
    std::array<FieldAt<T>, fields> to;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        Departures<T, LinesThere> from{l.i0, l.k, l.count};
        departures.depart(l, where, rows.nodes.height(l.k), from_each(own, displacement, l).data(),
                          from);
        Gathered<T, fields, LinesThere> found;
        found.template take<within>(rows, from, rows.marks());
        for (int f = 0; f < fields; ++f)
            if (to[f].first) *own.at(to[f], l) = found.values[f];
    }
};

/// turned: the component of a wind that is stored, rotated, before the fields next to the wind; -1:
/// there is no wind.
template <class T, Around where, int fields, int turned, bool within> struct CarryOnSphere {
    static constexpr int components = turned < 0 ? 0 : fields < 3 ? fields : 3;
    SphereDepartures<T, LinesThere> departures;
    RowsThere<T, fields> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 4> displacement;
    FieldAt<const T> last;           ///< of northern faces: the last row, which stays
    SegmentsThere of_eastern_faces;  ///< of northern faces
    std::array<FieldAt<T>, fields> to;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        if (where == Around::north_face && l.j == rows.ny - 1) {
            *own.at(to[0], l) = *own.at(last, l);
            return;
        }
        SphereTrajectories<T, LinesThere> t(l);
        departures.depart(l, where, rows.nodes.height(l.k), from_each(own, displacement, l).data(),
                          t);
        Gathered<T, fields, LinesThere> found;
        const auto beside_poles = [this](const Reach& reach) {
            if (where == Around::north_face && rows.on_sphere())
                rows_beside_poles(reach, rows.ny,
                                  [this](int j) { of_eastern_faces.need(j, rows.nx, 0, rows.nx); });
        };
        found.template take<within>(rows, t.from, rows.marks(beside_poles),
                                    T(where == Around::east_face ? 0.5 : 0),
                                    T(where == Around::north_face ? 0.5 : 0));
        if constexpr (turned >= 0) t.template turn<turned, components>(found, own.at(to[0], l));
        for (int f = components; f < fields; ++f) {
            const auto& field = to[f - components + (turned >= 0)];
            if (field.first) *own.at(field, l) = found.values[f];
        }
    }
};

template <class T> struct Keep {
    OwnPoints own;
    std::array<FieldAt<T>, 4> displacement;
    T* kept;
    std::size_t points;
    bool give_back;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        for (std::size_t f = 0; f < displacement.size(); ++f) {
            if (!displacement[f].first) continue;
            T &field = *own.at(displacement[f], l), &here = kept[f * points + n];
            give_back ? field = here : here = field;
        }
    }
};

/// A thread has a level of a pole.
template <class T, int components> struct AddOnPole {
    RowsThere<T, components> u;
    SphereDepartures<T, LinesThere> directions;
    WindOnPole<T, components>* to;
    constexpr void operator()(std::size_t n) const {
        const int levels = u.nodes.levels(), k = int(n) % levels;
        const Pole pole(int(n) / levels, u.ny);
        if (!u.segments.holds(pole.u)) return;
        WindOnPole<T, components> wind;
        for (int i = 0; i < u.nx; ++i)
            wind.add(u.at(pole.u, k, i), *directions.sine(i, 1), *directions.cosine(i, 1));
        to[n] = wind;
    }
};
/// A thread has a point of a level of a pole.
template <class T, int components> struct GiveOnPole {
    RowsThere<T, components> v;
    SegmentsThere of_u;
    SphereDepartures<T, LinesThere> directions;
    const WindOnPole<T, components>* from;
    constexpr void operator()(std::size_t n) const {
        const int i = int(n) % v.nx, levels = v.nodes.levels(), level = int(n) / v.nx;
        const Pole pole(level / levels, v.ny);
        if (!of_u.holds(pole.u)) return;
        from[level].give(v.nx, T(pole.sign), *directions.sine(i, 0), *directions.cosine(i, 0),
                         v.at(pole.v, level % levels, i));
    }
};

/// Tables and memory that planes and spheres have; numbers of a point on faces and at interfaces.
template <class T, int on_face, int at_interface> class Carrier : public CarrierOnDevice {
protected:
    template <int fields> using Rows = std::optional<RowsOnDevice<T, fields>>;

public:
    EvenRowsOnDevice& rows(RowsOf place) override {
        const int deep = on_face == 3 ? vector : 0;
        switch (place) {
            case RowsOf::wind: return made(wind, centres, interfaces, vector);
            case RowsOf::heights: return made(rising, centres, interfaces, 0);
            case RowsOf::east_faces: return made(east, centres, layers, vector);
            case RowsOf::north_faces: return made(north, north_faces, layers, vector);
            case RowsOf::interfaces: return made(between, centres, interfaces, deep);
            case RowsOf::layers: return made(inside, centres, layers, 0);
            case RowsOf::tracer: return made(one, centres, upper, 0);
            case RowsOf::two_tracers: return made(two, centres, upper, 0);
            default: return made(four, centres, upper, 0);
        }
    }
    void keep(const Fields& displacement, bool give_back) override {
        const std::size_t points = own.count * interfaces.levels();
        if (!kept.at) kept = DeviceMemory(device, 4 * points * sizeof(T));
        launch::each(points, Keep<T>{own, of<4, T>(displacement), (T*)kept.at, points, give_back});
    }

protected:
    Carrier(std::shared_ptr<Device> given, const CarrierTables<T>& t)
        : device(std::move(given)),
          tables(device),
          own{send(t.columns).data(), t.columns.size(), t.halo},
          vector(t.on_sphere ? 2 : 0),
          centres(t.centres),
          north_faces(t.north_faces),
          interfaces(sent(t.interfaces)),
          layers(sent(t.layers)),
          upper(sent(t.tracers)) {
        device->wait();
    }
    std::shared_ptr<Device> device;
    std::vector<DeviceMemory> memory;
    BlockTables tables;
    const OwnPoints own;
    const int vector;  // components of a wind that change their sign beyond a pole
    const EvenPlane<T> centres, north_faces;
    const LevelNodes<T, LinesThere> interfaces, layers, upper;
    Rows<3> wind;
    Rows<2> rising;
    Rows<on_face> east, north;
    Rows<at_interface> between;
    Rows<1> inside, one;
    Rows<2> two;
    Rows<4> four;
    DeviceMemory kept;  // displacements

    template <class From>
    void climb_by(const From& departures, T now, T then, const Fields& given, const Fields& by,
                  const FieldSlab& to) {
        launch::each(own.count * interfaces.levels(),
                     ClimbThere<T, From>{{departures, now, then},
                                         rising->points,
                                         own,
                                         of<2>(given),
                                         of<From::components>(by),
                                         tables.template operator()<T>(to)});
    }
    template <class Number> std::span<const Number> send(const std::vector<Number>& list) {
        memory.push_back(on_device(device, list.data(), list.size()));
        return {(const Number*)memory.back().at, list.size()};
    }
    template <class Table> auto sent(const Table& table) {
        return table.sent([this](const auto& list) { return send(list); });
    }
    template <std::size_t count, class Number = const T>
    std::array<FieldAt<Number>, count> of(const Fields& fields) {
        std::array<FieldAt<Number>, count> all{};
        for (std::size_t n = 0; n < std::min(count, fields.size()); ++n)
            all[n] = tables.operator()<Number>(fields[n]);
        return all;
    }

private:
    template <int fields>
    EvenRowsOnDevice& made(Rows<fields>& rows, const EvenPlane<T>& plane,
                           const LevelNodes<T, LinesThere>& nodes, int components) {
        if (!rows) rows.emplace(device, tables, own, plane, nodes, components);
        return *rows;
    }
};

template <class T> class OnPlane final : public Carrier<T, 1, 2> {
    using Base = Carrier<T, 1, 2>;
    using Base::own;
    using typename Base::Fields;
    template <int fields> using Rows = typename Base::template Rows<fields>;

public:
    OnPlane(std::shared_ptr<Device> device, const CarrierTables<T>& t)
        : Base(std::move(device), t), tracing{t.on_plane, t.now, t.then} {}
    void depart(const Fields& now, const FieldSlab&, const Fields& displacement, int interpolations,
                bool onwards) override {
        launch::each(
            own.count * Base::interfaces.levels(),
            TraceOnPlane<T>{tracing, Base::wind->points, own, this->template of<3>(now),
                            this->template of<3, T>(displacement), interpolations, onwards});
    }
    void climb(const Fields& given, const Fields& by, const FieldSlab& to) override {
        this->climb_by(tracing.departures, tracing.now, tracing.then, given, by, to);
    }
    void transport(RowsOf place, const Fields& by, const Fields& to, const FieldSlab&) override {
        const bool slice = Base::centres.ny == 1;
        const auto north = slice ? Around::layer : Around::north_face;
        switch (place) {
            case RowsOf::wind:
            case RowsOf::heights: break;
            case RowsOf::east_faces: return carry<false>(Base::east, Around::east_face, by, to);
            case RowsOf::north_faces: return carry<false>(Base::north, north, by, to);
            case RowsOf::interfaces: return carry<false>(Base::between, Around::interface, by, to);
            case RowsOf::layers: return carry<false>(Base::inside, Around::layer, by, to);
            case RowsOf::tracer: return carry<true>(Base::one, Around::interface, by, to);
            case RowsOf::two_tracers: return carry<true>(Base::two, Around::interface, by, to);
            case RowsOf::tracers: return carry<true>(Base::four, Around::interface, by, to);
        }
    }
    void blow_over_poles() override {}

private:
    const PlaneTracing<T, LinesThere> tracing;

    template <bool within, int fields>
    void carry(const Rows<fields>& rows, Around where, const Fields& by, const Fields& to) {
        launch::each(own.count * rows->levels(),
                     CarryOnPlane<T, fields, within>{tracing.departures, rows->points, own, where,
                                                     this->template of<3>(by),
                                                     this->template of<fields, T>(to)});
    }
};

template <class T, bool deep> class OnSphere final : public Carrier<T, deep ? 3 : 2, deep ? 4 : 2> {
    static constexpr int on_face = deep ? 3 : 2, at_interface = deep ? 4 : 2;
    using Base = Carrier<T, on_face, at_interface>;
    using Base::own;
    using typename Base::Fields;
    template <int fields> using Rows = typename Base::template Rows<fields>;

public:
    OnSphere(std::shared_ptr<Device> device, const CarrierTables<T>& t)
        : Base(std::move(device), t),
          tracing{this->sent(*t.on_sphere), t.now, t.then, t.radius, deep},
          poles(Base::device,
                2 * std::size_t(Base::layers.levels()) * sizeof(WindOnPole<T, on_face>)) {
        Base::device->wait();
    }
    void depart(const Fields& now, const FieldSlab& height, const Fields& displacement,
                int interpolations, bool onwards) override {
        launch::each(
            own.count * Base::interfaces.levels(),
            TraceOnSphere<T>{tracing, Base::wind->points, own, this->template of<3>(now),
                             Base::tables.template operator()<const T>(height),
                             this->template of<4, T>(displacement), interpolations, onwards});
    }
    void climb(const Fields& given, const Fields& by, const FieldSlab& to) override {
        this->climb_by(tracing.departures, tracing.now, tracing.then, given, by, to);
    }
    void transport(RowsOf place, const Fields& by, const Fields& to,
                   const FieldSlab& last) override {
        constexpr auto interface = Around::interface;
        switch (place) {
            case RowsOf::wind:
            case RowsOf::heights: break;
            case RowsOf::east_faces: return carry<Around::east_face, 0, false>(Base::east, by, to);
            case RowsOf::north_faces:
                return carry<Around::north_face, 1, false>(Base::north, by, to, last,
                                                           Base::east->points.segments);
            case RowsOf::interfaces:
                return carry<interface, deep ? 2 : -1, false>(Base::between, by, to);
            case RowsOf::layers: return carry<Around::layer, -1, false>(Base::inside, by, to);
            case RowsOf::tracer: return carry<interface, -1, true>(Base::one, by, to);
            case RowsOf::two_tracers: return carry<interface, -1, true>(Base::two, by, to);
            case RowsOf::tracers: return carry<interface, -1, true>(Base::four, by, to);
        }
    }
    void blow_over_poles() override {
        auto* const wind = (WindOnPole<T, on_face>*)poles.at;
        const auto &u = Base::east->points, &v = Base::north->points;
        const std::size_t levels = 2 * Base::east->levels();
        launch::each(levels, AddOnPole<T, on_face>{u, tracing.departures, wind});
        launch::each(levels * u.nx,
                     GiveOnPole<T, on_face>{v, u.segments, tracing.departures, wind});
        for (bool northern : {false, true})
            Base::north->close(Pole(northern, u.ny).v, 1, u.segments);
    }

private:
    const SphereTracing<T, LinesThere> tracing;
    DeviceMemory poles;

    template <Around where, int turned, bool within, int fields>
    void carry(const Rows<fields>& rows, const Fields& by, const Fields& to,
               const FieldSlab& last = {}, const SegmentsThere& of_eastern_faces = {}) {
        launch::each(own.count * rows->levels(),
                     CarryOnSphere<T, where, fields, turned, within>{
                         tracing.departures, rows->points, own, this->template of<4>(by),
                         Base::tables.template operator()<const T>(last), of_eastern_faces,
                         this->template of<fields, T>(to)});
    }
};

template <class T>
std::unique_ptr<CarrierOnDevice> carrier_of(std::shared_ptr<Device> device,
                                            const CarrierTables<T>& tables) {
    if (!tables.on_sphere) return std::make_unique<OnPlane<T>>(std::move(device), tables);
    if (tables.deep) return std::make_unique<OnSphere<T, true>>(std::move(device), tables);
    return std::make_unique<OnSphere<T, false>>(std::move(device), tables);
}

const Registered single(carrier_of<float>), twice(carrier_of<double>);

}  // namespace

}  // namespace fathom
