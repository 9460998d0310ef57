/// What both schemes of the spectral atmosphere stand on: fields and their transforms, the vertical reference, sums over the sphere that keep mass and energy.
#pragma once
#include "model/horizontal_diffusion.hpp"
#include "model/map_factor.hpp"
#include "model/wavenumbers.hpp"
#include "numerics/energy.hpp"
#include "numerics/hybrid.hpp"
#include "numerics/semi_implicit.hpp"
#include "parallel/reduce.hpp"
#include "transform/spherical_harmonics.hpp"
#include <chrono>

namespace fathom {

template <class T> class SpectralState : public SpectralDynamics::Work {
public:
    SpectralState(Sequence& s, const GaussianGrid& grid, int truncation, const std::vector<double>& a, const std::vector<double>& b, SpectralParameters p)
        : sequence(s), grid(grid), levels(s.domain->levels), parameters(p), reference(a, b, p.reference_pressure, p.reference_temperature, p.gas_constant, p.heat_capacity),
          transform(s.domain->comm, grid, truncation, s.domain->decomposition, {p.radius}), starts(first_of_each(transform.own())), map_factor(s, grid) {
        if (int(a.size()) != levels + 1) throw Error("the sequence has ", levels, " levels; given ", a.size(), " interfaces");
        const char* warmth = s.has("virtual_temperature") ? "virtual_temperature" : "air_temperature";
        u = slab("eastward_wind"); v = slab("northward_wind"); temperature = slab(warmth); pressure = slab("log_pressure_ratio");
        divergence = slab("divergence"); T_east = slab("temperature_gradient_east"); T_north = slab("temperature_gradient_north");
        p_east = slab("pressure_gradient_east"); p_north = slab("pressure_gradient_north");
        if (s.has("hybrid_eta")) s.set_profile("hybrid_eta", eta(a, b, p.reference_pressure));
        const auto& d = *s.domain;
        std::size_t columns = 0;
        for (auto* block : d.blocks) for (int j = block->j0; j < block->j0 + block->ny; ++j) columns += std::max(0, std::min(block->nx, grid.points[j] - block->i0));
        terms.resize(columns); ground.resize(columns); surface.resize(grid.longest());
        std::size_t first = 0;
        for_columns([&](int j, std::size_t block, int row, int count) { rows.push_back({j, block, row, count, first}); first += count; });
        for (int k = 0; k < levels; ++k) da.push_back(a[k + 1] - a[k]), db.push_back(b[k + 1] - b[k]);
    }

protected:
    using Transform = SphericalHarmonics<T>;
    Sequence& sequence; GaussianGrid grid; int levels; SpectralParameters parameters;
    numerics::HybridReference reference;
    Transform transform;
    std::vector<int> starts;                               // of each own m in the list of waves
    MapFactor<T> map_factor;
    FieldSlab u, v, temperature, pressure, divergence, T_east, T_north, p_east, p_north;
    double mean_pressure = 0, solving = 0;

    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    /// Of layers or interfaces, p_s = p_r.
    static std::vector<double> eta(const std::vector<double>& a, const std::vector<double>& b, double p_r) {
        std::vector<double> x;
        for (std::size_t k = 0; k < a.size(); ++k) x.push_back(a[k] / p_r + b[k]);
        return x;
    }
    FieldSlab slab(std::string_view name) { return sequence.slab(sequence.field(name)); }
    /// The model's own mountains, truncated, and their gradients; `of` is overwritten.
    void truncate_orography(Coefficients<T> of) {
        const FieldSlab orography = slab("surface_geopotential"), east = slab("orography_gradient_east"), north = slab("orography_gradient_north");
        transform.direct({transform.scalar(of, orography)});
        transform.inverse({transform.gradient(of, &orography, &east, &north)});
        map_factor.times({&east, &north}, 1);
    }
    /// The mean surface pressure becomes that of `mean_pressure` again.
    void keep_mean_pressure() {
        const T more = T(std::log(mean_pressure / mean()));
        for_columns([&](int, std::size_t block, int r, int count) { T* pi = at(pressure, block, r, 0); for (int i = 0; i < count; ++i) pi[i] += more; });
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
            const double weight = grid.area(j) / grid.points[j];
            const T* pi = at(pressure, b, r, 0);
            for (int i = 0; i < count; ++i) terms[n++] = weight * std::exp(double(pi[i]));
        });
        return exact_sum(sequence.domain->comm, terms);
    }
    /// Of a tracer: its mean over the sphere of q dp summed over the layers [Pa].
    double mass_of(const FieldSlab& tracer) {
        std::size_t n = 0;
        for_columns([&](int j, std::size_t b, int r, int count) {
            const double weight = grid.area(j) / grid.points[j];
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
    /// One number for all temperatures, with which the energy over the sphere is that of numerics::ColumnEnergy.
    void keep_energy(const FieldSlab& before, const FieldSlab& height) {
        const double cp = parameters.heat_capacity;
        #pragma omp parallel for schedule(static)
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto [j, b, r, count, first] = rows[row];
            const double weight = grid.area(j) / grid.points[j];
            const T *pi = at(pressure, b, r, 0), *energy = at(before, b, r, 0), *phi = at(height, b, r, 0);
            double *lost = &terms[first], *ps = &ground[first];
            for (int i = 0; i < count; ++i) {
                ps[i] = numerics::unit_pressure * std::exp(double(pi[i]));
                lost[i] = constants::gravity * double(energy[i]) - double(phi[i]) * ps[i];
            }
            for (int k = 0; k < levels; ++k) {
                const T *U = at(u, b, r, k), *V = at(v, b, r, k), *warm = at(temperature, b, r, k);
                const double a = da[k], slope = db[k];
                for (int i = 0; i < count; ++i) {
                    const double east = U[i], north = V[i];
                    lost[i] -= (a + slope * ps[i]) * (cp * (double(warm[i]) - numerics::ColumnEnergy::warmth) + 0.5 * (east * east + north * north));
                }
            }
            for (int i = 0; i < count; ++i) lost[i] *= weight;
        }
        double thickness = 0;                              // of the atmosphere, mean over the sphere [Pa]
        for (int k = 0; k < levels; ++k) thickness += da[k] + db[k] * numerics::unit_pressure * mean_pressure;
        const T more = T(exact_sum(sequence.domain->comm, terms) / (cp * thickness));
        for_columns([&](int, std::size_t b, int r, int count) {
            for (int k = 0; k < levels; ++k) {
                T* warm = at(temperature, b, r, k);
                for (int i = 0; i < count; ++i) warm[i] += more;
            }
        });
    }

private:
    struct Row { int j; std::size_t block; int row, count; std::size_t first; };   ///< first: of its columns among all of this rank
    std::vector<Row> rows;
    std::vector<double> terms, surface, ground, da, db;
};

}  // namespace fathom
