/// Diffusivity of the air from a prognostic turbulent kinetic energy e at interfaces (Cuxart,
/// Bougeault & Redelsperger 2000, Q. J. R. Meteorol. Soc. 126, 1-30), with the length of Bougeault
/// & Lacarrere (1989, Mon. Wea. Rev. 117, 1872-1890):
///
///   de/dt = K (S^2 - N^2) - c_e e^3/2 / L + d/dz (K_e de/dz)
///   K     = c_K L e^1/2,   K_e = 0.4 L e^1/2
///   L     = (1/2 l_up^-2/3 + 1/2 l_down^-2/3)^-3/2 <= 1.82 z
///   l_up, l_down: how far a parcel rises and sinks until buoyancy has used its e; to the ground
///       at most,   int g / s_v (s_v(z') - s_v(z)) dz' = e
///   at the ground   e = u*^2 / (c_e c_K)^1/2 + 0.2 (h B)^2/3, B > 0
///
/// c_K = 0.126, c_e = 0.85. 1.82 z gives K = k z u* near the ground: L = k z (c_e c_K)^1/4 / c_K.
/// Where s > 0 (wall_stability), stable air lowers it:  1/L >= 1/(1.82 z) + s N / (2 e)^1/2.
/// Backward in time, two iterations of e^1/2: production uses the last guess, destruction is in
/// proportion to the new e, so that e stays above 0 at any step. s_v = c_p T (1 + 0.608 q) + phi,
/// without condensate; Prandtl number 1. e is not advected.
///
/// In cloudy air (CloudyTKE) rising air stays saturated in the cloud fraction C: s_v is
/// integrated upward with
///   ds = (1 - C) ds_v + C (beta dh - eps L dq),   h = c_p T + phi + L q,   eps = c_p T / L,
///   beta = (1 + 1.608 eps gamma) / (1 + gamma),   gamma = L / c_p dq_s/dT     (Randall 1980, J.
///       Atmos. Sci. 37, 125-130)
#pragma once
#include "base/any.hpp"
#include "base/brief.hpp"
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

template <class Real> struct DryTurbulentAir {
    Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential;
    Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface;
};
template <class Real> struct CloudyTurbulentAir {
    Reads<Real, "eastward_wind", place::center_layer, "m s-1"> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "geopotential", place::center_layer, "m2 s-2"> geopotential;
    Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> surface;
    Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure;
    Reads<Real, "cloud_fraction", place::center_layer, "1"> cloud;
};

