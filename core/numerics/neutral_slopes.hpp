/// Slopes of neutral surfaces by triads (Griffies et al. 1998, J. Phys. Oceanogr. 28, 805-830): a cell, one of its four faces e, one of its two
/// interfaces v. With alpha and beta of the cell and outward differences d_e across the face, D down across the interface,
///   S_e = (-alpha d_e T + beta d_e S) / distance_e  :  (-alpha D T + beta D S) / distance_v
/// the slope at which the surface rises outward; 0 where the neighbour is land. Both tracers see the same S, so that the flux along it carries no density.
///
/// A taper f(|S|) and a taper towards the surface make S' = f f_0 S: where the slope is steep, mixing turns to the horizontal and the skew flux ends.
///   Danabasoglu & McWilliams (1995, J. Climate 8, 2967-2987):  f = 1 / 2 [1 - tanh((|S| - S_m) / S_d)]
///   Gerdes, Koberle & Willebrand (1991, Clim. Dyn. 5, 211-226): f = min(1, (S_m / |S|)^2)
///   clipping (Cox 1987):                                        f = min(1, S_m / |S|)
///   surface (Large et al. 1997, J. Phys. Oceanogr. 27, 2418-2447): f_0 = 1 / 2 [1 + sin(pi (r - 1 / 2))],  r = depth / max(h, R |S|) < 1,
///     h the depth of the mixed layer, R = 2 m/s / |f| in [15, 100] km
/// |S|^2 is that of the whole vector at an interface, the mean of its triads. Explicit steps want |S'| <= distance_e distance_v / (4 kappa step).
///
/// Written for unit diffusivity, with the structure phi of the cell, w its weight of a quarter of the face's volume:
///   conductance C = phi S' length_e dz / (4 distance_v)  [m],      K33 = sum of phi w S'^2  [1]
#pragma once
#include "field/process.hpp"
#include <algorithm>
#include <array>

