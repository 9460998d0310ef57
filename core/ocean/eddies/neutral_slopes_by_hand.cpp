/// The adjoint of the slopes of neutral surfaces: of an interface the sinking of density at both of
/// its cells, of a cell its differences outward.
#include "field/by_hand.hpp"
#include "ocean/eddies/neutral_slopes.hpp"

namespace fathom {

namespace ocean {

/// x' of each quantity x of the forward equations is to_x. Layers that are equally thick in all
/// columns.
template <class Taper> struct SlopesByHand {
    using Scheme = NeutralSlopes<Taper, false>;
    static constexpr double least_stratification = 1e-11;  // as of the scheme

    /// What is the same at all levels of a column.
    template <class Real> struct Column {
        Real along[4], spread[4], bottoms[4], bottom, steepest, per_radius, per_layer;
        Column(const Scheme& s, const auto& at) {
            using T = typename Real::Number;
            const auto f = at.template bundle<FaceGeometry<Real>, "length_north_face">();
            const auto coriolis = at.template value<"coriolis">();
            const auto wet = at.template value<"wet_levels">();
            const Real lengths[4] = {f.length_east[0], f.length_east(-east)[0], f.length_north[0],
                                     f.length_north(-north)[0]},
                       distances[4] = {f.distance_east[0], f.distance_east(-east)[0],
                                       f.distance_north[0], f.distance_north(-north)[0]};
            const Real per_area = 1.0 / at.template value<"area_center">()[0];
            for (int e = 0; e < 4; ++e) {
                along[e] = if_finite(lengths[e] / distances[e]);
                spread[e] = if_finite(along[e] * per_area);
                bottoms[e] = wet(compass(e))[0];
            }
            bottom = wet[0];
            steepest =
                smaller(smaller(distances[0], distances[1]), smaller(distances[2], distances[3])) *
                T(1 / std::max(4 * s.diffusivity * s.step, 1e-3));
            const Real turning = 0.25 * abs(coriolis[0] + coriolis(-east)[0] + coriolis(-north)[0] +
                                            coriolis(-northeast)[0]);
            per_radius = smaller(larger(0.5 * turning, Real(1 / 100e3)), Real(1 / 15e3));
            per_layer = 1.0 / larger(Real(at.template value<"mixed_layer_depth">()[0]), Real(1e-3));
        }
    };

    /// A cell, with the adjoints of what the interfaces above and below it make of it.
    template <class Real> struct Layer {
        int k;
        Real temperature, salinity, alpha, beta, phi, d[4], squares, squares_below;
        Real to_temperature, to_salinity, to_alpha, to_beta, to_phi, to_outward[4],
            to_outward_below[4], to_squares, to_squares_below;

        Layer(const auto& at, const Column<Real>& c, int k) : k(k) {
            const auto of_T = at.template value<"temperature">(),
                       of_S = at.template value<"salinity">();
            temperature = of_T[k], salinity = of_S[k];
            alpha = at.template value<"thermal_expansion">()[k];
            beta = at.template value<"haline_contraction">()[k];
            phi = at.template value<"eddy_structure">()[k];
            squares = squares_below = 0;
            to_temperature = to_salinity = to_alpha = to_beta = to_phi = Real(0);
            to_squares = to_squares_below = 0;
            for (int e = 0; e < 4; ++e) {
                const Real all = beta * (of_S(compass(e))[k] - salinity) -
                                 alpha * (of_T(compass(e))[k] - temperature);
                d[e] = select(has(c, e, 0), all, Real(0));
                const Real squared = d[e] * d[e] * c.spread[e];
                squares += squared;
                squares_below += select(has(c, e, 1), squared, Real(0));
                to_outward[e] = to_outward_below[e] = 0;
            }
        }
        /// Whether the neighbour has a cell beside this one, or beside the one below.
        auto has(const Column<Real>& c, int e, int below) const {
            return Real(typename Real::Number(k + below)) < c.bottoms[e];
        }
        Real outward(const Column<Real>& c, int e) const { return d[e] * c.along[e]; }
        Real outward_below(const Column<Real>& c, int e) const {
            return select(has(c, e, 1), outward(c, e), Real(0));
        }
        void give(const auto& at, const Column<Real>& c) {
            const auto of_T = at.template value<"temperature">(),
                       of_S = at.template value<"salinity">();
            const auto to_T = at.template adjoint<"temperature">(),
                       to_S = at.template adjoint<"salinity">();
            for (int e = 0; e < 4; ++e) {
                const Shift there = compass(e);
                const Real flux =
                               to_outward[e] + select(has(c, e, 1), to_outward_below[e], Real(0)),
                           square = to_squares + select(has(c, e, 1), to_squares_below, Real(0));
                const Real to_d = select(
                    has(c, e, 0), flux * c.along[e] + 2.0 * d[e] * square * c.spread[e], Real(0));
                to_beta += to_d * (of_S(there)[k] - salinity);
                to_alpha -= to_d * (of_T(there)[k] - temperature);
                const Real by_S = to_d * beta, by_T = to_d * alpha;
                to_S(there)[k] += by_S, to_salinity -= by_S;
                to_T(there)[k] -= by_T, to_temperature += by_T;
            }
            to_T[k] += to_temperature, to_S[k] += to_salinity;
            at.template adjoint<"thermal_expansion">()[k] += to_alpha;
            at.template adjoint<"haline_contraction">()[k] += to_beta;
            at.template adjoint<"eddy_structure">()[k] += to_phi;
        }
    };

    /// Of the adjoints of the output at an interface, what one of its two cells gets.
    template <class Real> struct Side {
        Real sinks, per, square, dz, share, to_share, to_per, to_square;
        Side(Real sinks, Real distance, Real squares, Real dz)
            : sinks(sinks), per(distance / sinks), square(per * per * squares), dz(dz) {}
    };

    /// The taper of a slope, and its derivatives by all that it depends on.
    template <class Real> struct Tapered {
        Real value, by_slope, by_mixed_layer;
        Tapered(const Scheme& s, const Column<Real>& c, Real slope, Real depth, Real distance) {
            using T = typename Real::Number;
            using Carrying = Dual<T, Real::width>;
            const auto steep = slope > Real(1e-9);
            const Real inverse = 1.0 / larger(slope, Real(1e-9)),
                       of_inverse = select(steep, -inverse * inverse, Real(0));
            const auto factor = Taper::of(Carrying(slope, Real(1)), Carrying(inverse, of_inverse),
                                          s.maximum_slope, s.taper_width);
            const Real radius = inverse * c.per_radius;
            const auto layer = c.per_layer < radius;
            const Real share = depth * smaller(c.per_layer, radius);
            const auto near = share < Real(1);
            const auto [surface, rises] = rising_sine(smaller(share, Real(1)));
            const Real by_share = select(near, factor.value * rises, Real(0));
            const Real limit = c.steepest * distance, tapered = factor.value * surface;
            const auto free = tapered < limit * inverse;
            value = select(free, tapered, limit * inverse);
            by_slope =
                select(free,
                       factor.tangent * surface +
                           select(layer, Real(0), by_share * depth * c.per_radius) * of_inverse,
                       limit * of_inverse);
            by_mixed_layer = select(free, select(layer, by_share * depth, Real(0)), Real(0));
        }
        /// sin^2(pi r / 2) by the series of the scheme, and its derivative.
        static std::pair<Real, Real> rising_sine(Real r) {
            constexpr double half_pi = 1.5707963267948966;
            const Real x = r * half_pi, xx = x * x,
                       s = x * polynomial(xx, 1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
                                          -1. / 39916800, 1. / 6227020800, -1. / 1307674368000),
                       slope = polynomial(xx, 1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
                                          -1. / 3628800, 1. / 479001600, -1. / 87178291200);
            return {s * s, 2 * half_pi * s * slope};
        }
    };

    template <class Real> static void adjoint(const Scheme& s, const auto& at) {
        using T = typename Real::Number;
        const Column<Real> c(s, at);
        const auto thickness = at.template value<"thickness">();
        Real to_per_layer = 0;
        Layer<Real> upper(at, c, 0);
        T depth = 0;
        for (int k = 1; k < at.levels(); ++k) {
            Layer<Real> lower(at, c, k);
            depth = depth + thickness[k - 1];
            to_per_layer += of_interface<Real>(s, at, c, upper, lower, depth);
            upper.give(at, c);
            upper = lower;
        }
        upper.give(at, c);
        const Real layer = at.template value<"mixed_layer_depth">()[0];
        at.template adjoint<"mixed_layer_depth">()[0] -=
            select(layer > Real(1e-3), to_per_layer * c.per_layer * c.per_layer, Real(0));
    }

private:
    /// Adjoints of the conductances that a cell has at an interface: of their common factor, and of
    /// what it multiplies.
    template <class Real>
    static Real to_conductances(const std::array<OwnColumn<Real>, 4>& of, int k, Real factor,
                                const auto& outward, Real (&to_outward)[4]) {
        Real sum = 0;
        for (int e = 0; e < 4; ++e) {
            const Real y = of[e][k];
            sum += y * outward(e);
            to_outward[e] = factor * y;
        }
        return sum;
    }

    /// Adds to both layers what an interface takes from them; returns the adjoint of the inverse of
    /// the mixed layer's depth.
    template <class Real>
    static Real of_interface(const Scheme& s, const auto& at, const Column<Real>& c,
                             Layer<Real>& upper, Layer<Real>& lower, Real depth) {
        using T = typename Real::Number;
        const int k = lower.k;
        const auto of_upper =
            at.template several<"conductance_east_of_upper", "conductance_west_of_upper",
                                "conductance_north_of_upper", "conductance_south_of_upper">();
        const auto of_lower =
            at.template several<"conductance_east_of_lower", "conductance_west_of_lower",
                                "conductance_north_of_lower", "conductance_south_of_lower">();
        const auto thickness = at.template value<"thickness">();
        const T dz_u = thickness[k - 1], dz_l = thickness[k], distance = T(0.5) * (dz_u + dz_l);
        const Real dT = lower.temperature - upper.temperature, dS = lower.salinity - upper.salinity,
                   least = T(least_stratification) * distance,
                   drop_u = upper.beta * dS - upper.alpha * dT,
                   drop_l = lower.beta * dS - lower.alpha * dT;
        Side<Real> u(larger(drop_u, least), distance, upper.squares_below, dz_u),
            l(larger(drop_l, least), distance, lower.squares, dz_l);
        const Real slope = sqrt(0.25 * (u.square + l.square));
        const Tapered<Real> tapered(s, c, slope, depth, distance);
        const auto water = Real(T(k)) < c.bottom;
        const Real taper = select(water, tapered.value, Real(0)),
                   quarter = taper * (T(0.25) / distance);
        u.share = upper.phi * quarter * dz_u, l.share = lower.phi * quarter * dz_l;
        const Real to_u = to_conductances(
                       of_upper, k, u.share * u.per,
                       [&](int e) { return upper.outward_below(c, e); }, upper.to_outward_below),
                   to_l = to_conductances(
                       of_lower, k, l.share * l.per, [&](int e) { return lower.outward(c, e); },
                       lower.to_outward),
                   q = at.template adjoint<"squared_slope">()[k];
        u.to_share = to_u * u.per + q * taper * u.square;
        l.to_share = to_l * l.per + q * taper * l.square;
        upper.to_phi += u.to_share * quarter * dz_u;
        lower.to_phi += l.to_share * quarter * dz_l;
        const Real to_quarter = u.to_share * upper.phi * dz_u + l.to_share * lower.phi * dz_l,
                   to_taper = select(water,
                                     fma(q, fma(u.share, u.square, l.share * l.square),
                                         to_quarter * (T(0.25) / distance)),
                                     Real(0));
        const Real to_slope = to_taper * tapered.by_slope,
                   to_squares = select(slope > Real(0), to_slope * 0.125 / slope, Real(0));
        u.to_per = to_u * u.share, u.to_square = fma(q * taper, u.share, to_squares);
        l.to_per = to_l * l.share, l.to_square = fma(q * taper, l.share, to_squares);
        upper.to_squares_below = u.per * u.per * u.to_square;
        lower.to_squares = l.per * l.per * l.to_square;
        const auto to_drop = [](const Side<Real>& of, Real squares, Real drop, Real least) {
            const Real to_per = fma(2.0 * of.per * squares, of.to_square, of.to_per);
            return select(drop > least, -to_per * of.per / of.sinks, Real(0));
        };
        const Real x = to_drop(u, upper.squares_below, drop_u, least),
                   y = to_drop(l, lower.squares, drop_l, least);
        upper.to_beta += x * dS, upper.to_alpha -= x * dT;
        lower.to_beta += y * dS, lower.to_alpha -= y * dT;
        const Real to_dS = x * upper.beta + y * lower.beta,
                   to_dT = -(x * upper.alpha + y * lower.alpha);
        lower.to_salinity += to_dS, upper.to_salinity -= to_dS;
        lower.to_temperature += to_dT, upper.to_temperature -= to_dT;
        return to_taper * tapered.by_mixed_layer;
    }
};

}  // namespace ocean

template <>
struct ByHand<ocean::NeutralSlopes<ocean::TanhTaper, false>>
    : ocean::SlopesByHand<ocean::TanhTaper> {};
template <>
struct ByHand<ocean::NeutralSlopes<ocean::QuadraticTaper, false>>
    : ocean::SlopesByHand<ocean::QuadraticTaper> {};
template <>
struct ByHand<ocean::NeutralSlopes<ocean::Clipping, false>> : ocean::SlopesByHand<ocean::Clipping> {
};
template struct AdjointByHand<ocean::NeutralSlopes<ocean::TanhTaper, false>>;
template struct AdjointByHand<ocean::NeutralSlopes<ocean::QuadraticTaper, false>>;
template struct AdjointByHand<ocean::NeutralSlopes<ocean::Clipping, false>>;

}  // namespace fathom
