/// Advection of a tracer that makes no new extremes, forward in time: one direction after another,
/// x, y, z, each starting from the result of the one before,
///   V' T' = V T - tau [F T_face],   V' = V - tau [F]
///       ([ ]: outflow minus inflow in this direction)
/// The volume of a cell changes with each sweep (Easter 1993, Mon. Wea. Rev. 121, 297-304) and
/// after the third it is the volume of the new time. So each sweep keeps content and constants
/// for any flow, and T' is a mean of T with weights >= 0: bounds of one dimension are bounds of all
/// three. The value at a face is the mean over the water that crosses it in a step, from donor L to
/// receiver R with U behind it, of widths h, c the share of L that leaves:
///   T_face = L + (1 - c) hL [d2 - d3 (hR + c hL)],   d1 = (L - U) / (hU + hL),
///       d2 = (R - L) / (hL + hR),   d3 = (d2 - d1) / (hU + hL + hR)
/// Without d3: Lax & Wendroff (1960), second order; with it QUICKEST (Leonard 1979), third order.
/// Its correction of L is limited to between 0 and the smaller of R - L and (L - U) (1 - C) / C
/// (Leonard 1991, Comput. Methods Appl. Mech. Eng. 88, 17-74), C the share of L that leaves through
/// both its faces; with land behind L it is L itself. Bounds hold while C <= 1 in each sweep.
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// (1 - C) / C.
template <class Real> constexpr Real room_behind(Real leaves_in_all) {
    return (1.0 - leaves_in_all) / larger(leaves_in_all, Real(1e-30));
}
/// The correction of L, limited; rise: R - L, room: (L - U) (1 - C) / C.
template <class Real> constexpr Real limited(Real more, Real rise, Real room) {
    const Real upward = larger(Real(0), smaller(more, smaller(rise, room))),
               downward = smaller(Real(0), larger(more, larger(rise, room)));
    return select(rise > Real(0), upward, downward);
}
/// The value that crosses a face; third: with d3.
template <bool third, class Real, class Width>
constexpr Real limited_value(Real U, Real L, Real R, Width hU, Width hL, Width hR, Real leaves,
                             Real leaves_in_all) {
    const Real rise = R - L, behind = L - U, rest = 1.0 - leaves;
    const Width per_pair = 1.0 / (hL + hR);
    Real more = rest * (rise * (hL * per_pair));
    if constexpr (third) {
        const Width per_three = hL / (hU + hL + hR);
        more -= rest * (rise * per_pair - behind * (1.0 / (hU + hL))) *
                (per_three * (hR + leaves * hL));
    }
    return L + limited(more, rise, behind * room_behind(leaves_in_all));
}

