/// Sea ice moves with its velocity, along x and then along y: the share of a cell's ice that
/// crosses a face in a step is that of its area,
///   phi = c a_face / a,   c = tau F / A,   A q' = A q - [A phi q of the cell it leaves],
///       q = a, v, s, e_1, e_2, p
/// F the width of the face times the velocity, A the area of the cell that it leaves, a_face
/// limited as the tracers are (split_advection.hpp): second order in the area, nowhere negative.
/// All contents of a category move in the same proportion, so that thickness and temperature are
/// means of earlier values, and each content is conserved. What depends on velocities alone is
/// computed once for all categories (IceFlow).
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "ocean/tracer/split_advection.hpp"

namespace fathom::ocean {

/// One of two types, for sweeps along x and along y.
template <bool along_x, class X, class Y> using Along = std::conditional_t<along_x, X, Y>;

/// Of both faces of a cell: the share of the cell behind them that crosses in a step, with the sign
/// of the flow, and its part of the distance between both centres.
template <bool along_x> struct IceFlow {
    double step = 3600;
    static constexpr std::string_view summary =
        along_x ? "Shares of cells that ice leaves along x in a step"
                : "Shares of cells that ice leaves along y in a step";
    static constexpr std::tuple parameters{
        Parameter{"step", &IceFlow::step, "s", 0, 1e6, "time step"}};
    static constexpr Shift to = along_x ? east : north, across = along_x ? north : east;

    template <class Real, Text x, Text y, Text units, Place at, int reach>
    using Of = Along<along_x, Reads<Real, x, at, units, reach>, Reads<Real, y, at, units, reach>>;
    template <class Real, Text x, Text y>
    using Found = Along<along_x, Writes<Real, x, place::center_column, "1">,
                        Writes<Real, y, place::center_column, "1">>;

    template <class Real>
    constexpr void operator()(
        Of<Real, "ice_velocity_x", "ice_velocity_y", "m s-1", place::corner_vector_column, 1>
            velocity,
        Of<Real, "dy_corner", "dx_corner", "m", place::corner_column, 1> width,
        Of<Real, "dx_center", "dy_center", "m", place::center_column, 1> spacing,
        Reads<Real, "area_center", place::center_column, "m2", 1> area,
        Found<Real, "ice_share_east", "ice_share_north"> share_out,
        Found<Real, "ice_share_west", "ice_share_south"> share_in,
        Found<Real, "ice_weight_east", "ice_weight_north"> weight_out,
        Found<Real, "ice_weight_west", "ice_weight_south"> weight_in,
        Found<Real, "ice_room_along_x", "ice_room_along_y"> room) const {
        const Real zero(0), one(1);
        /// Area that crosses the face of a cell towards `to` in a step [m2].
        const auto through = [&](Shift c) {
            return (0.5 * step) * (velocity(c)[0] * width(c)[0] +
                                   velocity(c + -across)[0] * width(c + -across)[0]);
        };
        const Real out = through(here), in = through(-to);
        const auto face = [&](Shift behind, Real passes, const auto& share, const auto& weight) {
            const Shift beyond = behind + to;
            const auto forward = passes > 0;
            const Real h = spacing(behind)[0], other = spacing(beyond)[0];
            share[0] = passes / select(forward, Real(area(behind)[0]), Real(area(beyond)[0]));
            weight[0] = select(forward, h, other) * (1.0 / (h + other));
        };
        face(here, out, share_out, weight_out);
        face(-to, in, share_in, weight_in);
        const Real leaves = (larger(out, zero) + larger(-in, zero)) / area[0];
        room[0] = room_behind(leaves);
    }
};

template <bool along_x> struct IceSweep {
    static constexpr std::string_view summary =
        along_x ? "Transport of a category of sea ice along x, the first of two sweeps"
                : "Transport of a category of sea ice along y, the second of two sweeps";
    static constexpr Shift to = along_x ? east : north;

    template <class Real, Text x, Text y, int reach = 0>
    using Flow = Along<along_x, Reads<Real, x, place::center_column, "1", reach>,
                       Reads<Real, y, place::center_column, "1", reach>>;
    template <class Real, Text name, Text units>
    using Content = Reads<Real, name, place::center_column, units, 2>;
    /// The second sweep writes where the first one read: places without ice keep zeros.
    template <class Real, Text name, Text units>
    using After = Along<along_x, Writes<Real, name, place::center_column, units>,
                        Updates<Real, name, place::center_column, units>>;

    template <class Real>
    constexpr void operator()(Content<Real, "category_area", "1"> a,
                              Content<Real, "category_volume", "m"> v,
                              Content<Real, "category_snow", "m"> s,
                              Content<Real, "category_upper_heat", "J m-2"> e1,
                              Content<Real, "category_lower_heat", "J m-2"> e2,
                              Content<Real, "category_ponds", "m"> p,
                              Flow<Real, "ice_share_east", "ice_share_north"> share_out,
                              Flow<Real, "ice_share_west", "ice_share_south"> share_in,
                              Flow<Real, "ice_weight_east", "ice_weight_north"> weight_out,
                              Flow<Real, "ice_weight_west", "ice_weight_south"> weight_in,
                              Flow<Real, "ice_room_along_x", "ice_room_along_y", 1> room,
                              Reads<Real, "area_center", place::center_column, "m2", 1> area,
                              Reads<Real, "wet_levels", place::center_column, "1", 2> wet,
                              After<Real, "category_area_after", "1"> a_after,
                              After<Real, "category_volume_after", "m"> v_after,
                              After<Real, "category_snow_after", "m"> s_after,
                              After<Real, "category_upper_heat_after", "J m-2"> e1_after,
                              After<Real, "category_lower_heat_after", "J m-2"> e2_after,
                              After<Real, "category_ponds_after", "m"> p_after) const {
        const Real zero(0), one(1);
        if (!any(a[0] + (a(to)[0] + a(-to)[0]) + v[0] > 0)) {
            if constexpr (!along_x)
                if (!any(a_after[0] + v_after[0] > 0)) return;
            a_after[0] = zero, v_after[0] = zero, s_after[0] = zero;
            e1_after[0] = zero, e2_after[0] = zero, p_after[0] = zero;
            return;
        }
        const Real out = share_out[0], in = share_in[0];
        /// The share of its ice that a cell loses through a face: the cell behind the face if the
        /// flow is towards `to`, else the one beyond.
        const auto share = [&](Shift behind, Real passes, Real weight) {
            const Shift beyond = behind + to;
            const auto forward = passes > 0;
            const auto of = [&](const auto& field, Shift if_forward, Shift otherwise) {
                return select(forward, Real(field(if_forward)[0]), Real(field(otherwise)[0]));
            };
            const Real L = of(a, behind, beyond), R = of(a, beyond, behind),
                       U = select(of(wet, behind + -to, beyond + to) > 0,
                                  of(a, behind + -to, beyond + to), L);
            const Real part = larger(passes, -passes), rise = R - L,
                       face = L + limited((one - part) * (rise * weight), rise,
                                          (L - U) * of(room, behind, beyond));
            return select(L > 0, part * (face / larger(L, Real(1e-30))), zero);
        };
        const Real ahead = share(here, out, Real(weight_out[0])),
                   back = share(-to, in, Real(weight_in[0]));
        const Real stays = larger(one - (select(out > 0, ahead, zero) + select(in > 0, zero, back)),
                                  zero),
                   from_next = select(out > 0, zero, ahead) * area(to)[0] / area[0],
                   from_last = select(in > 0, back, zero) * area(-to)[0] / area[0];
        const auto move = [&](const auto& c, const auto& after) {
            after[0] = c[0] * stays + (c(to)[0] * from_next + c(-to)[0] * from_last);
        };
        move(a, a_after), move(v, v_after), move(s, s_after), move(e1, e1_after);
        move(e2, e2_after), move(p, p_after);
    }
};

}  // namespace fathom::ocean
