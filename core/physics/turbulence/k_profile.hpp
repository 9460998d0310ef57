/// Diffusivity of the air: a profile in the boundary layer (Troen & Mahrt 1986; Holtslag & Boville
/// 1993, J. Climate 6, 1825-1842, without the counter-gradient), mixing length and Richardson
/// number everywhere (Louis 1979); the larger of the two:
///
///   K = k z w (1 - z / h)^2,   B > 0: w^3 = u*^3 + 0.6 B h;   B < 0: w = u* / (1 - 5 k z B / u*^3)
///   K = l^2 sqrt(S^2 + 16 max(-N^2, 0)) (S^2 / (S^2 + 5 max(N^2, 0)))^2,
///       l = k z / (1 + k z / lambda)
///   h: where Ri = (s_v - s_v,surface) g z / (s_v (|v - v_1|^2 + 100 u*^2)) = 0.3,
///       s_v,surface = s_v,1 {1 + [8.5 - ln(h / z_1 - 1) / k] B / (g w)},   w and h here of 1000 m
///
/// B the flux of buoyancy at the surface, s_v = c_p T (1 + 0.608 q) + phi; z above the ground;
/// Prandtl number 1. Thermals are warmer than the mixed air by 8.5 flux / w. Without the
/// counter-gradient the lowest layer is already warmer: the flux through K needs a gradient whose
/// sum from z_1 to h / 2 is ln(h / z_1 - 1) / k, 8.7 from 30 m. The rest is added.
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct KProfileDiffusion {
    double mixing_length = 100, critical = 0.3, background = 0.01;

    static constexpr std::string_view summary =
        "Diffusivity of the air from a boundary-layer profile and the local Richardson number";
    static constexpr std::tuple parameters{
        Parameter{"mixing_length", &KProfileDiffusion::mixing_length, "m", 1, 1000,
                  "mixing length far from the ground, lambda"},
        Parameter{"critical", &KProfileDiffusion::critical, "1", 0.05, 2,
                  "bulk Richardson number at the top of the boundary layer"},
        Parameter{"background", &KProfileDiffusion::background, "m2 s-1", 0, 100,
                  "least diffusivity"}};

    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u,
        Reads<Real, "northward_wind", place::center_layer, "m s-1"> v,
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface_geopotential,
        Reads<Real, "friction_velocity", place::center_column, "m s-1"> friction_velocity,
        Reads<Real, "buoyancy_flux", place::center_column, "m2 s-3"> buoyancy_flux,
        Writes<Real, "air_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Writes<Real, "boundary_layer_height", place::center_column, "m"> boundary_layer_height,
        Keeps<Real, "k_profile", 1> own) const {
        using namespace constants;
        constexpr double karman = 0.4, per_gravity = 1 / gravity;
        const int levels = temperature.levels(), last = levels - 1;
        const Real ground = surface_geopotential[0], friction = larger(friction_velocity[0], 1e-3),
                   B = buoyancy_flux[0], cube = friction * friction * friction;
        const auto energy_at = [&](int k) -> Real {
            return dry_air_heat_capacity * temperature[k] * (1 + virtual_factor * humidity[k]) +
                   (geopotential[k] - ground);
        };

        // height of the boundary layer, upward: the first layer beyond the critical number,
        // linearly between layers
        const auto [energy] = own.columns();
        const Real lowest = energy_at(last), rising = larger(B, 0),
                   scale = exp(log(fma(rising, 600, cube)) * (1. / 3)),  // w for h = 1000 m
            z_1 = smaller((geopotential[last] - ground) * per_gravity, 500),
                   excess = 8.5 - log(1000 / z_1 - 1) * (1 / karman);
        const Real surface = lowest * (1 + excess * rising / (gravity * scale)), u_1 = u[last],
                   v_1 = v[last], floor = 100 * friction * friction, per_lowest = 1 / lowest;
        energy[last] = lowest;
        Real z_below = (geopotential[last] - ground) * per_gravity, Ri_below = 0, height = z_below,
             searching = 1;
        for (int k = last - 1; k >= 0; --k) {
            const Real here = energy_at(k);
            energy[k] = here;
            const Real z = (geopotential[k] - ground) * per_gravity, du = u[k] - u_1,
                       dv = v[k] - v_1;
            const Real Ri =
                gravity * z * per_lowest * (here - surface) / fma(du, du, fma(dv, dv, floor));
            const Real crossing = z_below + (z - z_below) * larger(critical - Ri_below, 0) /
                                                larger(Ri - Ri_below, 1e-6);
            height = select((Ri > critical) & (searching > 0.5), smaller(crossing, z),
                            select(searching > 0.5, z, height));
            searching = select(Ri > critical, 0, searching);
            z_below = z;
            Ri_below = Ri;
        }
        const Real per_height = 1 / height,
                   stretched = exp(log(fma(rising, 0.6 * height, cube)) * (1. / 3)),
                   damping = 5 * karman * larger(-B, 0) / cube;

        Real z_above = (geopotential[0] - ground) * per_gravity, u_above = u[0], v_above = v[0];
        diffusivity[0] = 0;
        for (int k = 1; k < levels; ++k) {
            const Real z_here = (geopotential[k] - ground) * per_gravity,
                       z = 0.5 * (z_above + z_here), u_here = u[k], v_here = v[k];
            const Real per_distance = 1 / (z_above - z_here),
                       du = (u_above - u_here) * per_distance,
                       dv = (v_above - v_here) * per_distance;
            const Real shear = fma(du, du, fma(dv, dv, 1e-8)), s_above = energy[k - 1],
                       s_here = energy[k],
                       N2 = 2 * gravity * (s_above - s_here) * per_distance / (s_above + s_here);
            const Real depth = karman * z, length = depth / (1 + depth * (1 / mixing_length)),
                       calm = shear / (shear + 5 * larger(N2, 0));
            const Real local = length * length * sqrt(shear + 16 * larger(-N2, 0)) * (calm * calm);
            const Real below_top = larger(1 - z * per_height, 0),
                       inside = depth * stretched * (below_top * below_top) / (1 + damping * z);
            diffusivity[k] = larger(local, inside) + background;
            z_above = z_here;
            u_above = u_here;
            v_above = v_here;
        }
        diffusivity[levels] = 0;
        boundary_layer_height[0] = height;
    }
};

}  // namespace fathom::physics
