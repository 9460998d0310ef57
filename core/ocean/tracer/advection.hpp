/// Advection of a tracer by the volume transports through the faces of its cell:
///   tendency = -sum of (volume transport x T at the face)
/// A constant stays constant, and the content is only moved. The value at a face is extrapolated in
/// time, T* = weights[0] T + weights[1] T_before.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

/// T at a face is the mean of both sides.
struct CentredAdvection {
    static constexpr std::string_view summary = "second-order centred advection of a tracer";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> now,
        Reads<Real, "tracer_before", place::center_layer, "any", 1> before,
        ReadsProfile<Real, "time_weights", "1"> weights,
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Reads<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Reads<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Reads<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Writes<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        using T = typename Real::Number;
        const int levels = tendency.levels();
        const T a = weights[0] / 2, b = weights[1] / 2;  // the half of the mean is in the weights
        auto half = [&](Shift s, int k) { return fma(Real(a), now(s)[k], b * before(s)[k]); };
        const int first = each.first;
        Real C = half(here, first),
             top = first > 0 ? up[first] * (half(here, first - 1) + C) : Real(0);
        for (int k = first; k < each.end; ++k) {
            const Real below = k + 1 < levels ? half(here, k + 1) : C;
            const Real bottom = up[k + 1] * (C + below);
            tendency[k] =
                fma(from_west[k], half(-east, k) + C,
                    fma(from_south[k], half(-north, k) + C, bottom)) -
                fma(to_east[k], half(east, k) + C, fma(to_north[k], half(north, k) + C, top));
            top = bottom;
            C = below;
        }
    }
};

/// Third-order upwind by cell averages (Leonard 1979): T_f = L + hL d2 - hL hR d3 on uneven
/// spacing: the centred mean minus a sixth of the upstream curvature where cells are even. The
/// centred part is extrapolated in time, the dissipative part uses the present values. A land cell
/// upstream has the value of the donor: no gradient through the wall. (With the centred mean, a
/// hollow that water enters from the side and leaves upward would become too cold: below the
/// entering water by as much as the water above is warmer.)
struct UpwindAdvection {
    static constexpr std::string_view summary = "third-order upwind advection of a tracer";

