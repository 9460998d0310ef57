/// The common base of both schemes of the spectral atmosphere: transforms, the vertical reference,
/// sums over the sphere or the plane that conserve mass and energy. Fields are given at each call.
#pragma once
#include <algorithm>
#include <array>
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/spectral/dynamics.hpp"
#include "atmosphere/spectral/shape.hpp"
#include "atmosphere/spectral/sums.hpp"
#include "atmosphere/spectral/wavenumbers.hpp"
#include "parallel/sums/several.hpp"

namespace fathom::atmosphere {

/// In the place of one that a model does not have: without levels, so that nothing is transformed.
inline const Field no_field{};

/// The transformed fields, and the gradients that are computed with them.
struct SpectralFields {
    const Field &u, &v, &temperature, &pressure;
    const Field &divergence, &T_east, &T_north, &p_east, &p_north;
    const Field* reference_divergence = nullptr;
    /// Of compressible air: ln(p / pi), its gradient, and the vertical divergence.
    const Field *departure = nullptr, *departure_east = nullptr, *departure_north = nullptr,
                *vertical_divergence = nullptr;
    const Field& vorticity = no_field;
};

template <class T> class SpectralEngine {
public:
    SpectralEngine(const SpectralSetup& s, const Domain& d)
        : domain(d),
          levels(d.levels),
          parameters(s.parameters),
          reference(s.a, s.b, parameters.reference_pressure, parameters.reference_temperature,
                    parameters.gas_constant, parameters.heat_capacity),
          shape(std::visit([&](auto& on) { return shape_of<T>(on, s, d); }, s.lies_on)),
          transform(shape->transform()),
          starts(first_of_each(transform.own())) {
        if (int(s.a.size()) != levels + 1)
            throw Error("the sequence has ", levels, " levels; given ", s.a.size(), " interfaces");
        reference.surface = s.has_surface_pressure();
        std::size_t columns = 0;
        for (std::size_t b = 0; b < d.blocks.size(); ++b)
            for (int r = 0; r < d.blocks[b]->ny; ++r) {
                const int j = d.blocks[b]->j0 + r,
                          count =
                              std::min(d.blocks[b]->nx, shape->points_of_row(j) - d.blocks[b]->i0);
                if (count <= 0) continue;
                rows.push_back({b, r, count, columns, shape->weight_of_row(j)});
                columns += count;
            }
        terms.resize(columns);
        surface.resize(columns);
        for (int k = 0; k < levels; ++k)
            layers.push_back({s.a[k + 1] - s.a[k], s.b[k + 1] - s.b[k]});
    }

    double mean_pressure = 0;  ///< before the step
    Spent solving, diffusing;

protected:
    const Domain& domain;
    int levels;
    SpectralParameters parameters;
    HybridReference reference;
    const std::unique_ptr<Shape<T>> shape;
    RowTransform<T>& transform;
    std::vector<int> starts;  // of each own m in the list of waves

    /// The model's own mountains, truncated, and their gradients; `of` is overwritten.
    void truncate_orography(Coefficients<T> of, const Field& orography, const Field& east,
                            const Field& north) {
        transform.direct({transform.scalar(of, orography)});
        transform.inverse({with_gradient(of, orography, east, north)});
        shape->times_map_factor({&east, &north}, 1);
    }
    /// Where the model has it.
    auto with_gradient(Coefficients<T> of, const Field& f, const Field& east,
                       const Field& north) const {
        return east.levels ? transform.gradient(of, &f, &east, &north) : transform.scalar(of, f);
    }
    /// Own columns of a row of a block: first of them among all of this rank, weight of each in
    /// means over the sphere.
    struct Row {
        std::size_t block;
        int row, count;
        std::size_t first;
        double weight;
    };
    /// body(row), distributed to threads.
    template <class F> void for_rows(F body) {
#pragma omp parallel for schedule(static)
        for (std::size_t n = 0; n < rows.size(); ++n) body(rows[n]);
    }
    T* at(const FieldSlab& f, const Row& r, int level = 0) const {
        const int halo = domain.halo;
        return (T*)f.at[r.block] + (r.row + halo) * f.row[r.block] + level * f.level[r.block] +
               halo;
    }

public:
    /// Of layers or interfaces, p_s = p_r.
    static std::vector<double> eta(const std::vector<double>& a, const std::vector<double>& b,
                                   double p_r) {
        std::vector<double> x;
        for (std::size_t k = 0; k < a.size(); ++k) x.push_back(a[k] / p_r + b[k]);
        return x;
    }
    /// To all levels of own columns.
    void add(const FieldSlab& f, T more) {
        for_rows([&](const Row& r) {
            for (int k = 0; k < f.levels; ++k)
                for (T *x = at(f, r, k), *end = x + r.count; x < end; ++x) *x += more;
        });
    }
    /// to = factor from, for sums; its transpose: to += factor from.
    void copy_times(const FieldSlab& from, const FieldSlab& to, T factor) {
        combine(from, to, [factor](T, T x) { return factor * x; });
    }
    void add_times(const FieldSlab& from, const FieldSlab& to, T factor) {
        combine(from, to, [factor](T y, T x) { return y + factor * x; });
    }
    /// to = f(to, from)
    template <class F> void combine(const FieldSlab& from, const FieldSlab& to, F f) {
        for_rows([&](const Row& r) {
            for (int k = 0; k < from.levels; ++k) {
                const T* x = at(from, r, k);
                T* y = at(to, r, k);
                for (int i = 0; i < r.count; ++i) y[i] = f(y[i], x[i]);
            }
        });
    }
    /// Of surface pressure over 100000 Pa, over the sphere.
    double mean(const FieldSlab& pressure) {
        for_rows([&](const Row& r) {
            const T* pi = at(pressure, r);
            for (int i = 0; i < r.count; ++i)
                terms[r.first + i] = r.weight * pressure_ratio(double(pi[i]));
        });
        return exact_sum(domain.comm, terms);
    }
    /// Restores the mean surface pressure to that of `mean_pressure`.
    void keep_mean_pressure(const FieldSlab& pressure) {
        add(pressure, T(std::log(mean_pressure / mean(pressure))));
    }
    void take_mean_pressure(Device& device, const FieldSlab& pressure) {
        sums_on(device).pressure(pressure);
        mean_pressure = sum_on(device);
    }
    void keep_mean_pressure(Device& device, const FieldSlab& pressure) {
        sums_on(device).pressure(pressure);
        sums_on(device).add(pressure, std::log(mean_pressure / sum_on(device)));
    }
    /// Of a tracer: its mean over the sphere of q dp summed over the layers [Pa].
    double mass_of(const FieldSlab& tracer, const FieldSlab& pressure) {
        std::ranges::fill(terms, 0.);
        each_share(tracer, pressure, [sums = terms.data()](std::size_t n, double dp, T q) {
            sums[n] += dp * double(q);
        });
        return exact_sum(domain.comm, terms);
    }
    /// The same, and that of f(q).
    template <class F>
    std::array<double, 2> masses_of(const FieldSlab& tracer, const FieldSlab& pressure, F f) {
        std::array<double, 2> sums;
        std::ranges::fill(terms, 0.), more_terms.assign(terms.size(), 0.);
        each_share(
            tracer, pressure,
            [=, all = terms.data(), of_f = more_terms.data()](std::size_t n, double dp, T q) {
                all[n] += dp * double(q), of_f[n] += dp * double(f(q));
            });
        exact_sums(domain.comm, {terms, more_terms}, sums);
        return sums;
    }
    /// Of each level, this rank's part of the mean over the sphere [m2 s-2].
    std::vector<ExactSum> kinetic_energy(const FieldSlab& u, const FieldSlab& v) {
        const std::vector<ExactSum> none(levels, ExactSum(SumUnit::for_largest(1e6)));
        std::vector<ExactSum> sums = none;
#pragma omp parallel
        {
            std::vector<ExactSum> mine = none;
#pragma omp for schedule(static)
            for (std::size_t n = 0; n < rows.size(); ++n)
                for (int k = 0; k < levels; ++k) mine[k].add(kinetic_of_row(rows[n], u, v, k));
#pragma omp critical
            for (int k = 0; k < levels; ++k) sums[k].add(mine[k]);
        }
        return sums;
    }
    std::vector<ExactSum> kinetic_energy(Device& device, const FieldSlab& u, const FieldSlab& v) {
        std::vector<ExactSum> sums(levels, ExactSum(SumUnit::for_largest(1e6)));
        const SumUnit unit = sums[0].unit;
        const auto found = sums_on(device).kinetic(u, v, unit.coarse(), unit.fine());
        for (int k = 0; k < levels; ++k) sums[k].add(found[k]);
        return sums;
    }
    /// Of a layer, mean over the sphere [Pa].
    double mean_thickness(int k) const {
        return layers[k].da + layers[k].db * unit_pressure * mean_pressure;
    }
    /// Of the atmosphere.
    double mean_thickness() const {
        double sum = 0;
        for (int k = 0; k < levels; ++k) sum += mean_thickness(k);
        return sum;
    }
    /// One number added to all temperatures, which makes the energy over the sphere that of
    /// ColumnEnergy.
    double keep_energy(const FieldSlab& before, const FieldSlab& height, const FieldSlab& u,
                       const FieldSlab& v, const FieldSlab& temperature,
                       const FieldSlab& pressure) {
        const double cp = parameters.heat_capacity;
        for_rows([&](const Row& r) {
            const T *energy = at(before, r), *phi = at(height, r);
            const double* ps = surface_pressure(pressure, r);
            double* lost = &terms[r.first];
            for (int i = 0; i < r.count; ++i)
                lost[i] = constants::gravity * double(energy[i]) - double(phi[i]) * ps[i];
            for (int k = 0; k < levels; ++k) {
                const T *U = at(u, r, k), *V = at(v, r, k), *warm = at(temperature, r, k);
                const LayerThickness thickness = layers[k];
                for (int i = 0; i < r.count; ++i)
                    lost[i] -= energy_of_layer(thickness(ps[i]), cp, double(warm[i]), double(U[i]),
                                               double(V[i]));
            }
            for (int i = 0; i < r.count; ++i) lost[i] *= r.weight;
        });
        const double lost = exact_sum(domain.comm, terms);
        add(temperature, T(lost / (cp * mean_thickness())));
        return lost / constants::gravity;
    }
    double keep_energy(Device& device, const SumsOnDevice::Energy& f) {
        const double cp = parameters.heat_capacity;
        sums_on(device).energy(f, cp);
        const double lost = sum_on(device);
        sums_on(device).add(f.temperature, lost / (cp * mean_thickness()));
        return lost / constants::gravity;
    }
    /// Of the terms that were made last; NaN if one of them is not finite.
    double sum_on(Device& device, int which = 0) {
        SumsOnDevice& terms = sums_on(device);
        return exact_sum(domain.comm, terms.largest(which), [&](double coarse, double fine) {
            return terms.limbs(which, coarse, fine);
        });
    }
    /// These sums of fields on a device.
    SumsOnDevice& sums_on(Device& device) {
        if (!there) {
            OwnColumns own{sizeof(T), {}, layers};
            for (const Row& r : rows)
                for (int i = 0; i < r.count; ++i)
                    own.columns.push_back(
                        {int(r.block), r.row + domain.halo, i + domain.halo, r.weight});
            for (int n = 0; n < 3 && !shape->even(); ++n) own.mapped[n] = mapped(n ? n : -1);
            there = device.make<SumsOnDevice>(own);
        }
        return *there;
    }
    void times_map_factor(Device& device, std::initializer_list<const FieldSlab*> fields,
                          int power) {
        if (shape->even()) return;
        for (const FieldSlab* f : fields) sums_on(device).times_map_factor(*f, power);
    }

private:
    /// Points of the map, weighted by a power of its factor.
    std::vector<OwnColumns::Column> mapped(int power) const {
        std::vector<OwnColumns::Column> points;
        const int halo = domain.halo;
        for (int b = 0; b < int(domain.blocks.size()); ++b) {
            const Block& block = *domain.blocks[b];
            for (int r = 0; r < block.ny; ++r)
                for (int j = block.j0 + r, i = 0;
                     i < std::min(block.nx, shape->points_of_map(j) - block.i0); ++i)
                    points.push_back(
                        {b, r + halo, i + halo, double(shape->map_factor(j, block.i0 + i, power))});
        }
        return points;
    }
    ExactLanes kinetic_of_row(const Row& r, const FieldSlab& u, const FieldSlab& v, int k) const {
        ExactLanes lanes(SumUnit::for_largest(1e6));
        const T *U = at(u, r, k), *V = at(v, r, k);
        double of[register_lanes];
        for (int i = 0; i < r.count; i += register_lanes) {
            for (int l = 0; l < register_lanes; ++l) {
                const int n = std::min(i + l, r.count - 1);
                const double east = U[n], north = V[n], half = i + l < r.count ? 0.5 : 0;
                of[l] = kinetic_of_point(half * r.weight, east, north);
            }
            lanes.add(ExactLanes::Real::load(of));
        }
        return lanes;
    }
    std::vector<Row> rows;
    std::vector<double> terms, more_terms, surface;  // of own columns
    std::vector<LayerThickness> layers;
    std::unique_ptr<SumsOnDevice> there;

    /// add(own column, its share of the sphere times dp, q) in all layers.
    template <class Add>
    void each_share(const FieldSlab& tracer, const FieldSlab& pressure, Add add) {
        for_rows([&](const Row& r) {
            const double* ps = surface_pressure(pressure, r);
            for (int k = 0; k < levels; ++k) {
                const T* q = at(tracer, r, k);
                for (int i = 0; i < r.count; ++i)
                    add(r.first + i, r.weight * layers[k](ps[i]), q[i]);
            }
        });
    }

    /// At the surface of a row's columns [Pa].
    const double* surface_pressure(const FieldSlab& pressure, const Row& r) {
        const T* pi = at(pressure, r);
        double* ps = &surface[r.first];
        for (int i = 0; i < r.count; ++i) ps[i] = unit_pressure * pressure_ratio(double(pi[i]));
        return ps;
    }
};

}  // namespace fathom::atmosphere
