#include "atmosphere/spectral/spectral.hpp"
#include <omp.h>
#include <optional>
#include "atmosphere/spectral/leapfrog.hpp"
#include "atmosphere/spectral/spectral_state.hpp"
#include "trajectory/semi_lagrangian.hpp"

namespace fathom::atmosphere {

namespace {

std::vector<double> middle(const std::vector<double>& x) {
    std::vector<double> layers;
    for (std::size_t k = 0; k + 1 < x.size(); ++k) layers.push_back(0.5 * (x[k] + x[k + 1]));
    return layers;
}

template <class T> class Dynamics final : public SpectralState<T> {
    using State = SpectralState<T>;
    using State::sequence, State::grid, State::levels, State::parameters, State::reference,
        State::transform, State::starts, State::slab, State::at, State::eta, State::u, State::v,
        State::temperature, State::pressure, State::divergence, State::T_east, State::T_north,
        State::p_east, State::p_north, State::mean_pressure, State::solving, State::diffusing,
        State::map_factor;

public:
    Dynamics(Sequence& s, const GaussianGrid& grid, int truncation, const std::vector<double>& a,
             const std::vector<double>& b, const std::vector<std::string>& tracers,
             SpectralParameters p)
        : State(s, grid, truncation, a, b, p),
          solver(reference,
                 {p.radius, p.splitting > 0 ? 0 : p.rotation, 0.5 * p.step * (1 + p.off_centring),
                  truncation, grid.stretching},
                 wavenumbers(transform.own(), starts)),
          transport(s.domain->comm, s.domain->decomposition, s.domain->halo, grid,
                    middle(eta(a, b, p.reference_pressure)),
                    {p.step, p.radius, 0, int(p.iterations)}),
          diffuse(p, p.step, truncation, a, b) {
        wind = {u, v, slab("eta_velocity")};
        extrapolated = {slab("eastward_wind_extrapolated"), slab("northward_wind_extrapolated"),
                        slab("eta_velocity_extrapolated")};
        carried.fields = {slab("eastward_wind_carried"), slab("northward_wind_carried"),
                          slab("temperature_carried"), slab("log_pressure_ratio_carried")};
        carried.kind = SemiLagrangian<T>::Kind::wind;
        s.set_profile("reference_alpha", reference.alpha);
        s.set_profile("reference_log_ratio", reference.log_ratio);
        s.set_profile("reference_thickness", share(reference.thickness, p.reference_pressure));

        // coefficients of vorticity, divergence, temperature and pressure beside each other: a
        // column is contiguous
        stride = (3 * levels + 1 + 15) / 16 * 16;
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        tracer_mass.resize(tracers.size());
        scratch.resize(omp_get_max_threads());
        State::truncate_orography(pi());
        s.attach("SemiLagrangianTransport", [this] { carry(); });
        s.attach("SpectralStep", [this] { step(); });
        if (p.fix_energy > 0)
            s.attach("TotalEnergy",
                     [this, before = slab("column_energy"), height = slab("surface_geopotential")] {
                         State::keep_energy(before, height);
                     });
        for (std::size_t n = 0; n < tracers.size(); ++n) {  // four at once, with the last of them
            if (n % 4 == 0) groups.push_back({{}, SemiLagrangian<T>::Kind::scalar, true});
            groups.back().fields.push_back(slab(tracers[n]));
            s.attach("TracerTransport of " + tracers[n], [this, n] { carry_tracer(n); });
            if (p.fix_mass > 0)
                s.attach("TracerMass of " + tracers[n], [this, n] { keep_mass(n); });
        }
    }

    void initialise() override {
        to_waves();
        to_points();
    }
    SpectralSpent spent() const override {
        auto& t = transform.spent;
        auto& c = transport.spent;
        return {t.legendre,  t.fourier,       t.transposition, c.packing,
                c.departure, c.interpolation, solving,         diffusing};
    }
    SpectralDynamics::Halo halo() const override {
        return {transport.halo().points_received(), transport.halo().plans};
    }

private:
    SemiImplicit<T> solver;
    SemiLagrangian<T> transport;
    HorizontalDiffusion<T> diffuse;
    typename SemiLagrangian<T>::Wind wind, extrapolated;
    typename SemiLagrangian<T>::Group carried;
    std::vector<typename SemiLagrangian<T>::Group> groups;  // of tracers
    std::vector<T> coefficients;
    std::vector<std::vector<T>> scratch;  // of each thread
    std::ptrdiff_t stride = 0;
    std::vector<double> tracer_mass;

    static std::vector<double> share(std::vector<double> x, double whole) {
        for (auto& y : x) y /= whole;
        return x;
    }
    Coefficients<T> of(int first) { return {coefficients.data() + first, stride}; }
    Coefficients<T> zeta() { return of(0); }
    Coefficients<T> D() { return of(levels); }
    Coefficients<T> warmth() { return of(2 * levels); }
    Coefficients<T> pi() { return of(3 * levels); }

    void carry() {
        if (parameters.fix_mass > 0) mean_pressure = State::mean();
        transport.depart(wind, extrapolated);
        transport.interpolate(carried, carried.fields);
    }
    void carry_tracer(std::size_t n) {
        auto& group = groups[n / 4].fields;
        if (parameters.fix_mass > 0) tracer_mass[n] = State::mass_of(group[n % 4]);
        if (n % 4 == group.size() - 1) transport.interpolate(groups[n / 4], group);
    }
    void keep_mass(std::size_t n) {
        const FieldSlab& tracer = groups[n / 4].fields[n % 4];
        const double now = State::mass_of(tracer);
        if (!(now != 0 && tracer_mass[n] / now > 0)) return;
        State::multiply(tracer, T(tracer_mass[n] / now));
    }
    void step() {
        to_waves();
        double solve = 0, diffusion = 0;  // seconds of all threads
        const double began = seconds_now();
        static const Region here("semi-implicit solve and diffusion");
        std::optional<Within> within(std::in_place, here);
#pragma omp parallel for schedule(dynamic) reduction(+ : solve, diffusion)
        for (std::size_t w = 0; w < starts.size(); ++w) {
            const int m = transform.own()[starts[w]].m;
            T* columns = &coefficients[2 * starts[w] * stride];
            const double begin = seconds_now();
            solver.solve(m, columns, stride, scratch[omp_get_thread_num()]);
            const double solved = seconds_now();
            for (int n = m; n <= transform.truncation(); ++n)
                for (int c = 0; c < 2; ++c) diffuse(n, columns + (2 * (n - m) + c) * stride);
            solve += solved - begin, diffusion += seconds_now() - solved;
        }
        within.reset();
        const double seconds = seconds_now() - began,
                     share = diffusion / std::max(solve + diffusion, 1e-30),
                     number = 2. * double(transform.own().size());
        solving.seconds += seconds * (1 - share), diffusing.seconds += seconds * share;
        solving.did(
            number * solver.operations(),
            number * (8 * levels + 2) * sizeof(T));  // a column there and back, and its pivots
        diffusing.did(number * diffuse.operations(), number * 8 * levels * sizeof(T));
        to_points();
        if (parameters.fix_mass > 0) State::keep_mean_pressure();
    }
    void to_waves() {
        map_factor.times({&u, &v}, -1);
        transform.direct({transform.wind(zeta(), D(), u, v),
                          transform.scalar(warmth(), temperature),
                          transform.scalar(pi(), pressure)});
    }
    void to_points() {
        transform.inverse({transform.wind(zeta(), D(), u, v), transform.scalar(D(), divergence),
                           transform.gradient(warmth(), &temperature, &T_east, &T_north),
                           transform.gradient(pi(), &pressure, &p_east, &p_north)});
        map_factor.times({&u, &v, &T_east, &T_north, &p_east, &p_north}, 1);
        map_factor.times({&divergence}, 2);
    }
};

}  // namespace

SpectralDynamics::SpectralDynamics(Sequence& s, const GaussianGrid& grid, int truncation,
                                   std::vector<double> a, std::vector<double> b,
                                   std::vector<std::string> tracers, SpectralParameters p) {
    auto make = [&]<class T>(T) -> std::unique_ptr<Work> {
        if (s.has("vertical_mass_flux")) return leapfrog<T>(s, grid, truncation, a, b, tracers, p);
        return std::make_unique<Dynamics<T>>(s, grid, truncation, a, b, tracers, p);
    };
    work = s.bytes == 4 ? make(float()) : make(double());
}
SpectralDynamics::~SpectralDynamics() = default;
void SpectralDynamics::initialise() { work->initialise(); }
SpectralSpent SpectralDynamics::spent() const { return work->spent(); }
SpectralDynamics::Halo SpectralDynamics::halo() const { return work->halo(); }

}  // namespace fathom::atmosphere
