#include "atmosphere/shallow_water/dynamics.hpp"
#include <cmath>
#include <optional>
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/linearised_transport.hpp"
#include "atmosphere/spectral/dynamics.hpp"
#include "atmosphere/spectral/map_factor.hpp"
#include "atmosphere/spectral/wavenumbers.hpp"
#include "trajectory/semi_lagrangian.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom::atmosphere {

namespace {

/// The coefficients of all fields of a wave are stored next to each other.
enum {
    zeta,
    D,
    geopotential,
    zeta_before,
    D_before,
    geopotential_before,
    curl,
    divergence_of_flux,
    rotation_of_flux,
    inflow,
    energy,
    stride = 16
};

/// The common base of both schemes: transforms, and diffusion over `span` seconds.
template <class T> class ShallowWaterEngine {
public:
    ShallowWaterEngine(const ShallowWaterSetup& s, const Domain& d, double span)
        : parameters(s.parameters),
          transform(d.comm, s.grid, s.truncation, d.decomposition,
                    {.radius = parameters.radius, .exchange = d.exchange}),
          map_factor(d, s.grid),
          coefficients(2 * transform.own().size() * stride, T(0)) {
        if (d.levels != 1) throw Error("shallow water has one level, given ", d.levels);
        const auto& p = parameters;
        const double N = s.truncation, N2 = N * (N + 1) - 2;
        for (int n = 0; n <= s.truncation; ++n) {
            const double wave = n * (n + 1.) / (p.radius * p.radius),
                         scale = p.diffusion_time > 0 && n > 1
                                     ? std::pow((n * (n + 1.) - 2) / N2, p.diffusion_order) /
                                           p.diffusion_time
                                     : 0,
                         K = scale + p.viscosity * wave;
            damping.push_back(T(1 / (1 + span * K)));
            square.push_back(T(wave));
        }
    }

protected:
    ShallowWaterParameters parameters;
    SphericalHarmonics<T> transform;
    MapFactor<T> map_factor;
    std::vector<T> coefficients, damping, square;
    Coefficients<T> of(int n) { return {coefficients.data() + n, stride}; }
};

struct SemiLagrangianFields {
    const Field &u, &v, &phi, &vorticity, &divergence, &phi_east, &phi_north;
};

template <class T> class SemiLagrangianEngine final : public ShallowWaterEngine<T> {
    using Engine = ShallowWaterEngine<T>;
    using Engine::coefficients, Engine::damping, Engine::map_factor, Engine::of, Engine::parameters,
        Engine::square, Engine::transform;

public:
    SemiLagrangianEngine(const ShallowWaterSetup& s, const Domain& d)
        : Engine(s, d, s.parameters.step),
          transport(d.comm, d.decomposition, d.halo, s.grid, {0.5},
                    {s.parameters.step, s.parameters.radius, 0, int(s.parameters.iterations)}),
          domain(d),
          grid(s.grid),
          starts(first_of_each(transform.own())),
          beta(0.5 * s.parameters.step * (1 + s.parameters.off_centring)),
          waves({s.parameters.mean_geopotential},
                {s.parameters.radius, s.parameters.splitting > 0 ? 0 : s.parameters.rotation, beta,
                 s.truncation},
                wavenumbers(transform.own(), starts)),
          stretched({s.parameters.mean_geopotential}, s.grid.stretching, s.parameters.radius, beta,
                    s.truncation,
                    s.grid.stretching ? wavenumbers(transform.own(), starts) : std::vector<int>()) {
        if (s.grid.stretching && !(s.parameters.splitting > 0))
            throw Error("rotation is not among the implicit terms of a stretched sphere");
        values.resize(std::size_t(s.truncation + 1) * 4 * waves.padded());
    }
    SemiLagrangian<T> transport;
    /// Tangent and adjoint of the transport: made when first needed.
    LinearTransport<T>& linear_transport() {
        if (!linear)
            linear = fathom::linear_transport<T>(
                domain, grid, {0.5},
                {parameters.step, parameters.radius, 0, int(parameters.iterations)});
        return *linear;
    }

    void orography(const Field& ground, const Field& east, const Field& north) {
        transform.direct({transform.scalar(of(0), ground)});
        transform.inverse({transform.gradient(of(0), &ground, &east, &north)});
        map_factor.times({&east, &north}, 1);
    }
    void to_waves(const SemiLagrangianFields& f) {
        map_factor.times({&f.u, &f.v}, -1);
        transform.direct(
            {transform.wind(of(zeta), of(D), f.u, f.v), transform.scalar(of(geopotential), f.phi)});
    }
    void to_points(const SemiLagrangianFields& f) {
        transform.inverse(
            {transform.wind(of(zeta), of(D), f.u, f.v), transform.scalar(of(zeta), f.vorticity),
             transform.scalar(of(D), f.divergence),
             transform.gradient(of(geopotential), &f.phi, &f.phi_east, &f.phi_north)});
        map_factor.times({&f.u, &f.v}, 1);
        map_factor.times({&f.phi_east, &f.phi_north}, 1);
        map_factor.times({&f.vorticity, &f.divergence}, 2);
    }
    /// It is linear: `step` is its own tangent.
    void adjoint(const SemiLagrangianFields& f) {
        to_points_adjoint(f);
        const T beta = T(this->beta), mean = T(parameters.mean_geopotential);
        const int width = waves.padded();
        for (const int start : starts) {
            const int m = transform.own()[start].m, count = transform.truncation() - m + 1;
            for (int i = 0; i < 2 * count; ++i) {
                T* x = &coefficients[(2 * start + i) * stride];
                for (int k : {zeta, D, geopotential}) x[k] *= damping[m + i / 2];
                values[2 * i * width] = x[zeta];
                values[(2 * i + 1) * width] = x[D] - beta * mean * x[geopotential];
            }
            waves.solve_adjoint(m, values.data());
            for (int i = 0; i < 2 * count; ++i) {
                T* x = &coefficients[(2 * start + i) * stride];
                x[zeta] = values[2 * i * width], x[D] = values[(2 * i + 1) * width];
                x[geopotential] += beta * square[m + i / 2] * x[D];
            }
        }
        to_waves_adjoint(f);
    }
    void start_adjoint(const SemiLagrangianFields& f) {
        to_points_adjoint(f);
        to_waves_adjoint(f);
    }
    void step(const SemiLagrangianFields& f) {
        to_waves(f);
        const T beta = T(this->beta), mean = T(parameters.mean_geopotential);
        const int width = waves.padded();
        for (const int start : starts) {
            const int m = transform.own()[start].m, count = transform.truncation() - m + 1;
            for (int i = 0; i < 2 * count; ++i) {
                const T* x = &coefficients[(2 * start + i) * stride];
                values[2 * i * width] = x[zeta];
                values[(2 * i + 1) * width] = x[D] + beta * square[m + i / 2] * x[geopotential];
            }
            if (map_factor)
                stretched.solve(m, values.data());
            else
                waves.solve(m, values.data());
            for (int i = 0; i < 2 * count; ++i) {
                T* x = &coefficients[(2 * start + i) * stride];
                const T less = damping[m + i / 2];
                T d = values[(2 * i + 1) * width];
                x[zeta] = values[2 * i * width] * less;
                x[D] = d * less;
                if (map_factor)
                    d = stretched.square(m, i / 2, &values[(2 * i + 1) * width], 4 * width);
                x[geopotential] = (x[geopotential] - beta * mean * d) * less;
            }
        }
        to_points(f);
    }

private:
    /// Vorticity and divergence are transformed in two ways; the second uses arrays that are free.
    void to_points_adjoint(const SemiLagrangianFields& f) {
        if (map_factor) throw Error("shallow water on a stretched sphere has no adjoint");
        transform.inverse_adjoint(
            {transform.wind(of(zeta), of(D), f.u, f.v), transform.scalar(of(curl), f.vorticity),
             transform.scalar(of(inflow), f.divergence),
             transform.gradient(of(geopotential), &f.phi, &f.phi_east, &f.phi_north)});
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i) {
            T* x = &coefficients[i * stride];
            x[zeta] += x[curl], x[D] += x[inflow];
        }
    }
    void to_waves_adjoint(const SemiLagrangianFields& f) {
        transform.direct_adjoint(
            {transform.wind(of(zeta), of(D), f.u, f.v), transform.scalar(of(geopotential), f.phi)});
    }
    std::unique_ptr<LinearTransport<T>> linear;
    const Domain& domain;
    GaussianGrid grid;
    std::vector<int> starts;  // start of each own m in the list of waves
    double beta;
    ImplicitWaves<T> waves;
    StretchedWaves<T> stretched;  // instead of `waves` on a stretched sphere
    std::vector<T> values;
};

