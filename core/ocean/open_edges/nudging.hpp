/// A field that is drawn to given values in a part of the sea:
///   dT/dt = rate (T_given - T)          rate [s-1] of a column times the share of a layer
#pragma once
#include "base/any.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

template <bool own> struct TracerNudging {
    static constexpr std::string_view summary = "a tracer that is drawn to given values";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nudging_rate", place::center_column, "s-1"> rate,
        ReadsProfile<Real, "nudging_layers", "1"> layers,
        Reads<Real, "tracer_nudged_to", place::center_layer, "any"> given,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Levels each) const {
        const Real zero(0), a = rate[0] * area[0];
        const auto there = rate[0] > zero;
        if (!any(there)) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real h = k == 0 ? Real(thickness[k]) + eta[0] : Real(thickness[k]);
            tendency[k] += select(there, a * h * layers[k] * (given[k] - tracer[k]), zero);
        }
    }
};

struct VelocityNudging {
    static constexpr std::string_view summary = "the flow is drawn to a given one";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nudging_rate", place::corner_column, "s-1"> rate,
        ReadsProfile<Real, "nudging_layers", "1"> layers,
        Reads<Real, "velocity_x_nudged_to", place::corner_vector_layer, "m s-1"> given_x,
        Reads<Real, "velocity_y_nudged_to", place::corner_vector_layer, "m s-1"> given_y,
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1"> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1"> v,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y,
        Levels each) const {
        const Real zero(0), r = rate[0];
        const auto there = r > zero;
        if (!any(there)) return;
        for (int k = each.first; k < each.end; ++k) {
            const Real share = r * layers[k];
            tendency_x[k] += select(there, share * (given_x[k] - u[k]), zero);
            tendency_y[k] += select(there, share * (given_y[k] - v[k]), zero);
        }
    }
};

}  // namespace fathom::ocean
