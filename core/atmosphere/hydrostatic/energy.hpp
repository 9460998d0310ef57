/// Energy that the dynamics of a step must conserve: of a column with the tendencies of the
/// physics, minus that of air of 250 K,
///
///   E = sum_k dp_k / g [c_p (T_k - 250 K) + v_k^2 / 2] + phi_s p_s / g              [J m-2],
///       T the virtual temperature
///
/// and one number per step, added to the temperature of all layers, that restores this sum over the
/// sphere (Williamson, Olson & Jablonowski 2009, Mon. Wea. Rev. 137, 1883-1900): interpolation
/// loses some. Before, wind energy lost by truncation and diffusion has become heat of its level.
#pragma once
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::atmosphere {

struct ColumnEnergy {
    double step = 1800, heat_capacity = constants::dry_air_heat_capacity;
    static constexpr double warmth = 250;  // [K]: near that of air, so that fp32 keeps its digits
    static constexpr std::string_view summary = "energy of the column at the end of the physics";
    static constexpr std::tuple parameters{
        Parameter{"step", &ColumnEnergy::step, "s", -1e6, 1e6, "time step; negative: backward"},
        Parameter{"heat_capacity", &ColumnEnergy::heat_capacity, "J kg-1 K-1", 100, 1e5,
                  "of dry air at constant pressure"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "virtual_temperature", place::center_layer, "K"> T,
        Reads<Real, "eastward_wind_tendency", place::center_layer, "m s-2"> Pu,
        Reads<Real, "northward_wind_tendency", place::center_layer, "m s-2"> Pv,
        Reads<Real, "air_temperature_tendency", place::center_layer, "K s-1"> PT,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> p,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> orography,
        Writes<Real, "column_energy", place::center_column, "J m-2"> energy) const {
        const Real whole = step, cp = heat_capacity;
        const int levels = u.levels();
        Real sum = orography[0] * p[levels];
        for (int k = 0; k < levels; ++k) {
            const Real U = fma(whole, Pu[k], u[k]), V = fma(whole, Pv[k], v[k]);
            sum = fma(p[k + 1] - p[k],
                      fma(cp, fma(whole, PT[k], T[k] - warmth), 0.5 * fma(U, U, V * V)), sum);
        }
        energy[0] = sum * (1 / constants::gravity);
    }
};

}  // namespace fathom::atmosphere
