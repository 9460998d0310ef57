#include "observation/operators.hpp"
#include "base/error.hpp"

namespace fathom::observation {
namespace {

using post::lapse_rate;
constexpr double heat_capacity = constants::dry_air_heat_capacity;

/// The same column with another type of numbers.
template <class Real> Column<Real> as(const Column<double>& c) {
    Column<Real> n(int(c.T.size()));
    for (std::size_t k = 0; k < c.T.size(); ++k)
        n.T[k] = Real(c.T[k]), n.q[k] = Real(c.q[k]), n.u[k] = Real(c.u[k]), n.v[k] = Real(c.v[k]);
    n.surface_pressure = Real(c.surface_pressure), n.skin = Real(c.skin), n.ground = c.ground;
    return n;
}

// ---------------------------------------------------------------- pressure of a station

template <class Real>
Real surface_pressure(const Levels& levels, const Column<Real>& c, const Request& r) {
    const Real T = c.T[levels.layers() - 1];
    return c.surface_pressure * exp(gravity / (gas_constant * lapse_rate) *
                                    log(1 - lapse_rate * (r.level - c.ground) / T));
}
void surface_pressure_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                              double value, Column<double>& to) {
    const int k = levels.layers() - 1;
    const double T = c.T[k], rise = lapse_rate * (r.level - c.ground),
                 p = plain(surface_pressure(levels, as<Number>(c), r));
    to.surface_pressure += p / c.surface_pressure * value;
    to.T[k] += p * gravity / (gas_constant * lapse_rate) * rise / (T * (T - rise)) * value;
}

// ---------------------------------------------------------------- moist air

template <class Real>
Real relative_humidity(const Levels& levels, const Column<Real>& c, const Request& r) {
    const Real x = log(Real(r.level)), T = at(levels, c.T, c.surface_pressure, x),
               q = at(levels, c.q, c.surface_pressure, x);
    return post::vapour_pressure(q, Real(r.level)) / post::saturation_pressure_over_water(T);
}
void relative_humidity_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                               double value, Column<double>& to) {
    const double ps = c.surface_pressure, x = std::log(r.level);
    const auto field = [&](const std::vector<double>& f) {
        return plain(at(levels, std::vector<Number>(f.begin(), f.end()), Number(ps), Number(x)));
    };
    const double T = field(c.T), q = field(c.q),
                 e_s = plain(post::saturation_pressure_over_water(Number(T))),
                 per_q = r.level * ratio / ((ratio + (1 - ratio) * q) * (ratio + (1 - ratio) * q)),
                 humidity = r.level * q / (ratio + (1 - ratio) * q) / e_s,
                 to_T = -humidity * 17.67 * (constants::celsius - 29.65) /
                        ((T - 29.65) * (T - 29.65)) * value;
    double unused = 0;
    at_adjoint(levels, c.T, ps, x, to_T, to.T, to.surface_pressure, unused);
    at_adjoint(levels, c.q, ps, x, per_q / e_s * value, to.q, to.surface_pressure, unused);
}

/// The dew point of air with humidity q at pressure p: the temperature at which e_s = e.
template <class Real> Real dew_point(Real q, Real p) {
    const Real x = log(post::vapour_pressure(q, p) / 611.2);
    return (17.67 * constants::celsius - 29.65 * x) / (17.67 - x);
}
/// The derivatives of the dew point by q and by p.
struct Slopes {
    double q, p;
};
Slopes dew_point_slopes(double q, double p) {
    const double of_q = ratio + (1 - ratio) * q, x = std::log(p * q / of_q / 611.2),
                 by_x = 17.67 * (constants::celsius - 29.65) / ((17.67 - x) * (17.67 - x));
    return {by_x * ratio / (q * of_q), by_x / p};
}
void dew_point_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                       double value, Column<double>& to) {
    const double ps = c.surface_pressure, x = std::log(r.level),
                 q = plain(at(levels, std::vector<Number>(c.q.begin(), c.q.end()), Number(ps),
                              Number(x)));
    double unused = 0;
    at_adjoint(levels, c.q, ps, x, dew_point_slopes(q, r.level).q * value, to.q,
               to.surface_pressure, unused);
}
void dew_point_2m_adjoint(const Levels& levels, const Column<double>& c, double value,
                          Column<double>& to) {
    const int k = levels.layers() - 1;
    const auto slopes = dew_point_slopes(c.q[k], c.surface_pressure);
    to.q[k] += slopes.q * value, to.surface_pressure += slopes.p * value;
}

