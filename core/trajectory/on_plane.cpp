#include "trajectory/on_plane.hpp"
#include <algorithm>
#include "trajectory/turning.hpp"

namespace fathom {

PlaneInside inside_of(const Domain& d, const PlaneArea& a) {
    const int nx = d.decomposition.topology.nx, ny = d.decomposition.topology.ny;
    for (auto [inside, all] : {std::pair(a.columns, nx), std::pair(a.rows, ny)})
        if (inside < 4 || inside > all || inside == all - 1)
            throw Error("semi-Lagrangian advection of ", inside, " points inside a plane of ", all,
                        ": 4 at least, all of them or 2 fewer");
    if ((a.columns < nx) != (a.rows < ny))
        throw Error("an area inside a plane of ", nx, " × ", ny,
                    " points has fewer both ways, not ", a.columns, " × ", a.rows);
    return {a.columns, a.rows};
}

std::vector<double> heights_of(std::vector<double> eta) {
    for (std::size_t k = 0; k + 1 < eta.size(); ++k)
        if (!(eta[k + 1] > eta[k])) throw Error("eta of the layers must grow downward");
    for (double& e : eta) e = -e;
    return eta;
}

namespace {

template <class T> class OnPlane final : public Carrier<T> {
    using Base = Carrier<T>;
    using Base::spent;
    using typename Base::Group, typename Base::Kind, typename Base::Wind;
    static constexpr int most = Departures<T>::most;

public:
    OnPlane(const Domain& d, const PlaneArea& a, const std::vector<double>& eta,
            PlaneTrajectories how)
        : domain(d),
          area(a),
          how(how),
          inside(inside_of(d, a)),
          nx(d.decomposition.topology.nx),
          nodes(heights_of(eta), LevelEnds::linear),
          four(d.comm, d.decomposition, edge(), inside, nodes),
          one(d.comm, d.decomposition, edge(), inside, nodes),
          turning(area, nx),
          factor(area.map_factor.begin(), area.map_factor.end()) {
        for (const Block* b : d.blocks) {
            first.push_back(displacement.size());
            displacement.resize(displacement.size() +
                                std::size_t(b->ny) * nodes.levels() * 3 * padded(*b));
        }
        for_each_line(d, inside, nodes.levels(), [&](const Line& l) {
#pragma omp atomic
            points += l.count;
        });
    }
    const OnDemandHalo& halo() const override { return four.around; }

    void depart(const Wind& now, const Wind& extrapolated) override {
        const FieldSlab* from[] = {&extrapolated.east, &extrapolated.north, &extrapolated.vertical};
        {
            TimedRegion timer(packing(), spent.packing);
            four.pack(domain, from, factors());
        }
        spent.packing.did(0, points * 7 * sizeof(T));
        do {
            {
                TimedRegion timer(packing(), spent.packing);
                four.surround();
            }
            static const Region here("departure points");
            TimedRegion timer(here, spent.departure);
            each_line([&](const Line& l) { trace(l, now); });
            spent.departure.did(
                points * how.iterations *
                    (12 + four.operations_of_linear_stencil + 3 * four.operations_of_linear_field),
                points * how.iterations * 10 * sizeof(T));
        } while (int(four.around.cover()) | int(one.around.cover()));
    }
    void depart_between(Base& layers) override {
        static const Region here("departure points");
        TimedRegion timer(here, spent.departure);
        each_line([&](const Line& l) { trace(l, static_cast<OnPlane&>(layers)); });
        spent.departure.did(points * 6, points * 5 * sizeof(T));
        one.around.cover();
    }
    void interpolate(const Group& group, std::span<const FieldSlab> to) override {
        if (group.fields.size() > 4 || to.size() != group.fields.size())
            throw Error("a group holds up to 4 fields, given ", group.fields.size());
        to.size() == 1 ? interpolate(one, group, to) : interpolate(four, group, to);
    }

private:
    const Domain& domain;
    const PlaneArea area;
    const PlaneTrajectories how;
    const PlaneInside inside;
    const int nx;
    const LevelNodes<T> nodes;
    EvenRows<T, 4> four;
    EvenRows<T, 1> one;
    const Turning<T> turning;
    const std::vector<T> factor;     // of the map, of the whole plane; empty: 1
    std::vector<std::size_t> first;  // of each block in `displacement`: [row][level][3][point]
    std::vector<T> displacement;
    double points = 0;

    static const Region& packing() {
        static const Region here("halo packing");
        return here;
    }
    Edge edge() const { return edge_of(inside, nx); }
    const T* factors() const { return factor.empty() ? nullptr : factor.data(); }
    static int padded(const Block& b) { return (b.nx + most - 1) / most * most; }
    template <class Body> void each_line(Body body) {
        for_each_line(domain, inside, nodes.levels(), body);
    }
    /// By how many columns, rows and heights the points of a line have been displaced.
    struct Displacement {
        T *X, *Y, *H;
    };
    Displacement displacement_of(const Line& l) {
        const int row = padded(*domain.blocks[l.b]);
        T* X = &displacement[first[l.b] + (std::size_t(l.r) * nodes.levels() + l.k) * 3 * row +
                             l.column];
        return {X, X + row, X + 2 * row};
    }
    Departures<T> from(const Line& l, const Displacement& by) const {
        Departures<T> d{l.i0, l.k, l.count};
        const T height = nodes.height(l.k), j = T(l.j);
        for (int n = 0; n < l.count; ++n) {
            d.columns[n] = -by.X[n];
            d.row[n] = j - by.Y[n];
            d.eta[n] = height - by.H[n];
        }
        return d;
    }

    void trace(const Line& l, const Wind& now) {
        alignas(64) T own[3][most], there[3][most];
        const FieldSlab* winds[] = {&now.east, &now.north, &now.vertical};
        const T scale[] = {T(how.step / area.dx), T(how.step / area.dy), T(-how.step)};
        const auto by = displacement_of(l);
        T* const to[] = {by.X, by.Y, by.H};
        for (int f = 0; f < 3; ++f) {
            const T *wind = at<T>(domain, *winds[f], l),
                    *m = factors() && f < 2 ? factors() + std::size_t(l.j) * nx + l.i0 : nullptr;
            for (int n = 0; n < l.count; ++n) own[f][n] = m ? m[n] * wind[n] : wind[n];
            for (int n = 0; n < l.count; ++n) to[f][n] = own[f][n] * scale[f];
        }
        Reach reach;
        LinearStencils<T> stencils;
        Gathered<T, 4> wind;
        for (int iteration = 0; iteration < how.iterations; ++iteration) {
            four.locate(from(l, by), 0, 0, stencils, reach);
            four.gather(stencils, l.count, wind.values);
            for (int f = 0; f < 3; ++f) {
                wind.give(f, l.count, there[f]);
                for (int n = 0; n < l.count; ++n)
                    to[f][n] = T(0.5) * (own[f][n] + there[f][n]) * scale[f];
            }
        }
        if (four.around.alone()) return;
        four.locate(from(l, by), 0, 0, stencils, reach);
        four.need(reach), one.need(reach);
    }

    /// Departure points of an interface.
    void trace(const Line& l, OnPlane& layers) {
        const int last = nodes.levels() - 1;
        Line up = l, down = l;
        up.k = std::max(l.k - 1, 0), down.k = std::min(l.k, last - 1);
        const auto by = displacement_of(l), above = layers.displacement_of(up),
                   below = layers.displacement_of(down);
        const T half_depth = l.k > 0 && l.k < last ? T(0.5) : T(0);
        for (int n = 0; n < l.count; ++n) {
            by.X[n] = T(0.5) * (above.X[n] + below.X[n]);
            by.Y[n] = T(0.5) * (above.Y[n] + below.Y[n]);
            by.H[n] = half_depth * (above.H[n] + below.H[n]);
        }
        if (one.around.alone()) return;
        Reach reach;
        LinearStencils<T> stencils;
        one.locate(from(l, by), 0, 0, stencils, reach);
        one.need(reach);
    }

    template <int fields>
    void interpolate(EvenRows<T, fields>& rows, const Group& group, std::span<const FieldSlab> to) {
        const double count = double(to.size());
        {
            TimedRegion timer(packing(), spent.packing);
            const FieldSlab* in[fields];
            for (std::size_t f = 0; f < to.size(); ++f) in[f] = &group.fields[f];
            rows.pack(domain, std::span(in, to.size()));
            rows.surround();
        }
        spent.packing.did(0, points * (count + fields) * sizeof(T));
        static const Region here("interpolation");
        TimedRegion timer(here, spent.interpolation);
        spent.interpolation.did(
            points * (rows.operations_of_stencil + count * rows.operations_of_field),
            points * (2 * count + 3) * sizeof(T));
        each_line([&](const Line& l) { carry(rows, l, group, to); });
    }
    template <int fields>
    void carry(const EvenRows<T, fields>& rows, const Line& l, const Group& group,
               std::span<const FieldSlab> to) {
        const auto by = displacement_of(l);
        Reach reach;
        Gathered<T, fields> found;
        if (group.monotone)
            found.template take<true>(rows, from(l, by), reach);
        else
            found.take(rows, from(l, by), reach);
        std::size_t f = 0;
        if (group.kind == Kind::wind && turning) {
            alignas(64) T u[most], v[most];
            found.give(0, l.count, u), found.give(1, l.count, v);
            turning.turn(l, by.X, by.Y, u, v);
            for (const T* turned : {u, v}) std::copy_n(turned, l.count, at<T>(domain, to[f++], l));
        }
        for (; f < to.size(); ++f) found.give(int(f), l.count, at<T>(domain, to[f], l));
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
