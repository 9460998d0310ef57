#include "device/gridpoint.hpp"
#include "atmosphere/gridpoint/pole_rows.hpp"
#include "device/even_rows.hpp"

namespace fathom {

namespace {

using namespace atmosphere;
using Fields = CarrierOnDevice::Fields;

/// Nothing comes from other ranks.
struct Unseen {
    constexpr void operator()(const int*, const int*) const {}
};

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
    EvenPoints<T, 3, LinesThere> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 3> wind;
    std::array<FieldAt<T>, 3> to;
    int interpolations;
    bool onwards;
    constexpr void operator()(std::size_t n) const {
        const Line l = own[n];
        const auto of = [&](const auto& field) { return own.at(field, l); };
        trace(l, {of(wind[0]), of(wind[1]), of(wind[2]), of(to[0]), of(to[1]), of(to[2])},
              interpolations, onwards, rows, Unseen());
    }
};

template <class T> struct TraceOnSphere {
    SphereTracing<T, LinesThere> trace;
    EvenPoints<T, 3, LinesThere> rows;
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
              interpolations, onwards, rows, Unseen());
    }
};

template <class T, int fields, bool within> struct CarryOnPlane {
    PlaneDepartures<T, LinesThere> departures;
    EvenPoints<T, fields, LinesThere> rows;
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
        found.template take<within>(rows, from, Unseen());
        for (int f = 0; f < fields; ++f)
            if (to[f].first) *own.at(to[f], l) = found.values[f];
    }
};

/// turned: the component of a wind that is stored, rotated, before the fields next to the wind; -1:
/// there is no wind.
template <class T, Around where, int fields, int turned, bool within> struct CarryOnSphere {
    static constexpr int components = turned < 0 ? 0 : fields < 3 ? fields : 3;
    SphereDepartures<T, LinesThere> departures;
    EvenPoints<T, fields, LinesThere> rows;
    OwnPoints own;
    std::array<FieldAt<const T>, 4> displacement;
    FieldAt<const T> last;  ///< of northern faces: the last row, which stays
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
        found.template take<within>(rows, t.from, Unseen(), T(where == Around::east_face ? 0.5 : 0),
                                    T(where == Around::north_face ? 0.5 : 0));
        if constexpr (turned >= 0) t.template turn<turned, components>(found, own.at(to[0], l));
        for (int f = components; f < fields; ++f) {
            const auto& field = to[f - components + (turned >= 0)];
            if (field.first) *own.at(field, l) = found.values[f];
        }
    }
};

/// A thread has a level of a pole.
template <class T, int components> struct AddOnPole {
    EvenPoints<T, components, LinesThere> u;
    SphereDepartures<T, LinesThere> directions;
    WindOnPole<T, components>* to;
    constexpr void operator()(std::size_t n) const {
        const int levels = u.nodes.levels(), k = int(n) % levels;
        const Pole pole(int(n) / levels, u.ny);
        WindOnPole<T, components> wind;
        for (int i = 0; i < u.nx; ++i)
            wind.add(u.at(pole.u, k, i), *directions.sine(i, 1), *directions.cosine(i, 1));
        to[n] = wind;
    }
};
/// A thread has a point of a level of a pole.
template <class T, int components> struct GiveOnPole {
    EvenPoints<T, components, LinesThere> v;
    SphereDepartures<T, LinesThere> directions;
    const WindOnPole<T, components>* from;
    constexpr void operator()(std::size_t n) const {
        const int i = int(n) % v.nx, levels = v.nodes.levels(), level = int(n) / v.nx;
        const Pole pole(level / levels, v.ny);
        from[level].give(v.nx, T(pole.sign), *directions.sine(i, 0), *directions.cosine(i, 0),
                         v.at(pole.v, level % levels, i));
    }
};

