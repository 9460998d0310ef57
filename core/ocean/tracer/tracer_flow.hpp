/// The flow of a tracer through faces, for diagnostics: the volume transport times the mean of both
/// sides.
#pragma once
#include "field/process.hpp"

namespace fathom::ocean {

struct TracerFlow {
    static constexpr std::string_view summary =
        "transport of a tracer through eastern and northern faces by the flow, with the mean of "
        "both sides";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any", 1> tracer,
        Reads<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Reads<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Writes<Real, "tracer_transport_east", place::center_layer, "any m3 s-1"> east_flow,
        Writes<Real, "tracer_transport_north", place::center_layer, "any m3 s-1"> north_flow,
        Levels each) const {
        for (int k = each.first; k < each.end; ++k) {
            const Real half = 0.5 * tracer[k];
            east_flow[k] = to_east[k] * fma(Real(0.5), tracer(east)[k], half);
            north_flow[k] = to_north[k] * fma(Real(0.5), tracer(north)[k], half);
        }
    }
};

}  // namespace fathom::ocean
