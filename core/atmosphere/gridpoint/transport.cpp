#include "atmosphere/gridpoint/transport.hpp"
#include "atmosphere/gridpoint/departure.hpp"
#include "parallel/sum/reduce.hpp"

namespace fathom::atmosphere {

namespace {

/// A slice is one row wide: nothing varies along y.
bool is_slice(const Domain& d) { return d.decomposition.topology.ny == 1; }

Edge edge_of(const Domain& d, bool closed) {
    return is_slice(d) ? Edge::periodic : closed ? Edge::closed : Edge::mirrored;
}

void check(const Domain& d) {
    if (!d.decomposition.topology.periodic)
        throw Error("semi-Lagrangian advection on a plane needs one that is periodic along x");
}

template <class T, int fields>
Spot<T> spot(const EvenRows<T, fields>& rows, int i, int j, T columns, T rows_) {
    if (rows.edge != Edge::periodic) return spot_at(rows, i, -columns, T(j) - rows_);
    const int west = whole(-columns), south = whole(-rows_);
    return {in_turn(i + west, rows.nx), in_turn(j + south, rows.ny), -columns - T(west),
            -rows_ - T(south)};
}

template <class T> class Departure final : public GridPointDeparture<T> {
    using Base = GridPointDeparture<T>;
    using typename Base::Given;

public:
    explicit Departure(GridPointSetup s) : Base(std::move(s), "m") {}
    void prepare(Given at_) override {
        const Domain& d = at_.set.domain();
        check(d);
        rows.emplace(d.comm, d.decomposition, edge_of(d, false), setup.heights);
    }

private:
    using Base::setup, Base::rows, Base::u, Base::v, Base::w, Base::x, Base::y, Base::eta;

    void trace(Given given, const Line& l) override {
        const Domain& d = given.set.domain();
        const T *U = at<T>(d, given[u], l), *V = at<T>(d, given[v], l), *W = at<T>(d, given[w], l);
        T *X = at<T>(d, given[x], l), *Y = at<T>(d, given[y], l), *E = at<T>(d, given[eta], l);
        const T now = T(setup.implicitness * setup.step),
                then = T((1 - setup.implicitness) * setup.step), per_x = T(1 / setup.dx),
                per_y = T(1 / setup.dy);
        Reach reach;
        for (int n = 0; n < l.count; ++n) {
            const int i = l.i0 + n;
            T a = (now + then) * U[n], b = (now + then) * V[n], c = (now + then) * W[n];
            for (int iteration = 0; iteration < setup.iterations; ++iteration) {
                reach.see(i, -(a * per_x), T(l.j) - b * per_y);
                const auto s = spot(*rows, i, l.j, a * per_x, b * per_y);
                T weights[4], wind[3];
                const int first = rows->nodes.weights(rows->nodes.height(l.k) - c, l.k, weights);
                rows->gather(s.i, s.x, s.j, s.y, first, weights, wind);
                a = now * U[n] + then * wind[0];
                b = now * V[n] + then * wind[1];
                c = now * W[n] + then * wind[2];
            }
            X[n] = a, Y[n] = b, E[n] = c;
        }
        if (setup.iterations > 0) reach.ask(*rows);
    }
};

/// The fields of one place: carried from where the mean of the displacements around them says.
template <class T, int fields> class Carried {
public:
    Carried(Horizontal where, bool layers, const GridPointSetup& s, const Domain& d)
        : rows(d.comm, d.decomposition, edge_of(d, where == Horizontal::north_face),
               layers ? middles(s.heights) : s.heights),
          per_x(T(1 / s.dx)),
          per_y(T(1 / s.dy)),
          layers(layers),
          faces(where != Horizontal::center && !(where == Horizontal::north_face && is_slice(d))),
          northern(where == Horizontal::north_face) {}

    void carry(const Domain& d, const std::array<const Field*, 3>& displacement,
               std::array<const FieldSlab*, fields> from, std::array<const FieldSlab*, fields> to) {
        until_covered(rows, d, from, [&] {
            for_each_line(d, rows.nodes.levels(),
                          [&](const Line& l) { line(d, displacement, to, l); });
        });
    }
    EvenRows<T, fields> rows;

private:
    T per_x, per_y;
    bool layers, faces, northern;

    void line(const Domain& d, const std::array<const Field*, 3>& displacement,
              std::array<const FieldSlab*, fields> to, const Line& l) {
        const T* from[3];
        std::ptrdiff_t below[3], aside[3];
        for (int n = 0; n < 3; ++n) {
            const Field& f = *displacement[n];
            from[n] = at<T>(d, f, l);
            below[n] = f.level[l.b], aside[n] = northern ? f.row[l.b] : 1;
        }
        const auto mean = [&](int n, int i) {
            const T* x = from[n] + i;
            T sum = layers ? T(0.5) * (x[0] + x[below[n]]) : x[0];
            if (faces) {
                const T* y = x + aside[n];
                sum = T(0.5) * (sum + T(0.5) * (y[0] + y[below[n]]));
            }
            return sum;
        };
        T* out[fields];
        for (int f = 0; f < fields; ++f) out[f] = at<T>(d, *to[f], l);
        Reach reach;
        for (int n = 0; n < l.count; ++n) {
            const int i = l.i0 + n;
            const T columns = mean(0, n) * per_x, rows_ = mean(1, n) * per_y;
            reach.see(i, -columns, T(l.j) - rows_);
            const auto s = spot(rows, i, l.j, columns, rows_);
            T weights[4], values[fields];
            const int first = rows.nodes.weights(rows.nodes.height(l.k) - mean(2, n), l.k, weights);
            rows.gather(s.i, s.x, s.j, s.y, first, weights, values);
            for (int f = 0; f < fields; ++f) out[f][n] = values[f];
        }
        reach.ask(rows);
    }
};

template <class T> class Transport final : public GridPointCarrier {
public:
    explicit Transport(GridPointSetup s)
        : GridPointCarrier("GridPointTransport"), setup(std::move(s)) {}
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        check(d);
        along_x.emplace(Horizontal::east_face, true, setup, d);
        along_y.emplace(Horizontal::north_face, true, setup, d);
        interfaces.emplace(Horizontal::center, false, setup, d);
        layers.emplace(Horizontal::center, true, setup, d);
    }
    void apply(Given g) override {
        const Domain& d = g.set.domain();
        const std::array<const Field*, 3> displacement{&g[x], &g[y], &g[eta]};
        along_x->carry(d, displacement, {&g[u_start]}, {&g[u]});
        along_y->carry(d, displacement, {&g[v_start]}, {&g[v]});
        interfaces->carry(d, displacement, {&g[w_start], &g[theta_start]}, {&g[w], &g[theta]});
        layers->carry(d, displacement, {&g[density_start]}, {&g[density]});
    }
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
    const Item x = reads("displacement_x", place::center_interface, "m", 1),
               y = reads("displacement_y", place::center_interface, "m", 1),
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

/// Of each column from the top down, added up exactly: the same on any ranks.
template <class T> double DryMass::mass(Given given, const Field& rho) const {
    const Domain& d = given.set.domain();
    std::vector<double> columns;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.blocks[b]->ny; ++r) {
            const Line top{b, r, 0, 0, 0, 0};
            const T *R = at<T>(d, rho, top), *Z = at<T>(d, given[z], top),
                    *A = at<T>(d, given[area], top);
            for (int i = 0; i < d.blocks[b]->nx; ++i) {
                double sum = 0;
                for (int k = 0; k < d.levels; ++k) {
                    const T* heights = Z + k * given[z].level[b] + i;
                    const double above = heights[0], below = heights[given[z].level[b]],
                                 s = 1 + curvature * 0.5 * (above + below);
                    sum += double(R[k * rho.level[b] + i]) * (above - below) * s * s;
                }
                columns.push_back(double(A[i]) * sum);
            }
        }
    return exact_sum(d.comm, columns);
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
        const double factor = mass<T>(given, given[before]) / mass<T>(given, given[density]);
        correction = factor - 1;
        scale<T>(given, T(factor));
    };
    given.set.bytes() == 4 ? fix(float()) : fix(double());
}

}  // namespace fathom::atmosphere
