/// Diffusion of a tracer along neutral surfaces (Redi 1982) with small slopes, and its advection by
/// eddies (Gent & McWilliams 1990) as a skew flux (Griffies 1998, J. Phys. Oceanogr. 28, 831-841),
/// from the conductances C of the triads (neutral_slopes.hpp):
///   outward through a face
///       -kappa phi dz (length / distance) d_e T  -  (kappa - kappa_GM) sum of C D_v T
///   upward at an interface    -(kappa + kappa_GM) sum of C d_e T       -  kappa K33 dT/dz
/// With kappa = kappa_GM the second term of the first line vanishes, and a column does not need the
/// slopes of its neighbours. The last term is implicit. The part in kappa is minus the derivative
/// of the sum over triads of half of kappa V (d_e T / distance_e + S' D_v T / distance_v)^2, V a
/// quarter of the volume of a face: it is symmetric and reduces the variance of every tracer, for
/// any slopes. The part in kappa_GM is antisymmetric: it moves content and keeps variance.
#pragma once
#include "base/usual.hpp"
#include "ocean/eddies/neutral_slopes.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

template <class Real, int reach> struct Conductances {
    Reads<Real, "conductance_east_of_upper", place::center_interface, "m", reach> east_of_upper;
    Reads<Real, "conductance_west_of_upper", place::center_interface, "m", reach> west_of_upper;
    Reads<Real, "conductance_north_of_upper", place::center_interface, "m", reach> north_of_upper;
    Reads<Real, "conductance_south_of_upper", place::center_interface, "m", reach> south_of_upper;
    Reads<Real, "conductance_east_of_lower", place::center_interface, "m", reach> east_of_lower;
    Reads<Real, "conductance_west_of_lower", place::center_interface, "m", reach> west_of_lower;
    Reads<Real, "conductance_north_of_lower", place::center_interface, "m", reach> north_of_lower;
    Reads<Real, "conductance_south_of_lower", place::center_interface, "m", reach> south_of_lower;
};

