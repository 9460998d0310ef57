#include "trajectory/on_plane.hpp"
#include <array>
#include "trajectory/even_rows.hpp"
#include "trajectory/lagrange.hpp"

namespace fathom {

namespace {

std::vector<double> upward(std::vector<double> eta) {
    for (double& x : eta) x = -x;
    return eta;
}

/// Weights of the four levels around an eta: cubic, linear in the first and the last interval.
template <class T> class EtaNodes {
public:
    explicit EtaNodes(const std::vector<double>& eta) : at(eta.begin(), eta.end()) {
        for (std::size_t k = 1; k + 2 < eta.size(); ++k)
            cubic.push_back(Nodes<T>::cubic(&eta[k - 1]));
    }
    T top() const { return at.front(); }
    T bottom() const { return at.back(); }
    T of(int level) const { return at[level]; }
    /// The first of them; seen from level k. eta within top and bottom.
    int weights(T eta, int k, T* w) const {
        const int last = int(at.size()) - 1;
        k = interval(eta, k);
        if (k > 0 && k + 1 < last) {
            const auto four = cubic[k - 1].weights(eta);
            for (int m = 0; m < 4; ++m) w[m] = four[m];
            return k - 1;
        }
        const T z = (eta - at[k]) / (at[k + 1] - at[k]);
        const int first = k == 0 ? 0 : last - 3, here = k - first;
        for (int m = 0; m < 4; ++m) w[m] = m == here ? 1 - z : m == here + 1 ? z : T(0);
        return first;
    }
    /// The same, linear: two weights.
    int linear(T eta, int k, T* w) const {
        k = interval(eta, k);
        w[1] = (eta - at[k]) / (at[k + 1] - at[k]), w[0] = 1 - w[1];
        return k;
    }

private:
    std::vector<T> at;
    std::vector<Nodes<T>> cubic;
    int interval(T eta, int k) const {
        const int last = int(at.size()) - 1;
        k = std::min(k, last - 1);
        while (k > 0 && eta < at[k]) --k;
        while (k < last - 1 && eta >= at[k + 1]) ++k;
        return k;
    }
};

/// The whole number below; 0 of what is none, for a run that has blown up ends elsewhere.
template <class T> int whole(T x) { return x > T(-1e6) && x < T(1e6) ? int(std::floor(x)) : 0; }

/// A place along one axis: the point before it, the fraction of a spacing from there.
template <class T> struct Spot {
    int point;
    T beyond;
    bool at_edge;  ///< in the first or last interval of an area with edges
    void weights(T* w) const {
        if (!at_edge) return even_weights(beyond, w);
        w[0] = w[3] = 0, w[1] = 1 - beyond, w[2] = beyond;
    }
};

template <class T> class OnPlane final : public Carrier<T> {
    static constexpr int fields = 4;
    using Base = Carrier<T>;
    using Base::spent;
    using typename Base::Group, typename Base::Kind, typename Base::Wind;
    struct Line {
        int block, row, level, i0, j, count;
    };

public:
    OnPlane(const Domain& d, const PlaneArea& a, const std::vector<double>& eta,
            PlaneTrajectories how)
        : d(d),
          area(a),
          how(how),
          rows(d.comm, d.decomposition, Edge::periodic, upward(eta)),
          levels(eta),
          closed_x(a.columns < rows.nx),
          closed_y(a.rows < rows.ny) {
        if (std::min(a.columns, a.rows) < 4)
            throw Error("semi-Lagrangian advection needs 4 points each way, given ", a.columns,
                        " × ", a.rows);
        rows.columns = a.columns, rows.height = a.rows;
        tabulate();
        std::size_t numbers = 0;
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const Block& block = *d.blocks[b];
            const int count = std::min(block.nx, a.columns - block.i0);
            for (int r = 0; count > 0 && r < std::min(block.ny, a.rows - block.j0); ++r)
                for (int k = 0; k < int(eta.size()); ++k) {
                    lines.push_back({b, r, k, block.i0, block.j0 + r, count});
                    start.push_back(numbers);
                    numbers += 3 * std::size_t(count);
                }
        }
        displacement.resize(numbers);
    }
    const OnDemandHalo& halo() const override { return rows.around; }

