/// The engine of the semi-Lagrangian scheme of the spectral atmosphere (dynamics.hpp): transforms,
/// the solve, diffusion, and back to grid points with all gradients.
#pragma once
#include <omp.h>
#include <optional>
#include "atmosphere/spectral/engine.hpp"
#include "machine/threads.hpp"

namespace fathom::atmosphere {

inline std::vector<double> middle(const std::vector<double>& x) {
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
          between(s.compressible()
                      ? shape->carrier(s, eta(s.a, s.b, s.parameters.reference_pressure))
                      : nullptr),
          tracer_mass(s.tracers.size()),
          implicit(shape->implicit_terms(s, reference)),
          mean_is_wind(s.plane() && has_mean()),
          on_plane(s.plane()),
          scratch(omp_get_max_threads()),
          setup(s) {
        // coefficients of vorticity, divergence, temperature and pressure next to each other, then
        // those of compressible air: a column is contiguous
        stride = ((s.compressible() ? 5 : 3) * levels + 1 + 15) / 16 * 16;
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        if (parameters.fix_energy > 0) kinetic.resize(starts.size() * levels);
    }

    /// Of the layers; of the interfaces, where compressible air has its vertical velocity.
    const std::unique_ptr<Carrier<T>> transport, between;
    /// Tangent and adjoint of the transport: made when first needed.
    LinearTransport<T>& linear_transport() {
        if (!linear) linear = shape->linear_carrier(setup, middle(interfaces()));
        return *linear;
    }
    LinearTransport<T>& linear_between() {
        if (!linear_of_between) linear_of_between = shape->linear_carrier(setup, interfaces());
        return *linear_of_between;
    }
    std::vector<double> tracer_mass;  ///< before they are carried
    double heat_of_diffusion = 0;     ///< and of truncation, since the start, mean [J m-2]

    void truncate_orography(const Field& orography, const Field& east, const Field& north) {
        Engine::truncate_orography(here().zeta(), orography, east, north);
    }
    /// Profiles of the linear terms, by level.
    auto reference_profiles() const {
        auto thickness = reference.thickness;
        for (auto& x : thickness) x /= parameters.reference_pressure;
        return std::array{reference.alpha, reference.log_ratio, thickness};
    }
    void step(const SpectralFields& f) {
        std::vector<ExactSum> lost;
        if (parameters.fix_energy > 0) lost = this->kinetic_energy(f.u, f.v);
        to_waves(f);
        solve(lost);
        to_points(f);
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(f.pressure);
    }
    /// The same with fields on a device; coefficients stay there.
    void step(Device& device, const SpectralFields& f) {
        if (!implicit_there) {
            implicit_there = implicit->on(device, stride);
            const auto memory = [&](std::size_t numbers) {
                return DeviceMemory(device.shared_from_this(), numbers * sizeof(T));
            };
            coefficients_there = memory(coefficients.size()), mean_there = memory(levels);
        }
        std::vector<ExactSum> lost;
        if (parameters.fix_energy > 0) lost = this->kinetic_energy(device, f.u, f.v);
        to_waves(device, f);
        solve_there(lost);
        to_points(device, f);
        device.wait();
        if (parameters.fix_mass > 0) Engine::keep_mean_pressure(device, f.pressure);
    }
    /// Of a perturbation: every term that does not change the mean pressure is linear.
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
        transform.direct(given(here(), f));
    }
    void to_points(const SpectralFields& f) {
        transform.inverse(wanted(here(), f));
        if (on_plane) {  // the mean wind replaces the mean divergence
            const auto divergence = transform.scalar(here().D(), f.divergence);
            std::vector<T> mean;  // a rank may have no waves at all
            if (mean_is_wind) {
                mean.assign(&coefficients[levels], &coefficients[2 * levels]);
                std::fill_n(&coefficients[levels], levels, T(0));
            }
            transform.inverse({divergence});
            if (mean_is_wind) std::ranges::copy(mean, &coefficients[levels]);
        }
        shape->times_map_factor({&f.u, &f.v, &f.T_east, &f.T_north, &f.p_east, &f.p_north}, 1);
        if (f.departure) shape->times_map_factor({f.departure_east, f.departure_north}, 1);
        if (f.reference_divergence)
            this->copy_times(f.divergence, *f.reference_divergence,
                             T(shape->square_of_reference()));
        shape->times_map_factor({&f.vorticity, &f.divergence}, 2);
    }
    /// Vorticity and divergence are transformed to points in two ways; on a plane the mean
    /// divergence, that of the wind, in one.
    void to_points_adjoint(const SpectralFields& f) {
        const Columns c = here(), second{spare.data(), stride, levels};
        shape->times_map_factor({&f.vorticity, &f.divergence}, 2);
        if (f.reference_divergence)
            this->add_times(*f.reference_divergence, f.divergence, T(shape->square_of_reference()));
        shape->times_map_factor({&f.u, &f.v, &f.T_east, &f.T_north, &f.p_east, &f.p_north}, 1);
        if (f.departure) {
            shape->times_map_factor({f.departure_east, f.departure_north}, 1);
            transform.inverse_adjoint(
                {transform.gradient(c.q(), f.departure, f.departure_east, f.departure_north),
                 transform.scalar(c.d(), *f.vertical_divergence)});
        }
        transform.inverse_adjoint(
            {transform.wind(c.zeta(), c.D(), f.u, f.v),
             transform.scalar(second.zeta(), f.vorticity),
             transform.scalar(second.D(), f.divergence),
             this->with_gradient(c.warmth(), f.temperature, f.T_east, f.T_north),
             this->with_gradient(c.pi(), f.pressure, f.p_east, f.p_north)});
        if (mean_is_wind) std::fill_n(second.D().at, levels, T(0));
        for (std::size_t i = 0; i < 2 * transform.own().size(); ++i)
            for (int k = levels - f.vorticity.levels; k < 2 * levels; ++k)
                coefficients[i * stride + k] += spare[i * stride + k];
    }
    void start_adjoint(const SpectralFields& f) {
        must_be_linear();
        to_points_adjoint(f);
        to_waves_adjoint(f);
    }
    void to_waves_adjoint(const SpectralFields& f) {
        const Columns c = here();
        transform.direct_adjoint({transform.wind(c.zeta(), c.D(), f.u, f.v),
                                  transform.scalar(c.warmth(), f.temperature),
                                  transform.scalar(c.pi(), f.pressure)});
        if (f.departure)
            transform.direct_adjoint({transform.scalar(c.q(), *f.departure),
                                      transform.scalar(c.d(), *f.vertical_divergence)});
        shape->times_map_factor({&f.u, &f.v}, -1);
    }
    SpectralSpent spent() const {
        auto& t = transform.spent;
        auto c = transport->spent;
        const auto add = [](Spent& to, const Spent& more) {
            to.seconds += more.seconds, to.did(more.operations, more.bytes);
        };
        if (between) {
            const auto& b = between->spent;
            add(c.packing, b.packing), add(c.departure, b.departure);
            add(c.interpolation, b.interpolation);
        }
        return {t.within,    t.fourier,       t.transposition, c.packing,
                c.departure, c.interpolation, solving,         diffusing};
    }

private:
    const std::unique_ptr<ImplicitTerms<T>> implicit;
    const bool mean_is_wind, on_plane;  // mean_is_wind: the mean is this rank's
    std::vector<T> coefficients;
    std::vector<std::vector<T>> scratch;  // of each thread
    std::vector<double> kinetic;          // changes of each own m, by level [m2 s-2]
    std::vector<T> spare;                 // coefficients of divergence, for the adjoint
    std::ptrdiff_t stride = 0;
    std::unique_ptr<ImplicitOnDevice> implicit_there;
    DeviceMemory coefficients_there, mean_there;
    SpectralSetup setup;
    std::unique_ptr<LinearTransport<T>> linear, linear_of_between;
    std::vector<double> interfaces() const {
        return eta(setup.a, setup.b, parameters.reference_pressure);
    }

