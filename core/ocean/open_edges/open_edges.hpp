/// Open edges: the outermost cells of the grid have no wall but the sea beyond. Such a cell is cut
/// through its middle: the grid gives it half its area, and the flow along the edge, by one corner
/// of two, is that of this half. Through the cut of length L and depth H leaves
///   Q_k = h_k [B / H + L u'_k],   B = E + R (eta + deta - eta_given),   E = L H U_given,
///       R = L sqrt(g H)                          (Flather 1976; R = 0, u' = u'_given: prescribed)
/// E and R of all cuts of a cell are one number each, positive outward. The height of the end of
/// the step is in B, so R is on the diagonal of the equation for its increment, which stays
/// symmetric (barotropic_solve.hpp), and no wave limits the step.
///
/// u', the flow less its mean over the column, is radiated (Orlanski 1976; implicit, as Raymond &
/// Kuo 1984; drawn to what is given, as Marchesiello, McWilliams & Shchepetkin 2001):
///   u'_b(after) = [u'_b + 2 r u'_1(after) + n u'_given] / (1 + 2 r + n),   n = tau / time,
///       r = -[u'_1(after) - u'_1] / [u'_1(after) - u'_2(after)] in 0 ... 1
/// b: at the cut; 1, 2: half and one and a half cells inside; time: of what leaves (r > 0), or of
/// what enters. A tracer leaves with the flow and enters with the given value, and is drawn to it.
///
/// At the corners between such a cell and the sea inside, momentum has pressure, Coriolis and
/// vertical forces; advection and lateral friction would need a neighbour beyond.
#pragma once
#include "base/any.hpp"
#include "base/constants.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// Gives momentum at the corners next to an open edge another tendency: x(k), y(k).
template <class Real>
constexpr void give_tendency(Real edge, const Levels& each, auto& to_x, auto& to_y, auto&& x,
                             auto&& y) {
    const auto there = edge > Real(0);
    if (!any(there)) return;
    for (int k = each.first; k < each.end; ++k) {
        to_x[k] = select(there, Real(x(k)), Real(to_x[k]));
        to_y[k] = select(there, Real(y(k)), Real(to_y[k]));
    }
}

struct EdgeWithoutAdvection {
    static constexpr std::string_view summary =
        "no advection of momentum at the corners next to an open edge";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_corner", place::corner_column, "1"> edge,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const auto nothing = [](int) { return Real(0); };
        give_tendency<Real>(edge[0], each, tendency_x, tendency_y, nothing, nothing);
    }
};

/// Before friction, and after it.
struct EdgeKeepsTendency {
    static constexpr std::string_view summary =
        "keeps the tendency of momentum before friction at the corners next to an open edge";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_corner", place::corner_column, "1"> edge,
        Reads<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Reads<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Writes<Real, "open_edge_tendency_x", place::corner_vector_layer, "m s-2"> kept_x,
        Writes<Real, "open_edge_tendency_y", place::corner_vector_layer, "m s-2"> kept_y,
        Levels each) const {
        if (!any(edge[0] > Real(0))) return;
        for (int k = each.first; k < each.end; ++k) {
            kept_x[k] = tendency_x[k];
            kept_y[k] = tendency_y[k];
        }
    }
};

struct EdgeWithoutFriction {
    static constexpr std::string_view summary =
        "no lateral friction at the corners next to an open edge";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_corner", place::corner_column, "1"> edge,
        Reads<Real, "open_edge_tendency_x", place::corner_vector_layer, "m s-2"> kept_x,
        Reads<Real, "open_edge_tendency_y", place::corner_vector_layer, "m s-2"> kept_y,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const auto x = [&](int k) { return Real(kept_x[k]); };
        const auto y = [&](int k) { return Real(kept_y[k]); };
        give_tendency<Real>(edge[0], each, tendency_x, tendency_y, x, y);
    }
};