template <bool cloudy> struct TKE {
    double step = 1200, least = 1e-4, background = 0.001, wall_stability = 0;

    static constexpr std::string_view summary =
        cloudy ? "Diffusivity of clear and cloudy air from a prognostic turbulent kinetic energy"
               : "Diffusivity of the air from a prognostic turbulent kinetic energy";
    static constexpr std::tuple parameters{
        Parameter{"step", &TKE::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"least", &TKE::least, "m2 s-2", 1e-8, 1, "least turbulent energy"},
        Parameter{"background", &TKE::background, "m2 s-1", 0, 100, "least diffusivity"},
        Parameter{"wall_stability", &TKE::wall_stability, "1", 0, 10,
                  "of stable air near the ground, s"}};
    static constexpr double c_K = 0.126, c_e = 0.85, c_diffusion = 0.4, per_ground = 1.82;

    template <class Real>
    using Air = std::conditional_t<cloudy, CloudyTurbulentAir<Real>, DryTurbulentAir<Real>>;

    /// How far a parcel of energy e at height z and static energy s moves, towards layer `end` from
    /// layer `first` on.
    template <class Real, class Heights, class Energies>
    static constexpr Real free_path(Real e, Real z, Real s, const Heights& height,
                                    const Energies& energy, int first, int end, int towards) {
        Real left = e, path = 0, at = z, against = 0, moving = 1;
        for (int k = first; k != end; k += towards) {
            const Real distance = abs(height[k] - at),
                       force = (constants::gravity * towards * -1.0) * (energy[k] - s) / s,
                       work = 0.5 * distance * (against + force);
            const Real share = select(work > left, left / larger(work, Real(1e-12)), Real(1));
            path += moving * share * distance;
            left -= moving * work;
            moving = select(left > 0, moving, Real(0));
            at = height[k], against = force;
            if (!any(moving > 0)) break;
        }
        return select(moving > 0, path + (towards > 0 ? at : Real(0)), path);  // to the ground
    }

    template <class Real>
    constexpr void operator()(
        Air<Real> air, Reads<Real, "friction_velocity", place::center_column, "m s-1"> friction,
        Reads<Real, "buoyancy_flux", place::center_column, "m2 s-3"> buoyancy_flux,
        Updates<Real, "turbulent_kinetic_energy", place::center_interface, "m2 s-2"> energy,
        Writes<Real, "air_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Writes<Real, "boundary_layer_height", place::center_column, "m"> boundary_layer_height,
        Keeps<Real, "turbulent_energy", 8> own) const {
        const int levels = air.temperature.levels(), last = levels - 1;
        const auto [height, s_v, length, made, lost, guess, above, root] = own.columns();
        look_at<Real>(air, height, s_v, levels);
        Real top(height[last]);
        for (int k = 1; k < levels; ++k) {
            const Real z = 0.5 * (height[k - 1] + height[k]), s = 0.5 * (s_v[k - 1] + s_v[k]),
                       e = larger(energy[k], Real(least)), per = 1 / (height[k - 1] - height[k]),
                       du = (air.u[k - 1] - air.u[k]) * per, dv = (air.v[k - 1] - air.v[k]) * per,
                       N2 = constants::gravity * (s_v[k - 1] - s_v[k]) * per / s;
            const Real up = free_path(e, z, s, height, s_v, k - 1, -1, -1),
                       down = larger(free_path(e, z, s, height, s_v, k, levels, 1), Real(1)),
                       mean = 0.5 * (shrunk(larger(up, Real(1))) + shrunk(down));
            Real most = per_ground * z;
            if (wall_stability > 0)
                most = most / (1 + wall_stability * most * sqrt(larger(N2, Real(0)) / (2 * e)));
            length[k] = smaller(brief_exp(-1.5 * log(mean)), most);
            made[k] = fma(du, du, dv * dv) + larger(-N2, Real(0));
            lost[k] = larger(N2, Real(0));
            guess[k] = e;
            top = select((e > 0.05) & (z > top), z, top);
        }
        const Real u_star = larger(Real(friction[0]), Real(1e-3)),
                   rising = larger(top * buoyancy_flux[0], Real(0)),
                   ground = u_star * u_star * 3.0557 +
                            0.2 * brief_exp(2. / 3 * log(larger(rising, Real(1e-9))));
        for (int n = 0; n < 2; ++n)
            solve(height, length, made, lost, guess, above, root, energy, ground, levels);
        diffusivity[0] = 0, diffusivity[levels] = 0;
        energy[0] = least, energy[levels] = ground;
        Real h = height[last], inside = 1;
        for (int k = last; k > 0; --k) {
            const Real e = larger(guess[k], Real(least)), z = 0.5 * (height[k - 1] + height[k]);
            energy[k] = e;
            diffusivity[k] = c_K * length[k] * sqrt(e) + background;
            inside = select(e < 0.05 * ground, Real(0), inside);
            h = select(inside > 0.5, z, h);
        }
        boundary_layer_height[0] = h;
    }

private:
    /// Heights above the ground, and s_v with the effect of clouds.
    template <class Real, class Views, class Own>
    static constexpr void look_at(const Views& air, const Own& height, const Own& s_v, int levels) {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        for (int k = levels - 1; k >= 0; --k) {
            const Real T = air.temperature[k], q = air.humidity[k],
                       phi = air.geopotential[k] - air.surface[0];
            height[k] = phi * (1 / gravity);
            const Real clear = cp * T * (1 + virtual_factor * q) + phi;
            if constexpr (!cloudy) {
                s_v[k] = clear;
            } else if (k + 1 == levels) {
                s_v[k] = clear;
            } else {
                const Real T_below = air.temperature[k + 1], q_below = air.humidity[k + 1],
                           phi_below = air.geopotential[k + 1] - air.surface[0],
                           under = cp * T_below * (1 + virtual_factor * q_below) + phi_below;
                const Real mean_T = 0.5 * (T + T_below),
                           gamma = latent_warming *
                                   Saturation<Real>(mean_T,
                                                    0.5 * (air.pressure[k] + air.pressure[k + 1]))
                                       .slope,
                           eps = mean_T * (1 / latent_warming),
                           beta = (1 + (1 + virtual_factor) * (eps * gamma)) / (1 + gamma);
                const Real dq = q - q_below, dh = cp * (T - T_below) + (phi - phi_below) + L * dq,
                           C = smaller(Real(air.cloud[k]), Real(air.cloud[k + 1]));
                const Real moist = beta * dh - eps * (L * dq), plain = clear - under;
                s_v[k] = Real(s_v[k + 1]) + plain + C * (moist - plain);
            }
        }
    }
    template <class Real> static constexpr Real shrunk(Real l) {
        return brief_exp(-2. / 3 * log(l));
    }
    /// One iteration: guess becomes the e at the end of the step, with e^1/2 of the guess before.
    template <class Real, class Own, class Energy>
    constexpr void solve(const Own& height, const Own& length, const Own& made, const Own& lost,
                         const Own& guess, const Own& above, const Own& root, const Energy& energy,
                         Real ground, int levels) const {
        for (int k = 1; k < levels; ++k) root[k] = sqrt(larger(Real(guess[k]), Real(least)));
        Real x = 0, factor = 0, coupling = 0;  // of the interface above, eliminated
        for (int k = 1; k < levels; ++k) {
            const bool lowest = k + 1 == levels;
            const Real z = 0.5 * (height[k - 1] + height[k]),
                       z_below = lowest ? Real(0) : Real(0.5 * (height[k] + height[k + 1])),
                       mixing = length[k] * root[k],
                       next = lowest ? mixing : Real(length[k + 1] * root[k + 1]);
            const Real thick = height[k - 1] - height[k],
                       below = (step * c_diffusion * 0.5) * (mixing + next) / (z - z_below);
            const Real per_root = 1 / root[k];
            const Real diagonal = thick * (1 + step * (c_K * length[k] * per_root * lost[k] +
                                                       c_e * root[k] / length[k])) +
                                  coupling * (1 - factor) + below;
            const Real right =
                thick * fma(step * c_K, mixing * made[k], larger(Real(energy[k]), Real(least))) +
                coupling * x + (lowest ? Real(below * ground) : Real(0));
            const Real pivot = 1 / diagonal;
            x = right * pivot;
            factor = lowest ? Real(0) : Real(below * pivot);
            above[k] = factor;
            guess[k] = x;
            coupling = below;
        }
        for (int k = levels - 2; k > 0; --k) guess[k] = fma(above[k], guess[k + 1], guess[k]);
    }
};

}  // namespace fathom::physics