    /// Linear terms and diffusion of all coefficients; lost: kinetic energy of levels at points.
    void solve(std::vector<ExactSum>& lost) {
        const bool keeps = parameters.fix_energy > 0;
        std::ranges::fill(kinetic, 0.);
        double solve = 0, diffusion = 0;  // seconds of all threads
        const double began = work_now();
        static const Region here("semi-implicit solve and diffusion");
        std::optional<Within> within(std::in_place, here);
#pragma omp parallel for schedule(dynamic) reduction(+ : solve, diffusion) \
    num_threads(threads_of(scratch.size()))
        for (std::size_t w = 0; w < starts.size(); ++w) {
            T* columns = &coefficients[2 * starts[w] * stride];
            const auto account = [&](double sign) {
                if (keeps)
                    implicit->add_kinetic(int(w), columns, stride, sign, &kinetic[w * levels]);
            };
            account(1);
            const double begin = work_now();
            implicit->solve(int(w), columns, stride, scratch[omp_get_thread_num()]);
            const double solved = work_now();
            account(-1);
            implicit->diffuse(int(w), columns, stride);
            account(1);
            solve += solved - begin, diffusion += work_now() - solved;
        }
        within.reset();
        if (keeps) return_as_heat(lost);
        const double seconds = work_now() - began,
                     share = diffusion / std::max(solve + diffusion, 1e-30);
        solving.seconds += seconds * (1 - share), diffusing.seconds += seconds * share;
        count_solve();
    }
    void count_solve() {
        const double number = 2. * double(transform.own().size());
        solving.did(
            number * implicit->operations_of_solve(),
            number * (8 * levels + 2) * sizeof(T));  // a column there and back, and its pivots
        diffusing.did(number * implicit->operations_of_diffusion(),
                      number * 8 * levels * sizeof(T));
    }