/// What is given at open edges: without tides, then one wave of the tide after another.
struct EdgeWithoutTide {
    static constexpr std::string_view summary = "height and flow given at open edges without tides";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_flow_without_tide", place::center_column, "m3 s-1"> flow,
        Reads<Real, "open_edge_height_without_tide", place::center_column, "m"> height,
        Writes<Real, "open_edge_flow_given", place::center_column, "m3 s-1"> flow_given,
        Writes<Real, "open_edge_height_given", place::center_column, "m"> height_given) const {
        flow_given[0] = flow[0];
        height_given[0] = height[0];
    }
};

/// A cos(theta - g) = A cos g cos theta + A sin g sin theta, theta that of the end of the step.
struct EdgeTide {
    static constexpr std::string_view summary =
        "height and flow of one wave of the tide at open edges";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tidal_height_cosine", place::center_column, "m"> height_cosine,
        Reads<Real, "tidal_height_sine", place::center_column, "m"> height_sine,
        Reads<Real, "tidal_flow_cosine", place::center_column, "m3 s-1"> flow_cosine,
        Reads<Real, "tidal_flow_sine", place::center_column, "m3 s-1"> flow_sine,
        ReadsProfile<Real, "tide_cosine", "1"> cosine, ReadsProfile<Real, "tide_sine", "1"> sine,
        Updates<Real, "open_edge_flow_given", place::center_column, "m3 s-1"> flow,
        Updates<Real, "open_edge_height_given", place::center_column, "m"> height) const {
        const Real c = Real(cosine[0]), s = Real(sine[0]);
        flow[0] += fma(flow_cosine[0], c, flow_sine[0] * s);
        height[0] += fma(height_cosine[0], c, height_sine[0] * s);
    }
};

/// What leaves while the height stays as it is.
struct EdgeConvergence {
    static constexpr std::string_view summary =
        "flow through open edges as a part of the right-hand side of the free surface";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_flow_given", place::center_column, "m3 s-1"> flow,
        Reads<Real, "open_edge_height_given", place::center_column, "m"> height,
        Reads<Real, "open_edge_radiation", place::center_column, "m2 s-1"> radiation,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Writes<Real, "open_edge_leaves", place::center_column, "m3 s-1"> leaves,
        Updates<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        const Real now = fma(radiation[0], eta[0] - height[0], flow[0]);
        leaves[0] = now;
        convergence[0] -= now;
    }
};

/// One direction of the radiated flow: u'_b of all levels, with a mean that is not taken away yet.
template <class Real> struct EdgeRadiation {
    Real in, out;  ///< n of what enters, and of what leaves

    /// u: now and after, of this many cells inside
    constexpr Real operator()(Real at_edge, Real given, Real now_1, Real after_1,
                              Real after_2) const {
        const Real zero(0),
            change = after_1 - now_1, rise = after_1 - after_2,
            r = larger(zero, smaller(Real(1), -(change * rise) / larger(rise * rise, Real(1e-20)))),
            n = select(r > zero, out, in);
        return (at_edge + 2.0 * r * after_1 + n * given) / (1.0 + 2.0 * r + n);
    }
};

