/// The sea does not cool below its freezing point: what it lacks is taken from the latent heat of frazil ice, and is given back before
/// the water warms again. Closed: rho0 c_p h T - frazil_heat does not change.
///
///   room = rho0 c_p h (T - T_f),   given = max(-room, -frazil_heat),   T += given / (rho0 c_p h),   frazil_heat += given
///
/// h = dz_0 + eta is the thickness of the top layer. The ice neither moves nor rejects salt.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/thickness.hpp"
#include "physics/surface/ice.hpp"
#include <tuple>

namespace fathom::physics {

template <bool own> struct FreezingLimit {
    static constexpr std::string_view summary = "Sea water stays at or above freezing; frazil ice keeps the heat";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads  ("salinity",       place::center_layer,  "1e-3"),
        reads  ("surface_height", place::center_column, "m"),
        cell_thickness<own>(),
        updates("temperature",    place::center_layer,  "degC"),
        updates("frazil_heat",    place::center_column, "J m-2")};

    template <class Real> void operator()(In<Real> salinity, In<Real> height, Thickness<Real, own> thickness, InOut<Real> temperature, InOut<Real> frazil_heat) const {
        const Real capacity = constants::sea_water_density * constants::sea_water_heat_capacity * (height[0] + thickness[0]);
        const Real T = temperature[0], frazil = frazil_heat[0];
        const Real given = larger(capacity * (freezing_temperature(salinity[0]) - T), -frazil);
        temperature[0] = T + given / capacity;
        frazil_heat[0] = frazil + given;
    }
};

}  // namespace fathom::physics
