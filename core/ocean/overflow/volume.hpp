/// Volume that an overflow removes from the sea at one place and adds at another
/// (ocean/overflow/overflow.hpp), through the side walls of cells, with its tracers.
///   outlet_volume Q > 0 in the layer `outlet_level` of a column: product water of content
///       tracer_outlet;   Q < 0: the cell's own water leaves
/// Volumes sum to zero over the sea, and the resolved flow closes the circuit.
#pragma once
#include "field/process.hpp"

namespace fathom::ocean {

struct OverflowConvergence {
    static constexpr std::string_view summary =
        "overflows as a part of the right-hand side of the free surface";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "outlet_volume", place::center_column, "m3 s-1"> volume,
        Updates<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        convergence[0] += volume[0];
    }
};

struct OverflowVolume {
    double step = 3600;
    static constexpr std::string_view summary =
        "the volume of overflows in vertical transports and in the height of the surface";
    static constexpr std::tuple parameters{
        Parameter{"step", &OverflowVolume::step, "s", 0, 1e6, "time step"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "outlet_level", place::center_column, "1"> level,
        Reads<Real, "outlet_volume", place::center_column, "m3 s-1"> volume,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Updates<Real, "transport_up", place::center_interface, "m3 s-1"> up,
        Updates<Real, "sea_surface_height_after", place::center_column, "m"> eta) const {
        const Real Q = volume[0], at = level[0];
        for (int k = 0; k < up.levels(); ++k)
            up[k] += select(at < Real(typename Real::Number(k)), Real(0), Q);
        eta[0] += Q * typename Real::Number(step) / area[0];
    }
};

struct OverflowContent {
    static constexpr std::string_view summary = "change of a tracer by overflows";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "outlet_level", place::center_column, "1"> level,
        Reads<Real, "outlet_volume", place::center_column, "m3 s-1"> volume,
        Reads<Real, "tracer_outlet", place::center_column, "any"> product,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency) const {
        const Real Q = volume[0], at = level[0], brought = product[0], zero(0);
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real here = Real(typename Real::Number(k));
            const Real moved = Q * select(Q > zero, brought, Real(tracer[k]));
            tendency[k] += select(here < at, zero, select(at < here, zero, moved));
        }
    }
};

}  // namespace fathom::ocean
