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
#include <omp.h>
#include "atmosphere/spectral/engine.hpp"
#include "atmosphere/spectral/horizontal_diffusion.hpp"
#include "machine/threads.hpp"

namespace fathom::atmosphere {

namespace {

const OnSphere& sphere_of(const SpectralSetup& s) {
    if (!std::holds_alternative<OnSphere>(s.lies_on))
        throw Error("the Eulerian scheme needs a sphere");
    return std::get<OnSphere>(s.lies_on);
}

/// Fields of the leapfrog: present ones with gradients, previous ones, and tendencies.
struct LeapfrogFields {
    SpectralFields now;
    const Field &u_before, &v_before, &T_before, &p_before;
    const Field &u_tendency, &v_tendency, &T_tendency, &p_tendency, &energy, &vorticity;
};
struct TracerFields {
    const Field &now, &before, &tendency, &east, &north;
};

template <class T> class LeapfrogEngine final : public SpectralEngine<T> {
    using Engine = SpectralEngine<T>;
    using Engine::levels, Engine::parameters, Engine::reference, Engine::transform, Engine::starts;

public:
    LeapfrogEngine(const SpectralSetup& s, const Domain& d)
        : Engine(s, d),
          length(3 * levels + 1),
          stride_of_time(padded(length)),
          stride(3 * stride_of_time + padded(levels)),
          stride_of_tracer(3 * padded(levels)),
          all(s, s.parameters.step, reference, wavenumbers(transform.own(), starts)),
          first(s, 0.5 * s.parameters.step, reference, wavenumbers(transform.own(), starts)),
          scratch(omp_get_max_threads()) {
        if (sphere_of(s).grid.stretching)
            throw Error("the Eulerian scheme needs a sphere without stretching");
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        if (!s.tracers.empty())
            coefficients_of_tracer.assign(2 * transform.own().size() * stride_of_tracer, T(0));
    }
    void truncate_orography(const Field& orography, const Field& east, const Field& north) {
        Engine::truncate_orography(pressure_of(0), orography, east, north);
    }
    SpectralSpent spent() const {
        auto& t = transform.spent;
        return {.legendre = t.within,
                .fourier = t.fourier,
                .transpositions = t.transposition,
                .semi_implicit = Engine::solving};
    }

    /// Both time levels start as the initial state.
    void start(const LeapfrogFields& f) {
        transform.direct({transform.wind(of(0), of(levels), f.now.u, f.now.v),
                          transform.scalar(of(2 * levels), f.now.temperature),
                          transform.scalar(pressure_of(0), f.now.pressure)});
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            std::copy_n(&coefficients[i * stride], length,
                        &coefficients[i * stride + stride_of_time]);
        to_points(f);
    }
    void start(const TracerFields& f) {
        transform.direct({transform.scalar(of_tracer(0), f.now)});
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            std::copy_n(&coefficients_of_tracer[i * stride_of_tracer], levels,
                        &coefficients_of_tracer[i * stride_of_tracer + padded(levels)]);
        to_points(f);
    }

    /// Truncates the fields of both time levels.
    void truncate(const LeapfrogFields& f) {
        const std::ptrdiff_t t = stride_of_time;
        transform.direct({transform.wind(of(0), of(levels), f.now.u, f.now.v),
                          transform.scalar(of(2 * levels), f.now.temperature),
                          transform.scalar(pressure_of(0), f.now.pressure),
                          transform.wind(of(t), of(t + levels), f.u_before, f.v_before),
                          transform.scalar(of(t + 2 * levels), f.T_before),
                          transform.scalar(pressure_of(1), f.p_before)});
        to_points(f);
    }
    void truncate(const TracerFields& f) {
        transform.direct(
            {transform.scalar(of_tracer(0), f.now), transform.scalar(of_tracer(1), f.before)});
        to_points(f);
    }

    void leap(const LeapfrogFields& f, bool forward) {
        if (parameters.fix_mass > 0) Engine::mean_pressure = Engine::mean(f.now.pressure);
        const std::ptrdiff_t t = stride_of_time;
        transform.direct({transform.wind(of(0), of(levels), f.now.u, f.now.v),
                          transform.scalar(of(2 * levels), f.now.temperature),
                          transform.scalar(pressure_of(0), f.now.pressure),
                          transform.wind(of(t), of(t + levels), f.u_before, f.v_before),
                          transform.scalar(of(t + 2 * levels), f.T_before),
                          transform.scalar(pressure_of(1), f.p_before),
                          transform.wind(of(2 * t), of(2 * t + levels), f.u_tendency, f.v_tendency),
                          transform.scalar(of(2 * t + 2 * levels), f.T_tendency),
                          transform.scalar(pressure_of(2), f.p_tendency),
                          transform.scalar(of(3 * t), f.energy)});
        {
            static const Region here("semi-implicit leapfrog");
            TimedRegion timer(here, Engine::solving);
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
            for (std::size_t w = 0; w < starts.size(); ++w)
                advance(transform.own()[starts[w]].m, &coefficients[2 * starts[w] * stride],
                        scratch[omp_get_thread_num()], forward);
        }
        const double number = 2. * double(transform.own().size());
        const Step& s = step(forward);
        Engine::solving.did(number * (s.solver.operations() + s.diffuse.operations() + 30 * levels),
                            number * 2 * (9 * levels + 3) * sizeof(T));
        to_points(f);
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(f.now.pressure);
    }
    void leap(const TracerFields& f, bool forward) {
        transform.direct({transform.scalar(of_tracer(0), f.now),
                          transform.scalar(of_tracer(1), f.before),
                          transform.scalar(of_tracer(2), f.tendency)});
        const Step& s = step(forward);
        const T whole = T(2 * s.beta);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i) {
            const int n = transform.own()[i / 2].n;
            T *now = &coefficients_of_tracer[i * stride_of_tracer], *before = now + padded(levels),
              *next = before + padded(levels);
            for (int k = 0; k < levels; ++k) {
                next[k] = (before[k] + whole * next[k]) * s.diffuse.of_tracer(n, k);
                before[k] -= 2 * now[k];
            }
            filter(now, before, next, levels, forward);
        }
        to_points(f);
    }

private:
    static std::ptrdiff_t padded(int n) { return (n + 15) / 16 * 16; }
    /// What depends on the length of a step: over 2 dt, or over dt in the first step (forward).
    struct Step {
        double beta;
        SemiImplicit<T> solver;
        HorizontalDiffusion<T> diffuse;
        Step(const SpectralSetup& s, double beta, const HybridReference& r,
             const std::vector<int>& waves)
            : beta(beta),
              solver(r, {s.parameters.radius, 0, beta, sphere_of(s).truncation}, waves),
              diffuse(s.parameters, 2 * beta, sphere_of(s).truncation, s.a, s.b) {}
    };
    /// A column of coefficients: vorticity, divergence, temperature of all levels and pi, each at
    /// the present and previous time and as a tendency (later the new time); kinetic energy.
    int length;
    std::ptrdiff_t stride_of_time, stride, stride_of_tracer;
    Step all, first;
    std::vector<std::vector<T>> scratch;  // of each thread
    std::vector<T> coefficients, coefficients_of_tracer;

