/// Transport on the sphere, between parallels and meridians. Displacements are vectors in space, on
/// the unit sphere. Those at other points are means of the displacements around, also at the poles.
/// The components of the wind are stored side by side at each place (means, if they belong to other
/// places). They are interpolated, and rotated from the departure to the arrival point. This gives
/// all metric terms: in space for a deep atmosphere, along the sphere for a shallow one.
#include "atmosphere/gridpoint/departure.hpp"
#include "atmosphere/gridpoint/pole_rows.hpp"
#include "atmosphere/gridpoint/transport.hpp"

namespace fathom::atmosphere {

namespace {

/// Displacements of points of the wind that have trajectories of their own: names and units.
constexpr std::pair<const char*, const char*> face_displacements[] = {{"displacement_x", "1"},
                                                                      {"displacement_y", "1"},
                                                                      {"displacement_axis", "1"},
                                                                      {"displacement_level", "m"}};
std::string face_name(const char* name, Around where) {
    return std::string(name) + (where == Around::east_face ? "_east_face" : "_north_face");
}
Place face_place(Around where) {
    return where == Around::east_face ? place::east_face_layer : place::north_face_layer;
}

template <class T> class SphereDeparture final : public GridPointDeparture<T> {
    using Base = GridPointDeparture<T>;
    using typename Base::Given;

public:
    explicit SphereDeparture(GridPointSetup s) : Base(std::move(s), "1") {
        if (!setup.own_of_wind) return;
        around = {this->reads("x_wind_at_interface", place::center_interface, "m s-1", 2),
                  this->reads("y_wind_at_interface", place::center_interface, "m s-1", 2),
                  this->reads("level_velocity", place::center_interface, "m s-1", 2),
                  this->reads("interface_height", place::center_interface, "m", 2)};
        east.own = this->reads("x_wind", place::east_face_layer, "m s-1");
        north.own = this->reads("y_wind", place::north_face_layer, "m s-1");
        for (Face* face : {&east, &north})
            for (const auto& [name, unit] : face_displacements)
                face->by.push_back(
                    this->writes(face_name(name, face->where), face_place(face->where), unit));
    }
    void prepare(Given g) override {
        const Domain& d = g.set.domain();
        tracing.emplace(sphere_departures<T>(d, setup), T(setup.implicitness * setup.step),
                        T((1 - setup.implicitness) * setup.step), T(setup.radius), setup.deep);
        rows.emplace(d.comm, d.decomposition, edge_of(setup, Edge::beside_pole), setup.heights, 2);
    }

private:
    using Base::setup, Base::rows, Base::u, Base::v, Base::w, Base::x, Base::y, Base::eta;
    std::optional<SphereTracing<T, LinesHere>> tracing;
    const typename Base::Item z = this->reads("interface_height", place::center_interface, "m"),
                              axis =
                                  this->writes("displacement_axis", place::center_interface, "1");
    std::vector<typename Base::Item> displacement() const override { return {x, y, axis, eta}; }
    FieldSlab height(Given given) const override { return given.on_device(z); }

    using Item = typename Base::Item;
    /// Points of the wind along x or y; own: that wind, component: 0 or 1.
    struct Face {
        Around where;
        int component;
        Item own{};
        std::vector<Item> by{};  ///< along x, y, the axis, of levels
    };
    Face east{Around::east_face, 0}, north{Around::north_face, 1};
    std::vector<Item> around;  ///< wind along x, y, through levels, height: at interfaces

    std::vector<Item> displacement_of_faces() const override {
        std::vector<Item> all = east.by;
        all.insert(all.end(), north.by.begin(), north.by.end());
        return all;
    }
    void trace_faces(Given given, bool onwards) override {
        if (!setup.own_of_wind) return;
        const Domain& d = given.set.domain();
        for_each_line(d, d.levels, this->row_seconds, [&](const Line& l) {
            trace_face(given, l, east, onwards);
            if (l.j != rows->ny - 1) trace_face(given, l, north, onwards);
        });
    }
    /// The wind at arrival: its own component there, else the means of those around.
    void trace_face(Given given, const Line& l, const Face& face, bool onwards) {
        const Domain& d = given.set.domain();
        const auto of = [&](Item item) { return at<T>(d, given[item], l); };
        using Mean = Displaced<T, LinesHere>;
        const auto mean = [&](int n) {
            return Mean(from<T>(d, given[around[n]], l), l, face.where,
                        tracing->departures.middles);
        };
        const Mean wind[] = {mean(0), mean(1), mean(2), mean(3)};
        const T* now[] = {wind[0].by, wind[1].by};
        now[face.component] = of(face.own);
        const T height = T(0.5) * (rows->nodes.height(l.k) + rows->nodes.height(l.k + 1));
        Reach reach;
        tracing->trace(l, face.where, height,
                       {now[0], now[1], wind[2].by, wind[3].by, of(face.by[0]), of(face.by[1]),
                        of(face.by[2]), of(face.by[3])},
                       this->interpolations(onwards), onwards, *rows, reach);
        rows->need(reach);
    }

    void trace(Given given, const Line& l, bool onwards) override {
        const auto of = [&](typename Base::Item item) {
            return at<T>(given.set.domain(), given[item], l);
        };
        Reach reach;
        (*tracing)(l, {of(u), of(v), of(w), of(z), of(x), of(y), of(axis), of(eta)},
                   this->interpolations(onwards), onwards, *rows, reach);
        rows->need(reach);
    }
};

/// deep: u, v and w are stored side by side wherever one of them is transported; otherwise u and v
/// are, wherever one of these two is transported.
template <class T, bool deep> class SphereTransport final : public GridPointCarrier {
    /// How many numbers a point has in memory: on faces the whole wind; at interfaces theta, too.
    static constexpr int on_face = deep ? 3 : 2, at_interface = deep ? 4 : 2;

public:
    explicit SphereTransport(GridPointSetup s)
        : GridPointCarrier("GridPointTransport"), setup(std::move(s)) {
        if (setup.own_of_wind)
            for (auto* face : {&by_east, &by_north})
                for (const auto& [name, unit] : face_displacements) {
                    const auto where = face == &by_east ? Around::east_face : Around::north_face;
                    face->push_back(reads(face_name(name, where), face_place(where), unit));
                }
        if (!deep) return;
        w_east = reads("upward_velocity_start_east_face", place::east_face_layer, "m s-1");
        w_north = reads("upward_velocity_start_north_face", place::north_face_layer, "m s-1");
        u_up = reads("x_wind_start_interface", place::center_interface, "m s-1");
        v_up = reads("y_wind_start_interface", place::center_interface, "m s-1");
    }
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        departures = sphere_departures<T>(d, setup);
        const auto layers = middles(setup.heights);
        const Edge beside = edge_of(setup, Edge::beside_pole);
        u_rows.emplace(d.comm, d.decomposition, beside, layers, 2);
        v_rows.emplace(d.comm, d.decomposition, edge_of(setup, Edge::on_pole), layers, 2);
        interfaces.emplace(d.comm, d.decomposition, beside, setup.heights, deep ? 2 : 0);
        densities.emplace(d.comm, d.decomposition, beside, layers);
    }
    void apply(Given g) override {
        const Domain& d = g.set.domain();
        const bool anew = count++ % setup.times == 0;
        if (anew) pack(g), surround();
        for (bool again = true; again;) {
            for_each_line(d, d.levels, row_seconds,
                          [&](const Line& l) { along_x(g, l), along_y(g, l), density_of(g, l); });
            for_each_line(d, d.levels + 1, row_seconds, [&](const Line& l) { vertical(g, l); });
            again = u_rows->around.cover();
            again = v_rows->around.cover() || again;
            again = interfaces->around.cover() || again;
            again = densities->around.cover() || again;
            if (again) surround();
        }
    }
    bool apply_on(Device& device, Given g) override {
        if (setup.own_of_wind) return false;
        if (!there) there = device.make<CarrierOnDevice>(carrier_tables<T>(g.set.domain(), setup));
        const auto of = [&](const std::vector<Item>& items) { return on_device(g, items); };
        const auto surround = [&] {
            each_place([&](RowsOf place, auto& rows, auto&&...) {
                rows.surround_on(device, there->rows(place));
            });
            if (!setup.area) there->blow_over_poles();
        };
        if (count++ % setup.times == 0) {
            each_place([&](RowsOf place, auto&, const Items& from, const Items&) {
                there->rows(place).pack(of(from));
            });
            surround();
        }
        for (bool again = true; again;) {
            again = false;
            each_place([&](RowsOf place, auto&, const Items&, const Items& to) {
                there->transport(place, of({x, y, axis, eta}), of(to), g.on_device(v_start));
            });
            each_place([&](RowsOf, auto& rows, auto&&...) {
                again = rows.around.cover_on(device) || again;
            });
            if (again) surround();
        }
        return true;
    }
    bool lives_on(Device&) override { return !setup.own_of_wind; }
    GridPointHalo halo() const override {
        GridPointHalo all;
        const auto add = [&](const auto& rows) {
            all.points += rows->around.points_received(), all.plans += rows->around.plans;
        };
        add(u_rows), add(v_rows), add(interfaces), add(densities);
        return all;
    }

private:
    const GridPointSetup setup;
    long count = 0;
    SphereDepartures<T> departures;
    std::unique_ptr<CarrierOnDevice> there;
    std::optional<EvenRows<T, on_face>> u_rows, v_rows;
    std::optional<EvenRows<T, at_interface>> interfaces;
    std::optional<EvenRows<T, 1>> densities;
    const Item x = reads("displacement_x", place::center_interface, "1", 2),
               y = reads("displacement_y", place::center_interface, "1", 2),
               axis = reads("displacement_axis", place::center_interface, "1", 2),
               eta = reads("displacement_level", place::center_interface, "m", 2),
               u_start = reads("x_wind_start", place::east_face_layer, "m s-1"),
               v_start = reads("y_wind_start", place::north_face_layer, "m s-1"),
               u_north = reads("x_wind_start_north_face", place::north_face_layer, "m s-1"),
               v_east = reads("y_wind_start_east_face", place::east_face_layer, "m s-1"),
               w_start = reads("upward_velocity_start", place::center_interface, "m s-1"),
               theta_start = reads("potential_temperature_start", place::center_interface, "K"),
               density_start = reads("density_start", place::center_layer, "kg m-3"),
               u = writes("x_wind_carried", place::east_face_layer, "m s-1"),
               v = writes("y_wind_carried", place::north_face_layer, "m s-1"),
               w = writes("upward_velocity_carried", place::center_interface, "m s-1"),
               theta = writes("potential_temperature_carried", place::center_interface, "K"),
               density = writes("density_carried", place::center_layer, "kg m-3");
    Item w_east{}, w_north{}, u_up{}, v_up{};
    std::vector<Item> by_east, by_north;  ///< displacements of the wind's own points

