/// Lateral friction as minus the derivative of the dissipation of strain (Smith & McWilliams 2003,
/// Ocean Modelling 5, 129-156), for viscosities that depend on place and direction.
/// On a curved grid with spacings dx, dy the strain is
///   D_T = dy d(u / dy)/dx - dx d(v / dx)/dy,   D_S = dx d(u / dx)/dy + dy d(v / dy)/dx
///       (0 for a rotation of the sphere)
/// computed in each quarter of a cell from the two of its four edges that meet there: no pattern of
/// velocities has zero strain by averaging. Stress (s_T, s_S) = N (D_T, D_S), N symmetric, not
/// negative, one for a cell and level; force on a corner = -d/du sum over quarters of V / 2 (s_T
/// D_T + s_S D_S): kinetic energy never grows.
///   isotropic:    N = nu
///   anisotropic:  with A along a direction theta and B across it,  N = nu_S + (nu_T - nu_S) m m^T,
///       m = (cos 2 theta, sin 2 theta),  nu_T = (A + B) / 2,  nu_S = B
/// Land is a dry corner with u = 0: no slip needs no mask.
#pragma once
#include <algorithm>
#include <array>
#include "field/process.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

template <class Real> struct StrainGeometry {
    CornerAndFaceGeometry<Real> grid;
    Reads<Real, "area_center", place::center_column, "m2", 1> area;
};

/// The nine corners round one, [a][b] east and north of its south-western neighbour; edges between
/// them; four cells. Geometry is read once for all levels.
template <class Real> struct StrainStencil {
    Real per_dx[3][3], per_dy[3][3], along_x[2][3], along_y[3][2], to_u[2], to_v[2], quarter[2][2];
    constexpr explicit StrainStencil(const StrainGeometry<Real>& geometry) {
        const auto& [grid, area] = geometry;
        const auto& [dx, dy, faces] = grid;
        const auto& [length_north, distance_north, length_east, distance_east] = faces;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                const Shift s{a - 1, b - 1};
                per_dx[a][b] = 1.0 / dx(s)[0];
                per_dy[a][b] = 1.0 / dy(s)[0];
                if (a < 2)
                    along_x[a][b] =
                        distance_north(Shift{a, b - 1})[0] / length_north(Shift{a, b - 1})[0];
                if (b < 2)
                    along_y[a][b] =
                        distance_east(Shift{a - 1, b})[0] / length_east(Shift{a - 1, b})[0];
                if (a < 2 && b < 2) quarter[a][b] = area(Shift{a, b})[0] * 0.25;
            }
        const Real per_area = per_dx[1][1] * per_dy[1][1];
        for (int p = 0; p < 2;
             // of a western and an eastern edge on the corner; of a southern and a northern one
             ++p) {
            const double sign = p == 0 ? -1 : 1;
            to_u[p] = sign * per_area * per_dy[1][1] * along_x[p][1];
            to_v[p] = sign * per_area * per_dx[1][1] * along_y[1][p];
        }
    }
    /// Derivatives along edges at one level: of a component q, per dx and per dy.
    struct Edges {
        Real x[2][3], y[3][2];
    };
    constexpr Edges edges(In<Real, 1> q, int k) const {
        Real of_x[3][3], of_y[3][3];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                const Real value = q(Shift{a - 1, b - 1})[k];
                of_x[a][b] = value * per_dy[a][b];
                of_y[a][b] = value * per_dx[a][b];
            }
        Edges e;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                if (a < 2) e.x[a][b] = (of_x[a + 1][b] - of_x[a][b]) * along_x[a][b];
                if (b < 2) e.y[a][b] = (of_y[a][b + 1] - of_y[a][b]) * along_y[a][b];
            }
        return e;
    }
    /// The force per volume; stress(cell, D_T, D_S) -> (s_T, s_S) is linear.
    constexpr std::pair<Real, Real> operator()(In<Real, 1> u, In<Real, 1> v, int k,
                                               auto&& stress) const {
        const Edges U = edges(u, k), V = edges(v, k);
        Real fx = 0, fy = 0;
        for (int p = 0; p < 2; ++p)
            for (int q = 0; q < 2; ++q) {
                const Shift cell{p, q};
                const Real y_u = U.y[1][q] + U.y[2 * p][q], y_v = V.y[1][q] + V.y[2 * p][q],
                           x_u = U.x[p][1] + U.x[p][2 * q], x_v = V.x[p][1] + V.x[p][2 * q];
                const auto [T_x, S_x] =
                    stress(cell, 2.0 * U.x[p][1] - y_v,
                           y_u + 2.0 * V.x[p][1]);  // both quarters at the edge along x
                const auto [T_y, S_y] =
                    stress(cell, x_u - 2.0 * V.y[1][q], 2.0 * U.y[1][q] + x_v);  // and along y
                const Real by_x = quarter[p][q] * to_u[p], by_y = quarter[p][q] * to_v[q];
                fx = fma(by_x, T_x, fma(by_y, S_y, fx));
                fy = fma(by_x, S_x, fy) - by_y * T_y;
            }
        return {fx, fy};
    }
};

