/// The semi-Lagrangian scheme of the spectral atmosphere (dynamics.hpp): declarations and work of
/// its global processes.
#include "atmosphere/spectral/compressible_transport.hpp"
#include "atmosphere/spectral/coupling.hpp"
#include "atmosphere/spectral/spectral_step.hpp"
#include "atmosphere/spectral/wind_transport.hpp"

namespace fathom::atmosphere {

namespace {

/// Tracers: transported without further terms, limited to the values around the departure point,
/// four at once.
template <class T> class TracerTransport final : public GlobalProcess, public Linearisable {
    const Item pressure = reads("log_pressure_ratio", place::center_column, "1");
    std::vector<Item> tracers;
    Common<T> engine;
    std::vector<typename Carrier<T>::Group> groups;

public:
    explicit TracerTransport(Common<T> given)
        : GlobalProcess("TracerTransport"), engine(std::move(given)) {
        for (auto& [name, units] : engine->setup.tracers) {
            if (tracers.size() % 4 == 0) groups.push_back({{}, Carrier<T>::Kind::scalar, true});
            groups.back().fields.emplace_back();
            tracers.push_back(updates(name, place::center_layer, units));
        }
    }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        for (std::size_t n = 0; n < tracers.size(); ++n) {
            auto& group = groups[n / 4];
            group.fields[n % 4] = at[tracers[n]];
            if (engine->setup.parameters.fix_mass > 0)
                e.tracer_mass[n] = e.mass_of(group.fields[n % 4], at[pressure]);
            if (n % 4 == group.fields.size() - 1) e.transport->interpolate(group, group.fields);
        }
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        for (std::size_t n = 0; n < tracers.size(); ++n) {
            auto& group = groups[n / 4];
            group.fields[n % 4] = at.on_device(tracers[n]);
            if (engine->setup.parameters.fix_mass > 0) {
                e.sums_on(device).masses(group.fields[n % 4], at.on_device(pressure), 0);
                e.tracer_mass[n] = e.sum_on(device);
            }
            if (n % 4 == group.fields.size() - 1) e.transport->interpolate_on(device, group);
        }
        return true;
    }
    /// Without the limiter.
    struct Fields {
        const TracerTransport& of;
        std::vector<std::vector<FieldSlab>> operator()(const Given& at) const {
            std::vector<std::vector<FieldSlab>> all(of.groups.size());
            for (std::size_t n = 0; n < of.tracers.size(); ++n)
                all[n / 4].push_back(at[of.tracers[n]]);
            return all;
        }
    };
    std::unique_ptr<Linearisation> linearise(
        Given state, bool single, std::unique_ptr<Linearisation> earlier) const override {
        return linearised<LinearisedTracers<T, Fields>>(
            (*engine)->linear_transport(), Fields{*this}, state, single, std::move(earlier));
    }
};

/// a and b of the interpolant's slopes at levels (lagrange.hpp), times the thickness of the layer:
/// a (f_k - f_k-1) + b (f_k+1 - f_k).
std::array<std::vector<double>, 2> slopes_of_levels(const std::vector<double>& interfaces,
                                                    const std::vector<double>& middles) {
    const std::size_t levels = middles.size();
    std::vector<double> a(levels), b(levels);
    for (std::size_t k = 0; k < levels; ++k) {
        const double thick = interfaces[k + 1] - interfaces[k],
                     up = k > 0 ? middles[k] - middles[k - 1] : 0,
                     down = k + 1 < levels ? middles[k + 1] - middles[k] : 0;
        a[k] = up > 0 ? thick / up * (down > 0 ? down / (up + down) : 1) : 0;
        b[k] = down > 0 ? thick / down * (up > 0 ? up / (up + down) : 1) : 0;
    }
    return {std::move(a), std::move(b)};
}

/// Of an atmosphere.
template <class T> class SpectralStep : public SemiLagrangianStep<T> {
    using GlobalProcess::reads, GlobalProcess::updates, GlobalProcess::writes;
    using typename GlobalProcess::Given, typename GlobalProcess::Item;
    using SemiLagrangianStep<T>::engine;
    const Item u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"), temperature,
               pressure = updates("log_pressure_ratio", place::center_column, "1"),
               divergence = writes("divergence", place::center_layer, "s-1"),
               T_east = writes("temperature_gradient_east", place::center_layer, "K m-1"),
               T_north = writes("temperature_gradient_north", place::center_layer, "K m-1"),
               p_east = writes("pressure_gradient_east", place::center_column, "m-1"),
               p_north = writes("pressure_gradient_north", place::center_column, "m-1"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2"),
               orography_east = reads("orography_gradient_east", place::center_column, "m s-2"),
               orography_north = reads("orography_gradient_north", place::center_column, "m s-2"),
               hybrid_eta = reads("hybrid_eta", place::profile, "1"),
               alpha = reads("reference_alpha", place::profile, "1"),
               log_ratio = reads("reference_log_ratio", place::profile, "1"),
               thickness = reads("reference_thickness", place::profile, "1");
    /// If T - T_s is transported: T_s, and a and b of the slopes of levels (primitive.hpp).
    std::optional<Item> standard, slope_above, slope_below;
    std::optional<Item> reference_divergence;  // of the linear terms, if it differs
    /// Only for compressible air.
    std::optional<Item> departure, departure_east, departure_north, vertical_divergence;
    SpectralFields fields(const FieldOf& at) const override {
        const auto there = [&](const std::optional<Item>& item) {
            return item ? &at(*item) : nullptr;
        };
        return {at(u),
                at(v),
                at(temperature),
                at(pressure),
                at(divergence),
                at(T_east),
                at(T_north),
                at(p_east),
                at(p_north),
                there(reference_divergence),
                there(departure),
                there(departure_east),
                there(departure_north),
                there(vertical_divergence)};
    }

public:
    explicit SpectralStep(Common<T> given, std::string name = "SpectralStep")
        : SemiLagrangianStep<T>(std::move(name), std::move(given)),
          temperature(updates(engine->setup.temperature, place::center_layer, "K")) {
        const OnPlane* plane = engine->setup.plane();
        if (plane && !plane->map_factor.empty())
            reference_divergence = writes("reference_divergence", place::center_layer, "s-1");
        if (!engine->setup.compressible()) {
            standard = reads("standard_temperature", place::profile, "K");
            slope_above = reads("slope_above", place::profile, "1");
            slope_below = reads("slope_below", place::profile, "1");
            return;
        }
        departure = updates("log_pressure_departure", place::center_layer, "1");
        departure_east = writes("departure_gradient_east", place::center_layer, "m-1");
        departure_north = writes("departure_gradient_north", place::center_layer, "m-1");
        vertical_divergence = updates("vertical_divergence", place::center_layer, "s-1");
    }
    void prepare(Given at) override {
        const SpectralSetup& s = engine->setup;
        engine->open(at.set.domain());
        const auto set = [&](Item item, const std::vector<double>& values) {
            at.set.set_profile(at[item].name, values);
        };
        const auto profiles = (*engine)->reference_profiles();
        const auto eta = SpectralEngine<T>::eta(s.a, s.b, s.parameters.reference_pressure);
        set(hybrid_eta, eta);
        if (standard) {
            auto layers = middle(eta);
            const auto [above, below] = slopes_of_levels(eta, layers);
            set(*slope_above, above), set(*slope_below, below);
            for (double& x : layers)  // 0 if the air may differ from the earth's
                x = s.parameters.fix_energy > 0 ? std::max(216.65, 288.15 * std::pow(x, 0.19026))
                                                : 0;
            set(*standard, layers);
        }
        set(alpha, profiles[0]), set(log_ratio, profiles[1]), set(thickness, profiles[2]);
        (*engine)->truncate_orography(at[orography], at[orography_east], at[orography_north]);
    }
};

/// The same again, with a right-hand side that contains a first guess of the new time.
template <class T> class Correction final : public SpectralStep<T> {
public:
    explicit Correction(Common<T> engine) : SpectralStep<T>(std::move(engine), "Correction") {}
    void prepare(GlobalProcess::Given) override {}
    void start(GlobalProcess::Given) override {}
    void start_tangent(GlobalProcess::Given) const override {}
    void start_adjoint(GlobalProcess::Given) const override {}
    SpectralSpent spent() const override { return {}; }  // the first step reports the engine's
};

/// Keeps the energy of the atmosphere as it was before the dynamics (energy.hpp).
template <class T> class TotalEnergy final : public EnergyFixer {
    const Item before = reads("column_energy", place::center_column, "J m-2"),
               u = reads("eastward_wind", place::center_layer, "m s-1"),
               v = reads("northward_wind", place::center_layer, "m s-1"),
               pressure = reads("log_pressure_ratio", place::center_column, "1"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2"),
               temperature;
    Common<T> engine;

public:
    explicit TotalEnergy(Common<T> given)
        : EnergyFixer("TotalEnergy"),
          temperature(updates(given->setup.temperature, place::center_layer, "K")),
          engine(std::move(given)) {}
    void apply(Given at) override {
        returned += (*engine)->keep_energy(at[before], at[orography], at[u], at[v], at[temperature],
                                           at[pressure]);
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        returned += (*engine)->keep_energy(
            device, {at.on_device(before), at.on_device(orography), at.on_device(u),
                     at.on_device(v), at.on_device(temperature), at.on_device(pressure)});
        return true;
    }
    double heat_of_diffusion() const override { return *engine ? (*engine)->heat_of_diffusion : 0; }
};

/// Conserves the mass of each tracer over the sphere (tracer_share.hpp).
template <class T> class TracerMass final : public GlobalProcess {
    const Item pressure = reads("log_pressure_ratio", place::center_column, "1");
    std::vector<Item> tracers;
    Common<T> engine;

public:
    explicit TracerMass(Common<T> given) : GlobalProcess("TracerMass"), engine(std::move(given)) {
        for (auto& [name, units] : engine->setup.tracers)
            tracers.push_back(updates(name, place::center_layer, units));
    }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        for (std::size_t n = 0; n < tracers.size(); ++n) {
            const Field& tracer = at[tracers[n]];
            const TracerShare<T> share{mean(n)};
            const auto [now, shares] = e.masses_of(tracer, at[pressure], share);
            const T c = T(share_to_return(e.tracer_mass[n], now, shares));
            if (c != 0) e.combine(tracer, tracer, [=](T q, T) { return q + c * share(q); });
        }
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        SumsOnDevice& sums = e.sums_on(device);
        for (std::size_t n = 0; n < tracers.size(); ++n) {
            const Field tracer = at.on_device(tracers[n]);
            sums.masses(tracer, at.on_device(pressure), mean(n));
            const T c =
                T(share_to_return(e.tracer_mass[n], e.sum_on(device, 0), e.sum_on(device, 1)));
            if (c != 0) sums.correct(tracer, mean(n), c);
        }
        return true;
    }

private:
    T mean(std::size_t n) const {
        return T(std::abs((*engine)->tracer_mass[n]) / (*engine)->mean_thickness());
    }
};

template <class T> SpectralDynamics parts_of(const SpectralSetup& setup) {
    const auto engine = std::make_shared<Shared<SemiLagrangianEngine<T>>>(setup);
    SpectralDynamics d;
    d.transport = std::make_shared<AirTransport<T>>("SemiLagrangianTransport", engine);
    d.step = std::make_shared<SpectralStep<T>>(engine);
    if (!setup.tracers.empty()) d.tracer_transport = std::make_shared<TracerTransport<T>>(engine);
    if (!setup.tracers.empty() && setup.parameters.fix_mass > 0)
        d.tracer_mass = std::make_shared<TracerMass<T>>(engine);
    if (setup.compressible()) {
        d.transport = std::make_shared<CompressibleTransport<T>>(engine);
        d.correction = std::make_shared<Correction<T>>(engine);
    }
    if (setup.coupled()) {
        d.coupling = spectral_coupling<T>(setup);
        if (setup.compressible()) d.coupling_again = spectral_coupling<T>(setup, false);
    }
    if (setup.parameters.fix_energy > 0) d.total_energy = std::make_shared<TotalEnergy<T>>(engine);
    return d;
}

}  // namespace

SpectralDynamics semi_lagrangian_scheme(const SpectralSetup& setup, int bytes) {
    return bytes == 4 ? parts_of<float>(setup) : parts_of<double>(setup);
}

}  // namespace fathom::atmosphere
