/// Tangents and adjoints of the pressure of levels along trajectories (climb.hpp).
#pragma once
#include "atmosphere/nonhydrostatic/climb.hpp"
#include "field/linear.hpp"

namespace fathom::climb_linear {

/// u, v, eta dot; slopes of ln p_s; pi: of the state, its changes or its adjoints.
template <class Wind, class Slope, class Pressure> struct Fields {
    Wind wind;
    Slope slope;
    Pressure pi;
};
auto slopes(const auto& f) {
    return std::array{f.template of<"pressure_gradient_east">(),
                      f.template of<"pressure_gradient_north">()};
}
auto of_departure(const auto& f) {
    return Fields{std::array{f.template of<"eastward_wind_extrapolated">(),
                             f.template of<"northward_wind_extrapolated">(),
                             f.template of<"eta_velocity_extrapolated">()},
                  slopes(f), f.template of<"pressure_interface">()};
}
auto of_arrival(const auto& f) {
    return Fields{std::array{f.template of<"eastward_wind">(), f.template of<"northward_wind">(),
                             f.template of<"eta_velocity">()},
                  slopes(f), f.template of<"pressure_interface">()};
}
auto carried(const auto& f) {
    return std::array{f.template of<"eastward_wind_carried">(),
                      f.template of<"northward_wind_carried">(),
                      f.template of<"temperature_carried">()};
}

/// dt/2 W of a layer about a state.
template <class Real> struct Motion {
    atmosphere::MotionAcrossLevels<Real> of;
    int k, levels;
    Real u, v, w, x, y, surface, thick;
    Motion(double step, const auto& f, const auto& state, int k)
        : of(step, state.template of<"hybrid_b">(), state.template of<"hybrid_eta">(), k),
          k(k),
          levels(state.levels()),
          u(f.wind[0][k]),
          v(f.wind[1][k]),
          w(f.wind[2][k]),
          x(f.slope[0][0]),
          y(f.slope[1][0]),
          surface(f.pi[levels]),
          thick(f.pi[k + 1] - f.pi[k]) {}
    Real value() const { return of(u, v, w, x, y, surface, thick); }
    Real tangent(const auto& d) const {
        const Real turned = fma(Real(d.wind[0][k]), x, d.wind[1][k] * y) +
                            fma(u, Real(d.slope[0][0]), v * d.slope[1][0]);
        return of.share * fma(surface, turned, d.pi[levels] * fma(u, x, v * y)) +
               of.per_eta * fma(Real(d.wind[2][k]), thick, w * (d.pi[k + 1] - d.pi[k]));
    }
    void adjoint(Real by, const auto& a) const {
        const Real along = of.share * by, across = of.per_eta * by, s = along * surface;
        a.wind[0][k] += s * x, a.wind[1][k] += s * y, a.wind[2][k] += across * thick;
        a.slope[0][0] += s * u, a.slope[1][0] += s * v;
        a.pi[levels] += along * fma(u, x, v * y);
        a.pi[k + 1] += across * w, a.pi[k] -= across * w;
    }
};

}  // namespace fathom::climb_linear