    void depart(const Wind& now, const Wind& extrapolated) override {
        const FieldSlab* from[fields] = {&extrapolated.east, &extrapolated.north,
                                         &extrapolated.vertical, nullptr};
        {
            TimedRegion timer(packing(), spent.packing);
            rows.pack(d, from);
        }
        do {
            {
                TimedRegion timer(packing(), spent.packing);
                rows.surround();
            }
            static const Region here("departure points");
            TimedRegion timer(here, spent.departure);
            each_line([&](std::size_t n) { trace(n, now); });
        } while (rows.around.cover());
    }
    void interpolate(const Group& group, std::span<const FieldSlab> to) override {
        if (group.fields.size() > fields || to.size() != group.fields.size())
            throw Error("a group holds up to ", fields, " fields, given ", group.fields.size());
        const FieldSlab* from[fields] = {};
        for (std::size_t f = 0; f < group.fields.size(); ++f) from[f] = &group.fields[f];
        {
            TimedRegion timer(packing(), spent.packing);
            rows.pack(d, from);
            rows.surround();
        }
        static const Region here("interpolation");
        TimedRegion timer(here, spent.interpolation);
        each_line([&](std::size_t n) { carry(n, group, to); });
    }

private:
    const Domain& d;
    const PlaneArea area;
    const PlaneTrajectories how;
    EvenRows<T, fields> rows;
    const EtaNodes<T> levels;
    const bool closed_x, closed_y;
    std::vector<T> m, turn_x, turn_y;  // of the whole plane: map factor, d(ln m) / dx and dy
    std::vector<Line> lines;
    std::vector<std::size_t> start;  // of each line in `displacement`: columns, rows, eta
    std::vector<T> displacement;

    static const Region& packing() {
        static const Region here("halo packing");
        return here;
    }
    /// The map factor and its slopes, by differences of neighbours within the area.
    void tabulate() {
        if (area.map_factor.empty()) return;
        const int nx = rows.nx;
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
    template <class Body> void each_line(Body body) {
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t n = 0; n < lines.size(); ++n) body(n);
    }
    T* at(const FieldSlab& f, const Line& l) const {
        return (T*)f.at[l.block] + (l.row + d.halo) * f.row[l.block] +
               (f.levels > 1 ? l.level : 0) * f.level[l.block] + d.halo;
    }
    T factor(int j, int i) const { return m.empty() ? T(1) : m[std::size_t(j) * rows.nx + i]; }

    /// Point p less `back` spacings.
    Spot<T> along(int p, T back, bool closed, int inside, int all) const {
        if (closed) {
            const T x = std::clamp(T(p) - back, T(0), T(inside - 1));
            const int i = std::min(whole(x), inside - 2);
            return {i, x - T(i), i == 0 || i == inside - 2};
        }
        const int before = whole(-back);
        return {((p + before) % all + all) % all, -back - T(before), false};
    }
    Spot<T> column(int i, T back) const { return along(i, back, closed_x, area.columns, rows.nx); }
    Spot<T> row(int j, T back) const { return along(j, back, closed_y, area.rows, rows.ny); }

    /// The points that departures of a line need, before they are brought into the plane.
    struct Reach {
        int west = 1 << 30, east = -(1 << 30), south = 1 << 30, north = -(1 << 30);
        void see(int i, int j) {
            west = std::min(west, i), east = std::max(east, i);
            south = std::min(south, j), north = std::max(north, j);
        }
    };
    void see(const Line& l, int n, T columns, T rows_, Reach& reach) const {
        const int i = l.i0 + n;
        reach.see(closed_x ? column(i, columns).point : i + whole(-columns),
                  closed_y ? row(l.j, rows_).point : l.j + whole(-rows_));
    }
    void ask(const Reach& reach) {
        int first = reach.south, last = reach.north;
        if (last - first >= rows.ny) first = 0, last = rows.ny - 1;
        rows.need(first, last, reach.west, reach.east);
    }

