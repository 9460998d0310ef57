/// Fresh water as volume: the flux through the surface raises it (stretched_cells.hpp), with the
/// temperature of the surface and without salt or other tracers,
///   h' T' = h T + ... + tau F / rho_fresh T_fresh
/// so that salt, heat and volume are each conserved. The surface schemes still compute what F would
/// do to the salt of a sea of constant volume, -S_ref F / rho_fresh, because buoyancy and mixing
/// need that. Here this salt is given back.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

struct FreshwaterConvergence {
    static constexpr std::string_view summary =
        "fresh water as a part of the right-hand side of the free surface";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> fresh,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Updates<Real, "barotropic_convergence", place::center_column, "m3 s-1"> convergence) const {
        convergence[0] += fresh[0] * area[0] * (1 / constants::fresh_water_density);
    }
};

struct FreshwaterContent {
    double share = 0, returned = 0;
    static constexpr std::string_view summary =
        "tracer content of fresh water that enters as volume";
    static constexpr std::tuple parameters{
        Parameter{"share", &FreshwaterContent::share, "1", 0, 1,
                  "its content of the tracer over that of the surface"},
        Parameter{"returned", &FreshwaterContent::returned, "1", 0, 100,
                  "content that the surface flux has taken for it"}};
    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> fresh,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Updates<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency) const {
        tendency[0] += fresh[0] * area[0] * (1 / constants::fresh_water_density) *
                       fma(Real(share), tracer[0], Real(returned));
    }
};

}  // namespace fathom::ocean
