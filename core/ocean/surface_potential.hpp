/// Forces that act on all of a column from above, at corners:
///   dv/dt = g grad(h + beta eta)      h the equilibrium tide [m]; beta: the tide's own attraction
///       and load, in proportion to its height (Accad & Pekeris 1978, Phil. Trans. R. Soc. A 290)
///   dv/dt = -grad(p) / rho0           p the pressure of the air
/// and what the tide loses to the internal waves that it makes over a rough sea floor (Jayne & St.
/// Laurent 2001, Geophys. Res. Lett. 28):
///   dv/dt = -r v / H                  r = kappa h^2 N_b / 2 [m s-1]
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

/// What the gradient of a field at the cells round a corner adds to the tendencies of all levels.
template <class Real> struct ForceOfAll {
    Real x, y;
    constexpr ForceOfAll(auto at, Real dx, Real dy) {
        const Real sw = at(here), se = at(east), nw = at(north), ne = at(northeast);
        x = ((se - sw) + (ne - nw)) * (0.5 / dx);
        y = ((nw - sw) + (ne - se)) * (0.5 / dy);
    }
    constexpr void add(double factor, InOut<Real> tendency_x, InOut<Real> tendency_y,
                       Levels each) const {
        for (int k = each.first; k < each.end; ++k) {
            tendency_x[k] += factor * x;
            tendency_y[k] += factor * y;
        }
    }
};

struct TidalForce {
    double gravity = constants::gravity, self_attraction = 0.085;
    static constexpr std::string_view summary =
        "force of moon and sun, and of the attraction and load of the tide itself";
    static constexpr std::tuple parameters{
        Parameter{"gravity", &TidalForce::gravity, "m s-2", 0, 100, "acceleration of gravity"},
        Parameter{"self_attraction", &TidalForce::self_attraction, "1", 0, 0.3,
                  "beta, height by which the tide attracts itself over its height"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "equilibrium_tide", place::center_column, "m", 1> tide,
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const Real beta = Real(typename Real::Number(self_attraction));
        auto height = [&](Shift s) { return fma(beta, Real(eta(s)[0]), tide(s)[0]); };
        ForceOfAll<Real>(height, dx[0], dy[0]).add(gravity, tendency_x, tendency_y, each);
    }
};

struct InternalWaveDrag {
    static constexpr std::string_view summary =
        "drag of the internal waves that tides make over a rough sea floor";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "internal_wave_drag", place::center_column, "m s-1", 1> drag,
        Reads<Real, "depth_corner", place::corner_column, "m"> depth,
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1"> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1"> v,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const Real around = (drag[0] + drag(east)[0]) + (drag(north)[0] + drag(northeast)[0]),
                   rate = 0.25 * around / larger(Real(depth[0]), Real(1));
        for (int k = each.first; k < each.end; ++k) {
            tendency_x[k] -= rate * u[k];
            tendency_y[k] -= rate * v[k];
        }
    }
};

struct AirPressureForce {
    static constexpr std::string_view summary = "pressure of the air on the sea";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_pressure", place::center_column, "Pa", 1> pressure,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        auto at = [&](Shift s) { return Real(pressure(s)[0]); };
        ForceOfAll<Real>(at, dx[0], dy[0])
            .add(-1 / constants::sea_water_density, tendency_x, tendency_y, each);
    }
};

}  // namespace fathom::ocean
