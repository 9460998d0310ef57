/// Transport of compressible air: as that of hydrostatic air, and ln(p / pi) with it; the vertical
/// velocity lies on the interfaces and has separate trajectories.
#pragma once
#include "atmosphere/spectral/semi_lagrangian_engine.hpp"

namespace fathom::atmosphere {

template <class T> class CompressibleTransport final : public GlobalProcess {
    /// A wind of layers or interfaces: now, and extrapolated.
    struct Winds {
        Item now[3], next[3];
        typename Carrier<T>::Wind at(const Given& fields, const Item* of) const {
            return {fields[of[0]], fields[of[1]], fields[of[2]]};
        }
    };
    Winds winds(const std::string& end, Place place) {
        Winds w{{}, {}};
        int n = 0;
        for (const char* part : {"eastward_wind", "northward_wind", "eta_velocity"}) {
            const std::string name = part, units = n < 2 ? "m s-1" : "s-1";
            w.now[n] = reads(name + end, place, units);
            w.next[n++] = reads(name + end + "_extrapolated", place, units);
        }
        return w;
    }
    const Winds of_layers = winds("", place::center_layer),
                of_interfaces = winds("_interface", place::center_interface);
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
        e.transport->depart(of_layers.at(at, of_layers.now), of_layers.at(at, of_layers.next));
        for (int n = 0; n < 4; ++n) wind.fields[n] = at[carried[n]];
        e.transport->interpolate(wind, wind.fields);
        one.fields[0] = at[departure];
        e.transport->interpolate(one, one.fields);
        e.between->depart(of_interfaces.at(at, of_interfaces.now),
                          of_interfaces.at(at, of_interfaces.next));
        one.fields[0] = at[upward];
        e.between->interpolate(one, one.fields);
    }
};

}  // namespace fathom::atmosphere
