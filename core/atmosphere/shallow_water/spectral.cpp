#include "atmosphere/shallow_water/spectral.hpp"
#include <cmath>
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/spectral/map_factor.hpp"
#include "atmosphere/spectral/wavenumbers.hpp"
#include "trajectory/semi_lagrangian.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class ShallowWater final : public SpectralShallowWater::Work {
public:
    ShallowWater(Sequence& s, const GaussianGrid& grid, int truncation, ShallowWaterParameters p)
        : sequence(s),
          parameters(p),
          leapfrog(s.has("vorticity_flux_east")),
          transform(s.domain->comm, grid, truncation, s.domain->decomposition,
                    {.radius = p.radius, .exchange = s.domain->exchange}),
          starts(first_of_each(transform.own())),
          waves({p.mean_geopotential},
                {p.radius, p.splitting > 0 ? 0 : p.rotation, 0.5 * p.step * (1 + p.off_centring),
                 truncation},
                wavenumbers(transform.own(), starts)),
          stretched({p.mean_geopotential}, grid.stretching, p.radius,
                    0.5 * p.step * (1 + p.off_centring), truncation,
                    grid.stretching ? wavenumbers(transform.own(), starts) : std::vector<int>()),
          transport(s.domain->comm, s.domain->decomposition, s.domain->halo, grid, {0.5},
                    {p.step, p.radius, 0, int(p.iterations)}),
          map_factor(s, grid) {
        if (leapfrog && grid.stretching)
            throw Error("the Eulerian scheme needs a sphere without stretching");
        if (grid.stretching && !(p.splitting > 0))
            throw Error("rotation is not among the implicit terms of a stretched sphere");
        if (s.domain->levels != 1)
            throw Error("shallow water has one level, given ", s.domain->levels);
        auto slab = [&](std::string_view name) { return s.slab(s.field(name)); };
        u = slab("eastward_wind");
        v = slab("northward_wind");
        phi = slab("fluid_geopotential");
        vorticity = slab("vorticity");
        coefficients.assign(2 * transform.own().size() * stride, T(0));
        values.resize(std::size_t(truncation + 1) * 4 * waves.padded());
        const double N2 = truncation * (truncation + 1.) - 2, beta = p.step;
        for (int n = 0; n <= truncation; ++n) {
            const double wave = n * (n + 1.) / (p.radius * p.radius),
                         scale = p.diffusion_time > 0 && n > 1
                                     ? std::pow((n * (n + 1.) - 2) / N2, p.diffusion_order) /
                                           p.diffusion_time
                                     : 0;
            const double K = scale + p.viscosity * wave;
            damping.push_back(T(1 / (1 + (leapfrog ? 2 : 1) * p.step * K)));
            square.push_back(T(wave));
            factor.push_back(T(1 / (1 + beta * beta * wave * p.mean_geopotential)));
            factor_of_first.push_back(T(1 / (1 + beta * beta * wave * p.mean_geopotential / 4)));
        }
        FieldSlab ground = slab("surface_geopotential");
        transform.direct({transform.scalar(of(0), ground)});
        if (leapfrog) {
            transform.inverse({transform.scalar(of(0), ground)});
            flux = {slab("vorticity_flux_east"), slab("vorticity_flux_north"),
                    slab("geopotential_flux_east"), slab("geopotential_flux_north"),
                    slab("kinetic_energy")};
            before = {slab("eastward_wind_before"), slab("northward_wind_before"),
                      slab("fluid_geopotential_before")};
            s.attach("ShallowWaterLeapfrog", [this] { leap(); });
            return;
        }
        FieldSlab east = slab("orography_gradient_east"), north = slab("orography_gradient_north");
        transform.inverse({transform.gradient(of(0), &ground, &east, &north)});
        map_factor.times({&east, &north}, 1);
        divergence = slab("divergence");
        gradient_east = slab("geopotential_gradient_east");
        gradient_north = slab("geopotential_gradient_north");
        wind = {u, v, slab("eta_velocity")};
        extrapolated = {slab("eastward_wind_extrapolated"), slab("northward_wind_extrapolated"),
                        slab("eta_velocity_extrapolated")};
        carried.fields = {slab("eastward_wind_carried"), slab("northward_wind_carried"),
                          slab("geopotential_carried")};
        carried.kind = SemiLagrangian<T>::Kind::wind;
        s.attach("ShallowWaterTransport", [this] {
            transport.depart(wind, extrapolated);
            transport.interpolate(carried, carried.fields);
        });
        s.attach("ShallowWaterStep", [this] { step(); });
    }

    void initialise() override {
        to_waves();
        to_points();
    }

