/// A region inside a running ocean that gives its state back (two-way nesting). The open edges of
/// the region lie on faces of cells of the sea around. The volume that the sea around moves through
/// such a face in its step is that of the region, layer by layer. The tracers of the region decide
/// what that volume carries (refluxing, Berger & Colella 1989, J. Comput. Phys. 82, 64):
///   in the sea around, of a cell outside next to such a face, with the flow Q out of the region,
///       F = Q (T inside where Q > 0, else T here) + c h (T inside - T here)
///   in the region, with the parts q of Q that pass its cells at the edge,
///       F' = sum of q (T of the cell where q > 0, else T beyond) + its part of c h (...)
/// In the end of an exchange the cell outside gets sum of tau (F' - F): the content of both is then
/// kept to round-off. c: conductance of lateral diffusion, 0 without.
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"
#include "ocean/open_edges/open_edges.hpp"

namespace fathom::ocean {

/// What a cell next to the edge has there: which of its faces, 0 of none.
template <class Real> struct NestSide {
    using Mask = decltype(Real() < Real());
    Mask to_east, to_west, to_north, to_south, there;
    constexpr explicit NestSide(Real side)
        : to_east((Real(0.5) < side) & (side < Real(1.5))),
          to_west((Real(1.5) < side) & (side < Real(2.5))),
          to_north((Real(2.5) < side) & (side < Real(3.5))),
          to_south(Real(3.5) < side),
          there(Real(0.5) < side) {}
    /// One of four values; 0 where no face is at an edge.
    constexpr Real of(Real e, Real w, Real n, Real s) const {
        return select(to_east, e,
                      select(to_west, w, select(to_north, n, select(to_south, s, Real(0)))));
    }
};

/// In the sea around: the flow out of the region into a cell next to it, which advection of tracers
/// then does not see.
struct CloseNestFaces {
    double step = 3600;
    static constexpr std::string_view summary =
        "takes the flow through faces at the edge of a region inside out of the transports";
    static constexpr std::tuple parameters{
        Parameter{"step", &CloseNestFaces::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nest_side", place::center_column, "1"> side,
        Updates<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Updates<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Updates<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Updates<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Writes<Real, "transport_from_nest", place::center_layer, "m3 s-1"> flow,
        Updates<Real, "volume_from_nest", place::center_layer, "m3"> volume, Levels each) const {
        const NestSide<Real> at(side[0]);
        if (!any(at.there)) return;
        const Real zero(0), tau = Real(typename Real::Number(step));
        for (int k = each.first; k < each.end; ++k) {
            const Real Q =
                at.of(-to_east[k], Real(from_west[k]), -to_north[k], Real(from_south[k]));
            flow[k] = Q;
            volume[k] = fma(tau, Q, volume[k]);
            to_east[k] = select(at.to_east, zero, Real(to_east[k]));
            from_west[k] = select(at.to_west, zero, Real(from_west[k]));
            to_north[k] = select(at.to_north, zero, Real(to_north[k]));
            from_south[k] = select(at.to_south, zero, Real(from_south[k]));
        }
    }
};

/// After the tracers.
struct OpenNestFaces {
    static constexpr std::string_view summary =
        "puts the flow through faces at the edge of a region inside back into the transports";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nest_side", place::center_column, "1"> side,
        Reads<Real, "transport_from_nest", place::center_layer, "m3 s-1"> flow,
        Updates<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Updates<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Updates<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Updates<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Levels each) const {
        const NestSide<Real> at(side[0]);
        if (!any(at.there)) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real Q = flow[k];
            to_east[k] = select(at.to_east, -Q, Real(to_east[k]));
            from_west[k] = select(at.to_west, Q, Real(from_west[k]));
            to_north[k] = select(at.to_north, -Q, Real(to_north[k]));
            from_south[k] = select(at.to_south, Q, Real(from_south[k]));
        }
    }
};