// ---------------------------------------------------------------- heights

template <class Real> Real height(const Levels& levels, const Column<Real>& c, const Request& r) {
    const Real x = log(Real(r.level));
    const int k = layer_of(levels, c, plain(x));
    return interface_height(levels, c, k + 1) +
           gas_constant / gravity * c.virtual_temperature(k) *
               (levels.interface_log(k + 1, c.surface_pressure) - x);
}
void height_adjoint(const Levels& levels, const Column<double>& c, const Request& r, double value,
                    Column<double>& to) {
    const double ps = c.surface_pressure, x = std::log(r.level);
    int k = levels.layers() - 1;
    while (k > 0 && x < plain(levels.interface_log(k, Number(ps)))) --k;
    const double factor = gas_constant / gravity * value;
    interface_height_adjoint(levels, c, k + 1, value, to);
    virtual_temperature_adjoint(c, k, factor * (plain(levels.interface_log(k + 1, Number(ps))) - x),
                                to);
    to.surface_pressure += factor * c.virtual_temperature(k) * levels.interface_slope(k + 1, ps);
}

/// The layer in which an altitude lies, and the height of the interface below it.
template <class Real> struct Found {
    int layer;
    Real below;
};
template <class Real> Found<Real> layer_at(const Levels& levels, const Column<Real>& c, double z) {
    Real below(c.ground);
    for (int k = levels.layers() - 1; k > 0; --k) {
        const Real above = below + gas_constant / gravity * c.virtual_temperature(k) *
                                       (levels.interface_log(k + 1, c.surface_pressure) -
                                        levels.interface_log(k, c.surface_pressure));
        if (z < plain(above)) return {k, below};
        below = above;
    }
    return {0, below};
}
/// ln p at an altitude.
template <class Real> Real log_pressure(const Levels& levels, const Column<Real>& c, double z) {
    const auto [k, below] = layer_at(levels, c, z);
    return levels.interface_log(k + 1, c.surface_pressure) -
           gravity / gas_constant * (z - below) / c.virtual_temperature(k);
}
void log_pressure_adjoint(const Levels& levels, const Column<double>& c, double z, int k,
                          double below, double value, Column<double>& to) {
    const double T = c.virtual_temperature(k), factor = gravity / (gas_constant * T) * value;
    to.surface_pressure += levels.interface_slope(k + 1, c.surface_pressure) * value;
    virtual_temperature_adjoint(c, k, factor * (z - below) / T, to);
    interface_height_adjoint(levels, c, k + 1, factor, to);
}

// ---------------------------------------------------------------- refractivity

template <class Real>
Real refractivity(const Levels& levels, const Column<Real>& c, const Request& r) {
    const Real x = log_pressure(levels, c, r.level), p = exp(x),
               T = at(levels, c.T, c.surface_pressure, x),
               q = at(levels, c.q, c.surface_pressure, x), e = post::vapour_pressure(q, p);
    return 0.776 * p / T + 3730. * e / (T * T);
}
void refractivity_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                          double value, Column<double>& to) {
    const auto numbers = as<Number>(c);
    const auto [layer, below] = layer_at(levels, numbers, r.level);
    const double ps = c.surface_pressure, x = plain(log_pressure(levels, numbers, r.level)),
                 p = std::exp(x), T = plain(at(levels, numbers.T, Number(ps), Number(x))),
                 q = plain(at(levels, numbers.q, Number(ps), Number(x))),
                 of_q = ratio + (1 - ratio) * q, e = p * q / of_q, dry = 0.776 * p / T,
                 wet = 3730. * e / (T * T);
    double to_x = (dry + wet) * value;  // both are proportional to p
    at_adjoint(levels, c.T, ps, x, -(dry + 2 * wet) / T * value, to.T, to.surface_pressure, to_x);
    at_adjoint(levels, c.q, ps, x, 3730. / (T * T) * p * ratio / (of_q * of_q) * value, to.q,
               to.surface_pressure, to_x);
    log_pressure_adjoint(levels, c, r.level, layer, plain(below), to_x, to);
}

