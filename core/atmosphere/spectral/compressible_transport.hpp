/// Transport of compressible air: as that of hydrostatic air, and ln(p / pi) with it; the vertical
/// velocity lies on the interfaces, whose trajectories are the means of those of layers.
#pragma once
#include "atmosphere/spectral/semi_lagrangian_engine.hpp"
#include "field/linearisation.hpp"

namespace fathom::atmosphere {

template <class T> class CompressibleTransport final : public GlobalProcess, public Linearisable {
    using Wind = typename Carrier<T>::Wind;
    const Item u = reads("eastward_wind", place::center_layer, "m s-1"),
               v = reads("northward_wind", place::center_layer, "m s-1"),
               w = reads("eta_velocity", place::center_layer, "s-1"),
               u_next = reads("eastward_wind_extrapolated", place::center_layer, "m s-1"),
               v_next = reads("northward_wind_extrapolated", place::center_layer, "m s-1"),
               w_next = reads("eta_velocity_extrapolated", place::center_layer, "s-1");
    const Item pressure = reads("log_pressure_ratio", place::center_column, "1"),
               carried[4] = {updates("eastward_wind_carried", place::center_layer, "m s-1"),
                             updates("northward_wind_carried", place::center_layer, "m s-1"),
                             updates("temperature_carried", place::center_layer, "K"),
                             updates("log_pressure_ratio_carried", place::center_layer, "1")},
               departure = updates("log_pressure_departure_carried", place::center_layer, "1"),
               upward = updates("upward_air_velocity_carried", place::center_interface, "m s-1");
    Common<T> engine;
    typename Carrier<T>::Group wind{{}, Carrier<T>::Kind::wind}, one{{}, Carrier<T>::Kind::scalar};

public:
    explicit CompressibleTransport(Common<T> engine)
        : GlobalProcess("CompressibleTransport"), engine(std::move(engine)) {
        wind.fields.resize(4), one.fields.resize(1);
    }
    void prepare(Given at) override { engine->open(at.set.domain()); }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        if (engine->setup.parameters.fix_mass > 0) e.mean_pressure = e.mean(at[pressure]);
        e.transport->depart(Wind{at[u], at[v], at[w]}, Wind{at[u_next], at[v_next], at[w_next]});
        for (int n = 0; n < 4; ++n) wind.fields[n] = at[carried[n]];
        e.transport->interpolate(wind, wind.fields);
        one.fields[0] = at[departure];
        e.transport->interpolate(one, one.fields);
        e.between->depart_between(*e.transport);
        one.fields[0] = at[upward];
        e.between->interpolate(one, one.fields);
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        const auto there = [&](Item item) -> FieldSlab { return at.on_device(item); };
        if (engine->setup.parameters.fix_mass > 0) e.take_mean_pressure(device, there(pressure));
        e.transport->depart_on(device, Wind{there(u), there(v), there(w)},
                               Wind{there(u_next), there(v_next), there(w_next)});
        for (int n = 0; n < 4; ++n) wind.fields[n] = there(carried[n]);
        e.transport->interpolate_on(device, wind);
        one.fields[0] = there(departure);
        e.transport->interpolate_on(device, one);
        e.between->depart_between_on(device, *e.transport);
        one.fields[0] = there(upward);
        e.between->interpolate_on(device, one);
        return true;
    }
    std::unique_ptr<Linearisation> linearise(
        Given state, bool single, std::unique_ptr<Linearisation> earlier) const override {
        if (!earlier) earlier = std::make_unique<About>(*this);
        static_cast<About&>(*earlier).follow(state, single);
        return earlier;
    }

private:
    /// About the state of one step: trajectories of layers, and what is carried along both kinds.
    class About final : public Linearisation {
        using Transport = LinearTransport<T>;
        const CompressibleTransport& of;
        Transport &layers, &between;
        const std::shared_ptr<typename Transport::About> of_layers;  // tracers need them too
        typename Transport::About of_interfaces;
        Rounded<T> wind, departure, upward;

    public:
        explicit About(const CompressibleTransport& of)
            : of(of),
              layers((*of.engine)->linear_transport()),
              between((*of.engine)->linear_between()),
              of_layers(std::make_shared<typename Transport::About>()) {}
        Wind now(const Given& at) const { return {at[of.u], at[of.v], at[of.w]}; }
        Wind next(const Given& at) const { return {at[of.u_next], at[of.v_next], at[of.w_next]}; }
        std::array<FieldSlab, 4> four(const Given& at) const {
            return {at[of.carried[0]], at[of.carried[1]], at[of.carried[2]], at[of.carried[3]]};
        }
        std::array<FieldSlab, 1> alone(const Given& at, Item item) const { return {at[item]}; }
        void follow(Given at, bool single) {
            layers.follow(now(at), next(at), single, *of_layers);
            layers.follow(four(at), true, single, *of_layers, wind);
            layers.follow(alone(at, of.departure), false, single, *of_layers, departure);
            layers.latest = of_layers;
            between.follow_between(layers, single, of_interfaces);
            between.follow(alone(at, of.upward), false, single, of_interfaces, upward);
        }
        void tangent(Given at) override {
            layers.tangent(*of_layers, now(at), next(at));
            layers.tangent(*of_layers, wind, four(at), true);
            layers.tangent(*of_layers, departure, alone(at, of.departure), false);
            between.tangent_between(layers, of_interfaces);
            between.tangent(of_interfaces, upward, alone(at, of.upward), false);
        }
        void adjoint(Given at) override {
            between.adjoint(of_interfaces, upward, alone(at, of.upward), false);
            between.adjoint_between(layers);
            layers.adjoint(*of_layers, departure, alone(at, of.departure), false);
            layers.adjoint(*of_layers, wind, four(at), true);
            layers.adjoint(*of_layers, now(at), next(at));
        }
        std::size_t bytes() const override {
            return of_layers->bytes() + of_interfaces.bytes() + wind.bytes() + departure.bytes() +
                   upward.bytes();
        }
    };
};

}  // namespace fathom::atmosphere