template <class Engine> using Common = std::shared_ptr<Shared<Engine, ShallowWaterSetup>>;

/// Wind and geopotential along the trajectories.
template <class T> class ShallowWaterTransport final : public GlobalProcess, public Linearisable {
    const Item u = reads("eastward_wind", place::center_layer, "m s-1"),
               v = reads("northward_wind", place::center_layer, "m s-1"),
               w = reads("eta_velocity", place::center_layer, "s-1"),
               u_next = reads("eastward_wind_extrapolated", place::center_layer, "m s-1"),
               v_next = reads("northward_wind_extrapolated", place::center_layer, "m s-1"),
               w_next = reads("eta_velocity_extrapolated", place::center_layer, "s-1"),
               u_carried = updates("eastward_wind_carried", place::center_layer, "m s-1"),
               v_carried = updates("northward_wind_carried", place::center_layer, "m s-1"),
               phi_carried = updates("geopotential_carried", place::center_layer, "m2 s-2");
    Common<SemiLagrangianEngine<T>> engine;
    using Wind = typename SemiLagrangian<T>::Wind;
    Wind now, extrapolated;
    typename SemiLagrangian<T>::Group carried{{}, SemiLagrangian<T>::Kind::wind};

public:
    explicit ShallowWaterTransport(Common<SemiLagrangianEngine<T>> engine)
        : GlobalProcess("ShallowWaterTransport"), engine(std::move(engine)) {
        carried.fields.resize(3);
    }
    void prepare(Given at) override { engine->open(at.set.domain()); }
    void apply(Given at) override {
        auto& transport = (*engine)->transport;
        now.east = at[u], now.north = at[v], now.vertical = at[w];
        extrapolated.east = at[u_next], extrapolated.north = at[v_next];
        extrapolated.vertical = at[w_next];
        transport.depart(now, extrapolated);
        int n = 0;
        for (const Item item : {u_carried, v_carried, phi_carried}) carried.fields[n++] = at[item];
        transport.interpolate(carried, carried.fields);
    }
    struct Fields {
        const ShallowWaterTransport& of;
        Wind now(const Given& at) const { return {at[of.u], at[of.v], at[of.w]}; }
        Wind next(const Given& at) const { return {at[of.u_next], at[of.v_next], at[of.w_next]}; }
        std::array<FieldSlab, 3> carried(const Given& at) const {
            return {at[of.u_carried], at[of.v_carried], at[of.phi_carried]};
        }
    };
    std::unique_ptr<Linearisation> linearise(
        Given state, bool single, std::unique_ptr<Linearisation> earlier) const override {
        return linearised<LinearisedTransport<T, Fields>>(
            (*engine)->linear_transport(), Fields{*this}, state, single, std::move(earlier));
    }
};

