#include "observation/radiance.hpp"
#include <array>
#include "base/constants.hpp"

namespace fathom::observation {
namespace {

using Number = Pack<double, 1>;
double plain(Number x) { return x.lanes; }

using constants::planck, constants::boltzmann;
constexpr double cosmic = constants::cosmic_background;

struct Scene {
    int channel;
    double emissivity, secant;
};

template <class Real> Real emitted(double frequency, Real T) {
    return 1. / (exp(planck * frequency / (boltzmann * T)) - 1);
}

/// Values of the column in a layer: t, w, t_w, w_w.
template <class Real> struct Air {
    Real t, w, t_above, w_above;
};

template <class Real> std::array<Real, predictors> predicted(const Air<Real>& a, double s) {
    const Real t2 = a.t * a.t, one(1.);
    return {s * one,      s * a.t,       s * t2,        s * t2 * a.t,  s * a.w,     s * a.w * a.t,
            s * a.w * t2, s * a.w * a.w, s * a.t_above, s * a.w_above, s * s * one, s * s * a.t};
}
Air<double> predicted_adjoint(const Air<double>& a, double s,
                              const std::array<double, predictors>& to) {
    return {s * (to[1] + 2 * a.t * to[2] + 3 * a.t * a.t * to[3] + a.w * to[5] +
                 2 * a.w * a.t * to[6] + s * to[11]),
            s * (to[4] + a.t * to[5] + a.t * a.t * to[6] + 2 * a.w * to[7]), s * to[8], s * to[9]};
}

/// The fraction of a layer that lies above the ground; Dual gives its slope by surface pressure.
template <class Real> Real part_above(const Coefficients& c, int j, Real surface_pressure) {
    const double upper = c.pressure[j], lower = c.pressure[j + 1];
    const Real share = (surface_pressure - upper) / (lower - upper);
    return smaller(Real(1.), larger(Real(0.), share));
}

/// All values of a scene that the adjoint needs.
template <class Real> struct Sight {
    std::vector<Air<Real>> air;
    std::vector<Real> depth, kept, source, down, up;  ///< down, up: at the levels
    Real seen{0.};

    explicit Sight(int layers)
        : air(layers, Air<Real>{Real(0.), Real(0.), Real(0.), Real(0.)}),
          depth(layers, Real(0.)),
          kept(depth),
          source(depth),
          down(layers + 1, Real(0.)),
          up(down) {}
};

template <class Real>
Real optical_depth(const Coefficients& c, const Scene& s, int j, const Air<Real>& air) {
    const auto P = predicted(air, s.secant);
    const double* value = c.values.data() + (s.channel * c.layers() + j) * predictors;
    Real sum(0.);
    for (int i = 0; i < predictors; ++i) sum += value[i] * P[i];
    return larger(Real(0.), sum);
}

/// The column x: T, q at the levels, surface pressure, skin temperature.
template <class Real> Sight<Real> sight(const Coefficients& c, const Scene& s, const Real* x) {
    const int layers = c.layers(), levels = layers + 1;
    const Real *T = x, *q = x + levels, ps = x[2 * levels], skin = x[2 * levels + 1];
    const double frequency = c.frequency[s.channel];
    Sight<Real> o(layers);
    Real warm(0.), wet(0.);
    double of_T = 0, of_q = 0;
    o.down[0] = emitted(frequency, Real(cosmic));
    for (int j = 0; j < layers; ++j) {
        const double dp = c.pressure[j + 1] - c.pressure[j];
        const Real mean = 0.5 * (T[j] + T[j + 1]), vapour = 0.5 * (q[j] + q[j + 1]);
        warm += dp * mean, wet += dp * vapour;
        of_T += dp * c.temperature[j], of_q += dp * c.humidity[j];
        o.air[j] = {mean / c.temperature[j], vapour / c.humidity[j], warm / of_T, wet / of_q};
        o.depth[j] = optical_depth(c, s, j, o.air[j]);
        o.kept[j] = exp(-o.depth[j] * part_above(c, j, ps));
        o.source[j] = emitted(frequency, mean);
        o.down[j + 1] = o.down[j] * o.kept[j] + o.source[j] * (1 - o.kept[j]);
    }
    o.up[layers] = s.emissivity * emitted(frequency, skin) + (1 - s.emissivity) * o.down[layers];
    for (int j = layers - 1; j >= 0; --j)
        o.up[j] = o.up[j + 1] * o.kept[j] + o.source[j] * (1 - o.kept[j]);
    o.seen = planck * frequency / boltzmann / log(1 + 1 / o.up[0]);
    return o;
}

/// dB/dT
double emitted_slope(double frequency, double T, double B) {
    return B * (B + 1) * planck * frequency / (boltzmann * T * T);
}

/// Adds to the adjoint of a column the contribution of its brightness temperature's adjoint.
void sight_adjoint(const Coefficients& c, const Scene& s, const Number* x, double value,
                   double* to) {
    const int layers = c.layers(), levels = layers + 1;
    const auto o = sight(c, s, x);
    const double frequency = c.frequency[s.channel], ps = plain(x[2 * levels]),
                 skin = plain(x[2 * levels + 1]), factor = planck * frequency / boltzmann;
    const double L = plain(o.up[0]), seen = plain(o.seen);
    double to_up = seen * seen / (factor * L * (L + 1)) * value;
    std::vector<double> to_kept(layers), to_source(layers);
    for (int j = 0; j < layers; ++j) {  // upwards, backwards
        const double kept = plain(o.kept[j]);
        to_kept[j] += (plain(o.up[j + 1]) - plain(o.source[j])) * to_up;
        to_source[j] += (1 - kept) * to_up, to_up *= kept;
    }
    const double B = plain(emitted(frequency, Number(skin)));
    to[2 * levels + 1] += s.emissivity * emitted_slope(frequency, skin, B) * to_up;
    double to_down = (1 - s.emissivity) * to_up, to_warm = 0, to_wet = 0;
    double of_T = 0, of_q = 0;
    for (int j = 0; j < layers; ++j) {
        const double dp = c.pressure[j + 1] - c.pressure[j];
        of_T += dp * c.temperature[j], of_q += dp * c.humidity[j];
    }
    for (int j = layers - 1; j >= 0; --j) {  // downwards, backwards
        const double kept = plain(o.kept[j]), part = plain(part_above(c, j, Number(ps))),
                     depth = plain(o.depth[j]), dp = c.pressure[j + 1] - c.pressure[j],
                     mean = 0.5 * (plain(x[j]) + plain(x[j + 1]));
        to_kept[j] += (plain(o.down[j]) - plain(o.source[j])) * to_down;
        to_source[j] += (1 - kept) * to_down, to_down *= kept;
        const double to_path = -kept * to_kept[j];
        if (part > 0 && part < 1) to[2 * levels] += depth / dp * to_path;
        std::array<double, predictors> to_P{};
        if (depth > 0)
            for (int i = 0; i < predictors; ++i)
                to_P[i] = c.values[(s.channel * layers + j) * predictors + i] * part * to_path;
        const Air<double> air{plain(o.air[j].t), plain(o.air[j].w), plain(o.air[j].t_above),
                              plain(o.air[j].w_above)};
        const auto back = predicted_adjoint(air, s.secant, to_P);
        to_warm += back.t_above / of_T, to_wet += back.w_above / of_q;
        of_T -= dp * c.temperature[j], of_q -= dp * c.humidity[j];
        const double to_mean = back.t / c.temperature[j] + dp * to_warm +
                               emitted_slope(frequency, mean, plain(o.source[j])) * to_source[j],
                     to_vapour = back.w / c.humidity[j] + dp * to_wet;
        for (int k = j; k < j + 2; ++k) to[k] += 0.5 * to_mean, to[levels + k] += 0.5 * to_vapour;
    }
}

Scene scene(const Scenes& all, std::size_t n) {
    return {all.channel[n], all.emissivity[n], all.secant[n]};
}

}  // namespace

void radiance(const Coefficients& c, const Scenes& all, int threads, std::span<double> value) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        const double* own = all.columns.data() + n * c.width();
        const std::vector<Number> x(own, own + c.width());
        value[n] = plain(sight(c, scene(all, n), x.data()).seen);
    }
}

void radiance_tangent(const Coefficients& c, const Scenes& all, std::span<const double> change,
                      int threads, std::span<double> value) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        std::vector<Dual<double>> x;
        for (std::size_t i = n * c.width(); i < (n + 1) * c.width(); ++i)
            x.emplace_back(all.columns[i], change[i]);
        value[n] = sight(c, scene(all, n), x.data()).seen.tangent.lanes;
    }
}

void radiance_adjoint(const Coefficients& c, const Scenes& all, std::span<const double> value,
                      int threads, std::span<double> change) {
#pragma omp parallel for num_threads(threads)
    for (std::size_t n = 0; n < value.size(); ++n) {
        const double* own = all.columns.data() + n * c.width();
        const std::vector<Number> x(own, own + c.width());
        std::fill_n(change.begin() + std::ptrdiff_t(n * c.width()), c.width(), 0.);
        sight_adjoint(c, scene(all, n), x.data(), value[n], change.data() + n * c.width());
    }
}

}  // namespace fathom::observation
