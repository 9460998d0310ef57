/// The engine of the Eulerian scheme of the spectral atmosphere (leapfrog_scheme.cpp): transforms,
/// the leapfrog of coefficients, and back to grid points, on the processor and on a device.
#pragma once
#include <omp.h>
#include <array>
#include <optional>
#include "atmosphere/spectral/engine.hpp"
#include "atmosphere/spectral/leap.hpp"
#include "atmosphere/spectral/sphere_on_device.hpp"
#include "machine/threads.hpp"

namespace fathom::atmosphere {

inline const OnSphere& sphere_of(const SpectralSetup& s) {
    if (!std::holds_alternative<OnSphere>(s.lies_on))
        throw Error("the Eulerian scheme needs a sphere");
    return std::get<OnSphere>(s.lies_on);
}

/// Fields of the leapfrog: present ones with gradients, previous ones, and tendencies; instead of
/// that of temperature there can be a vector whose curl it is.
struct LeapfrogFields {
    SpectralFields now;
    const Field &u_before, &v_before, &T_before, &p_before;
    const Field &u_tendency, &v_tendency, &T_tendency, &p_tendency, &energy, &vorticity;
    const Field &curl_east = no_field, &curl_north = no_field;
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
          stride(3 * stride_of_time + padded(2 * levels)),
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
        Engine::truncate_orography({coefficients.data(), stride}, orography, east, north);
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
        transform.direct(Items(given(coefficients.data(), f)).first(3));
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            std::copy_n(&coefficients[i * stride], length,
                        &coefficients[i * stride + stride_of_time]);
        to_points(f);
    }
    void start(const TracerFields& f) {
        transform.direct(Items(given(coefficients_of_tracer.data(), f)).first(1));
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            std::copy_n(&coefficients_of_tracer[i * stride_of_tracer], levels,
                        &coefficients_of_tracer[i * stride_of_tracer + padded(levels)]);
        to_points(f);
    }

    /// Truncates the fields of both time levels.
    void truncate(const LeapfrogFields& f) {
        transform.direct(Items(given(coefficients.data(), f)).first(6));
        to_points(f);
    }
    void truncate(const TracerFields& f) {
        transform.direct(Items(given(coefficients_of_tracer.data(), f)).first(2));
        to_points(f);
    }

    void leap(const LeapfrogFields& f, bool forward) {
        if (parameters.fix_mass > 0) Engine::mean_pressure = Engine::mean(f.now.pressure);
        transform.direct(given(coefficients.data(), f));
        {
            static const Region here("semi-implicit leapfrog");
            TimedRegion timer(here, Engine::solving);
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
            for (std::size_t w = 0; w < starts.size(); ++w)
                advance(transform.own()[starts[w]].m, &coefficients[2 * starts[w] * stride],
                        scratch[omp_get_thread_num()], forward);
        }
        count_solve(forward);
        to_points(f);
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(f.now.pressure);
    }
    void leap(const TracerFields& f, bool forward) {
        transform.direct(given(coefficients_of_tracer.data(), f));
        const Step& s = step(forward);
        const T whole = T(2 * s.beta);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i) {
            const int n = transform.own()[i / 2].n;
            T *now = &coefficients_of_tracer[i * stride_of_tracer], *before = now + padded(levels),
              *next = before + padded(levels);
            atmosphere::leap(now, before, next, levels, whole);
            for (int k = 0; k < levels; ++k) next[k] *= s.diffuse.of_tracer(n, k);
            filter(forward)(now, before, next, levels);
        }
        to_points(f);
    }

    void leap(Device& device, const LeapfrogFields& f, bool forward) {
        T* const at = (T*)on(device).columns.at;
        const std::ptrdiff_t t = stride_of_time;
        if (parameters.fix_mass > 0) Engine::take_mean_pressure(device, f.now.pressure);
        transform.direct(device, given(at, f));
        ImplicitOnDevice& implicit = *there->of(forward);
        const auto how = leapfrog(t, forward);
        implicit.leap(at, how);
        implicit.solve(at + 2 * t), implicit.diffuse(at + 2 * t);
        implicit.filter(at, how);
        count_solve(forward);
        transform.inverse(device, wanted(at, f));
        device.wait();
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(device, f.now.pressure);
    }
    void leap(Device& device, const TracerFields& f, bool forward) {
        T* const at = (T*)on(device).of_tracer.at;
        transform.direct(device, given(at, f));
        there->of(forward)->leap_tracer(at, stride_of_tracer, leapfrog(padded(levels), forward));
        transform.inverse(device, wanted(at, f));
        device.wait();
    }

