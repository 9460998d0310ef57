/// The adjoint of friction: it is linear in the velocity.
#include "field/by_hand.hpp"
#include "ocean/friction/friction.hpp"

namespace fathom {

template <> struct ByHand<ocean::LaplacianFriction> {
    template <class Real>
    static void adjoint(const ocean::LaplacianFriction& scheme, const auto& at) {
        ocean::FrictionStencil<Real> by(
            at.template bundle<ocean::FrictionGeometry<Real>, "viscosity_scale">());
        for (Real* c : {&by.east, &by.west, &by.north, &by.south, &by.center, &by.turn, &by.cross_x,
                        &by.cross_y})
            *c = if_finite(*c);
        const auto tendency_x = at.template adjoint<"velocity_tendency_x">(),
                   tendency_y = at.template adjoint<"velocity_tendency_y">();
        const auto u = at.template adjoint<"velocity_x">();
        const auto v = at.template adjoint<"velocity_y">();
        for (int k = 0; k < at.levels(); ++k) {
            const Real x = scheme.viscosity * Real(tendency_x[k]),
                       y = scheme.viscosity * Real(tendency_y[k]), across_x = by.cross_x * x,
                       across_y = by.cross_x * y, along_x = by.cross_y * x,
                       along_y = by.cross_y * y;
            u[k] += by.center * x - by.turn * y;
            v[k] += by.center * y + by.turn * x;
            u(east)[k] += by.east * x - across_y;
            v(east)[k] += by.east * y + across_x;
            u(-east)[k] += by.west * x + across_y;
            v(-east)[k] += by.west * y - across_x;
            u(north)[k] += by.north * x + along_y;
            v(north)[k] += by.north * y - along_x;
            u(-north)[k] += by.south * x - along_y;
            v(-north)[k] += by.south * y + along_x;
        }
    }
};
template struct AdjointByHand<ocean::LaplacianFriction>;

}  // namespace fathom
