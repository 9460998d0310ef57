#include "trajectory/linear_transport.hpp"

namespace fathom {

template <class T>
LinearTransport<T>::LinearTransport(MPI_Comm comm, const Decomposition& d, int halo,
                                    const GaussianGrid& grid, const std::vector<double>& eta,
                                    typename SemiLagrangian<T>::Parameters p)
    : rows(comm, d, halo, grid, eta),
      iterations(p.iterations),
      departure(grid, eta, p.step, p.radius),
      back(comm, d, rows) {
    if (grid.stretching) throw Error("transport on a stretched sphere has no tangent");
    if (p.rotation != 0) throw Error("transport with advected rotation has no tangent");
    for (auto& item : rows.items) first.push_back(points), points += item.count;
    for (auto* winds : {&mean, &change, &gradient}) winds->resize(3 * points);
    values.resize(4 * points);
}

template <class T> std::size_t LinearTransport<T>::About::bytes() const {
    std::size_t sum = 0;
    for (auto& pass : passes) sum += pass.numbers.bytes() + pass.ways.bytes();
    return sum;
}

/// body(item, the first of its points)
template <class T> template <class Body> void LinearTransport<T>::each_item(Body body) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t n = 0; n < rows.items.size(); ++n) body(rows.items[n], first[n]);
}

template <class T>
auto LinearTransport<T>::trajectory(const Item& item, int n, const Points& at) const -> Trajectory {
    const auto& b = rows.blocks[item.block];
    return {b.j0 + item.row, b.i0 + item.column + n, at.longitude[n], at.latitude[n], at.eta[n]};
}

/// Winds next to each other, in the buffer.
template <class T> void LinearTransport<T>::pack(const Wind& wind) {
    const FieldSlab group[] = {wind.east, wind.north, wind.vertical};
    rows.pack(group);
}

template <class T> void LinearTransport<T>::locate(const Item& item, Tile& t) const {
    departure.locate(rows.blocks[item.block].j0 + item.row, item.level, item.count, t.u, t.v, t.w,
                     t.at, t.slopes);
}

// ---- about a state ------------------------------------------------------------------------------

/// Of fields that were seen, R applied: how they change with the mean wind; [field][u, v, w] at
/// point n of [field, u v w][tile].
template <class T>
void LinearTransport<T>::derivatives(const Sight& s, const Tile& t, int n, int fields, bool vector,
                                     T* G) const {
    const T p = t.at.p[n], q = t.at.q[n], x = s.value[0], y = s.value[1];
    const auto along = [&](const Points& by, int direction) {
        auto d = by.longitude[n] * s.by_longitude + by.latitude[n] * s.by_latitude;
        if (vector) {
            const T u = d[0], v = d[1];
            d[0] = p * u + q * v + by.p[n] * x + by.q[n] * y;
            d[1] = p * v - q * u + by.p[n] * y - by.q[n] * x;
        }
        for (int f = 0; f < fields; ++f) G[(3 * f + direction) * tile + n] = d[f];
    };
    along(t.slopes.by_u, 0), along(t.slopes.by_v, 1);
    auto d = t.slopes.by_w[n] * s.by_eta;
    if (vector) {
        const T u = d[0], v = d[1];
        d[0] = p * u + q * v, d[1] = p * v - q * u;
    }
    for (int f = 0; f < fields; ++f) G[(3 * f + 2) * tile + n] = d[f];
}

/// So many kinds of numbers of a tile, without the room behind its points.
template <class T>
static void keep(Rounded<T>& to, std::size_t at, const T* from, int kinds, int count, int tile) {
    for (int k = 0; k < kinds; ++k) to.put(at + std::size_t(k) * count, from + k * tile, count);
}

