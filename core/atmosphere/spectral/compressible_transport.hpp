/// Transport of compressible air: as that of hydrostatic air, and ln(p / pi) with it; the vertical
/// velocity lies on the interfaces, whose trajectories are the means of those of layers.
#pragma once
#include "atmosphere/spectral/semi_lagrangian_engine.hpp"

namespace fathom::atmosphere {

template <class T> class CompressibleTransport final : public GlobalProcess {
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
};

}  // namespace fathom::atmosphere