    using Items = std::vector<Item>;
    /// body(place, rows, fields there, their values at departure points).
    template <class Body> void each_place(const Body& body) {
        body(RowsOf::east_faces, *u_rows, on_east(), Items{u});
        body(RowsOf::north_faces, *v_rows, on_north(), Items{v});
        body(RowsOf::interfaces, *interfaces, between(), Items{w, theta});
        body(RowsOf::layers, *densities, Items{density_start}, Items{density});
    }
    /// Fields side by side: on eastern and northern faces, at interfaces.
    std::vector<Item> on_east() const {
        return deep ? std::vector{u_start, v_east, w_east} : std::vector{u_start, v_east};
    }
    std::vector<Item> on_north() const {
        return deep ? std::vector{u_north, v_start, w_north} : std::vector{u_north, v_start};
    }
    std::vector<Item> between() const {
        return deep ? std::vector{u_up, v_up, w_start, theta_start}
                    : std::vector{w_start, theta_start};
    }
    void pack(Given g) {
        const auto fill = [&](auto& rows, const std::vector<Item>& fields) {
            std::vector<const FieldSlab*> from;
            for (Item field : fields) from.push_back(&g[field]);
            rows->pack(g.set.domain(), from);
        };
        fill(u_rows, on_east()), fill(v_rows, on_north());
        fill(interfaces, between()), fill(densities, {density_start});
    }
    void surround() {
        u_rows->surround(), v_rows->surround(), interfaces->surround(), densities->surround();
        if (!setup.area)
            for (bool northern : {false, true}) blow_over({northern, u_rows->ny});
    }

