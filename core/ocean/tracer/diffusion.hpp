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

/// The geometry of one column and its four neighbours, read once for all levels: convergence for
/// unit diffusivity and thickness [m2 T].
template <class Real> struct DiffusionStencil {
    Real e, w, n, s, bottom_e, bottom_w, bottom_n, bottom_s;
    DiffusionStencil(In<Real, 1> wet, In<Real, 1> scale, In<Real, 1> length_north,
                     In<Real, 1> distance_north, In<Real, 1> length_east, In<Real, 1> distance_east)
        : e(0.5 * (scale[0] + scale(east)[0]) * length_east[0] / distance_east[0]),
          w(0.5 * (scale[0] + scale(-east)[0]) * length_east(-east)[0] / distance_east(-east)[0]),
          n(0.5 * (scale[0] + scale(north)[0]) * length_north[0] / distance_north[0]),
          s(0.5 * (scale[0] + scale(-north)[0]) * length_north(-north)[0] /
            distance_north(-north)[0]),
          bottom_e(wet(east)[0]),
          bottom_w(wet(-east)[0]),
          bottom_n(wet(north)[0]),
          bottom_s(wet(-north)[0]) {}
    Real operator()(In<Real, 1> tracer, int k) const {
        return sum(tracer, k, [](Real conductance, Shift) { return conductance; });
    }
    /// With the thickness of the faces.
    Real operator()(In<Real, 1> tracer, int k, In<Real, 1> thickness) const {
        const Real here = thickness[k];
        return sum(tracer, k, [&](Real conductance, Shift to) {
            return conductance * smaller(here, thickness(to)[k]);
        });
    }

private:
    Real sum(In<Real, 1> tracer, int k, auto through) const {
        const Real C = tracer[k], level = Real(typename Real::Number(k));
        auto flux = [&](Real conductance, Shift to, Real bottom) {
            return select(level < bottom, through(conductance, to) * (tracer(to)[k] - C), Real(0));
        };
        return (flux(e, east, bottom_e) + flux(w, -east, bottom_w)) +
               (flux(n, north, bottom_n) + flux(s, -north, bottom_s));
    }
};

inline constexpr std::array diffusion_geometry =
    joined(reads("wet_levels", place::center_column, "1", 1),
           reads("diffusivity_scale", place::center_column, "1", 1), face_geometry);

template <bool own> struct LaplacianDiffusion {
    double diffusivity = 1e3;
    static constexpr std::string_view summary =
        "Laplacian lateral diffusion of a tracer with a grid-scaled coefficient";
    static constexpr std::tuple parameters{
        Parameter<LaplacianDiffusion>{"diffusivity", &LaplacianDiffusion::diffusivity, "m2 s-1", 0,
                                      1e7, "lateral diffusivity where diffusivity_scale is 1"}};
    static constexpr auto fields =
        joined(reads("tracer", place::center_layer, "1", 1), diffusion_geometry,
               cell_thickness<own>(1), updates("tracer_tendency", place::center_layer, "1"));

    template <class Real>
    void operator()(In<Real, 1> tracer, In<Real, 1> wet, In<Real, 1> scale,
                    In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, Thickness<Real, own, 1> thickness,
                    InOut<Real> tendency) const {
        const DiffusionStencil<Real> convergence(wet, scale, length_north, distance_north,
                                                 length_east, distance_east);
        for (int k = 0; k < tendency.levels(); ++k) {
            if constexpr (own)
                tendency[k] += diffusivity * convergence(tracer, k, thickness);
            else
                tendency[k] += (diffusivity * thickness[k]) * convergence(tracer, k);
        }
    }
};

/// First half of biharmonic diffusion: the convergence an area.
struct TracerLaplacian {
    static constexpr std::string_view summary =
        "Laplacian of a tracer along levels, first half of biharmonic diffusion";
    static constexpr std::tuple parameters{};
    static constexpr auto fields =
        joined(reads("tracer", place::center_layer, "1", 1), diffusion_geometry,
               reads("area_center", place::center_column, "m2"),
               writes("tracer_laplacian", place::center_layer, "1"));

    template <class Real>
    void operator()(In<Real, 1> tracer, In<Real, 1> wet, In<Real, 1> scale,
                    In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, In<Real> area, Out<Real> laplacian) const {
        const DiffusionStencil<Real> convergence(wet, scale, length_north, distance_north,
                                                 length_east, distance_east);
        const Real per_area = 1.0 / area[0];
        for (int k = 0; k < laplacian.levels(); ++k)
            laplacian[k] = per_area * convergence(tracer, k);
    }
};

/// Second half: minus the diffusive convergence of the Laplacian; the scale enters both halves.
template <bool own> struct BiharmonicDiffusion {
    double diffusivity = 1e11;
    static constexpr std::string_view summary =
        "biharmonic lateral diffusion of a tracer; needs TracerLaplacian before it";
    static constexpr std::tuple parameters{Parameter<BiharmonicDiffusion>{
        "diffusivity", &BiharmonicDiffusion::diffusivity, "m4 s-1", 0, 1e17,
        "lateral biharmonic diffusivity where diffusivity_scale is 1"}};
    static constexpr auto fields =
        joined(reads("tracer_laplacian", place::center_layer, "1", 1), diffusion_geometry,
               cell_thickness<own>(1), updates("tracer_tendency", place::center_layer, "1"));

    template <class Real>
    void operator()(In<Real, 1> laplacian, In<Real, 1> wet, In<Real, 1> scale,
                    In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, Thickness<Real, own, 1> thickness,
                    InOut<Real> tendency) const {
        LaplacianDiffusion<own>{-diffusivity}(laplacian, wet, scale, length_north, distance_north,
                                              length_east, distance_east, thickness, tendency);
    }
};

}  // namespace fathom::ocean
