/// Lateral diffusion of a tracer along levels, through each face between two wet cells:
///   sum over faces of  kappa (width / distance) dz (T_neighbour - T),
///       dz the lesser of both sides
/// The coefficient is `diffusivity` times the field diffusivity_scale, the mean of both sides at a
/// face. The content is only moved.
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

template <class Real> struct DiffusionGeometry {
    Reads<Real, "wet_levels", place::center_column, "1", 1> wet;
    Reads<Real, "diffusivity_scale", place::center_column, "1", 1> scale;
    FaceGeometry<Real> faces;
};

/// The geometry of one column and its four neighbours, read once for all levels: convergence for
/// unit diffusivity and thickness [m2 T].
template <class Real> struct DiffusionStencil {
    Real e, w, n, s, bottom_e, bottom_w, bottom_n, bottom_s;
    constexpr explicit DiffusionStencil(const DiffusionGeometry<Real>& g)
        : DiffusionStencil(g.wet, g.scale, g.faces) {}
    constexpr DiffusionStencil(In<Real, 1> wet, In<Real, 1> scale, const FaceGeometry<Real>& faces)
        : e(0.5 * (scale[0] + scale(east)[0]) * faces.length_east[0] / faces.distance_east[0]),
          w(0.5 * (scale[0] + scale(-east)[0]) * faces.length_east(-east)[0] /
            faces.distance_east(-east)[0]),
          n(0.5 * (scale[0] + scale(north)[0]) * faces.length_north[0] / faces.distance_north[0]),
          s(0.5 * (scale[0] + scale(-north)[0]) * faces.length_north(-north)[0] /
            faces.distance_north(-north)[0]),
          bottom_e(wet(east)[0]),
          bottom_w(wet(-east)[0]),
          bottom_n(wet(north)[0]),
          bottom_s(wet(-north)[0]) {}
    constexpr Real operator()(In<Real, 1> tracer, int k) const {
        return sum(tracer, k, [](Real conductance, Shift) { return conductance; });
    }
    /// With the thickness of the faces.
    constexpr Real operator()(In<Real, 1> tracer, int k, In<Real, 1> thickness) const {
        const Real here = thickness[k];
        return sum(tracer, k, [&](Real conductance, Shift to) {
            return conductance * smaller(here, thickness(to)[k]);
        });
    }

private:
    constexpr Real sum(In<Real, 1> tracer, int k, auto through) const {
        const Real C = tracer[k], level = Real(typename Real::Number(k));
        auto flux = [&](Real conductance, Shift to, Real bottom) {
            return select(level < bottom, through(conductance, to) * (tracer(to)[k] - C), Real(0));
        };
        return (flux(e, east, bottom_e) + flux(w, -east, bottom_w)) +
               (flux(n, north, bottom_n) + flux(s, -north, bottom_s));
    }
};

template <bool own> struct LaplacianDiffusion {
    double diffusivity = 1e3;
    static constexpr std::string_view summary =
        "Laplacian lateral diffusion of a tracer with a grid-scaled coefficient";
    static constexpr std::tuple parameters{
        Parameter{"diffusivity", &LaplacianDiffusion::diffusivity, "m2 s-1", 0, 1e7,
                  "lateral diffusivity where diffusivity_scale is 1"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        DiffusionGeometry<Real> geometry, CellThickness<Real, own, 1> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        add(diffusivity, DiffusionStencil<Real>(geometry), tracer, thickness, tendency, each);
    }
    /// diffusivity x convergence, added to the tendency.
    template <class Real>
    static constexpr void add(double diffusivity, const DiffusionStencil<Real>& convergence,
                              In<Real, 1> tracer, CellThickness<Real, own, 1> thickness,
                              InOut<Real> tendency, Levels each) {
        for (int k = each.first; k < each.end; ++k) {
            if constexpr (own)
                tendency[k] += diffusivity * convergence(tracer, k, thickness);
            else
                tendency[k] += (diffusivity * thickness[k]) * convergence(tracer, k);
        }
    }
};

/// First half of biharmonic diffusion: the convergence per area.
struct TracerLaplacian {
    static constexpr std::string_view summary =
        "Laplacian of a tracer along levels, first half of biharmonic diffusion";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        DiffusionGeometry<Real> geometry,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Writes<Real, "tracer_laplacian", place::center_layer, "any m-2"> laplacian,
        Levels each) const {
        const DiffusionStencil<Real> convergence(geometry);
        const Real per_area = 1.0 / area[0];
        for (int k = each.first; k < each.end; ++k)
            laplacian[k] = per_area * convergence(tracer, k);
    }
};

/// Second half: minus the diffusive convergence of the Laplacian; the scale enters both halves.
template <bool own> struct BiharmonicDiffusion {
    double diffusivity = 1e11;
    static constexpr std::string_view summary =
        "biharmonic lateral diffusion of a tracer; needs TracerLaplacian before it";
    static constexpr std::tuple parameters{
        Parameter{"diffusivity", &BiharmonicDiffusion::diffusivity, "m4 s-1", 0, 1e17,
                  "lateral biharmonic diffusivity where diffusivity_scale is 1"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_laplacian", place::center_layer, "any m-2", 1> laplacian,
        DiffusionGeometry<Real> geometry, CellThickness<Real, own, 1> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        LaplacianDiffusion<own>::add(-diffusivity, DiffusionStencil<Real>(geometry), laplacian,
                                     thickness, tendency, each);
    }
};

}  // namespace fathom::ocean
