/// Ice of one category of thickness in a column, as contents of the cell: these move and melt, so
/// that nothing is lost.
///
///   a  share of the cell [1],   v = a h  ice [m],   s = a h_s  snow [m],
///   e_1, e_2  heat that melts its upper and its lower half [J m-2],   p  water in ponds [m]
///
/// Sea ice of salinity S melts and freezes between its salt: at the temperature T [degC] a kilogram
/// needs (Bitz & Lipscomb 1999, J. Geophys. Res. 104, 15669-15677)
///
///   q(T) = c (T_m - T) + L (1 - T_m / T)      [J kg-1],   T_m = -0.0544 S,   q(T_m) = 0
///
/// to become water at T_m, and conducts (Untersteiner 1964, J. Geophys. Res. 69, 4755-4766)
///
///   k(T) = 2.03 + 0.117 S / T,   at least 0.2      [W m-1 K-1]
///
/// Brine drains from the top: its halves have the share 0.653 and 1.347 of the mean salinity, those
/// of the profile of old ice, S(z) ~ 1 - cos(pi z^(0.407 / (0.573 + z))) (Maykut & Untersteiner
/// 1971, J. Geophys. Res. 76, 1550-1575), and its surface is fresh. Snow needs L.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/sea_ice/ice.hpp"

namespace fathom::physics {

namespace ice {
inline constexpr double density = constants::ice_density, snow_density = 330;  ///< [kg m-3]
inline constexpr double heat_capacity = constants::ice_heat_capacity;          ///< [J kg-1 K-1]
inline constexpr double of_snow = 0.31;                                        ///< [W m-1 K-1]
inline constexpr double least_volume = 1e-8;                                   ///< less is none [m]
inline constexpr double fusion = constants::fusion_heat;                       ///< [J kg-1]
inline constexpr double snow_heat = snow_density * fusion;                     ///< [J m-3]

/// q(T), of ice that melts at T_m.
template <class Real> constexpr Real heat_at(Real T, Real melting) {
    return heat_capacity * (melting - T) + fusion * (1 - melting / T);
}
/// T of q: the negative root of c T^2 + b T + L T_m = 0, b = q - c T_m - L.
template <class Real> constexpr Real temperature_of(Real q, Real melting) {
    const Real b = q - heat_capacity * melting - fusion;
    return (2 * fusion) * melting / (sqrt(b * b - (4 * heat_capacity * fusion) * melting) - b);
}
/// k of T <= T_m of ice that melts at T_m: of pure ice less that of its brine.
template <class Real> constexpr Real conductivity(Real T, Real melting) {
    constexpr double of_brine = 0.117 / freezing_slope;
    return larger(2.03 - of_brine * (melting / T), Real(0.2));
}
/// Melting points of both halves of ice of a mean salinity [degC].
struct MeltingPoints {
    double upper, lower;
    constexpr explicit MeltingPoints(double salinity)
        : upper(0.653 * freezing_temperature(salinity)),
          lower(1.347 * freezing_temperature(salinity)) {}
    /// Temperature of the ice at its bottom, in water that freezes at T_f: of brackish water it is
    /// fresher than this ice, which would be water at T_f.
    template <class Real> constexpr Real bottom(Real T_f) const {
        return smaller(T_f, Real(1.2 * lower));
    }
};
}  // namespace ice

template <class Real> struct IceCategory {
    Updates<Real, "category_area", place::center_column, "1"> area;
    Updates<Real, "category_volume", place::center_column, "m"> volume;
    Updates<Real, "category_snow", place::center_column, "m"> snow;
    Updates<Real, "category_upper_heat", place::center_column, "J m-2"> upper;
    Updates<Real, "category_lower_heat", place::center_column, "J m-2"> lower;
    Updates<Real, "category_ponds", place::center_column, "m"> ponds;
};

/// The terms of one category in the fluxes at the surface: from the air into ice and sea, from the
/// ice into the sea; of the heat into the sea, light.
template <class Real> struct IceFluxes {
    Updates<Real, "air_heat_flux", place::center_column, "W m-2"> air_heat;
    Updates<Real, "surface_heat_flux", place::center_column, "W m-2"> heat;
    Updates<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sun;
    Updates<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> water;
    Updates<Real, "ice_salt_flux", place::center_column, "1e-3 m s-1"> salt;
};

}  // namespace fathom::physics
