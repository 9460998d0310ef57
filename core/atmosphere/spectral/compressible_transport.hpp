/// Transport of compressible air: as that of hydrostatic air, and ln(p / pi) and the pressure of
/// levels (nonhydrostatic/climb.hpp) with it; the vertical velocity lies on the interfaces, whose
/// trajectories are the means of those of layers.
#pragma once
#include "atmosphere/spectral/wind_transport.hpp"

namespace fathom::atmosphere {

template <class T> class CompressibleTransport final : public AirTransport<T> {
    using typename GlobalProcess::Given, typename GlobalProcess::Item;
    using typename WindTransport<T>::Wind;
    using GlobalProcess::updates, WindTransport<T>::engine;
    const Item departure = updates("log_pressure_departure_carried", place::center_layer, "1"),
               level = updates("level_pressure_carried", place::center_layer, "Pa"),
               upward = updates("upward_air_velocity_carried", place::center_interface, "m s-1");
    typename Carrier<T>::Group one{{}, Carrier<T>::Kind::scalar};

public:
    explicit CompressibleTransport(Common<T> engine)
        : AirTransport<T>("CompressibleTransport", std::move(engine)) {
        one.fields.resize(1);
    }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        AirTransport<T>::apply(at);
        for (const Item item : {departure, level}) {
            one.fields[0] = at[item];
            e.transport->interpolate(one, one.fields);
        }
        e.between->depart_between(*e.transport);
        one.fields[0] = at[upward];
        e.between->interpolate(one, one.fields);
    }
    bool apply_on(Device& device, Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        AirTransport<T>::apply_on(device, at);
        for (const Item item : {departure, level}) {
            one.fields[0] = at.on_device(item);
            e.transport->interpolate_on(device, one);
        }
        e.between->depart_between_on(device, *e.transport);
        one.fields[0] = at.on_device(upward);
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
        Rounded<T> wind, departure, level, upward;

    public:
        explicit About(const CompressibleTransport& of)
            : of(of),
              layers((*of.engine)->linear_transport()),
              between((*of.engine)->linear_between()),
              of_layers(std::make_shared<typename Transport::About>()) {}
        std::array<FieldSlab, 1> alone(const Given& at, Item item) const { return {at[item]}; }
        void follow(Given at, bool single) {
            layers.follow(of.now(at), of.next(at), single, *of_layers);
            layers.follow(of.of_carried(at), true, single, *of_layers, wind);
            layers.follow(alone(at, of.departure), false, single, *of_layers, departure);
            layers.follow(alone(at, of.level), false, single, *of_layers, level);
            layers.latest = of_layers;
            between.follow_between(layers, single, of_interfaces);
            between.follow(alone(at, of.upward), false, single, of_interfaces, upward);
        }
        void tangent(Given at) override {
            layers.tangent(*of_layers, of.now(at), of.next(at));
            layers.tangent(*of_layers, wind, of.of_carried(at), true);
            layers.tangent(*of_layers, departure, alone(at, of.departure), false);
            layers.tangent(*of_layers, level, alone(at, of.level), false);
            between.tangent_between(layers, of_interfaces);
            between.tangent(of_interfaces, upward, alone(at, of.upward), false);
        }
        void adjoint(Given at) override {
            between.adjoint(of_interfaces, upward, alone(at, of.upward), false);
            between.adjoint_between(layers);
            layers.adjoint(*of_layers, level, alone(at, of.level), false);
            layers.adjoint(*of_layers, departure, alone(at, of.departure), false);
            layers.adjoint(*of_layers, wind, of.of_carried(at), true);
            layers.adjoint(*of_layers, of.now(at), of.next(at));
        }
        std::size_t bytes() const override {
            return of_layers->bytes() + of_interfaces.bytes() + wind.bytes() + departure.bytes() +
                   level.bytes() + upward.bytes();
        }
    };
};

}  // namespace fathom::atmosphere
