#include "semi_lagrangian/plane/transport.hpp"
#include <algorithm>
#include "semi_lagrangian/device/plane.hpp"
#include "semi_lagrangian/plane/map_factor.hpp"

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
          tracing{{T(how.step / area.dx), T(how.step / area.dy), T(-how.step)}, how.iterations},
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
            count_trace();
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

    void depart_on(Device& device, const Wind& now, const Wind& extrapolated) override {
        const FieldSlab from[] = {extrapolated.east, extrapolated.north, extrapolated.vertical};
        PlaneTransportOnDevice& there = on(device);
        there.four().pack(from);
        there.times_map_factor();
        spent.packing.did(0, points * 7 * sizeof(T));
        do {
            four.surround_on(device, there.four());
            there.trace({now.east, now.north, now.vertical});
            count_trace();
        } while (int(four.around.cover_on(device)) | int(one.around.cover_on(device)));
    }
    void depart_between_on(Device& device, Base& layers) override {
        on(device).trace_between(static_cast<OnPlane&>(layers).on(device));
        spent.departure.did(points * 6, points * 5 * sizeof(T));
        one.around.cover_on(device);
    }
    void interpolate_on(Device& device, const Group& group) override {
        PlaneTransportOnDevice& there = on(device);
        const double count = double(group.fields.size());
        const auto surrounded = [&]<int fields>(EvenRows<T, fields>& rows, EvenRowsOnDevice& to) {
            to.pack(group.fields);
            rows.surround_on(device, to);
            spent.packing.did(0, points * (count + fields) * sizeof(T));
            count_interpolation(rows, count);
        };
        group.fields.size() == 1 ? surrounded(one, there.one()) : surrounded(four, there.four());
        there.interpolate(group.fields, group.kind == Kind::wind, group.monotone);
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
    const MapTracing<T, LinesHere> tracing;
    const std::vector<T> factor;     // of the map, of the whole plane; empty: 1
    std::vector<std::size_t> first;  // of each block in `displacement`: [row][level][3][point]
    std::vector<T> displacement;
    double points = 0;
    std::unique_ptr<PlaneTransportOnDevice> there;

    PlaneTransportOnDevice& on(Device& device) {
        if (there) return *there;
        std::vector<Line> columns;
        for (int b = 0; b < int(domain.blocks.size()); ++b) {
            const Block& block = *domain.blocks[b];
            for (int r = 0; r < std::min(block.ny, inside.rows - block.j0); ++r)
                for (int i = 0; i < std::min(block.nx, inside.columns - block.i0); ++i)
                    columns.push_back({b, r, 0, i, block.i0 + i, block.j0 + r, 1});
        }
        const auto& t = tracing;
        there = device.make<PlaneTransportOnDevice>(PlaneTransportTables<T>{std::move(columns),
                                                                            domain.halo,
                                                                            four,
                                                                            nodes,
                                                                            {t.scale, t.iterations},
                                                                            turning,
                                                                            factor,
                                                                            one.around.on(device)});
        return *there;
    }
    static const Region& packing() {
        static const Region here("halo packing");
        return here;
    }
    void count_trace() {
        const double traced = points * how.iterations;
        spent.departure.did(
            traced * (12 + four.operations_of_linear_stencil + 3 * four.operations_of_linear_field),
            traced * 10 * sizeof(T));
    }
    template <int fields> void count_interpolation(const EvenRows<T, fields>& rows, double count) {
        spent.interpolation.did(
            points * (rows.operations_of_stencil + count * rows.operations_of_field),
            points * (2 * count + 3) * sizeof(T));
    }
    Edge edge() const { return edge_of(inside, nx); }
    const T* factors() const { return factor.empty() ? nullptr : factor.data(); }
    static int padded(const Block& b) { return (b.nx + most - 1) / most * most; }
    template <class Body> void each_line(Body body) {
        for_each_line(domain, inside, nodes.levels(), body);
    }
    Displacement<T> displacement_of(const Line& l) {
        const int row = padded(*domain.blocks[l.b]);
        T* X = &displacement[first[l.b] + (std::size_t(l.r) * nodes.levels() + l.k) * 3 * row +
                             l.column];
        return {X, X + row, X + 2 * row};
    }
    Departures<T> from(const Line& l, const Displacement<T>& by) const {
        return departures<T, LinesHere>(l, nodes.height(l.k), by);
    }

    void trace(const Line& l, const Wind& now) {
        const T* const m = factors() ? factors() + std::size_t(l.j) * nx + l.i0 : nullptr;
        const auto by = displacement_of(l);
        Reach reach;
        tracing(l,
                {at<T>(domain, now.east, l), at<T>(domain, now.north, l),
                 at<T>(domain, now.vertical, l)},
                m, by, four, reach);
        if (four.around.alone()) return;
        LinearStencils<T> stencils;
        four.locate(from(l, by), 0, 0, stencils, reach);
        four.need(reach), one.need(reach);
    }

    /// Departure points of an interface.
    void trace(const Line& l, OnPlane& layers) {
        const int last = nodes.levels() - 1;
        Line up = l, down = l;
        up.k = tracing.above(l.k), down.k = tracing.below(l.k, last);
        const auto by = displacement_of(l);
        tracing.between(l.count, l.k > 0 && l.k < last, layers.displacement_of(up),
                        layers.displacement_of(down), by);
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
        count_interpolation(rows, count);
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
