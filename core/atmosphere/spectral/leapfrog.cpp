#include "atmosphere/spectral/leapfrog.hpp"
#include <omp.h>
#include "atmosphere/spectral/spectral_state.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class Leapfrog final : public SpectralState<T> {
    using State = SpectralState<T>;
    using State::sequence, State::levels, State::parameters, State::reference, State::transform,
        State::starts, State::slab, State::u, State::v, State::temperature, State::pressure;

public:
    Leapfrog(Sequence& s, const GaussianGrid& grid, int truncation, const std::vector<double>& a,
             const std::vector<double>& b, const std::vector<std::string>& names,
             SpectralParameters p)
        : State(s, grid, truncation, a, b, p),
          length(3 * levels + 1),
          stride_of_time(padded(length)),
          stride(3 * stride_of_time + padded(levels)),
          stride_of_tracer(3 * padded(levels)),
          all(p, truncation, p.step, a, b, reference, wavenumbers(transform.own(), starts)),
          first(p, truncation, 0.5 * p.step, a, b, reference,
                wavenumbers(transform.own(), starts)) {
        if (grid.stretching) throw Error("the Eulerian scheme needs a sphere without stretching");
        const std::string warmth =
            s.has("virtual_temperature") ? "virtual_temperature" : "air_temperature";
        for (const std::string& name : {std::string("eastward_wind"), std::string("northward_wind"),
                                        warmth, std::string("log_pressure_ratio")})
            before.push_back(slab(name + "_before"));
        tendency = {slab("eastward_wind_tendency"), slab("northward_wind_tendency"),
                    slab(warmth + "_tendency"), slab("surface_pressure_tendency")};
        vorticity = slab("vorticity");
        energy = slab("kinetic_energy");
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        scratch.resize(omp_get_max_threads());
        State::truncate_orography(pressure_of(0));
        s.attach("SpectralLeapfrog", [this] { leap(); });
        for (auto& name : names) {
            tracers.push_back({slab(name), slab(name + "_before"), slab(name + "_tendency"),
                               slab(name + "_gradient_east"), slab(name + "_gradient_north")});
            s.attach("TracerLeapfrog of " + name,
                     [this, n = tracers.size() - 1] { leap(tracers[n]); });
        }
        if (!names.empty())
            coefficients_of_tracer.assign(2 * transform.own().size() * stride_of_tracer, T(0));
    }

    /// Both times are the initial state.
    void initialise() override {
        transform.direct({transform.wind(of(0), of(levels), u, v),
                          transform.scalar(of(2 * levels), temperature),
                          transform.scalar(pressure_of(0), pressure)});
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            std::copy_n(&coefficients[i * stride], length,
                        &coefficients[i * stride + stride_of_time]);
        to_points();
        for (auto& tracer : tracers) {
            transform.direct({transform.scalar(of_tracer(0), tracer.now)});
            for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
                std::copy_n(&coefficients_of_tracer[i * stride_of_tracer], levels,
                            &coefficients_of_tracer[i * stride_of_tracer + padded(levels)]);
            to_points(tracer);
        }
    }
    SpectralSpent spent() const override {
        auto& t = transform.spent;
        return {.legendre = t.legendre,
                .fourier = t.fourier,
                .transpositions = t.transposition,
                .semi_implicit = State::solving};
    }
    SpectralDynamics::Halo halo() const override { return {}; }

