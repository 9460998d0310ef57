#include "atmosphere/gridpoint/transport.hpp"
#include "atmosphere/gridpoint/departure.hpp"
#include "atmosphere/gridpoint/mass.hpp"

namespace fathom::atmosphere {

namespace {

/// A slice is one row wide: nothing varies along y.
bool is_slice(const Domain& d) { return d.decomposition.topology.ny == 1; }

void check(const Domain& d) {
    if (!d.decomposition.topology.periodic)
        throw Error("semi-Lagrangian advection on a plane needs one that is periodic along x");
}

template <class T>
PlaneDepartures<T, LinesHere> departures(const Domain& d, const GridPointSetup& s) {
    return {T(1 / s.dx), T(1 / s.dy), middles_around<T>(d)};
}

template <class T> class Departure final : public GridPointDeparture<T> {
    using Base = GridPointDeparture<T>;
    using typename Base::Given;

public:
    explicit Departure(GridPointSetup s) : Base(std::move(s), "m") {}
    void prepare(Given at_) override {
        const Domain& d = at_.set.domain();
        check(d);
        rows.emplace(d.comm, d.decomposition, edge_of_plane(d, false), setup.heights);
        tracing.emplace(departures<T>(d, setup), T(setup.implicitness * setup.step),
                        T((1 - setup.implicitness) * setup.step));
    }

private:
    using Base::setup, Base::rows, Base::u, Base::v, Base::w, Base::x, Base::y, Base::eta;
    std::optional<PlaneTracing<T, LinesHere>> tracing;

    void trace(Given given, const Line& l, bool onwards) override {
        const auto of = [&](typename Base::Item item) {
            return at<T>(given.set.domain(), given[item], l);
        };
        Reach reach;
        (*tracing)(l, {of(u), of(v), of(w), of(x), of(y), of(eta)}, this->interpolations(onwards),
                   onwards, *rows, reach);
        rows->need(reach);
    }
};

/// The fields of one place of the grid, transported by the means of the displacements around it.
template <class T, int fields> class Carried {
public:
    Carried(Around where, const GridPointSetup& s, const Domain& d)
        : rows(d.comm, d.decomposition, edge_of_plane(d, where == Around::north_face),
               where == Around::interface ? s.heights : middles(s.heights)),
          around(where == Around::north_face && is_slice(d) ? Around::layer : where),
          departures(atmosphere::departures<T>(d, s)) {}

    void carry(const Domain& d, const std::array<const Field*, 3>& displacement,
               std::array<const FieldSlab*, fields> from, std::array<const FieldSlab*, fields> to) {
        until_covered(rows, d, from, [&] {
            for_each_line(d, rows.nodes.levels(),
                          [&](const Line& l) { line(d, displacement, to, l); });
        });
    }
    EvenRows<T, fields> rows;

private:
    Around around;
    PlaneDepartures<T, LinesHere> departures;

    void line(const Domain& d, const std::array<const Field*, 3>& displacement,
              std::array<const FieldSlab*, fields> to, const Line& l) {
        const auto [x, y, eta] = displacement;
        Departures<T> from{l.i0, l.k, l.count};
        departures.depart(l, around, rows.nodes.height(l.k),
                          from_each<T>(d, l, *x, *y, *eta).data(), from);
        Reach reach;
        Gathered<T, fields> found;
        found.take(rows, from, reach);
        for (int f = 0; f < fields; ++f) found.give(f, l.count, at<T>(d, *to[f], l));
        rows.need(reach);
    }
};

template <class T> class Transport final : public GridPointCarrier {
public:
    explicit Transport(GridPointSetup s)
        : GridPointCarrier("GridPointTransport"), setup(std::move(s)) {}
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        check(d);
        along_x.emplace(Around::east_face, setup, d);
        along_y.emplace(Around::north_face, setup, d);
        interfaces.emplace(Around::interface, setup, d);
        layers.emplace(Around::layer, setup, d);
    }
    void apply(Given g) override {
        const Domain& d = g.set.domain();
        const std::array<const Field*, 3> displacement{&g[x], &g[y], &g[eta]};
        along_x->carry(d, displacement, {&g[u_start]}, {&g[u]});
        along_y->carry(d, displacement, {&g[v_start]}, {&g[v]});
        interfaces->carry(d, displacement, {&g[w_start], &g[theta_start]}, {&g[w], &g[theta]});
        layers->carry(d, displacement, {&g[density_start]}, {&g[density]});
    }
    bool apply_on(Device& device, Given g) override {
        if (!there) there = device.make<CarrierOnDevice>(carrier_tables<T>(g.set.domain(), setup));
        using Items = std::vector<Item>;
        const auto by = on_device(g, {x, y, eta});
        const auto carry = [&](RowsOf place, auto& rows, const Items& from, const Items& to) {
            carry_on(device, *there, place, rows, by, on_device(g, from), on_device(g, to));
        };
        carry(RowsOf::east_faces, along_x->rows, {u_start}, {u});
        carry(RowsOf::north_faces, along_y->rows, {v_start}, {v});
        carry(RowsOf::interfaces, interfaces->rows, {w_start, theta_start}, {w, theta});
        carry(RowsOf::layers, layers->rows, {density_start}, {density});
        return true;
    }
    bool lives_on(Device&) override { return true; }
    GridPointHalo halo() const override {
        GridPointHalo all;
        const auto add = [&](const auto& c) {
            all.points += c->rows.around.points_received(), all.plans += c->rows.around.plans;
        };
        add(along_x), add(along_y), add(interfaces), add(layers);
        return all;
    }

private:
    const GridPointSetup setup;
    std::optional<Carried<T, 1>> along_x, along_y, layers;
    std::optional<Carried<T, 2>> interfaces;
    std::unique_ptr<CarrierOnDevice> there;
    const Item x = reads("displacement_x", place::center_interface, "m", 2),
               y = reads("displacement_y", place::center_interface, "m", 2),
               eta = reads("displacement_level", place::center_interface, "m", 2),
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
};

}  // namespace