/// Along levels and upward: the whole flux where both diffusivities are equal.
template <bool own> struct IsoneutralFlux {
    double diffusivity = usual::eddy_diffusivity, isoneutral_diffusivity = usual::eddy_diffusivity;
    static constexpr std::string_view summary =
        "isoneutral diffusion and eddy advection of a tracer: fluxes along levels and upward";
    static constexpr std::tuple parameters{
        Parameter{"diffusivity", &IsoneutralFlux::diffusivity, "m2 s-1", 0, 1e7,
                  "of the slopes of neutral surfaces, by eddy advection"},
        Parameter{"isoneutral_diffusivity", &IsoneutralFlux::isoneutral_diffusivity, "m2 s-1", 0,
                  1e7, "along neutral surfaces"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        Reads<Real, "eddy_structure", place::center_layer, "1", 1> structure,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet, FaceGeometry<Real> faces,
        CellThickness<Real, own, 1> thickness, Conductances<Real, 0> conductances,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        using T = typename Real::Number;
        const auto& [ue, uw, un, us, le, lw, ln, ls] = conductances;
        const Real along[4] = {
            0.5 * faces.length_east[0] / faces.distance_east[0],
            0.5 * faces.length_east(-east)[0] / faces.distance_east(-east)[0],
            0.5 * faces.length_north[0] / faces.distance_north[0],
            0.5 * faces.length_north(-north)[0] / faces.distance_north(-north)[0]};
        Real bottoms[4];
        for (int e = 0; e < 4; ++e) bottoms[e] = wet(compass(e))[0];
        const T both = T(diffusivity + isoneutral_diffusivity);
        const auto differences = [&](int k, Real* d) {
            const Real C = tracer[k];
            for (int e = 0; e < 4; ++e)
                d[e] = select(Real(T(k)) < bottoms[e], tracer(compass(e))[k] - C, Real(0));
        };
        // sum of C d_e T above interface k + 1
        const auto above = [&](int k, const Real* d) {
            return fma(ue[k + 1], d[0], uw[k + 1] * d[1]) + fma(un[k + 1], d[2], us[k + 1] * d[3]);
        };
        Real d[4], of_upper = 0, gained = 0;  // gained: the terms of the cell above so far
        if (const int over = each.first - 1; over >= 0) {
            differences(over, d);
            of_upper = above(over, d);
        }
        const int last = std::min(each.end, each.count - 1);  // from which the cell above gains
        for (int k = each.first; k <= last; ++k) {
            differences(k, d);
            const Real phi = structure[k];
            Real level = 0;
            for (int e = 0; e < 4; ++e) {
                Real conductance = (phi + structure(compass(e))[k]) * along[e];
                if constexpr (own)
                    conductance *= smaller(Real(thickness[k]), beside(thickness, compass(e))[k]);
                level = fma(conductance, d[e], level);
            }
            const Real down =
                both * (of_upper + fma(le[k], d[0], lw[k] * d[1]) +
                        fma(ln[k], d[2], ls[k] * d[3]));  // through the interface above
            if (k > each.first) tendency[k - 1] += gained - down;
            if constexpr (own)
                gained = fma(level, Real(isoneutral_diffusivity), down);
            else
                gained = fma(level, Real(T(isoneutral_diffusivity) * thickness[k]), down);
            of_upper = above(k, d);
        }
        if (each.end == each.count) tendency[each.count - 1] += gained;
    }
};

/// The terms of slopes along levels where the diffusivities differ: (kappa - kappa_GM) C D_v T, of
/// the triads on both sides of a face.
struct SlopedFlux {
    double diffusivity = usual::eddy_diffusivity, isoneutral_diffusivity = usual::eddy_diffusivity;
    static constexpr std::string_view summary =
        "isoneutral diffusion less eddy advection of a tracer: what slopes add to fluxes along "
        "levels";
    static constexpr std::tuple parameters{
        Parameter{"diffusivity", &SlopedFlux::diffusivity, "m2 s-1", 0, 1e7,
                  "of the slopes of neutral surfaces, by eddy advection"},
        Parameter{"isoneutral_diffusivity", &SlopedFlux::isoneutral_diffusivity, "m2 s-1", 0, 1e7,
                  "along neutral surfaces"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        Conductances<Real, 1> conductances,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        using T = typename Real::Number;
        using Four = std::array<In<Real, 1>, 4>;
        const int levels = tendency.levels();
        const auto& [ue, uw, un, us, le, lw, ln, ls] = conductances;
        const Four uppers{ue, uw, un, us}, lowers{le, lw, ln, ls}, opposite_uppers{uw, ue, us, un},
            opposite_lowers{lw, le, ls, ln};
        const T difference = T(isoneutral_diffusivity - diffusivity);
        const int begin = std::max(each.first - 1, 0);
        Real above = tracer[begin], above_there[4],
             of_lower = 0;  // of_lower: terms of triads at the interface above for this cell
        for (int e = 0; e < 4; ++e) above_there[e] = tracer(compass(e))[begin];
        for (int k = begin; k < each.end; ++k) {
            const bool last = k + 1 == levels;
            const Real below = last ? above : Real(tracer[k + 1]),
                       drop =
                           above - below;  // across the interface below; C is 0 there for the last
            Real of_upper = 0, next = 0;
            for (int e = 0; e < 4; ++e) {
                const Real below_there = last ? above_there[e] : Real(tracer(compass(e))[k + 1]),
                           drop_there = above_there[e] - below_there;
                of_upper +=
                    uppers[e][k + 1] * drop - opposite_uppers[e](compass(e))[k + 1] * drop_there;
                next +=
                    lowers[e][k + 1] * drop - opposite_lowers[e](compass(e))[k + 1] * drop_there;
                above_there[e] = below_there;
            }
            if (k >= each.first) tendency[k] += difference * (of_lower + of_upper);
            of_lower = next;
            above = below;
        }
    }
};

/// Diffusivity of all implicit vertical terms: kappa K33, next to mixing.
struct IsoneutralMixing {
    double isoneutral_diffusivity = usual::eddy_diffusivity;
    static constexpr std::string_view summary =
        "vertical diffusivity with the vertical part of isoneutral diffusion";
    static constexpr std::tuple parameters{Parameter{"isoneutral_diffusivity",
                                                     &IsoneutralMixing::isoneutral_diffusivity,
                                                     "m2 s-1", 0, 1e7, "along neutral surfaces"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> mixing,
        Reads<Real, "squared_slope", place::center_interface, "1"> square,
        Writes<Real, "whole_diffusivity", place::center_interface, "m2 s-1"> whole,
        Levels each) const {
        for (int k = each.first; each.has_interface(k); ++k)
            whole[k] = fma(square[k], Real(isoneutral_diffusivity), mixing[k]);
    }
};

/// Volume transports of the eddies through eastern and northern faces: -(Psi_top - Psi_bottom), Psi
/// = kappa_GM x sum of C of the four triads of an interface: length x mean slope, by thickness. The
/// skew flux moves tracers as these would: its change of height in a column is to round-off the sum
/// of height x -(Psi_top - Psi_bottom). Output and overturning need the transports.
struct BolusTransport {
    double diffusivity = usual::eddy_diffusivity;
    static constexpr std::string_view summary =
        "volume transports of the advection by eddies (Gent & McWilliams 1990), for output";
    static constexpr std::tuple parameters{
        Parameter{"diffusivity", &BolusTransport::diffusivity, "m2 s-1", 0, 1e7,
                  "of the slopes of neutral surfaces, by eddy advection"}};
    template <class Real>
    constexpr void operator()(
        Conductances<Real, 1> conductances,
        Writes<Real, "bolus_transport_east", place::center_layer, "m3 s-1"> to_east,
        Writes<Real, "bolus_transport_north", place::center_layer, "m3 s-1"> to_north) const {
        const auto& [ue, uw, un, us, le, lw, ln, ls] = conductances;
        Real east_above = 0, north_above = 0;
        for (int k = 0; k < to_east.levels();
             ++k) {  // C is 0 at the interface below the last layer
            const Real east_below =
                diffusivity * (ue[k + 1] - uw(east)[k + 1] + le[k + 1] - lw(east)[k + 1]);
            const Real north_below =
                diffusivity * (un[k + 1] - us(north)[k + 1] + ln[k + 1] - ls(north)[k + 1]);
            to_east[k] = east_below - east_above;
            to_north[k] = north_below - north_above;
            east_above = east_below;
            north_above = north_below;
        }
    }
};

}  // namespace fathom::ocean
