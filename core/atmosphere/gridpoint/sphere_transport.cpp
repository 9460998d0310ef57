/// Transport on the sphere, between parallels and meridians. Displacements are vectors in space, on
/// the unit sphere. Those at other points are means of the displacements around, also at the poles.
/// The components of the wind are stored side by side at each place (means, if they belong to other
/// places). They are interpolated, and rotated from the departure to the arrival point. This gives
/// all metric terms: in space for a deep atmosphere, along the sphere for a shallow one.
#include "atmosphere/gridpoint/departure.hpp"
#include "atmosphere/gridpoint/sphere_lines.hpp"
#include "atmosphere/gridpoint/transport.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class SphereDeparture final : public GridPointDeparture<T> {
    using Base = GridPointDeparture<T>;
    using typename Base::Given;

public:
    explicit SphereDeparture(GridPointSetup s) : Base(std::move(s), "1") {}
    void prepare(Given g) override {
        const Domain& d = g.set.domain();
        directions.emplace(d, setup);
        rows.emplace(d.comm, d.decomposition, edge_of(setup, Edge::beside_pole), setup.heights, 2);
    }

private:
    using Base::setup, Base::rows, Base::u, Base::v, Base::w, Base::x, Base::y, Base::eta;
    using Real = Points<T>;
    static constexpr int most = Departures<T>::most;
    std::optional<SphereDirections<T>> directions;
    const typename Base::Item z = this->reads("interface_height", place::center_interface, "m"),
                              axis =
                                  this->writes("displacement_axis", place::center_interface, "1");
    std::vector<typename Base::Item> displacement() const override { return {x, y, axis, eta}; }

    /// The departure points of displacements: angles along a great circle and a height.
    void start(const Line& l, const T* a, const T* b, const T* c, T height, Origins<T>& origins,
               Departures<T>& from) const {
        const auto& A = directions->centre(l.j);
        for (int n = 0; n < l.count; n += Real::width) {
            const auto D =
                Origin<Real>::along_great_circle(A, Real::load(a + n), Real::load(b + n));
            (D.longitude() * directions->columns).store(from.columns + n);
            (T(l.j) + D.latitude(A) * directions->rows).store(from.row + n);
            (height - Real::load(c + n)).store(from.eta + n);
            origins.set(n, D);
        }
    }

    void trace(Given given, const Line& l, bool onwards) override {
        const Domain& d = given.set.domain();
        const T *U = at<T>(d, given[u], l), *V = at<T>(d, given[v], l), *W = at<T>(d, given[w], l),
                *Z = at<T>(d, given[z], l);
        T *X = at<T>(d, given[x], l), *Y = at<T>(d, given[y], l), *N = at<T>(d, given[axis], l),
          *E = at<T>(d, given[eta], l);
        const T now = T(setup.implicitness * setup.step),
                then = T((1 - setup.implicitness) * setup.step), radius = T(setup.radius);
        const auto& A = directions->centre(l.j);
        const T height = rows->nodes.height(l.k);
        const T *sine = directions->sine(l.i0, 0), *cosine = directions->cosine(l.i0, 0);
        alignas(64) T own[4][most], a[most], b[most], c[most], there[3][most];
        const T* fields[] = {U, V, W, Z};
        for (int f = 0; f < 4; ++f) std::copy_n(fields[f], l.count, own[f]);
        const auto of = [](const T* values, int n) { return Real::load(values + n); };
        const auto per_radius = [&](int n, Real c) {  // at the middle of the trajectory
            return 1.0 / (setup.deep ? radius + of(own[3], n) - T(0.5) * c : Real(radius));
        };
        for (int n = 0; n < l.count; n += Real::width) {
            const Real rise = (now + then) * of(own[2], n), per = per_radius(n, rise);
            rise.store(c + n);
            ((now + then) * of(own[0], n) * per).store(a + n);
            ((now + then) * of(own[1], n) * per).store(b + n);
        }
        Reach reach;
        Departures<T> from{l.i0, l.k, l.count};
        Origins<T> origins;
        Gathered<T, 3> wind;
        const int interpolations = this->interpolations(onwards);
        for (int iteration = 0; iteration < interpolations; ++iteration) {
            if (onwards && iteration == 0) {
                const Displacements<T> by(d, {&given[x], &given[y], &given[axis], &given[eta]}, l,
                                          Around::interface, directions->middles);
                depart(*directions, l, by, Around::interface, height, origins, from);
            } else
                start(l, a, b, c, height, origins, from);
            wind.take(*rows, from, reach);
            for (int f = 0; f < 3; ++f) wind.give(f, l.count, there[f]);
            for (int n = 0; n < l.count; n += Real::width) {
                Real east = of(there[0], n), north = of(there[1], n);
                origins[n].turn(A, east, north);
                const Real rise = now * of(own[2], n) + then * of(there[2], n),
                           per = per_radius(n, rise);
                rise.store(c + n);
                ((now * of(own[0], n) + then * east) * per).store(a + n);
                ((now * of(own[1], n) + then * north) * per).store(b + n);
            }
        }
        alignas(64) T out[3][most];
        for (int n = 0; n < l.count; n += Real::width) {
            const auto D = Origin<Real>::along_great_circle(A, of(a, n), of(b, n));
            const Real s = of(sine, n), k = of(cosine, n), up = A.cosine - D.x, east = -D.y;
            (up * k - east * s).store(out[0] + n);
            (up * s + east * k).store(out[1] + n);
            (A.sine - D.z).store(out[2] + n);
        }
        std::copy_n(out[0], l.count, X), std::copy_n(out[1], l.count, Y);
        std::copy_n(out[2], l.count, N), std::copy_n(c, l.count, E);
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
        if (!deep) return;
        w_east = reads("upward_velocity_start_east_face", place::east_face_layer, "m s-1");
        w_north = reads("upward_velocity_start_north_face", place::north_face_layer, "m s-1");
        u_up = reads("x_wind_start_interface", place::center_interface, "m s-1");
        v_up = reads("y_wind_start_interface", place::center_interface, "m s-1");
    }
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        directions.emplace(d, setup);
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
    std::optional<SphereDirections<T>> directions;
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

    void pack(Given g) {
        const Domain& d = g.set.domain();
        const auto fill = [&](auto& rows, auto... fields) {
            const FieldSlab* from[] = {&g[fields]...};
            rows->pack(d, from);
        };
        if constexpr (deep) {
            fill(u_rows, u_start, v_east, w_east), fill(v_rows, u_north, v_start, w_north);
            fill(interfaces, u_up, v_up, w_start, theta_start);
        } else {
            fill(u_rows, u_start, v_east), fill(v_rows, u_north, v_start);
            fill(interfaces, w_start, theta_start);
        }
        fill(densities, density_start);
    }
    void surround() {
        u_rows->surround(), v_rows->surround(), interfaces->surround(), densities->surround();
        if (!setup.area) wind_of_pole(-1), wind_of_pole(u_rows->ny - 1);
    }

    /// One vector from the nearest row of u, (V_x, V_y) = 2 / nx sum u (-sin, cos), in components
    /// of each meridian; w is the mean of that row.
    void wind_of_pole(int j) {
        const int row = j < 0 ? 0 : j;
        if (!u_rows->around.holds(row)) return;
        const int nx = u_rows->nx;
        const T sign = j < 0 ? T(1) : T(-1);
        for (int k = 0; k < u_rows->nodes.levels(); ++k) {
            double X = 0, Y = 0, up = 0;
            for (int i = 0; i < nx; ++i) {
                const T* wind = u_rows->at(row, k, i);
                X -= wind[0] * double(*directions->sine(i, 1));
                Y += wind[0] * double(*directions->cosine(i, 1));
                if (deep) up += wind[2];
            }
            for (int i = 0; i < nx; ++i) {
                const double s = *directions->sine(i, 0), c = *directions->cosine(i, 0);
                T* to = v_rows->at(j, k, i);
                to[0] = T(2. / nx * (Y * c - X * s));
                to[1] = sign * T(2. / nx * (X * c + Y * s));
                if (deep) to[2] = T(up / nx);
            }
        }
        v_rows->close_row(j);
    }
    void need_of_v(const Reach& reach) {
        v_rows->need(reach);
        if (reach.empty() || setup.area) return;
        const int ny = u_rows->ny, nx = u_rows->nx;
        if (reach.south <= 0) u_rows->around.need(0, 0, nx);
        if (reach.north >= ny - 3) u_rows->around.need(ny - 1, 0, nx);
    }

    /// The departure points of a line.
    struct Trajectories {
        const Parallel<T>& A;
        Origins<T> origins;
        Departures<T> from;
        Reach reach;
        Trajectories(const Parallel<T>& A, const Line& l) : A(A), from(l.i0, l.k, l.count) {}
    };
    Trajectories trajectories(Given g, const Line& l, Around where, const LevelNodes<T>& levels) {
        Trajectories t(
            where == Around::north_face ? directions->face(l.j) : directions->centre(l.j), l);
        const Displacements<T> by(g.set.domain(), {&g[x], &g[y], &g[axis], &g[eta]}, l, where,
                                  directions->middles);
        depart(*directions, l, by, where, levels.height(l.k), t.origins, t.from);
        return t;
    }
    /// Component `own` of the wind of a place, rotated from departure to arrival.
    template <int own, int fields>
    void give(const Trajectories& t, const Gathered<T, fields>& found, T* out) const {
        using Real = Points<T>;
        alignas(64) T wind[3][Departures<T>::most];
        for (int f = 0; f < on_face; ++f) found.give(f, t.from.count, wind[f]);
        for (int n = 0; n < t.from.count; n += Real::width) {
            Real u = Real::load(wind[0] + n), v = Real::load(wind[1] + n), w(T(0));
            if constexpr (deep) {
                w = Real::load(wind[2] + n);
                t.origins[n].turn_in_space(t.A, u, v, w);
            } else
                t.origins[n].turn(t.A, u, v);
            const Real& result = own == 0 ? u : own == 1 ? v : w;
            result.store(wind[own] + n);
        }
        std::copy_n(wind[own], t.from.count, out);
    }

    void along_x(Given g, const Line& l) {
        auto t = trajectories(g, l, Around::east_face, u_rows->nodes);
        Gathered<T, on_face> found;
        found.take(*u_rows, t.from, t.reach, T(0.5), T(0));
        give<0>(t, found, at<T>(g.set.domain(), g[u], l));
        u_rows->need(t.reach);
    }
    void along_y(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        T* out = at<T>(d, g[v], l);
        if (l.j == v_rows->ny - 1) {
            std::copy_n(at<T>(d, g[v_start], l), l.count, out);
            return;
        }
        auto t = trajectories(g, l, Around::north_face, v_rows->nodes);
        Gathered<T, on_face> found;
        found.take(*v_rows, t.from, t.reach, T(0), T(0.5));
        give<1>(t, found, out);
        need_of_v(t.reach);
    }
    void density_of(Given g, const Line& l) {
        auto t = trajectories(g, l, Around::layer, densities->nodes);
        Gathered<T, 1> found;
        found.take(*densities, t.from, t.reach);
        std::copy_n(found.values, l.count, at<T>(g.set.domain(), g[density], l));
        densities->need(t.reach);
    }
    void vertical(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        auto t = trajectories(g, l, Around::interface, interfaces->nodes);
        Gathered<T, at_interface> found;
        found.take(*interfaces, t.from, t.reach);
        if constexpr (deep)
            give<2>(t, found, at<T>(d, g[w], l));
        else
            found.give(0, l.count, at<T>(d, g[w], l));
        found.give(at_interface - 1, l.count, at<T>(d, g[theta], l));
        interfaces->need(t.reach);
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
