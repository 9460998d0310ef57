/// One time step of the grid-point atmosphere, iterated (Davies et al. 2005, Wood et al. 2014):
///   X(n+1) - alpha dt Psi(n+1) = [X(n) + beta dt Psi(n)]_D,   alpha + beta = 1
/// `start` is carried by trajectories, `carried` is the result; increments of the linear equations
/// (linear.hpp) reduce the residuals of the newest state. Density is carried, too:
///   rho(n+1) (1 + alpha dt div(n+1)) = [rho(n) (1 - beta dt div(n))]_D
#pragma once
#include "atmosphere/gridpoint/linear.hpp"
#include "base/usual.hpp"

namespace fathom::atmosphere {

/// The reference state of the linear equations of this step: the present state.
struct GridPointLinearState {
    static constexpr std::string_view summary =
        "the newest state, about which the equations of increments are linear";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Reads<Real, "air_density", place::center_layer, "kg m-3"> density,
        Reads<Real, "exner_deviation", place::center_layer, "1"> deviation,
        Reads<Real, "reference_exner", place::center_layer, "1"> reference,
        Writes<Real, "linear_potential_temperature", place::center_interface, "K"> linear_theta,
        Writes<Real, "linear_density", place::center_layer, "kg m-3"> linear_density,
        Writes<Real, "linear_exner", place::center_layer, "1"> linear_exner) const {
        const int levels = density.levels();
        for (int k = 0; k <= levels; ++k) linear_theta[k] = theta[k];
        for (int k = 0; k < levels; ++k) {
            linear_density[k] = density[k];
            linear_exner[k] = reference[k] + deviation[k];
        }
    }
};

