/// Slopes of neutral surfaces by triads (Griffies et al. 1998, J. Phys. Oceanogr. 28, 805-830): a
/// cell, one of its four faces e, one of its two interfaces v. With alpha and beta of the cell and
/// outward differences d_e across the face, D down across the interface,
///   S_e = (-alpha d_e T + beta d_e S) / distance_e  :  (-alpha D T + beta D S) / distance_v
/// the slope at which the surface rises outward; 0 where the neighbour has no cell next to v, so
/// that the eddies' stream function is 0 on walls and steps of the bottom. Both tracers use the
/// same S, so that the flux along it carries no density.
///
/// A taper f(|S|) and a taper towards the surface make S' = f f_0 S: where the slope is steep,
/// mixing becomes horizontal and the skew flux ends.
///   Danabasoglu & McWilliams (1995, J. Climate 8,
///       2967-2987):  f = 1 / 2 [1 - tanh((|S| - S_m) / S_d)]
///   Gerdes, Koberle & Willebrand (1991, Clim. Dyn. 5, 211-226): f = min(1, (S_m / |S|)^2)
///   clipping (Cox 1987):                                        f = min(1, S_m / |S|)
///   surface (Large et al. 1997, J. Phys. Oceanogr. 27,
///       2418-2447): f_0 = 1 / 2 [1 + sin(pi (r - 1 / 2))],  r = depth / max(h, R |S|) < 1,
///     h the depth of the mixed layer, R = 2 m/s / |f| in [15, 100] km
/// |S|^2 is that of the whole vector at an interface, the mean over its triads with the weights w
/// of K33. Explicit steps need |S'| <= distance_e distance_v / (4 kappa step).
///
/// Written for unit diffusivity, with the structure phi of the cell, w_e = length_e distance_e /
/// area:
///   conductance C = phi S' length_e dz / (4 distance_v)  [m],
///       K33 = sum of phi w dz / (4 distance_v) S'^2  [1]
#pragma once
#include <algorithm>
#include <array>
#include "base/usual.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

/// The factor of a slope after tapering, from it and its inverse.
struct TanhTaper {
    static constexpr std::string_view summary =
        "neutral slopes by triads, tapered by a hyperbolic tangent (Danabasoglu & McWilliams 1995)";
    template <class Real> static constexpr Real of(Real slope, Real, double most, double width) {
        return 1.0 / (1.0 + exp(smaller((slope - most) * (2 / width), Real(40))));
    }
};
struct QuadraticTaper {
    static constexpr std::string_view summary =
        "neutral slopes by triads, tapered by the square of the steepness (Gerdes et al. 1991)";
    template <class Real> static constexpr Real of(Real, Real inverse, double most, double) {
        const Real share = smaller(most * inverse, Real(1));
        return share * share;
    }
};
struct Clipping {
    static constexpr std::string_view summary = "neutral slopes by triads, clipped (Cox 1987)";
    template <class Real> static constexpr Real of(Real, Real inverse, double most, double) {
        return smaller(most * inverse, Real(1));
    }
};

constexpr Shift compass(int n) {
    constexpr Shift all[]{east, -east, north, -north};
    return all[n];
}

