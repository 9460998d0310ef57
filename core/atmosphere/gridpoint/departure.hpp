/// What trajectories on a plane and on a sphere have in common: the fields, the winds of the last
/// step wherever departures reach, and lines that are traced until all of them are covered.
#pragma once
#include <optional>
#include "atmosphere/gridpoint/lines.hpp"
#include "atmosphere/gridpoint/transport.hpp"

namespace fathom::atmosphere {

template <class T> class GridPointDeparture : public GridPointCarrier {
public:
    /// unit: of the displacement along x and y.
    GridPointDeparture(GridPointSetup s, const char* unit)
        : GridPointCarrier("GridPointDeparture"),
          setup(std::move(s)),
          x(writes("displacement_x", place::center_interface, unit)),
          y(writes("displacement_y", place::center_interface, unit)) {}
    void apply(Given given) override {
        const FieldSlab* before[] = {&given[u_before], &given[v_before], &given[w_before]};
        const Domain& d = given.set.domain();
        const auto work = [&] {
            for_each_line(d, rows->nodes.levels(), [&](const Line& l) { trace(given, l); });
        };
        until_covered(*rows, d, before, work, count++ % setup.times == 0);
    }
    GridPointHalo halo() const override {
        return {rows->around.points_received(), rows->around.plans};
    }

protected:
    const GridPointSetup setup;
    std::optional<EvenRows<T, 3>> rows;
    const Item u = reads("x_wind_at_interface", place::center_interface, "m s-1"),
               v = reads("y_wind_at_interface", place::center_interface, "m s-1"),
               w = reads("level_velocity", place::center_interface, "m s-1"),
               u_before = reads("x_wind_before", place::center_interface, "m s-1"),
               v_before = reads("y_wind_before", place::center_interface, "m s-1"),
               w_before = reads("level_velocity_before", place::center_interface, "m s-1"), x, y,
               eta = writes("displacement_level", place::center_interface, "m");

    virtual void trace(Given, const Line&) = 0;

private:
    long count = 0;
};

}  // namespace fathom::atmosphere