/// Tables and memory that planes and spheres have.
template <class T> class Carrier : public CarrierOnDevice {
protected:
    template <int fields> using Rows = std::optional<RowsOnDevice<T, fields>>;
    static constexpr std::size_t together = 4;  // tracers

    Carrier(std::shared_ptr<Device> given, const CarrierTables<T>& t)
        : device(std::move(given)),
          tables(device),
          own{send(t.columns).data(), t.columns.size(), t.halo},
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
    const EvenPlane<T> centres, north_faces;
    const LevelNodes<T, LinesThere> interfaces, layers, upper;
    Rows<3> wind;

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
    /// Packs the fields, if there are any.
    template <int fields>
    const EvenPoints<T, fields, LinesThere>& pack(Rows<fields>& rows, const EvenPlane<T>& plane,
                                                  const LevelNodes<T, LinesThere>& nodes,
                                                  int components, const Fields* from) {
        if (!rows) rows.emplace(device, plane, nodes, components);
        if (from) rows->pack(own, of<fields>(*from));
        return rows->points;
    }
    template <class Each> static void each_group(const Fields& tracers, Each each) {
        for (std::size_t n = 0; n < tracers.size(); n += together)
            each(Fields(tracers.begin() + n,
                        tracers.begin() + std::min(n + together, tracers.size())));
    }
};

template <class T> class OnPlane final : public Carrier<T> {
    using Base = Carrier<T>;
    using Base::centres, Base::north_faces, Base::interfaces, Base::layers, Base::own;
    template <int fields> using Rows = typename Base::template Rows<fields>;

public:
    OnPlane(std::shared_ptr<Device> device, const CarrierTables<T>& t)
        : Base(std::move(device), t), tracing{t.on_plane, t.now, t.then} {}
    void depart(const Fields& now, const Fields* before, const FieldSlab&,
                const Fields& displacement, int interpolations, bool onwards) override {
        const auto& rows = this->pack(Base::wind, centres, interfaces, 0, before);
        launch::each(
            own.count * interfaces.levels(),
            TraceOnPlane<T>{tracing, rows, own, this->template of<3>(now),
                            this->template of<3, T>(displacement), interpolations, onwards});
    }
    void transport(const Fields& by, const CarrierOnDevice::Places& from,
                   const CarrierOnDevice::Places& to, bool) override {
        const bool slice = centres.ny == 1;
        carry<false>(east, centres, layers, Around::east_face, by, from.east_faces, to.east_faces);
        carry<false>(north, north_faces, layers, slice ? Around::layer : Around::north_face, by,
                     from.north_faces, to.north_faces);
        carry<false>(between, centres, interfaces, Around::interface, by, from.interfaces,
                     to.interfaces);
        carry<false>(inside, centres, layers, Around::layer, by, from.layers, to.layers);
    }
    void transport(const Fields& by, const Fields& tracers) override {
        this->each_group(tracers, [&](const Fields& group) {
            group.size() == 1
                ? carry<true>(one, centres, Base::upper, Around::interface, by, group, group)
                : carry<true>(four, centres, Base::upper, Around::interface, by, group, group);
        });
    }

private:
    const PlaneTracing<T, LinesThere> tracing;
    Rows<1> east, north, inside, one;
    Rows<2> between;
    Rows<4> four;

    template <bool within, int fields>
    void carry(Rows<fields>& in, const EvenPlane<T>& plane, const LevelNodes<T, LinesThere>& nodes,
               Around where, const Fields& by, const Fields& from, const Fields& to) {
        const auto& rows = this->pack(in, plane, nodes, 0, &from);
        launch::each(own.count * nodes.levels(),
                     CarryOnPlane<T, fields, within>{tracing.departures, rows, own, where,
                                                     this->template of<3>(by),
                                                     this->template of<fields, T>(to)});
    }
};