template <class Taper, bool own> struct NeutralSlopes {
    double maximum_slope = usual::maximum_slope, taper_width = usual::taper_width,
           diffusivity = usual::eddy_diffusivity, step = 3600;
    static constexpr std::string_view summary = Taper::summary;
    static constexpr std::tuple parameters{
        Parameter{"maximum_slope", &NeutralSlopes::maximum_slope, "1", 1e-6, 1,
                  "slope at which tapering acts"},
        Parameter{"taper_width", &NeutralSlopes::taper_width, "1", 1e-6, 1,
                  "range of slopes of a smooth taper"},
        Parameter{"diffusivity", &NeutralSlopes::diffusivity, "m2 s-1", 1e-6, 1e7,
                  "largest diffusivity along slopes that the step must bear"},
        Parameter{"step", &NeutralSlopes::step, "s", 0, 1e6, "time step"}};
    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    [[gnu::flatten]]  // a call of exp would empty all registers
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC", 1> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3", 1> salinity,
        Reads<Real, "thermal_expansion", place::center_layer, "K-1"> alpha,
        Reads<Real, "haline_contraction", place::center_layer, "1e3"> beta,
        // of the cell itself: with a halo, slopes of neighbours are computed there, not sent
        Reads<Real, "eddy_structure", place::center_layer, "1", 1> structure,
        Reads<Real, "mixed_layer_depth", place::center_column, "m", 1> mixed_layer,
        Reads<Real, "coriolis", place::corner_column, "s-1", 1> coriolis,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "area_center", place::center_column, "m2"> area, FaceGeometry<Real> faces,
        CellThickness<Real, own, 1> thickness,
        // of the cell above the interface, and of the cell below it
        Writes<Real, "conductance_east_of_upper", place::center_interface, "m"> ue,
        Writes<Real, "conductance_west_of_upper", place::center_interface, "m"> uw,
        Writes<Real, "conductance_north_of_upper", place::center_interface, "m"> un,
        Writes<Real, "conductance_south_of_upper", place::center_interface, "m"> us,
        Writes<Real, "conductance_east_of_lower", place::center_interface, "m"> le,
        Writes<Real, "conductance_west_of_lower", place::center_interface, "m"> lw,
        Writes<Real, "conductance_north_of_lower", place::center_interface, "m"> ln,
        Writes<Real, "conductance_south_of_lower", place::center_interface, "m"> ls,
        Writes<Real, "squared_slope", place::center_interface, "1"> square, Levels each) const {
        using T = typename Real::Number;
        constexpr double least_stratification =
            1e-11;  // relative change of density per metre: N^2 = 1e-10 s-2
        const Real lengths[4] = {faces.length_east[0], faces.length_east(-east)[0],
                                 faces.length_north[0], faces.length_north(-north)[0]};
        const Real distances[4] = {faces.distance_east[0], faces.distance_east(-east)[0],
                                   faces.distance_north[0], faces.distance_north(-north)[0]};
        const Real per_area = 1.0 / area[0], bottom = wet[0];
        Real along[4], spread[4], bottoms[4];  // length / distance; w / distance^2
        for (int e = 0; e < 4; ++e) {
            along[e] = lengths[e] / distances[e];
            spread[e] = along[e] * per_area;
            bottoms[e] = wet(compass(e))[0];
        }
        const Real nearest = smaller(smaller(distances[0], distances[1]),
                                     smaller(distances[2], distances[3])),
                   steepest = nearest * T(1 / std::max(4 * diffusivity * step, 1e-3));
        const Real f = 0.25 * abs(coriolis[0] + coriolis(-east)[0] + coriolis(-north)[0] +
                                  coriolis(-northeast)[0]);
        const Real per_radius = smaller(larger(0.5 * f, Real(1 / 100e3)), Real(1 / 15e3)),
                   per_layer = 1.0 / larger(mixed_layer[0], Real(1e-3));

        // outward: C of unit slope per unit of 1 / (D rho); squares: of gradients, with their
        // weights; those of the triads above and below the middle
        struct Layer {
            Real T, S, alpha, beta, phi, outward[4], squares, outward_below[4], squares_below;
        };
        auto layer = [&](int k) {
            Layer c{temperature[k], salinity[k], alpha[k], beta[k], structure[k], {}, 0, {}, 0};
            for (int e = 0; e < 4; ++e) {
                const Real all = c.beta * (salinity(compass(e))[k] - c.S) -
                                 c.alpha * (temperature(compass(e))[k] - c.T);
                const Real d = select(Real(T(k)) < bottoms[e], all, Real(0));
                Real open = 1;  // share of the cell's side: the neighbour may be thinner
                if constexpr (own)
                    open = smaller(beside(thickness, compass(e))[k] / thickness[k], Real(1));
                const auto deeper = Real(T(k + 1)) < bottoms[e];
                const Real flux = d * along[e] * open, squared = d * d * (spread[e] * open);
                c.outward[e] = flux;
                c.squares += squared;
                c.outward_below[e] = select(deeper, flux, Real(0));
                c.squares_below += select(deeper, squared, Real(0));
            }
            return c;
        };
        const std::array<Out<Real>, 4> uppers{ue, uw, un, us}, lowers{le, lw, ln, ls};
        for (const int k : {0, each.count}) {
            if (!each.has_interface(k)) continue;
            for (int e = 0; e < 4; ++e) uppers[e][k] = Real(0), lowers[e][k] = Real(0);
            square[k] = Real(0);
        }
        const int first = std::max(each.first, 1);
        Layer upper = layer(first - 1);
        using Length = std::conditional_t<own, Real, T>;
        Length depth = 0;  // of the interface above the upper layer
        for (int k = 0; k < first - 1; ++k) depth = depth + thickness[k];
        for (int k = first; k < each.end; ++k) {
            const Layer lower = layer(k);
            const Length dz_u = thickness[k - 1], dz_l = thickness[k],
                         distance = T(0.5) * (dz_u + dz_l);
            depth = depth + dz_u;
            const Real dT = lower.T - upper.T, dS = lower.S - upper.S,
                       least = T(least_stratification) * distance;
            const Real sinks_u = larger(upper.beta * dS - upper.alpha * dT, least),
                       sinks_l = larger(lower.beta * dS - lower.alpha * dT, least);
            const Real both = distance / (sinks_u * sinks_l), per_u = both * sinks_l,
                       per_l = both * sinks_u;
            const Real square_u = per_u * per_u * upper.squares_below,
                       square_l = per_l * per_l * lower.squares;
            const Real slope = sqrt(0.25 * (square_u + square_l)),
                       inverse = 1.0 / larger(slope, Real(1e-9));
            const Real surface =
                rising_sine(smaller(depth * smaller(per_layer, inverse * per_radius), Real(1)));
            const Real tapered =
                smaller(Taper::of(slope, inverse, maximum_slope, taper_width) * surface,
                        steepest * distance * inverse);
            const Real taper = select(Real(T(k)) < bottom, tapered, Real(0)),
                       quarter = taper * (T(0.25) / distance);
            const Real share_u = upper.phi * quarter * dz_u, share_l = lower.phi * quarter * dz_l,
                       to_u = share_u * per_u, to_l = share_l * per_l;
            for (int e = 0; e < 4; ++e) {
                uppers[e][k] = to_u * upper.outward_below[e];
                lowers[e][k] = to_l * lower.outward[e];
            }
            square[k] = taper * fma(share_u, square_u, share_l * square_l);
            upper = lower;
        }
    }

private:
    /// 1 / 2 [1 + sin(pi (r - 1 / 2))] = sin^2(pi r / 2), by the series of the sine, 1e-11.
    template <class Real> static constexpr Real rising_sine(Real r) {
        const Real x = r * 1.5707963267948966,
                   s = x * polynomial(x * x, 1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
                                      -1. / 39916800, 1. / 6227020800, -1. / 1307674368000);
        return s * s;
    }
};

}  // namespace fathom::ocean