private:
    void count_solve(bool forward) {
        const double number = 2. * double(transform.own().size());
        const Step& s = step(forward);
        Engine::solving.did(number * (s.solver.operations() + s.diffuse.operations() + 30 * levels),
                            number * 2 * (9 * levels + 3) * sizeof(T));
    }
    /// Coefficients on a device, and what depends on the length of a step.
    struct There {
        DeviceMemory columns, of_tracer;
        std::unique_ptr<ImplicitOnDevice> all, first;
        std::unique_ptr<ImplicitOnDevice>& of(bool forward) { return forward ? first : all; }
    };
    std::optional<There> there;
    There& on(Device& device) {
        if (there) return *there;
        const auto memory = [&](const std::vector<T>& as) {
            return DeviceMemory(device.shared_from_this(), (as.size() + 1) * sizeof(T));
        };
        there.emplace(memory(coefficients), memory(coefficients_of_tracer));
        for (bool forward : {false, true}) {
            const Step& s = step(forward);
            there->of(forward) =
                implicit_on(device, stride, wavenumbers(transform.own(), starts),
                            transform.truncation(), parameters.radius, s.beta, s.solver, s.diffuse);
        }
        return *there;
    }
    ImplicitOnDevice::Leapfrog leapfrog(std::ptrdiff_t apart, bool forward) const {
        const TimeFilter<T> how = filter(forward);
        return {apart, 2 * step(forward).beta, double(how.share), double(how.rest)};
    }
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
    /// the present and previous time and as a tendency (later the new time); kinetic energy; the
    /// divergence of a vector whose curl is a tendency, which is not used.
    int length;
    std::ptrdiff_t stride_of_time, stride, stride_of_tracer;
    Step all, first;
    std::vector<std::vector<T>> scratch;  // of each thread
    std::vector<T> coefficients, coefficients_of_tracer;

    using Item = typename RowTransform<T>::Item;
    using Items = typename RowTransform<T>::Items;
    /// What becomes coefficients at `at`, in the memory of the processor or of a device: of the
    /// present time, the previous one, and tendencies.
    std::array<Item, 11> given(T* at, const LeapfrogFields& f) const {
        const std::ptrdiff_t t = stride_of_time, u = 0, v = levels, T_ = 2 * levels,
                             pi = 3 * levels;
        const auto of = [&](std::ptrdiff_t place) { return Coefficients<T>{at + place, stride}; };
        return {transform.wind(of(u), of(v), f.now.u, f.now.v),
                transform.scalar(of(T_), f.now.temperature),
                transform.scalar(of(pi), f.now.pressure),
                transform.wind(of(t + u), of(t + v), f.u_before, f.v_before),
                transform.scalar(of(t + T_), f.T_before),
                transform.scalar(of(t + pi), f.p_before),
                transform.wind(of(2 * t + u), of(2 * t + v), f.u_tendency, f.v_tendency),
                transform.scalar(of(2 * t + T_), f.T_tendency),
                transform.wind(of(2 * t + T_), of(3 * t + levels), f.curl_east, f.curl_north),
                transform.scalar(of(2 * t + pi), f.p_tendency),
                transform.scalar(of(3 * t), f.energy)};
    }
    std::array<Item, 8> wanted(T* at, const LeapfrogFields& f) const {
        const std::ptrdiff_t t = stride_of_time, T_ = 2 * levels, pi = 3 * levels;
        const auto of = [&](std::ptrdiff_t place) { return Coefficients<T>{at + place, stride}; };
        const SpectralFields& now = f.now;
        return {transform.wind(of(0), of(levels), now.u, now.v),
                transform.scalar(of(0), f.vorticity),
                transform.scalar(of(levels), now.divergence),
                this->with_gradient(of(T_), now.temperature, now.T_east, now.T_north),
                this->with_gradient(of(pi), now.pressure, now.p_east, now.p_north),
                transform.wind(of(t), of(t + levels), f.u_before, f.v_before),
                transform.scalar(of(t + T_), f.T_before),
                transform.scalar(of(t + pi), f.p_before)};
    }
    Coefficients<T> of_tracer(T* at, int time) const {
        return {at + time * padded(levels), stride_of_tracer};
    }
    std::array<Item, 3> given(T* at, const TracerFields& f) const {
        return {transform.scalar(of_tracer(at, 0), f.now),
                transform.scalar(of_tracer(at, 1), f.before),
                transform.scalar(of_tracer(at, 2), f.tendency)};
    }
    std::array<Item, 2> wanted(T* at, const TracerFields& f) const {
        return {transform.gradient(of_tracer(at, 0), &f.now, &f.east, &f.north),
                transform.scalar(of_tracer(at, 1), f.before)};
    }
    const Step& step(bool forward) const { return forward ? first : all; }
    TimeFilter<T> filter(bool forward) const {
        const double share = forward ? 0 : parameters.filter;
        return {T(share * parameters.williams), T(share * (1 - parameters.williams))};
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
            atmosphere::leap(now, before, next, length, whole);
            step(forward).solver.add_linear(n, before, next);
        }
        step(forward).solver.solve(m, columns + 2 * t, stride, space);
        for (int i = 0; i < count; ++i) {
            T *now = columns + i * stride, *next = now + 2 * t;
            step(forward).diffuse(m + i / 2, next);
            filter(forward)(now, now + t, next, length);
        }
    }
    void to_points(const LeapfrogFields& f) { transform.inverse(wanted(coefficients.data(), f)); }
    void to_points(const TracerFields& f) {
        transform.inverse(wanted(coefficients_of_tracer.data(), f));
    }
};

/// Data shared by the processes of a step.
template <class T> using CommonLeapfrog = std::shared_ptr<Shared<LeapfrogEngine<T>>>;

}  // namespace fathom::atmosphere
