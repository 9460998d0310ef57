/// The adjoint of a step of a tracer: both sweeps in reversed order.
#include "field/by_hand.hpp"
#include "ocean/tracer/tracer.hpp"

namespace fathom {

/// Of layers that are equally thick in all columns. Pivots p of 1 / p = h + b + a (1 - f), with b
/// and a the exchange below and above, f that of the level above times its pivot.
template <> struct ByHand<ocean::VerticalFactors<false>> {
    using Scheme = ocean::VerticalFactors<false>;
    static constexpr int columns = 2;

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto diffusivity = at.template value<"vertical_diffusivity">();
        const auto dz = at.template value<"thickness">();
        const auto below = at.memory(0), pivot = at.memory(1);
        const auto per_distance = [&](int k) {
            return k + 1 < levels ? T(2 * s.step) / (dz[k] + dz[k + 1]) : T(0);
        };
        Real above = 0, factor = 0;
        for (int k = 0; k < levels; ++k) {
            const Real h = k == 0 ? Real(dz[0]) + at.template value<"sea_surface_height_after">()[0]
                                  : Real(dz[k]);
            below[k] = diffusivity[k + 1] * per_distance(k);
            pivot[k] = 1.0 / (h + below[k] + above * (1.0 - factor));
            above = below[k], factor = above * pivot[k];
        }
        const auto to_diffusivity = at.template adjoint<"vertical_diffusivity">(),
                   to_exchange = at.template adjoint<"mixing_exchange">(),
                   to_pivot = at.template adjoint<"mixing_pivot">();
        Real next = 0;  // of the sum 1 / p of the level below
        for (int k = levels - 1; k >= 0; --k) {
            const Real p = pivot[k], b = below[k], to_factor = -(next * b),
                       sum = -(p * p) * fma(to_factor, b, to_pivot[k]);
            const Real to_below = to_exchange[k + 1] + to_factor * p + sum + next * (1.0 - b * p);
            to_diffusivity[k + 1] += to_below * per_distance(k);
            next = sum;
        }
        at.template adjoint<"sea_surface_height_after">()[0] += next;
    }
};
template struct AdjointByHand<ocean::VerticalFactors<false>>;

/// Of layers that are equally thick in all columns.
template <> struct ByHand<ocean::TracerUpdate<false>> {
    using Scheme = ocean::TracerUpdate<false>;
    static constexpr int columns = 3;

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto tracer = at.template value<"tracer">();
        const auto exchange = at.template value<"mixing_exchange">(),
                   pivots = at.template value<"mixing_pivot">();
        const Real per_area = if_finite(s.step / at.template value<"area_center">()[0]),
                   bottom = at.template value<"wet_levels">()[0],
                   rise = at.template value<"sea_surface_height">()[0] -
                          at.template value<"sea_surface_height_after">()[0];
        forward<Real>(s, at, per_area, rise);
        const auto solved = at.memory(0), to_solved = at.memory(1), below = at.memory(2);
        const auto to_tracer = at.template adjoint<"tracer">(),
                   tendency = at.template adjoint<"tracer_tendency">(),
                   to_exchange = at.template adjoint<"mixing_exchange">(),
                   to_pivots = at.template adjoint<"mixing_pivot">(),
                   after = at.template adjoint<"tracer_after">();
        Real carried = 0;  // the sweep up, reversed
        for (int k = 0; k < levels; ++k) {
            const Real y = select(Real(T(k)) < bottom, Real(after[k]), Real(0)), v = y + carried;
            to_tracer[k] += y;
            to_solved[k] = v;
            to_exchange[k + 1] += v * below[k] * pivots[k];
            to_pivots[k] += v * below[k] * exchange[k + 1];
            carried = exchange[k + 1] * pivots[k] * v;
        }
        Real next = 0, gain_below = 0;  // the sweep down, reversed
        for (int k = levels - 1; k >= 0; --k) {
            const Real v = to_solved[k] + next, gain = v * pivots[k],
                       above = k > 0 ? Real(solved[k - 1]) : Real(0);
            to_pivots[k] += v * (solved[k] / pivots[k]);
            to_exchange[k] += gain * above;
            next = gain * exchange[k];
            tendency[k] += gain * per_area;
            const Real here = tracer[k], through = gain_below - gain;
            if (k + 1 < levels) {
                to_exchange[k + 1] += through * (here - tracer[k + 1]);
                to_tracer[k] += through * exchange[k + 1];
                to_tracer[k + 1] -= through * exchange[k + 1];
            }
            gain_below = gain;
        }
        to_tracer[0] += gain_below * rise;
        at.template adjoint<"sea_surface_height">()[0] += gain_below * tracer[0];
        at.template adjoint<"sea_surface_height_after">()[0] -= gain_below * tracer[0];
        at.template adjoint<"tracer_surface_flux">()[0] += gain_below * s.step;
    }

private:
    /// As the scheme: what the sweep down has solved; the increment of the level below.
    template <class Real>
    static void forward(const Scheme& s, const auto& at, Real per_area, Real rise) {
        const int levels = at.levels();
        const auto tracer = at.template value<"tracer">(),
                   tendency = at.template value<"tracer_tendency">();
        const auto exchange = at.template value<"mixing_exchange">(),
                   pivots = at.template value<"mixing_pivot">();
        const auto solved = at.memory(0), below_of = at.memory(2);
        Real from_above = 0, value = 0;
        for (int k = 0; k < levels; ++k) {
            const Real here = tracer[k], below = k + 1 < levels ? Real(tracer[k + 1]) : here,
                       to_below = exchange[k + 1] * (here - below);
            Real gain = fma(tendency[k], per_area, from_above - to_below);
            if (k == 0)
                gain += fma(rise, here, s.step * at.template value<"tracer_surface_flux">()[0]);
            value = fma(exchange[k], value, gain) * pivots[k];
            solved[k] = value;
            from_above = to_below;
        }
        value = 0;
        for (int k = levels - 1; k >= 0; --k) {
            below_of[k] = value;
            value = fma(exchange[k + 1] * pivots[k], value, solved[k]);
        }
    }
};
template struct AdjointByHand<ocean::TracerUpdate<false>>;

}  // namespace fathom
