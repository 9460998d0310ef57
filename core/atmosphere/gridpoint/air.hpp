/// Dry air on levels of height that follow the ground, Arakawa C grid, Charney-Phillips levels:
/// u, v on faces of layers, density and the Exner function pi in layers, w and theta at interfaces.
///   Du/Dt = f v - c_p theta d(pi)/dx        Dw/Dt = -c_p theta d(pi)/dz - g
///   Dv/Dt = -f u - c_p theta d(pi)/dy       Dtheta/Dt = 0,   D rho/Dt = -rho div
///   pi = (R rho theta / p0)^(kappa / (1 - kappa))
/// About a reference at rest, a function of height alone, c_p theta_0 d(pi_0)/dz = -g:
///   -c_p theta grad(pi) - g = -c_p theta grad(pi - pi_0) + g (theta / theta_0 - 1)
/// so that air equal to the reference stays at rest over any ground, to round-off.
/// Derivatives along x at constant height, z = z(x, eta):
///   d(pi)/dx at z = d(pi)/dx at eta - dz/dx d(pi)/dz
/// and w relative to levels: W = w - u dz/dx - v dz/dy, 0 at the ground and at the top.
/// On a sphere, metric terms are in the transport of the wind (sphere_transport.cpp). A deep
/// atmosphere widens with height by s = 1 + curvature z, and g = g_0 / s^2; curvature is 1 /
/// radius, and 0 in a shallow atmosphere and on a plane. Beyond the poles v is the wind over them
/// (PoleWind).
#pragma once
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"

namespace fathom::place {
inline constexpr Place east_face_layer{Horizontal::east_face, Vertical::layer},
    north_face_layer{Horizontal::north_face, Vertical::layer};
}  // namespace fathom::place