/// The flow through open edges of all levels, the vertical flow above it, and the new height.
template <bool own> struct EdgeTransport {
    double step = 3600, inflow_time = 86400, outflow_time = 360 * 86400.;
    static constexpr std::string_view summary =
        "volume that leaves through open edges: Flather's condition for the mean over the column, "
        "radiation for the rest";
    static constexpr std::tuple parameters{
        Parameter{"step", &EdgeTransport::step, "s", 0, 1e6, "time step"},
        Parameter{"inflow_time", &EdgeTransport::inflow_time, "s", 1, 1e12,
                  "time in which a flow that enters is drawn to the given one"},
        Parameter{"outflow_time", &EdgeTransport::outflow_time, "s", 1, 1e12,
                  "time in which a flow that leaves is drawn to the given one"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_length_x", place::center_column, "m"> length_x,
        Reads<Real, "open_edge_length_y", place::center_column, "m"> length_y,
        Reads<Real, "open_edge_leaves", place::center_column, "m3 s-1"> leaves,
        Reads<Real, "open_edge_radiation", place::center_column, "m2 s-1"> radiation,
        Reads<Real, "open_edge_velocity_x_given", place::center_layer, "m s-1"> given_x,
        Reads<Real, "open_edge_velocity_y_given", place::center_layer, "m s-1"> given_y,
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 2> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 2> v,
        Reads<Real, "velocity_x_after", place::corner_vector_layer, "m s-1", 2> u_after,
        Reads<Real, "velocity_y_after", place::corner_vector_layer, "m s-1", 2> v_after,
        Reads<Real, "sea_surface_height_increment", place::center_column, "m"> increment,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        CellThickness<Real, own> thickness,
        Updates<Real, "open_edge_velocity_x", place::center_layer, "m s-1"> edge_x,
        Updates<Real, "open_edge_velocity_y", place::center_layer, "m s-1"> edge_y,
        Updates<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Updates<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Writes<Real, "open_edge_outflow", place::center_layer, "m3 s-1"> outflow) const {
        using T = typename Real::Number;
        const Real zero(0), x = length_x[0], y = length_y[0], bottom = wet[0];
        const auto along_x = (x < zero) | (zero < x), along_y = (y < zero) | (zero < y),
                   there = along_x | along_y;
        if (!any(there)) return;
        const int levels = up.levels();
        const EdgeRadiation<Real> radiate{Real(T(step / inflow_time)),
                                          Real(T(step / outflow_time))};
        const auto prescribed = !(radiation[0] > zero);
        // the flow across the edge, so many cells inside of it: the mean of two corners
        const auto east_side = x > zero, north_side = y > zero;
        auto across_x = [&](In<Real, 2> speed, int inside, int k) {
            const Shift e = -(inside * east), w = (inside - 1) * east;
            return 0.5 * select(east_side, speed(e)[k] + speed(e + -north)[k],
                                speed(w)[k] + speed(w + -north)[k]);
        };
        auto across_y = [&](In<Real, 2> speed, int inside, int k) {
            const Shift n = -(inside * north), s = (inside - 1) * north;
            return 0.5 * select(north_side, speed(n)[k] + speed(n + -east)[k],
                                speed(s)[k] + speed(s + -east)[k]);
        };
        struct Mean {
            Real now_1 = 0, after_1 = 0, after_2 = 0;
        } mean_x, mean_y;
        Real H = 0;
        auto add = [](Mean& to, Real h, Real now_1, Real after_1, Real after_2) {
            to.now_1 += h * now_1;
            to.after_1 += h * after_1;
            to.after_2 += h * after_2;
        };
        for (int k = 0; k < levels; ++k) {
            const Real h = select(Real(T(k)) < bottom, Real(thickness[k]), zero);
            H += h;
            add(mean_x, h, across_x(u, 1, k), across_x(u_after, 1, k), across_x(u_after, 2, k));
            add(mean_y, h, across_y(v, 1, k), across_y(v_after, 1, k), across_y(v_after, 2, k));
        }
        const Real per_depth = 1.0 / larger(H, Real(1e-3));
        auto scaled = [&](const Mean& m) {
            return Mean{m.now_1 * per_depth, m.after_1 * per_depth, m.after_2 * per_depth};
        };
        const Mean all_x = scaled(mean_x), all_y = scaled(mean_y);
        Real sum_x = 0, sum_y = 0;
        for (int k = 0; k < levels; ++k) {
            const auto here = Real(T(k)) < bottom;
            const Real h = thickness[k],
                       new_x = radiate(edge_x[k], given_x[k], across_x(u, 1, k) - all_x.now_1,
                                       across_x(u_after, 1, k) - all_x.after_1,
                                       across_x(u_after, 2, k) - all_x.after_2),
                       new_y = radiate(edge_y[k], given_y[k], across_y(v, 1, k) - all_y.now_1,
                                       across_y(v_after, 1, k) - all_y.after_1,
                                       across_y(v_after, 2, k) - all_y.after_2),
                       at_x = select(along_x & here, select(prescribed, Real(given_x[k]), new_x),
                                     zero),
                       at_y = select(along_y & here, select(prescribed, Real(given_y[k]), new_y),
                                     zero);
            edge_x[k] = at_x;
            edge_y[k] = at_y;
            sum_x += h * at_x;
            sum_y += h * at_y;
        }
        const Real through = fma(radiation[0], increment[0], leaves[0]) * per_depth,
                   over_x = sum_x * per_depth, over_y = sum_y * per_depth;
        Real W = 0;
        for (int k = levels - 1; k >= 0; --k) {
            const auto here = there & (Real(T(k)) < bottom);
            const Real at_x = select(along_x & here, Real(edge_x[k]) - over_x, zero),
                       at_y = select(along_y & here, Real(edge_y[k]) - over_y, zero),
                       Q = select(here, thickness[k] * (through + fma(x, at_x, y * at_y)), zero);
            edge_x[k] = at_x;
            edge_y[k] = at_y;
            outflow[k] = Q;
            W = W + Q;
            up[k] = up[k] - W;
        }
        eta_after[0] = eta_after[0] - W * T(step) / area[0];
    }
};

/// What a tracer loses and gains through an open edge, and how it is drawn to what is given.
template <bool own> struct EdgeContent {
    double inflow_time = 86400, outflow_time = 360 * 86400.;
    static constexpr std::string_view summary =
        "tracer that leaves through an open edge with the flow, or enters with the given value";
    static constexpr std::tuple parameters{
        Parameter{"inflow_time", &EdgeContent::inflow_time, "s", 1, 1e12,
                  "time in which water that enters is drawn to the given value"},
        Parameter{"outflow_time", &EdgeContent::outflow_time, "s", 1, 1e12,
                  "time in which water that leaves is drawn to the given value"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge", place::center_column, "1"> edge,
        Reads<Real, "open_edge_outflow", place::center_layer, "m3 s-1"> outflow,
        Reads<Real, "tracer_at_open_edge", place::center_layer, "any"> given,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        using T = typename Real::Number;
        const Real zero(0), A = area[0], in(T(1 / inflow_time)), out(T(1 / outflow_time));
        const auto there = edge[0] > zero;
        if (!any(there)) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real Q = outflow[k], here = tracer[k], from = given[k],
                       h = k == 0 ? Real(thickness[k]) + eta[0] : Real(thickness[k]);
            const auto leaves = Q > zero;
            const Real moved = -(Q * select(leaves, here, from)),
                       drawn = A * h * select(leaves, out, in) * (from - here);
            tendency[k] += select(there, moved + drawn, zero);
        }
    }
};

/// The values of layers between two times (physics/sea_surface/interpolation.hpp), where they are
/// used.
template <bool corners> struct LayersInTime {
    static constexpr Place where = corners ? place::corner_vector_layer : place::center_layer,
                           column = corners ? place::corner_column : place::center_column;
    static constexpr std::string_view summary =
        corners ? "layers of a variable at corners between two times"
                : "layers of a variable between two times";

    template <class Real>
    constexpr void operator()(Reads<Real, "used", column, "any"> used,
                              Reads<Real, "previous", where, "any"> previous,
                              Reads<Real, "next", where, "any"> next,
                              ReadsProfile<Real, "forcing_weight", "1"> weight,
                              Writes<Real, "value", where, "any"> value, Levels each) const {
        if (!any(used[0] > Real(0))) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real from = previous[k];
            value[k] = fma(next[k] - from, weight[0], from);
        }
    }
};

}  // namespace fathom::ocean