/// The trajectories of an item, with what is needed of others' points.
template <class T>
void LinearTransport<T>::trace(const Item& item, std::size_t at, const Wind& now, About& about) {
    Tile t;
    typename Gathered::Places places;
    T kept[of_pass * tile], *const G = kept + of_place * tile;
    const T *u = rows.source(now.east, item), *v = rows.source(now.north, item),
            *w = rows.source(now.vertical, item);
    for (int n = 0; n < item.count; ++n) t.u[n] = u[n], t.v[n] = v[n], t.w[n] = w[n];
    for (int pass = 0; pass <= iterations; ++pass) {
        const bool last = pass == iterations;
        locate(item, t);
        rows.place(item, t.at, places);
        rows.need(item, t.at, places);
        const T* of[] = {t.at.longitude, t.at.latitude, t.at.eta, t.at.p, t.at.q};
        for (int k = 0; k < of_place; ++k) std::copy_n(of[k], item.count, kept + k * tile);
        for (int n = 0; !last && n < item.count; ++n) {
            const Sight seen = rows.template look<Interpolation::linear>(trajectory(item, n, t.at));
            derivatives(seen, t, n, 3, true, G);
            for (int g = 0; g < 9; ++g) G[g * tile + n] *= T(0.5);
            const T x = seen.value[0], y = seen.value[1], p = t.at.p[n], q = t.at.q[n];
            t.u[n] = T(0.5) * (u[n] + (p * x + q * y));
            t.v[n] = T(0.5) * (v[n] + (p * y - q * x));
            t.w[n] = T(0.5) * (w[n] + seen.value[2]);
        }
        const int kinds = last ? of_place : of_pass;
        keep(about.passes[pass].numbers, at * kinds, kept, kinds, item.count, tile);
    }
    const T* const winds[] = {t.u, t.v, t.w};
    for (int k = 0; k < 3; ++k)
        std::copy_n(winds[k], item.count, &mean[3 * at + std::size_t(k) * item.count]);
}

template <class T>
void LinearTransport<T>::follow(const Wind& now, const Wind& extrapolated, bool single,
                                About& about) {
    about.passes.resize(iterations + 1);
    for (int pass = 0; pass <= iterations; ++pass)
        about.passes[pass].numbers.resize(points * (pass < iterations ? of_pass : of_place),
                                          single);
    pack(extrapolated);
    do {
        rows.surround(true);
        each_item([&](const Item& item, std::size_t at) { trace(item, at, now, about); });
    } while (rows.around.cover());
    for (auto& pass : about.passes) back.find(places_of(pass), pass.ways);
}

template <class T>
void LinearTransport<T>::follow(Group carried, bool vector, bool single, const About&,
                                Rounded<T>& to) {
    const int fields = int(carried.size());
    to.resize(3 * carried.size() * points, single);
    rows.pack(carried);
    rows.surround(vector);
    each_item([&](const Item& item, std::size_t at) {
        Tile t;
        T G[12 * tile];
        const T* winds = &mean[3 * at];
        for (int n = 0; n < item.count; ++n)
            t.u[n] = winds[n], t.v[n] = winds[item.count + n], t.w[n] = winds[2 * item.count + n];
        locate(item, t);
        for (int n = 0; n < item.count; ++n)
            derivatives(rows.template look<Interpolation::cubic>(trajectory(item, n, t.at)), t, n,
                        fields, vector, G);
        keep(to, 3 * fields * at, G, 3 * fields, item.count, tile);
    });
}

// ---- of a perturbation --------------------------------------------------------------------------

template <class T>
void LinearTransport<T>::place(const Item& item, const T* numbers, Points& at,
                               typename Gathered::Places& to) const {
    std::copy_n(numbers, item.count, at.longitude);
    std::copy_n(numbers + item.count, item.count, at.latitude);
    std::copy_n(numbers + 2 * item.count, item.count, at.eta);
    rows.place(item, at, to);
}

/// Others' points that these trajectories need.
template <class T> void LinearTransport<T>::need(const About& about) {
    if (rows.around.alone()) return;
    each_item([&](const Item& item, std::size_t first) {
        T scratch[3 * tile];
        Points at;
        typename Gathered::Places places;
        for (auto& pass : about.passes) {
            const int kinds = &pass == &about.passes.back() ? of_place : of_pass;
            place(item, pass.numbers.get(first * kinds, 3 * item.count, scratch), at, places);
            rows.need(item, at, places);
        }
    });
    rows.around.cover();
}