namespace fathom::atmosphere {

namespace gridpoint {
/// Height of the middle of a layer, distance of the middles next to an interface (half a layer at
/// the ground and the top).
template <class Column> constexpr auto middle(const Column& z, int k) {
    return 0.5 * (z[k] + z[k + 1]);
}
template <class Column> constexpr auto spacing(const Column& z, int k, int levels) {
    return 0.5 * (z[k > 0 ? k - 1 : 0] - z[k < levels ? k + 1 : levels]);
}
/// Width relative to that at height 0.
template <class T, class Real> constexpr Real widening(T curvature, Real height) {
    return 1.0 + curvature * height;
}
/// Of the wind at an interface: what the mean of the layers next to it (the nearest one at the
/// ground and the lid) is to be multiplied by if the air turns as a solid.
template <class T, class Column>
constexpr auto outward(T curvature, const Column& z, int k, int levels) {
    const int above = k > 0 ? k - 1 : 0, below = k < levels ? k : levels - 1;
    const auto middles = 0.5 * (middle(z, above) + middle(z, below)), height = 1.0 * z[k];
    return widening(curvature, height) / widening(curvature, middles);
}
inline constexpr auto curvature_text = "1 / radius of a deep atmosphere, else 0";
/// d(pi)/dz at an interface: at the ground and the top that of the next one.
template <class Column, class Heights>
constexpr auto vertical_gradient(const Column& pi, const Heights& z, int k, int levels) {
    const int m = k < 1 ? 1 : k > levels - 1 ? levels - 1 : k;
    return (pi[m - 1] - pi[m]) / spacing(z, m, levels);
}
/// The Coriolis force of a rotation f along the surface, across the wind u: -f w on u, f u upward.
/// behind: of the face behind, ahead: of the cell ahead.
template <class Real, class Wind, class Behind, class Up, class Ahead, class Force, class Lift>
constexpr void turn_upward(Real f, const Wind& u, const Behind& behind, const Up& w,
                           const Ahead& ahead, Force& force, Lift& lift) {
    const Real rate = 0.25 * f;
    const int levels = u.levels();
    for (int k = 0; k < levels; ++k) force[k] -= rate * (w[k] + w[k + 1] + ahead[k] + ahead[k + 1]);
    for (int k = 1; k < levels; ++k)
        lift[k] += rate * (u[k - 1] + u[k] + behind[k - 1] + behind[k]);
}
}  // namespace gridpoint

struct GridPointExner {
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_pressure = usual::reference_pressure;
    static constexpr std::string_view summary =
        "Exner function of dry air from density and potential temperature, less that of the "
        "reference";
    static constexpr std::tuple parameters{
        Parameter{"gas_constant", &GridPointExner::gas_constant, "J kg-1 K-1", 100, 1e4,
                  "of dry air"},
        Parameter{"heat_capacity", &GridPointExner::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"reference_pressure", &GridPointExner::reference_pressure, "Pa", 1, 1e7,
                  "of potential temperature"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_density", place::center_layer, "kg m-3"> density,
        Reads<Real, "air_potential_temperature", place::center_interface, "K"> theta,
        Reads<Real, "reference_exner", place::center_layer, "1"> reference,
        Writes<Real, "exner_deviation", place::center_layer, "1"> deviation) const {
        using T = typename Real::Number;
        const double kappa = gas_constant / heat_capacity;
        const T scale = T(0.5 * gas_constant / reference_pressure), power = T(kappa / (1 - kappa));
        for (int k = 0; k < deviation.levels(); ++k) {
            const Real pressure = scale * density[k] * (theta[k] + theta[k + 1]);
            deviation[k] = pow(pressure, Real(power)) - reference[k];
        }
    }
};

/// W, and the wind at interfaces, where trajectories end; w of the ground follows it.
struct GridPointMotion {
    double curvature = 0;
    static constexpr std::string_view summary =
        "velocity through levels, and the wind at interfaces; the wind at the ground follows it";
    static constexpr std::tuple parameters{Parameter{"curvature", &GridPointMotion::curvature,
                                                     "m-1", 0, 1, gridpoint::curvature_text}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "interface_height", place::center_interface, "m", 1> z,
        Reads<Real, "dx_east_face", place::east_face_column, "m", 1> dx,
        Reads<Real, "dy_north_face", place::north_face_column, "m", 1> dy,
        ReadsProfile<Real, "level_height", "m"> eta,
        Updates<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Writes<Real, "velocity_through_levels", place::center_interface, "m s-1"> W,
        Writes<Real, "x_wind_at_interface", place::center_interface, "m s-1"> U,
        Writes<Real, "y_wind_at_interface", place::center_interface, "m s-1"> V,
        Writes<Real, "level_velocity", place::center_interface, "m s-1"> eta_velocity) const {
        using T = typename Real::Number;
        const int levels = u.levels();
        const Real per_e = 1.0 / dx[0], per_w = 1.0 / dx(-east)[0], per_n = 1.0 / dy[0],
                   per_s = 1.0 / dy(-north)[0];
        for (int k = 0; k <= levels; ++k) {
            const int above = k > 0 ? k - 1 : 0, below = k < levels ? k : levels - 1;
            const Real ue = 0.5 * (u[above] + u[below]),
                       uw = 0.5 * (u(-east)[above] + u(-east)[below]),
                       vn = 0.5 * (v[above] + v[below]),
                       vs = 0.5 * (v(-north)[above] + v(-north)[below]), here_ = z[k];
            const Real climb = (0.5 * (ue * ((z(east)[k] - here_) * per_e) +
                                       uw * ((here_ - z(-east)[k]) * per_w)) +
                                0.5 * (vn * ((z(north)[k] - here_) * per_n) +
                                       vs * ((here_ - z(-north)[k]) * per_s))) /
                               gridpoint::widening(T(curvature), here_);
            const bool inside = k > 0 && k < levels;
            if (k == levels) w[k] = climb;
            if (k == 0) w[k] = Real(0);
            const Real through = inside ? Real(w[k]) - climb : Real(0);
            W[k] = through;
            Real half(T(0.5));
            if (curvature > 0) half *= gridpoint::outward(T(curvature), z, k, levels);
            U[k] = half * (ue + uw);
            V[k] = half * (vn + vs);
            // d(eta)/dz of the layers around
            const Real stretch = Real(eta[above] - eta[below + 1]) / (z[above] - z[below + 1]);
            eta_velocity[k] = through * stretch;
        }
    }
};

/// Lengths of faces, distances across them, areas; `open`: 0 at a wall, else 1.
template <class Real> struct GridPointFaces {
    Reads<Real, "dx_east_face", place::east_face_column, "m", 1> dx;
    Reads<Real, "dy_north_face", place::north_face_column, "m", 1> dy;
    Reads<Real, "length_east_face", place::east_face_column, "m", 1> length_east;
    Reads<Real, "length_north_face", place::north_face_column, "m", 1> length_north;
    Reads<Real, "open_east_face", place::east_face_column, "1", 1> open_east;
    Reads<Real, "open_north_face", place::north_face_column, "1", 1> open_north;
    Reads<Real, "area_center", place::center_column, "m2"> area;
};

/// Right sides of the equations at one time: forces and the divergence.
struct GridPointForces {
    double heat_capacity = constants::dry_air_heat_capacity, gravity = constants::gravity,
           curvature = 0;
    static constexpr std::string_view summary =
        "pressure gradient, buoyancy and Coriolis force on the C grid, and the divergence";
    static constexpr std::tuple parameters{
        Parameter{"heat_capacity", &GridPointForces::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"},
        Parameter{"gravity", &GridPointForces::gravity, "m s-2", 0, 100,
                  "acceleration of free fall at height 0"},
        Parameter{"curvature", &GridPointForces::curvature, "m-1", 0, 1,
                  gridpoint::curvature_text}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1"> w,
        Reads<Real, "velocity_through_levels", place::center_interface, "m s-1"> W,
        Reads<Real, "exner_deviation", place::center_layer, "1", 1> pi,
        Reads<Real, "air_potential_temperature", place::center_interface, "K", 1> theta,
        Reads<Real, "reference_potential_temperature", place::center_interface, "K"> theta_0,
        Reads<Real, "interface_height", place::center_interface, "m", 1> z,
        Reads<Real, "coriolis", place::center_column, "s-1", 1> f, GridPointFaces<Real> faces,
        ReadsProfile<Real, "vertical_damping", "s-1"> damping,
        Writes<Real, "x_force", place::east_face_layer, "m s-2"> Fx,
        Writes<Real, "y_force", place::north_face_layer, "m s-2"> Fy,
        Writes<Real, "vertical_force", place::center_interface, "m s-2"> Fz,
        Writes<Real, "divergence", place::center_layer, "s-1"> D) const {
        using T = typename Real::Number;
        const int levels = D.levels();
        const T cp = T(heat_capacity), g = T(gravity), c = T(curvature);
        const Real per_x = 1.0 / faces.dx[0], per_y = 1.0 / faces.dy[0],
                   per_area = 1.0 / faces.area[0];
        const Real open_e = faces.open_east[0], open_n = faces.open_north[0];
        const Real f_e = 0.5 * (f[0] + f(east)[0]), f_n = 0.5 * (f[0] + f(north)[0]);
        const auto pi_e = pi(east), pi_n = pi(north);
        const auto z_e = z(east), z_n = z(north), z_w = z(-east), z_s = z(-north);
        const auto theta_e = theta(east), theta_n = theta(north);
        using gridpoint::middle, gridpoint::vertical_gradient, gridpoint::widening;
        for (int k = 0; k < levels; ++k) {
            const Real steep = vertical_gradient(pi, z, k, levels) +
                               vertical_gradient(pi, z, k + 1, levels),
                       steep_e = vertical_gradient(pi_e, z_e, k, levels) +
                                 vertical_gradient(pi_e, z_e, k + 1, levels),
                       steep_n = vertical_gradient(pi_n, z_n, k, levels) +
                                 vertical_gradient(pi_n, z_n, k + 1, levels);
            const Real warm = theta[k] + theta[k + 1],
                       warm_e = 0.25 * (warm + theta_e[k] + theta_e[k + 1]),
                       warm_n = 0.25 * (warm + theta_n[k] + theta_n[k + 1]);
            const Real m = middle(z, k), m_e = middle(z_e, k), m_n = middle(z_n, k),
                       s = widening(c, m), s_e = widening(c, 0.5 * (m + m_e)),
                       s_n = widening(c, 0.5 * (m + m_n)),
                       s_w = widening(c, 0.5 * (m + middle(z_w, k))),
                       s_s = widening(c, 0.5 * (m + middle(z_s, k)));
            const Real pi_x =
                           (pi_e[k] - pi[k] - 0.25 * (m_e - m) * (steep + steep_e)) * per_x / s_e,
                       pi_y =
                           (pi_n[k] - pi[k] - 0.25 * (m_n - m) * (steep + steep_n)) * per_y / s_n;
            const Real v_e = 0.25 * (v[k] + v(-north)[k] + v(east)[k] + v(-northwest)[k]),
                       u_n = 0.25 * (u[k] + u(-east)[k] + u(north)[k] + u(northwest)[k]);
            Fx[k] = open_e * (f_e * v_e - cp * warm_e * pi_x);
            Fy[k] = open_n * (-(f_n * u_n) - cp * warm_n * pi_y);
            const Real thick = z[k] - z[k + 1];
            const Real out_e = faces.length_east[0] * s_e * u[k] * (thick + z_e[k] - z_e[k + 1]),
                       out_w = faces.length_east(-east)[0] * s_w * u(-east)[k] *
                               (thick + z_w[k] - z_w[k + 1]),
                       out_n = faces.length_north[0] * s_n * v[k] * (thick + z_n[k] - z_n[k + 1]),
                       out_s = faces.length_north(-north)[0] * s_s * v(-north)[k] *
                               (thick + z_s[k] - z_s[k + 1]);
            const Real above = widening(c, Real(z[k])), below = widening(c, Real(z[k + 1]));
            D[k] = (0.5 * per_area * (out_e - out_w + out_n - out_s) + above * above * W[k] -
                    below * below * W[k + 1]) /
                   (thick * s * s);
        }
        Fz[0] = Real(0);
        Fz[levels] = Real(0);
        for (int k = 1; k < levels; ++k) {
            const Real s = widening(c, Real(z[k]));
            Fz[k] = g / (s * s) * (theta[k] / theta_0[k] - 1.0) - T(damping[k]) * w[k] -
                    cp * theta[k] * vertical_gradient(pi, z, k, levels);
        }
    }
};

/// Terms of the horizontal part of the earth's rotation in a deep atmosphere.
struct GridPointDeepRotation {
    static constexpr std::string_view summary =
        "Coriolis force of the horizontal part of the rotation, f' = 2 Omega cos(latitude)";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "x_wind", place::east_face_layer, "m s-1", 1> u,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1", 1> w,
        Reads<Real, "horizontal_coriolis", place::center_column, "s-1"> f,
        Updates<Real, "x_force", place::east_face_layer, "m s-2"> Fx,
        Updates<Real, "vertical_force", place::center_interface, "m s-2"> Fz) const {
        gridpoint::turn_upward(Real(f[0]), u, u(-east), w, w(east), Fx, Fz);
    }
};

/// The same for an area about another pole: the horizontal part has a component along x, too.
struct GridPointDeepRotationAcross {
    static constexpr std::string_view summary =
        "Coriolis force of the part of the rotation along x, f'_x = 2 Omega_x";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "y_wind", place::north_face_layer, "m s-1", 1> v,
        Reads<Real, "upward_air_velocity", place::center_interface, "m s-1", 1> w,
        Reads<Real, "horizontal_coriolis_along_x", place::center_column, "s-1"> f,
        Updates<Real, "y_force", place::north_face_layer, "m s-2"> Fy,
        Updates<Real, "vertical_force", place::center_interface, "m s-2"> Fz) const {
        gridpoint::turn_upward(-Real(f[0]), v, v(-north), w, w(north), Fy, Fz);
    }
};

}  // namespace fathom::atmosphere