/// A along a direction, B across it.
struct AnisotropicFriction {
    static constexpr std::string_view summary =
        "friction with one viscosity along a direction and another across it (Smith & McWilliams "
        "2003)";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "viscosity_along", place::center_column, "m2 s-1", 1> along,
        Reads<Real, "viscosity_across", place::center_column, "m2 s-1", 1> across,
        // of twice the angle from the grid's x
        Reads<Real, "cosine_of_direction", place::center_layer, "1", 1> cosine,
        Reads<Real, "sine_of_direction", place::center_layer, "1", 1> sine,
        StrainGeometry<Real> geometry,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y)
        const {
        const StrainStencil<Real> friction(geometry);
        for (int k = 0; k < tendency_x.levels(); ++k) {
            const auto [fx, fy] = friction(u, v, k, [&](Shift cell, Real D_T, Real D_S) {
                const Real B = across(cell)[0], more = 0.5 * (along(cell)[0] - B),
                           c = cosine(cell)[k], s = sine(cell)[k],
                           in_line = more * fma(c, D_T, s * D_S);
                return std::pair{fma(in_line, c, B * D_T), fma(in_line, s, B * D_S)};
            });
            tendency_x[k] += fx;
            tendency_y[k] += fy;
        }
    }
};

/// (cos 2 theta, sin 2 theta) of the flow at centres: the square of the mean velocity of four
/// corners, over its magnitude. Water at rest: 0, which is isotropic.
struct FlowDirection {
    static constexpr std::string_view summary =
        "direction of the flow, for friction along and across it";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        Writes<Real, "cosine_of_direction", place::center_layer, "1"> cosine,
        Writes<Real, "sine_of_direction", place::center_layer, "1"> sine) const {
        for (int k = 0; k < cosine.levels(); ++k) {
            const Real x = u[k] + u(-east)[k] + u(-north)[k] + u(-northeast)[k],
                       y = v[k] + v(-east)[k] + v(-north)[k] + v(-northeast)[k], xx = x * x,
                       yy = y * y;
            const Real inverse = 1.0 / larger(xx + yy, Real(1e-12));
            cosine[k] = (xx - yy) * inverse;
            sine[k] = 2.0 * x * y * inverse;
        }
    }
};

/// Viscosity from the rate of strain (Smagorinsky 1963; Griffies & Hallberg 2000, Mon. Wea. Rev.
/// 128, 2935-2946), |D|^2 the mean over the quarters of a cell:
///   nu = (C / pi)^2 dx dy |D|
///       biharmonic:  sqrt(B) = (C / pi) dx dy sqrt(|D| / 8)
/// at most the limit of a forward step: step nu (1 / dx^2 + 1 / dy^2) <= 1 / 4, step B (1 / dx^2 +
/// 1 / dy^2)^2 <= 1 / 32.
template <bool biharmonic> struct StrainViscosity {
    double coefficient = biharmonic ? 3 : 2, step = 3600;
    static constexpr std::string_view summary =
        biharmonic ? "root of Smagorinsky's biharmonic viscosity"
                   : "Smagorinsky's viscosity from the rate of strain";
    static constexpr std::tuple parameters{
        Parameter{"coefficient", &StrainViscosity::coefficient, "1", 0, 20, "Smagorinsky's, C"},
        Parameter{"step", &StrainViscosity::step, "s", 0, 1e6, "time step"}};
    template <class Real>
    using Written =
        std::conditional_t<biharmonic,
                           Writes<Real, "lateral_viscosity", place::center_layer, "m2 s-1/2">,
                           Writes<Real, "lateral_viscosity", place::center_layer, "m2 s-1">>;

    template <class Real>
    constexpr void operator()(Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
                              Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
                              StrainGeometry<Real> geometry, Written<Real> viscosity) const {
        const auto& [grid, area] = geometry;
        const auto& [dx, dy, faces] = grid;
        const auto& [hn, dyn, he, dxe] = faces;
        using T = typename Real::Number;
        const Shift se = -north, nw = -east, sw = -northeast;
        const Real x_n = dyn[0] / hn[0], x_s = dyn(-north)[0] / hn(-north)[0], y_e = dxe[0] / he[0],
                   y_w = dxe(-east)[0] / he(-east)[0], A = area[0];
        const Real steepness = 1.0 / (hn[0] * hn[0]) + 1.0 / (he[0] * he[0]);
        const Real most = biharmonic ? sqrt(T(1 / (32 * std::max(step, 1e-3)))) / steepness
                                     : T(1 / (4 * std::max(step, 1e-3))) / steepness;
        const T scale = T(coefficient / 3.14159265358979324);
        auto each = [](In<Real, 1> f, Shift s) { return 1.0 / f(s)[0]; };
        const Real dx_ne = each(dx, here), dx_se = each(dx, se), dx_nw = each(dx, nw),
                   dx_sw = each(dx, sw), dy_ne = each(dy, here), dy_se = each(dy, se),
                   dy_nw = each(dy, nw), dy_sw = each(dy, sw);
        for (int k = 0; k < viscosity.levels(); ++k) {
            struct Edges {
                Real n, s, e, w;
            };
            auto edges = [&](In<Real, 1> q) {
                const Real ne = q[k], nw_ = q(nw)[k], se_ = q(se)[k], sw_ = q(sw)[k];
                return Edges{(ne * dy_ne - nw_ * dy_nw) * x_n, (se_ * dy_se - sw_ * dy_sw) * x_s,
                             (ne * dx_ne - se_ * dx_se) * y_e, (nw_ * dx_nw - sw_ * dx_sw) * y_w};
            };
            const Edges U = edges(u), V = edges(v);
            Real sum = 0;
            auto add = [&](Real x_u, Real y_u, Real x_v, Real y_v) {
                const Real D_T = x_u - y_v, D_S = y_u + x_v;
                sum = fma(D_T, D_T, fma(D_S, D_S, sum));
            };
            add(U.n, U.e, V.n, V.e);
            add(U.n, U.w, V.n, V.w);
            add(U.s, U.e, V.s, V.e);
            add(U.s, U.w, V.s, V.w);
            const Real D = sqrt(0.25 * sum);
            if constexpr (biharmonic)
                viscosity[k] = smaller(scale * A * sqrt(0.125 * D), most);
            else
                viscosity[k] = smaller(scale * scale * A * D, most);
        }
    }
};