std::shared_ptr<GridPointCarrier> gridpoint_departure(const GridPointSetup& s, int bytes) {
    if (s.radius > 0) return sphere_departure(s, bytes);
    if (bytes == 4) return std::make_shared<Departure<float>>(s);
    return std::make_shared<Departure<double>>(s);
}
std::shared_ptr<GridPointCarrier> gridpoint_transport(const GridPointSetup& s, int bytes) {
    if (s.radius > 0) return sphere_transport(s, bytes);
    if (bytes == 4) return std::make_shared<Transport<float>>(s);
    return std::make_shared<Transport<double>>(s);
}

template <class T> void DryMass::scale(Given given, T by) const {
    const Domain& d = given.set.domain();
    const Field& rho = given[density];
    for_each_line(d, d.levels, [&](const Line& l) {
        T* R = at<T>(d, rho, l);
        for (int i = 0; i < l.count; ++i) R[i] *= by;
    });
}

void DryMass::apply(Given given) {
    const auto fix = [&]<class T>(T) {
        const auto mass = [&](Item of) {
            return mass_of_air<T>(given.set.domain(),
                                  {given[of], given[z], given[area], curvature});
        };
        const double factor = mass(before) / mass(density);
        correction = factor - 1;
        scale<T>(given, T(factor));
    };
    given.set.bytes() == 4 ? fix(float()) : fix(double());
}

bool DryMass::apply_on(Device& device, Given given) {
    if (!there) there = air_mass_on(device, given.set, curvature);
    const auto mass = [&](Item of) {
        there->terms({given.on_device(of), given.on_device(z), given.on_device(area)});
        return exact_sum(given.set.domain().comm, *there, 0);
    };
    const double factor = mass(before) / mass(density);
    correction = factor - 1;
    there->scale(given.on_device(density), factor);
    device.wait();
    return true;
}

}  // namespace fathom::atmosphere