    void blow_over(Pole pole) {
        if (!u_rows->around.holds(pole.u)) return;
        const int nx = u_rows->nx;
        for (int k = 0; k < u_rows->nodes.levels(); ++k) {
            WindOnPole<T, on_face> wind;
            for (int i = 0; i < nx; ++i)
                wind.add(u_rows->at(pole.u, k, i), *departures.sine(i, 1),
                         *departures.cosine(i, 1));
            for (int i = 0; i < nx; ++i)
                wind.give(nx, T(pole.sign), *departures.sine(i, 0), *departures.cosine(i, 0),
                          v_rows->at(pole.v, k, i));
        }
        v_rows->close_row(pole.v);
    }
    void need_of_v(const Reach& reach) {
        v_rows->need(reach);
        if (reach.empty() || setup.area) return;
        rows_beside_poles(reach, u_rows->ny,
                          [this](int row) { u_rows->around.need(row, 0, u_rows->nx); });
    }

    using Trajectories = SphereTrajectories<T, LinesHere>;
    Trajectories trajectories(Given g, const Line& l, Around where, const LevelNodes<T>& levels) {
        Trajectories t(l);
        departures.depart(l, where, levels.height(l.k),
                          from_each<T>(g.set.domain(), l, g[x], g[y], g[axis], g[eta]).data(), t);
        return t;
    }

