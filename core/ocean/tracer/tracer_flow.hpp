/// What a tracer's flow through faces is, for diagnostics: the volume transport times the mean of
/// both sides.
#pragma once
#include "field/process.hpp"

namespace fathom::ocean {

struct TracerFlow {
    static constexpr std::string_view summary =
        "transport of a tracer through eastern and northern faces by the flow, with the mean of "
        "both sides";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads("tracer", place::center_layer, "1", 1),
        reads("transport_east", place::center_layer, "m3 s-1"),
        reads("transport_north", place::center_layer, "m3 s-1"),
        writes("tracer_transport_east", place::center_layer, "m3 s-1"),
        writes("tracer_transport_north", place::center_layer, "m3 s-1")};

    template <class Real>
    void operator()(In<Real, 1> tracer, In<Real> to_east, In<Real> to_north, Out<Real> east_flow,
                    Out<Real> north_flow) const {
        for (int k = 0; k < east_flow.levels(); ++k) {
            const Real half = 0.5 * tracer[k];
            east_flow[k] = to_east[k] * fma(Real(0.5), tracer(east)[k], half);
            north_flow[k] = to_north[k] * fma(Real(0.5), tracer(north)[k], half);
        }
    }
};

}  // namespace fathom::ocean
