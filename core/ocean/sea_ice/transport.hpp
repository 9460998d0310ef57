/// Sea ice moves with its velocity, along x and then along y: the share of a cell's ice that
/// crosses a face in a step is that of its area,
///   phi = tau F a_face / (A a),   A c' = A c - [A phi c of the cell it leaves],
///       c = a, v, s, e_1, e_2
/// F the width of the face times the velocity, a_face limited as the tracers are
/// (split_advection.hpp): second order in the area, nowhere negative. All contents of a category
/// move in the same proportion, so that thickness and temperature are means of earlier values, and
/// each content is conserved.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "ocean/tracer/split_advection.hpp"

namespace fathom::ocean {

template <bool along_x> struct IceSweep {
    double step = 3600;
    static constexpr std::string_view summary =
        along_x ? "Transport of a category of sea ice along x, the first of two sweeps"
                : "Transport of a category of sea ice along y, the second of two sweeps";
    static constexpr std::tuple parameters{
        Parameter{"step", &IceSweep::step, "s", 0, 1e6, "time step"}};
    static constexpr Shift to = along_x ? east : north, across = along_x ? north : east;

    template <class Real, Text x, Text y, Text units, Place at, int reach>
    using Along = std::conditional_t<along_x, Reads<Real, x, at, units, reach>,
                                     Reads<Real, y, at, units, reach>>;
    template <class Real, Text name, Text units>
    using Content = Reads<Real, name, place::center_column, units, 2>;
    /// The second sweep writes where the first one read: places without ice keep zeros.
    template <class Real, Text name, Text units>
    using After = std::conditional_t<along_x, Writes<Real, name, place::center_column, units>,
                                     Updates<Real, name, place::center_column, units>>;

    template <class Real>
    constexpr void operator()(
        Content<Real, "category_area", "1"> a, Content<Real, "category_volume", "m"> v,
        Content<Real, "category_snow", "m"> s, Content<Real, "category_upper_heat", "J m-2"> e1,
        Content<Real, "category_lower_heat", "J m-2"> e2,
        Along<Real, "ice_velocity_x", "ice_velocity_y", "m s-1", place::corner_vector_column, 2>
            velocity,
        Along<Real, "dy_corner", "dx_corner", "m", place::corner_column, 2> width,
        Along<Real, "dx_center", "dy_center", "m", place::center_column, 2> spacing,
        Reads<Real, "area_center", place::center_column, "m2", 1> area,
        Reads<Real, "wet_levels", place::center_column, "1", 2> wet,
        After<Real, "category_area_after", "1"> a_after,
        After<Real, "category_volume_after", "m"> v_after,
        After<Real, "category_snow_after", "m"> s_after,
        After<Real, "category_upper_heat_after", "J m-2"> e1_after,
        After<Real, "category_lower_heat_after", "J m-2"> e2_after) const {
        const Real zero(0), one(1);
        if (!any(a[0] + (a(to)[0] + a(-to)[0]) + v[0] > 0)) {
            if constexpr (!along_x)
                if (!any(a_after[0] + v_after[0] > 0)) return;
            a_after[0] = zero, v_after[0] = zero, s_after[0] = zero;
            e1_after[0] = zero, e2_after[0] = zero;
            return;
        }
        /// Ice area that crosses the face of a cell towards `to` in a step [m2].
        const auto through = [&](Shift c) {
            return (0.5 * step) * (velocity(c)[0] * width(c)[0] +
                                   velocity(c + -across)[0] * width(c + -across)[0]);
        };
        const Real far_in = through(-2 * to), in = through(-to), out = through(here),
                   far_out = through(to);
        const auto leaves = [&](Shift c, Real from, Real towards) {
            return (larger(towards, zero) + larger(-from, zero)) / area(c)[0];
        };
        /// The share of its ice that a cell loses through a face: the cell behind the face if the
        /// flow is towards `to`, else the one beyond.
        const auto share = [&](Shift behind, Real passes, Real all_behind, Real all_beyond) {
            const Shift beyond = behind + to;
            const auto forward = passes > 0;
            const auto of = [&](const auto& field, Shift if_forward, Shift otherwise) {
                return select(forward, Real(field(if_forward)[0]), Real(field(otherwise)[0]));
            };
            const Real L = of(a, behind, beyond), R = of(a, beyond, behind),
                       U = select(of(wet, behind + -to, beyond + to) > 0,
                                  of(a, behind + -to, beyond + to), L),
                       part = larger(passes, -passes) / of(area, behind, beyond);
            const Real face = limited_value<false>(
                U, L, R, of(spacing, behind + -to, beyond + to), of(spacing, behind, beyond),
                of(spacing, beyond, behind), part, select(forward, all_behind, all_beyond));
            return select(L > 0, part * (face / larger(L, Real(1e-30))), zero);
        };
        const Real own = leaves(here, in, out), next = leaves(to, out, far_out),
                   last = leaves(-to, far_in, in);
        const Real ahead = share(here, out, own, next), back = share(-to, in, last, own);
        const Real stays = larger(one - (select(out > 0, ahead, zero) + select(in > 0, zero, back)),
                                  zero),
                   from_next = select(out > 0, zero, ahead) * area(to)[0] / area[0],
                   from_last = select(in > 0, back, zero) * area(-to)[0] / area[0];
        const auto move = [&](const auto& c, const auto& after) {
            after[0] = c[0] * stays + (c(to)[0] * from_next + c(-to)[0] * from_last);
        };
        move(a, a_after), move(v, v_after), move(s, s_after), move(e1, e1_after);
        move(e2, e2_after);
    }
};

}  // namespace fathom::ocean
