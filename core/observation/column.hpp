/// A column of the atmosphere for observation operators, and the parts of operators, each with its
/// adjoint. The equations of air and of interpolation between levels are in post/air.hpp and
/// post/between.hpp. k = 0 is the top layer; interfaces p_k = a_k + b_k p_s move
/// with the surface pressure, and derivatives include that term.
///
///     ln p of a layer   x_k = ln p_{k+1} - alpha_k,  alpha_k = 1 - p_k ln(p_{k+1}/p_k) / dp_k
///         (ln 2 at the top, where p_0 = 0)                             (Simmons & Burridge 1981)
///     a field at x      linear in x between layers; the end layers' values beyond them
///     height at x       z_s + R/g (sum of T_v dX of the layers below + T_v (X - x) of its layer)
#pragma once
#include <algorithm>
#include <span>
#include <vector>
#include "base/constants.hpp"
#include "base/dual.hpp"
#include "post/air.hpp"
#include "post/between.hpp"

namespace fathom::observation {

using Number = Pack<double, 1>;  ///< a plain number, with the elementary functions of packs
inline double plain(Number x) { return x.lanes; }
inline double plain(const Dual<double>& x) { return x.value.lanes; }
inline double plain(double x) { return x; }

inline constexpr double gas_constant = post::R, ratio = post::eps,
                        gravity = constants::standard_gravity;

struct Levels {
    std::span<const double> a, b;  ///< of the interfaces: [Pa], [1]
    int layers() const { return int(a.size()) - 1; }

    template <class Real> Real interface(int k, Real surface_pressure) const {
        return a[k] + b[k] * surface_pressure;
    }
    template <class Real> Real interface_log(int k, Real surface_pressure) const {
        return log(interface(k, surface_pressure));
    }
    template <class Real> Real layer_log(int k, Real surface_pressure) const {
        const Real lower = interface(k + 1, surface_pressure);
        if (a[k] + b[k] <= 0) return log(lower) - std::numbers::ln2;
        const Real upper = interface(k, surface_pressure);
        return log(lower) - post::to_middle(upper, lower, log(lower / upper));
    }
    /// d/dp_s of these, by a dual number.
    double interface_slope(int k, double ps) const {
        return interface_log(k, Dual<double>(ps, 1)).tangent.lanes;
    }
    double layer_slope(int k, double ps) const {
        return layer_log(k, Dual<double>(ps, 1)).tangent.lanes;
    }
};

/// Fields of a column: four of layers, two of the surface; and the altitude of its ground.
template <class Real> struct Column {
    std::vector<Real> T, q, u, v;         ///< [K], [kg kg-1], [m s-1]
    Real surface_pressure{0.}, skin{0.};  ///< [Pa], [K]
    double ground = 0;                    ///< [m]

    explicit Column(int layers) : T(layers, Real(0.)), q(T), u(T), v(T) {}
    Real virtual_temperature(int k) const { return post::virtual_temperature(T[k], q[k]); }
};

/// The pair of layers k, k + 1 between which x lies.
template <class Real> int layers_around(const Levels& levels, Real ps, double x) {
    int k = 0;
    while (k < levels.layers() - 2 && plain(levels.layer_log(k + 1, ps)) < x) ++k;
    return k;
}

template <class Real> Real at(const Levels& levels, const std::vector<Real>& f, Real ps, Real x) {
    const int k = layers_around(levels, ps, plain(x));
    const Real upper = levels.layer_log(k, ps), lower = levels.layer_log(k + 1, ps);
    if (!(x > upper)) return f[k];
    if (!(x < lower)) return f[k + 1];
    return post::linear(f[k], f[k + 1], (x - upper) / (lower - upper));
}

/// Adds to the adjoints of f, p_s and x the terms of the adjoint of the value.
inline void at_adjoint(const Levels& levels, const std::vector<double>& f, double ps, double x,
                       double value, std::vector<double>& to_f, double& to_ps, double& to_x) {
    const int k = layers_around(levels, Number(ps), x);
    const double upper = plain(levels.layer_log(k, Number(ps))),
                 lower = plain(levels.layer_log(k + 1, Number(ps)));
    if (!(x > upper)) return void(to_f[k] += value);
    if (!(x < lower)) return void(to_f[k + 1] += value);
    const double share = (x - upper) / (lower - upper),
                 to_share = (f[k + 1] - f[k]) / (lower - upper) * value;
    to_f[k] += (1 - share) * value, to_f[k + 1] += share * value, to_x += to_share;
    to_ps += (share - 1) * to_share * levels.layer_slope(k, ps) -
             share * to_share * levels.layer_slope(k + 1, ps);
}

/// Height [m] of the interface k; of the ground for the last.
template <class Real> Real interface_height(const Levels& levels, const Column<Real>& c, int k) {
    Real z(c.ground);
    for (int j = levels.layers() - 1; j >= k; --j)
        z += gas_constant / gravity * c.virtual_temperature(j) *
             (levels.interface_log(j + 1, c.surface_pressure) -
              levels.interface_log(j, c.surface_pressure));
    return z;
}

inline void virtual_temperature_adjoint(const Column<double>& c, int k, double value,
                                        Column<double>& to) {
    to.T[k] += (1 + (1 / ratio - 1) * c.q[k]) * value;
    to.q[k] += (1 / ratio - 1) * c.T[k] * value;
}

inline void interface_height_adjoint(const Levels& levels, const Column<double>& c, int k,
                                     double value, Column<double>& to) {
    const double ps = c.surface_pressure;
    for (int j = k; j < levels.layers(); ++j) {
        const double factor = gas_constant / gravity * value, T = c.virtual_temperature(j);
        virtual_temperature_adjoint(c, j,
                                    factor * (plain(levels.interface_log(j + 1, Number(ps))) -
                                              plain(levels.interface_log(j, Number(ps)))),
                                    to);
        to.surface_pressure +=
            factor * T * (levels.interface_slope(j + 1, ps) - levels.interface_slope(j, ps));
    }
}

/// The layer in which x lies; the lowest one below the ground.
template <class Real> int layer_of(const Levels& levels, const Column<Real>& c, double x) {
    int k = levels.layers() - 1;
    while (k > 0 && x < plain(levels.interface_log(k, c.surface_pressure))) --k;
    return k;
}

}  // namespace fathom::observation
