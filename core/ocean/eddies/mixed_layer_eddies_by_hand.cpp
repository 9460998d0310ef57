/// The adjoint of the transports by submesoscale eddies: of each face the strength of its stream
/// function and the depth of its mixed layer.
#include "field/by_hand.hpp"
#include "ocean/eddies/mixed_layer_eddies.hpp"

namespace fathom {

/// Psi = strength mu(x),  mu = larger((1 - x^2) (1 + 5/21 x^2), 0),  x = 1 - 2 depth / H;
/// a strength at its bound follows the depth of the layer alone.
template <> struct ByHand<ocean::MixedLayerEddies> {
    using Scheme = ocean::MixedLayerEddies;
    template <class Real> struct Face {
        Shift low, high;
        Real strength, per_depth, to_strength, to_per_depth;
        Real by_buoyancy, by_depth;  ///< of the strength
        typename Real::Mask low_is_less, deep;

        void set(const Scheme& s, const auto& at, Real length, Real distance, Real f_a, Real f_b) {
            using T = typename Real::Number;
            const auto buoyancy = at.template value<"mixed_layer_buoyancy">(),
                       depth = at.template value<"mixed_layer_depth">();
            const auto wet = at.template value<"wet_levels">();
            const Real H = smaller(depth(low)[0], depth(high)[0]), f = 0.5 * (f_a + f_b),
                       slowness = 1.0 / sqrt(fma(f, f, Real(1 / (s.time_scale * s.time_scale))));
            const Real by = select(smaller(wet(low)[0], wet(high)[0]) > Real(0),
                                   T(s.efficiency / s.front_width) * length *
                                       (smaller(distance, Real(s.widest)) / distance) * slowness,
                                   Real(0)),
                       lighter = buoyancy(low)[0] - buoyancy(high)[0];
            by_buoyancy = by * (H * H), by_depth = 2.0 * by * lighter * H;
            strength = by_buoyancy * lighter, per_depth = 1.0 / larger(H, Real(1e-3));
            const Real most = T(s.largest()) * length, bound = most * H;
            for (const Real sign : {Real(1), Real(-1)}) {
                const auto over = sign * strength > bound;
                strength = select(over, sign * bound, strength);
                by_depth = select(over, sign * most, by_depth);
                by_buoyancy = select(over, Real(0), by_buoyancy);
            }
            to_strength = to_per_depth = 0;
            low_is_less = depth(low)[0]<depth(high)[0], deep = H> Real(1e-3);
        }
        void add(Real to_psi, typename Real::Number z) {
            const Real x = 1.0 - 2.0 * z * per_depth, xx = x * x,
                       mu = (1.0 - xx) * fma(xx, Real(5. / 21), Real(1));
            const auto some = mu > Real(0);
            to_strength += to_psi * select(some, mu, Real(0));
            const Real slope = x * fma(xx, Real(-20. / 21), Real(-32. / 21));
            to_per_depth -= 2.0 * z * select(some, to_psi * strength * slope, Real(0));
        }
        void give(const auto& to_buoyancy, const auto& to_depth) const {
            to_buoyancy(low)[0] += to_strength * by_buoyancy;
            to_buoyancy(high)[0] -= to_strength * by_buoyancy;
            const Real to_H = to_strength * by_depth -
                              select(deep, to_per_depth * per_depth * per_depth, Real(0));
            to_depth(low)[0] += select(low_is_less, to_H, Real(0));
            to_depth(high)[0] += select(low_is_less, Real(0), to_H);
        }
    };

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const auto g = at.template bundle<ocean::FaceGeometry<Real>, "length_north_face">();
        const auto f = at.template value<"coriolis">();
        const Real f_0 = f[0], f_w = f(-east)[0], f_s = f(-north)[0], f_sw = f(-northeast)[0];
        Face<Real> e{here, east}, w{-east, here}, n{here, north}, q{-north, here};
        e.set(s, at, g.length_east[0], g.distance_east[0], f_0, f_s);
        w.set(s, at, g.length_east(-east)[0], g.distance_east(-east)[0], f_w, f_sw);
        n.set(s, at, g.length_north[0], g.distance_north[0], f_0, f_w);
        q.set(s, at, g.length_north(-north)[0], g.distance_north(-north)[0], f_s, f_sw);
        const auto thickness = at.template value<"thickness">();
        const auto to_east = at.template adjoint<"transport_east">(),
                   from_west = at.template adjoint<"transport_west">(),
                   to_north = at.template adjoint<"transport_north">(),
                   from_south = at.template adjoint<"transport_south">(),
                   up = at.template adjoint<"transport_up">();
        T z = 0;
        for (int k = 0; k < at.levels(); ++k) {
            z = z + thickness[k];
            const auto less_below = [&](const OwnColumn<Real>& of) {
                return k + 1 < at.levels() ? Real(of[k]) - Real(of[k + 1]) : Real(of[k]);
            };
            const Real through = up[k + 1];
            e.add(less_below(to_east) + through, z);
            w.add(less_below(from_west) - through, z);
            n.add(less_below(to_north) + through, z);
            q.add(less_below(from_south) - through, z);
        }
        const auto buoyancy = at.template adjoint<"mixed_layer_buoyancy">(),
                   depth = at.template adjoint<"mixed_layer_depth">();
        for (const auto* face : {&e, &w, &n, &q}) face->give(buoyancy, depth);
    }
};
template struct AdjointByHand<ocean::MixedLayerEddies>;

}  // namespace fathom
