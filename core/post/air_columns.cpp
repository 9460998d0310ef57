#include "post/air_columns.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include "base/error.hpp"

namespace fathom::post {

namespace {

/// Calls body(Real, p) for packs of points, then for single points that do not fill a pack.
template <class Body> void packs(std::size_t points, const Body& body) {
    std::size_t p = 0;
    for (; p + cell_width<double> <= points; p += cell_width<double>)
        body(Pack<double, cell_width<double>>(), p);
    for (; p < points; ++p) body(Plain(), p);
}

template <class Real> struct PackColumn {
    const double* first;
    std::size_t level;
    Real operator[](int k) const { return Real::load(first + k * level); }
};

/// If the highest interface has pressure 0, it is the top of the atmosphere in all columns.
template <class Real> struct PackInterfaces : PackColumn<Real> {
    bool vacuum;
    bool empty(int k) const { return k == 0 && vacuum; }
};

}  // namespace

AirColumns::AirColumns(int layers, std::size_t points)
    : points(points),
      layers(layers),
      x((layers + 1) * points),
      temperature(x.size()),
      virtual_temperature(x.size()),
      geopotential(x.size()) {
    if (layers < 2) throw Error("a column of ", layers, " layers; wanted: 2 or more");
}

template <class Number>
AirColumns::AirColumns(const AirState<Number>& state)
    : AirColumns(state.temperature.levels, state.points) {
    if (int(state.a.size()) != layers + 1 || int(state.b.size()) != layers + 1)
        throw Error(layers, " layers, and interfaces of ", state.a.size() - 1);
    take(state);
    find_hydrostatics(state.a, state.b);
}

AirColumns::AirColumns(const AirLayers& given)
    : AirColumns(given.temperature.levels, given.points) {
    const auto take = [&](std::vector<double>& own, const Slab<double>& values) {
        for (int k = 0; k < layers; ++k)
            std::copy_n(values.first + k * values.level, points, &own[k * points]);
    };
    take(x, given.logarithm), take(geopotential, given.geopotential);
    take(temperature, given.temperature), take(virtual_temperature, given.virtual_temperature);
    std::copy_n(given.log_surface_pressure, points, &x[layers * points]);
    std::copy_n(given.surface_geopotential, points, &geopotential[layers * points]);
    packs(points, [&](auto number, std::size_t p) { find_ground(p, number); });
}

/// Temperatures, ln p_s and phi_s in double precision.
template <class Number> void AirColumns::take(const AirState<Number>& state) {
    for (int k = 0; k < layers; ++k) {
        const Number* T = state.temperature.first + k * state.temperature.level;
        const Number* q =
            state.humidity.first ? state.humidity.first + k * state.humidity.level : nullptr;
        double *own = &temperature[k * points], *moist = &virtual_temperature[k * points];
        for (std::size_t p = 0; p < points; ++p) {
            const double factor = q ? post::virtual_temperature(1.0, double(q[p])) : 1.0;
            own[p] = state.is_virtual ? double(T[p]) / factor : double(T[p]);
            moist[p] = state.is_virtual ? double(T[p]) : double(T[p]) * factor;
        }
    }
    for (std::size_t p = 0; p < points; ++p) {
        x[layers * points + p] = double(state.log_surface_pressure[p]);
        geopotential[layers * points + p] = double(state.surface_geopotential[p]);
    }
}

void AirColumns::find_hydrostatics(const std::vector<double>& a, const std::vector<double>& b) {
    const std::size_t ground = layers * points;
    packs(points, [&](auto number, std::size_t p) {
        using Real = decltype(number);
        hydrostatics(HybridInterfaces<Real>{a.data(), b.data(), exp(Real::load(&x[ground + p]))},
                     layers, Real::load(&geopotential[ground + p]),
                     PackColumn<Real>{&virtual_temperature[p], points},
                     [&](int k, Real logarithm, Real phi) {
                         logarithm.store(&x[k * points + p]);
                         phi.store(&geopotential[k * points + p]);
                     });
        find_ground(p, number);
    });
}

/// T_* and T_v*.
template <class Real> void AirColumns::find_ground(std::size_t p, Real) {
    const std::size_t ground = layers * points;
    const Real surface_pressure = exp(Real::load(&x[ground + p])),
               lowest = exp(Real::load(&x[ground - points + p]));
    for (auto* T : {&temperature, &virtual_temperature})
        ground_temperature(Real::load(T->data() + ground - points + p), surface_pressure, lowest)
            .store(T->data() + ground + p);
}

void AirColumns::to(Slab<double> logarithms) {
    target = logarithms;
    between.reset(), grounded.reset();
}

const Between& AirColumns::among_layers() const {
    if (!between) between = found(layers, grounded.get());
    return *between;
}

const Between& AirColumns::above_ground() const {
    if (!grounded) grounded = found(layers + 1, between.get());
    return *grounded;
}

/// Finds the targets between `count` levels; uses `other`, found with one level more or fewer.
std::unique_ptr<Between> AirColumns::found(int count, const Between* other) const {
    const auto column = levels(x, count);
    if (other && layers >= 4) return std::make_unique<Between>(*other, column);
    return std::make_unique<Between>(column, target, points);
}

template <class Number> void AirColumns::at(Slab<Number> values, int order, double* result) const {
    if (order == 3)
        among_layers().cubic(values, result);
    else
        among_layers().linear(values, result);
}

void AirColumns::temperature_at(int order, double* result) const {
    const Between& all = above_ground();
    if (order == 3)
        all.cubic(levels(temperature, layers + 1), result);
    else
        all.linear(levels(temperature, layers + 1), result);
    const std::size_t ground = layers * points;
    for (int n = 0; n < targets(); ++n)
        for (std::size_t p = 0; p < points; ++p, ++result) {
            const Plain y = target[p][n] - Plain(x[ground + p]);
            if (y > Plain(0))
                *result = temperature_below(Plain(temperature[ground + p]),
                                            Plain(geopotential[ground + p]), y)
                              .lanes;
        }
}

void AirColumns::geopotential_at(double* result) const {
    std::vector<double> slopes(virtual_temperature);
    for (double& slope : slopes) slope *= -R;
    above_ground().hermite(levels(geopotential, layers + 1), levels(slopes, layers + 1), result);
    const std::size_t ground = layers * points;
    for (int n = 0; n < targets(); ++n)
        for (std::size_t p = 0; p < points; ++p, ++result) {
            const Plain y = target[p][n] - Plain(x[ground + p]), phi(geopotential[ground + p]);
            if (y > Plain(0))
                *result = geopotential_below(
                              phi, Ground<Plain>(Plain(virtual_temperature[ground + p]), phi), y)
                              .lanes;
        }
}

void AirColumns::mean_sea_level_pressure(double* result) const {
    const std::size_t ground = layers * points;
    packs(points, [&](auto number, std::size_t p) {
        using Real = decltype(number);
        post::mean_sea_level_pressure(exp(Real::load(&x[ground + p])),
                                      Real::load(&geopotential[ground + p]),
                                      Real::load(&virtual_temperature[ground + p]))
            .store(result + p);
    });
}

template <class Number>
void AirColumns::relative_humidity(Slab<Number> humidity, double* result) const {
    for (int k = 0; k < layers; ++k) {
        const Number* q = humidity.first + k * humidity.level;
        const std::size_t layer = k * points;
        packs(points, [&](auto number, std::size_t p) {
            using Real = decltype(number);
            double here[Real::width];
            for (int n = 0; n < Real::width; ++n) here[n] = double(q[p + n]);
            post::relative_humidity(Real::load(here), Real::load(&temperature[layer + p]),
                                    exp(Real::load(&x[layer + p])))
                .store(result + layer + p);
        });
    }
}

/// Newton's method on the cubic, which is nearly linear. Above the highest layer the column is
/// isothermal; below the ground it follows air.hpp.
void AirColumns::at_geopotential(Slab<double> wanted, double* logarithms) const {
    const int steps = 5;
    const double step = 1e-4;
    for (int n = 0; n < wanted.levels; ++n)
        for (std::size_t p = 0; p < points; ++p, ++logarithms) {
            const auto phi = levels(geopotential, layers + 1)[p], at = levels(x, layers + 1)[p],
                       T = levels(virtual_temperature, layers + 1)[p];
            const Plain level = wanted[p][n];
            if (level > phi[0]) {
                *logarithms = (at[0] - (level - phi[0]) / (R * T[0])).lanes;
                continue;
            }
            if (level < phi[layers]) {
                const Ground<Plain> ground(T[layers], phi[layers]);
                Plain y = (phi[layers] - level) / (R * ground.T);
                for (int again = 0; again < steps; ++again) {
                    const Plain here = geopotential_below(phi[layers], ground, y),
                                ahead = geopotential_below(phi[layers], ground, y + step);
                    y = y - (here - level) * step / (ahead - here);
                }
                *logarithms = (at[layers] + y).lanes;
                continue;
            }
            int k = 0;
            while (k < layers - 1 && level < phi[k + 1]) ++k;
            const Plain length = at[k + 1] - at[k];
            *logarithms = (at[k] + length * place_of(level, phi[k], phi[k + 1], -R * T[k] * length,
                                                     -R * T[k + 1] * length))
                              .lanes;
        }
}

template <class Number>
void AirColumns::where(Slab<Number> values, double wanted, bool rising, double* logarithms) const {
    const double sign = rising ? 1 : -1;
    for (std::size_t p = 0; p < points; ++p) {
        const auto f = values[p], at = levels(x, layers)[p];
        double found = std::numeric_limits<double>::quiet_NaN();
        for (int k = 0; k < layers - 1; ++k) {
            const double upper = sign * (f[k].lanes - wanted),
                         lower = sign * (f[k + 1].lanes - wanted);
            if (upper <= 0 && lower >= 0) {
                const double t = lower > upper ? -upper / (lower - upper) : 0;
                found = at[k].lanes + t * (at[k + 1] - at[k]).lanes;
                break;
            }
        }
        logarithms[p] = found;
    }
}

void hydrostatic_layers(Slab<double> interfaces, Slab<double> virtual_temperature,
                        const double* surface_geopotential, std::size_t points, double* logarithms,
                        double* geopotentials) {
    const bool vacuum = interfaces.first[0] == 0;
    packs(points, [&](auto number, std::size_t p) {
        using Real = decltype(number);
        const PackInterfaces<Real> between{{interfaces.first + p, std::size_t(interfaces.level)},
                                           vacuum};
        const PackColumn<Real> T{virtual_temperature.first + p,
                                 std::size_t(virtual_temperature.level)};
        hydrostatics(between, interfaces.levels - 1, Real::load(surface_geopotential + p), T,
                     [&](int k, Real logarithm, Real phi) {
                         logarithm.store(logarithms + k * points + p);
                         phi.store(geopotentials + k * points + p);
                     });
    });
}

template AirColumns::AirColumns(const AirState<double>&);
template AirColumns::AirColumns(const AirState<float>&);
template void AirColumns::at(Slab<double>, int, double*) const;
template void AirColumns::at(Slab<float>, int, double*) const;
template void AirColumns::relative_humidity(Slab<double>, double*) const;
template void AirColumns::relative_humidity(Slab<float>, double*) const;
template void AirColumns::where(Slab<double>, double, bool, double*) const;
template void AirColumns::where(Slab<float>, double, bool, double*) const;

}  // namespace fathom::post