    /// The value at the face between donor L and receiver R, widths hU, hL, hR: L + R (T_R - T_L) +
    /// U (T_U - T_L), at a wall behind the donor L + wall (T_R - T_L).
    template <class Real> struct Weights {
        Real R, U, wall;
        Weights() = default;
        constexpr Weights(Real hU, Real hL, Real hR) {
            const Real per_two = 1 / (hL + hR), per_three = 1 / (hU + hL + hR);
            R = across(hL, hR, per_two, per_three);
            U = back(hL, hR, 1 / (hU + hL), per_three);
            wall = at_wall(hL, hR, per_two);
        }
        /// From the widths and their combinations: of L and R; of U and L; of all three.
        static constexpr Real across(Real hL, Real hR, Real per_two, Real per_three) {
            return (hL - hL * hR * per_three) * per_two;
        }
        static constexpr Real back(Real hL, Real hR, Real per_two_behind, Real per_three) {
            return -hL * hR * per_three * per_two_behind;
        }
        static constexpr Real at_wall(Real hL, Real hR, Real per_two) {
            return across(hL, hR, per_two, 1 / (hL + hL + hR));
        }  // U mirrors L
        constexpr Real operator()(Real L, Real to_R, Real to_U) const {
            return L + fma(U, to_U, R * to_R);
        }
        template <class Mask> constexpr Weights where(Mask water) const {
            Weights w;
            w.R = select(water, R, wall);
            w.U = select(water, U, Real(0));
            return w;
        }
    };

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 2> now,
        Reads<Real, "tracer_before", place::center_layer, "any", 1> before,
        ReadsProfile<Real, "time_weights", "1"> weights,
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Reads<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Reads<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Reads<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Reads<Real, "wet_levels", place::center_column, "1", 2> wet,
        Reads<Real, "dx_center", place::center_column, "m", 2> dx,
        Reads<Real, "dy_center", place::center_column, "m", 2> dy,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        using T = typename Real::Number;
        const int levels = tendency.levels();
        const T a = (weights[0] - 1) / 2,
                b = weights[1] / 2;  // what the extrapolation adds to now, halved for the mean
        // The four faces, face n ^ 1 opposite to n, each with its two directions of flow: shifts
        // point from here to the neighbour.
        constexpr Shift shifts[4] = {east, -east, north, -north};
        const In<Real, 2>&width_x = dx, &width_y = dy;
        Weights<Real> out[4], in[4];
        Real beside[4], beyond[4], shallowest = wet[0];
        for (int n = 0; n < 4; ++n) {
            const Shift s = shifts[n];
            const In<Real, 2>& h = n < 2 ? width_x : width_y;
            out[n] = {h(-s)[0], h[0], h(s)[0]};
            in[n] = {h(2 * s)[0], h(s)[0], h[0]};
            beside[n] = wet(s)[0];
            beyond[n] = wet(2 * s)[0];
            shallowest = smaller(shallowest, smaller(beside[n], beyond[n]));
        }
        const In<Real> transports[4] = {to_east, from_west, to_north, from_south};
        // The value that a face carries is that of its donor: one of the two products is 0.
        auto carried = [](Real transport, Real leaving, Real entering) {
            return fma(larger(transport, Real(0)), leaving, smaller(transport, Real(0)) * entering);
        };
        auto outflow = [&]<bool walls>(std::bool_constant<walls>, int k, Real C, Real C_extra) {
            Real N[4], leaves[4];
            for (int n = 0; n < 4; ++n) N[n] = now(shifts[n])[k];
            for (int n = 0; n < 4; ++n) {
                const Real across = N[n] - C,
                           transport = n % 2 ? -transports[n][k] : Real(transports[n][k]),
                           N_extra = fma(Real(a), N[n], b * before(shifts[n])[k]);
                Weights<Real> from_here = out[n], from_there = in[n];
                if constexpr (walls)
                    from_here = from_here.where(Real(T(k)) < beside[n ^ 1]),
                    from_there = from_there.where(Real(T(k)) < beyond[n]);
                const Real leaving = from_here(C, across, N[n ^ 1] - C),
                           entering = from_there(N[n], -across, now(2 * shifts[n])[k] - N[n]);
                leaves[n] =
                    fma(transport, C_extra + N_extra, carried(transport, leaving, entering));
            }
            return (leaves[0] + leaves[1]) + (leaves[2] + leaves[3]);
        };
        // from the level above, for the flux through the interface below it
        const int begin = std::max(each.first - 1, 0);
        Real top = 0, A = begin > 0 ? Real(now[begin - 1]) : Real(0), C = now[begin],
             C_extra = fma(Real(a), C, b * before[begin]);
        auto per_two_below = [&](int k) {  // of thicknesses round an interface
            return k + 1 < levels ? 1 / (thickness[k] + thickness[k + 1]) : T(0);
        };
        T per_two_above = begin > 0 ? per_two_below(begin - 1) : T(0),
          per_two = per_two_below(begin),
          per_three_above =
              begin > 0 && begin + 1 < levels
                  ? 1 / (thickness[begin - 1] + thickness[begin] + thickness[begin + 1])
                  : T(0);
        for (int k = begin; k < each.end; ++k) {
            const bool asked = k >= each.first;
            const Real sideways = !asked ? Real(0)
                                  : any(Real(T(k)) >= shallowest)
                                      ? outflow(std::true_type{}, k, C, C_extra)
                                      : outflow(std::false_type{}, k, C, C_extra);
            Real bottom = 0, B = C, B_extra = C_extra;
            if (k + 1 < levels) {  // vertical: upward transport through the interface below
                const bool last = k + 2 == levels;
                const T hC = thickness[k], hB = thickness[k + 1],
                        hD = last ? T(0) : thickness[k + 2];
                const T per_two_next = last ? T(0) : 1 / (hB + hD),
                        per_three_below = last ? T(0) : 1 / (hC + hB + hD);
                B = now[k + 1];
                B_extra = fma(Real(a), B, b * before[k + 1]);
                const Real D = last ? B : Real(now[k + 2]), fall = B - C, W = up[k + 1];
                using Number = Weights<T>;  // of the levels alone: the same in all columns
                Weights<Real> down, rise;
                down.R = k == 0 ? Number::at_wall(hC, hB, per_two)
                                : Number::across(hC, hB, per_two, per_three_above);
                down.U = k == 0 ? T(0) : Number::back(hC, hB, per_two_above, per_three_above);
                rise.R = Number::across(hB, hC, per_two, per_three_below);
                rise.U = Number::back(hB, hC, per_two_next, per_three_below);
                if (const Real third = T(k + 2); any(third >= wet[0]))
                    rise.wall = Number::at_wall(hB, hC, per_two), rise = rise.where(third < wet[0]);
                const Real sinking = down(C, fall, A - C), rising = rise(B, -fall, D - B);
                bottom = fma(W, C_extra + B_extra, carried(W, rising, sinking));
                per_two_above = per_two;
                per_two = per_two_next;
                per_three_above = per_three_below;
            }
            if (asked) tendency[k] = (bottom - top) - sideways;
            top = bottom;
            A = C;
            C = B;
            C_extra = B_extra;
        }
    }
};

}  // namespace fathom::ocean
