/// The lowest layer of air as the exchange with the surface sees it (BulkExchange, TileExchange).
#pragma once
#include "field/process.hpp"
#include "physics/land/over_sea.hpp"
#include "physics/sea_surface/bulk.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct LowestAir {
    Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure;
    Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface;
    Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential;
    Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface_geopotential;
};

template <class Real> struct SurfaceLayer {
    static constexpr double karman = 0.4;
    static constexpr double neutral_heat =
        34.6e-3;  // of C_H / sqrt(C_D): that of vapour, which carries most of the heat
    Real T, q, speed, density, rise, height, log_height, per_energy, surface_pressure,
        richardson_scale, log_ten;

    constexpr SurfaceLayer(const LowestAir<Real>& air, double gust, double layer) {
        using namespace constants;
        const int last = air.temperature.levels() - 1;
        const Real U_E = air.u[last], U_N = air.v[last],
                   square = fma(U_E, U_E, fma(U_N, U_N, gust * gust));
        speed = sqrt(square);
        T = air.temperature[last];
        q = air.humidity[last];
        const Real virtual_T = T * (1 + virtual_factor * q);
        density = air.pressure[last] / (dry_air_gas_constant * virtual_T);
        const Real middle =
            larger((air.geopotential[last] - air.surface_geopotential[0]) * (1 / gravity), 2);
        rise = gravity * middle;
        height = smaller(middle, layer);
        log_height = log(height);
        per_energy = 1 / (dry_air_heat_capacity * virtual_T);
        surface_pressure = air.interface[last + 1];
        richardson_scale = (gravity * height) * per_energy / square;
        log_ten =
            log_height - 2.302585092994046;  // ln(z / 10 m); the wind at 10 m as over z_0 = 0.1 mm
    }
    /// s_v of the air minus that of the surface, by differences.
    constexpr Real above(Real surface_T, Real surface_q) const {
        return fma(constants::dry_air_heat_capacity,
                   (T - surface_T) + virtual_factor * (T * q - surface_T * surface_q), rise);
    }
    /// Of the sea: k / sqrt(C_D) at 10 m is ln(10 m / z_0).
    constexpr Real sea_drag_root() const {
        return BulkForcing::neutral_drag_root(
            larger(speed * (11.51292546497023 / (log_ten + 11.51292546497023)), 0.5));
    }
    constexpr OverSea<Real> over_sea(Real root, Real above_sea) const {
        return OverSea<Real>(log_ten + karman / root, log_ten + karman / neutral_heat,
                             above_sea * richardson_scale);
    }
    constexpr Louis<Real> over_ground(Real z_0, Real above_ground) const {
        const Real log_ground = log_height - log(z_0);
        return Louis<Real>(log_ground, log_ground + 2.302585092994046,
                           above_ground * richardson_scale);
    }
    constexpr Real bounded_roughness(Real z_0, double most) const {
        return smaller(larger(z_0, 1e-5), smaller(most, 0.5 * height));
    }
};

}  // namespace fathom::physics