/// In the sea around: what a cell next to a region gets from it, until the region says what it was.
template <bool own> struct ContentFromNest {
    double step = 3600;
    static constexpr std::string_view summary =
        "tracer that comes from a region inside through a face at its edge, and its sum in time";
    static constexpr std::tuple parameters{
        Parameter{"step", &ContentFromNest::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nest_side", place::center_column, "1"> side,
        Reads<Real, "nest_conductance", place::center_column, "m2 s-1"> conductance,
        Reads<Real, "transport_from_nest", place::center_layer, "m3 s-1"> flow,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        CellThickness<Real, own, 1> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Updates<Real, "tracer_from_nest", place::center_layer, "any m3"> moved,
        Updates<Real, "tracer_diffused_from_nest", place::center_layer, "any m3"> diffused,
        Levels each) const {
        using T = typename Real::Number;
        const NestSide<Real> at(side[0]);
        if (!any(at.there)) return;
        const Real zero(0), tau = Real(T(step)), c = conductance[0],
                            bottom = smaller(Real(wet[0]), at.of(wet(east)[0], wet(-east)[0],
                                                                 wet(north)[0], wet(-north)[0]));
        for (int k = each.first; k < each.end; ++k) {
            const Real Q = flow[k], C = tracer[k],
                       inside = at.of(tracer(east)[k], tracer(-east)[k], tracer(north)[k],
                                      tracer(-north)[k]);
            const Real h = smaller(
                Real(thickness[k]),
                at.of(Real(beside(thickness, east)[k]), Real(beside(thickness, -east)[k]),
                      Real(beside(thickness, north)[k]), Real(beside(thickness, -north)[k])));
            const Real F = select(at.there, Q * select(Q > zero, inside, C), zero),
                       D = select(at.there & (Real(T(k)) < bottom), c * h * (inside - C), zero);
            tendency[k] += F + D;
            moved[k] = fma(tau, F, moved[k]);
            diffused[k] = fma(tau, D, diffused[k]);
        }
    }
};

/// In the region: at corners next to its edge momentum is advected as in the sea around.
struct NestAdvection {
    static constexpr std::string_view summary =
        "advection of momentum at the corners next to the edge of a nest, of the sea around";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge_corner", place::corner_column, "1"> edge,
        Reads<Real, "nest_advection_x", place::corner_vector_layer, "m s-2"> given_x,
        Reads<Real, "nest_advection_y", place::corner_vector_layer, "m s-2"> given_y,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const auto x = [&](int k) { return Real(given_x[k]); };
        const auto y = [&](int k) { return Real(given_y[k]); };
        give_tendency<Real>(edge[0], each, tendency_x, tendency_y, x, y);
    }
};

/// In the region: what leaves through its edge, of the sea around.
struct NestConvergence {
    static constexpr std::string_view summary =
        "flow through the edge of a nest as a part of the right-hand side of the free surface";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge", place::center_column, "1"> edge,
        Reads<Real, "nest_leaves", place::center_layer, "m3 s-1"> leaves,
        Reads<Real, "nest_enters", place::center_layer, "m3 s-1"> enters,
        Updates<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        if (!any(edge[0] > Real(0))) return;
        Real out = 0;
        for (int k = leaves.levels() - 1; k >= 0; --k) out = out + (leaves[k] + enters[k]);
        convergence[0] -= select(edge[0] > Real(0), out, Real(0));
    }
};

/// The vertical flow above it, and the new height.
struct NestTransport {
    double step = 3600;
    static constexpr std::string_view summary =
        "volume that leaves through the edge of a nest, as the sea around has it";
    static constexpr std::tuple parameters{
        Parameter{"step", &NestTransport::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge", place::center_column, "1"> edge,
        Reads<Real, "nest_leaves", place::center_layer, "m3 s-1"> leaves,
        Reads<Real, "nest_enters", place::center_layer, "m3 s-1"> enters,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Updates<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Updates<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Writes<Real, "open_edge_outflow", place::center_layer, "m3 s-1"> outflow) const {
        const Real zero(0);
        const auto there = edge[0] > zero;
        if (!any(there)) return;
        Real W = 0;
        for (int k = leaves.levels() - 1; k >= 0; --k) {
            const Real Q = select(there, leaves[k] + enters[k], zero);
            outflow[k] = Q;
            W = W + Q;
            up[k] = up[k] - W;
        }
        eta_after[0] = eta_after[0] - W * typename Real::Number(step) / area[0];
    }
};

/// What that volume carries, and the sums in time of both values that it may have.
struct NestContent {
    double step = 3600;
    static constexpr std::string_view summary =
        "tracer that leaves through the edge of a nest, or enters from the sea around";
    static constexpr std::tuple parameters{
        Parameter{"step", &NestContent::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "open_edge", place::center_column, "1"> edge,
        Reads<Real, "nest_leaves", place::center_layer, "m3 s-1"> leaves,
        Reads<Real, "nest_enters", place::center_layer, "m3 s-1"> enters,
        Reads<Real, "tracer_at_open_edge", place::center_layer, "any"> given,
        Reads<Real, "tracer_diffused", place::center_layer, "any m3 s-1"> diffused,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Updates<Real, "tracer_in_time", place::center_layer, "any s"> in_time,
        Updates<Real, "tracer_beyond_in_time", place::center_layer, "any s"> beyond_in_time,
        Levels each) const {
        const Real zero(0), tau = Real(typename Real::Number(step));
        const auto there = edge[0] > zero;
        if (!any(there)) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real C = select(there, Real(tracer[k]), zero),
                       beyond = select(there, Real(given[k]), zero);
            const Real out = fma(leaves[k], C, enters[k] * beyond) + diffused[k];
            tendency[k] -= select(there, out, zero);
            in_time[k] = fma(tau, C, in_time[k]);
            beyond_in_time[k] = fma(tau, beyond, beyond_in_time[k]);
        }
    }
};

}  // namespace fathom::ocean
