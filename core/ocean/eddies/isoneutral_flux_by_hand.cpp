/// The adjoint of isoneutral diffusion with eddy advection: of differences d of the tracer across
/// the four faces, and of what they are multiplied by.
#include "field/by_hand.hpp"
#include "ocean/eddies/gent_mcwilliams.hpp"

namespace fathom {

/// Of layers that are equally thick in all columns. `down`: what goes through the interface above
/// a level, both its triads; it enters the level and leaves the one above.
template <> struct ByHand<ocean::IsoneutralFlux<false>> {
    using Scheme = ocean::IsoneutralFlux<false>;

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto tracer = at.template value<"tracer">(),
                   structure = at.template value<"eddy_structure">();
        const auto wet = at.template value<"wet_levels">();
        const auto thickness = at.template value<"thickness">();
        const auto faces = at.template bundle<ocean::FaceGeometry<Real>, "length_north_face">();
        const auto of =
            at.template bundle<ocean::Conductances<Real, 0>, "conductance_east_of_upper">();
        const In<Real> upper[4] = {of.east_of_upper, of.west_of_upper, of.north_of_upper,
                                   of.south_of_upper},
                       lower[4] = {of.east_of_lower, of.west_of_lower, of.north_of_lower,
                                   of.south_of_lower};
        const auto to_upper =
            at.template several<"conductance_east_of_upper", "conductance_west_of_upper",
                                "conductance_north_of_upper", "conductance_south_of_upper">();
        const auto to_lower =
            at.template several<"conductance_east_of_lower", "conductance_west_of_lower",
                                "conductance_north_of_lower", "conductance_south_of_lower">();
        const auto to_tracer = at.template adjoint<"tracer">(),
                   to_structure = at.template adjoint<"eddy_structure">();
        const auto tendency = at.template adjoint<"tracer_tendency">();
        const Real along[4] = {
            0.5 * faces.length_east[0] / faces.distance_east[0],
            0.5 * faces.length_east(-east)[0] / faces.distance_east(-east)[0],
            0.5 * faces.length_north[0] / faces.distance_north[0],
            0.5 * faces.length_north(-north)[0] / faces.distance_north(-north)[0]};
        Real by_face[4], bottoms[4];
        for (int e = 0; e < 4; ++e)
            by_face[e] = if_finite(along[e]), bottoms[e] = wet(ocean::compass(e))[0];
        const T both = T(s.diffusivity + s.isoneutral_diffusivity);
        Real down = both * Real(tendency[0]);
        for (int k = 0; k < levels; ++k) {
            const Real y = tendency[k], C = tracer[k], phi = structure[k],
                       below = k + 1 < levels ? both * (Real(tendency[k + 1]) - y) : Real(0),
                       level = y * T(T(s.isoneutral_diffusivity) * thickness[k]);
            Real to_C = 0, to_phi = 0;
            for (int e = 0; e < 4; ++e) {
                const Shift there = ocean::compass(e);
                const auto water = Real(T(k)) < bottoms[e];
                const Real d = select(water, tracer(there)[k] - C, Real(0)),
                           by = level * by_face[e];
                to_lower[e][k] += down * d;
                to_upper[e][k + 1] += below * d;
                to_phi += by * d;
                to_structure(there)[k] += by * d;
                const Real to_d = select(water,
                                         fma(down, lower[e][k], below * upper[e][k + 1]) +
                                             by * (phi + structure(there)[k]),
                                         Real(0));
                to_tracer(there)[k] += to_d;
                to_C -= to_d;
            }
            to_tracer[k] += to_C;
            to_structure[k] += to_phi;
            down = below;
        }
    }
};
template struct AdjointByHand<ocean::IsoneutralFlux<false>>;

}  // namespace fathom