private:
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
    Sequence& sequence;
    ShallowWaterParameters parameters;
    bool leapfrog;
    SphericalHarmonics<T> transform;
    std::vector<int> starts;  // of each own m in the list of waves
    ImplicitWaves<T> waves;
    StretchedWaves<T> stretched;  // in place of `waves` where there is stretching
    SemiLagrangian<T> transport;
    MapFactor<T> map_factor;
    FieldSlab u, v, phi, vorticity, divergence, gradient_east, gradient_north;
    std::vector<FieldSlab> flux, before;
    typename SemiLagrangian<T>::Wind wind, extrapolated;
    typename SemiLagrangian<T>::Group carried;
    std::vector<T> coefficients, values, damping, square, factor, factor_of_first;

    Coefficients<T> of(int n) { return {coefficients.data() + n, stride}; }
    void to_waves() {
        map_factor.times({&u, &v}, -1);
        transform.direct(
            {transform.wind(of(zeta), of(D), u, v), transform.scalar(of(geopotential), phi)});
    }
    void to_points() {
        if (leapfrog)
            transform.inverse({transform.wind(of(zeta), of(D), u, v),
                               transform.scalar(of(zeta), vorticity),
                               transform.scalar(of(geopotential), phi)});
        else
            transform.inverse(
                {transform.wind(of(zeta), of(D), u, v), transform.scalar(of(zeta), vorticity),
                 transform.scalar(of(D), divergence),
                 transform.gradient(of(geopotential), &phi, &gradient_east, &gradient_north)});
        map_factor.times({&u, &v}, 1);
        if (!leapfrog)
            map_factor.times({&gradient_east, &gradient_north}, 1),
                map_factor.times({&vorticity, &divergence}, 2);
    }
    void step() {
        to_waves();
        const T beta = T(0.5 * parameters.step * (1 + parameters.off_centring)),
                mean = T(parameters.mean_geopotential);
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
        to_points();
    }
    /// All coefficients of now, before and of the fluxes are found afresh: only grid points last
    /// from step to step.
    void leap() {
        const bool first = sequence.count == 0;
        to_waves();
        if (!first)
            transform.direct({transform.wind(of(zeta_before), of(D_before), before[0], before[1]),
                              transform.scalar(of(geopotential_before), before[2])});
        transform.direct({transform.wind(of(curl), of(divergence_of_flux), flux[0], flux[1]),
                          transform.wind(of(rotation_of_flux), of(inflow), flux[2], flux[3]),
                          transform.scalar(of(energy), flux[4])});
        const T dt = T(first ? 0.5 * parameters.step : parameters.step),
                mean = T(parameters.mean_geopotential), filter = T(first ? 0 : parameters.filter);
        for (std::size_t i = 0; i < transform.own().size(); ++i)
            for (int c = 0; c < 2; ++c) {
                T* x = &coefficients[(2 * i + c) * stride];
                const int n = transform.own()[i].n;
                const T wave = square[n];
                if (first)
                    for (int k : {zeta, D, geopotential}) x[zeta_before + k] = x[k];
                const T z = x[zeta], d = x[D], p = x[geopotential];
                // explicit part of both, then D+ with phi+ eliminated
                const T phi_star =
                    x[geopotential_before] - 2 * dt * (x[inflow] + mean * (x[D_before] / 2 - d));
                const T D_star =
                    x[D_before] +
                    2 * dt *
                        (x[divergence_of_flux] + wave * (x[energy] + x[geopotential_before] / 2));
                x[D] = (D_star + dt * wave * phi_star) * (first ? factor_of_first[n] : factor[n]);
                x[geopotential] = (phi_star - dt * mean * x[D]) * damping[n];
                x[zeta] = (x[zeta_before] + 2 * dt * x[curl]) * damping[n];
                x[D] *= damping[n];
                x[zeta_before] = z + filter * (x[zeta_before] - 2 * z + x[zeta]);
                x[D_before] = d + filter * (x[D_before] - 2 * d + x[D]);
                x[geopotential_before] =
                    p + filter * (x[geopotential_before] - 2 * p + x[geopotential]);
            }
        to_points();
        transform.inverse({transform.wind(of(zeta_before), of(D_before), before[0], before[1]),
                           transform.scalar(of(geopotential_before), before[2])});
    }
};

}  // namespace

SpectralShallowWater::SpectralShallowWater(Sequence& s, const GaussianGrid& grid, int truncation,
                                           ShallowWaterParameters p) {
    if (s.bytes == 4)
        work = std::make_unique<ShallowWater<float>>(s, grid, truncation, p);
    else
        work = std::make_unique<ShallowWater<double>>(s, grid, truncation, p);
}
SpectralShallowWater::~SpectralShallowWater() = default;
void SpectralShallowWater::initialise() { work->initialise(); }

}  // namespace fathom::atmosphere