/// What is in the buffer at the departure points of an item.
template <class T>
void LinearTransport<T>::look(Interpolation kind, const Item& item, const T* numbers, T* out) {
    Points at;
    typename Gathered::Places places;
    place(item, numbers, at, places);
    if (kind == Interpolation::linear)
        rows.full ? rows.template gather_linear<true>(item, at, places, out)
                  : rows.template gather_linear<false>(item, at, places, out);
    else
        rows.full ? rows.template gather_cubic<true, false>(item, at, places, out)
                  : rows.template gather_cubic<false, false>(item, at, places, out);
}

template <class T>
void LinearTransport<T>::tangent(const About& about, const Wind& now, const Wind& extrapolated) {
    need(about);
    pack(extrapolated);
    rows.surround(true);
    each_item([&](const Item& item, std::size_t at) {
        T scratch[of_pass * tile];
        alignas(64) T out[tile * Gathered::fields + 64];
        const int count = item.count;
        T *u = &change[3 * at], *v = u + count, *w = v + count;
        T U[tile], V[tile];
        const T* W = rows.source(now.vertical, item);
        std::copy_n(rows.source(now.east, item), count, U);
        std::copy_n(rows.source(now.north, item), count, V);
        std::copy_n(U, count, u), std::copy_n(V, count, v), std::copy_n(W, count, w);
        for (int pass = 0; pass < iterations; ++pass) {
            const T *numbers =
                        about.passes[pass].numbers.get(at * of_pass, of_pass * count, scratch),
                    *p = numbers + 3 * count, *q = p + count, *G = q + count;
            look(Interpolation::linear, item, numbers, out);
            for (int n = 0; n < count; ++n) {
                const T x = out[4 * n], y = out[4 * n + 1], z = out[4 * n + 2];
                const T a = u[n], b = v[n], c = w[n];
                const auto along = [&](int f) {
                    const T* g = G + 3 * f * count + n;
                    return g[0] * a + g[count] * b + g[2 * count] * c;
                };
                u[n] = T(0.5) * (U[n] + (p[n] * x + q[n] * y)) + along(0);
                v[n] = T(0.5) * (V[n] + (p[n] * y - q[n] * x)) + along(1);
                w[n] = T(0.5) * (W[n] + z) + along(2);
            }
        }
    });
}

template <class T>
void LinearTransport<T>::tangent(const About& about, const Rounded<T>& of, Group carried,
                                 bool vector) {
    const int fields = int(carried.size());
    rows.pack(carried);
    rows.surround(vector);
    each_item([&](const Item& item, std::size_t at) {
        T scratch[of_place * tile], more[12 * tile];
        alignas(64) T out[tile * Gathered::fields + 64];
        const int count = item.count;
        const T *numbers =
                    about.passes[iterations].numbers.get(at * of_place, of_place * count, scratch),
                *p = numbers + 3 * count, *q = p + count,
                *G = of.get(3 * fields * at, 3 * fields * count, more), *u = &change[3 * at],
                *v = u + count, *w = v + count;
        look(Interpolation::cubic, item, numbers, out);
        for (int n = 0; vector && n < count; ++n) {
            const T x = out[4 * n], y = out[4 * n + 1];
            out[4 * n] = p[n] * x + q[n] * y, out[4 * n + 1] = p[n] * y - q[n] * x;
        }
        for (int f = 0; f < fields; ++f) {
            T* to = rows.target(carried[f], item);
            const T* g = G + 3 * f * count;
            for (int n = 0; n < count; ++n)
                to[n] =
                    out[4 * n + f] + g[n] * u[n] + g[count + n] * v[n] + g[2 * count + n] * w[n];
        }
    });
}