    void to_waves(Device& device, const SpectralFields& f) {
        this->times_map_factor(device, {&f.u, &f.v}, -1);
        transform.direct(device, given(there(), f));
    }
    void to_points(Device& device, const SpectralFields& f) {
        transform.inverse(device, wanted(there(), f));
        if (on_plane) {  // the mean wind replaces the mean divergence
            const Coefficients<T> D = there().D();
            const auto divergence = transform.scalar(D, f.divergence);
            const std::size_t bytes = levels * sizeof(T);
            constexpr auto within = Device::Way::within;
            if (mean_is_wind) {
                device.copy(mean_there.at, D.at, bytes, within);
                device.clear((std::byte*)D.at, bytes);
            }
            transform.inverse(device, {&divergence, 1});
            if (mean_is_wind) device.copy(D.at, mean_there.at, bytes, within);
        }
        this->times_map_factor(device, {&f.u, &f.v, &f.T_east, &f.T_north, &f.p_east, &f.p_north},
                               1);
        if (f.departure) this->times_map_factor(device, {f.departure_east, f.departure_north}, 1);
        if (f.reference_divergence)
            this->sums_on(device).copy_times(f.divergence, *f.reference_divergence,
                                             shape->square_of_reference());
        this->times_map_factor(device, {&f.vorticity, &f.divergence}, 2);
    }

    void solve_there(std::vector<ExactSum>& lost) {
        ImplicitOnDevice& on = *implicit_there;
        const auto columns = coefficients_there.at;
        const bool keeps = parameters.fix_energy > 0;
        const auto account = [&](double sign) {
            if (keeps) on.add_kinetic(columns, sign);
        };
        on.clear_kinetic();
        account(1);
        on.solve(columns);
        account(-1);
        on.diffuse(columns);
        account(1);
        count_solve();
        if (!keeps) return;
        const SumUnit unit = lost[0].unit;
        const auto found = on.lost_kinetic(unit.coarse(), unit.fine());
        for (int k = 0; k < levels; ++k) lost[k].add(found[k]);
        const auto more = warming(lost);
        if (has_mean()) on.warm(columns, more);
    }

