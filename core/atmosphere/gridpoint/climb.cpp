#include "atmosphere/gridpoint/climb.hpp"
#include <optional>
#include "atmosphere/gridpoint/carrier_on.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class ClimbOfTrajectories final : public GridPointCarrier {
public:
    explicit ClimbOfTrajectories(GridPointSetup s)
        : GridPointCarrier("GridPointClimb"), setup(std::move(s)) {
        const char* unit = setup.radius > 0 ? "1" : "m";
        displacement = {reads("displacement_x", place::center_interface, unit),
                        reads("displacement_y", place::center_interface, unit)};
        if (setup.radius > 0)
            displacement.push_back(reads("displacement_axis", place::center_interface, "1"));
        displacement.push_back(reads(setup.by_velocity(), place::center_interface, "m"));
    }
    void prepare(Given given) override {
        const Domain& d = given.set.domain();
        const bool sphere = setup.radius > 0;
        rows.emplace(d.comm, d.decomposition,
                     sphere ? edge_of(setup, Edge::beside_pole) : edge_of_plane(d, false),
                     setup.heights);
        const T now = T(setup.implicitness * setup.step),
                then = T((1 - setup.implicitness) * setup.step);
        if (sphere)
            on_sphere.emplace(sphere_departures<T>(d, setup), now, then);
        else
            on_plane.emplace(PlaneDepartures<T, LinesHere>{T(1 / setup.dx), T(1 / setup.dy),
                                                           middles_around<T>(d)},
                             now, then);
    }
    void apply(Given given) override {
        const Domain& d = given.set.domain();
        const FieldSlab* of[] = {&given[w], &given[z]};
        const auto work = [&] {
            for_each_line(d, rows->nodes.levels(), row_seconds, [&](const Line& l) {
                on_sphere ? climb(*on_sphere, given, l) : climb(*on_plane, given, l);
            });
        };
        until_covered(*rows, d, of, work, anew());
    }
    bool apply_on(Device& device, Given given) override {
        if (!there)
            there = device.make<CarrierOnDevice>(carrier_tables<T>(given.set.domain(), setup));
        const auto fields = on_device(given, {w, z}), by = on_device(given, displacement);
        until_covered_on(
            device, *rows, there->rows(RowsOf::heights), fields,
            [&] { there->climb(fields, by, given.on_device(eta)); }, anew());
        return true;
    }
    bool lives_on(Device&) override { return true; }
    GridPointHalo halo() const override {
        return {rows->around.points_received(), rows->around.plans};
    }

private:
    template <class From> using Climbing = Climb<T, LinesHere, From>;
    const GridPointSetup setup;
    std::optional<EvenRows<T, 2>> rows;
    std::optional<Climbing<PlaneDepartures<T, LinesHere>>> on_plane;
    std::optional<Climbing<SphereDepartures<T>>> on_sphere;
    std::unique_ptr<CarrierOnDevice> there;
    long count = 0;
    std::vector<Item> displacement;
    const Item w = reads("upward_air_velocity", place::center_interface, "m s-1"),
               z = reads("interface_height", place::center_interface, "m"),
               eta = writes("displacement_level", place::center_interface, "m");

    /// In the first outer iteration of a step w is that of the last step.
    bool anew() { return count++ % setup.times == 0; }

    template <class From> void climb(const Climbing<From>& climbing, Given given, const Line& l) {
        const Domain& d = given.set.domain();
        std::array<FieldFrom<const T>, Climbing<From>::components> by;
        for (std::size_t n = 0; n < by.size(); ++n) by[n] = from<T>(d, given[displacement[n]], l);
        Reach reach;
        climbing(l, at<T>(d, given[w], l), from<T>(d, given[z], l), by.data(),
                 at<T>(d, given[eta], l), *rows, reach);
        rows->need(reach);
    }
};

}  // namespace

std::shared_ptr<GridPointCarrier> gridpoint_climb(const GridPointSetup& s, int bytes) {
    if (bytes == 4) return std::make_shared<ClimbOfTrajectories<float>>(s);
    return std::make_shared<ClimbOfTrajectories<double>>(s);
}

}  // namespace fathom::atmosphere