/// The two faces of a cell along one direction, `to` from here to the next cell: values that cross
/// them; positive transports go along `to`.
template <bool third, class Real> struct Sweep {
    In<Real, 2> tracer, width, wet;
    Shift to;
    Real h_here, h_next, h_last, h_next2, h_last2, bottom_next2, bottom_last2, bottom_next,
        bottom_last;
    constexpr Sweep(In<Real, 2> tracer, In<Real, 2> width, In<Real, 2> wet, Shift to)
        : tracer(tracer),
          width(width),
          wet(wet),
          to(to),
          h_here(width[0]),
          h_next(width(to)[0]),
          h_last(width(-to)[0]),
          h_next2(width(2 * to)[0]),
          h_last2(width(-2 * to)[0]),
          bottom_next2(wet(2 * to)[0]),
          bottom_last2(wet(-2 * to)[0]),
          bottom_next(wet(to)[0]),
          bottom_last(wet(-to)[0]) {}
    /// Volumes of the three cells, and the outflow of a step to the next and inflow from the last.
    struct Volumes {
        Real here, next, last, out, in;
    };
    struct Values {
        Real out, in;
    };
    /// leaves_in_all: the share of each cell that leaves it through both its faces.
    constexpr Values operator()(int k, const Volumes& v, In<Real, 1> leaves_in_all) const {
        const Real level = Real(typename Real::Number(k)), C = tracer[k], N = tracer(to)[k],
                   P = tracer(-to)[k], zero(0);
        auto face = [&](auto forward, Real from, Real to_, Real far_from, Real far_to, Real h_from,
                        Real h_to, Real h_far_from, Real h_far_to, Real bottom_from, Real bottom_to,
                        Real share, Real all) {
            const Real L = select(forward, from, to_), R = select(forward, to_, from);
            const Real U = select(level < select(forward, bottom_from, bottom_to),
                                  select(forward, far_from, far_to), L);
            return limited_value<third>(U, L, R, select(forward, h_far_from, h_far_to),
                                        select(forward, h_from, h_to),
                                        select(forward, h_to, h_from), share, all);
        };
        const auto leaves = v.out > zero, enters = v.in > zero;
        const Real of_here = leaves_in_all[k], of_next = leaves_in_all(to)[k],
                   of_last = leaves_in_all(-to)[k];
        const Real out =
            face(leaves, C, N, P, tracer(2 * to)[k], h_here, h_next, h_last, h_next2, bottom_last,
                 bottom_next2, abs(v.out) / select(leaves, v.here, v.next),
                 select(leaves, of_here, of_next));
        const Real in = face(enters, P, C, tracer(-2 * to)[k], N, h_last, h_here, h_last2, h_next,
                             bottom_last2, bottom_next, abs(v.in) / select(enters, v.last, v.here),
                             select(enters, of_last, of_here));
        return {out, in};
    }
};