/// Semi-implicit solve and diffusion in spectral space; then the fields and gradients at points.
template <class T> class ShallowWaterStep final : public GlobalProcess, public LinearProcess {
    const Item u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"),
               phi = updates("fluid_geopotential", place::center_layer, "m2 s-2"),
               vorticity = writes("vorticity", place::center_layer, "s-1"),
               divergence = writes("divergence", place::center_layer, "s-1"),
               phi_east = writes("geopotential_gradient_east", place::center_layer, "m s-2"),
               phi_north = writes("geopotential_gradient_north", place::center_layer, "m s-2"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2"),
               orography_east = reads("orography_gradient_east", place::center_column, "m s-2"),
               orography_north = reads("orography_gradient_north", place::center_column, "m s-2");
    Common<SemiLagrangianEngine<T>> engine;
    SemiLagrangianFields fields(const Given& at) const {
        return {at[u], at[v], at[phi], at[vorticity], at[divergence], at[phi_east], at[phi_north]};
    }

public:
    explicit ShallowWaterStep(Common<SemiLagrangianEngine<T>> engine)
        : GlobalProcess("ShallowWaterStep"), engine(std::move(engine)) {}
    void prepare(Given at) override {
        engine->open(at.set.domain());
        (*engine)->orography(at[orography], at[orography_east], at[orography_north]);
    }
    /// Truncates the initial state, and computes the fields that follow from it.
    void start(Given at) override {
        (*engine)->to_waves(fields(at));
        (*engine)->to_points(fields(at));
    }
    void changed(Given at) override { start(at); }
    void apply(Given at) override { (*engine)->step(fields(at)); }
    void tangent_of(Given change) const override { (*engine)->step(fields(change)); }
    void adjoint_of(Given change) const override { (*engine)->adjoint(fields(change)); }
    void start_tangent(Given change) const override {
        (*engine)->to_waves(fields(change));
        (*engine)->to_points(fields(change));
    }
    void start_adjoint(Given change) const override { (*engine)->start_adjoint(fields(change)); }
};

struct LeapfrogFields {
    const Field &u, &v, &phi, &u_before, &v_before, &phi_before, &vorticity;
    const Field &vorticity_flux_east, &vorticity_flux_north, &phi_flux_east, &phi_flux_north,
        &kinetic_energy;
};

template <class T> class LeapfrogEngine final : public ShallowWaterEngine<T> {
    using Engine = ShallowWaterEngine<T>;
    using Engine::coefficients, Engine::damping, Engine::map_factor, Engine::of, Engine::parameters,
        Engine::square, Engine::transform;

public:
    LeapfrogEngine(const ShallowWaterSetup& s, const Domain& d)
        : Engine(s, d, 2 * s.parameters.step) {
        if (s.grid.stretching) throw Error("the Eulerian scheme needs a sphere without stretching");
        const auto& p = parameters;
        for (int n = 0; n <= s.truncation; ++n) {
            const double beta = p.step, wave = n * (n + 1.) / (p.radius * p.radius);
            factor.push_back(T(1 / (1 + beta * beta * wave * p.mean_geopotential)));
            factor_of_first.push_back(T(1 / (1 + beta * beta * wave * p.mean_geopotential / 4)));
        }
    }
    void orography(const Field& ground) {
        transform.direct({transform.scalar(of(0), ground)});
        transform.inverse({transform.scalar(of(0), ground)});
    }
    void start(const LeapfrogFields& f) {
        to_waves(f);
        to_points(f);
    }
    /// All coefficients (present, previous, of the fluxes) are computed again: only values at grid
    /// points are kept from step to step.
    void leap(const LeapfrogFields& f, bool first) {
        to_waves(f);
        if (!first)
            transform.direct({transform.wind(of(zeta_before), of(D_before), f.u_before, f.v_before),
                              transform.scalar(of(geopotential_before), f.phi_before)});
        transform.direct(
            {transform.wind(of(curl), of(divergence_of_flux), f.vorticity_flux_east,
                            f.vorticity_flux_north),
             transform.wind(of(rotation_of_flux), of(inflow), f.phi_flux_east, f.phi_flux_north),
             transform.scalar(of(energy), f.kinetic_energy)});
        const T dt = T(first ? 0.5 * parameters.step : parameters.step),
                filter = T(first ? 0 : parameters.filter);
        for (std::size_t i = 0; i < transform.own().size(); ++i)
            for (int c = 0; c < 2; ++c)
                advance(transform.own()[i].n, &coefficients[(2 * i + c) * stride], dt, filter,
                        first);
        to_points(f);
        transform.inverse({transform.wind(of(zeta_before), of(D_before), f.u_before, f.v_before),
                           transform.scalar(of(geopotential_before), f.phi_before)});
    }

private:
    std::vector<T> factor, factor_of_first;

    void to_waves(const LeapfrogFields& f) {
        transform.direct(
            {transform.wind(of(zeta), of(D), f.u, f.v), transform.scalar(of(geopotential), f.phi)});
    }
    void to_points(const LeapfrogFields& f) {
        transform.inverse({transform.wind(of(zeta), of(D), f.u, f.v),
                           transform.scalar(of(zeta), f.vorticity),
                           transform.scalar(of(geopotential), f.phi)});
    }
    /// One coefficient of each field.
    void advance(int n, T* x, T dt, T filter, bool first) const {
        const T wave = square[n], mean = T(parameters.mean_geopotential);
        if (first)
            for (int k : {zeta, D, geopotential}) x[zeta_before + k] = x[k];
        const T z = x[zeta], d = x[D], p = x[geopotential];
        // explicit parts of both, then D+, from which phi+ is eliminated
        const T phi_star =
            x[geopotential_before] - 2 * dt * (x[inflow] + mean * (x[D_before] / 2 - d));
        const T D_star =
            x[D_before] +
            2 * dt * (x[divergence_of_flux] + wave * (x[energy] + x[geopotential_before] / 2));
        x[D] = (D_star + dt * wave * phi_star) * (first ? factor_of_first[n] : factor[n]);
        x[geopotential] = (phi_star - dt * mean * x[D]) * damping[n];
        x[zeta] = (x[zeta_before] + 2 * dt * x[curl]) * damping[n];
        x[D] *= damping[n];
        x[zeta_before] = z + filter * (x[zeta_before] - 2 * z + x[zeta]);
        x[D_before] = d + filter * (x[D_before] - 2 * d + x[D]);
        x[geopotential_before] = p + filter * (x[geopotential_before] - 2 * p + x[geopotential]);
    }
};

/// Semi-implicit leapfrog in spectral space, with Asselin's filter.
template <class T> class ShallowWaterLeapfrog final : public GlobalProcess {
    const Item vorticity_flux_east = reads("vorticity_flux_east", place::center_layer, "m s-2"),
               vorticity_flux_north = reads("vorticity_flux_north", place::center_layer, "m s-2"),
               phi_flux_east = reads("geopotential_flux_east", place::center_layer, "m3 s-3"),
               phi_flux_north = reads("geopotential_flux_north", place::center_layer, "m3 s-3"),
               kinetic_energy = reads("kinetic_energy", place::center_layer, "m2 s-2"),
               u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"),
               phi = updates("fluid_geopotential", place::center_layer, "m2 s-2"),
               u_before = updates("eastward_wind_before", place::center_layer, "m s-1"),
               v_before = updates("northward_wind_before", place::center_layer, "m s-1"),
               phi_before = updates("fluid_geopotential_before", place::center_layer, "m2 s-2"),
               vorticity = writes("vorticity", place::center_layer, "s-1"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2");
    Common<LeapfrogEngine<T>> engine;
    LeapfrogFields fields(const Given& at) const {
        return {at[u],
                at[v],
                at[phi],
                at[u_before],
                at[v_before],
                at[phi_before],
                at[vorticity],
                at[vorticity_flux_east],
                at[vorticity_flux_north],
                at[phi_flux_east],
                at[phi_flux_north],
                at[kinetic_energy]};
    }

public:
    explicit ShallowWaterLeapfrog(Common<LeapfrogEngine<T>> engine)
        : GlobalProcess("ShallowWaterLeapfrog"), engine(std::move(engine)) {}
    void prepare(Given at) override {
        engine->open(at.set.domain());
        (*engine)->orography(at[orography]);
    }
    void start(Given at) override { (*engine)->start(fields(at)); }
    void changed(Given at) override { start(at); }
    void apply(Given at) override { (*engine)->leap(fields(at), at.set.count == 0); }
};

template <class T> ShallowWaterDynamics semi_lagrangian(const ShallowWaterSetup& setup) {
    const auto engine = std::make_shared<Shared<SemiLagrangianEngine<T>, ShallowWaterSetup>>(setup);
    return {std::make_shared<ShallowWaterTransport<T>>(engine),
            std::make_shared<ShallowWaterStep<T>>(engine), nullptr};
}
template <class T> ShallowWaterDynamics leapfrog(const ShallowWaterSetup& setup) {
    const auto engine = std::make_shared<Shared<LeapfrogEngine<T>, ShallowWaterSetup>>(setup);
    return {nullptr, nullptr, std::make_shared<ShallowWaterLeapfrog<T>>(engine)};
}

}  // namespace

ShallowWaterDynamics semi_lagrangian_scheme(const ShallowWaterSetup& setup, int bytes) {
    return bytes == 4 ? semi_lagrangian<float>(setup) : semi_lagrangian<double>(setup);
}
ShallowWaterDynamics leapfrog_scheme(const ShallowWaterSetup& setup, int bytes) {
    return bytes == 4 ? leapfrog<float>(setup) : leapfrog<double>(setup);
}

}  // namespace fathom::atmosphere
