#include <algorithm>
#include <tuple>
#include "semi_lagrangian/adjoint/points_around_plane.hpp"
#include "semi_lagrangian/adjoint/points_around_sphere.hpp"
#include "semi_lagrangian/adjoint/transport_about.hpp"

namespace fathom {

template <class Rows>
auto TransportAbout<Rows>::trajectory(const Item& item, int n, const Beginnings<T>& at) const
    -> fathom::Trajectory<T> {
    const auto& b = rows.blocks[item.block];
    return {b.j0 + item.row, b.i0 + item.column + n, at.x[n], at.y[n], at.z[n]};
}

/// Copies the winds of each point next to each other into the buffer.
template <class Rows> void TransportAbout<Rows>::pack(const Wind& wind) {
    const FieldSlab group[] = {wind.east, wind.north, wind.vertical};
    rows.pack(group, true);
}

/// Winds of an item on the map: u and v times the map factor.
template <class Rows>
void TransportAbout<Rows>::on_map(const Item& item, const Wind& wind, T* u, T* v, T* w) const {
    const T* m = rows.factor(item);
    std::copy_n(rows.source(wind.east, item), item.count, u);
    std::copy_n(rows.source(wind.north, item), item.count, v);
    std::copy_n(rows.source(wind.vertical, item), item.count, w);
    for (int n = 0; m && n < item.count; ++n) u[n] *= m[n], v[n] *= m[n];
}

// ---- about a state ------------------------------------------------------------------------------

/// The derivatives of interpolated fields (R applied) by the mean wind; [field][u, v, w], at point
/// n of [field, u v w][tile].
template <class Rows>
void TransportAbout<Rows>::derivatives(const Sight& s, const Tile& t, int n, int fields,
                                       bool vector, T* G) const {
    const T p = t.at.p[n], q = t.at.q[n], x = s.value[0], y = s.value[1];
    const auto along = [&](const Beginnings<T>& by, int direction) {
        auto d = by.x[n] * s.by_x + by.y[n] * s.by_y;
        if (vector) {
            const T u = d[0], v = d[1];
            d[0] = p * u + q * v + by.p[n] * x + by.q[n] * y;
            d[1] = p * v - q * u + by.p[n] * y - by.q[n] * x;
        }
        for (int f = 0; f < fields; ++f) G[(3 * f + direction) * tile + n] = d[f];
    };
    along(t.slopes.by_u, 0), along(t.slopes.by_v, 1);
    auto d = t.slopes.by_w[n] * s.by_z;
    if (vector) {
        const T u = d[0], v = d[1];
        d[0] = p * u + q * v, d[1] = p * v - q * u;
    }
    for (int f = 0; f < fields; ++f) G[(3 * f + 2) * tile + n] = d[f];
}

/// Stores `kinds` kinds of numbers of a tile, without the padding behind its points.
template <class T>
static void keep(Rounded<T>& to, std::size_t at, const T* from, int kinds, int count, int tile) {
    for (int k = 0; k < kinds; ++k) to.put(at + std::size_t(k) * count, from + k * tile, count);
}

/// Computes the trajectories of an item, with the points of other ranks that they need.
template <class Rows>
void TransportAbout<Rows>::trace(const Item& item, std::size_t at, const Wind& now, About& about) {
    Tile t;
    T kept[of_pass * tile], *const G = kept + of_place * tile, u[tile], v[tile], w[tile];
    on_map(item, now, u, v, w);
    std::copy_n(u, item.count, t.u), std::copy_n(v, item.count, t.v);
    std::copy_n(w, item.count, t.w);
    for (int pass = 0; pass <= iterations; ++pass) {
        const bool last = pass == iterations;
        rows.locate(item, t.u, t.v, t.w, last, t.at, t.slopes);
        rows.need(item, t.at.x, t.at.y, t.at.z);
        const T* of[] = {t.at.x, t.at.y, t.at.z, t.at.p, t.at.q};
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

template <class Rows>
void TransportAbout<Rows>::follow(const Wind& now, const Wind& extrapolated, bool single,
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

/// Only the last pass, because the mean winds are known.
template <class Rows>
void TransportAbout<Rows>::follow_between(const Base& given, bool single, About& about) {
    const auto& layers = static_cast<const TransportAbout&>(given);
    means_of(layers.mean, layers, mean);
    about.passes.resize(1);
    auto& last = about.passes.back();
    last.numbers.resize(points * of_place, single);
    each_item([&](const Item& item, std::size_t at) {
        Tile t;
        take(&mean[3 * at], item.count, t);
        rows.locate(item, t.u, t.v, t.w, true, t.at, t.slopes);
        rows.need(item, t.at.x, t.at.y, t.at.z);
        T kept[of_place * tile];
        const T* of[] = {t.at.x, t.at.y, t.at.z, t.at.p, t.at.q};
        for (int k = 0; k < of_place; ++k) std::copy_n(of[k], item.count, kept + k * tile);
        keep(last.numbers, at * of_place, kept, of_place, item.count, tile);
    });
    rows.around.cover();
    back.find(places_of(last), last.ways);
}

template <class Rows>
void TransportAbout<Rows>::follow(Group carried, bool vector, bool single, const About&,
                                  Rounded<T>& to) {
    const int fields = int(carried.size());
    to.resize(3 * carried.size() * points, single);
    rows.pack(carried, false);
    rows.surround(vector);
    each_item([&](const Item& item, std::size_t at) {
        Tile t;
        T G[12 * tile];
        take(&mean[3 * at], item.count, t);
        rows.locate(item, t.u, t.v, t.w, true, t.at, t.slopes);
        for (int n = 0; n < item.count; ++n)
            derivatives(rows.template look<Interpolation::cubic>(trajectory(item, n, t.at)), t, n,
                        fields, vector, G);
        keep(to, 3 * fields * at, G, 3 * fields, item.count, tile);
    });
}

// ---- of a perturbation --------------------------------------------------------------------------

/// Requests the points of other ranks that these trajectories need.
template <class Rows> void TransportAbout<Rows>::need(const About& about) {
    if (rows.around.alone()) return;
    each_item([&](const Item& item, std::size_t first) {
        T scratch[3 * tile];
        for (auto& pass : about.passes) {
            const int kinds = &pass == &about.passes.back() ? of_place : of_pass;
            const T *x = pass.numbers.get(first * kinds, 3 * item.count, scratch),
                    *y = x + item.count;
            rows.need(item, x, y, y + item.count);
        }
    });
    rows.around.cover();
}

template <class Rows>
void TransportAbout<Rows>::tangent(const About& about, const Wind& now, const Wind& extrapolated) {
    need(about);
    pack(extrapolated);
    rows.surround(true);
    each_item([&](const Item& item, std::size_t at) {
        T scratch[of_pass * tile];
        alignas(64) T out[tile * Rows::fields + 64];
        const int count = item.count;
        T *u = &change[3 * at], *v = u + count, *w = v + count;
        T U[tile], V[tile], W[tile];
        on_map(item, now, U, V, W);
        std::copy_n(U, count, u), std::copy_n(V, count, v), std::copy_n(W, count, w);
        for (int pass = 0; pass < iterations; ++pass) {
            const T *numbers =
                        about.passes[pass].numbers.get(at * of_pass, of_pass * count, scratch),
                    *p = numbers + 3 * count, *q = p + count, *G = q + count;
            rows.gather(Interpolation::linear, item, numbers, numbers + count, numbers + 2 * count,
                        out);
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

template <class Rows>
void TransportAbout<Rows>::tangent_between(const Base& given, const About& about) {
    need(about);
    const auto& layers = static_cast<const TransportAbout&>(given);
    means_of(layers.change, layers, change);
}

template <class Rows>
void TransportAbout<Rows>::tangent(const About& about, const Rounded<T>& of, Group carried,
                                   bool vector) {
    const int fields = int(carried.size());
    rows.pack(carried, false);
    rows.surround(vector);
    each_item([&](const Item& item, std::size_t at) {
        T scratch[of_place * tile], more[12 * tile];
        alignas(64) T out[tile * Rows::fields + 64];
        const int count = item.count;
        const T *numbers =
                    about.passes.back().numbers.get(at * of_place, of_place * count, scratch),
                *p = numbers + 3 * count, *q = p + count,
                *G = of.get(3 * fields * at, 3 * fields * count, more), *u = &change[3 * at],
                *v = u + count, *w = v + count;
        rows.gather(Interpolation::cubic, item, numbers, numbers + count, numbers + 2 * count, out);
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

/// Coordinates: [item][number][point].
template <class Rows>
auto TransportAbout<Rows>::places_of(const typename About::Pass& pass) const ->
    typename GiveBack<Rows>::Points {
    return {pass.numbers.numbers(), int(pass.numbers.size() / std::max<std::size_t>(points, 1))};
}

template <class Rows>
void TransportAbout<Rows>::adjoint(const About& about, const Rounded<T>& of, Group carried,
                                   bool vector) {
    const int fields = int(carried.size());
    const auto& last = about.passes.back();
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
    back.begin();
    back.give(places_of(last), last.ways, values, Interpolation::cubic);
    back.finish(vector, false, carried);
}

template <class Rows>
void TransportAbout<Rows>::adjoint(const About& about, const Wind& now, const Wind& extrapolated) {
    const FieldSlab group[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
    const auto to_winds = [&](const Item& item, const T* u, const T* v, const T* w, T weight) {
        T *east = rows.target(now.east, item), *north = rows.target(now.north, item),
          *vertical = rows.target(now.vertical, item);
        const T* m = rows.factor(item);
        for (int n = 0; n < item.count; ++n) {
            const T mapped = m ? weight * m[n] : weight;
            east[n] += mapped * u[n], north[n] += mapped * v[n];
            vertical[n] += weight * w[n];
        }
    };
    back.begin();
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
        back.give(places_of(pass), pass.ways, values, Interpolation::linear);
    }
    back.finish(true, true, group);
    each_item([&](const Item& item, std::size_t at) {
        T* u = &gradient[3 * at];
        to_winds(item, u, u + item.count, u + 2 * item.count, T(1));
        std::fill_n(u, 3 * item.count, T(0));
    });
}

// ---- between layers -----------------------------------------------------------------------------

/// The item of the same columns on another level.
template <class Rows>
std::size_t TransportAbout<Rows>::on_level(const Item& item, int level) const {
    const auto place = [](const Item& i) { return std::tuple(i.block, i.row, i.level, i.column); };
    Item wanted = item;
    wanted.level = level;
    const auto found = std::ranges::lower_bound(rows.items, place(wanted), {}, place);
    return std::size_t(found - rows.items.begin());
}

/// Winds at interfaces: means of both layers next to it; no vertical motion at the ends.
template <class Rows>
void TransportAbout<Rows>::means_of(const std::vector<T>& of_layers, const TransportAbout& layers,
                                    std::vector<T>& to) {
    const int last = layers.levels();
    each_item([&](const Item& item, std::size_t at) {
        const int count = item.count;
        const T
            *up = &of_layers[3 * layers.first[layers.on_level(item, std::max(item.level - 1, 0))]],
            *down =
                &of_layers[3 * layers.first[layers.on_level(item, std::min(item.level, last - 1))]];
        const T depth = item.level > 0 && item.level < last ? T(0.5) : T(0);
        for (int n = 0; n < 3 * count; ++n)
            to[3 * at + n] = (n < 2 * count ? T(0.5) : depth) * (up[n] + down[n]);
    });
}

/// The transpose, for the adjoints of mean winds, layer by layer.
template <class Rows> void TransportAbout<Rows>::adjoint_between(Base& given) {
    auto& layers = static_cast<TransportAbout&>(given);
    const int last = layers.levels();
    layers.each_item([&](const Item& item, std::size_t at) {
        const int count = item.count;
        for (const int k : {item.level, item.level + 1}) {
            const T* g = &gradient[3 * first[on_level(item, k)]];
            const bool end = k == 0 || k == last;
            for (int n = 0; n < 3 * count; ++n)
                layers.gradient[3 * at + n] +=
                    (n < 2 * count ? (end ? T(1) : T(0.5)) : (end ? T(0) : T(0.5))) * g[n];
        }
    });
    std::ranges::fill(gradient, T(0));
}

template <class T>
std::unique_ptr<LinearTransport<T>> linear_transport(const Domain& d, const GaussianGrid& grid,
                                                     const std::vector<double>& eta,
                                                     typename SemiLagrangian<T>::Parameters p) {
    if (grid.stretching) throw Error("transport on a stretched sphere has no tangent");
    if (p.rotation != 0) throw Error("transport with advected rotation has no tangent");
    return std::make_unique<TransportAbout<SphereAround<T>>>(
        d, p.iterations, d.comm, d.decomposition, d.halo, grid, eta, p.step, p.radius);
}
template <class T>
std::unique_ptr<LinearTransport<T>> linear_transport(const Domain& d, const PlaneArea& area,
                                                     const std::vector<double>& eta,
                                                     PlaneTrajectories how) {
    return std::make_unique<TransportAbout<PlaneAround<T>>>(d, how.iterations, d, area, eta,
                                                            how.step);
}
template std::unique_ptr<LinearTransport<double>> linear_transport<double>(
    const Domain&, const GaussianGrid&, const std::vector<double>&,
    typename SemiLagrangian<double>::Parameters);
template std::unique_ptr<LinearTransport<double>> linear_transport<double>(
    const Domain&, const PlaneArea&, const std::vector<double>&, PlaneTrajectories);
template std::unique_ptr<LinearTransport<float>> linear_transport<float>(
    const Domain&, const GaussianGrid&, const std::vector<double>&,
    typename SemiLagrangian<float>::Parameters);
template std::unique_ptr<LinearTransport<float>> linear_transport<float>(const Domain&,
                                                                         const PlaneArea&,
                                                                         const std::vector<double>&,
                                                                         PlaneTrajectories);

}  // namespace fathom
