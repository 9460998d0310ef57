#include "atmosphere/gridpoint/tracers.hpp"
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include "atmosphere/gridpoint/carrier_on.hpp"
#include "atmosphere/gridpoint/mass.hpp"
#include "atmosphere/tracer_share.hpp"

namespace fathom::atmosphere {

namespace {

/// Tracers that lie next to each other and are transported together.
template <class T> class Together {
public:
    virtual ~Together() = default;
    using Depart = std::function<void(const Line&, Departures<T>&)>;
    virtual void carry(const Domain&, std::span<const FieldSlab* const>, const Depart&) = 0;
    virtual void carry_on(Device&, CarrierOnDevice&, const CarrierOnDevice::Fields& displacement,
                          const CarrierOnDevice::Fields&) = 0;
    virtual const OnDemandHalo& halo() const = 0;
};
template <class T, int fields> class Some final : public Together<T> {
public:
    Some(const Domain& d, Edge edge, const std::vector<double>& heights)
        : rows(d.comm, d.decomposition, edge, heights) {}
    const OnDemandHalo& halo() const override { return rows.around; }
    void carry(const Domain& d, std::span<const FieldSlab* const> of,
               const typename Together<T>::Depart& depart) override {
        until_covered(rows, d, of, [&] {
            for_each_line(d, d.levels, [&](const Line& l) {
                Departures<T> from{l.i0, l.k, l.count};
                depart(l, from);
                Reach reach;
                Gathered<T, fields> found;
                found.template take<true>(rows, from, reach);
                for (int f = 0; f < fields; ++f) found.give(f, l.count, at<T>(d, *of[f], l));
                rows.need(reach);
            });
        });
    }
    void carry_on(Device& device, CarrierOnDevice& there, const CarrierOnDevice::Fields& by,
                  const CarrierOnDevice::Fields& of) override {
        constexpr auto place = fields == 1   ? RowsOf::tracer
                               : fields == 2 ? RowsOf::two_tracers
                                             : RowsOf::tracers;
        atmosphere::carry_on(device, there, place, rows, by, of, of);
    }

private:
    EvenRows<T, fields> rows;
};
template <class T>
std::unique_ptr<Together<T>> together(std::size_t fields, const Domain& d, Edge edge,
                                      const std::vector<double>& heights) {
    if (fields == 1) return std::make_unique<Some<T, 1>>(d, edge, heights);
    if (fields == 2) return std::make_unique<Some<T, 2>>(d, edge, heights);
    if (fields == 3) return std::make_unique<Some<T, 3>>(d, edge, heights);
    return std::make_unique<Some<T, 4>>(d, edge, heights);
}

template <class T> class TracerTransport final : public GridPointCarrier {
public:
    TracerTransport(GridPointSetup s,
                    const std::vector<std::pair<std::string, std::string>>& tracers, bool keep_mass)
        : GridPointCarrier("GridPointTracers"), setup(std::move(s)), keep_mass(keep_mass) {
        const char* units = setup.radius > 0 ? "1" : "m";
        x = reads("displacement_x", place::center_interface, units);
        y = reads("displacement_y", place::center_interface, units);
        if (setup.radius > 0) axis = reads("displacement_axis", place::center_interface, units);
        for (auto& [name, unit] : tracers)
            fields.push_back(updates(name, place::center_layer, unit));
    }
    void prepare(Given g) override {
        const Domain& d = g.set.domain();
        if (setup.radius > 0)
            on_sphere = sphere_departures<T>(d, setup);
        else
            on_plane.emplace(T(1 / setup.dx), T(1 / setup.dy), middles_around<T>(d));
        const Edge edge =
            setup.radius > 0 ? edge_of(setup, Edge::beside_pole) : edge_of_plane(d, false);
        const std::vector<double> heights = of_tracers(setup.heights);
        for (std::size_t n = 0; n < fields.size(); n += most)
            groups.push_back(together<T>(std::min(most, fields.size() - n), d, edge, heights));
        nodes.emplace(heights);
    }
    void apply(Given g) override {
        std::vector<Mass> before;
        for (Item tracer : fields)
            if (keep_mass) before.push_back(mass(g, g[tracer]));
        for (std::size_t n = 0; n < groups.size(); ++n) {
            std::vector<const FieldSlab*> of;
            for (Item field : group(n)) of.push_back(&g[field]);
            groups[n]->carry(g.set.domain(), of,
                             [&](const Line& l, Departures<T>& to) { from(g, l, to); });
        }
        for (std::size_t n = 0; n < before.size(); ++n) correct(g, g[fields[n]], before[n]);
    }
    bool apply_on(Device& device, Given g) override {
        if (!there) {
            there = device.make<CarrierOnDevice>(carrier_tables<T>(g.set.domain(), setup));
            masses = air_mass_on(device, g.set, curvature());
        }
        const auto tracers = on_device(g, fields);
        const std::vector<Mass> before =
            keep_mass ? masses_before(g, tracers) : std::vector<Mass>();
        const auto by =
            on_device(g, setup.radius > 0 ? std::vector{x, y, axis, eta} : std::vector{x, y, eta});
        for (std::size_t n = 0; n < groups.size(); ++n)
            groups[n]->carry_on(device, *there, by, on_device(g, group(n)));
        for (std::size_t n = 0; n < before.size(); ++n) correct_on(g, tracers[n], before[n]);
        return true;
    }
    bool lives_on(Device&) override { return true; }
    GridPointHalo halo() const override {
        GridPointHalo all;
        for (auto& group : groups)
            all.points += group->halo().points_received(), all.plans += group->halo().plans;
        return all;
    }

private:
    const GridPointSetup setup;
    const bool keep_mass;
    std::optional<SphereDepartures<T>> on_sphere;
    std::optional<PlaneDepartures<T, LinesHere>> on_plane;
    static constexpr std::size_t most = 4;  ///< next to each other
    std::vector<std::unique_ptr<Together<T>>> groups;
    std::optional<LevelNodes<T>> nodes;
    std::unique_ptr<CarrierOnDevice> there;
    std::unique_ptr<AirMassOnDevice> masses;
    std::vector<Item> fields;
    Item x{}, y{}, axis{};
    const Item eta = reads("displacement_level", place::center_interface, "m"),
               density_before = reads("density_before", place::center_layer, "kg m-3"),
               density = reads("air_density", place::center_layer, "kg m-3"),
               z = reads("interface_height", place::center_interface, "m"),
               area = reads("area_center", place::center_column, "m2");

    std::vector<Item> group(std::size_t n) const {
        const auto first = fields.begin() + n * most;
        return {first, first + std::min(most, fields.size() - n * most)};
    }
    /// The departure points of a line.
    void from(Given g, const Line& l, Departures<T>& to) const {
        const Domain& d = g.set.domain();
        const T height = nodes->height(l.k);
        if (!on_sphere)
            return on_plane->depart(l, Around::interface, height,
                                    from_each<T>(d, l, g[x], g[y], g[eta]).data(), to);
        SphereTrajectories<T, LinesHere> t(l);
        on_sphere->depart(l, Around::interface, height,
                          from_each<T>(d, l, g[x], g[y], g[axis], g[eta]).data(), t);
        to = t.from;
    }

    struct Mass {
        double tracer, air;
    };
    double curvature() const { return setup.deep ? 1 / setup.radius : 0; }
    Air air(Given g, Item rho) const { return {g[rho], g[z], g[area], curvature()}; }
    Mass mass(Given g, const Field& tracer) const {
        const auto [all, air] = masses_of<T>(g.set.domain(), this->air(g, density_before), tracer,
                                             [](T) { return T(1); });
        return {all, air};
    }
    void correct(Given g, const Field& tracer, Mass before) const {
        const Domain& d = g.set.domain();
        const TracerShare<T> share{T(std::abs(before.tracer) / before.air)};
        const auto [now, shares] = masses_of<T>(d, air(g, density), tracer, share);
        const T c = T(share_to_return(before.tracer, now, shares));
        for_each_line(d, d.levels, [&](const Line& l) {
            T* q = at<T>(d, tracer, l);
            for (int i = 0; i < l.count; ++i) q[i] += c * share(q[i]);
        });
    }

    AirMassOnDevice::Air air_on(Given g, Item rho) const {
        return {g.on_device(rho), g.on_device(z), g.on_device(area)};
    }
    std::vector<Mass> masses_before(Given g, const std::vector<FieldSlab>& tracers) const {
        const MPI_Comm comm = g.set.domain().comm;
        const auto air = air_on(g, density_before);
        masses->terms(air);
        const double of_air = exact_sum(comm, *masses, 0);
        std::vector<Mass> all;
        for (const FieldSlab& tracer : tracers) {
            masses->terms(air, tracer, 0);
            all.push_back({exact_sum(comm, *masses, 0), of_air});
        }
        return all;
    }
    void correct_on(Given g, const FieldSlab& tracer, Mass before) const {
        const MPI_Comm comm = g.set.domain().comm;
        const double mean = std::abs(before.tracer) / before.air;
        masses->terms(air_on(g, density), tracer, mean);
        const double now = exact_sum(comm, *masses, 0), shares = exact_sum(comm, *masses, 1);
        masses->correct(tracer, mean, share_to_return(before.tracer, now, shares));
    }
};

}  // namespace

std::shared_ptr<GridPointCarrier> gridpoint_tracers(
    const GridPointSetup& s, const std::vector<std::pair<std::string, std::string>>& tracers,
    bool keep_mass, int bytes) {
    if (bytes == 4) return std::make_shared<TracerTransport<float>>(s, tracers, keep_mass);
    return std::make_shared<TracerTransport<double>>(s, tracers, keep_mass);
}

}  // namespace fathom::atmosphere