template <class T, bool deep> class OnSphere final : public Carrier<T> {
    using Base = Carrier<T>;
    using Base::centres, Base::north_faces, Base::interfaces, Base::layers, Base::own;
    template <int fields> using Rows = typename Base::template Rows<fields>;
    static constexpr int on_face = deep ? 3 : 2, at_interface = deep ? 4 : 2;

public:
    OnSphere(std::shared_ptr<Device> device, const CarrierTables<T>& t)
        : Base(std::move(device), t),
          tracing{this->sent(*t.on_sphere), t.now, t.then, t.radius, deep},
          poles(Base::device, 2 * std::size_t(layers.levels()) * sizeof(WindOnPole<T, on_face>)) {
        Base::device->wait();
    }
    void depart(const Fields& now, const Fields* before, const FieldSlab& height,
                const Fields& displacement, int interpolations, bool onwards) override {
        const auto& rows = this->pack(Base::wind, centres, interfaces, 2, before);
        launch::each(
            own.count * interfaces.levels(),
            TraceOnSphere<T>{tracing, rows, own, this->template of<3>(now),
                             Base::tables.template operator()<const T>(height),
                             this->template of<4, T>(displacement), interpolations, onwards});
    }
    void transport(const Fields& by, const CarrierOnDevice::Places& from,
                   const CarrierOnDevice::Places& to, bool anew) override {
        const auto given = [&](const Fields& fields) { return anew ? &fields : nullptr; };
        const auto& u = this->pack(east, centres, layers, 2, given(from.east_faces));
        const auto& v = this->pack(north, north_faces, layers, 2, given(from.north_faces));
        if (anew && centres.on_sphere()) blow_over_poles();
        carry<Around::east_face, 0, false>(u, by, to.east_faces);
        carry<Around::north_face, 1, false>(v, by, to.north_faces, from.north_faces[1]);
        carry<Around::interface, deep ? 2 : -1, false>(
            this->pack(between, centres, interfaces, deep ? 2 : 0, given(from.interfaces)), by,
            to.interfaces);
        carry<Around::layer, -1, false>(this->pack(inside, centres, layers, 0, given(from.layers)),
                                        by, to.layers);
    }
    void transport(const Fields& by, const Fields& tracers) override {
        const auto move = [&](auto& rows, const Fields& group) {
            carry<Around::interface, -1, true>(this->pack(rows, centres, Base::upper, 0, &group),
                                               by, group);
        };
        this->each_group(tracers, [&](const Fields& group) {
            group.size() == 1 ? move(one, group) : move(four, group);
        });
    }

private:
    const SphereTracing<T, LinesThere> tracing;
    DeviceMemory poles;
    Rows<on_face> east, north;
    Rows<at_interface> between;
    Rows<1> inside, one;
    Rows<4> four;

    template <Around where, int turned, bool within, int fields>
    void carry(const EvenPoints<T, fields, LinesThere>& rows, const Fields& by, const Fields& to,
               const FieldSlab& last = {}) {
        launch::each(
            own.count * rows.nodes.levels(),
            CarryOnSphere<T, where, fields, turned, within>{
                tracing.departures, rows, own, this->template of<4>(by),
                Base::tables.template operator()<const T>(last), this->template of<fields, T>(to)});
    }
    void blow_over_poles() {
        auto* const wind = (WindOnPole<T, on_face>*)poles.at;
        const std::size_t levels = 2 * std::size_t(layers.levels());
        launch::each(levels, AddOnPole<T, on_face>{east->points, tracing.departures, wind});
        launch::each(levels * centres.nx,
                     GiveOnPole<T, on_face>{north->points, tracing.departures, wind});
        for (bool northern : {false, true}) north->close(Pole(northern, centres.ny).v, 1);
    }
};

}  // namespace

template <class T>
std::unique_ptr<CarrierOnDevice> carrier_of(std::shared_ptr<Device> device,
                                            const CarrierTables<T>& tables) {
    if (!tables.on_sphere) return std::make_unique<OnPlane<T>>(std::move(device), tables);
    if (tables.deep) return std::make_unique<OnSphere<T, true>>(std::move(device), tables);
    return std::make_unique<OnSphere<T, false>>(std::move(device), tables);
}
template std::unique_ptr<CarrierOnDevice> carrier_of<float>(std::shared_ptr<Device>,
                                                            const CarrierTables<float>&);
template std::unique_ptr<CarrierOnDevice> carrier_of<double>(std::shared_ptr<Device>,
                                                             const CarrierTables<double>&);

}  // namespace fathom