/// Coordinates as they are: [item][number][point].
template <class T>
auto LinearTransport<T>::places_of(const typename About::Pass& pass) ->
    typename GiveBack<T>::Points {
    const int kinds = int(pass.numbers.size() / std::max<std::size_t>(points, 1));
    if (!pass.numbers.is_rounded()) return {pass.numbers.data(), kinds};
    places.resize(3 * points);
    each_item([&](const Item& item, std::size_t at) {
        pass.numbers.get(at * kinds, 3 * item.count, &places[3 * at]);
    });
    return {places.data(), 3};
}

template <class T>
void LinearTransport<T>::adjoint(const About& about, const Rounded<T>& of, Group carried,
                                 bool vector) {
    const int fields = int(carried.size());
    const auto& last = about.passes[iterations];
    each_item([&](const Item& item, std::size_t at) {
        T scratch[of_place * tile], more[12 * tile];
        const int count = item.count;
        const T *p = last.numbers.get(at * of_place, of_place * count, scratch) + 3 * count,
                *q = p + count, *G = of.get(3 * fields * at, 3 * fields * count, more);
        T *u = &gradient[3 * at], *v = u + count, *w = v + count, *y = &values[4 * at];
        std::fill_n(y, 4 * count, T(0));
        for (int f = 0; f < fields; ++f) {
            T* from = rows.target(carried[f], item);
            const T* g = G + 3 * f * count;
            for (int n = 0; n < count; ++n) {
                const T value = from[n];
                u[n] += g[n] * value, v[n] += g[count + n] * value,
                    w[n] += g[2 * count + n] * value;
                y[4 * n + f] = value, from[n] = T(0);
            }
        }
        for (int n = 0; vector && n < count; ++n) {
            const T a = y[4 * n], b = y[4 * n + 1];
            y[4 * n] = p[n] * a - q[n] * b, y[4 * n + 1] = q[n] * a + p[n] * b;
        }
    });
    back.add(places_of(last), last.ways, values, Interpolation::cubic, vector, carried);
}

template <class T>
void LinearTransport<T>::adjoint(const About& about, const Wind& now, const Wind& extrapolated) {
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    const auto to_winds = [&](const Item& item, const T* u, const T* v, const T* w, T weight) {
        T *east = rows.target(now.east, item), *north = rows.target(now.north, item),
          *vertical = rows.target(now.vertical, item);
        for (int n = 0; n < item.count; ++n) {
            east[n] += weight * u[n], north[n] += weight * v[n];
            vertical[n] += weight * w[n];
        }
    };
    for (int number = iterations - 1; number >= 0; --number) {
        const auto& pass = about.passes[number];
        each_item([&](const Item& item, std::size_t at) {
            T scratch[of_pass * tile];
            const int count = item.count;
            const T *p = pass.numbers.get(at * of_pass, of_pass * count, scratch) + 3 * count,
                    *q = p + count, *G = q + count;
            T *u = &gradient[3 * at], *v = u + count, *w = v + count, *y = &values[4 * at];
            to_winds(item, u, v, w, T(0.5));
            for (int n = 0; n < count; ++n) {
                const T a = T(0.5) * u[n], b = T(0.5) * v[n];
                y[4 * n] = p[n] * a - q[n] * b, y[4 * n + 1] = q[n] * a + p[n] * b;
                y[4 * n + 2] = T(0.5) * w[n], y[4 * n + 3] = T(0);
            }
            for (int n = 0; n < count; ++n) {
                const T a = u[n], b = v[n], c = w[n];
                const auto along = [&](int d) {
                    const T* g = G + d * count + n;
                    return g[0] * a + g[3 * count] * b + g[6 * count] * c;
                };
                u[n] = along(0), v[n] = along(1), w[n] = along(2);
            }
        });
        back.add(places_of(pass), pass.ways, values, Interpolation::linear, true, group);
    }
    each_item([&](const Item& item, std::size_t at) {
        T* u = &gradient[3 * at];
        to_winds(item, u, u + item.count, u + 2 * item.count, T(1));
        std::fill_n(u, 3 * item.count, T(0));
    });
}

template class LinearTransport<double>;
template class LinearTransport<float>;

}  // namespace fathom