// ---------------------------------------------------------------- near the ground

template <class Real> struct Lowest {
    Real height, share;  ///< of the middle of the lowest layer above the ground [m]; of its value
};
template <class Real>
Lowest<Real> lowest(const Levels& levels, const Column<Real>& c, double z, double roughness) {
    const int k = levels.layers() - 1;
    const Real depth =
        gas_constant / gravity * c.virtual_temperature(k) *
        (levels.interface_log(k + 1, c.surface_pressure) - levels.layer_log(k, c.surface_pressure));
    return {depth, std::log1p(z / roughness) / log(1 + depth / roughness)};
}
void lowest_adjoint(const Levels& levels, const Column<double>& c, double z, double roughness,
                    double height, double share, Column<double>& to) {
    const int k = levels.layers() - 1;
    const double ps = c.surface_pressure,
                 apart = plain(levels.interface_log(k + 1, Number(ps))) -
                         plain(levels.layer_log(k, Number(ps))),
                 factor = gas_constant / gravity, depth = factor * c.virtual_temperature(k) * apart,
                 logarithm = std::log1p(depth / roughness),
                 to_depth = height - share * std::log1p(z / roughness) /
                                         (logarithm * logarithm * (roughness + depth));
    virtual_temperature_adjoint(c, k, factor * apart * to_depth, to);
    to.surface_pressure += factor * c.virtual_temperature(k) *
                           (levels.interface_slope(k + 1, ps) - levels.layer_slope(k, ps)) *
                           to_depth;
}

template <class Real>
Real temperature_2m(const Levels& levels, const Column<Real>& c, const Request& r) {
    const auto [height, share] = lowest(levels, c, 2., r.roughness);
    const Real T = c.T[levels.layers() - 1];
    return c.skin + share * (T + gravity / heat_capacity * height - c.skin) -
           2 * gravity / heat_capacity;
}
void temperature_2m_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                            double value, Column<double>& to) {
    const auto numbers = as<Number>(c);
    const auto found = lowest(levels, numbers, 2., r.roughness);
    const double height = plain(found.height), share = plain(found.share);
    const int k = levels.layers() - 1;
    to.skin += (1 - share) * value, to.T[k] += share * value;
    lowest_adjoint(levels, c, 2., r.roughness, share * gravity / heat_capacity * value,
                   (c.T[k] + gravity / heat_capacity * height - c.skin) * value, to);
}

template <class Real>
Real wind_10m(const Levels& levels, const Column<Real>& c, const Request& r,
              const std::vector<Real>& f) {
    return lowest(levels, c, 10., r.roughness).share * f[levels.layers() - 1];
}
void wind_10m_adjoint(const Levels& levels, const Column<double>& c, const Request& r,
                      const std::vector<double>& f, double value, std::vector<double>& to_f,
                      Column<double>& to) {
    const int k = levels.layers() - 1;
    to_f[k] += plain(lowest(levels, as<Number>(c), 10., r.roughness).share) * value;
    lowest_adjoint(levels, c, 10., r.roughness, 0, f[k] * value, to);
}

// ---------------------------------------------------------------- all of them

// long: a line for each operator
template <class Real>
Real observe(Kind kind, const Levels& l, const Column<Real>& c, const Request& r) {
    const auto field = [&](const std::vector<Real>& f) {
        return at(l, f, c.surface_pressure, log(Real(r.level)));
    };
    switch (kind) {
        case Kind::surface_pressure: return surface_pressure(l, c, r);
        case Kind::temperature: return field(c.T);
        case Kind::humidity: return field(c.q);
        case Kind::eastward_wind: return field(c.u);
        case Kind::northward_wind: return field(c.v);
        case Kind::relative_humidity: return relative_humidity(l, c, r);
        case Kind::dew_point: return dew_point(field(c.q), Real(r.level));
        case Kind::height: return height(l, c, r);
        case Kind::refractivity: return refractivity(l, c, r);
        case Kind::temperature_2m: return temperature_2m(l, c, r);
        case Kind::humidity_2m: return c.q[l.layers() - 1];
        case Kind::dew_point_2m: return dew_point(c.q[l.layers() - 1], c.surface_pressure);
        case Kind::eastward_wind_10m: return wind_10m(l, c, r, c.u);
        case Kind::northward_wind_10m: return wind_10m(l, c, r, c.v);
    }
    return Real(0.);
}

