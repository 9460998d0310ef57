#include "trajectory/linear_transport.hpp"

namespace fathom {

template <class T>
LinearTransport<T>::LinearTransport(MPI_Comm comm, const Decomposition& d, int halo,
                                    const GaussianGrid& grid, std::vector<double> eta, Parameters p)
    : rows(comm, d, halo, grid, eta),
      departure(grid, eta, p.step, p.radius),
      back(comm, d, halo, rows),
      iterations(p.iterations),
      winds(p.iterations + 1),
      sights(p.iterations + 1),
      tiles(p.iterations + 1) {
    if (grid.stretching) throw Error("transport on a stretched sphere has no tangent");
    if (p.rotation != 0) throw Error("transport with advected rotation has no tangent");
    std::size_t points = 0;
    for (auto& item : rows.items) first.push_back(points), points += item.count;
    for (auto& all : winds) all.resize(points);
    for (auto& all : sights) all.resize(points);
    for (auto& all : tiles) all.resize(rows.items.size());
}

template <class T> template <class Body> void LinearTransport<T>::each_item(Body body) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t n = 0; n < rows.items.size(); ++n) body(rows.items[n], first[n], n);
}

template <class T> auto LinearTransport<T>::Tile::change(int n, const Mean& v) const -> Change {
    const auto &a = slopes.by_u, &b = slopes.by_v;
    return {a.longitude[n] * v.u + b.longitude[n] * v.v, a.latitude[n] * v.u + b.latitude[n] * v.v,
            slopes.by_w[n] * v.w, a.p[n] * v.u + b.p[n] * v.v, a.q[n] * v.u + b.q[n] * v.v};
}
template <class T>
auto LinearTransport<T>::Tile::change_adjoint(int n, const Change& c) const -> Mean {
    const auto along = [&](const typename Departure<T>::Points& by) {
        return by.longitude[n] * c.longitude + by.latitude[n] * c.latitude + by.p[n] * c.p +
               by.q[n] * c.q;
    };
    return {along(slopes.by_u), along(slopes.by_v), slopes.by_w[n] * c.eta};
}

/// The departure points of a tile, by these mean winds.
template <class T>
void LinearTransport<T>::find(const Item& item, const std::vector<Mean>& by, Tile& t) const {
    const std::size_t at = first[&item - rows.items.data()];
    for (int n = 0; n < item.count; ++n)
        t.u[n] = by[at + n].u, t.v[n] = by[at + n].v, t.w[n] = by[at + n].w;
    departure.locate(rows.blocks[item.block].j0 + item.row, item.level, item.count, t.u, t.v, t.w,
                     t.at, t.slopes);
}

template <class T>
auto LinearTransport<T>::trajectory(const Item& item, int n, const Tile& t) const ->
    typename Gathered::Trajectory {
    const auto& b = rows.blocks[item.block];
    return {b.j0 + item.row,   item.level,       b.i0 + item.column + n,
            t.at.longitude[n], t.at.latitude[n], t.at.eta[n]};
}

template <class T>
auto LinearTransport<T>::wind_at(const Wind& wind, const Item& item, int n) const -> Mean {
    return {rows.source(wind.east, item)[n], rows.source(wind.north, item)[n],
            rows.source(wind.vertical, item)[n]};
}
template <class T>
void LinearTransport<T>::add_to(const Wind& wind, const Item& item, int n, const Mean& v) const {
    rows.target(wind.east, item)[n] += v.u;
    rows.target(wind.north, item)[n] += v.v;
    rows.target(wind.vertical, item)[n] += v.w;
}

/// 1/2 { V_A + [V]_D, rotated to A }
template <class T>
auto LinearTransport<T>::average(const Mean& own, const Sight& seen, const Tile& t, int n) const
    -> Mean {
    const T x = seen.value[0], y = seen.value[1], p = t.at.p[n], q = t.at.q[n];
    return {T(0.5) * (own.u + (p * x + q * y)), T(0.5) * (own.v + (p * y - q * x)),
            T(0.5) * (own.w + seen.value[2])};
}

/// The trajectories of the state, with what is needed of others' points.
template <class T> void LinearTransport<T>::trace(const Wind& now) {
    each_item([&](const Item& item, std::size_t at, std::size_t number) {
        typename Gathered::Places places;
        for (int n = 0; n < item.count; ++n) winds[0][at + n] = wind_at(now, item, n);
        for (int pass = 0; pass <= iterations; ++pass) {
            Tile& t = tiles[pass][number];
            find(item, winds[pass], t);
            rows.place(item, t.at, places);
            rows.need(item, t.at, places);
            for (int n = 0; pass < iterations && n < item.count; ++n) {
                sights[pass][at + n] =
                    rows.template look<true>(Interpolation::linear, trajectory(item, n, t));
                winds[pass + 1][at + n] = average(winds[0][at + n], sights[pass][at + n], t, n);
            }
        }
    });
}

template <class T>
void LinearTransport<T>::follow(const Wind& now, const Wind& extrapolated, Carried carried) {
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    rows.pack(group);
    do {
        rows.surround(true);
        trace(now);
    } while (rows.around.cover());
    rows.pack(carried);
    rows.surround(true);
    each_item([&](const Item& item, std::size_t at, std::size_t number) {
        const Tile& t = tiles[iterations][number];
        for (int n = 0; n < item.count; ++n)
            sights[iterations][at + n] =
                rows.template look<true>(Interpolation::cubic, trajectory(item, n, t));
    });
}

