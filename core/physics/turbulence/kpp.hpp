/// K-profile parameterisation (Large, McWilliams & Doney 1994, Rev. Geophys. 32, 363-403: LMD).
///
/// Boundary layer: the least depth h at which
///   Ri_b = (b_s - b(d)) d / (|u_s - u(d)|^2 + V_t^2) = Ri_c,
///       V_t^2 = C_v (0.2 / c_s epsilon)^(1/2) / (Ri_c kappa^2) d N w_s       (LMD 21, 23)
/// b_s, u_s: means of the surface layer epsilon d; between the middles of layers a parabola through
/// two values with the slope of the pair above; N below d. Under stable forcing at most 0.7 u* /
/// |f| and u*^3 / (kappa B)   (LMD 24).
///   B = g (alpha (F_T - I(h)) - beta F_S),
///       F fluxes into the sea, I(h) sunlight that leaves the layer downward
///
/// Within it, sigma = d / h, G = sigma (1 - sigma)^2:
///   K = h w G, but no less than in the interior;
///       flux without gradient: C_s G F for scalars where B < 0,
///       C_s = C* kappa (c_s kappa epsilon)^(1/3)
/// G is the simple shape: value and slope at sigma = 1 are 0, and the larger of both K is
/// continuous there. A G that matches value and slope of the interior (LMD 18) needs the derivative
/// of a diffusivity that jumps from level to level, and may be negative.
/// At the interface next to h, between the middles d_k-1 < h <= d_k,
///     delta = (h - d_k-1) / (d_k - d_k-1)   (LMD appendix D):
///   K = (1 - delta) K_interior + delta ((1 - delta)^2 K(d_k-1) + delta^2 K)
///
/// Interior: K = K_0 (1 - (Ri / Ri_0)^2)^3 (shear, LMD 28) + waves + convective where N^2 < 0; N^2
/// of Ri as the corners meet it (shear.hpp).
///
/// Langmuir turbulence, if requested, multiplies w by (1 + (1.5 La)^-2 + (5.4 La)^-4)^(1/2)
/// (langmuir.hpp).
#pragma once
#include "base/any.hpp"
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/transmission.hpp"
#include "physics/turbulence/langmuir.hpp"
#include "physics/turbulence/shear.hpp"
#include "physics/turbulence/surface_layer.hpp"
#include "physics/turbulence/velocity_scale.hpp"

namespace fathom::physics {

struct KPP {
    double critical = 0.3, entrainment = 1.8, ekman = 0.7, monin_obukhov = 1,
           nonlocal_strength = 10, langmuir = 0;
    double shear_diffusivity = 5e-3, shear_critical = 0.7, wave_viscosity = 1e-4,
           wave_diffusivity = 1e-5, convective_viscosity = 0.1, convective_diffusivity = 0.1;