    /// The same of points of the wind.
    Trajectories trajectories(Given g, const Line& l, Around where, const LevelNodes<T>& levels,
                              const std::vector<Item>& own) {
        if (own.empty()) return trajectories(g, l, where, levels);
        Trajectories t(l);
        const Domain& d = g.set.domain();
        const Item level = setup.hills ? eta : own[3];
        departures.depart(l, where, levels.height(l.k),
                          from_each<T>(d, l, g[own[0]], g[own[1]], g[own[2]], g[level]).data(), t,
                          Around::interface, setup.hills ? where : Around::interface);
        return t;
    }

    void along_x(Given g, const Line& l) {
        auto t = trajectories(g, l, Around::east_face, u_rows->nodes, by_east);
        Gathered<T, on_face> found;
        Reach reach;
        found.take(*u_rows, t.from, reach, T(0.5), T(0));
        t.template turn<0, on_face>(found, at<T>(g.set.domain(), g[u], l));
        u_rows->need(reach);
    }
    void along_y(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        T* out = at<T>(d, g[v], l);
        if (l.j == v_rows->ny - 1) {
            std::copy_n(at<T>(d, g[v_start], l), l.count, out);
            return;
        }
        auto t = trajectories(g, l, Around::north_face, v_rows->nodes, by_north);
        Gathered<T, on_face> found;
        Reach reach;
        found.take(*v_rows, t.from, reach, T(0), T(0.5));
        t.template turn<1, on_face>(found, out);
        need_of_v(reach);
    }
    void density_of(Given g, const Line& l) {
        auto t = trajectories(g, l, Around::layer, densities->nodes);
        Gathered<T, 1> found;
        Reach reach;
        found.take(*densities, t.from, reach);
        std::copy_n(found.values, l.count, at<T>(g.set.domain(), g[density], l));
        densities->need(reach);
    }
    void vertical(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        auto t = trajectories(g, l, Around::interface, interfaces->nodes);
        Gathered<T, at_interface> found;
        Reach reach;
        found.take(*interfaces, t.from, reach);
        if constexpr (deep)
            t.template turn<2, on_face>(found, at<T>(d, g[w], l));
        else
            found.give(0, l.count, at<T>(d, g[w], l));
        found.give(at_interface - 1, l.count, at<T>(d, g[theta], l));
        interfaces->need(reach);
    }
};

}  // namespace

std::shared_ptr<GridPointCarrier> sphere_departure(const GridPointSetup& s, int bytes) {
    if (bytes == 4) return std::make_shared<SphereDeparture<float>>(s);
    return std::make_shared<SphereDeparture<double>>(s);
}
std::shared_ptr<GridPointCarrier> sphere_transport(const GridPointSetup& s, int bytes) {
    const auto make = [&]<class T>(T) -> std::shared_ptr<GridPointCarrier> {
        if (s.deep) return std::make_shared<SphereTransport<T, true>>(s);
        return std::make_shared<SphereTransport<T, false>>(s);
    };
    return bytes == 4 ? make(float()) : make(double());
}

}  // namespace fathom::atmosphere