struct GridPointStart {
    double step = 10, implicitness = usual::gridpoint_implicitness;
    static constexpr std::string_view summary =
        "transported fields: the state with the explicit share of its forces";
    static constexpr std::tuple parameters{
        Parameter{"step", &GridPointStart::step, "s", -1e6, 1e6, "time step"},
        Parameter{"implicitness", &GridPointStart::implicitness, "1", 0.5, 1,
                  "weight of the new time"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1"> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1"> v,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Reads<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Reads<Real, "air_density", place::center_layer, "kg m-3"> density,
        Reads<Real, "x_force", place::east_face_layer, "m s-2"> Fx,
        Reads<Real, "y_force", place::north_face_layer, "m s-2"> Fy,
        Reads<Real, "vertical_force", place::center_interface, "m s-2"> Fz,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "x_wind_at_interface", place::center_interface, "m s-1"> U,
        Reads<Real, "y_wind_at_interface", place::center_interface, "m s-1"> V,
        Reads<Real, "level_velocity", place::center_interface, "m s-1"> eta_velocity,
        Writes<Real, "x_wind_start", place::east_face_layer, "m s-1"> u_start,
        Writes<Real, "y_wind_start", place::north_face_layer, "m s-1"> v_start,
        Writes<Real, "upward_velocity_start", place::center_interface, "m s-1"> w_start,
        Writes<Real, "potential_temperature_start", place::center_interface, "K"> theta_start,
        Writes<Real, "density_start", place::center_layer, "kg m-3"> density_start,
        Writes<Real, "density_before", place::center_layer, "kg m-3"> density_before,
        Writes<Real, "x_wind_before", place::center_interface, "m s-1"> U_before,
        Writes<Real, "y_wind_before", place::center_interface, "m s-1"> V_before,
        Writes<Real, "level_velocity_before", place::center_interface, "m s-1"> eta_before) const {
        using T = typename Real::Number;
        const int levels = density.levels();
        const T explicit_ = T((1 - implicitness) * step);
        for (int k = 0; k < levels; ++k) {
            u_start[k] = u[k] + explicit_ * Fx[k];
            v_start[k] = v[k] + explicit_ * Fy[k];
            density_start[k] = density[k] * (1.0 - explicit_ * D[k]);
            density_before[k] = density[k];
        }
        for (int k = 0; k <= levels; ++k) {
            w_start[k] = w[k] + explicit_ * Fz[k];
            theta_start[k] = theta[k];
            U_before[k] = U[k];
            V_before[k] = V[k];
            eta_before[k] = eta_velocity[k];
        }
    }
};

namespace gridpoint {
/// Means across two rows of a sphere. Of solid rotations, on a meridian, u is a cosine of latitude
/// and v a constant; the northward force is a cosine of twice the latitude. So the plain mean of u
/// is too small by cos(spacing / 2), that of the force by cos(spacing): `rows_of_wind` and
/// `rows_of_force` are 1 over these. Then solid rotations are exact.
inline constexpr auto rows_of_wind_text = "1 / cos(spacing / 2) of rows",
                      rows_of_force_text = "1 / cos(spacing) of rows";
}  // namespace gridpoint

/// On a sphere the wind turns on its way from the departure point, so each point needs all
/// components there; the others are means of the values around.
struct GridPointWindAside {
    double rows_of_wind = 1, rows_of_force = 1;
    static constexpr std::string_view summary =
        "wind along the other axis, at the points of that along x and y";
    static constexpr std::tuple parameters{
        Parameter{"rows_of_wind", &GridPointWindAside::rows_of_wind, "1", 1, 2,
                  gridpoint::rows_of_wind_text},
        Parameter{"rows_of_force", &GridPointWindAside::rows_of_force, "1", 1, 2,
                  gridpoint::rows_of_force_text}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind_start", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind_start", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v_before,
        Writes<Real, "x_wind_start_north_face", place::north_face_layer, "m s-1"> u_n,
        Writes<Real, "y_wind_start_east_face", place::east_face_layer, "m s-1"> v_e) const {
        using T = typename Real::Number;
        const T wind = T(0.25 * rows_of_wind), start = T(0.25 * rows_of_force),
                before = T(0.25 * (rows_of_force - 1));
        const auto around = [](const auto& f, int k) {
            return (f[k] + f(-north)[k]) + (f(east)[k] + f(-northwest)[k]);
        };
        for (int k = 0; k < u.levels(); ++k) {
            u_n[k] = wind * ((u[k] + u(-east)[k]) + (u(north)[k] + u(northwest)[k]));
            v_e[k] = start * around(v, k) - before * around(v_before, k);
        }
    }
};

/// The same for deep air, where the vertical component turns, too. The ground and the lid press the
/// air with the force that keeps it from moving through: it is the force of the interfaces next to
/// them, on a straight line.
struct GridPointWindAsideDeep {
    double rows_of_force = 1, curvature = 0;
    static constexpr std::string_view summary =
        "vertical wind where that along x and y is, and these at interfaces";
    static constexpr std::tuple parameters{
        Parameter{"rows_of_force", &GridPointWindAsideDeep::rows_of_force, "1", 1, 2,
                  gridpoint::rows_of_force_text},
        Parameter{"curvature", &GridPointWindAsideDeep::curvature, "m-1", 0, 1,
                  gridpoint::curvature_text}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind_start", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind_start", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v_before,
        Reads<Real, "upward_velocity_start", place::center_interface, "m s-1", 1> w,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1", 1> w_before,
        Reads<Real, "interface_height", place::center_interface, "m"> z,
        ReadsProfile<Real, "level_height", "m"> eta,
        Writes<Real, "upward_velocity_start_east_face", place::east_face_layer, "m s-1"> w_e,
        Writes<Real, "upward_velocity_start_north_face", place::north_face_layer, "m s-1"> w_n,
        Writes<Real, "x_wind_start_interface", place::center_interface, "m s-1"> U,
        Writes<Real, "y_wind_start_interface", place::center_interface, "m s-1"> V) const {
        using T = typename Real::Number;
        const int levels = u.levels(), end = levels - 1;
        const T lid = T((eta[0] - eta[1]) / (eta[1] - eta[2])),
                ground = T((eta[end] - eta[levels]) / (eta[end - 1] - eta[end]));
        const auto own = [&](Shift s) {
            return [&, w = w(s), before = w_before(s)](int k) {
                const auto force = [&](int m) { return w[m] - before[m]; };
                if (k == 0) return w[0] + force(1) + lid * (force(1) - force(2));
                if (k == levels) return w[k] + force(end) + ground * (force(end) - force(end - 1));
                return Real(w[k]);
            };
        };
        const auto here_ = own(here), w_east = own(east), w_north = own(north);
        for (int k = 0; k < levels; ++k) {
            const Real both = here_(k) + here_(k + 1);
            w_e[k] = 0.25 * (both + (w_east(k) + w_east(k + 1)));
            w_n[k] = 0.25 * (both + (w_north(k) + w_north(k + 1)));
        }
        const T start = T(0.25 * rows_of_force), before = T(0.25 * (rows_of_force - 1));
        const auto rows = [](const auto& f, int above, int below) {
            return (f[above] + f(-north)[above]) + (f[below] + f(-north)[below]);
        };
        for (int k = 0; k <= levels; ++k) {
            const int above = k > 0 ? k - 1 : 0, below = k < levels ? k : levels - 1;
            const Real out = gridpoint::outward(T(curvature), z, k, levels);
            U[k] = 0.25 * out * ((u[above] + u(-east)[above]) + (u[below] + u(-east)[below]));
            V[k] = out * (start * rows(v, above, below) - before * rows(v_before, above, below));
        }
    }
};

/// The residuals of the equations for the newest state.
struct GridPointResiduals {
    double step = 10, implicitness = usual::gridpoint_implicitness;
    static constexpr std::string_view summary =
        "residuals of the equations of a step at its newest state";
    static constexpr std::tuple parameters{
        Parameter{"step", &GridPointResiduals::step, "s", -1e6, 1e6, "time step"},
        Parameter{"implicitness", &GridPointResiduals::implicitness, "1", 0.5, 1,
                  "weight of the new time"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1"> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1"> v,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Reads<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Reads<Real, "air_density", place::center_layer, "kg m-3"> density,
        Reads<Real, "x_force", place::east_face_layer, "m s-2"> Fx,
        Reads<Real, "y_force", place::north_face_layer, "m s-2"> Fy,
        Reads<Real, "vertical_force", place::center_interface, "m s-2"> Fz,
        Reads<Real, "divergence", place::center_layer, "s-1"> D,
        Reads<Real, "x_wind_carried", place::east_face_layer, "m s-1"> u_carried,
        Reads<Real, "y_wind_carried", place::north_face_layer, "m s-1"> v_carried,
        Reads<Real, "upward_velocity_carried", place::center_interface, "m s-1"> w_carried,
        Reads<Real, "potential_temperature_carried", place::center_interface, "K"> theta_carried,
        Reads<Real, "density_carried", place::center_layer, "kg m-3"> density_carried,
        Reads<Real, "open_east_face", place::east_face_column, "1"> open_east,
        Reads<Real, "open_north_face", place::north_face_column, "1"> open_north,
        Writes<Real, "x_wind_residual", place::east_face_layer, "m s-1"> R_u,
        Writes<Real, "y_wind_residual", place::north_face_layer, "m s-1"> R_v,
        Writes<Real, "upward_velocity_residual", place::center_interface, "m s-1"> R_w,
        Writes<Real, "potential_temperature_residual", place::center_interface, "K"> R_theta,
        Writes<Real, "density_residual", place::center_layer, "kg m-3"> R_rho) const {
        using T = typename Real::Number;
        const int levels = density.levels();
        const T implicit = T(implicitness * step);
        const Real open_e = open_east[0], open_n = open_north[0];
        for (int k = 0; k < levels; ++k) {
            R_u[k] = open_e * (u_carried[k] + implicit * Fx[k] - u[k]);
            R_v[k] = open_n * (v_carried[k] + implicit * Fy[k] - v[k]);
            R_rho[k] = density_carried[k] - density[k] * (1.0 + implicit * D[k]);
        }
        for (int k = 0; k <= levels; ++k) {
            const bool inside = k > 0 && k < levels;
            R_w[k] = inside ? w_carried[k] + implicit * Fz[k] - w[k] : Real(T(0));
            R_theta[k] = theta_carried[k] - theta[k];
        }
    }
};

/// The outermost columns of an area get the values of the outer model, and no equations.
struct GridPointRim {
    static constexpr std::string_view summary =
        "no residuals where the outer model gives the values";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "computed_here", place::center_column, "1"> computed,
        Updates<Real, "upward_velocity_residual", place::center_interface, "m s-1"> R_w,
        Updates<Real, "potential_temperature_residual", place::center_interface, "K"> R_theta,
        Updates<Real, "density_residual", place::center_layer, "kg m-3"> R_rho) const {
        const Real here_ = computed[0];
        const int levels = R_rho.levels();
        for (int k = 0; k < levels; ++k) R_rho[k] = here_ * R_rho[k];
        for (int k = 0; k <= levels; ++k) R_w[k] = here_ * R_w[k], R_theta[k] = here_ * R_theta[k];
    }
};

/// The reference of the linear equations.
template <class Real> struct GridPointReference {
    Reads<Real, "interface_height", place::center_interface, "m", 1> z;
    Reads<Real, "linear_potential_temperature", place::center_interface, "K", 1> theta;
    Reads<Real, "linear_density", place::center_layer, "kg m-3", 1> density;
    ReadsProfile<Real, "vertical_damping", "s-1"> damping;
};

struct HelmholtzRightSide {
    double step = 10, implicitness = usual::gridpoint_implicitness, gravity = constants::gravity,
           heat_capacity = constants::dry_air_heat_capacity;
    static constexpr std::string_view summary =
        "right side of the Helmholtz equation for the increment of the Exner function";
    static constexpr std::tuple parameters{
        Parameter{"step", &HelmholtzRightSide::step, "s", -1e6, 1e6, "time step"},
        Parameter{"implicitness", &HelmholtzRightSide::implicitness, "1", 0.5, 1,
                  "weight of the new time"},
        Parameter{"gravity", &HelmholtzRightSide::gravity, "m s-2", 0, 100,
                  "acceleration of free fall"},
        Parameter{"heat_capacity", &HelmholtzRightSide::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind_residual", place::east_face_layer, "m s-1", 1> R_u,
        Reads<Real, "y_wind_residual", place::north_face_layer, "m s-1", 1> R_v,
        Reads<Real, "upward_velocity_residual", place::center_interface, "m s-1"> R_w,
        Reads<Real, "potential_temperature_residual", place::center_interface, "K"> R_theta,
        Reads<Real, "density_residual", place::center_layer, "kg m-3"> R_rho,
        GridPointReference<Real> reference, GridPointFaces<Real> faces,
        Writes<Real, "helmholtz_right_side", place::center_layer, "kg m-2"> right_side) const {
        using T = typename Real::Number;
        const int levels = right_side.levels();
        const double tau = implicitness * step;
        const auto column = [&](Shift s) {
            return [z = reference.z(s), rho = reference.density(s)](int k) {
                return rho[k] * (z[k] - z[k + 1]);
            };
        };
        const auto m = column(here), m_e = column(east), m_w = column(-east), m_n = column(north),
                   m_s = column(-north);
        const auto of = gridpoint::linear_column<Real>(
            reference.z, reference.theta, reference.density, levels, tau, gravity, heat_capacity);
        const Real scale = T(0.5 * tau) / faces.area[0], e = scale * faces.length_east[0],
                   w = scale * faces.length_east(-east)[0], n = scale * faces.length_north[0],
                   s = scale * faces.length_north(-north)[0];
        Real motion_above(T(0));
        for (int k = 0; k < levels; ++k) {
            const Real mass = m(k);
            const Real out = e * (mass + m_e(k)) * R_u[k] - w * (mass + m_w(k)) * R_u(-east)[k] +
                             n * (mass + m_n(k)) * R_v[k] - s * (mass + m_s(k)) * R_v(-north)[k];
            const Real motion_below =
                k + 1 < levels
                    ? of.free_motion(k + 1, reference.damping[k + 1], R_w[k + 1], R_theta[k + 1])
                    : Real(T(0));
            Real sum = of.thickness(k) * R_rho[k] +
                       mass * (R_theta[k] + R_theta[k + 1]) /
                           (reference.theta[k] + reference.theta[k + 1]) -
                       out;
            if (k > 0) sum -= of.above(k) * motion_above;
            if (k + 1 < levels) sum -= of.below(k) * motion_below;
            right_side[k] = sum;
            motion_above = motion_below;
        }
    }
};

/// Increments of all fields from that of the Exner function. Density gets the increment that gives
/// this pressure. The residual of the solver is then a small error of the mass equation. As an
/// error of pressure it would enter the next residual of the wind, times tau^2 c^2 / dx^2: near the
/// poles more than a solver removes. Carried values came from tau w' higher than assumed, so they
/// change with w', as in theta' and rho'. Without this, buoyancy would be explicit and long steps
/// unstable.
struct GridPointIncrements {
    double step = 10, implicitness = usual::gridpoint_implicitness, gravity = constants::gravity,
           heat_capacity = constants::dry_air_heat_capacity,
           gas_constant = constants::dry_air_gas_constant;
    static constexpr std::string_view summary =
        "increments of wind, potential temperature and density from that of the Exner function";
    static constexpr std::tuple parameters{
        Parameter{"step", &GridPointIncrements::step, "s", -1e6, 1e6, "time step"},
        Parameter{"implicitness", &GridPointIncrements::implicitness, "1", 0.5, 1,
                  "weight of the new time"},
        Parameter{"gravity", &GridPointIncrements::gravity, "m s-2", 0, 100,
                  "acceleration of free fall"},
        Parameter{"heat_capacity", &GridPointIncrements::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"gas_constant", &GridPointIncrements::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind_residual", place::east_face_layer, "m s-1"> R_u,
        Reads<Real, "y_wind_residual", place::north_face_layer, "m s-1"> R_v,
        Reads<Real, "upward_velocity_residual", place::center_interface, "m s-1"> R_w,
        Reads<Real, "potential_temperature_residual", place::center_interface, "K"> R_theta,
        Reads<Real, "exner_increment", place::center_layer, "1", 1> pi,
        Reads<Real, "linear_exner", place::center_layer, "1"> exner,
        GridPointReference<Real> reference,
        Reads<Real, "dx_east_face", place::east_face_column, "m"> dx,
        Reads<Real, "dy_north_face", place::north_face_column, "m"> dy,
        Reads<Real, "open_east_face", place::east_face_column, "1"> open_east,
        Reads<Real, "open_north_face", place::north_face_column, "1"> open_north,
        Updates<Real, "x_wind", place::east_face_layer, "m s-1"> u,
        Updates<Real, "y_wind", place::north_face_layer, "m s-1"> v,
        Updates<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Updates<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Updates<Real, "air_density", place::center_layer, "kg m-3"> density,
        Updates<Real, "potential_temperature_carried", place::center_interface, "K"> theta_carried,
        Updates<Real, "density_carried", place::center_layer, "kg m-3"> density_carried) const {
        using T = typename Real::Number;
        const int levels = density.levels();
        const double tau = implicitness * step, kappa = gas_constant / heat_capacity;
        const T push = T(0.25 * tau * heat_capacity), stiffness = T((1 - kappa) / kappa);
        const Real push_x = push * open_east[0] / dx[0], push_y = push * open_north[0] / dy[0];
        const auto& z = reference.z;
        const auto& theta_0 = reference.theta;
        const auto& rho = reference.density;
        const auto theta_e = theta_0(east), theta_n = theta_0(north);
        const auto of =
            gridpoint::linear_column<Real>(z, theta_0, rho, levels, tau, gravity, heat_capacity);
        Real motion_above(T(0)), warmer_above = R_theta[0];
        theta[0] += warmer_above;
        for (int k = 0; k < levels; ++k) {
            const Real warm = theta_0[k] + theta_0[k + 1];
            u[k] += R_u[k] - push_x * (warm + theta_e[k] + theta_e[k + 1]) * (pi(east)[k] - pi[k]);
            v[k] += R_v[k] - push_y * (warm + theta_n[k] + theta_n[k + 1]) * (pi(north)[k] - pi[k]);
            Real motion_below(T(0)), higher(T(0)), warmer_below = R_theta[k + 1];
            if (k + 1 < levels) {
                const T damping = reference.damping[k + 1];
                motion_below = of.free_motion(k + 1, damping, R_w[k + 1], R_theta[k + 1]) -
                               of.push(k + 1, damping) * (pi[k] - pi[k + 1]);
                w[k + 1] += motion_below;
                const Real lifted = T(tau) * motion_below * of.theta_gradient(k + 1);
                warmer_below -= lifted;
                theta_carried[k + 1] -= lifted;
                higher += (rho[k] - of.density_at(k + 1)) * motion_below;
            }
            theta[k + 1] += warmer_below;
            if (k > 0) higher += (of.density_at(k) - rho[k]) * motion_above;
            density[k] +=
                rho[k] * (stiffness * pi[k] / exner[k] - (warmer_above + warmer_below) / warm);
            density_carried[k] -= T(tau) * higher / of.thickness(k);
            motion_above = motion_below;
            warmer_above = warmer_below;
        }
    }
};

/// Diffusion along levels and in the vertical, of wind and of the deviation of theta; explicit, so
/// that next to poles it is limited along rows to the stable value.
struct GridPointDiffusion {
    double step = 10, viscosity = 0;
    static constexpr std::string_view summary =
        "diffusion of wind and potential temperature with one coefficient, explicit";
    static constexpr std::tuple parameters{
        Parameter{"step", &GridPointDiffusion::step, "s", -1e6, 1e6, "time step"},
        Parameter{"viscosity", &GridPointDiffusion::viscosity, "m2 s-1", 0, 1e6,
                  "of momentum and heat"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1", 1> w,
        Reads<Real, "air_potential_temperature", place::center_interface, "K", 1> theta,
        Reads<Real, "reference_potential_temperature", place::center_interface, "K", 1> theta_0,
        Reads<Real, "interface_height", place::center_interface, "m"> z, GridPointFaces<Real> faces,
        Updates<Real, "x_wind_start", place::east_face_layer, "m s-1"> u_start,
        Updates<Real, "y_wind_start", place::north_face_layer, "m s-1"> v_start,
        Updates<Real, "upward_velocity_start", place::center_interface, "m s-1"> w_start,
        Updates<Real, "potential_temperature_start", place::center_interface, "K"> theta_start)
        const {
        using T = typename Real::Number;
        const int levels = u.levels();
        const T amount = T(viscosity * step);
        const Real per_x = smaller(amount / (faces.dx[0] * faces.dx[0]), Real(T(0.125))),
                   per_y = smaller(amount / (faces.dy[0] * faces.dy[0]), Real(T(0.125)));
        const Real e = per_x * faces.open_east[0], we = per_x * faces.open_east(-east)[0],
                   n = per_y * faces.open_north[0], s = per_y * faces.open_north(-north)[0];
        const auto along = [&](const auto& of, int k) {
            const Real c = of(here, k);
            return e * (of(east, k) - c) + we * (of(-east, k) - c) + n * (of(north, k) - c) +
                   s * (of(-north, k) - c);
        };
        const auto of_u = [&](Shift s, int k) { return u(s)[k]; };
        const auto of_v = [&](Shift s, int k) { return v(s)[k]; };
        const auto of_w = [&](Shift s, int k) { return w(s)[k]; };
        const auto of_theta = [&](Shift s, int k) { return theta(s)[k] - theta_0(s)[k]; };
        for (int k = 0; k < levels; ++k) {
            const Real thick = z[k] - z[k + 1];
            const auto up = [&](const auto& of) {
                Real flux(T(0));
                if (k > 0) flux += (of[k - 1] - of[k]) / gridpoint::spacing(z, k, levels);
                if (k + 1 < levels)
                    flux -= (of[k] - of[k + 1]) / gridpoint::spacing(z, k + 1, levels);
                return flux / thick;
            };
            u_start[k] += faces.open_east[0] * (along(of_u, k) + amount * up(u));
            v_start[k] += faces.open_north[0] * (along(of_v, k) + amount * up(v));
        }
        for (int k = 0; k <= levels; ++k) {
            const auto up = [&](const auto& of) {
                Real flux(T(0));
                if (k > 0) flux += (of(here, k - 1) - of(here, k)) / (z[k - 1] - z[k]);
                if (k < levels) flux -= (of(here, k) - of(here, k + 1)) / (z[k] - z[k + 1]);
                return flux / gridpoint::spacing(z, k, levels);
            };
            theta_start[k] += along(of_theta, k) + amount * up(of_theta);
            if (k > 0 && k < levels) w_start[k] += along(of_w, k) + amount * up(of_w);
        }
    }
};

/// For output: the wind in the middle of cells.
struct GridPointWind {
    double rows = 2;
    static constexpr std::string_view summary = "wind along x and y at the centres of cells";
    static constexpr std::tuple parameters{
        Parameter{"rows", &GridPointWind::rows, "1", 1, 2,
                  "of faces across y that a cell has: 1 in a slice"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v,
        Writes<Real, "eastward_wind", place::center_layer, "m s-1"> U,
        Writes<Real, "northward_wind", place::center_layer, "m s-1"> V) const {
        using T = typename Real::Number;
        for (int k = 0; k < U.levels(); ++k) {
            U[k] = 0.5 * (u[k] + u(-east)[k]);
            V[k] = T(1 / rows) * (v[k] + v(-north)[k]);
        }
    }
};

}  // namespace fathom::atmosphere