namespace fathom::numerics {

/// Shares of a slope that stay, of its square; written without division by 0.
struct TanhTaper {
    static constexpr std::string_view summary = "neutral slopes by triads, tapered by a hyperbolic tangent (Danabasoglu & McWilliams 1995)";
    template <class Real> static Real of(Real slope, double most, double width) { return 1.0 / (1.0 + exp(smaller((slope - most) * (2 / width), Real(40)))); }
};
struct QuadraticTaper {
    static constexpr std::string_view summary = "neutral slopes by triads, tapered by the square of the steepness (Gerdes et al. 1991)";
    template <class Real> static Real of(Real slope, double most, double) { return most * most / larger(slope * slope, Real(most * most)); }
};
struct Clipping {
    static constexpr std::string_view summary = "neutral slopes by triads, clipped (Cox 1987)";
    template <class Real> static Real of(Real slope, double most, double) { return most / larger(slope, Real(most)); }
};

inline constexpr std::array compass{east, -east, north, -north};

template <class Taper> struct NeutralSlopes {
    double maximum_slope = 0.01, taper_width = 0.001, diffusivity = 1000, step = 3600;
    static constexpr std::string_view summary = Taper::summary;
    static constexpr std::tuple parameters{
        Parameter<NeutralSlopes>{"maximum_slope", &NeutralSlopes::maximum_slope, "1",      1e-6, 1,   "slope at which tapering acts"},
        Parameter<NeutralSlopes>{"taper_width",   &NeutralSlopes::taper_width,   "1",      1e-6, 1,   "range of slopes of a smooth taper"},
        Parameter<NeutralSlopes>{"diffusivity",   &NeutralSlopes::diffusivity,   "m2 s-1", 1e-6, 1e7, "largest diffusivity along slopes that the step must bear"},
        Parameter<NeutralSlopes>{"step",          &NeutralSlopes::step,          "s",      0, 1e6,    "time step"}};
    static constexpr std::array fields{
        reads ("temperature",           place::center_layer,      "degC", 1),
        reads ("salinity",              place::center_layer,      "1e-3", 1),
        reads ("thermal_expansion",     place::center_layer,      "K-1"),
        reads ("haline_contraction",    place::center_layer,      "1e3"),
        reads ("eddy_structure",        place::center_layer,      "1"),
        reads ("mixed_layer_depth",     place::center_column,     "m"),
        reads ("coriolis",              place::corner_column,     "s-1", 1),
        reads ("wet_levels",            place::center_column,     "1", 1),
        reads ("area_center",           place::center_column,     "m2"),
        reads ("length_north_face",     place::north_face_column, "m", 1),
        reads ("dy_north_face",         place::north_face_column, "m", 1),
        reads ("length_east_face",      place::east_face_column,  "m", 1),
        reads ("dx_east_face",          place::east_face_column,  "m", 1),
        reads ("thickness",             place::profile,           "m"),
        writes("conductance_east_of_upper",  place::center_interface, "m"),        // of the cell above the interface
        writes("conductance_west_of_upper",  place::center_interface, "m"),
        writes("conductance_north_of_upper", place::center_interface, "m"),
        writes("conductance_south_of_upper", place::center_interface, "m"),
        writes("conductance_east_of_lower",  place::center_interface, "m"),        // of the cell below it
        writes("conductance_west_of_lower",  place::center_interface, "m"),
        writes("conductance_north_of_lower", place::center_interface, "m"),
        writes("conductance_south_of_lower", place::center_interface, "m"),
        writes("squared_slope",              place::center_interface, "1")};

    template <class Real>
    void operator()(In<Real, 1> temperature, In<Real, 1> salinity, In<Real> alpha, In<Real> beta, In<Real> structure, In<Real> mixed_layer, In<Real, 1> coriolis, In<Real, 1> wet,
                    In<Real> area, In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east, In<Real, 1> distance_east, Profile<Real> thickness,
                    Out<Real> ue, Out<Real> uw, Out<Real> un, Out<Real> us, Out<Real> le, Out<Real> lw, Out<Real> ln, Out<Real> ls, Out<Real> square) const {
        using T = typename Real::Number;
        constexpr double least_stratification = 1e-11;               // relative change of density a metre: N^2 = 1e-10 s-2
        constexpr double pi = 3.14159265358979324;
        const int levels = square.levels();
        const Real lengths[4] = {length_east[0], length_east(-east)[0], length_north[0], length_north(-north)[0]};
        const Real distances[4] = {distance_east[0], distance_east(-east)[0], distance_north[0], distance_north(-north)[0]};
        Real nearness[4], steepest[4], weight[4], bottoms[4];
        const Real per_area = 1.0 / area[0], bottom = wet[0], h = mixed_layer[0];
        for (int e = 0; e < 4; ++e) {
            nearness[e] = 1.0 / distances[e];
            steepest[e] = distances[e] * T(1 / std::max(4 * diffusivity * step, 1e-3));
            weight[e] = lengths[e] * distances[e] * per_area;
            bottoms[e] = wet(compass[e])[0];
        }
        const Real f = 0.25 * abs(coriolis[0] + coriolis(-east)[0] + coriolis(-north)[0] + coriolis(-northeast)[0]);
        const Real radius = smaller(larger(2.0 / larger(f, Real(1e-6)), Real(15e3)), Real(100e3));

        struct Layer { Real T, S, alpha, beta, phi, rise[4]; };       // rise: of relative density outward, a metre
        auto layer = [&](int k) {
            Layer c{temperature[k], salinity[k], alpha[k], beta[k], structure[k], {}};
            for (int e = 0; e < 4; ++e) {
                const Real difference = c.beta * (salinity(compass[e])[k] - c.S) - c.alpha * (temperature(compass[e])[k] - c.T);
                c.rise[e] = select(Real(T(k)) < bottoms[e], difference * nearness[e], Real(0));
            }
            return c;
        };
        const std::array uppers{ue, uw, un, us}, lowers{le, lw, ln, ls};
        auto none = [&](int k) {
            for (int e = 0; e < 4; ++e) uppers[e][k] = Real(0), lowers[e][k] = Real(0);
            square[k] = Real(0);
        };
        none(0); none(levels);
        Layer upper = layer(0);
        T depth = 0;
        for (int k = 1; k < levels; ++k) {
            const Layer lower = layer(k);
            const T dz_u = thickness[k - 1], dz_l = thickness[k], distance = T(0.5) * (dz_u + dz_l), least = T(least_stratification) * distance;
            depth = depth + dz_u;
            const Real dT = lower.T - upper.T, dS = lower.S - upper.S;
            const Real sinks_u = larger(upper.beta * dS - upper.alpha * dT, Real(least)), sinks_l = larger(lower.beta * dS - lower.alpha * dT, Real(least));
            const Real both = distance / (sinks_u * sinks_l), per_u = both * sinks_l, per_l = both * sinks_u;
            Real slope_u[4], slope_l[4], sum = 0;
            for (int e = 0; e < 4; ++e) {
                slope_u[e] = upper.rise[e] * per_u; slope_l[e] = lower.rise[e] * per_l;
                sum = fma(slope_u[e], slope_u[e], fma(slope_l[e], slope_l[e], sum));
            }
            const Real slope = sqrt(0.25 * sum), r = smaller(depth / larger(larger(h, radius * slope), Real(1e-3)), Real(1)), s = sin(r * T(pi / 2));
            const Real taper = select(Real(T(k)) < bottom, Taper::of(slope, maximum_slope, taper_width) * (s * s), Real(0));      // sin^2: the same as the formula's
            const Real share_u = upper.phi * (T(0.25) * dz_u / distance), share_l = lower.phi * (T(0.25) * dz_l / distance);
            Real K33 = 0;
            for (int e = 0; e < 4; ++e) {
                const Real most = steepest[e] * distance;
                const Real Su = smaller(larger(slope_u[e] * taper, -most), most), Sl = smaller(larger(slope_l[e] * taper, -most), most);
                uppers[e][k] = share_u * lengths[e] * Su;
                lowers[e][k] = share_l * lengths[e] * Sl;
                K33 = fma(weight[e], fma(share_u * Su, Su, share_l * Sl * Sl), K33);
            }
            square[k] = K33;
            upper = lower;
        }
    }
};

}  // namespace fathom::numerics