/// Of what was seen, where the place changes so.
template <class T>
auto LinearTransport<T>::moved(const Sight& s, const typename Tile::Change& c) const ->
    typename Gathered::Four {
    return c.longitude * s.by_longitude + c.latitude * s.by_latitude + c.eta * s.by_eta;
}
template <class T>
auto LinearTransport<T>::moved_adjoint(const Sight& s, const T* value) const ->
    typename Tile::Change {
    typename Tile::Change c{};
    for (int f = 0; f < 4; ++f) {
        c.longitude += s.by_longitude[f] * value[f];
        c.latitude += s.by_latitude[f] * value[f];
        c.eta += s.by_eta[f] * value[f];
    }
    return c;
}

template <class T>
void LinearTransport<T>::tangent(const Wind& now, const Wind& extrapolated, Carried carried) {
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    std::vector<Mean> changes(winds[0].size());
    const auto turn = [](const Sight& s, const typename Tile::Change& c, auto& d, T p, T q) {
        const T x = d[0], y = d[1];
        d[0] = p * x + q * y + c.p * s.value[0] + c.q * s.value[1];
        d[1] = p * y - q * x + c.p * s.value[1] - c.q * s.value[0];
    };
    rows.pack(group);
    rows.surround(true);
    each_item([&](const Item& item, std::size_t at, std::size_t number) {
        for (int n = 0; n < item.count; ++n) changes[at + n] = wind_at(now, item, n);
        for (int pass = 0; pass < iterations; ++pass) {
            const Tile& t = tiles[pass][number];
            for (int n = 0; n < item.count; ++n) {
                const auto change = t.change(n, changes[at + n]);
                const Sight& seen = sights[pass][at + n];
                auto d =
                    rows.template look<false>(Interpolation::linear, trajectory(item, n, t)).value +
                    moved(seen, change);
                turn(seen, change, d, t.at.p[n], t.at.q[n]);
                const Mean own = wind_at(now, item, n);
                changes[at + n] = {T(0.5) * (own.u + d[0]), T(0.5) * (own.v + d[1]),
                                   T(0.5) * (own.w + d[2])};
            }
        }
    });
    rows.pack(carried);
    rows.surround(true);
    each_item([&](const Item& item, std::size_t at, std::size_t number) {
        const Tile& t = tiles[iterations][number];
        for (int n = 0; n < item.count; ++n) {
            const auto change = t.change(n, changes[at + n]);
            const Sight& seen = sights[iterations][at + n];
            auto d = rows.template look<false>(Interpolation::cubic, trajectory(item, n, t)).value +
                     moved(seen, change);
            turn(seen, change, d, t.at.p[n], t.at.q[n]);
            for (std::size_t f = 0; f < carried.size(); ++f)
                rows.target(carried[f], item)[n] = d[int(f)];
        }
    });
}

/// Of what was carried to a point: what its surroundings get; returns what its mean wind gets.
template <class T>
auto LinearTransport<T>::carried_adjoint(const Item& item, int n, const Tile& t, Carried carried,
                                         Point& to) const -> Mean {
    const Sight& seen = sights[iterations][first[&item - rows.items.data()] + n];
    T y[4] = {};
    for (std::size_t f = 0; f < carried.size(); ++f) {
        T& x = rows.target(carried[f], item)[n];
        y[f] = x, x = T(0);
    }
    const T p = t.at.p[n], q = t.at.q[n], u = seen.value[0], v = seen.value[1];
    to = {trajectory(item, n, t), {p * y[0] - q * y[1], q * y[0] + p * y[1], y[2], y[3]}};
    auto change = moved_adjoint(seen, to.value);
    change.p = u * y[0] + v * y[1], change.q = v * y[0] - u * y[1];
    return t.change_adjoint(n, change);
}

template <class T>
void LinearTransport<T>::adjoint(const Wind& now, const Wind& extrapolated, Carried carried) {
    std::vector<Mean> changes(winds[0].size());
    std::vector<Point> points(changes.size());
    each_item([&](const Item& item, std::size_t at, std::size_t number) {
        const Tile& t = tiles[iterations][number];
        for (int n = 0; n < item.count; ++n)
            changes[at + n] = carried_adjoint(item, n, t, carried, points[at + n]);
    });
    back.add(points, Interpolation::cubic, true, carried);
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    for (int pass = iterations - 1; pass >= 0; --pass) {
        each_item([&](const Item& item, std::size_t at, std::size_t number) {
            const Tile& t = tiles[pass][number];
            for (int n = 0; n < item.count; ++n) {
                Mean& m = changes[at + n];
                const Mean half{T(0.5) * m.u, T(0.5) * m.v, T(0.5) * m.w};
                add_to(now, item, n, half);
                const Sight& seen = sights[pass][at + n];
                const T p = t.at.p[n], q = t.at.q[n], u = seen.value[0], v = seen.value[1];
                Point& to = points[at + n];
                to = {trajectory(item, n, t),
                      {p * half.u - q * half.v, q * half.u + p * half.v, half.w, T(0)}};
                auto change = moved_adjoint(seen, to.value);
                change.p = u * half.u + v * half.v, change.q = v * half.u - u * half.v;
                m = t.change_adjoint(n, change);
            }
        });
        back.add(points, Interpolation::linear, true, group);
    }
    each_item([&](const Item& item, std::size_t at, std::size_t) {
        for (int n = 0; n < item.count; ++n) add_to(now, item, n, changes[at + n]);
    });
}

template class LinearTransport<double>;
template class LinearTransport<float>;

}  // namespace fathom