// long: a line for each operator
void observe_adjoint(Kind kind, const Levels& l, const Column<double>& c, const Request& r,
                     double value, Column<double>& to) {
    const auto field = [&](const std::vector<double>& f, std::vector<double>& to_f) {
        double unused = 0;
        at_adjoint(l, f, c.surface_pressure, std::log(r.level), value, to_f, to.surface_pressure,
                   unused);
    };
    switch (kind) {
        case Kind::surface_pressure: return surface_pressure_adjoint(l, c, r, value, to);
        case Kind::temperature: return field(c.T, to.T);
        case Kind::humidity: return field(c.q, to.q);
        case Kind::eastward_wind: return field(c.u, to.u);
        case Kind::northward_wind: return field(c.v, to.v);
        case Kind::relative_humidity: return relative_humidity_adjoint(l, c, r, value, to);
        case Kind::dew_point: return dew_point_adjoint(l, c, r, value, to);
        case Kind::height: return height_adjoint(l, c, r, value, to);
        case Kind::refractivity: return refractivity_adjoint(l, c, r, value, to);
        case Kind::temperature_2m: return temperature_2m_adjoint(l, c, r, value, to);
        case Kind::humidity_2m: return void(to.q[l.layers() - 1] += value);
        case Kind::dew_point_2m: return dew_point_2m_adjoint(l, c, value, to);
        case Kind::eastward_wind_10m: return wind_10m_adjoint(l, c, r, c.u, value, to.u, to);
        case Kind::northward_wind_10m: return wind_10m_adjoint(l, c, r, c.v, value, to.v, to);
    }
}

/// Reads or writes a column as a contiguous list of numbers.
template <class Real, class Each> void each_number(Column<Real>& c, Each&& each) {
    std::size_t n = 0;
    for (auto* f : {&c.T, &c.q, &c.u, &c.v})
        for (Real& x : *f) each(x, n++);
    each(c.surface_pressure, n++), each(c.skin, n);
}

}  // namespace

const std::vector<std::string>& kind_names() {
    static const std::vector<std::string> names{
        "surface_pressure", "temperature",       "humidity",
        "eastward_wind",    "northward_wind",    "relative_humidity",
        "height",           "refractivity",      "temperature_2m",
        "humidity_2m",      "eastward_wind_10m", "northward_wind_10m",
        "dew_point",        "dew_point_2m"};
    return names;
}

Kind kind_of(const std::string& name) {
    const auto found = std::ranges::find(kind_names(), name);
    if (found == kind_names().end())
        throw Error("no observation operator '", name, "'", near(name, kind_names()));
    return Kind(found - kind_names().begin());
}

void apply(Kind kind, const Batch& batch, int threads, std::span<double> value) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        Column<Number> c(batch.levels.layers());
        const double* own = batch.columns.data() + n * batch.width();
        each_number(c, [&](Number& x, std::size_t i) { x = Number(own[i]); });
        c.ground = batch.ground[n];
        value[n] = plain(observe(kind, batch.levels, c, batch.requests[n]));
    }
}

void tangent(Kind kind, const Batch& batch, std::span<const double> change, int threads,
             std::span<double> value) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        Column<Dual<double>> c(batch.levels.layers());
        const std::size_t first = n * batch.width();
        each_number(c, [&](Dual<double>& x, std::size_t i) {
            x = {batch.columns[first + i], change[first + i]};
        });
        c.ground = batch.ground[n];
        value[n] = observe(kind, batch.levels, c, batch.requests[n]).tangent.lanes;
    }
}

void adjoint(Kind kind, const Batch& batch, std::span<const double> value, int threads,
             std::span<double> change) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        Column<double> c(batch.levels.layers()), to(batch.levels.layers());
        const std::size_t first = n * batch.width();
        each_number(c, [&](double& x, std::size_t i) { x = batch.columns[first + i]; });
        c.ground = batch.ground[n];
        observe_adjoint(kind, batch.levels, c, batch.requests[n], value[n], to);
        each_number(to, [&](double& x, std::size_t i) { change[first + i] = x; });
    }
}

}  // namespace fathom::observation