/// For all tracers: the share of a cell that leaves it along x and then along y, and the volume in
/// between. The same from either side of a fold.
template <bool own> struct SweepVolumes {
    double step = 3600;
    static constexpr std::string_view summary =
        "volume of cells after a sweep along x, and the shares that leave along x and y";
    static constexpr std::tuple parameters{
        Parameter{"step", &SweepVolumes::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Reads<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Reads<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Writes<Real, "volume_swept", place::center_layer, "m3"> between,
        Writes<Real, "leaving_along_x", place::center_layer, "1"> along_x,
        Writes<Real, "leaving_along_y", place::center_layer, "1"> along_y) const {
        const Real zero(0), A = area[0], height = eta[0];
        const typename Real::Number tau(step);
        for (int k = 0; k < between.levels(); ++k) {
            const Real dz = thickness[k], E = to_east[k], W = from_west[k],
                       V = A * (k == 0 ? dz + height : dz), after = V - tau * (E - W);
            along_x[k] = (larger(E, zero) + larger(-W, zero)) * tau / V;
            along_y[k] = (larger(Real(to_north[k]), zero) + larger(-Real(from_south[k]), zero)) *
                         tau / after;
            between[k] = after;
        }
    }
};

/// The first sweep, along x.
template <bool third, bool own> struct FirstSweep {
    double step = 3600;
    static constexpr std::string_view summary =
        third ? "third-order limited advection of a tracer along x, the first of three sweeps"
              : "limited Lax-Wendroff advection of a tracer along x, the first of three sweeps";
    static constexpr std::tuple parameters{
        Parameter{"step", &FirstSweep::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 2> tracer,
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Reads<Real, "leaving_along_x", place::center_layer, "1", 1> leaving,
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        Reads<Real, "area_center", place::center_column, "m2", 1> area,
        Reads<Real, "wet_levels", place::center_column, "1", 2> wet,
        Reads<Real, "dx_center", place::center_column, "m", 2> dx,
        CellThickness<Real, own, 1> thickness,
        Writes<Real, "tracer_swept", place::center_layer, "any"> swept) const {
        using T = typename Real::Number;
        const Sweep<third, Real> sweep(tracer, dx, wet, east);
        const T tau = T(step);
        for (int k = 0; k < swept.levels(); ++k) {
            auto volume = [&](Shift s) {
                const Real dz = beside(thickness, s)[k];
                return area(s)[0] * (k == 0 ? dz + eta(s)[0] : dz);
            };
            const Real V = volume(here), out = tau * to_east[k], in = tau * from_west[k],
                       C = tracer[k];
            const auto T_ = sweep(k, {V, volume(east), volume(-east), out, in}, leaving);
            swept[k] = C - (out * (T_.out - C) - in * (T_.in - C)) / (V - (out - in));
        }
    }
};

/// The second and third, along y and in the column: the tendency of all three.
template <bool third, bool own> struct SplitAdvection {
    double step = 3600;
    static constexpr std::string_view summary =
        third ? "third-order advection of a tracer without new extremes (QUICKEST, limited), "
                "forward in time, split by direction"
              : "second-order advection of a tracer without new extremes (Lax-Wendroff, limited), "
                "forward in time, split by direction";
    static constexpr std::tuple parameters{
        Parameter{"step", &SplitAdvection::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_swept", place::center_layer, "any", 2> swept,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Reads<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Reads<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Reads<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Reads<Real, "volume_swept", place::center_layer, "m3", 1> volume,
        Reads<Real, "leaving_along_y", place::center_layer, "1", 1> leaving,
        Reads<Real, "wet_levels", place::center_column, "1", 2> wet,
        Reads<Real, "dy_center", place::center_column, "m", 2> dy,
        CellThickness<Real, own> thickness,
        Writes<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Keeps<Real, "split_advection", 3> kept) const {
        using T = typename Real::Number;
        const auto [value, volume_of, moved] = kept.columns();
        const int levels = tendency.levels();
        const Sweep<third, Real> sweep(swept, dy, wet, north);
        const T tau = T(step), per_tau = T(1 / step);
        for (int k = 0; k < levels; ++k) {
            const Real V = volume[k], N = to_north[k], S = from_south[k], C = swept[k],
                       out = tau * N, in = tau * S;
            const auto T_ = sweep(k, {V, volume(north)[k], volume(-north)[k], out, in}, leaving);
            const Real left = V - (out - in);
            volume_of[k] = left;
            value[k] = C - (out * (T_.out - C) - in * (T_.in - C)) / left;
            // by differences, which keep more digits than contents
            moved[k] = fma(V * per_tau, C - tracer[k], -(tracer[k] * (to_east[k] - from_west[k]))) -
                       (N * T_.out - S * T_.in);
        }
        const Real bottom = wet[0], zero(0);
        Real above = 0;  // inflow through the interface above, upward positive
        auto leaves = [&](int k) {
            const Real upward = k > 0 ? larger(Real(up[k]), zero) : zero;
            return (upward + larger(-Real(up[k + 1]), zero)) * (tau / volume_of[k]);
        };
        Real share = leaves(0);
        for (int k = 0; k < levels; ++k) {
            Real below = 0;
            if (k + 1 < levels) {
                const Real W = up[k + 1], share_below = leaves(k + 1), C = value[k],
                           B = value[k + 1];
                const auto rises = W > zero;
                const auto hC = thickness[k], hB = thickness[k + 1],
                           hA = thickness[k > 0 ? k - 1 : 0],
                           hD = thickness[k + 2 < levels ? k + 2 : k + 1];
                const Real D = k + 2 < levels
                                   ? select(Real(T(k + 2)) < bottom, Real(value[k + 2]), B)
                                   : B,
                           A = k > 0 ? Real(value[k - 1]) : C;
                const Real falling = limited_value<third, Real>(
                    A, C, B, Real(hA), Real(hC), Real(hB), -W * (tau / volume_of[k]), share);
                const Real rising =
                    limited_value<third, Real>(D, B, C, Real(hD), Real(hB), Real(hC),
                                               W * (tau / volume_of[k + 1]), share_below);
                below = W * select(rises, rising, falling);
                share = share_below;
            }
            tendency[k] = moved[k] + (below - above);
            above = below;
        }
    }
};

}  // namespace fathom::ocean
