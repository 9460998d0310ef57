/// The Eulerian scheme of the spectral atmosphere: semi-implicit leapfrog of vorticity, divergence,
/// T and pi (Bourke 1974, Hoskins & Simmons 1975),
///   X+ = X- + 2 dt F(X) + dt L(X+ - 2 X + X-)
/// F in grid points (eulerian.hpp), L linear about rest without rotation (semi_implicit.hpp),
/// diffusion implicit over 2 dt. Then the filter of Robert, Asselin and Williams (2009),
/// d = X- - 2 X + X+:
///   X = X + filter williams d,   X+ = X+ - filter (1 - williams) d
/// A tracer does the same without L. The first step is forward, dt/2 instead of dt from X- = X.
/// The mean of p_s over the sphere does not change in a step. Each step computes the coefficients
/// of X and X- from grid points: only grid-point values are kept from one step to the next.
#include "atmosphere/spectral/spectral_step.hpp"

namespace fathom::atmosphere {

namespace {

/// Semi-implicit leapfrog, diffusion and time filter in spectral space; then fields and gradients.
template <class T> class SpectralLeapfrog final : public LeapfrogStep<T> {
    using GlobalProcess::reads, GlobalProcess::updates, GlobalProcess::writes;
    using typename GlobalProcess::Given, typename GlobalProcess::Item;
    using LeapfrogStep<T>::engine;
    const std::string warmth;  // the temperature that is transformed
    const Item u_tendency = reads("eastward_wind_tendency", place::center_layer, "m s-2"),
               v_tendency = reads("northward_wind_tendency", place::center_layer, "m s-2"),
               T_tendency = reads(warmth + "_tendency", place::center_layer, "K s-1"),
               p_tendency = reads("surface_pressure_tendency", place::center_column, "s-1"),
               energy = reads("kinetic_energy", place::center_layer, "m2 s-2"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2"),
               u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"),
               temperature = updates(warmth, place::center_layer, "K"),
               pressure = updates("log_pressure_ratio", place::center_column, "1"),
               u_before = updates("eastward_wind_before", place::center_layer, "m s-1"),
               v_before = updates("northward_wind_before", place::center_layer, "m s-1"),
               T_before = updates(warmth + "_before", place::center_layer, "K"),
               p_before = updates("log_pressure_ratio_before", place::center_column, "1"),
               vorticity = writes("vorticity", place::center_layer, "s-1"),
               divergence = writes("divergence", place::center_layer, "s-1"),
               T_east = writes("temperature_gradient_east", place::center_layer, "K m-1"),
               T_north = writes("temperature_gradient_north", place::center_layer, "K m-1"),
               p_east = writes("pressure_gradient_east", place::center_column, "m-1"),
               p_north = writes("pressure_gradient_north", place::center_column, "m-1"),
               orography_east = reads("orography_gradient_east", place::center_column, "m s-2"),
               orography_north = reads("orography_gradient_north", place::center_column, "m s-2"),
               hybrid_eta = reads("hybrid_eta", place::profile, "1");
    LeapfrogFields fields(const FieldOf& at) const override {
        return {{at(u), at(v), at(temperature), at(pressure), at(divergence), at(T_east),
                 at(T_north), at(p_east), at(p_north)},
                at(u_before),
                at(v_before),
                at(T_before),
                at(p_before),
                at(u_tendency),
                at(v_tendency),
                at(T_tendency),
                at(p_tendency),
                at(energy),
                at(vorticity)};
    }

public:
    explicit SpectralLeapfrog(CommonLeapfrog<T> given)
        : LeapfrogStep<T>("SpectralLeapfrog", given), warmth(given->setup.temperature) {}
    void prepare(Given at) override {
        const SpectralSetup& s = engine->setup;
        engine->open(at.set.domain());
        at.set.set_profile(at[hybrid_eta].name,
                           SpectralEngine<T>::eta(s.a, s.b, s.parameters.reference_pressure));
        (*engine)->truncate_orography(at[orography], at[orography_east], at[orography_north]);
    }
};

/// Leapfrog, diffusion and time filter of tracers in spectral space.
template <class T> class TracerLeapfrog final : public GlobalProcess {
    struct Tracer {
        Item tendency, now, before, east, north;
    };
    std::vector<Tracer> tracers;
    CommonLeapfrog<T> engine;
    static TracerFields fields(const Given& at, const Tracer& t) {
        return {at[t.now], at[t.before], at[t.tendency], at[t.east], at[t.north]};
    }

public:
    explicit TracerLeapfrog(CommonLeapfrog<T> given)
        : GlobalProcess("TracerLeapfrog"), engine(std::move(given)) {
        for (auto& [name, units] : engine->setup.tracers)
            tracers.push_back(
                {reads(name + "_tendency", place::center_layer, per_second(units)),
                 updates(name, place::center_layer, units),
                 updates(name + "_before", place::center_layer, units),
                 writes(name + "_gradient_east", place::center_layer, per_metre(units)),
                 writes(name + "_gradient_north", place::center_layer, per_metre(units))});
    }
    void prepare(Given at) override { engine->open(at.set.domain()); }
    void start(Given at) override {
        for (auto& t : tracers) (*engine)->start(fields(at, t));
    }
    void changed(Given at) override {
        if (at.set.count == 0) return start(at);
        for (auto& t : tracers) (*engine)->truncate(fields(at, t));
    }
    void apply(Given at) override {
        for (auto& t : tracers) (*engine)->leap(fields(at, t), at.set.count == 0);
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        for (auto& t : tracers) {
            const Field of[] = {at.on_device(t.now), at.on_device(t.before),
                                at.on_device(t.tendency), at.on_device(t.east),
                                at.on_device(t.north)};
            (*engine)->leap(device, {of[0], of[1], of[2], of[3], of[4]}, at.set.count == 0);
        }
        return true;
    }

private:
    static std::string per_second(const std::string& units) {
        return units == "1" ? "s-1" : units + " s-1";
    }
    static std::string per_metre(const std::string& units) {
        return units == "1" ? "m-1" : units + " m-1";
    }
};

template <class T> SpectralDynamics parts_of(const SpectralSetup& setup) {
    const auto engine = std::make_shared<Shared<LeapfrogEngine<T>>>(setup);
    SpectralDynamics d;
    d.step = std::make_shared<SpectralLeapfrog<T>>(engine);
    if (!setup.tracers.empty()) d.tracer_leapfrog = std::make_shared<TracerLeapfrog<T>>(engine);
    return d;
}

}  // namespace

SpectralDynamics leapfrog_scheme(const SpectralSetup& setup, int bytes) {
    return bytes == 4 ? parts_of<float>(setup) : parts_of<double>(setup);
}

}  // namespace fathom::atmosphere
