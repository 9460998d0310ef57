#include "trajectory/on_plane.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include "trajectory/gather.hpp"

namespace fathom {

namespace {

PlaneInside inside_of(const Domain& d, const PlaneArea& a) {
    const int nx = d.decomposition.topology.nx, ny = d.decomposition.topology.ny;
    for (auto [inside, all] : {std::pair(a.columns, nx), std::pair(a.rows, ny)})
        if (inside < 4 || inside > all || inside == all - 1)
            throw Error("semi-Lagrangian advection of ", inside, " points inside a plane of ", all,
                        ": 4 at least, all of them or 2 fewer");
    return {a.columns, a.rows};
}

/// The whole number below; 0 of what is none, for a run that has blown up ends elsewhere.
template <class T> int whole(T x) { return x > T(-1e6) && x < T(1e6) ? int(std::floor(x)) : 0; }

template <class T> class OnPlane final : public Carrier<T>, Gather<T> {
    using Base = Carrier<T>;
    using Grid = Gather<T>;
    using Base::spent;
    using Grid::around, Grid::blocks, Grid::fields, Grid::items, Grid::rows, Grid::source,
        Grid::target, Grid::tile;
    using typename Base::Group, typename Base::Kind, typename Base::Wind;
    using typename Grid::Item, typename Grid::Points, typename Grid::Places;
    /// What a thread works on a tile with. x, y: places in columns and rows.
    struct Work {
        Points points;
        Places places;
        alignas(64) T out[tile * fields + 64], x[tile], y[tile];
        Work() { std::memset(&points, 0, sizeof points); }
    };

public:
    OnPlane(const Domain& d, const PlaneArea& a, const std::vector<double>& eta,
            PlaneTrajectories how)
        : Grid(d.comm, d.decomposition, d.halo, inside_of(d, a), eta),
          area(a),
          how(how),
          nx(d.decomposition.topology.nx),
          ny(d.decomposition.topology.ny),
          eta(eta.begin(), eta.end()),
          ends{ends_of<T>(eta)},
          closed_x(a.columns < nx),
          closed_y(a.rows < ny) {
        tabulate();
        for (auto& item : items) {
            start.push_back(displacement.size());
            displacement.resize(displacement.size() + 3 * item.count);
        }
    }
    const OnDemandHalo& halo() const override { return around; }

    void depart(const Wind& now, const Wind& extrapolated) override {
        const FieldSlab from[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
        {
            TimedRegion timer(packing(), spent.packing);
            this->pack(from);
            times_map_factor();
        }
        spent.packing.did(0, points() * 7 * sizeof(T));
        do {
            {
                TimedRegion timer(packing(), spent.packing);
                this->surround(false);
            }
            static const Region here("departure points");
            TimedRegion timer(here, spent.departure);
            each_item([&](std::size_t n, Work& work) { trace(n, now, work); });
            const double times = points() * how.iterations;
            spent.departure.did(times * (30 + this->operations(InterpolationPass::linear, 3)),
                                times * 10 * sizeof(T));
        } while (around.cover());
    }
    void interpolate(const Group& group, std::span<const FieldSlab> to) override {
        if (group.fields.size() > std::size_t(fields) || to.size() != group.fields.size())
            throw Error("a group holds up to ", fields, " fields, given ", group.fields.size());
        const bool by_levels = to.size() == 1 && group.by_levels;
        const double count = double(to.size()), all = points();
        {
            TimedRegion timer(packing(), spent.packing);
            if (by_levels)
                this->pack_levels(group.fields[0]);
            else
                this->pack(group.fields);
            this->surround(false);
        }
        spent.packing.did(0, all * (count + fields) * sizeof(T));
        static const Region here("interpolation");
        TimedRegion timer(here, spent.interpolation);
        const auto pass = by_levels ? InterpolationPass::by_levels : InterpolationPass::cubic;
        spent.interpolation.did(
            all * (this->operations(InterpolationPass::weights, 0) + this->operations(pass, count)),
            all * (2 * count + 3) * sizeof(T));
        each_item([&](std::size_t n, Work& work) { carry(n, group, by_levels, to, work); });
    }

private:
    const PlaneArea area;
    const PlaneTrajectories how;
    const int nx, ny;
    const std::vector<T> eta;
    const std::array<T, 2> ends;
    const bool closed_x, closed_y;
    std::vector<T> m, turn_x, turn_y;  // of the whole plane: map factor, d(ln m) / dx and dy
    std::vector<std::size_t> start;    // of each item in `displacement`: columns, rows, eta
    std::vector<T> displacement;

    static const Region& packing() {
        static const Region here("halo packing");
        return here;
    }
    double points() const { return displacement.size() / 3.; }
    /// The map factor and its slopes, by differences of neighbours within the area.
    void tabulate() {
        if (area.map_factor.empty()) return;
        m.assign(area.map_factor.begin(), area.map_factor.end());
        turn_x.resize(m.size()), turn_y.resize(m.size());
        const auto log_m = [&](int j, int i) { return std::log(area.factor(nx, j, i)); };
        for (int j = 0; j < area.rows; ++j)
            for (int i = 0; i < area.columns; ++i) {
                const int w = std::max(i - 1, 0), e = std::min(i + 1, area.columns - 1),
                          s = std::max(j - 1, 0), n = std::min(j + 1, area.rows - 1);
                const std::size_t at = std::size_t(j) * nx + i;
                turn_x[at] = T((log_m(j, e) - log_m(j, w)) / ((e - w) * area.dx));
                turn_y[at] = T((log_m(n, i) - log_m(s, i)) / ((n - s) * area.dy));
            }
    }
    template <class Body> void each_item(Body body) {
#pragma omp parallel
        {
            Work work;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t n = 0; n < items.size(); ++n) body(n, work);
        }
    }
    int row_of(const Item& t) const { return blocks[t.block].j0 + t.row; }
    int column_of(const Item& t) const { return blocks[t.block].i0 + t.column; }
    /// The map factor of the points of an item; null: 1.
    const T* factors(const Item& t) const {
        return m.empty() ? nullptr : &m[std::size_t(row_of(t)) * nx + column_of(t)];
    }
    /// Of the wind that is packed.
    void times_map_factor() {
        if (m.empty()) return;
#pragma omp parallel for schedule(static)
        for (std::size_t n = 0; n < items.size(); ++n) {
            const Item& t = items[n];
            const T* factor = factors(t);
            T* wind = this->at(rows[row_of(t) + Grid::beyond], t.level, column_of(t));
            for (int i = 0; i < t.count; ++i)
                wind[i * fields] *= factor[i], wind[i * fields + 1] *= factor[i];
        }
    }

    /// A place along one axis: within the area, or once round the plane.
    static T within(T place, bool closed, int inside, int all) {
        if (closed) return std::clamp(place, T(0), T(inside - 1));
        const T turned = place - T(all) * std::floor(place / T(all));
        return turned < T(all) ? turned : T(0);  // what is hardly below 0 rounds to `all`
    }
    /// Where the points of an item come from, displaced so many columns, rows and eta.
    void locate(const Item& t, const T* X, const T* Y, const T* E, Work& w) const {
        const T per_column = T(2 * std::numbers::pi / nx);
        const T j = T(row_of(t));
        for (int n = 0; n < t.count; ++n) {
            const T i = T(column_of(t) + n);
            w.x[n] = closed_x ? within(i - X[n], true, area.columns, nx) - i : -X[n];
            w.points.longitude[n] = w.x[n] * per_column;
            w.y[n] = j - Y[n];
            w.points.latitude[n] = within(w.y[n], closed_y, area.rows, ny);
            w.points.eta[n] = std::clamp(eta[t.level] - E[n], ends[0], ends[1]);
        }
        this->place(t, w.points, w.places);
    }
    /// The stencils of a tile: a rectangle around its departure points.
    void need(const Item& t, const Work& w) {
        if (around.alone()) return;
        const auto [west, east] = std::minmax_element(w.x, w.x + t.count);
        const auto [south, north] = std::minmax_element(w.y, w.y + t.count);
        int first = whole(*south) - 1, last = whole(*north) + 2,
            i0 = column_of(t) + whole(*west) - 2, i1 = column_of(t) + t.count + whole(*east) + 3;
        if (closed_x) i0 = std::max(i0, 0), i1 = std::min(i1, area.columns);
        if (closed_y)
            first = std::clamp(first, 0, area.rows - 1), last = std::clamp(last, 0, area.rows - 1);
        else if (last - first >= ny)
            first = 0, last = ny - 1;
        for (int j = first; j <= last; ++j)
            around.need(((j % ny) + ny) % ny, i0, std::min(std::max(i1 - i0, 1), nx));
    }

    void trace(std::size_t number, const Wind& now, Work& work) {
        const Item& t = items[number];
        const T *u = source(now.east, t), *v = source(now.north, t), *w = source(now.vertical, t),
                *factor = factors(t);
        T *X = &displacement[start[number]], *Y = X + t.count, *E = Y + t.count;
        const T per_x = T(how.step / area.dx), per_y = T(how.step / area.dy), dt = T(how.step);
        const auto here = [&](int n) { return factor ? factor[n] : T(1); };
        for (int n = 0; n < t.count; ++n)
            X[n] = here(n) * u[n] * per_x, Y[n] = here(n) * v[n] * per_y, E[n] = w[n] * dt;
        for (int iteration = 0; iteration < how.iterations; ++iteration) {
            locate(t, X, Y, E, work);
            need(t, work);
            this->template gather_linear<true>(t, work.points, work.places, work.out);
            for (int n = 0; n < t.count; ++n) {
                const T* there = work.out + n * fields;
                X[n] = T(0.5) * (here(n) * u[n] + there[0]) * per_x;
                Y[n] = T(0.5) * (here(n) * v[n] + there[1]) * per_y;
                E[n] = T(0.5) * (w[n] + there[2]) * dt;
            }
        }
        if (around.alone()) return;
        locate(t, X, Y, E, work);
        need(t, work);
    }

    void carry(std::size_t number, const Group& group, bool by_levels,
               std::span<const FieldSlab> to, Work& work) {
        const Item& t = items[number];
        const T *X = &displacement[start[number]], *Y = X + t.count, *E = Y + t.count;
        locate(t, X, Y, E, work);
        auto& [points, places, out, x, y] = work;
        if (by_levels && group.monotone)
            this->template gather_levels<true, true>(t, points, places, out);
        else if (by_levels)
            this->template gather_levels<true, false>(t, points, places, out);
        else if (group.monotone)
            this->template gather_cubic<true, true>(t, points, places, out);
        else
            this->template gather_cubic<true, false>(t, points, places, out);
        if (group.kind == Kind::wind && !m.empty()) turn(t, X, Y, work);
        for (std::size_t f = 0; f < to.size(); ++f) {
            T* result = target(to[f], t);
            for (int n = 0; n < t.count; ++n) result[n] = out[n * fields + f];
        }
    }
    /// A vector by the angle between both ends.
    void turn(const Item& t, const T* X, const T* Y, Work& work) const {
        for (int n = 0; n < t.count; ++n) {
            const int i = column_of(t) + n, j = row_of(t);
            const T x = T(i) + work.x[n], y = work.points.latitude[n];
            const int a = std::clamp(whole(x), 0, area.columns - 2),
                      b = std::clamp(whole(y), 0, area.rows - 2);
            const T r = x - T(a), s = y - T(b);
            const auto slope = [&](const std::vector<T>& of) {
                const T* from = &of[std::size_t(b) * nx + a];
                const T there = (1 - s) * ((1 - r) * from[0] + r * from[1]) +
                                s * ((1 - r) * from[nx] + r * from[nx + 1]);
                return T(0.5) * (of[std::size_t(j) * nx + i] + there);
            };
            const T angle = T(area.dx) * X[n] * slope(turn_y) - T(area.dy) * Y[n] * slope(turn_x),
                    c = std::cos(angle), sine = std::sin(angle);
            T* wind = work.out + n * fields;
            const T u = wind[0], v = wind[1];
            wind[0] = c * u + sine * v, wind[1] = c * v - sine * u;
        }
    }
};

}  // namespace

template <class T>
std::unique_ptr<Carrier<T>> carrier_on_plane(const Domain& d, const PlaneArea& a,
                                             const std::vector<double>& eta,
                                             PlaneTrajectories how) {
    return std::make_unique<OnPlane<T>>(d, a, eta, how);
}
template std::unique_ptr<Carrier<float>> carrier_on_plane<float>(const Domain&, const PlaneArea&,
                                                                 const std::vector<double>&,
                                                                 PlaneTrajectories);
template std::unique_ptr<Carrier<double>> carrier_on_plane<double>(const Domain&, const PlaneArea&,
                                                                   const std::vector<double>&,
                                                                   PlaneTrajectories);

}  // namespace fathom