namespace fathom {

template <> struct Linear<atmosphere::LevelPressureCarried> {
    template <class Real>
    static void tangent(const atmosphere::LevelPressureCarried& s, const auto& x, const auto& d) {
        using N = typename Real::Number;
        const auto state = climb_linear::of_departure(x);
        const auto change = climb_linear::of_departure(d);
        const auto carried = d.template of<"level_pressure_carried">();
        for (int k = 0; k < x.levels(); ++k)
            carried[k] = N(0.5) * (change.pi[k] + change.pi[k + 1]) +
                         climb_linear::Motion<Real>(s.step, state, x, k).tangent(change);
    }
    template <class Real>
    static void adjoint(const atmosphere::LevelPressureCarried& s, const auto& x, const auto& a) {
        using N = typename Real::Number;
        const auto state = climb_linear::of_departure(x);
        const auto adjoint = climb_linear::of_departure(a);
        const auto carried = a.template of<"level_pressure_carried">();
        for (int k = 0; k < x.levels(); ++k) {
            const Real by = carried[k];
            adjoint.pi[k] += N(0.5) * by, adjoint.pi[k + 1] += N(0.5) * by;
            climb_linear::Motion<Real>(s.step, state, x, k).adjoint(by, adjoint);
        }
    }
};

/// X = X' - e (X'_below - X'_above), with e (`Share`) of the state
template <> struct Linear<atmosphere::ArrivalOnLevels> {
    template <class Real> using Share = atmosphere::ArrivalOnLevels::Share<Real>;
    template <class Real>
    static Share<Real> share_of(double step, const auto& state, const auto& x, int k) {
        const Real arrives = x.template of<"level_pressure_carried">()[k] +
                             climb_linear::Motion<Real>(step, state, x, k).value();
        return {arrives, state.pi, k, x.levels() - 1};
    }
    template <class Real>
    static void tangent(const atmosphere::ArrivalOnLevels& s, const auto& x, const auto& d) {
        const auto state = climb_linear::of_arrival(x), change = climb_linear::of_arrival(d);
        const auto X = climb_linear::carried(x);
        const auto dX = climb_linear::carried(d);
        const auto dcarried = d.template of<"level_pressure_carried">();
        const int last = x.levels() - 1;
        std::array<Real, 3> above{Real(dX[0][0]), Real(dX[1][0]), Real(dX[2][0])};
        for (int k = 0; k <= last; ++k) {
            const int up = k > 0 ? k - 1 : 0, down = k < last ? k + 1 : last;
            const Share<Real> share = share_of<Real>(s.step, state, x, k);
            const Real arrives =
                dcarried[k] + climb_linear::Motion<Real>(s.step, state, x, k).tangent(change);
            const auto& dpi = change.pi;
            const Real apart = dpi[down] + dpi[down + 1] - (dpi[up] + dpi[up + 1]),
                       more = (2.0 * arrives - (dpi[k] + dpi[k + 1]) - share.value * apart) /
                              share.apart;
            for (int i = 0; i < 3; ++i) {
                const Real here = dX[i][k];
                dX[i][k] =
                    here - more * (X[i][down] - X[i][up]) - share.value * (dX[i][down] - above[i]);
                above[i] = here;
            }
        }
    }
    template <class Real>
    static void adjoint(const atmosphere::ArrivalOnLevels& s, const auto& x, const auto& a) {
        const auto state = climb_linear::of_arrival(x);
        const auto adjoint = climb_linear::of_arrival(a);
        const auto X = climb_linear::carried(x);
        const auto aX = climb_linear::carried(a);
        const auto acarried = a.template of<"level_pressure_carried">();
        const int last = x.levels() - 1;
        std::array<Real, 3> above{Real(0), Real(0), Real(0)};  // e times the adjoint there
        Share<Real> share = share_of<Real>(s.step, state, x, 0);
        for (int k = 0; k <= last; ++k) {
            const int up = k > 0 ? k - 1 : 0, down = k < last ? k + 1 : last;
            const Share<Real> next = k < last ? share_of<Real>(s.step, state, x, k + 1) : share;
            Real of_share(0);
            for (int i = 0; i < 3; ++i) {
                const Real here = aX[i][k], moved = share.value * here;
                of_share = fma(here, X[i][up] - X[i][down], of_share);
                Real before = here - above[i];
                if (k == 0) before += moved;
                before = k < last ? before + next.value * aX[i][k + 1] : before - moved;
                aX[i][k] = before, above[i] = moved;
            }
            const Real by = of_share / share.apart, apart = by * share.value;
            const auto& api = adjoint.pi;
            acarried[k] += 2.0 * by;
            climb_linear::Motion<Real>(s.step, state, x, k).adjoint(2.0 * by, adjoint);
            api[k] -= by, api[k + 1] -= by;
            api[down] -= apart, api[down + 1] -= apart, api[up] += apart, api[up + 1] += apart;
            share = next;
        }
    }
};

}  // namespace fathom
