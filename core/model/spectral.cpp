#include "model/spectral.hpp"
#include "model/wavenumbers.hpp"
#include "numerics/hybrid.hpp"
#include "numerics/semi_implicit.hpp"
#include "numerics/semi_lagrangian.hpp"
#include "parallel/reduce.hpp"
#include "transform/spherical_harmonics.hpp"
#include <array>
#include <chrono>
#include <cmath>
#include <omp.h>

namespace fathom {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// How much the temperature of the standard atmosphere changes at hybrid level p = a + b p_s where ln p_s changes by 1.
double lapse(double a, double b, double p_r) {
    const double p = a + b * p_r, T = 288.15 * std::pow(p / p_r, 0.19);
    return T > 216.65 ? 0.19 * T * b * p_r / p : 0;
}
std::vector<double> middle(const std::vector<double>& x) {
    std::vector<double> layers;
    for (std::size_t k = 0; k + 1 < x.size(); ++k) layers.push_back(0.5 * (x[k] + x[k + 1]));
    return layers;
}
std::vector<double> eta(const std::vector<double>& a, const std::vector<double>& b, double p_r) {
    std::vector<double> x;
    for (std::size_t k = 0; k < a.size(); ++k) x.push_back(a[k] / p_r + b[k]);
    return x;
}

template <class T> class Dynamics final : public SpectralDynamics::Work {
public:
    Dynamics(Sequence& s, const GaussianGrid& grid, int truncation, const std::vector<double>& a, const std::vector<double>& b, const std::vector<std::string>& tracers, SpectralParameters p)
        : sequence(s), grid(grid), levels(s.domain->levels), parameters(p), reference(a, b, p.reference_pressure, p.reference_temperature, p.gas_constant, p.heat_capacity),
          transform(s.domain->comm, grid, truncation, s.domain->decomposition, {p.radius}),
          starts(first_of_each(transform.own())),
          solver(reference, {p.radius, p.rotation, 0.5 * p.step * (1 + p.off_centring), truncation}, wavenumbers(transform.own(), starts)),
          transport(s.domain->comm, s.domain->decomposition, s.domain->halo, grid, middle(eta(a, b, p.reference_pressure)), {p.step, p.radius, 0, int(p.iterations)}) {
        if (int(a.size()) != levels + 1) throw Error("the sequence has ", levels, " levels; given ", a.size(), " interfaces");
        auto slab = [&](std::string_view name) { return s.slab(s.field(name)); };
        const char* warmth = s.has("virtual_temperature") ? "virtual_temperature" : "air_temperature";
        u = slab("eastward_wind"); v = slab("northward_wind"); temperature = slab(warmth); pressure = slab("log_pressure_ratio");
        divergence = slab("divergence"); T_east = slab("temperature_gradient_east"); T_north = slab("temperature_gradient_north");
        p_east = slab("pressure_gradient_east"); p_north = slab("pressure_gradient_north");
        orography = slab("surface_geopotential"); o_east = slab("orography_gradient_east"); o_north = slab("orography_gradient_north");
        wind = {u, v, slab("eta_velocity")};
        extrapolated = {slab("eastward_wind_extrapolated"), slab("northward_wind_extrapolated"), slab("eta_velocity_extrapolated")};
        carried.fields = {slab("eastward_wind_carried"), slab("northward_wind_carried"), slab("temperature_carried"), slab("log_pressure_ratio_carried")};
        carried.kind = numerics::SemiLagrangian<T>::Kind::wind;
        if (s.has("hybrid_eta")) s.set_profile("hybrid_eta", eta(a, b, p.reference_pressure));
        s.set_profile("reference_alpha", reference.alpha);
        s.set_profile("reference_log_ratio", reference.log_ratio);
        s.set_profile("reference_thickness", share(reference.thickness, p.reference_pressure));

        // coefficients of vorticity, divergence, temperature and pressure beside each other: a column is contiguous
        stride = (3 * levels + 1 + 15) / 16 * 16;
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        for (int k = 0; k < levels; ++k) lapse_of_level.push_back(T(lapse(0.5 * (a[k] + a[k + 1]), 0.5 * (b[k] + b[k + 1]), p.reference_pressure)));
        const double N2 = truncation * (truncation + 1.) - 2;
        for (int n = 0; n <= truncation; ++n) for (double more : {1., p.divergence_damping}) for (int k = 0; k < levels; ++k) {
            const double K = p.diffusion_time > 0 && n > 1 ? more / p.diffusion_time * std::pow((n * (n + 1.) - 2) / N2, p.diffusion_order) : 0;
            damping.push_back(T(1 / (1 + p.step * K * std::pow(2., std::max(0., p.sponge - k)))));
        }
        const auto& d = *s.domain;
        for (auto* b : d.blocks) for (int j = b->j0; j < b->j0 + b->ny; ++j) columns += std::max(0, std::min(b->nx, grid.points[j] - b->i0));
        terms.resize(columns); surface.resize(grid.longest()); tracer_mass.resize(tracers.size());
        for (int k = 0; k < levels; ++k) da.push_back(a[k + 1] - a[k]), db.push_back(b[k + 1] - b[k]);
        scratch.resize(omp_get_max_threads());
        auto one = pi();
        transform.direct({transform.scalar(one, orography)});
        transform.inverse({transform.gradient(one, &orography, &o_east, &o_north)});
        s.attach("SemiLagrangianTransport", [this] { carry(); });
        s.attach("SpectralStep", [this] { step(); });
        for (std::size_t n = 0; n < tracers.size(); ++n) {     // four at once, with the last of them
            if (n % 4 == 0) groups.push_back({{}, numerics::SemiLagrangian<T>::Kind::scalar, true});
            groups.back().fields.push_back(slab(tracers[n]));
            s.attach("TracerTransport of " + tracers[n], [this, n] { carry_tracer(n); });
            if (p.fix_mass > 0) s.attach("TracerMass of " + tracers[n], [this, n] { keep_mass(n); });
        }
    }

    void initialise() override {
        to_waves();
        to_points();
    }
    /// There: wind, T, pi; back: these, D, and the northward gradients.
    double transform_flops() const override { return (8 * levels + 3) * transform.flops_of_field(); }
    SpectralSeconds seconds() const override {
        auto& t = transform.seconds;
        return {t.legendre + t.fourier, t.transposition, transport.seconds_packing, transport.seconds_departure, transport.seconds_interpolating, solving};
    }
    const OnDemandHalo& halo() const override { return transport.halo(); }

private:
    using Transform = SphericalHarmonics<T>;
    Sequence& sequence; GaussianGrid grid; int levels; SpectralParameters parameters;
    numerics::HybridReference reference;
    Transform transform;
    std::vector<int> starts;                               // of each own m in the list of waves
    numerics::SemiImplicit<T> solver;
    numerics::SemiLagrangian<T> transport;
    FieldSlab u, v, temperature, pressure, divergence, T_east, T_north, p_east, p_north, orography, o_east, o_north;
    typename numerics::SemiLagrangian<T>::Wind wind, extrapolated;
    typename numerics::SemiLagrangian<T>::Group carried;
    std::vector<typename numerics::SemiLagrangian<T>::Group> groups;       // of tracers
    std::vector<T> coefficients, damping, lapse_of_level;
    std::vector<std::vector<T>> scratch;                   // of each thread
    std::ptrdiff_t stride = 0;
    std::vector<double> terms, surface, da, db, tracer_mass; std::size_t columns = 0;
    double mean_pressure = 0, solving = 0;

    static std::vector<double> share(std::vector<double> x, double whole) { for (auto& y : x) y /= whole; return x; }
    Coefficients<T> of(int first) { return {coefficients.data() + first, stride}; }
    Coefficients<T> zeta() { return of(0); }
    Coefficients<T> D() { return of(levels); }
    Coefficients<T> warmth() { return of(2 * levels); }
    Coefficients<T> pi() { return of(3 * levels); }

    void carry() {
        if (parameters.fix_mass > 0) mean_pressure = mean();
        transport.depart(wind, extrapolated);
        transport.interpolate(carried, carried.fields);
    }
    void carry_tracer(std::size_t n) {
        auto& group = groups[n / 4].fields;
        if (parameters.fix_mass > 0) tracer_mass[n] = mass_of(group[n % 4]);
        if (n % 4 == group.size() - 1) transport.interpolate(groups[n / 4], group);
    }
    void keep_mass(std::size_t n) {
        const FieldSlab& tracer = groups[n / 4].fields[n % 4];
        const double now = mass_of(tracer);
        if (!(now != 0 && tracer_mass[n] / now > 0)) return;
        const T factor = T(tracer_mass[n] / now);
        for_columns([&](int, std::size_t block, int row, int count) {
            for (int k = 0; k < levels; ++k) {
                T* q = at(tracer, block, row, k);
                for (int i = 0; i < count; ++i) q[i] *= factor;
            }
        });
    }
    void step() {
        to_waves();
        const double t = now();
        #pragma omp parallel for schedule(dynamic)
        for (std::size_t w = 0; w < starts.size(); ++w) {
            const int m = transform.own()[starts[w]].m;
            T* columns = &coefficients[2 * starts[w] * stride];
            solver.solve(m, columns, stride, scratch[omp_get_thread_num()]);
            for (int n = m; n <= transform.truncation(); ++n) for (int c = 0; c < 2; ++c) diffuse(n, columns + (2 * (n - m) + c) * stride);
        }
        solving += now() - t;
        to_points();
        if (parameters.fix_mass > 0) {
            const T more = T(std::log(mean_pressure / mean()));
            for_columns([&](int, std::size_t block, int r, int count) { T* pi = at(pressure, block, r, 0); for (int i = 0; i < count; ++i) pi[i] += more; });
        }
    }
    void diffuse(int n, T* column) const {
        const T *all = &damping[std::size_t(2 * n) * levels], *divergent = all + levels, p = column[3 * levels];
        for (int k = 0; k < levels; ++k) {
            column[k] *= all[k];
            column[levels + k] *= divergent[k];
            const T along = lapse_of_level[k] * p;
            column[2 * levels + k] = (column[2 * levels + k] - along) * all[k] + along;
        }
    }
    void to_waves() { transform.direct({transform.wind(zeta(), D(), u, v), transform.scalar(warmth(), temperature), transform.scalar(pi(), pressure)}); }
    void to_points() {
        transform.inverse({transform.wind(zeta(), D(), u, v), transform.scalar(D(), divergence), transform.gradient(warmth(), &temperature, &T_east, &T_north),
                           transform.gradient(pi(), &pressure, &p_east, &p_north)});
    }

    /// body(global row, block, row of the block, own columns).
    template <class F> void for_columns(F body) {
        const auto& d = *sequence.domain;
        for (std::size_t b = 0; b < d.blocks.size(); ++b) for (int r = 0; r < d.blocks[b]->ny; ++r) {
            const int j = d.blocks[b]->j0 + r, count = std::min(d.blocks[b]->nx, grid.points[j] - d.blocks[b]->i0);
            if (count > 0) body(j, b, r, count);
        }
    }
    T* at(const FieldSlab& f, std::size_t block, int row, int level) const {
        const int halo = sequence.domain->halo;
        return (T*)f.at[block] + (row + halo) * f.row[block] + level * f.level[block] + halo;
    }
    /// Of surface pressure over 100000 Pa, over the sphere.
    double mean() {
        std::size_t n = 0;
        for_columns([&](int j, std::size_t b, int r, int count) {
            const double weight = grid.weight[j] / grid.points[j];
            const T* pi = at(pressure, b, r, 0);
            for (int i = 0; i < count; ++i) terms[n++] = weight * std::exp(double(pi[i]));
        });
        return exact_sum(sequence.domain->comm, terms);
    }
    /// Of a tracer: its mean over the sphere of q dp summed over the layers [Pa].
    double mass_of(const FieldSlab& tracer) {
        std::size_t n = 0;
        for_columns([&](int j, std::size_t b, int r, int count) {
            const double weight = grid.weight[j] / grid.points[j];
            const T* pi = at(pressure, b, r, 0);
            for (int i = 0; i < count; ++i) surface[i] = numerics::unit_pressure * std::exp(double(pi[i])), terms[n + i] = 0;
            for (int k = 0; k < levels; ++k) {
                const T* q = at(tracer, b, r, k);
                for (int i = 0; i < count; ++i) terms[n + i] += weight * (da[k] + db[k] * surface[i]) * double(q[i]);
            }
            n += count;
        });
        return exact_sum(sequence.domain->comm, terms);
    }
};

}  // namespace

SpectralDynamics::SpectralDynamics(Sequence& s, const GaussianGrid& grid, int truncation, std::vector<double> a, std::vector<double> b, std::vector<std::string> tracers, SpectralParameters p) {
    if (s.bytes == 4) work = std::make_unique<Dynamics<float>>(s, grid, truncation, a, b, tracers, p);
    else work = std::make_unique<Dynamics<double>>(s, grid, truncation, a, b, tracers, p);
}
SpectralDynamics::~SpectralDynamics() = default;
void SpectralDynamics::initialise() { work->initialise(); }
SpectralSeconds SpectralDynamics::seconds() const { return work->seconds(); }
double SpectralDynamics::transform_flops() const { return work->transform_flops(); }
const OnDemandHalo& SpectralDynamics::halo() const { return work->halo(); }

}  // namespace fathom