    static constexpr std::string_view summary =
        "K-profile parameterisation of the surface boundary layer and the interior (Large, "
        "McWilliams & Doney 1994)";
    static constexpr std::tuple parameters{
        Parameter{"critical", &KPP::critical, "1", 0.05, 2,
                  "bulk Richardson number at the base of the boundary layer"},
        Parameter{"entrainment", &KPP::entrainment, "1", 0, 10,
                  "unresolved shear by turbulence, C_v"},
        Parameter{"ekman", &KPP::ekman, "1", 0.01, 1e9,
                  "largest depth under stable forcing, in u* / |f|"},
        Parameter{"monin_obukhov", &KPP::monin_obukhov, "1", 0.01, 1e9,
                  "largest depth under stable forcing, in Monin-Obukhov lengths"},
        Parameter{"nonlocal_strength", &KPP::nonlocal_strength, "1", 0, 10,
                  "strength of the flux without gradient, C*"},
        Parameter{"langmuir", &KPP::langmuir, "1", 0, 1,
                  "1: Langmuir turbulence of a grown sea, 0: none"},
        Parameter{"shear_diffusivity", &KPP::shear_diffusivity, "m2 s-1", 0, 1,
                  "interior mixing by shear at Ri = 0"},
        Parameter{"shear_critical", &KPP::shear_critical, "1", 0.01, 10,
                  "Richardson number from which shear does not mix"},
        Parameter{"wave_viscosity", &KPP::wave_viscosity, "m2 s-1", 0, 1,
                  "viscosity of internal waves"},
        Parameter{"wave_diffusivity", &KPP::wave_diffusivity, "m2 s-1", 0, 1,
                  "diffusivity of internal waves"},
        Parameter{"convective_viscosity", &KPP::convective_viscosity, "m2 s-1", 0, 1000,
                  "viscosity of a statically unstable interface below the boundary layer"},
        Parameter{"convective_diffusivity", &KPP::convective_diffusivity, "m2 s-1", 0, 1000,
                  "diffusivity of a statically unstable interface below the boundary layer"}};
    // long: the sweeps of a column share running values, which parts would need as arguments
    template <class Real>
    constexpr void operator()(
        Reads<Real, "stratification", place::center_interface, "s-2", 1> stratification,
        Reads<Real, "surface_buoyancy", place::center_layer, "m s-2"> surface_buoyancy,
        Reads<Real, "velocity_x", place::corner_vector_layer, "m s-1", 1> u,
        Reads<Real, "velocity_y", place::corner_vector_layer, "m s-1", 1> v,
        Reads<Real, "friction_velocity", place::center_column, "m s-1"> friction_velocity,
        Reads<Real, "coriolis", place::corner_column, "s-1", 1> coriolis,
        Reads<Real, "surface_thermal_expansion", place::center_column, "K-1"> expansion,
        Reads<Real, "surface_haline_contraction", place::center_column, "1e3"> contraction,
        Reads<Real, "temperature_surface_flux", place::center_column, "degC m s-1">
            temperature_flux,
        Reads<Real, "salinity_surface_flux", place::center_column, "1e-3 m s-1"> salinity_flux,
        SunlightInWater<Real> sun, ReadsProfile<Real, "thickness", "m"> thickness,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet_levels,
        Writes<Real, "viscosity_at_center", place::center_interface, "m2 s-1"> viscosity,
        Writes<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Writes<Real, "boundary_layer_depth", place::center_column, "m"> boundary_layer_depth,
        Writes<Real, "temperature_nonlocal_flux", place::center_column, "degC m s-1"> nonlocal_heat,
        Writes<Real, "salinity_nonlocal_flux", place::center_column, "1e-3 m s-1"> nonlocal_salt)
        const {
        using Scale = VelocityScale<Real>;
        constexpr double epsilon = surface_layer_share,
                         least_friction = 1e-5;  // [m s-1]: no division by zero wind
        const Real bottom = wet_levels[0];
        const Scale w(larger(friction_velocity[0], least_friction));
        const Transmission<Real> sunlight(sun);
        const Real heat = temperature_flux[0], by_heat = constants::gravity * expansion[0],
                   by_salt = constants::gravity * contraction[0] * salinity_flux[0];
        const auto forcing = [&](Real depth) {
            return fma(by_heat, heat - sunlight(depth), -by_salt);
        };
        const Langmuir<Real> waves(langmuir, w.friction);

        Real height = depth_of_layer(w, forcing, waves, stratification, surface_buoyancy, u, v,
                                     thickness, bottom, viscosity.levels());
        {
            const Real B = forcing(height), f = abs(mean_of_corners(coriolis)),
                       shallowest = 0.5 * double(thickness[0]);
            const Real limit = smaller(ekman * w.friction / (f + 1e-12),
                                       monin_obukhov * w.cube / (karman * larger(B, 1e-15)));
            height = select(B > 0, smaller(height, larger(limit, shallowest)), height);
        }
        const Real kept_heat = heat - sunlight(height), B = fma(by_heat, kept_heat, -by_salt);
        const auto unstable = B < 0;
        const double strength =
            nonlocal_strength * karman * std::cbrt(Scale::c_s * karman * epsilon);  // C_s
        boundary_layer_depth[0] = height;
        nonlocal_heat[0] = select(unstable, strength * kept_heat, 0);
        nonlocal_salt[0] = select(unstable, strength * salinity_flux[0], 0);

        // K at sigma of the boundary layer; where the sea is unstable w is constant below the
        // surface layer
        const Real per_height = 1 / height, rate = karman * height * B,
                   strong = height * waves(height);
        const Real whole_m = w.momentum(epsilon * rate), whole_s = w.scalar(epsilon * rate);
        struct Mixing {
            Real viscosity, diffusivity;
        };
        const auto profile = [&](Real sigma) -> Mixing {
            const Real stable = w.stable(larger(sigma * rate, 0)), rest = larger(1 - sigma, 0),
                       shape = strong * sigma * (rest * rest);
            Real w_m = whole_m, w_s = whole_s;
            const auto upper = unstable & (sigma < epsilon);
            if (any(upper))
                w_m = select(upper, w.momentum(sigma * rate), w_m),
                w_s = select(upper, w.scalar(sigma * rate), w_s);
            return {shape * select(unstable, w_m, stable), shape * select(unstable, w_s, stable)};
        };

        // interior: min(Ri / Ri_0, 2), then its 1-2-1 means, because it alternates from level to
        // level wherever shear mixes
        Shear<Real> shear(u, v);
        const StratificationAboutCorners<Real> N2(stratification, wet_levels);
        const auto ratio = [&](int k) -> Real {
            const double distance = 0.5 * (double(thickness[k - 1]) + double(thickness[k]));
            const Real square = shear(k, 4e-12 * distance * distance) *
                                (shear_critical / (4 * distance * distance));  // Ri_0 shear^2
            return any(N2.own(k) < 8 * square) ? smaller(N2(k) / square, 2)
                                               : Real(2);  // N2(k) is at least own / 4
        };
        const int levels = viscosity.levels();
        bool within = true;
        double depth = double(thickness[0]), middle_above = 0.5 * depth;
        viscosity[0] = 0;
        diffusivity[0] = 0;
        Real here = levels > 1 ? ratio(1) : Real(0), above = here;
        for (int k = 1; k < levels; ++k) {
            const double distance = 0.5 * (double(thickness[k - 1]) + double(thickness[k]));
            const Real N2 = stratification[k],
                       below = k + 1 < levels ? select(k + 1 < bottom, ratio(k + 1), here) : here;
            const Real x = smaller(fma(here, 2, above + below) * 0.25, 1), calm = fma(-x, x, 1),
                       by_shear = shear_diffusivity * (calm * calm * calm);
            above = here;
            here = below;
            const Mixing quiet{by_shear + wave_viscosity, by_shear + wave_diffusivity};
            Mixing K{select(N2 < 0, larger(quiet.viscosity, convective_viscosity), quiet.viscosity),
                     select(N2 < 0, larger(quiet.diffusivity, convective_diffusivity),
                            quiet.diffusivity)};
            if (within) {
                const Real sigma = depth * per_height;
                const auto inside = sigma < 1;
                const auto at_base = (height > middle_above) & (height <= middle_above + distance);
                const Mixing interior = K, layer = profile(sigma);
                K.viscosity = select(inside, larger(layer.viscosity, quiet.viscosity), K.viscosity);
                K.diffusivity =
                    select(inside, larger(layer.diffusivity, quiet.diffusivity), K.diffusivity);
                if (any(at_base)) {
                    const Mixing upper = profile(middle_above * per_height);
                    const Real delta = (height - middle_above) * (1 / distance), rest = 1 - delta;
                    const auto enhanced = [&](Real K, Real upper, Real interior) {
                        return select(at_base,
                                      larger(fma(rest, interior,
                                                 delta * fma(rest * rest, larger(upper, interior),
                                                             delta * delta * K)),
                                             interior),
                                      K);
                    };
                    K = {enhanced(K.viscosity, upper.viscosity,
                                  select(inside, quiet.viscosity, interior.viscosity)),
                         enhanced(K.diffusivity, upper.diffusivity,
                                  select(inside, quiet.diffusivity, interior.diffusivity))};
                }
                within = any(height > middle_above);
            }
            viscosity[k] = select(k < bottom, K.viscosity, 0);
            diffusivity[k] = select(k < bottom, K.diffusivity, 0);
            depth += double(thickness[k]);
            middle_above += distance;
        }
        viscosity[levels] = 0;
        diffusivity[levels] = 0;
    }

