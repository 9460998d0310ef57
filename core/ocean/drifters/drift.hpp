/// What drifters are carried by (ocean/drifters/drifters.hpp).
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

template <bool own> struct Drift {
    static constexpr bool global = true;
    static constexpr std::string_view summary = "drifters: particles that go with the flow";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads("velocity_x", place::corner_vector_layer, "m s-1", 2),
        reads("velocity_y", place::corner_vector_layer, "m s-1", 2),
        reads("velocity_x_after", place::corner_vector_layer, "m s-1", 2),
        reads("velocity_y_after", place::corner_vector_layer, "m s-1", 2),
        reads("transport_up", place::center_interface, "m3 s-1", 1),
        reads("dx_corner", place::corner_column, "m", 2),
        reads("dy_corner", place::corner_column, "m", 2),
        reads("area_center", place::center_column, "m2", 1),
        reads("sea_surface_height", place::center_column, "m", 1),
        CellThickness < Pack<double, 1>,
        own,
        own ? 1 : 0 > ::use};
    template <class Real>
    void operator()(In<Real, 2>, In<Real, 2>, In<Real, 2>, In<Real, 2>, In<Real, 1>, In<Real, 2>,
                    In<Real, 2>, In<Real, 1>, In<Real, 1>,
                    CellThickness<Real, own, own ? 1 : 0>) const {}
};

}  // namespace fathom::ocean
