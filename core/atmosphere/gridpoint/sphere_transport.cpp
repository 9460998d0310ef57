/// The same on the sphere, between parallels and meridians. Displacements are vectors in space, of
/// the unit sphere: means of those around say where other points come from, across the poles too.
/// Winds are interpolated by their components and turned from the place of departure to that of
/// arrival, which is where all metric terms are: in space in a deep atmosphere, along the sphere in
/// a shallow one.
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
        directions.emplace(d);
        rows.emplace(d.comm, d.decomposition, Edge::beside_pole, setup.heights, 2);
    }

private:
    using Base::setup, Base::rows, Base::u, Base::v, Base::w, Base::x, Base::y, Base::eta;
    std::optional<SphereDirections<T>> directions;
    const typename Base::Item z = this->reads("interface_height", place::center_interface, "m"),
                              axis =
                                  this->writes("displacement_axis", place::center_interface, "1");

    void trace(Given given, const Line& l) override {
        const Domain& d = given.set.domain();
        const T *U = at<T>(d, given[u], l), *V = at<T>(d, given[v], l), *W = at<T>(d, given[w], l),
                *Z = at<T>(d, given[z], l);
        T *X = at<T>(d, given[x], l), *Y = at<T>(d, given[y], l), *N = at<T>(d, given[axis], l),
          *E = at<T>(d, given[eta], l);
        const T now = T(setup.implicitness * setup.step),
                then = T((1 - setup.implicitness) * setup.step), radius = T(setup.radius);
        const auto& A = directions->centre(l.j);
        Reach reach;
        for (int n = 0; n < l.count; ++n) {
            const int i = l.i0 + n;
            T c = (now + then) * W[n];
            const auto per_radius = [&] {  // at the middle of the trajectory
                return 1 / (setup.deep ? radius + Z[n] - T(0.5) * c : radius);
            };
            T a = (now + then) * U[n] * per_radius(), b = (now + then) * V[n] * per_radius();
            for (int iteration = 0; iteration < setup.iterations; ++iteration) {
                const auto D = Origin<T>::along_great_circle(A, a, b);
                T wind[3];
                interpolate(
                    *rows, reach,
                    {i, l.k, D.longitude() * directions->columns,
                     T(l.j) + D.latitude(A) * directions->rows, rows->nodes.height(l.k) - c},
                    T(0), T(0), wind);
                D.turn(A, wind[0], wind[1]);
                c = now * W[n] + then * wind[2];
                a = (now * U[n] + then * wind[0]) * per_radius();
                b = (now * V[n] + then * wind[1]) * per_radius();
            }
            const auto D = Origin<T>::along_great_circle(A, a, b);
            const auto& turned = directions->longitude(i, 0);
            const T out = A.cosine - D.x, east = -D.y;
            X[n] = out * turned.cosine - east * turned.sine;
            Y[n] = out * turned.sine + east * turned.cosine;
            N[n] = A.sine - D.z;
            E[n] = c;
        }
        if (setup.iterations > 0) reach.ask(*rows);
    }
};

