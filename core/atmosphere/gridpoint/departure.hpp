/// The common part of trajectories on a plane and on a sphere: the fields, the winds of the last
/// step where departures reach; lines are traced again until no point is missing. Later
/// outer iterations of a step continue from the result of the last one, with one interpolation
/// less.
#pragma once
#include <optional>
#include "atmosphere/gridpoint/carrier_on.hpp"
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
        const auto [anew, onwards] = turn();
        bool once_more = false;
        const auto work = [&] {
            if (onwards && !rows->around.alone()) keep(given, once_more);
            for_each_line(d, rows->nodes.levels(), row_seconds,
                          [&](const Line& l) { trace(given, l, onwards); });
            trace_faces(given, onwards);
            once_more = true;
        };
        until_covered(*rows, d, before, work, anew);
    }
    bool apply_on(Device& device, Given given) override {
        if (setup.own_of_wind) return false;
        if (!there)
            there = device.make<CarrierOnDevice>(carrier_tables<T>(given.set.domain(), setup));
        const auto [anew, onwards] = turn();
        const auto by = on_device(given, displacement());
        bool once_more = false;
        const auto work = [&] {
            if (onwards && !rows->around.alone()) there->keep(by, once_more);
            there->depart(on_device(given, {u, v, w}), height(given), by, interpolations(onwards),
                          onwards);
            once_more = true;
        };
        until_covered_on(device, *rows, there->rows(RowsOf::wind),
                         on_device(given, {u_before, v_before, w_before}), work, anew);
        return true;
    }
    bool lives_on(Device&) override { return !setup.own_of_wind; }
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
               eta = writes(setup.by_velocity(), place::center_interface, "m");

    /// onwards: start from the result of the last outer iteration of this step.
    virtual void trace(Given, const Line&, bool onwards) = 0;
    /// The trajectories of the wind's own points, where they have some.
    virtual void trace_faces(Given, bool) {}
    int interpolations(bool onwards) const {
        return onwards ? std::max(setup.iterations - 1, 1) : setup.iterations;
    }
    virtual std::vector<Item> displacement() const { return {x, y, eta}; }
    /// Those of the wind's own points.
    virtual std::vector<Item> displacement_of_faces() const { return {}; }
    /// On a device: that of a sphere.
    virtual FieldSlab height(Given) const { return {}; }

private:
    long count = 0;
    std::unique_ptr<CarrierOnDevice> there;
    std::vector<T> kept;

    /// anew: the first outer iteration of a step.
    struct Turn {
        bool anew, onwards;
    };
    Turn turn() {
        const bool anew = count++ % setup.times == 0;
        return {anew, !anew && setup.iterations};
    }
    /// The displacements to continue from, since a line may have to be traced again.
    void keep(Given given, bool give_back) {
        const Domain& d = given.set.domain();
        std::size_t at_ = 0;
        const auto keep_field = [&](Item item, int levels) {
            for (int b = 0; b < int(d.blocks.size()); ++b)
                for (int r = 0; r < d.blocks[b]->ny; ++r)
                    for (int k = 0; k < levels; ++k) {
                        const int count = d.blocks[b]->nx;
                        T* field = at<T>(d, given[item], Line{b, r, k, 0, 0, 0, count});
                        kept.resize(std::max(kept.size(), at_ + count));
                        if (give_back)
                            std::copy_n(&kept[at_], count, field);
                        else
                            std::copy_n(field, count, &kept[at_]);
                        at_ += count;
                    }
        };
        for (Item item : displacement()) keep_field(item, d.levels + 1);
        for (Item item : displacement_of_faces()) keep_field(item, d.levels);
    }
};

}  // namespace fathom::atmosphere