    /// m times the wind and d(eta)/dt at a place, linear.
    void wind_at(const Spot<T>& x, const Spot<T>& y, T eta, int level, T* wind) const {
        T z[2];
        const int k = levels.linear(eta, level, z), east = (x.point + 1) % rows.nx,
                  north = (y.point + 1) % rows.ny;
        T sum[3] = {};
        for (int b = 0; b < 2; ++b) {
            const int j = b ? north : y.point;
            const T wy = b ? y.beyond : 1 - y.beyond;
            for (int c = 0; c < 2; ++c) {
                const T* from = rows.at(j, k + c, x.point);
                const T w0 = wy * z[c] * (1 - x.beyond), w1 = wy * z[c] * x.beyond,
                        m0 = w0 * factor(j, x.point), m1 = w1 * factor(j, east);
                sum[0] += m0 * from[0] + m1 * from[fields];
                sum[1] += m0 * from[1] + m1 * from[fields + 1];
                sum[2] += w0 * from[2] + w1 * from[fields + 2];
            }
        }
        for (int f = 0; f < 3; ++f) wind[f] = sum[f];
    }
    void trace(std::size_t number, const Wind& now) {
        const Line& l = lines[number];
        const T *u = at(now.east, l), *v = at(now.north, l), *w = at(now.vertical, l);
        T *X = &displacement[start[number]], *Y = X + l.count, *E = Y + l.count;
        const T per_x = T(how.step / area.dx), per_y = T(how.step / area.dy), dt = T(how.step);
        Reach reach;
        for (int n = 0; n < l.count; ++n) {
            const T here = factor(l.j, l.i0 + n);
            T a = here * u[n] * per_x, b = here * v[n] * per_y, c = w[n] * dt;
            const T A = a, B = b, C = c;
            for (int iteration = 0; iteration < how.iterations; ++iteration) {
                see(l, n, a, b, reach);
                T wind[3];
                wind_at(column(l.i0 + n, a), row(l.j, b), height(l.level, c), l.level, wind);
                a = T(0.5) * (A + wind[0] * per_x);
                b = T(0.5) * (B + wind[1] * per_y);
                c = T(0.5) * (C + wind[2] * dt);
            }
            see(l, n, a, b, reach);
            X[n] = a, Y[n] = b, E[n] = c;
        }
        ask(reach);
    }
    T height(int level, T back) const {
        return std::clamp(levels.of(level) - back, levels.top(), levels.bottom());
    }

    void carry(std::size_t number, const Group& group, std::span<const FieldSlab> to) {
        const Line& l = lines[number];
        const T *X = &displacement[start[number]], *Y = X + l.count, *E = Y + l.count;
        T* out[fields];
        for (std::size_t f = 0; f < to.size(); ++f) out[f] = at(to[f], l);
        for (int n = 0; n < l.count; ++n) {
            const auto x = column(l.i0 + n, X[n]), y = row(l.j, Y[n]);
            T wx[4], wy[4], wz[4], values[fields];
            x.weights(wx), y.weights(wy);
            const T eta = height(l.level, E[n]);
            const int first = levels.weights(eta, l.level, wz);
            rows.combine(x.point, wx, y.point, wy, first, wz, values);
            if (group.monotone) limit(x, y, eta, l.level, values);
            if (group.kind == Kind::wind && !m.empty()) turn(l, n, X[n], Y[n], x, y, values);
            for (std::size_t f = 0; f < to.size(); ++f) out[f][n] = values[f];
        }
    }
    /// Between the extremes of the 8 nearest points.
    void limit(const Spot<T>& x, const Spot<T>& y, T eta, int level, T* values) const {
        T z[2], most[fields], least[fields];
        const int k = levels.linear(eta, level, z);
        for (int corner = 0; corner < 8; ++corner) {
            const T* from =
                rows.at(y.point + (corner >> 2 & 1), k + (corner >> 1 & 1), x.point + (corner & 1));
            for (int f = 0; f < fields; ++f) {
                most[f] = corner ? std::max(most[f], from[f]) : from[f];
                least[f] = corner ? std::min(least[f], from[f]) : from[f];
            }
        }
        for (int f = 0; f < fields; ++f) values[f] = std::clamp(values[f], least[f], most[f]);
    }
    void turn(const Line& l, int n, T columns, T rows_, const Spot<T>& x, const Spot<T>& y,
              T* wind) const {
        const auto slope = [&](const std::vector<T>& of) {
            const T* from = &of[std::size_t(y.point) * rows.nx + x.point];
            const T there =
                (1 - y.beyond) * ((1 - x.beyond) * from[0] + x.beyond * from[1]) +
                y.beyond * ((1 - x.beyond) * from[rows.nx] + x.beyond * from[rows.nx + 1]);
            return T(0.5) * (of[std::size_t(l.j) * rows.nx + l.i0 + n] + there);
        };
        const T angle = T(area.dx) * columns * slope(turn_y) - T(area.dy) * rows_ * slope(turn_x),
                c = std::cos(angle), s = std::sin(angle), u = wind[0], v = wind[1];
        wind[0] = c * u + s * v, wind[1] = c * v - s * u;
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