    /// Kinetic energy that truncation and diffusion remove warms its level: c_p dT is the
    /// energy at the points before, minus that of the coefficients (`kinetic`); the same bits on
    /// any ranks.
    void return_as_heat(std::vector<ExactSum>& lost) {
        for (int k = 0; k < levels; ++k) {
            Limbs limbs;
            for (std::size_t w = 0; w < starts.size(); ++w)
                Limbs::add(-kinetic[w * levels + k], lost[k].unit.coarse(), lost[k].unit.fine(),
                           limbs.word);
            lost[k].add(limbs);
        }
        const auto more = warming(lost);
        for (int k = 0; k < levels && has_mean(); ++k) coefficients[2 * levels + k] += T(more[k]);
    }
    /// Of this rank.
    bool has_mean() const { return !transform.own().empty() && transform.own()[0].m == 0; }
    /// Of each level, by the sum over ranks of what is lost [K].
    std::vector<double> warming(std::vector<ExactSum>& lost) {
        allreduce(this->domain.comm, lost);
        std::vector<double> more;
        for (int k = 0; k < levels; ++k) {
            const double heat = lost[k].value();
            more.push_back(heat / parameters.heat_capacity);
            heat_of_diffusion += heat * this->mean_thickness(k) / constants::gravity;
        }
        return more;
    }
    void must_be_linear() {
        if (parameters.fix_mass > 0)
            throw Error("a mean pressure that is kept has no tangent: fix_mass = False");
        if (!on_plane && !shape->even())
            throw Error("the spectral step has no tangent on a stretched sphere");
        spare.resize(coefficients.size());
    }
    /// body(number of an own m, its columns, memory of the thread)
    template <class Body> void each_wave(Body body) {
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
        for (std::size_t w = 0; w < starts.size(); ++w)
            body(int(w), &coefficients[2 * starts[w] * stride], scratch[omp_get_thread_num()]);
    }

    /// Coefficients in the memory of the processor or of a device.
    struct Columns {
        T* at;
        std::ptrdiff_t stride;
        int levels;
        Coefficients<T> of(int first) const { return {at + first, stride}; }
        Coefficients<T> zeta() const { return of(0); }
        Coefficients<T> D() const { return of(levels); }
        Coefficients<T> warmth() const { return of(2 * levels); }
        Coefficients<T> pi() const { return of(3 * levels); }
        Coefficients<T> q() const { return of(3 * levels + 1); }
        Coefficients<T> d() const { return of(4 * levels + 1); }
    };
    Columns here() { return {coefficients.data(), stride, levels}; }
    Columns there() const { return {(T*)coefficients_there.at, stride, levels}; }

    using Items = std::vector<typename RowTransform<T>::Item>;
    /// What becomes coefficients.
    Items given(const Columns& c, const SpectralFields& f) const {
        Items items{transform.wind(c.zeta(), c.D(), f.u, f.v),
                    transform.scalar(c.warmth(), f.temperature),
                    transform.scalar(c.pi(), f.pressure)};
        if (f.departure) {
            items.push_back(transform.scalar(c.q(), *f.departure));
            items.push_back(transform.scalar(c.d(), *f.vertical_divergence));
        }
        return items;
    }
    /// What returns to points together; on a plane the divergence follows.
    Items wanted(const Columns& c, const SpectralFields& f) const {
        Items items{transform.wind(c.zeta(), c.D(), f.u, f.v),
                    this->with_gradient(c.warmth(), f.temperature, f.T_east, f.T_north),
                    this->with_gradient(c.pi(), f.pressure, f.p_east, f.p_north),
                    transform.scalar(c.zeta(), f.vorticity)};
        if (!on_plane) items.push_back(transform.scalar(c.D(), f.divergence));
        if (f.departure) {
            items.push_back(
                transform.gradient(c.q(), f.departure, f.departure_east, f.departure_north));
            items.push_back(transform.scalar(c.d(), *f.vertical_divergence));
        }
        return items;
    }
};

/// Data shared by the processes of a step.
template <class T> using Common = std::shared_ptr<Shared<SemiLagrangianEngine<T>>>;

}  // namespace fathom::atmosphere
