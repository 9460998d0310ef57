/// The semi-Lagrangian scheme of the spectral atmosphere (dynamics.hpp): what its global processes
/// declare, and what they do.
#include <omp.h>
#include <optional>
#include "atmosphere/spectral/coupling.hpp"
#include "atmosphere/spectral/engine.hpp"

namespace fathom::atmosphere {

namespace {

std::vector<double> middle(const std::vector<double>& x) {
    std::vector<double> layers;
    for (std::size_t k = 0; k + 1 < x.size(); ++k) layers.push_back(0.5 * (x[k] + x[k + 1]));
    return layers;
}

template <class T> class SemiLagrangianEngine final : public SpectralEngine<T> {
    using Engine = SpectralEngine<T>;
    using Engine::levels, Engine::parameters, Engine::reference, Engine::transform, Engine::starts,
        Engine::eta, Engine::solving, Engine::diffusing, Engine::shape;

public:
    SemiLagrangianEngine(const SpectralSetup& s, const Domain& d)
        : Engine(s, d),
          transport(shape->carrier(s, middle(eta(s.a, s.b, s.parameters.reference_pressure)))),
          tracer_mass(s.tracers.size()),
          implicit(shape->implicit_terms(s, reference)),
          mean_is_wind(s.plane() && !transform.own().empty() && transform.own()[0].m == 0),
          on_plane(s.plane()),
          scratch(omp_get_max_threads()),
          setup(s) {
        // coefficients of vorticity, divergence, temperature and pressure beside each other: a
        // column is contiguous
        stride = (3 * levels + 1 + 15) / 16 * 16;
        coefficients.assign(2 * transform.own().size() * stride, T(0));
    }

    const std::unique_ptr<Carrier<T>> transport;
    /// Tangent and adjoint of the transport: made where somebody wants them.
    LinearTransport<T>& linear_transport() {
        if (!linear)
            linear = shape->linear_carrier(
                setup, middle(eta(setup.a, setup.b, parameters.reference_pressure)));
        return *linear;
    }
    std::vector<double> tracer_mass;  ///< before they are carried

    void truncate_orography(const Field& orography, const Field& east, const Field& north) {
        Engine::truncate_orography(pi(), orography, east, north);
    }
    /// Profiles of the linear terms, by level.
    auto reference_profiles() const {
        auto thickness = reference.thickness;
        for (auto& x : thickness) x /= parameters.reference_pressure;
        return std::array{reference.alpha, reference.log_ratio, thickness};
    }
    void step(const SpectralFields& f) {
        to_waves(f);
        double solve = 0, diffusion = 0;  // seconds of all threads
        const double began = seconds_now();
        static const Region here("semi-implicit solve and diffusion");
        std::optional<Within> within(std::in_place, here);
#pragma omp parallel for schedule(dynamic) reduction(+ : solve, diffusion)
        for (std::size_t w = 0; w < starts.size(); ++w) {
            T* columns = &coefficients[2 * starts[w] * stride];
            const double begin = seconds_now();
            implicit->solve(int(w), columns, stride, scratch[omp_get_thread_num()]);
            const double solved = seconds_now();
            implicit->diffuse(int(w), columns, stride);
            solve += solved - begin, diffusion += seconds_now() - solved;
        }
        within.reset();
        const double seconds = seconds_now() - began,
                     share = diffusion / std::max(solve + diffusion, 1e-30),
                     number = 2. * double(transform.own().size());
        solving.seconds += seconds * (1 - share), diffusing.seconds += seconds * share;
        solving.did(
            number * implicit->operations_of_solve(),
            number * (8 * levels + 2) * sizeof(T));  // a column there and back, and its pivots
        diffusing.did(number * implicit->operations_of_diffusion(),
                      number * 8 * levels * sizeof(T));
        to_points(f);
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(f.pressure);
    }
    /// Of a perturbation: what does not change the mean pressure is linear.
    void tangent(const SpectralFields& f) {
        must_be_linear();
        to_waves(f);
        each_wave([&](int w, T* columns, std::vector<T>& own) {
            implicit->solve(w, columns, stride, own);
            implicit->diffuse(w, columns, stride);
        });
        to_points(f);
    }
    void adjoint(const SpectralFields& f) {
        must_be_linear();
        to_points_adjoint(f);
        each_wave([&](int w, T* columns, std::vector<T>& own) {
            implicit->diffuse_adjoint(w, columns, stride);
            implicit->solve_adjoint(w, columns, stride, own);
        });
        to_waves_adjoint(f);
    }
    void to_waves(const SpectralFields& f) {
        shape->times_map_factor({&f.u, &f.v}, -1);
        transform.direct({transform.wind(zeta(), D(), f.u, f.v),
                          transform.scalar(warmth(), f.temperature),
                          transform.scalar(pi(), f.pressure)});
    }
    void to_points(const SpectralFields& f) {
        const auto wind = transform.wind(zeta(), D(), f.u, f.v),
                   divergence = transform.scalar(D(), f.divergence),
                   warm = transform.gradient(warmth(), &f.temperature, &f.T_east, &f.T_north),
                   pressure = transform.gradient(pi(), &f.pressure, &f.p_east, &f.p_north);
        if (on_plane) {  // in place of the mean divergence stands the mean wind
            transform.inverse({wind, warm, pressure});
            const std::vector<T> mean(&coefficients[levels], &coefficients[2 * levels]);
            if (mean_is_wind) std::fill_n(&coefficients[levels], levels, T(0));
            transform.inverse({divergence});
            if (mean_is_wind) std::ranges::copy(mean, &coefficients[levels]);
        } else
            transform.inverse({wind, divergence, warm, pressure});
        shape->times_map_factor({&f.u, &f.v, &f.T_east, &f.T_north, &f.p_east, &f.p_north}, 1);
        if (f.reference_divergence)
            this->copy_times(f.divergence, *f.reference_divergence,
                             T(shape->square_of_reference()));
        shape->times_map_factor({&f.divergence}, 2);
    }
    /// Divergence goes two ways to points.
    void to_points_adjoint(const SpectralFields& f) {
        const Coefficients<T> of_divergence{spare.data(), stride};
        transform.inverse_adjoint(
            {transform.wind(zeta(), D(), f.u, f.v), transform.scalar(of_divergence, f.divergence),
             transform.gradient(warmth(), &f.temperature, &f.T_east, &f.T_north),
             transform.gradient(pi(), &f.pressure, &f.p_east, &f.p_north)});
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            for (int k = 0; k < levels; ++k) D().at[i * stride + k] += spare[i * stride + k];
    }
    void start_adjoint(const SpectralFields& f) {
        must_be_linear();
        to_points_adjoint(f);
        to_waves_adjoint(f);
    }
    void to_waves_adjoint(const SpectralFields& f) {
        transform.direct_adjoint({transform.wind(zeta(), D(), f.u, f.v),
                                  transform.scalar(warmth(), f.temperature),
                                  transform.scalar(pi(), f.pressure)});
    }
    SpectralSpent spent() const {
        auto& t = transform.spent;
        auto& c = transport->spent;
        return {t.within,    t.fourier,       t.transposition, c.packing,
                c.departure, c.interpolation, solving,         diffusing};
    }

private:
    const std::unique_ptr<ImplicitTerms<T>> implicit;
    const bool mean_is_wind, on_plane;  // mean_is_wind: the mean is this rank's
    std::vector<T> coefficients;
    std::vector<std::vector<T>> scratch;  // of each thread
    std::vector<T> spare;                 // coefficients of divergence, for the adjoint
    std::ptrdiff_t stride = 0;
    SpectralSetup setup;
    std::unique_ptr<LinearTransport<T>> linear;

    void must_be_linear() {
        if (parameters.fix_mass > 0)
            throw Error("a mean pressure that is kept has no tangent: fix_mass = False");
        if (on_plane || !shape->even())
            throw Error("the spectral step has a tangent on an even sphere alone");
        spare.resize(coefficients.size());
    }
    /// body(number of an own m, its columns, memory of the thread)
    template <class Body> void each_wave(Body body) {
#pragma omp parallel for schedule(dynamic)
        for (std::size_t w = 0; w < starts.size(); ++w)
            body(int(w), &coefficients[2 * starts[w] * stride], scratch[omp_get_thread_num()]);
    }

    Coefficients<T> of(int first) { return {coefficients.data() + first, stride}; }
    Coefficients<T> zeta() { return of(0); }
    Coefficients<T> D() { return of(levels); }
    Coefficients<T> warmth() { return of(2 * levels); }
    Coefficients<T> pi() { return of(3 * levels); }
};

template <class T> using Common = std::shared_ptr<Shared<SemiLagrangianEngine<T>>>;

/// From departure to arrival points along the trajectories (carrier.hpp): wind, temperature
/// and surface pressure.
template <class T> class SemiLagrangianTransport final : public GlobalProcess {
    const Item u = reads("eastward_wind", place::center_layer, "m s-1"),
               v = reads("northward_wind", place::center_layer, "m s-1"),
               w = reads("eta_velocity", place::center_layer, "s-1"),
               u_next = reads("eastward_wind_extrapolated", place::center_layer, "m s-1"),
               v_next = reads("northward_wind_extrapolated", place::center_layer, "m s-1"),
               w_next = reads("eta_velocity_extrapolated", place::center_layer, "s-1"),
               pressure = reads("log_pressure_ratio", place::center_column, "1"),
               u_carried = updates("eastward_wind_carried", place::center_layer, "m s-1"),
               v_carried = updates("northward_wind_carried", place::center_layer, "m s-1"),
               T_carried = updates("temperature_carried", place::center_layer, "K"),
               p_carried = updates("log_pressure_ratio_carried", place::center_layer, "1");
    Common<T> engine;
    using Wind = typename Carrier<T>::Wind;
    Wind now, extrapolated;
    typename Carrier<T>::Group carried{{}, Carrier<T>::Kind::wind};
    Wind wind_now(const Given& at) const { return {at[u], at[v], at[w]}; }
    Wind wind_next(const Given& at) const { return {at[u_next], at[v_next], at[w_next]}; }
    std::array<FieldSlab, 4> all_carried(const Given& at) const {
        return {at[u_carried], at[v_carried], at[T_carried], at[p_carried]};
    }

public:
    explicit SemiLagrangianTransport(Common<T> engine)
        : GlobalProcess("SemiLagrangianTransport"), engine(std::move(engine)) {
        carried.fields.resize(4);
    }
    void prepare(Given at) override { engine->open(at.set.domain()); }
    void apply(Given at) override {
        SemiLagrangianEngine<T>& e = **engine;
        if (engine->setup.parameters.fix_mass > 0) e.mean_pressure = e.mean(at[pressure]);
        now.east = at[u], now.north = at[v], now.vertical = at[w];
        extrapolated.east = at[u_next], extrapolated.north = at[v_next];
        extrapolated.vertical = at[w_next];
        e.transport->depart(now, extrapolated);
        int n = 0;
        for (const Item item : {u_carried, v_carried, T_carried, p_carried})
            carried.fields[n++] = at[item];
        e.transport->interpolate(carried, carried.fields);
    }
    void tangent(Given state, Given change) const override {
        auto& transport = (*engine)->linear_transport();
        transport.follow(wind_now(state), wind_next(state), all_carried(state));
        transport.tangent(wind_now(change), wind_next(change), all_carried(change));
    }
    void adjoint(Given state, Given change) const override {
        auto& transport = (*engine)->linear_transport();
        transport.follow(wind_now(state), wind_next(state), all_carried(state));
        transport.adjoint(wind_now(change), wind_next(change), all_carried(change));
    }
};

/// Tracers: carried without terms of their own, clipped to the values around the departure point,
/// four at once.
template <class T> class TracerTransport final : public GlobalProcess {
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
};

/// Implicit terms and diffusion in spectral space, and back to grid points with all gradients.
template <class T> class SpectralStep final : public SpectralProcess {
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
    std::optional<Item> reference_divergence;  // of the linear terms, where it is another one
    Common<T> engine;
    SpectralFields fields(const Given& at) const {
        return {at[u],           at[v],
                at[temperature], at[pressure],
                at[divergence],  at[T_east],
                at[T_north],     at[p_east],
                at[p_north],     reference_divergence ? &at[*reference_divergence] : nullptr};
    }

public:
    explicit SpectralStep(Common<T> given)
        : SpectralProcess("SpectralStep"),
          temperature(updates(given->setup.temperature, place::center_layer, "K")),
          engine(std::move(given)) {
        const OnPlane* plane = engine->setup.plane();
        if (plane && !plane->map_factor.empty())
            reference_divergence = writes("reference_divergence", place::center_layer, "s-1");
    }
    void prepare(Given at) override {
        const SpectralSetup& s = engine->setup;
        engine->open(at.set.domain());
        const auto set = [&](Item item, const std::vector<double>& values) {
            at.set.set_profile(at[item].name, values);
        };
        const auto profiles = (*engine)->reference_profiles();
        set(hybrid_eta, SpectralEngine<T>::eta(s.a, s.b, s.parameters.reference_pressure));
        set(alpha, profiles[0]), set(log_ratio, profiles[1]), set(thickness, profiles[2]);
        (*engine)->truncate_orography(at[orography], at[orography_east], at[orography_north]);
    }
    /// The initial state truncated, its gradients.
    void start(Given at) override {
        (*engine)->to_waves(fields(at));
        (*engine)->to_points(fields(at));
    }
    void changed(Given at) override { start(at); }
    void apply(Given at) override { (*engine)->step(fields(at)); }
    void tangent(Given, Given change) const override { (*engine)->tangent(fields(change)); }
    void adjoint(Given, Given change) const override { (*engine)->adjoint(fields(change)); }
    void start_tangent(Given change) const override {
        (*engine)->to_waves(fields(change));
        (*engine)->to_points(fields(change));
    }
    void start_adjoint(Given change) const override { (*engine)->start_adjoint(fields(change)); }
    SpectralSpent spent() const override { return *engine ? (*engine)->spent() : SpectralSpent(); }
    DepartureHalo halo() const override {
        if (!*engine) return {};
        const auto& halo = (*engine)->transport->halo();
        return {halo.points_received(), halo.plans};
    }
};

/// The energy of the atmosphere is that before its dynamics (energy.hpp).
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
};

/// As much of each tracer over the sphere as before it was carried: all its values times one
/// number.
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
            const double before = e.tracer_mass[n], now = e.mass_of(tracer, at[pressure]);
            if (now != 0 && before / now > 0) e.multiply(tracer, T(before / now));
        }
    }
};

template <class T> SpectralDynamics parts_of(const SpectralSetup& setup) {
    const auto engine = std::make_shared<Shared<SemiLagrangianEngine<T>>>(setup);
    SpectralDynamics d;
    d.transport = std::make_shared<SemiLagrangianTransport<T>>(engine);
    d.step = std::make_shared<SpectralStep<T>>(engine);
    if (!setup.tracers.empty()) d.tracer_transport = std::make_shared<TracerTransport<T>>(engine);
    if (!setup.tracers.empty() && setup.parameters.fix_mass > 0)
        d.tracer_mass = std::make_shared<TracerMass<T>>(engine);
    if (setup.coupled()) d.coupling = std::make_shared<Coupling<T>>(setup);
    if (setup.parameters.fix_energy > 0) d.total_energy = std::make_shared<TotalEnergy<T>>(engine);
    return d;
}

}  // namespace

SpectralDynamics semi_lagrangian_scheme(const SpectralSetup& setup, int bytes) {
    return bytes == 4 ? parts_of<float>(setup) : parts_of<double>(setup);
}

}  // namespace fathom::atmosphere