template <class T> class SphereTransport final : public GridPointCarrier {
public:
    explicit SphereTransport(GridPointSetup s)
        : GridPointCarrier("GridPointTransport"), setup(std::move(s)) {}
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        directions.emplace(d);
        const auto layers = middles(setup.heights);
        u_rows.emplace(d.comm, d.decomposition, Edge::beside_pole, layers, 1);
        v_rows.emplace(d.comm, d.decomposition, Edge::on_pole, layers, 1);
        interfaces.emplace(d.comm, d.decomposition, Edge::beside_pole, setup.heights);
        densities.emplace(d.comm, d.decomposition, Edge::beside_pole, layers);
    }
    void apply(Given g) override {
        const Domain& d = g.set.domain();
        const auto pack = [&](auto& rows, auto... fields) {
            const FieldSlab* from[] = {&g[fields]...};
            rows->pack(d, from);
        };
        pack(u_rows, u_start), pack(v_rows, v_start), pack(interfaces, w_start, theta_start);
        pack(densities, density_start);
        for (bool again = true; again;) {
            u_rows->surround(), v_rows->surround(), interfaces->surround(), densities->surround();
            wind_of_pole(-1), wind_of_pole(u_rows->ny - 1);
            for_each_line(d, d.levels,
                          [&](const Line& l) { along_x(g, l), along_y(g, l), density_of(g, l); });
            for_each_line(d, d.levels + 1, [&](const Line& l) { at_interface(g, l); });
            again = u_rows->around.cover();
            again = v_rows->around.cover() || again;
            again = interfaces->around.cover() || again;
            again = densities->around.cover() || again;
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
    std::optional<SphereDirections<T>> directions;
    std::optional<EvenRows<T, 1>> u_rows, v_rows, densities;
    std::optional<EvenRows<T, 2>> interfaces;
    const Item x = reads("displacement_x", place::center_interface, "1", 1),
               y = reads("displacement_y", place::center_interface, "1", 1),
               axis = reads("displacement_axis", place::center_interface, "1", 1),
               eta = reads("displacement_level", place::center_interface, "m", 1),
               u_start = reads("x_wind_start", place::east_face_layer, "m s-1"),
               v_start = reads("y_wind_start", place::north_face_layer, "m s-1"),
               w_start = reads("upward_velocity_start", place::center_interface, "m s-1"),
               theta_start = reads("potential_temperature_start", place::center_interface, "K"),
               density_start = reads("density_start", place::center_layer, "kg m-3"),
               u = writes("x_wind_carried", place::east_face_layer, "m s-1"),
               v = writes("y_wind_carried", place::north_face_layer, "m s-1"),
               w = writes("upward_velocity_carried", place::center_interface, "m s-1"),
               theta = writes("potential_temperature_carried", place::center_interface, "K"),
               density = writes("density_carried", place::center_layer, "kg m-3");

    /// One vector, from the nearest row of u, (V_x, V_y) = 2 / nx sum u (-sin, cos), seen on each
    /// meridian.
    void wind_of_pole(int j) {
        const int row = j < 0 ? 0 : j;
        if (!u_rows->around.holds(row)) return;
        const int nx = u_rows->nx;
        const T sign = j < 0 ? T(1) : T(-1);
        for (int k = 0; k < u_rows->nodes.levels(); ++k) {
            double X = 0, Y = 0;
            for (int i = 0; i < nx; ++i) {
                const double wind = *u_rows->at(row, k, i);
                const auto& l = directions->longitude(i, 1);
                X -= wind * l.sine, Y += wind * l.cosine;
            }
            for (int i = 0; i < nx; ++i) {
                const auto& l = directions->longitude(i, 0);
                *v_rows->at(j, k, i) = sign * T(2. / nx * (X * l.cosine + Y * l.sine));
            }
        }
        v_rows->close_row(j);
    }

    struct Needs {
        Reach u, v, interfaces, densities;
    };
    void ask(const Needs& n) {
        if (n.u.west <= n.u.east) n.u.ask(*u_rows);
        if (n.interfaces.west <= n.interfaces.east) n.interfaces.ask(*interfaces);
        if (n.densities.west <= n.densities.east) n.densities.ask(*densities);
        if (n.v.west > n.v.east) return;
        n.v.ask(*v_rows);
        const int ny = u_rows->ny, nx = u_rows->nx;
        if (n.v.south <= 0) u_rows->around.need(0, 0, nx);
        if (n.v.north >= ny - 3) u_rows->around.need(ny - 1, 0, nx);
    }
    MeanDisplacement<T> mean(Given g, const Line& l, bool layers, bool faces, bool northern) const {
        return {g.set.domain(), {&g[x], &g[y], &g[axis], &g[eta]}, l, layers, faces, northern};
    }
    /// Wind at the place as it arrives: turned.
    struct Wind {
        T u, v, w;
    };
    Wind wind(Needs& needs, const Parallel<T>& A, const Origin<T>& D, const Place3<T>& place,
              const T* w_) const {
        Wind wind{0, 0, 0};
        interpolate(*u_rows, needs.u, place, T(0.5), T(0), &wind.u);
        interpolate(*v_rows, needs.v, place, T(0), T(0.5), &wind.v);
        if (!setup.deep) {
            D.turn(A, wind.u, wind.v);
            return wind;
        }
        T both[2];
        if (w_)
            both[0] = *w_;
        else
            interpolate(*interfaces, needs.interfaces, place, T(0), T(0), both);
        wind.w = both[0];
        D.turn_in_space(A, wind.u, wind.v, wind.w);
        return wind;
    }

    void along_x(Given g, const Line& l) {
        T* out = at<T>(g.set.domain(), g[u], l);
        Needs needs;
        const auto& A = directions->centre(l.j);
        each_origin<T>(*directions, l, mean(g, l, true, true, false), A, 1, T(0),
                       u_rows->nodes.height(l.k),
                       [&](int n, const Origin<T>& D, const Place3<T>& place) {
                           out[n] = wind(needs, A, D, place, nullptr).u;
                       });
        ask(needs);
    }
    void along_y(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        T* out = at<T>(d, g[v], l);
        if (l.j == v_rows->ny - 1) {
            std::copy_n(at<T>(d, g[v_start], l), l.count, out);
            return;
        }
        Needs needs;
        const auto& A = directions->face(l.j);
        each_origin<T>(*directions, l, mean(g, l, true, true, true), A, 0, T(0.5),
                       v_rows->nodes.height(l.k),
                       [&](int n, const Origin<T>& D, const Place3<T>& place) {
                           out[n] = wind(needs, A, D, place, nullptr).v;
                       });
        ask(needs);
    }
    void density_of(Given g, const Line& l) {
        T* out = at<T>(g.set.domain(), g[density], l);
        Needs needs;
        each_origin<T>(*directions, l, mean(g, l, true, false, false), directions->centre(l.j), 0,
                       T(0), densities->nodes.height(l.k),
                       [&](int n, const Origin<T>&, const Place3<T>& place) {
                           interpolate(*densities, needs.densities, place, T(0), T(0), out + n);
                       });
        ask(needs);
    }
    void at_interface(Given g, const Line& l) {
        const Domain& d = g.set.domain();
        T *out_w = at<T>(d, g[w], l), *out_theta = at<T>(d, g[theta], l);
        Needs needs;
        const auto& A = directions->centre(l.j);
        each_origin<T>(*directions, l, mean(g, l, false, false, false), A, 0, T(0),
                       interfaces->nodes.height(l.k),
                       [&](int n, const Origin<T>& D, const Place3<T>& place) {
                           T both[2];
                           interpolate(*interfaces, needs.interfaces, place, T(0), T(0), both);
                           out_w[n] = setup.deep ? wind(needs, A, D, place, both).w : both[0];
                           out_theta[n] = both[1];
                       });
        ask(needs);
    }
};

}  // namespace

std::shared_ptr<GridPointCarrier> sphere_departure(const GridPointSetup& s, int bytes) {
    if (bytes == 4) return std::make_shared<SphereDeparture<float>>(s);
    return std::make_shared<SphereDeparture<double>>(s);
}
std::shared_ptr<GridPointCarrier> sphere_transport(const GridPointSetup& s, int bytes) {
    if (bytes == 4) return std::make_shared<SphereTransport<float>>(s);
    return std::make_shared<SphereTransport<double>>(s);
}

}  // namespace fathom::atmosphere
