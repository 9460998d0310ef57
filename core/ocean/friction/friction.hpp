/// Lateral friction on the corners of the B grid: the divergence of A times the deviatoric strain,
/// with the terms of a curved grid and of a variable coefficient, so that a solid rotation of the
/// sphere has none (Smith et al. 2010, POP manual, section 3.4):
///   F(u, v)_x = div(A grad u) - [A c2 + A_x kx + A_y ky] u + [A twist + A_x ky - A_y kx] v +
///       (2 A ky + A_y) v_x - (2 A kx + A_x) v_y
///   F(u, v)_y = the same with u -> v, v -> -u;    c2 = d kx/dx + d ky/dy + 2 kx^2 + 2 ky^2,
///       twist = d ky/dx - d kx/dy
/// div(A grad u) = 1/areaC [d(A dy/dx du) + d(A dx/dy du)]. The twist is 0 where dx/dy is a
/// function of i times one of j, as between parallels and meridians, but not on a dipole grid. Land
/// is a dry corner with u = 0: no slip needs no mask. A = viscosity x scale.
#pragma once
#include "field/process.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

template <class Real> struct FrictionGeometry {
    Reads<Real, "viscosity_scale", place::corner_column, "1", 1> scale;
    CornerAndFaceGeometry<Real> grid;
    Reads<Real, "curvature_x", place::corner_vector_column, "m-1", 1> kx;
    Reads<Real, "curvature_y", place::corner_vector_column, "m-1", 1> ky;
    Reads<Real, "curvature_squared", place::corner_column, "m-2"> c2;
};

/// The geometry of one column and its four neighbours, read once for all levels.
template <class Real> struct FrictionStencil {
    Real east, west, north, south, center, turn, cross_x, cross_y;
    constexpr explicit FrictionStencil(const FrictionGeometry<Real>& geometry) {
        const auto& [scale, grid, kx, ky, c2] = geometry;
        const auto& [dx, dy, faces] = grid;
        const auto& [length_north, distance_north, length_east, distance_east] = faces;
        using fathom::east, fathom::north;
        const Real A = scale[0], X = dx[0], Y = dy[0], per_area = 0.5 / (X * Y), half_X = 0.5 / X,
                   half_Y = 0.5 / Y;
        this->east = (A + scale(fathom::east)[0]) * per_area * distance_north(fathom::east)[0] /
                     length_north(fathom::east)[0];
        this->west = (A + scale(-fathom::east)[0]) * per_area * distance_north[0] / length_north[0];
        this->north = (A + scale(fathom::north)[0]) * per_area * distance_east(fathom::north)[0] /
                      length_east(fathom::north)[0];
        this->south = (A + scale(-fathom::north)[0]) * per_area * distance_east[0] / length_east[0];
        const Real A_x = (scale(fathom::east)[0] - scale(-fathom::east)[0]) * half_X,
                   A_y = (scale(fathom::north)[0] - scale(-fathom::north)[0]) * half_Y;
        const Real twist = (ky(fathom::east)[0] - ky(-fathom::east)[0]) * half_X -
                           (kx(fathom::north)[0] - kx(-fathom::north)[0]) * half_Y;
        center = -(this->east + this->west + this->north + this->south) -
                 (A * c2[0] + A_x * kx[0] + A_y * ky[0]);
        turn = A * twist + A_x * ky[0] - A_y * kx[0];
        cross_x = (2.0 * A * ky[0] + A_y) * half_X;  // of differences over two intervals
        cross_y = (2.0 * A * kx[0] + A_x) * half_Y;
    }
    constexpr std::pair<Real, Real> operator()(In<Real, 1> u, In<Real, 1> v, int k) const {
        const Real U = u[k], ue = u(fathom::east)[k], uw = u(-fathom::east)[k],
                   un = u(fathom::north)[k], us = u(-fathom::north)[k];
        const Real V = v[k], ve = v(fathom::east)[k], vw = v(-fathom::east)[k],
                   vn = v(fathom::north)[k], vs = v(-fathom::north)[k];
        const Real fx = fma(center, U, fma(east, ue, west * uw)) +
                        fma(north, un, fma(south, us, turn * V)) + cross_x * (ve - vw) -
                        cross_y * (vn - vs);
        const Real fy = fma(center, V, fma(east, ve, west * vw)) +
                        fma(north, vn, fma(south, vs, -(turn * U))) - cross_x * (ue - uw) +
                        cross_y * (un - us);
        return {fx, fy};
    }
};

struct LaplacianFriction {
    double viscosity = 1e4;
    static constexpr std::string_view summary =
        "Laplacian lateral friction with a grid-scaled coefficient";
    static constexpr std::tuple parameters{
        Parameter{"viscosity", &LaplacianFriction::viscosity, "m2 s-1", 0, 1e7,
                  "lateral viscosity where viscosity_scale is 1"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        FrictionGeometry<Real> geometry,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        add(viscosity, FrictionStencil<Real>(geometry), u, v, tendency_x, tendency_y, each);
    }
    /// viscosity x friction of (u, v), added to the tendency.
    template <class Real>
    static constexpr void add(double viscosity, const FrictionStencil<Real>& friction,
                              In<Real, 1> u, In<Real, 1> v, InOut<Real> tendency_x,
                              InOut<Real> tendency_y, Levels each) {
        for (int k = each.first; k < each.end; ++k) {
            const auto [fx, fy] = friction(u, v, k);
            tendency_x[k] += viscosity * fx;
            tendency_y[k] += viscosity * fy;
        }
    }
};

/// First half of biharmonic friction: the Laplacian of the velocity, 0 at dry corners.
struct VelocityLaplacian {
    static constexpr std::string_view summary =
        "vector Laplacian of the velocity, first half of biharmonic friction";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        FrictionGeometry<Real> geometry,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Writes<Real, "velocity_laplacian_x", place::corner_vector_layer, "m-1 s-1"> laplacian_x,
        Writes<Real, "velocity_laplacian_y", place::corner_vector_layer, "m-1 s-1"> laplacian_y,
        Levels each) const {
        const FrictionStencil<Real> friction(geometry);
        const Real bottom = smaller(smaller(wet[0], wet(fathom::east)[0]),
                                    smaller(wet(fathom::north)[0], wet(northeast)[0]));
        for (int k = each.first; k < each.end; ++k) {
            const auto [fx, fy] = friction(u, v, k);
            const auto here = Real(typename Real::Number(k)) < bottom;
            laplacian_x[k] = select(here, fx, Real(0));
            laplacian_y[k] = select(here, fy, Real(0));
        }
    }
};

/// Second half: minus the Laplacian of the Laplacian; the scale enters both halves.
struct BiharmonicFriction {
    double viscosity = 1e12;
    static constexpr std::string_view summary =
        "biharmonic lateral friction; needs VelocityLaplacian before it";
    static constexpr std::tuple parameters{
        Parameter{"viscosity", &BiharmonicFriction::viscosity, "m4 s-1", 0, 1e17,
                  "lateral biharmonic viscosity where viscosity_scale is 1"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "velocity_laplacian_x", place::corner_vector_layer, "m-1 s-1", 1> lx,
        Reads<Real, "velocity_laplacian_y", place::corner_vector_layer, "m-1 s-1", 1> ly,
        FrictionGeometry<Real> geometry,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        LaplacianFriction::add(-viscosity, FrictionStencil<Real>(geometry), lx, ly, tendency_x,
                               tendency_y, each);
    }
};

}  // namespace fathom::ocean
