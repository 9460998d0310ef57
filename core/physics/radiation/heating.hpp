/// From the fluxes of Radiation, which are kept, to the heating of the present step:
///
///   F_k = longwave_k + e_k (sigma T_s^4 - seen) - I s_k   upward at interface k,
///       dT_k/dt = g / c_p (F_k+1 - F_k) / dp_k
///
/// I the insolation now, s_k the net short wave per insolation, e_k the share of the surface's
/// emission that reaches interface k. The surface flux into the air is exactly that out of ground
/// and sea: surface_net_shortwave and emission less surface_downward_longwave.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct RadiativeHeating {
    static constexpr std::string_view summary =
        "Heating by the fluxes of the last radiation, under the sun and over the present surface";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "shortwave_share", place::center_interface, "1"> shortwave,
        Reads<Real, "longwave_flux", place::center_interface, "W m-2"> longwave,
        Reads<Real, "emission_share", place::center_interface, "1"> share,
        Reads<Real, "emission_seen", place::center_column, "W m-2"> seen,
        Reads<Real, "surface_emission", place::center_column, "W m-2"> emission,
        Reads<Real, "insolation", place::center_column, "W m-2"> insolation,
        Updates<Real, "air_temperature_tendency", place::center_layer, "K s-1"> tendency,
        Writes<Real, "surface_net_shortwave", place::center_column, "W m-2"> surface_shortwave,
        Writes<Real, "outgoing_longwave", place::center_column, "W m-2"> outgoing,
        Writes<Real, "toa_net_shortwave", place::center_column, "W m-2"> toa_shortwave) const {
        const int levels = tendency.levels();
        const Real sun = insolation[0], more = emission[0] - seen[0];
        const auto upward = [&](int k) -> Real {
            return fma(share[k], more, longwave[k]) - sun * shortwave[k];
        };
        Real above = upward(0), upper = interface[0];
        outgoing[0] = fma(share[0], more, longwave[0]);
        toa_shortwave[0] = sun * shortwave[0];
        for (int k = 0; k < levels; ++k) {
            const Real below = upward(k + 1), lower = interface[k + 1];
            tendency[k] += (constants::gravity / constants::dry_air_heat_capacity) *
                           (below - above) / (lower - upper);
            above = below;
            upper = lower;
        }
        surface_shortwave[0] = sun * shortwave[levels];
    }
};

}  // namespace fathom::physics
