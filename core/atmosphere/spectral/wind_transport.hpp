/// Transport along the trajectories of the wind, as a global process: of any fields, or of those of
/// an atmosphere.
#pragma once
#include <utility>
#include "atmosphere/linearised_transport.hpp"
#include "atmosphere/spectral/semi_lagrangian_engine.hpp"

namespace fathom::atmosphere {

/// From departure to arrival points (carrier.hpp).
template <class T> class WindTransport : public GlobalProcess, public Linearisable {
protected:
    using Wind = typename Carrier<T>::Wind;
    const Item u = reads("eastward_wind", place::center_layer, "m s-1"),
               v = reads("northward_wind", place::center_layer, "m s-1"),
               w = reads("eta_velocity", place::center_layer, "s-1"),
               u_next = reads("eastward_wind_extrapolated", place::center_layer, "m s-1"),
               v_next = reads("northward_wind_extrapolated", place::center_layer, "m s-1"),
               w_next = reads("eta_velocity_extrapolated", place::center_layer, "s-1");
    std::vector<Item> carried;
    Common<T> engine;

public:
    struct Carried {
        std::string name, units;
    };
    /// carried: first the two of the wind.
    WindTransport(std::string name, Common<T> engine, const std::vector<Carried>& carried)
        : GlobalProcess(std::move(name)), engine(std::move(engine)) {
        for (auto& field : carried)
            this->carried.push_back(updates(field.name, place::center_layer, field.units));
        group.fields.resize(carried.size());
    }
    void prepare(Given at) override { engine->open(at.set.domain()); }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        e.transport->depart(now(at), next(at));
        for (std::size_t n = 0; n < carried.size(); ++n) group.fields[n] = at[carried[n]];
        e.transport->interpolate(group, group.fields);
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        const auto there = [&](Item item) -> FieldSlab { return at.on_device(item); };
        e.transport->depart_on(device, {there(u), there(v), there(w)},
                               {there(u_next), there(v_next), there(w_next)});
        for (std::size_t n = 0; n < carried.size(); ++n) group.fields[n] = there(carried[n]);
        e.transport->interpolate_on(device, group);
        return true;
    }
    std::unique_ptr<Linearisation> linearise(
        Given state, bool single, std::unique_ptr<Linearisation> earlier) const override {
        return linearised<LinearisedTransport<T, Fields>>(
            (*engine)->linear_transport(), Fields{*this}, state, single, std::move(earlier));
    }

protected:
    Wind now(const Given& at) const { return {at[u], at[v], at[w]}; }
    Wind next(const Given& at) const { return {at[u_next], at[v_next], at[w_next]}; }
    std::vector<FieldSlab> of_carried(const Given& at) const {
        std::vector<FieldSlab> fields;
        for (const Item item : carried) fields.push_back(at[item]);
        return fields;
    }

private:
    typename Carrier<T>::Group group{{}, Carrier<T>::Kind::wind};
    struct Fields {
        const WindTransport& of;
        Wind now(const Given& at) const { return of.now(at); }
        Wind next(const Given& at) const { return of.next(at); }
        std::vector<FieldSlab> carried(const Given& at) const { return of.of_carried(at); }
    };
};

/// Wind, temperature and surface pressure; the mean pressure before them.
template <class T> class AirTransport : public WindTransport<T> {
protected:
    using typename GlobalProcess::Given, typename GlobalProcess::Item;

private:
    const Item pressure = this->reads("log_pressure_ratio", place::center_column, "1");
    bool keeps_mass() const { return this->engine->setup.parameters.fix_mass > 0; }

public:
    AirTransport(std::string name, Common<T> engine)
        : WindTransport<T>(std::move(name), std::move(engine),
                           {{"eastward_wind_carried", "m s-1"},
                            {"northward_wind_carried", "m s-1"},
                            {"temperature_carried", "K"},
                            {"log_pressure_ratio_carried", "1"}}) {}
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **this->engine;
        if (keeps_mass()) e.mean_pressure = e.mean(at[pressure]);
        WindTransport<T>::apply(at);
    }
    bool apply_on(Device& device, Given at) override {
        if (keeps_mass()) (*this->engine)->take_mean_pressure(device, at.on_device(pressure));
        return WindTransport<T>::apply_on(device, at);
    }
};

}  // namespace fathom::atmosphere