    /// Where the bulk Richardson number first is critical; the depth of the bottom if it never is.
    template <class Real>
    constexpr Real depth_of_layer(const VelocityScale<Real>& w, auto forcing,
                                  const Langmuir<Real>& waves, In<Real, 1> stratification,
                                  In<Real> surface_buoyancy, In<Real, 1> u, In<Real, 1> v,
                                  Profile<Real> thickness, Real bottom, int levels) const {
        constexpr double epsilon = surface_layer_share,
                         least_square =
                             1e-10;  // [m2 s-2]: water at rest without stratification has Ri_b = 0
        const double unresolved = entrainment *
                                  std::sqrt(0.2 / (VelocityScale<Real>::c_s * epsilon)) /
                                  (critical * karman * karman);
        const Corners<Real> corners(u, v);
        SurfaceLayer<Real, 8> surface;
        const auto velocity = [&](int n, int k) -> Real {
            return n < 4 ? corners.u[n][k] : corners.v[n - 4][k];
        };
        surface.reach(0, thickness, velocity);

        // searching lanes have the last three Ri_b, at the depths of the last three middles; lanes
        // that have found h keep theirs
        const double first = 0.5 * double(thickness[0]);
        Real searching = 1, Ri_2 = 0, Ri_1 = 0, Ri = 0, d_2 = 0, d_1 = 0, d = first, height = 0;
        double top = double(thickness[0]);
        for (int k = 1; k < levels; ++k) {
            const double middle = top + 0.5 * double(thickness[k]);
            height = select((searching > 0.5) & (k >= bottom), top, height);
            searching = select(k < bottom, searching, 0);
            surface.reach(middle, thickness, velocity);
            Real square = 4 * least_square;
            for (int c = 0; c < 4; ++c) {
                const Real du = surface.mean[c] - corners.u[c][k],
                           dv = surface.mean[c + 4] - corners.v[c][k];
                square = fma(du, du, fma(dv, dv, square));
            }
            const Real B = forcing(middle), rate = (karman * middle) * B,
                       N2 = select(k + 1 < bottom, stratification[k + 1], stratification[k]);
            const Real w_s =
                select(B < 0, w.scalar(epsilon * rate), w.stable(larger(rate, 0))) * waves(middle);
            const Real turbulent = (unresolved * middle) * (sqrt(larger(N2, 0)) * w_s);
            const Real here = surface_buoyancy[k] * middle / fma(square, 0.25, turbulent);
            const auto going = searching > 0.5;
            Ri_2 = select(going, Ri_1, Ri_2);
            Ri_1 = select(going, Ri, Ri_1);
            Ri = select(going, here, Ri);
            d_2 = select(going, d_1, d_2);
            d_1 = select(going, d, d_1);
            d = select(going, middle, d);
            const auto found = going & (here > critical);
            height = select(found, -1, height);
            searching = select(found, 0, searching);
            top += double(thickness[k]);
            if (!any(searching > 0.5)) break;
        }
        height = select(searching > 0.5, top, height);

        // Ri_1 + s x + a x^2 = Ri_c, s the slope of the pair above, a by Ri
        const Real gap = d - d_1,
                   slope = select(d_2 > 0, (Ri_1 - Ri_2) / larger(d_1 - d_2, 1e-6), 0),
                   wanted = critical - Ri_1;
        const Real bend = (Ri - Ri_1 - slope * gap) / larger(gap * gap, 1e-12),
                   root = sqrt(larger(fma(slope, slope, 4 * bend * wanted), 0));
        const Real beyond = 2 * wanted / larger(slope + root, 1e-15);
        return select(height < 0, smaller(d_1 + larger(beyond, 0), d), height);
    }
};

}  // namespace fathom::physics