private:
    static std::ptrdiff_t padded(int n) { return (n + 15) / 16 * 16; }
    /// What depends on the length of a step: over 2 dt, or dt where the first one goes forward.
    struct Step {
        double beta;
        SemiImplicit<T> solver;
        HorizontalDiffusion<T> diffuse;
        Step(const SpectralParameters& p, int truncation, double beta, const std::vector<double>& a,
             const std::vector<double>& b, const HybridReference& r, const std::vector<int>& waves)
            : beta(beta),
              solver(r, {p.radius, 0, beta, truncation}, waves),
              diffuse(p, 2 * beta, truncation, a, b) {}
    };
    struct Tracer {
        FieldSlab now, before, tendency, east, north;
    };
    /// A column of coefficients: vorticity, divergence, temperature of all levels and pi of now,
    /// before and the tendency that becomes the new time; kinetic energy.
    int length;
    std::ptrdiff_t stride_of_time, stride, stride_of_tracer;
    Step all, first;
    std::vector<FieldSlab> before, tendency;
    FieldSlab vorticity, energy;
    std::vector<Tracer> tracers;
    std::vector<T> coefficients, coefficients_of_tracer;
    std::vector<std::vector<T>> scratch;  // of each thread

    Coefficients<T> of(std::ptrdiff_t place) { return {coefficients.data() + place, stride}; }
    Coefficients<T> pressure_of(int time) { return of(time * stride_of_time + 3 * levels); }
    Coefficients<T> of_tracer(int time) {
        return {coefficients_of_tracer.data() + time * padded(levels), stride_of_tracer};
    }
    bool forward() const { return sequence.count == 0; }
    const Step& step() const { return forward() ? first : all; }
    /// (X, X- - 2 X, X+) -> (X+, X).
    void filter(T* now, T* before, const T* next, int count) const {
        const T share = T(forward() ? 0 : parameters.filter * parameters.williams),
                rest = T(forward() ? 0 : parameters.filter * (1 - parameters.williams));
        for (int i = 0; i < count; ++i) {
            const T d = before[i] + next[i];
            before[i] = now[i] + share * d;
            now[i] = next[i] - rest * d;
        }
    }

    void leap() {
        if (parameters.fix_mass > 0) State::mean_pressure = State::mean();
        const std::ptrdiff_t t = stride_of_time;
        transform.direct(
            {transform.wind(of(0), of(levels), u, v), transform.scalar(of(2 * levels), temperature),
             transform.scalar(pressure_of(0), pressure),
             transform.wind(of(t), of(t + levels), before[0], before[1]),
             transform.scalar(of(t + 2 * levels), before[2]),
             transform.scalar(pressure_of(1), before[3]),
             transform.wind(of(2 * t), of(2 * t + levels), tendency[0], tendency[1]),
             transform.scalar(of(2 * t + 2 * levels), tendency[2]),
             transform.scalar(pressure_of(2), tendency[3]), transform.scalar(of(3 * t), energy)});
        {
            static const Region here("semi-implicit leapfrog");
            TimedRegion timer(here, State::solving);
#pragma omp parallel for schedule(dynamic)
            for (std::size_t w = 0; w < starts.size(); ++w)
                advance(transform.own()[starts[w]].m, &coefficients[2 * starts[w] * stride],
                        scratch[omp_get_thread_num()]);
        }
        const double number = 2. * double(transform.own().size());
        State::solving.did(
            number * (step().solver.operations() + step().diffuse.operations() + 30 * levels),
            number * 2 * (9 * levels + 3) * sizeof(T));
        to_points();
        if (parameters.fix_mass > 0) State::keep_mean_pressure();
    }
    /// All n of one m.
    void advance(int m, T* columns, std::vector<T>& space) const {
        const std::ptrdiff_t t = stride_of_time;
        const int count = 2 * (transform.truncation() - m + 1);
        const T whole = T(2 * step().beta);
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
            step().solver.add_linear(n, before, next);
        }
        step().solver.solve(m, columns + 2 * t, stride, space);
        for (int i = 0; i < count; ++i) {
            T *now = columns + i * stride, *next = now + 2 * t;
            step().diffuse(m + i / 2, next);
            filter(now, now + t, next, length);
        }
    }
    void leap(Tracer& tracer) {
        transform.direct({transform.scalar(of_tracer(0), tracer.now),
                          transform.scalar(of_tracer(1), tracer.before),
                          transform.scalar(of_tracer(2), tracer.tendency)});
        const T whole = T(2 * step().beta);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i) {
            const int n = transform.own()[i / 2].n;
            T *now = &coefficients_of_tracer[i * stride_of_tracer], *before = now + padded(levels),
              *next = before + padded(levels);
            for (int k = 0; k < levels; ++k) {
                next[k] = (before[k] + whole * next[k]) * step().diffuse.of_tracer(n, k);
                before[k] -= 2 * now[k];
            }
            filter(now, before, next, levels);
        }
        to_points(tracer);
    }
    void to_points() {
        const std::ptrdiff_t t = stride_of_time;
        transform.inverse(
            {transform.wind(of(0), of(levels), u, v), transform.scalar(of(0), vorticity),
             transform.scalar(of(levels), State::divergence),
             transform.gradient(of(2 * levels), &temperature, &(State::T_east), &(State::T_north)),
             transform.gradient(pressure_of(0), &pressure, &(State::p_east), &(State::p_north)),
             transform.wind(of(t), of(t + levels), before[0], before[1]),
             transform.scalar(of(t + 2 * levels), before[2]),
             transform.scalar(pressure_of(1), before[3])});
    }
    void to_points(Tracer& tracer) {
        transform.inverse(
            {transform.gradient(of_tracer(0), &tracer.now, &tracer.east, &tracer.north),
             transform.scalar(of_tracer(1), tracer.before)});
    }
};

}  // namespace

template <class T>
std::unique_ptr<SpectralDynamics::Work> leapfrog(Sequence& s, const GaussianGrid& grid,
                                                 int truncation, const std::vector<double>& a,
                                                 const std::vector<double>& b,
                                                 const std::vector<std::string>& tracers,
                                                 SpectralParameters p) {
    return std::make_unique<Leapfrog<T>>(s, grid, truncation, a, b, tracers, p);
}
template std::unique_ptr<SpectralDynamics::Work> leapfrog<double>(Sequence&, const GaussianGrid&,
                                                                  int, const std::vector<double>&,
                                                                  const std::vector<double>&,
                                                                  const std::vector<std::string>&,
                                                                  SpectralParameters);
template std::unique_ptr<SpectralDynamics::Work> leapfrog<float>(Sequence&, const GaussianGrid&,
                                                                 int, const std::vector<double>&,
                                                                 const std::vector<double>&,
                                                                 const std::vector<std::string>&,
                                                                 SpectralParameters);

}  // namespace fathom::atmosphere