/// The effects of an isotropic viscosity: a force; the first half of biharmonic friction, 0 at dry
/// corners; or the second half, minus the operator on the first.
enum class StrainPart { friction, first, second };
template <StrainPart part> struct StrainFriction {
    static constexpr std::string_view summary =
        part == StrainPart::friction ? "friction of a viscosity that differs from cell to cell"
        : part == StrainPart::first  ? "first half of biharmonic friction with the root of a "
                                       "viscosity that differs from cell to cell"
                                     : "second half of that biharmonic friction";
    static constexpr bool first = part == StrainPart::first;
    template <class Real, Text velocity, Text laplacian>
    using Velocity =
        std::conditional_t<part == StrainPart::second,
                           Reads<Real, laplacian, place::corner_vector_layer, "m s-3/2", 1>,
                           Reads<Real, velocity, place::corner_vector_layer, "m s-1", 1>>;
    template <class Real>
    using Viscosity =
        std::conditional_t<part == StrainPart::friction,
                           Reads<Real, "lateral_viscosity", place::center_layer, "m2 s-1", 1>,
                           Reads<Real, "lateral_viscosity", place::center_layer, "m2 s-1/2", 1>>;
    template <class Real, Text tendency, Text laplacian>
    using Result =
        std::conditional_t<first, Writes<Real, laplacian, place::corner_vector_layer, "m s-3/2">,
                           Updates<Real, tendency, place::corner_vector_layer, "m s-2">>;

    template <class Real>
    constexpr void operator()(Velocity<Real, "velocity_x", "velocity_laplacian_x"> u,
                              Velocity<Real, "velocity_y", "velocity_laplacian_y"> v,
                              Viscosity<Real> viscosity,
                              Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
                              StrainGeometry<Real> geometry,
                              Result<Real, "velocity_tendency_x", "velocity_laplacian_x"> x,
                              Result<Real, "velocity_tendency_y", "velocity_laplacian_y"> y) const {
        const StrainStencil<Real> friction(geometry);
        const Real bottom =
            smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
        for (int k = 0; k < x.levels(); ++k) {
            const auto [fx, fy] = friction(u, v, k, [&](Shift cell, Real D_T, Real D_S) {
                const Real nu = viscosity(cell)[k];
                return std::pair{nu * D_T, nu * D_S};
            });
            if constexpr (first) {
                const auto water = Real(typename Real::Number(k)) < bottom;
                x[k] = select(water, fx, Real(0));
                y[k] = select(water, fy, Real(0));
            } else if constexpr (part == StrainPart::second) {
                x[k] += -fx;
                y[k] += -fy;
            } else {
                x[k] += fx;
                y[k] += fy;
            }
        }
    }
};

}  // namespace fathom::ocean