    Coefficients<T> of(std::ptrdiff_t place) { return {coefficients.data() + place, stride}; }
    Coefficients<T> pressure_of(int time) { return of(time * stride_of_time + 3 * levels); }
    Coefficients<T> of_tracer(int time) {
        return {coefficients_of_tracer.data() + time * padded(levels), stride_of_tracer};
    }
    const Step& step(bool forward) const { return forward ? first : all; }
    /// (X, X- - 2 X, X+) -> (X+, X).
    void filter(T* now, T* before, const T* next, int count, bool forward) const {
        const T share = T(forward ? 0 : parameters.filter * parameters.williams),
                rest = T(forward ? 0 : parameters.filter * (1 - parameters.williams));
        for (int i = 0; i < count; ++i) {
            const T d = before[i] + next[i];
            before[i] = now[i] + share * d;
            now[i] = next[i] - rest * d;
        }
    }
    /// Advances all n of one m.
    void advance(int m, T* columns, std::vector<T>& space, bool forward) const {
        const std::ptrdiff_t t = stride_of_time;
        const int count = 2 * (transform.truncation() - m + 1);
        const T whole = T(2 * step(forward).beta);
        for (int i = 0; i < count; ++i) {
            const int n = m + i / 2;
            T *now = columns + i * stride, *before = now + t, *next = now + 2 * t,
              *kinetic = now + 3 * t;
            const T square = T(n * (n + 1.) / (parameters.radius * parameters.radius));
            for (int k = 0; k < levels; ++k) next[levels + k] += square * kinetic[k];
            for (int k = 0; k < length; ++k) {
                next[k] = before[k] + whole * next[k];
                before[k] -= 2 * now[k];
            }
            step(forward).solver.add_linear(n, before, next);
        }
        step(forward).solver.solve(m, columns + 2 * t, stride, space);
        for (int i = 0; i < count; ++i) {
            T *now = columns + i * stride, *next = now + 2 * t;
            step(forward).diffuse(m + i / 2, next);
            filter(now, now + t, next, length, forward);
        }
    }
    void to_points(const LeapfrogFields& f) {
        const std::ptrdiff_t t = stride_of_time;
        const SpectralFields& now = f.now;
        transform.inverse(
            {transform.wind(of(0), of(levels), now.u, now.v), transform.scalar(of(0), f.vorticity),
             transform.scalar(of(levels), now.divergence),
             transform.gradient(of(2 * levels), &now.temperature, &now.T_east, &now.T_north),
             transform.gradient(pressure_of(0), &now.pressure, &now.p_east, &now.p_north),
             transform.wind(of(t), of(t + levels), f.u_before, f.v_before),
             transform.scalar(of(t + 2 * levels), f.T_before),
             transform.scalar(pressure_of(1), f.p_before)});
    }
    void to_points(const TracerFields& f) {
        transform.inverse({transform.gradient(of_tracer(0), &f.now, &f.east, &f.north),
                           transform.scalar(of_tracer(1), f.before)});
    }
};

template <class T> using Common = std::shared_ptr<Shared<LeapfrogEngine<T>>>;

/// Semi-implicit leapfrog, diffusion and time filter in spectral space; then fields and gradients.
template <class T> class SpectralLeapfrog final : public SpectralProcess {
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
    Common<T> engine;
    LeapfrogFields fields(const Given& at) const {
        return {{at[u], at[v], at[temperature], at[pressure], at[divergence], at[T_east],
                 at[T_north], at[p_east], at[p_north]},
                at[u_before],
                at[v_before],
                at[T_before],
                at[p_before],
                at[u_tendency],
                at[v_tendency],
                at[T_tendency],
                at[p_tendency],
                at[energy],
                at[vorticity]};
    }

public:
    explicit SpectralLeapfrog(Common<T> given)
        : SpectralProcess("SpectralLeapfrog"),
          warmth(given->setup.temperature),
          engine(std::move(given)) {}
    void prepare(Given at) override {
        const SpectralSetup& s = engine->setup;
        engine->open(at.set.domain());
        at.set.set_profile(at[hybrid_eta].name,
                           SpectralEngine<T>::eta(s.a, s.b, s.parameters.reference_pressure));
        (*engine)->truncate_orography(at[orography], at[orography_east], at[orography_north]);
    }
    void start(Given at) override { (*engine)->start(fields(at)); }
    void changed(Given at) override {
        at.set.count == 0 ? start(at) : (*engine)->truncate(fields(at));
    }
    void apply(Given at) override { (*engine)->leap(fields(at), at.set.count == 0); }
    SpectralSpent spent() const override { return *engine ? (*engine)->spent() : SpectralSpent(); }
};

/// Leapfrog, diffusion and time filter of tracers in spectral space.
template <class T> class TracerLeapfrog final : public GlobalProcess {
    struct Tracer {
        Item tendency, now, before, east, north;
    };
    std::vector<Tracer> tracers;
    Common<T> engine;
    static TracerFields fields(const Given& at, const Tracer& t) {
        return {at[t.now], at[t.before], at[t.tendency], at[t.east], at[t.north]};
    }

public:
    explicit TracerLeapfrog(Common<T> given)
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
